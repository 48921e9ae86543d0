/* gate run: check out, build, measure, decide, report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/cli.h"
#include "gate/output.h"
#include "gate/cmd_run.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

static const struct gate_cli_option options[] = {
	{"--repo", GATE_CLI_VALUE, "DIR", "the repository; default: here"},
	{"--base", GATE_CLI_VALUE, "REV",
	 "what to compare with; default: the merge base"},
	{"--candidate", GATE_CLI_VALUE, "REV", "what to judge; default: HEAD"},
	{"--config", GATE_CLI_VALUE, "FILE",
	 "default: gate.json of the base commit"},
	{"--job", GATE_CLI_VALUE, "NAME", "only this job; may be repeated"},
	{"--rounds", GATE_CLI_VALUE, "N", "at most this many rounds"},
	{"--budget", GATE_CLI_VALUE, "DURATION",
	 "begin no round after this time, like 30m"},
	{"--run-dir", GATE_CLI_VALUE, "DIR",
	 "where logs and results go; what is there of the same test goes on"},
	{"--resume", GATE_CLI_FLAG, NULL,
	 "refuse a --run-dir that holds no run to go on with"},
	{"--waivers", GATE_CLI_VALUE, "FILE",
	 "default: gate-waivers.json of the base commit"},
	{"--report", GATE_CLI_VALUE, "FORMAT[=FILE]",
	 "text, markdown, junit, json; default: text"},
	{"--untrusted", GATE_CLI_FLAG, NULL,
	 "let the candidate configure nothing"},
	{"--trust-repo", GATE_CLI_FLAG, NULL,
	 "open a repository that somebody else owns"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

/* RUN/result.json is always there: every later stage can start from it. */
static int store_result(const struct gate_result *r, const char *run_dir,
			struct gate_error *err)
{
	char *path = gate_fs_join(run_dir, "result.json");
	char *json = gate_result_json(r);
	int rc;

	rc = gate_fs_write(path, json, strlen(json), err);
	free(json);
	free(path);
	return rc;
}

int gate_run_options(const struct gate_cli *cli, struct gate_run_opts *o,
		     struct gate_error *err)
{
	const char *budget = gate_cli_value(cli, "--budget", NULL);
	int rc;

	*o = (struct gate_run_opts){
		.repo = gate_cli_value(cli, "--repo", "."),
		.base = gate_cli_value(cli, "--base", NULL),
		.candidate = gate_cli_value(cli, "--candidate", NULL),
		.config = gate_cli_value(cli, "--config", NULL),
		.run_dir = gate_cli_value(cli, "--run-dir", NULL),
		.resume = gate_cli_has(cli, "--resume"),
		.waivers = gate_cli_value(cli, "--waivers", NULL),
		.trust_repo = gate_cli_has(cli, "--trust-repo"),
		.untrusted = gate_cli_has(cli, "--untrusted"),
	};
	/* An unset variable in a pipeline, as a rule. */
	if (o->run_dir && !*o->run_dir)
		return gate_error_set(err, GATE_EUSAGE, "--run-dir is empty");
	if (o->resume && !o->run_dir)
		return gate_error_set(err, GATE_EUSAGE,
				      "--resume needs --run-dir DIR");
	rc = gate_cli_uint(cli, "--rounds", 1, 1000, &o->rounds, err);
	if (!rc && budget &&
	    (!gate_num_duration_ms(budget, &o->budget_ms) || !o->budget_ms))
		rc = gate_error_set(err, GATE_EUSAGE,
				    "--budget is \"%s\", but must be a "
				    "duration like \"90s\" or \"30m\"",
				    budget);
	return rc ? rc : gate_output_check(cli, err);
}

static int report(const struct gate_cli *cli, const struct gate_result *r,
		  const char *run_dir,
		  void (*more)(const struct gate_cli *cli,
			       const struct gate_result *r),
		  struct gate_error *err)
{
	/* What more there is to say takes the text report's place. */
	bool reports =
		!more || gate_cli_has(cli, "--report") || !r->selftest.present;
	int rc = GATE_OK;

	if (run_dir)
		rc = store_result(r, run_dir, err);
	if (!rc && reports)
		rc = gate_output_write(cli, r, err);
	if (!rc && more)
		more(cli, r);
	if (run_dir && !cli->quiet)
		fprintf(stderr, "gate: logs and results are in %s\n", run_dir);
	return rc;
}

int gate_run_command(const struct gate_cli *cli, struct gate_run_opts *o,
		     void (*more)(const struct gate_cli *cli,
				  const struct gate_result *r),
		     struct gate_error *err)
{
	struct gate_result *result = NULL;
	struct gate_error late;
	char *run_dir = NULL;
	int rc;

	o->jobs = gate_cli_values(cli, "--job", &o->n_jobs);
	o->progress = gate_progress_new(cli->quiet, cli->no_progress);
	rc = gate_pipeline_run(o, &result, &run_dir, err);
	gate_progress_free(o->progress);
	if (result) {
		int said = report(cli, result, run_dir, more, &late);

		if (!rc && said) {
			*err = late;
			rc = said;
		} else if (!rc) {
			rc = result->exit_code;
			/* Every exit 4 has a line there, also the rows'. */
			if (rc == 4)
				fprintf(stderr, "gate: %s\n", result->reason);
		}
	}
	gate_result_free(result);
	free(run_dir);
	free(o->jobs);
	return rc;
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	struct gate_run_opts o;
	int rc;

	rc = gate_run_options(cli, &o, err);
	return rc ? rc : gate_run_command(cli, &o, NULL, err);
}

const struct gate_cli_command gate_cmd_run = {
	.name = "run",
	.summary = "measure two commits and decide",
	.usage = "  gate run [--base REV] [--candidate REV] [options]",
	.options = options,
	.max_words = 0,
	.run = run,
};
