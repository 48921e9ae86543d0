/*
 * Noise: what benchmarks would print if the truth were known.
 *
 * All values are logarithms of time per operation. A family is a suite of 300
 * rows in 12 groups: what a round does to all rows of a side, to a group of
 * them, and to each alone. A kind is noise of single rows, each with a machine
 * of its own that drifts or not while the rounds run in ABBA order.
 */
#ifndef GATE_SIM_NOISE_H
#define GATE_SIM_NOISE_H

#include <stddef.h>

#include "random.h"

enum {
	SIM_GROUPS = 12,
	SIM_GROUP_ROWS = 25,
	SIM_ROWS = SIM_GROUPS * SIM_GROUP_ROWS,
	SIM_ROUNDS = 30
};

struct sim_family {
	const char *name;
	double common_sd, group_sd; /* of a round */
	double row_sd;              /* the median over rows */
	double spread;              /* of its logarithm */
	double hit;                 /* share of values that are slowed ... */
	double hit_from, hit_to;    /* by so much */
};

extern const struct sim_family sim_quiet, sim_clean, sim_contaminated,
	sim_noisy, sim_bimodal;

/* One suite measured: [side][row][round]. */
struct sim_data {
	double value[2][SIM_ROWS][SIM_ROUNDS];
};

/* `effect` is each row's true one; boot_sd, of each row and side, stays the
 * same in all rounds. */
void sim_family_measure(const struct sim_family *f, const double *effect,
			double boot_sd, struct sim_random *random,
			struct sim_data *ret);

enum sim_kind {
	SIM_LOGNORMAL,
	SIM_CONTAMINATED,
	SIM_BIMODAL,
	SIM_AR1,
	SIM_LINEAR,
	SIM_STEP,
	SIM_HEAVY,
	SIM_BOOT,
	SIM_KINDS
};

const char *sim_kind_name(enum sim_kind k);
/* `rounds` values a side of one row. */
void sim_kind_measure(enum sim_kind k, size_t rounds, struct sim_random *random,
		      double *base, double *candidate);

/* The least of five timings of `ticks` ticks, in whole ticks. */
double sim_ticks(double ticks, struct sim_random *random);

#endif
