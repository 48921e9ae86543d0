/*
 * The procedure on made-up rounds: the verdict stage of the program itself, on
 * rows as pairing leaves them.
 */
#ifndef GATE_SIM_PROCEDURE_H
#define GATE_SIM_PROCEDURE_H

#include <stdbool.h>

#include "gate/result.h"
#include "noise.h"

/* Rows without names of their own: SIM_ROWS of one job, or a job a group. */
struct gate_result *sim_result_new(bool job_a_group);
/* Shows the first `rounds` rounds of row i. */
void sim_result_fill(struct gate_result *r, size_t i, const double *base,
		     const double *candidate, size_t rounds);

/* What came of one gate. */
struct sim_outcome {
	bool rows, groups, suite; /* blocked by which */
	unsigned rounds;          /* when it ended */
	double row_rounds;        /* rounds of a row, on average */
	const struct gate_result *result;
};

/* All looks, as gate run takes them. The result is the caller's to look at
 * until the next call, which uses it again. */
void sim_run(struct gate_result *r, const struct sim_data *data,
	     struct sim_outcome *ret);

#endif
