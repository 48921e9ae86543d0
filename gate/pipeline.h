/*
 * The pipeline of `gate run`: checkout, build, rounds, parse, pair, decide.
 *
 * Each stage is a module of its own and knows nothing of the next; this one
 * knows their order and carries data from one to the other.
 */
#ifndef GATE_PIPELINE_H
#define GATE_PIPELINE_H

#include "gate/progress.h"
#include "gate/result.h"

struct gate_run_opts {
	const char *repo;      /* where to look for the repository */
	const char *base;      /* NULL: chosen */
	const char *candidate; /* revision */
	const char *config;    /* a file; NULL: from the commits */
	const char **jobs;     /* only these */
	size_t n_jobs;
	/* NULL: below the cache. One that holds rounds of the same test goes
	 * on; of another, it is GATE_EUSAGE. */
	const char *run_dir;
	bool resume;         /* there must be something to go on with */
	const char *waivers; /* a file; NULL: from the commits */
	bool selftest;       /* take all rounds, then gate_selftest() */
	bool trust_repo;
	bool untrusted;     /* nothing is configured by the candidate */
	unsigned rounds;    /* most rounds; 0: as configured */
	uint64_t budget_ms; /* 0: as configured */
	struct gate_progress *progress;
};

/*
 * Runs everything and leaves a concluded result. When a stage could not do its
 * work, returns its status; *ret then still says what is known (commits, jobs)
 * and that nothing was decided, so that every report can say it too. *ret is
 * NULL only when not even the configuration could be read.
 *
 * After wrong usage *ret and *run_dir are NULL too. The caller frees both.
 */
int gate_pipeline_run(const struct gate_run_opts *opts,
		      struct gate_result **ret, char **run_dir,
		      struct gate_error *err);

#endif
