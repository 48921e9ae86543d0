/*
 * The qemu runner, against a program that plays QEMU's part: it counts how
 * often it was started, keeps its arguments, and prints what the test put into
 * the file "console". The last test boots a real kernel, when it is told where
 * one is (GATE_TEST_KERNEL_DIR: a folder with boot/vmlinuz-* and lib/modules).
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_module.h"
#include "gate/runners/guest.h"
#include "gate/runners/runner.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"

static char *dir, *build, *log_path;
static struct gate_error err;
static struct gate_prepared *prepared;
static struct gate_round_facts facts;
static unsigned modes[] = {211};
static struct gate_job job;
static char name[] = "j", tcrypt[] = "tcrypt", cpu[] = "max";
static char image[] = "boot/vmlinuz-*", modules_glob[] = "lib/modules/*";

static const char complete[] =
	"[    1.1] gate: begin mode=211\r\n"
	"[    1.2] tcrypt: test 0 (160 bit key, 16 byte blocks): 1 operation "
	"in 700 cycles (16 bytes)\r\n"
	"[    1.3] gate: end mode=211 rc=11\r\n"
	"[    1.3] gate: guest done\r\n"
	"[    1.4] reboot: Restarting system\r\n";

static void put_tree(const char *folder)
{
	char *b = gate_fs_join(dir, folder);

	put_text(b, "boot/vmlinuz-1", "kernel");
	put_module(b, "lib/modules/1/kernel/crypto/tcrypt.ko", "depends=");
	put_module(b, "lib/modules/1/kernel/crypto/gcm.ko",
		   "alias=crypto-gcm\0alias=crypto-rfc4106\0depends=");
	put_module(b, "lib/modules/1/kernel/crypto/ghash-generic.ko",
		   "alias=crypto-ghash\0depends=gf128mul");
	put_module(b, "lib/modules/1/kernel/lib/gf128mul.ko", "depends=");
	put_module(b, "lib/modules/1/kernel/crypto/chacha_generic.ko",
		   "alias=crypto-chacha20\0depends=");
	put_text(b, "lib/modules/1/modules.builtin", "kernel/crypto/ctr.ko\n");
	free(b);
}

static void set_up(void)
{
	char *script, *bin, *path, *cache;

	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
	build = gate_fs_join(dir, "b0");
	log_path = gate_fs_join(dir, "round.log");
	cache = gate_fs_join(dir, "cache");
	setenv("GATE_CACHE", cache, 1);
	free(cache);
	put_tree("b0");
	put_text(dir, "console", complete);
	script = gate_asprintf("#!/bin/sh\n"
			       "cd '%s' || exit 99\n"
			       "[ \"$1\" = --version ] && exec cat version\n"
			       "echo >>starts\n"
			       "printf '%%s\\n' \"$@\" >args\n"
			       "cat console\n"
			       "[ -e hang ] && exec sleep 60\n"
			       "[ -e fail ] && exit 1\n"
			       "exit 0\n",
			       dir);
	put_text(dir, "version", "QEMU emulator version 9.9.9\nCopyright\n");
	put_text(dir, "bin/qemu-system-x86_64", script);
	free(script);
	bin = gate_fs_join(dir, "bin/qemu-system-x86_64");
	cr_assert_eq(chmod(bin, 0755), 0);
	free(bin);
	path = gate_asprintf("%s/bin:%s", dir, getenv("PATH"));
	setenv("PATH", path, 1);
	free(path);
	job = (struct gate_job){
		.name = name,
		.clock = GATE_CLOCK_INSTRUCTIONS,
		.bench = tcrypt,
		.modes = modes,
		.n_modes = 1,
		.type = -1,
		.mask = -1,
		.cpu = cpu,
		.memory_mb = 512,
		.image = image,
		.modules = modules_glob,
		.timeout_ms = 60000,
	};
}

static void tear_down(void)
{
	gate_runner_qemu.release(prepared);
	cr_assert_eq(gate_fs_remove(dir, &err), 0, "%s", err.message);
	free(dir);
	free(build);
	free(log_path);
}

TestSuite(qemu_runner, .init = set_up, .fini = tear_down);

static int prepare(void)
{
	char *work = gate_fs_join(dir, "work");
	struct gate_tree tree = {.source = build, .build = build};
	int rc;

	gate_runner_qemu.release(prepared);
	prepared = NULL;
	rc = gate_runner_qemu.prepare(&job, &tree, work, &prepared, &err);
	free(work);
	return rc;
}

static int measure(unsigned round)
{
	struct gate_round_spec spec = {.round = round, .log_path = log_path};

	return gate_runner_qemu.measure(prepared, &spec, &facts, &err);
}

static void prepare_and_measure(void)
{
	cr_assert_eq(prepare(), 0, "%s", err.message);
	cr_assert_eq(measure(1), 0, "%s", err.message);
}

static char *contents(const char *file)
{
	char *path = gate_fs_join(dir, file), *text;

	if (gate_fs_read(path, 64 << 20, &text, NULL, &err))
		text = gate_strdup("");
	free(path);
	return text;
}

static size_t starts(void)
{
	char *text = contents("starts");
	size_t n = strlen(text);

	free(text);
	return n;
}

static bool in_args(const char *word)
{
	char *text = contents("args");
	bool found = strstr(text, word) != NULL;

	free(text);
	return found;
}

/* The init script, out of the composed initramfs. */
static bool in_initramfs(const char *text)
{
	char *path = gate_fs_join(dir, "work/initramfs.cpio"), *data;
	size_t len;
	bool found;

	cr_assert_eq(gate_fs_read(path, 64 << 20, &data, &len, &err), 0);
	found = memmem(data, len, text, strlen(text)) != NULL;
	free(data);
	free(path);
	return found;
}

