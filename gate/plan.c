#include "gate/plan.h"

#include <math.h>
#include <stdlib.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"

/* More than anybody waits for: shown as "over". */
static const double ROUNDS_MAX = 100000;

static bool tested(const struct gate_row *row)
{
	return row->clock == GATE_CLOCK_WALL && isfinite(row->mde) &&
	       row->pairs > 0;
}

/* What is left between the tolerated change and the threshold when the
 * resolution has taken its part, on the log scale. */
static double room(const struct gate_row *row)
{
	return log1p(row->limits.threshold) - log1p(row->limits.tolerated) -
	       row->h;
}

bool gate_plan_too_coarse(const struct gate_row *row)
{
	return tested(row) && room(row) <= 0;
}

unsigned gate_plan_rounds(const struct gate_row *row)
{
	double noise, n;

	if (!tested(row) || room(row) <= 0)
		return 0;
	noise = log1p(row->mde) - log1p(row->limits.tolerated) - row->h;
	n = ceil((double)row->pairs * pow(noise / room(row), 2) - 1e-9);
	return n > ROUNDS_MAX ? (unsigned)ROUNDS_MAX : n > 1 ? (unsigned)n : 1;
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a;
	unsigned y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

void gate_plan(struct gate_result *r)
{
	unsigned *needed = gate_calloc(r->n_rows + 1, sizeof *needed);
	struct gate_plan p = {0};
	const struct gate_row *row;
	size_t n = 0, i;

	for (i = 0; i < r->n_rows; i++) {
		row = &r->rows[i];
		if (!tested(row) || row->limits.ignore)
			continue;
		p.rows++;
		if (row->pairs > p.rounds)
			p.rounds = (unsigned)row->pairs;
		if (gate_plan_too_coarse(row)) {
			p.too_coarse++;
			continue;
		}
		needed[n] = gate_plan_rounds(row);
		p.enough += needed[n++] <= row->pairs;
	}
	if (n) {
		qsort(needed, n, sizeof *needed, ascending);
		p.half = needed[(n - 1) / 2];
		p.most = needed[n - 1];
	}
	p.present = p.rows > 0;
	r->plan = p;
	free(needed);
}

char *gate_plan_text(const struct gate_plan *p)
{
	struct gate_str s = {0};

	if (!p->present)
		return NULL;
	gate_str_addf(&s,
		      "after %u rounds: %zu of %zu rows are quiet enough to "
		      "show a slowdown of their threshold",
		      p->rounds, p->enough, p->rows);
	if (p->half)
		gate_str_addf(&s, "; half of them need %u round%s, all %u%s",
			      p->half, p->half == 1 ? "" : "s", p->most,
			      p->most >= (unsigned)ROUNDS_MAX ? " or more"
							      : "");
	if (p->too_coarse)
		gate_str_addf(&s, "; %zu are too coarse for any number",
			      p->too_coarse);
	return gate_str_steal(&s);
}
