/* gate report: render a stored result again. */
#include "gate/cli.h"
#include "gate/output.h"
#include "gate/result.h"

static const struct gate_cli_option options[] = {
	{"--report", GATE_CLI_VALUE, "FORMAT[=FILE]",
	 "text, markdown, junit, json; default: text"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	struct gate_result *r = NULL;
	int rc;

	rc = gate_output_check(cli, err);
	if (rc)
		return rc;
	rc = gate_result_load(cli->words[0], &r, err);
	if (!rc)
		rc = gate_output_write(cli, r, err);
	gate_result_free(r);
	return rc;
}

const struct gate_cli_command gate_cmd_report = {
	.name = "report",
	.summary = "render a stored result.json",
	.usage = "  gate report RESULT.json --report FORMAT[=FILE]...",
	.options = options,
	.min_words = 1,
	.max_words = 1,
	.run = run,
};
