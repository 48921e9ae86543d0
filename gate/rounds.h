/*
 * Rounds: probing, preparing and measuring both sides in interleaved order.
 *
 * By wall clock one round at a time, base first in odd rounds and candidate
 * first in even ones (ABBA), so that a drift of the machine cancels. Under the
 * instruction clock rounds do not disturb each other and run on all cores.
 * Each round leaves a log that begins with its facts. What the logs say is for
 * the parsers.
 */
#ifndef GATE_ROUNDS_H
#define GATE_ROUNDS_H

#include <stdbool.h>

#include "gate/config.h"
#include "gate/journal.h"
#include "gate/progress.h"
#include "gate/result.h"
#include "gate/runners/runner.h"

struct gate_rounds_opts {
	const struct gate_config *config;
	const bool *wanted;        /* a job; NULL: all */
	struct gate_tree trees[2]; /* [GATE_BASE], [GATE_CANDIDATE] */
	const char *run_dir;
	/* Rounds that it holds are not measured again; each one that is
	 * measured goes there. */
	struct gate_journal *journal;
	struct gate_progress *progress;
};

struct gate_session;

/*
 * Prepares both sides of every wanted job, whose runner was probed. Facts of
 * the host go to `result`. gate_session_free() ends it, also half-way.
 */
int gate_session_open(const struct gate_rounds_opts *opts,
		      struct gate_result *result, struct gate_session **ret,
		      struct gate_error *err);
void gate_session_free(struct gate_session *s); /* NULL is fine */

/*
 * Measures rounds from..to (inclusive) of the jobs whose `active` is set and
 * whose clock is `clock`. Stops after `deadline_s` (CLOCK_MONOTONIC seconds; 0:
 * none) at the end of a whole round, and says in *reached how far it came.
 */
int gate_session_measure(struct gate_session *s, const bool *active,
			 enum gate_clock clock, unsigned from, unsigned to,
			 double deadline_s, unsigned *reached,
			 struct gate_error *err);

/* Where the log of a round is: RUN/SIDE/JOB/round-NNN.log. Caller frees. */
char *gate_round_path(const char *run_dir, enum gate_side side, const char *job,
		      unsigned round);
/* A job's parameters as one line, the same for both sides. Caller frees. */
char *gate_job_params(const struct gate_job *job);

#endif
