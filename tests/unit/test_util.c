#include <criterion/criterion.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "gate/util/error.h"
#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/pool.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"

/* --- numbers ------------------------------------------------------------ */

Test(num, reads_only_whole_plain_numbers)
{
	static const char *const bad[] = {"",      " 1",  "1 ",   "0x10", "inf",
					  "nan",   "1e",  "1.",   ".5",   "--1",
					  "1e999", "1,5", "1_000"};
	double d = 7;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert(!gate_num_double(bad[i], strlen(bad[i]), &d),
			  "took \"%s\"", bad[i]);
	cr_assert_eq(d, 7, "a refused number must leave the result alone");
	cr_assert(gate_num_double("-12.5e3", 7, &d));
	cr_assert_eq(d, -12500);
	cr_assert(gate_num_double("12345", 3, &d));
	cr_assert_eq(d, 123, "must stop at the given length");
}

Test(num, refuses_integers_that_do_not_fit)
{
	uint64_t u = 1;

	cr_assert(gate_num_u64("18446744073709551615", 20, &u));
	cr_assert_eq(u, UINT64_MAX);
	cr_assert(!gate_num_u64("18446744073709551616", 20, &u));
	cr_assert(!gate_num_u64("-1", 2, &u));
	cr_assert(!gate_num_u64("", 0, &u));
}

Test(num, prints_the_shortest_form_that_reads_back_equal)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {{0.1, "0.1"},
		     {1.0 / 3, "0.3333333333333333"},
		     {60276, "60276"},
		     {-0.0, "0"},
		     {1e300, "1e+300"},
		     {5e-324, "4.94065645841247e-324"},
		     {0.1 + 0.2, "0.30000000000000004"},
		     {9007199254740993.0, "9007199254740992"}};
	char buf[GATE_NUM_MAX];
	double back;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		gate_num_print(cases[i].v, buf);
		cr_assert_str_eq(buf, cases[i].text);
		cr_assert(gate_num_double(buf, strlen(buf), &back));
		cr_assert_eq(back, cases[i].v);
	}
	cr_assert_str_eq(gate_num_print((double)INFINITY, buf), "null");
}

Test(num, does_not_depend_on_the_locale_of_the_environment)
{
	/* gate never calls setlocale(); this holds that nothing it links does
	 * so behind its back. */
	cr_assert_str_eq(setlocale(LC_NUMERIC, NULL), "C");
}

Test(num, reads_durations_with_their_units)
{
	uint64_t ms = 0;

	cr_assert(gate_num_duration_ms("90s", &ms) && ms == 90000);
	cr_assert(gate_num_duration_ms("30m", &ms) && ms == 1800000);
	cr_assert(gate_num_duration_ms("1.5h", &ms) && ms == 5400000);
	cr_assert(gate_num_duration_ms("250ms", &ms) && ms == 250);
	cr_assert(gate_num_duration_ms("10", &ms) && ms == 10000);
	cr_assert(!gate_num_duration_ms("m", &ms));
	cr_assert(!gate_num_duration_ms("-5s", &ms));
	cr_assert(!gate_num_duration_ms("5 weeks", &ms));
	cr_assert(!gate_num_duration_ms("9999999d", &ms));
}

/* --- text --------------------------------------------------------------- */

Test(str, names_the_nearest_word_only_when_it_is_near)
{
	static const char *const words[] = {"threshold", "tolerated", "floor",
					    NULL};

	cr_assert_str_eq(gate_str_nearest("treshold", words), "threshold");
	cr_assert_str_eq(gate_str_nearest("thresholds", words), "threshold");
	cr_assert_str_eq(gate_str_nearest("flor", words), "floor");
	cr_assert_null(gate_str_nearest("xyz", words));
}

Test(str, keeps_bytes_of_any_value)
{
	struct gate_str s = {0};

	gate_str_add(&s, "a\0b", 3);
	gate_str_addf(&s, "%d", 42);
	cr_assert_eq(s.len, 5);
	cr_assert_arr_eq(s.data, "a\0b42", 6);
	gate_str_done(&s);
	cr_assert_str_eq(gate_str_text(&s), "");
}

Test(error, makes_control_characters_of_hostile_names_harmless)
{
	struct gate_error err;

	cr_assert_eq(gate_error_set(&err, GATE_ESYNTAX, "%s", "a\033[2Jb\nc"),
		     GATE_ESYNTAX);
	cr_assert_str_eq(err.message, "a?[2Jb?c");
	gate_error_prefix(&err, "file: ");
	cr_assert_str_eq(err.message, "file: a?[2Jb?c");
}

Test(error, never_maps_a_fault_to_the_exit_code_of_a_regression)
{
	int s;

	cr_assert_eq(gate_error_exit_code(GATE_OK), 0);
	for (s = GATE_EHOST; s < 0; s++)
		cr_assert(gate_error_exit_code((enum gate_status)s) == 2 ||
			  gate_error_exit_code((enum gate_status)s) == 4);
}