Test(qemu_runner, keeps_the_log_of_a_complete_round)
{
	char *log;

	prepare_and_measure();
	log = contents("round.log");
	cr_assert_str_eq(log, complete);
	cr_assert_str_eq(facts.accel, "tcg");
	cr_assert_not(facts.cached);
	free(log);
}

Test(qemu_runner, measures_a_round_once)
{
	char *log;

	prepare_and_measure();
	put_text(dir, "round.log", "");
	cr_assert_eq(measure(1), 0, "%s", err.message);
	cr_assert(facts.cached);
	cr_assert_eq(starts(), 1);
	log = contents("round.log");
	cr_assert_str_eq(log, complete);
	free(log);
	cr_assert_eq(measure(2), 0);
	cr_assert_not(facts.cached, "another phase");
	cr_assert_eq(starts(), 2);
}

Test(qemu_runner, knows_a_tree_again_wherever_it_lies)
{
	prepare_and_measure();
	put_tree("elsewhere");
	free(build);
	build = gate_fs_join(dir, "elsewhere");
	prepare_and_measure();
	cr_assert(facts.cached);
}

Test(qemu_runner, measures_again_when_anything_changed)
{
	prepare_and_measure();
	put_text(build, "boot/vmlinuz-1", "another kernel");
	prepare_and_measure();
	cr_assert_not(facts.cached, "the image");
	put_module(build, "lib/modules/1/kernel/crypto/gcm.ko",
		   "alias=crypto-gcm\0depends=\0x=another");
	prepare_and_measure();
	cr_assert_not(facts.cached, "a module");
	job.cpu = (char[]){"qemu64"};
	prepare_and_measure();
	cr_assert_not(facts.cached, "the processor");
	put_text(dir, "version", "QEMU emulator version 10.0\n");
	prepare_and_measure();
	cr_assert_not(facts.cached, "QEMU");
	cr_assert_eq(starts(), 5);
	prepare_and_measure();
	cr_assert(facts.cached);
}

/* The one file in the cache; caller frees. */
static char *cache_entry(void)
{
	char *rounds = gate_fs_join(dir, "cache/rounds"), *path;

	cr_assert_eq(gate_fs_glob_one(rounds, "*", &path, &err), 0, "%s",
		     err.message);
	free(rounds);
	return path;
}

