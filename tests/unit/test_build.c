#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gate/build.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/subprocess.h"

static char *top; /* of everything a test makes */
static char *source, *build, *log_path;

static void set_up(void)
{
	struct gate_error err;

	cr_assert_eq(gate_fs_mkdtemp("gate-test", &top, &err), 0);
	source = gate_fs_join(top, "w0");
	build = gate_fs_join(top, "b0");
	log_path = gate_fs_join(top, "build.log");
	cr_assert_eq(mkdir(source, 0755), 0);
}

static void tear_down(void)
{
	struct gate_error err;

	cr_assert_eq(gate_fs_remove(top, &err), 0, "%s", err.message);
	free(top);
	free(source);
	free(build);
	free(log_path);
}

TestSuite(build, .init = set_up, .fini = tear_down);

/* Runs `n` commands with a limit of `timeout_ms`. */
static int run(struct gate_error *err, gate_argv *commands, size_t n,
	       uint64_t timeout_ms)
{
	struct gate_build b = {.commands = commands,
			       .n_commands = n,
			       .cap_commands = n,
			       .timeout_ms = timeout_ms};

	*err = (struct gate_error){0};
	return gate_build_run(&b, source, build, log_path, err);
}

/* Runs `sh -c SCRIPT`. */
static int run_script(struct gate_error *err, const char *script)
{
	char *text = gate_strdup(script);
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, text, NULL};
	int rc = run(err, (gate_argv[]){argv}, 1, 60000);

	free(text);
	return rc;
}

static char *read_log(void)
{
	struct gate_error err;
	char *text = NULL;

	cr_assert_eq(gate_fs_read(log_path, 1 << 20, &text, NULL, &err), 0,
		     "%s", err.message);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	cr_assert(strstr(text, part), "no '%s' in: %s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	cr_assert_not(strstr(text, part), "'%s' in: %s", part, text);
}

static void write_program(const char *name, const char *text, mode_t mode)
{
	char *path = gate_fs_join(source, name);
	struct gate_error err;

	cr_assert_eq(gate_fs_write(path, text, strlen(text), &err), 0, "%s",
		     err.message);
	cr_assert_eq(chmod(path, mode), 0);
	free(path);
}

Test(build, of_nothing_succeeds)
{
	struct gate_error err = {0};

	cr_assert_eq(gate_build_run(NULL, source, build, log_path, &err), 0);
	cr_assert_eq(run(&err, NULL, 0, 0), 0);
	cr_assert_not(gate_fs_exists(log_path));
}

Test(build, runs_commands_in_order_in_the_tree)
{
	char *one[] = {(char[]){"sh"}, (char[]){"-c"},
		       (char[]){"pwd && echo 1 >made"}, NULL};
	char *two[] = {(char[]){"cat"}, (char[]){"made"}, NULL};
	struct gate_error err;
	char *want, *got;

	cr_assert_eq(run(&err, (gate_argv[]){one, two}, 2, 60000), 0, "%s",
		     err.message);
	got = read_log();
	want = gate_asprintf("$ sh -c 'pwd && echo 1 >made'\n%s\n$ cat made\n"
			     "1\n",
			     source);
	cr_assert_str_eq(got, want);
	free(want);
	free(got);
}

Test(build, appends_to_the_log)
{
	struct gate_error err;
	char *got;

	cr_assert_eq(run_script(&err, "echo first"), 0);
	cr_assert_eq(run_script(&err, "echo second >&2"), 0);
	got = read_log();
	cr_assert_str_eq(got, "$ sh -c 'echo first'\nfirst\n"
			      "$ sh -c 'echo second >&2'\nsecond\n");
	free(got);
}

Test(build, tells_commands_where_and_how_wide_to_build)
{
	struct gate_error err;
	char *got, *want;

	cr_assert_eq(run_script(&err, "echo \"$GATE_SOURCE $GATE_BUILD\" && "
				      "test -d \"$GATE_BUILD\" && "
				      "test \"$GATE_JOBS\" = \"$(nproc)\""),
		     0, "%s", err.message);
	got = read_log();
	want = gate_asprintf("\n%s %s\n", source, build);
	assert_has(got, want);
	free(got);
	free(want);
}

Test(build, shows_commands_no_token)
{
	struct gate_error err;
	char *got;

	setenv("GITHUB_TOKEN", "secret-value", 1);
	setenv("CI_JOB_TOKEN", "secret-value", 1);
	cr_assert_eq(run_script(&err, "env"), 0);
	got = read_log();
	assert_has(got, "GATE_SOURCE=");
	assert_has_not(got, "secret-value");
	free(got);
}

Test(build, does_not_find_a_repository_above_the_tree)
{
	struct gate_error err;
	char *line = gate_asprintf("git init -q %s", top);

	cr_assert_eq(system(line), 0);
	free(line);
	cr_assert_eq(run_script(&err, "git rev-parse --git-dir"), GATE_EBUILD);
	assert_has(err.message, "not a git repository");
}

Test(build, stops_at_the_first_failure_and_shows_its_last_lines)
{
	char *one[] = {(char[]){"sh"}, (char[]){"build.sh"}, NULL};
	char *two[] = {(char[]){"touch"}, (char[]){"second"}, NULL};
	struct gate_error err;
	char *second;

	write_program("build.sh",
		      "for i in 1 2 3 4 5 6 7; do echo line $i; echo; done\n"
		      "exit 2\n",
		      0644);
	cr_assert_eq(run(&err, (gate_argv[]){one, two}, 2, 60000), GATE_EBUILD);
	assert_has(err.message, "build command 'sh build.sh' exited 2; last "
				"lines: line 3 | line 4 | line 5 | line 6 | "
				"line 7 (log: ");
	assert_has(err.message, log_path);
	second = gate_fs_join(source, "second");
	cr_assert_not(gate_fs_exists(second));
	free(second);
}

Test(build, cleans_the_lines_that_it_shows)
{
	struct gate_error err;

	cr_assert_eq(run_script(&err, "printf '\\033[31mred\\033[0m\\n"
				      "10%%\\r50%%\\rdone\\r\\n"
				      "\\tta\\bb\\001s \\n"
				      "bad\\377byte\\n"
				      "::error::x'; exit 1"),
		     GATE_EBUILD);
	assert_has(err.message, "last lines: red | done |  tabs | "
				"bad\xef\xbf\xbd"
				"byte | ::error::x (log");
}

Test(build, bounds_what_it_shows_of_a_huge_log)
{
	struct gate_error err;

	cr_assert_eq(run_script(&err, "yes xxxxxxxx | head -c 1000000 | "
				      "tr -d '\\n'; echo; echo end; exit 1"),
		     GATE_EBUILD);
	assert_has(err.message, "x | end (log");
	cr_assert_lt(strlen(err.message), 1000);
}

Test(build, shows_nothing_of_the_command_before)
{
	char *one[] = {(char[]){"echo"}, (char[]){"before"}, NULL};
	char *two[] = {(char[]){"false"}, NULL};
	struct gate_error err;

	cr_assert_eq(run(&err, (gate_argv[]){one, two}, 2, 60000), GATE_EBUILD);
	assert_has(err.message,
		   "build command 'false' exited 1; it printed nothing (log");
}

Test(build, says_which_signal_ended_a_command)
{
	struct gate_error err;

	cr_assert_eq(run_script(&err, "kill -SEGV $$"), GATE_EBUILD);
	assert_has(err.message, "was ended by signal 11 (Segmentation fault)");
}

Test(build, ends_a_command_at_its_time_limit)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
			(char[]){"echo begun; sleep 60 & wait"}, NULL};
	struct timespec before, after;
	struct gate_error err;

	clock_gettime(CLOCK_MONOTONIC, &before);
	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 500), GATE_EBUILD);
	clock_gettime(CLOCK_MONOTONIC, &after);
	cr_assert_lt(after.tv_sec - before.tv_sec, 20);
	assert_has(err.message,
		   "did not end within 0.5 s; last lines: begun (log");
}

