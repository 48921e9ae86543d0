/*
 * Build: the configured commands, run in a tree.
 *
 * Each is an argument vector without a shell. The working directory is the
 * tree, and the environment is the allow-list of util/subprocess.h with
 * GATE_SOURCE, GATE_BUILD and GATE_JOBS. What was built and where is the
 * commands' affair; a runner looks below GATE_BUILD.
 */
#ifndef GATE_BUILD_H
#define GATE_BUILD_H

#include "gate/config.h"
#include "gate/util/error.h"

/*
 * Runs the commands of `b` (NULL or none: nothing to do) in the folder
 * `source`, with `build` created if need be; both absolute. What they print is
 * appended to `log_path`, each command's after a line "$ COMMAND". The first
 * that fails, or takes longer than b->timeout_ms, is GATE_EBUILD with its last
 * lines.
 */
int gate_build_run(const struct gate_build *b, const char *source,
		   const char *build, const char *log_path,
		   struct gate_error *err);

#endif
