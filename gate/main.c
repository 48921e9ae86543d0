/*
 * gate: does this commit make kernel crypto slower, and how sure are we?
 *
 * The program from front to back; a stage knows what comes in and nothing of
 * what follows:
 *
 *   cli.c          the command line, one table a command (cmd_*.c)
 *   config.c       gate.json -> struct gate_config, policy.c the thresholds
 *   checkout*.c    revisions -> commits -> two trees
 *   build.c        the user's build commands in each tree
 *   runners/       a built tree -> the raw log of one round
 *   rounds.c       both sides, interleaved; roundlog.c: a log's first line;
 *                  journal.c: what a run directory holds already
 *   parse.c        raw log -> samples, by ../parsers or plugin.c
 *   rename.c       names of the base -> names of the candidate
 *   pair.c         samples of both sides -> rows with one value a round
 *   stats.c        numbers -> numbers, ranks.c: without a model of the noise
 *   verdict.c      rows and policy -> verdicts, groups, suite, exit code;
 *                  judge*.c the two clocks, looks.c one test over more rounds
 *   waiver.c       what has been accepted; plan.c, selftest.c: what it takes
 *   result*.c      all of it as data, and as result.json
 *   output.c       the result through ../reporters to files
 *   pipeline.c     the order of all this for `gate run`
 *   util/          errors, memory, strings, files, processes, JSON
 */
#include <errno.h>
#include <stdio.h>

#include "gate/cli.h"
#include "gate/util/subprocess.h"

extern const struct gate_cli_command gate_cmd_run;
extern const struct gate_cli_command gate_cmd_compare;
extern const struct gate_cli_command gate_cmd_explain;
extern const struct gate_cli_command gate_cmd_selftest;
extern const struct gate_cli_command gate_cmd_parse;
extern const struct gate_cli_command gate_cmd_report;
extern const struct gate_cli_command gate_cmd_list;

const struct gate_cli_command *const gate_commands[] = {
	&gate_cmd_run,      &gate_cmd_compare,
	&gate_cmd_selftest, &gate_cmd_explain,
	&gate_cmd_parse,    &gate_cmd_report,
	&gate_cmd_list,     NULL,
};

static int dispatch(int argc, char **argv, struct gate_error *err)
{
	struct gate_cli cli;
	int rc;

	rc = gate_cli_parse(argc, argv, &cli, err);
	if (!rc && cli.help)
		gate_cli_help(&cli);
	else if (!rc && cli.version)
		puts("gate " GATE_VERSION);
	else if (!rc)
		rc = cli.command->run(&cli, err);
	gate_cli_done(&cli);
	return rc;
}

int main(int argc, char **argv)
{
	struct gate_error err;
	int rc;

	gate_interrupt_install();
	rc = dispatch(argc, argv, &err);
	if (rc < 0) {
		fprintf(stderr, "gate: %s\n", err.message);
		rc = gate_error_exit_code(err.status);
	}
	/* A full disk behind standard output must not look like success. */
	if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE) {
		fputs("gate: cannot write to standard output\n", stderr);
		rc = rc ? rc : 4;
	}
	return rc;
}