Test(qemu_runner, does_not_believe_a_damaged_cache_entry)
{
	char *path, *data;
	size_t len;

	prepare_and_measure();
	path = cache_entry();
	cr_assert_eq(gate_fs_read(path, 1 << 20, &data, &len, &err), 0);
	data[len - 5] ^= 1;
	cr_assert_eq(gate_fs_write(path, data, len, &err), 0);
	cr_assert_eq(measure(1), 0);
	cr_assert_not(facts.cached);
	cr_assert_eq(starts(), 2);
	cr_assert_eq(gate_fs_write(path, data, 10, &err), 0);
	cr_assert_eq(measure(1), 0);
	cr_assert_not(facts.cached);
	cr_assert_eq(measure(1), 0);
	cr_assert(facts.cached, "the damaged entry was replaced");
	free(data);
	free(path);
}

Test(qemu_runner, measures_without_a_cache_when_there_is_no_place_for_one)
{
	setenv("GATE_CACHE", "/dev/null/nowhere", 1);
	prepare_and_measure();
	cr_assert_eq(measure(1), 0);
	cr_assert_eq(starts(), 2);
}

Test(qemu_runner, caches_nothing_by_wall_clock)
{
	job.clock = GATE_CLOCK_WALL;
	job.accel = GATE_ACCEL_TCG;
	prepare_and_measure();
	cr_assert_eq(measure(1), 0);
	cr_assert_not(facts.cached);
	cr_assert_eq(starts(), 2);
	cr_assert_not(in_args("icount"));
	cr_assert_not(in_args("gate.spin"));
}

Test(qemu_runner, counts_instructions_from_a_fixed_start)
{
	prepare_and_measure();
	cr_assert(in_args("shift=0,sleep=off"));
	cr_assert(in_args("-seed\n1\n"));
	cr_assert(in_args("base=2026-01-01,clock=vm"));
	cr_assert(in_args("nokaslr"));
	cr_assert(in_args("-accel\ntcg\n"));
	cr_assert(in_args(" gate.spin=685000\n"));
	cr_assert_eq(measure(3), 0);
	cr_assert(in_args(" gate.spin=2055000\n"));
}

Test(qemu_runner, gives_both_sides_the_same_command_line_but_for_paths)
{
	char *first, *second;

	prepare_and_measure();
	first = contents("args");
	put_tree("b1");
	free(build);
	build = gate_fs_join(dir, "b1");
	put_text(build, "boot/vmlinuz-1", "another kernel");
	prepare_and_measure();
	second = contents("args");
	cr_assert_eq(strlen(first), strlen(second));
	*strstr(second, "/b1/boot") = '\0';
	cr_assert(gate_str_starts(first, second));
	free(first);
	free(second);
}

Test(qemu_runner, hands_the_guest_the_words_of_the_job)
{
	char *words[] = {(char[]){"mitigations=off"}, (char[]){"x=y"}, NULL};

	job.append = words;
	job.memory_mb = 300;
	prepare_and_measure();
	cr_assert(in_args(" mitigations=off x=y gate.spin"));
	cr_assert(in_args("-m\n300M\n"));
}

