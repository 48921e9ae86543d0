#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "fake_module.h"
#include "gate/runners/runner.h"
#include "gate/util/fs.h"

static char *dir, *log_path;
static struct gate_error err;
static struct gate_prepared *prepared;

static void set_up(void)
{
	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
	log_path = gate_fs_join(dir, "out/round.log");
	put_text(dir, "out/keep", "");
}

static void tear_down(void)
{
	gate_runner_replay.release(prepared);
	cr_assert_eq(gate_fs_remove(dir, &err), 0, "%s", err.message);
	free(dir);
	free(log_path);
}

TestSuite(replay_runner, .init = set_up, .fini = tear_down);

static void prepare(void)
{
	char *logs = gate_fs_join(dir, "logs");
	struct gate_tree tree = {.replay = logs};
	struct gate_job job = {.name = (char[]){"j"}};

	cr_assert_eq(
		gate_runner_replay.prepare(&job, &tree, dir, &prepared, &err),
		0, "%s", err.message);
	free(logs);
}

static int measure(unsigned round)
{
	struct gate_round_spec spec = {.round = round, .log_path = log_path};
	struct gate_round_facts facts;

	return gate_runner_replay.measure(prepared, &spec, &facts, &err);
}

static void assert_log(const char *expected)
{
	char *log;

	cr_assert_eq(gate_fs_read(log_path, 1 << 20, &log, NULL, &err), 0);
	cr_assert_str_eq(log, expected);
	free(log);
}

Test(replay_runner, takes_the_files_by_name)
{
	put_text(dir, "logs/round-02.log", "two\n");
	put_text(dir, "logs/round-10.log", "ten\n");
	put_text(dir, "logs/round-01.log", "one\n");
	put_text(dir, "logs/.hidden", "no\n");
	put_text(dir, "logs/folder/inner.log", "no\n");
	prepare();
	cr_assert_eq(measure(3), 0, "%s", err.message);
	assert_log("ten\n");
	cr_assert_eq(measure(1), 0);
	assert_log("one\n");
	cr_assert_eq(measure(2), 0);
	assert_log("two\n");
}

Test(replay_runner, takes_off_the_line_of_facts)
{
	put_text(dir, "logs/a.log",
		 "# gate-round side=base round=4 clock=wall job=x\nbody\n");
	prepare();
	cr_assert_eq(measure(1), 0, "%s", err.message);
	assert_log("body\n");
}

Test(replay_runner, keeps_bytes_as_they_are)
{
	put_file(dir, "logs/a.log", "a\0b\r\n", 5);
	prepare();
	cr_assert_eq(measure(1), 0);
	{
		char *log;
		size_t len;

		cr_assert_eq(gate_fs_read(log_path, 100, &log, &len, &err), 0);
		cr_assert_eq(len, 5);
		cr_assert_eq(memcmp(log, "a\0b\r\n", 5), 0);
		free(log);
	}
}

Test(replay_runner, says_how_many_rounds_there_are)
{
	put_text(dir, "logs/a.log", "x\n");
	put_text(dir, "logs/b.log", "x\n");
	prepare();
	cr_assert_eq(measure(3), GATE_ENODATA);
	cr_assert(strstr(err.message, "holds 2 rounds"), "%s", err.message);
	cr_assert_eq(measure(0), GATE_ENODATA);
}

Test(replay_runner, refuses_a_folder_that_is_not_there)
{
	struct gate_tree tree = {.replay = "/no/such/folder"};
	struct gate_job job = {.name = (char[]){"j"}};

	cr_assert_eq(
		gate_runner_replay.prepare(&job, &tree, dir, &prepared, &err),
		GATE_ESYS);
	cr_assert(strstr(err.message, "/no/such/folder"));
}

Test(replay_runner, needs_a_folder_for_each_side)
{
	struct gate_job job = {.name = (char[]){"j"},
			       .logs = {(char[]){"a"}, NULL}};

	cr_assert_eq(gate_runner_replay.probe(&job, NULL, NULL, &err),
		     GATE_ECONFIG);
}
