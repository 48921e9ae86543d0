#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gate/runners/runner.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"

static char *dir, *source, *build, *log_path;
static struct gate_error err;

static void set_up(void)
{
	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
	source = gate_fs_join(dir, "s");
	build = gate_fs_join(dir, "b");
	log_path = gate_fs_join(dir, "round.log");
	cr_assert_eq(mkdir(source, 0755), 0);
	cr_assert_eq(mkdir(build, 0755), 0);
}

static void tear_down(void)
{
	cr_assert_eq(gate_fs_remove(dir, &err), 0, "%s", err.message);
	free(dir);
	free(source);
	free(build);
	free(log_path);
}

TestSuite(local_runner, .init = set_up, .fini = tear_down);

/* Measures `sh -c SCRIPT`; *log is what it left, the caller's to free. */
static int measure(const char *script, uint64_t timeout_ms,
		   struct gate_round_facts *facts, char **log)
{
	char *text = gate_strdup(script);
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, text, NULL};
	struct gate_job job = {.name = (char[]){"j"},
			       .command = argv,
			       .timeout_ms = timeout_ms};
	struct gate_tree tree = {.source = source, .build = build};
	struct gate_round_spec spec = {.round = 7, .log_path = log_path};
	struct gate_prepared *p;
	struct gate_error ignored;
	int rc;

	rc = gate_runner_local.prepare(&job, &tree, dir, &p, &err);
	cr_assert_eq(rc, 0, "%s", err.message);
	rc = gate_runner_local.measure(p, &spec, facts, &err);
	gate_runner_local.release(p);
	cr_assert_eq(gate_fs_read(log_path, 1 << 20, log, NULL, &ignored), 0);
	free(text);
	return rc;
}

Test(local_runner, keeps_what_the_command_prints)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("echo out; echo err >&2", 60000, &facts, &log), 0,
		     "%s", err.message);
	cr_assert_str_eq(log, "out\nerr\n");
	cr_assert(facts.wall_s > 0);
	cr_assert_not(facts.cached);
	free(log);
}

Test(local_runner, begins_the_log_anew)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("echo first", 60000, &facts, &log), 0);
	free(log);
	cr_assert_eq(measure("echo second", 60000, &facts, &log), 0);
	cr_assert_str_eq(log, "second\n");
	free(log);
}

Test(local_runner, runs_in_the_source_tree_and_names_the_others)
{
	struct gate_round_facts facts;
	char *log, *expected;

	cr_assert_eq(measure("pwd; echo $GATE_SOURCE $GATE_BUILD $GATE_ROUND; "
			     "test $GATE_JOBS -ge 1",
			     60000, &facts, &log),
		     0, "%s", err.message);
	expected = gate_asprintf("%s\n%s %s 7\n", source, source, build);
	cr_assert_str_eq(log, expected);
	free(expected);
	free(log);
}

Test(local_runner, shows_no_token_to_the_command)
{
	struct gate_round_facts facts;
	char *log;

	setenv("GITHUB_TOKEN", "secret-1", 1);
	setenv("CI_JOB_TOKEN", "secret-2", 1);
	cr_assert_eq(measure("env", 60000, &facts, &log), 0);
	cr_assert_not(strstr(log, "secret-"), "%s", log);
	free(log);
}

Test(local_runner, reports_the_exit_code_and_the_last_lines)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo "
			     "$i; done; "
			     "echo; exit 3",
			     60000, &facts, &log),
		     GATE_ERUN);
	cr_assert(strstr(err.message, "exited with 3"), "%s", err.message);
	cr_assert(strstr(err.message, "96 | 97 | 98 | 99 | 100"), "%s",
		  err.message);
	cr_assert_not(strstr(err.message, "95 |"), "%s", err.message);
	cr_assert(gate_str_starts(log, "1\n2\n3\n"), "the output is kept");
	free(log);
}

Test(local_runner, cleans_the_lines_that_it_quotes)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("printf '\\033[31mred\\033[0m\\r\\n"
			     "\\033]0;title\\a\\n'; exit 1",
			     60000, &facts, &log),
		     GATE_ERUN);
	cr_assert(strstr(err.message, "last lines: red | "), "%s", err.message);
	cr_assert_not(strchr(err.message, '\033'));
	cr_assert_not(strchr(err.message, '\a'));
	free(log);
}

Test(local_runner, says_when_nothing_was_printed)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("exit 1", 60000, &facts, &log), GATE_ERUN);
	cr_assert(strstr(err.message, "nothing was printed"), "%s",
		  err.message);
	free(log);
}

Test(local_runner, ends_a_command_that_takes_too_long)
{
	struct gate_round_facts facts;
	char *log;

	cr_assert_eq(measure("echo begun; exec sleep 60", 300, &facts, &log),
		     GATE_ETIMEOUT);
	cr_assert(strstr(err.message, "begun"), "%s", err.message);
	cr_assert(facts.wall_s < 30);
	free(log);
}

Test(local_runner, needs_a_command)
{
	struct gate_job job = {.name = (char[]){"j"}};

	cr_assert_eq(gate_runner_local.probe(&job, NULL, NULL, &err),
		     GATE_ECONFIG);
}

Test(local_runner, never_runs_rounds_side_by_side)
{
	struct gate_job job = {.name = (char[]){"j"}};

	cr_assert_not(gate_runner_local.parallel(&job));
}