Test(pool, gives_equal_strings_one_pointer)
{
	struct gate_pool *p = gate_pool_new();
	char name[32];
	const char *first = gate_pool_add(p, "row 7");
	int i;

	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "row %d", i);
		gate_pool_add(p, name);
	}
	cr_assert_eq(gate_pool_add(p, "row 7"), first);
	cr_assert_null(gate_pool_add(p, NULL));
	gate_pool_free(p);
}

Test(hash, tells_pieces_apart)
{
	char a[GATE_HASH_HEX], b[GATE_HASH_HEX];
	struct gate_hash *h;

	h = gate_hash_new();
	gate_hash_text(h, "ab");
	gate_hash_text(h, "c");
	gate_hash_end(h, a);
	h = gate_hash_new();
	gate_hash_text(h, "a");
	gate_hash_text(h, "bc");
	gate_hash_end(h, b);
	cr_assert_str_neq(a, b);
	cr_assert_eq(strlen(a), 64);
}

/* --- files -------------------------------------------------------------- */

Test(fs, writes_files_whole_and_reads_them_with_a_ceiling)
{
	struct gate_error err;
	char *dir, *path, *data;
	size_t len;

	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
	path = gate_fs_join(dir, "file");
	cr_assert_eq(gate_fs_write(path, "hello", 5, &err), 0);
	cr_assert_eq(gate_fs_read(path, 5, &data, &len, &err), 0);
	cr_assert_str_eq(data, "hello");
	free(data);
	cr_assert_eq(gate_fs_read(path, 4, &data, &len, &err), GATE_ESYNTAX);
	cr_assert(strstr(err.message, "larger than 4 bytes"));
	cr_assert_eq(gate_fs_remove(dir, &err), 0);
	cr_assert(!gate_fs_exists(dir));
	free(path);
	free(dir);
}

Test(fs, writes_into_a_device_and_puts_no_file_in_its_place)
{
	struct gate_error err;
	char *dir, *device;
	struct stat st;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	device = gate_fs_join(dir, "null");
	if (mknod(device, S_IFCHR | 0666, makedev(1, 3)))
		cr_skip_test("making a device needs root");
	cr_assert_eq(gate_fs_write(device, "hello", 5, &err), 0, "%s",
		     err.message);
	cr_assert_eq(stat(device, &st), 0);
	cr_assert(S_ISCHR(st.st_mode), "the device is gone");
	gate_fs_remove(dir, &err);
	free(device);
	free(dir);
}

Test(fs, removes_a_tree_without_following_links_out_of_it)
{
	struct gate_error err;
	char *dir, *inside, *outside, *link;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	inside = gate_fs_join(dir, "tree/a/b");
	outside = gate_fs_join(dir, "precious");
	link = gate_fs_join(dir, "tree/a/link");
	cr_assert_eq(gate_fs_mkdirs(inside, &err), 0);
	cr_assert_eq(gate_fs_mkdirs(outside, &err), 0);
	cr_assert_eq(symlink(outside, link), 0);
	free(inside);
	inside = gate_fs_join(dir, "tree");
	cr_assert_eq(gate_fs_remove(inside, &err), 0);
	cr_assert(!gate_fs_exists(inside));
	cr_assert(gate_fs_is_dir(outside));
	gate_fs_remove(dir, &err);
	free(inside);
	free(outside);
	free(link);
	free(dir);
}

Test(fs, does_not_wait_for_a_fifo_where_a_file_should_be)
{
	struct gate_error err;
	char *dir, *fifo, *link, *data = NULL;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	fifo = gate_fs_join(dir, "fifo");
	link = gate_fs_join(dir, "link");
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_eq(symlink("/etc/passwd", link), 0);
	cr_assert_eq(gate_fs_read_regular(fifo, 100, &data, NULL, &err),
		     GATE_ESYNTAX);
	cr_assert(strstr(err.message, "not a regular file"));
	cr_assert_lt(gate_fs_read_regular(link, 1 << 20, &data, NULL, &err), 0);
	cr_assert_eq(gate_fs_check_regular(fifo, &err), GATE_ESYNTAX);
	gate_fs_remove(dir, &err);
	free(fifo);
	free(link);
	free(dir);
}

Test(fs, wants_exactly_one_match_of_a_pattern)
{
	struct gate_error err;
	char *dir, *a, *b, *got = NULL;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	a = gate_fs_join(dir, "vmlinuz-1");
	b = gate_fs_join(dir, "vmlinuz-2");
	cr_assert_eq(gate_fs_glob_one(dir, "vmlinuz-*", &got, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "matches nothing"));
	gate_fs_write(a, "", 0, &err);
	cr_assert_eq(gate_fs_glob_one(dir, "vmlinuz-*", &got, &err), 0);
	cr_assert_str_eq(got, a);
	free(got);
	gate_fs_write(b, "", 0, &err);
	cr_assert_eq(gate_fs_glob_one(dir, "vmlinuz-*", &got, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "2 paths"));
	gate_fs_remove(dir, &err);
	free(a);
	free(b);
	free(dir);
}

/* --- processes ---------------------------------------------------------- */

static int sh(const char *script, struct gate_proc *p,
	      struct gate_proc_result *res, struct gate_error *err)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	p->argv = argv;
	return gate_proc_run(p, res, err);
}

