/*
 * What `gate run` and `gate selftest` share: from options to reports.
 */
#ifndef GATE_CMD_RUN_H
#define GATE_CMD_RUN_H

#include "gate/cli.h"
#include "gate/pipeline.h"

/* Options of both, without jobs and progress. GATE_EUSAGE. */
int gate_run_options(const struct gate_cli *cli, struct gate_run_opts *o,
		     struct gate_error *err);
/*
 * Runs the pipeline, stores RUN/result.json and writes the reports; `more`,
 * when it is not NULL, then prints what else there is to say. Returns what the
 * command returns.
 */
int gate_run_command(const struct gate_cli *cli, struct gate_run_opts *o,
		     void (*more)(const struct gate_cli *cli,
				  const struct gate_result *r),
		     struct gate_error *err);

#endif