Test(qemu_runner, refuses_a_kernel_command_line_that_would_be_cut)
{
	char word[2000];
	char *words[] = {word, NULL};

	memset(word, 'x', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	job.append = words;
	cr_assert_eq(prepare(), GATE_ECONFIG);
}

Test(qemu_runner, tells_a_panic_with_the_last_console_lines)
{
	put_text(dir, "console",
		 "\033c\033[?7l\033[2J[    0.1] one\r\n[    0.2] two\r\n"
		 "[    0.3] Kernel panic - not syncing: VFS\r\n\r\n");
	cr_assert_eq(prepare(), 0);
	cr_assert_eq(measure(1), GATE_ERUN);
	cr_assert_str_eq(err.message,
			 "the guest's kernel panicked; last console lines: "
			 "[    0.1] one | [    0.2] two | [    0.3] Kernel "
			 "panic - not syncing: VFS");
	put_text(dir, "console", complete);
	cr_assert_eq(measure(1), 0);
	cr_assert_not(facts.cached, "a failed round is not kept");
}

Test(qemu_runner, does_not_take_silence_for_a_result)
{
	put_text(dir, "console", "");
	cr_assert_eq(prepare(), 0);
	cr_assert_eq(measure(1), GATE_ERUN);
	cr_assert(strstr(err.message, "nothing was printed"), "%s",
		  err.message);
}

Test(qemu_runner, tells_that_qemu_failed)
{
	put_text(dir, "console", "qemu: could not load kernel\n");
	put_text(dir, "fail", "");
	cr_assert_eq(prepare(), 0);
	cr_assert_eq(measure(1), GATE_ERUN);
	cr_assert(strstr(err.message, "exited with 1: qemu: could not load"),
		  "%s", err.message);
}

Test(qemu_runner, ends_a_guest_that_hangs)
{
	put_text(dir, "console", "[    0.1] the last words\r\n");
	put_text(dir, "hang", "");
	job.timeout_ms = 2000;
	cr_assert_eq(prepare(), 0);
	cr_assert_eq(measure(1), GATE_ETIMEOUT);
	cr_assert(strstr(err.message, "the last words"), "%s", err.message);
	cr_assert(facts.wall_s < 30);
}

Test(qemu_runner, tells_that_the_guest_could_not_load_the_benchmark)
{
	put_text(dir, "console",
		 "gate: begin mode=211\r\ngate: end mode=211 rc=8\r\n"
		 "gate: guest done\r\n");
	cr_assert_eq(prepare(), 0);
	cr_assert_eq(measure(1), GATE_ERUN);
	cr_assert(strstr(err.message, "could not run mode=211: Exec format "
				      "error"),
		  "%s", err.message);
}

Test(qemu_runner, falls_back_from_a_kvm_that_does_not_answer)
{
	char *path;

	put_text(dir, "console", "Booting from ROM...\r\n");
	put_text(dir, "fail", "");
	job.clock = GATE_CLOCK_WALL;
	job.sec = 1;
	cr_assert_eq(prepare(), 0, "%s", err.message);
	put_text(dir, "console", complete);
	path = gate_fs_join(dir, "fail");
	cr_assert_eq(gate_fs_remove(path, &err), 0);
	free(path);
	cr_assert_eq(measure(1), 0, "%s", err.message);
	cr_assert_str_eq(facts.accel, "tcg");
	cr_assert(in_args("-accel\ntcg\n"));
}

Test(qemu_runner, uses_kvm_where_a_guest_answers)
{
	if (access("/dev/kvm", R_OK | W_OK))
		cr_skip_test("no /dev/kvm");
	job.clock = GATE_CLOCK_WALL;
	cr_assert_eq(prepare(), 0, "%s", err.message);
	cr_assert(in_args("gate.probe"));
	cr_assert_eq(measure(1), 0, "%s", err.message);
	cr_assert_str_eq(facts.accel, "kvm");
	cr_assert(in_args("-accel\nkvm\n"));
	cr_assert_not(in_args("gate.probe"));
}

Test(qemu_runner, loads_what_the_modes_measure_and_no_more)
{
	prepare_and_measure();
	cr_assert(in_initramfs("for name in gcm gf128mul ghash_generic; do"));
	cr_assert_not(in_initramfs("chacha_generic"));
	cr_assert(in_initramfs("modules/tcrypt.ko mode=211 sec=0\n"));
}

Test(qemu_runner, hands_tcrypt_its_parameters)
{
	job.alg = (char[]){"rfc4106(gcm(chacha20))"};
	job.num_mb = 4;
	job.klen = 32;
	job.type = 3;
	job.mask = 15;
	prepare_and_measure();
	cr_assert(in_initramfs("mode=211 sec=0 num_mb=4 klen=32 type=3 mask=15 "
			       "'alg=rfc4106(gcm(chacha20))'\n"));
	cr_assert(in_initramfs("modules/chacha_generic.ko"));
}

Test(qemu_runner, refuses_an_algorithm_that_would_leave_the_script)
{
	job.alg = (char[]){"x'; reboot; '"};
	cr_assert_eq(gate_guest_check(&job, &err), GATE_ECONFIG);
	job.alg = (char[]){"a b"};
	cr_assert_eq(gate_guest_check(&job, &err), GATE_ECONFIG);
}

Test(qemu_runner, loads_named_modules_too)
{
	char *load[] = {(char[]){"chacha-generic"}, NULL};

	job.load = load;
	prepare_and_measure();
	cr_assert(in_initramfs("for name in chacha_generic gcm"));
}

Test(qemu_runner, names_the_nearest_module_for_one_that_is_not_there)
{
	char *load[] = {(char[]){"chacha-genric"}, NULL};

	job.load = load;
	cr_assert_eq(prepare(), GATE_ERUN);
	cr_assert(strstr(err.message, "did you mean \"chacha_generic\""), "%s",
		  err.message);
}

Test(qemu_runner, asks_for_modules_of_a_mode_that_it_does_not_know)
{
	static unsigned odd[] = {211, 299};
	char *load[] = {(char[]){"gcm"}, NULL};

	job.modes = odd;
	job.n_modes = 2;
	cr_assert_eq(gate_guest_check(&job, &err), GATE_ECONFIG);
	cr_assert(strstr(err.message, "299") && strstr(err.message, "load"),
		  "%s", err.message);
	job.load = load;
	cr_assert_eq(gate_guest_check(&job, &err), 0);
}

Test(qemu_runner, knows_every_speed_mode_of_tcrypt)
{
	static const unsigned ranges[][2] = {{200, 205}, {207, 229}, {300, 309},
					     {313, 315}, {317, 328}, {400, 409},
					     {413, 415}, {417, 422}, {500, 509},
					     {518, 519}, {600, 610}};
	unsigned mode;
	size_t i;

	job.modes = &mode;
	for (i = 0; i < sizeof ranges / sizeof *ranges; i++)
		for (mode = ranges[i][0]; mode <= ranges[i][1]; mode++)
			cr_assert_eq(gate_guest_check(&job, &err), 0, "mode %u",
				     mode);
	for (mode = 0; mode < 200; mode++)
		cr_assert_eq(gate_guest_check(&job, &err), GATE_ECONFIG);
}

Test(qemu_runner, says_how_to_build_a_kernel_without_tcrypt)
{
	char *path = gate_fs_join(build, "lib/modules/1/kernel/crypto/"
					 "tcrypt.ko");

	cr_assert_eq(gate_fs_remove(path, &err), 0);
	free(path);
	cr_assert_eq(prepare(), GATE_ERUN);
	cr_assert(strstr(err.message, "CONFIG_CRYPTO_TEST=m"), "%s",
		  err.message);
	put_text(build, "lib/modules/1/modules.builtin",
		 "kernel/crypto/tcrypt.ko\n");
	cr_assert_eq(prepare(), GATE_ERUN);
	cr_assert(strstr(err.message, "built into this kernel"), "%s",
		  err.message);
}

Test(qemu_runner, reloads_the_calibrations_of_xor)
{
	job.bench = (char[]){"xor"};
	put_module(build, "lib/modules/1/kernel/crypto/xor.ko", "depends=");
	put_module(build, "lib/modules/1/kernel/lib/raid6/raid6_pq.ko",
		   "depends=");
	prepare_and_measure();
	cr_assert(in_initramfs("begin module=xor"));
	cr_assert(in_initramfs("begin module=raid6_pq"));
	cr_assert(in_args(" quiet "));
}

Test(qemu_runner, lets_a_built_in_calibration_speak_at_boot)
{
	job.bench = (char[]){"xor"};
	put_text(build, "lib/modules/1/modules.builtin",
		 "kernel/crypto/xor.ko\n");
	prepare_and_measure();
	cr_assert(in_args(" loglevel=7 "));
	cr_assert_not(in_args(" quiet "));
}

Test(qemu_runner, refuses_a_kernel_without_calibrations)
{
	job.bench = (char[]){"xor"};
	cr_assert_eq(prepare(), GATE_ERUN);
	cr_assert(strstr(err.message, "CONFIG_XOR_BLOCKS"), "%s", err.message);
}

Test(qemu_runner, says_what_was_looked_for_when_there_is_no_kernel)
{
	job.image = (char[]){"arch/x86/boot/bzImage"};
	cr_assert_eq(prepare(), GATE_ERUN);
	cr_assert(strstr(err.message, "kernel image") &&
			  strstr(err.message, "arch/x86/boot/bzImage"),
		  "%s", err.message);
}

Test(qemu_runner, runs_benches_and_no_commands)
{
	char *argv[] = {(char[]){"true"}, NULL};

	job.command = argv;
	cr_assert_eq(gate_runner_qemu.probe(&job, NULL, NULL, &err),
		     GATE_ECONFIG);
	cr_assert(strstr(err.message, "local"), "%s", err.message);
}

static void collect(void *ctx, const char *key, const char *value)
{
	gate_str_addf(ctx, "%s=%s;", key, value);
}

Test(qemu_runner, states_what_it_will_run_on)
{
	struct gate_str s = {0};

	cr_assert_eq(gate_runner_qemu.probe(&job, collect, &s, &err), 0, "%s",
		     err.message);
	cr_assert_str_eq(gate_str_text(&s),
			 "qemu=QEMU emulator version 9.9.9;guest cpu=max;"
			 "accel=tcg;");
	gate_str_done(&s);
}

Test(qemu_runner, names_the_package_to_install)
{
	struct gate_str s = {0};

	setenv("PATH", "/nowhere", 1);
	cr_assert_eq(gate_runner_qemu.probe(&job, collect, &s, &err),
		     GATE_ERUN);
	cr_assert(strstr(err.message, "qemu-system-x86"), "%s", err.message);
}

Test(qemu_runner, refuses_to_count_instructions_under_kvm)
{
	job.accel = GATE_ACCEL_KVM;
	cr_assert_eq(gate_runner_qemu.probe(&job, NULL, NULL, &err),
		     GATE_ECONFIG);
}

Test(qemu_runner, runs_rounds_side_by_side_only_by_instructions)
{
	cr_assert(gate_runner_qemu.parallel(&job));
	job.clock = GATE_CLOCK_WALL;
	cr_assert_not(gate_runner_qemu.parallel(&job));
}

/* Takes the program that plays QEMU out of the way. */
static void use_real_qemu(const char *kernel)
{
	char *script = gate_fs_join(dir, "bin/qemu-system-x86_64");

	cr_assert_eq(gate_fs_remove(script, &err), 0);
	free(script);
	free(build);
	build = gate_strdup(kernel);
}

Test(qemu_runner, boots_a_real_kernel_to_the_same_numbers_twice)
{
	const char *kernel = getenv("GATE_TEST_KERNEL_DIR");
	static unsigned chacha[] = {214};
	char *first, *second, *cache;

	if (!kernel)
		cr_skip_test("GATE_TEST_KERNEL_DIR is not set");
	use_real_qemu(kernel);
	job.modes = chacha;
	prepare_and_measure();
	cr_assert_not(facts.cached);
	first = contents("round.log");
	cache = gate_fs_join(dir, "cache");
	cr_assert_eq(gate_fs_remove(cache, &err), 0);
	cr_assert_eq(measure(1), 0, "%s", err.message);
	cr_assert_not(facts.cached);
	second = contents("round.log");
	cr_assert(strstr(first, "testing speed of sync chacha20 ("));
	cr_assert(strstr(first, "1 operation in "));
	cr_assert_str_eq(first, second);
	free(first);
	free(second);
	free(cache);
}

Test(qemu_runner, tells_why_a_real_kernel_did_not_get_far)
{
	const char *kernel = getenv("GATE_TEST_KERNEL_DIR");
	char *append[] = {(char[]){"rdinit=/no/such/init"},
			  (char[]){"root=none"}, NULL};

	if (!kernel)
		cr_skip_test("GATE_TEST_KERNEL_DIR is not set");
	use_real_qemu(kernel);
	job.append = append;
	cr_assert_eq(prepare(), 0, "%s", err.message);
	cr_assert_eq(measure(1), GATE_ERUN);
	cr_assert(strstr(err.message, "the guest's kernel panicked; last "
				      "console lines: "),
		  "%s", err.message);
}