Test(build, names_a_program_that_is_not_in_path)
{
	char *argv[] = {(char[]){"no-such-compiler"}, NULL};
	struct gate_error err;

	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 60000), GATE_EBUILD);
	assert_has(err.message, "'no-such-compiler' is not in PATH");
}

Test(build, finds_a_program_of_the_tree)
{
	char *argv[] = {(char[]){"./configure"}, NULL};
	struct gate_error err;

	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 60000), GATE_EBUILD);
	assert_has(err.message, "'./configure': No such file");
	write_program("configure", "#!/bin/sh\necho configured\n", 0644);
	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 60000), GATE_EBUILD);
	assert_has(err.message, "'./configure': Permission denied");
	write_program("configure", "#!/bin/sh\necho configured\n", 0755);
	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 60000), 0, "%s",
		     err.message);
}

Test(build, calls_a_program_that_cannot_start_a_build_failure)
{
	char *argv[] = {(char[]){"./tool"}, NULL};
	const char *valgrind = getenv("GATE_VALGRIND");
	struct gate_error err;

	/* valgrind runs the program itself and so hides that exec fails. */
	if (valgrind && !strcmp(valgrind, "1"))
		cr_skip_test("valgrind answers for exec");
	write_program("tool", "#!/no/such/interpreter\n", 0755);
	cr_assert_eq(run(&err, (gate_argv[]){argv}, 1, 60000), GATE_EBUILD);
	cr_assert_eq(err.status, GATE_EBUILD);
	assert_has(err.message, "build command './tool': cannot run");
}

Test(build, stops_when_it_is_asked_to)
{
	struct gate_error err;

	gate_interrupt_raise();
	cr_assert_eq(run_script(&err, "echo x"), GATE_EINTR);
	gate_interrupt_clear();
}