Test(proc, captures_output_and_keeps_the_exit_code)
{
	struct gate_proc p = {0};
	struct gate_proc_result res;
	struct gate_error err;

	cr_assert_eq(sh("echo out; echo err >&2; exit 7", &p, &res, &err), 0);
	cr_assert_eq(res.exit_code, 7);
	cr_assert_str_eq(gate_str_text(&res.out), "out\nerr\n");
	gate_str_done(&res.out);
}

Test(proc, says_which_program_is_missing)
{
	const char *argv[] = {"gate-no-such-program", NULL};
	struct gate_proc p = {.argv = argv};
	struct gate_proc_result res;
	struct gate_error err;

	cr_assert_eq(gate_proc_run(&p, &res, &err), GATE_ESYS);
	cr_assert(strstr(err.message, "gate-no-such-program"));
	cr_assert(strstr(err.message, "not found in PATH"));
}

Test(proc, finds_a_program_with_a_slash_from_where_it_will_run)
{
	const char *argv[] = {"./tool", NULL};
	struct gate_proc p = {.argv = argv};
	struct gate_proc_result res;
	struct gate_error err;
	char *dir, *tool;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	tool = gate_fs_join(dir, "tool");
	gate_fs_write(tool, "#!/bin/sh\nexit 9\n", 17, &err);
	cr_assert_eq(chmod(tool, 0755), 0);
	cr_assert_eq(gate_proc_run(&p, &res, &err), GATE_ESYS);
	p.cwd = dir;
	cr_assert_eq(gate_proc_run(&p, &res, &err), 0, "%s", err.message);
	cr_assert_eq(res.exit_code, 9);
	gate_str_done(&res.out);
	gate_fs_remove(dir, &err);
	free(tool);
	free(dir);
}

Test(proc, ends_the_whole_group_at_the_deadline)
{
	struct gate_proc p = {.timeout_ms = 300};
	struct gate_proc_result res;
	struct gate_error err;

	/* The grandchild would hold the pipe open for a minute. */
	cr_assert_eq(sh("sleep 60 & sleep 60", &p, &res, &err), 0);
	cr_assert(res.timed_out);
	cr_assert_lt(res.wall_s, 10);
	gate_str_done(&res.out);
}

Test(proc, kills_what_ignores_the_polite_signal)
{
	struct gate_proc p = {.timeout_ms = 200};
	struct gate_proc_result res;
	struct gate_error err;

	cr_assert_eq(
		sh("trap '' TERM; while :; do sleep 1; done", &p, &res, &err),
		0);
	cr_assert(res.timed_out);
	cr_assert_eq(res.exit_code, 128 + 9);
	cr_assert_lt(res.wall_s, 15);
	gate_str_done(&res.out);
}

Test(proc, keeps_captured_output_bounded)
{
	struct gate_proc p = {.capture_max = 1000};
	struct gate_proc_result res;
	struct gate_error err;

	cr_assert_eq(sh("yes | head -c 5000000; exit 3", &p, &res, &err), 0);
	cr_assert_eq(res.out.len, 1000);
	cr_assert_eq(res.exit_code, 3);
	gate_str_done(&res.out);
}

Test(proc, ends_a_child_that_floods_its_log)
{
	struct gate_proc p = {.output_max = 100000};
	struct gate_proc_result res;
	struct gate_error err;
	char *dir, *log;

	gate_fs_mkdtemp("gate-test", &dir, &err);
	log = gate_fs_join(dir, "log");
	p.out_path = log;
	cr_assert_eq(sh("while :; do echo flood; done", &p, &res, &err), 0);
	cr_assert(res.too_much);
	gate_fs_remove(dir, &err);
	free(log);
	free(dir);
}

Test(proc, shows_children_an_allow_list_and_no_token)
{
	struct gate_proc p = {0};
	struct gate_proc_result res;
	struct gate_error err;

	setenv("GITHUB_TOKEN", "secret", 1);
	setenv("CCACHE_DIR", "/somewhere", 1);
	cr_assert_eq(sh("env", &p, &res, &err), 0);
	cr_assert_null(strstr(gate_str_text(&res.out), "secret"));
	cr_assert(strstr(gate_str_text(&res.out), "CCACHE_DIR=/somewhere"));
	cr_assert(strstr(gate_str_text(&res.out), "PATH="));
	gate_str_done(&res.out);
}

Test(proc, stops_at_once_when_gate_is_interrupted)
{
	struct gate_proc p = {0};
	struct gate_proc_result res;
	struct gate_error err;

	gate_interrupt_raise();
	cr_assert_eq(sh("sleep 60", &p, &res, &err), GATE_EINTR);
	gate_interrupt_clear();
}

Test(proc, quotes_a_command_so_that_a_shell_reads_it_back)
{
	const char *argv[] = {"make", "CC=ccache gcc", "it's", "", NULL};
	char *s = gate_proc_quote(argv);

	cr_assert_str_eq(s, "make 'CC=ccache gcc' 'it'\\''s' ''");
	free(s);
}
