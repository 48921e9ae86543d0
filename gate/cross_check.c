/* The rank statistics that stand beside a verdict. */
#include "gate/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "gate/judge.h"
#include "gate/ranks.h"
#include "gate/util/mem.h"

/* Rounds beyond which all their differences would be too many. */
enum { MOST_ROUNDS = 400 };

/* Logarithms of the usable values, larger when slower. */
static size_t slowness(const struct gate_row *row,
		       const struct gate_row_side *side, double *ret)
{
	double sign = row->better == GATE_HIGHER ? -1 : 1;
	size_t n = 0;
	size_t i;

	for (i = 0; i < side->n; i++)
		if (gate_judge_usable(side->values[i]))
			ret[n++] = sign * log(side->values[i]);
	return n;
}

/* The effect in each round that is usable on both sides. */
static size_t effects(const struct gate_row *row, double *ret)
{
	const struct gate_row_side *b = &row->base;
	const struct gate_row_side *c = &row->candidate;
	size_t i = 0, k = 0, n = 0;

	while (i < b->n && k < c->n) {
		if (b->rounds[i] < c->rounds[k]) {
			i++;
		} else if (b->rounds[i] > c->rounds[k]) {
			k++;
		} else {
			if (gate_judge_usable(b->values[i]) &&
			    gate_judge_usable(c->values[k]))
				ret[n++] = gate_judge_effect(row->better,
							     b->values[i],
							     c->values[k]);
			i++;
			k++;
		}
	}
	return n;
}

static void cross_check(struct gate_row *row, struct gate_ranks_null *null)
{
	double *x = gate_calloc(row->base.n + 1, sizeof *x);
	double *y = gate_calloc(row->candidate.n + 1, sizeof *y);
	double *d = gate_calloc(row->base.n + 1, sizeof *d);
	size_t n = slowness(row, &row->base, x);
	size_t m = slowness(row, &row->candidate, y);
	size_t k = effects(row, d);
	struct gate_ranks_shift shift;

	if (n > 1 && m > 1 && n <= MOST_ROUNDS && m <= MOST_ROUNDS) {
		row->p_mw = gate_ranks_mann_whitney(null, x, n, y, m).p;
		shift = gate_ranks_shift(null, x, n, y, m, GATE_INTERVAL);
		row->hl = expm1(shift.at);
		row->hl_ci[0] = expm1(shift.ci[0]);
		row->hl_ci[1] = expm1(shift.ci[1]);
	}
	if (k > 1)
		row->p_sr = gate_ranks_signed(d, k).p;
	free(x);
	free(y);
	free(d);
}

void gate_cross_check(struct gate_result *r)
{
	struct gate_ranks_null null = {0};
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		if (r->rows[i].clock == GATE_CLOCK_WALL &&
		    r->rows[i].verdict != GATE_V_INCOMPARABLE)
			cross_check(&r->rows[i], &null);
	gate_ranks_null_done(&null);
}
