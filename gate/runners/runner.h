/*
 * Runners: where a round happens.
 *
 * A runner is a table of operations. The pipeline probes it, prepares both
 * trees, and then asks for rounds in the order that it wants, possibly several
 * at once; "all of base, then all of candidate" cannot be written by accident.
 * A runner leaves a raw log and says how the round went; it does not read what
 * the benchmark printed.
 */
#ifndef GATE_RUNNER_H
#define GATE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/config.h"
#include "gate/util/error.h"
#include "gate/util/str.h"

/* One side's tree, ready to be measured. Its paths do not say which side. */
struct gate_tree {
	const char *source; /* the checked out tree */
	const char *build;  /* GATE_BUILD: where the build put its products */
	const char *replay; /* the replay runner: this side's stored rounds */
};

/* What one round is. */
struct gate_round_spec {
	unsigned round;       /* 1-based */
	const char *log_path; /* the runner writes the raw log here, whole */
};

/* How one round went. */
struct gate_round_facts {
	double wall_s;
	double cpu_s;
	bool cached; /* the log came from the cache */
	/* "kvm" or "tcg"; NULL where there is no guest. Borrowed. */
	const char *accel;
};

struct gate_prepared; /* a runner's own */

struct gate_runner {
	const char *name; /* "qemu" */
	const char *description;
	/*
	 * Does this machine have what the job needs? GATE_ERUN with the
	 * package to install otherwise. Adds facts for the host fingerprint
	 * ("qemu", "QEMU emulator version ...") by calling fact().
	 */
	int (*probe)(const struct gate_job *job,
		     void (*fact)(void *ctx, const char *key,
				  const char *value),
		     void *ctx, struct gate_error *err);
	/*
	 * Makes one side ready: composes what the rounds share. `work` is a
	 * folder for it alone. *ret is freed by release().
	 */
	int (*prepare)(const struct gate_job *job, const struct gate_tree *tree,
		       const char *work, struct gate_prepared **ret,
		       struct gate_error *err);
	/*
	 * One round. Called from several threads at once when the job says
	 * that rounds may run in parallel (parallel()). A round that could not
	 * be measured is GATE_ERUN or GATE_ETIMEOUT, with the last console
	 * lines in err, and its log stays where it is.
	 */
	int (*measure)(const struct gate_prepared *p,
		       const struct gate_round_spec *spec,
		       struct gate_round_facts *facts, struct gate_error *err);
	/* May rounds of this job run side by side without disturbing each
	 * other? Only when the clock does not see the other. */
	bool (*parallel)(const struct gate_job *job);
	void (*release)(struct gate_prepared *p);
};

extern const struct gate_runner gate_runner_qemu;
extern const struct gate_runner gate_runner_local;
extern const struct gate_runner gate_runner_replay;

/* All of them; ends with NULL. */
extern const struct gate_runner *const gate_runners[];
const struct gate_runner *gate_runner_find(const char *name);

#endif
