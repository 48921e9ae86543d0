#include "gate/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"

/* From so many rounds on a row may be parked. */
enum { PARKING = 10 };

void gate_looks_init(struct gate_looks *l, enum gate_clock clock, unsigned min,
		     unsigned max)
{
	*l = (struct gate_looks){.clock = clock,
				 .min = min,
				 .max = max,
				 .before = gate_past_new(),
				 .after = gate_past_new()};
}

void gate_looks_done(struct gate_looks *l)
{
	gate_past_free(l->before);
	gate_past_free(l->after);
}

unsigned gate_looks_next(const struct gate_looks *l)
{
	static const unsigned wall[] = {6, 10, 15, 20, 30};
	static const unsigned exact[] = {3, 6, 10};
	bool is_wall = l->clock == GATE_CLOCK_WALL;
	const unsigned *steps = is_wall ? wall : exact;
	size_t n = is_wall ? sizeof wall / sizeof *wall
			   : sizeof exact / sizeof *exact;
	unsigned first = l->min;
	size_t i;

	/* A look by wall clock at fewer could decide nothing. */
	if (is_wall && first < wall[0])
		first = wall[0];
	if (l->rounds < first)
		return first < l->max ? first : l->max;
	for (i = 0; i < n; i++)
		if (steps[i] > l->rounds && steps[i] < l->max)
			return steps[i];
	return l->max;
}

void gate_looks_decide(struct gate_looks *l, struct gate_result *r,
		       unsigned rounds, bool last)
{
	struct gate_past *swap = l->before;

	/* Nothing was measured since: the same look, and nothing to spend. */
	if (rounds == l->rounds && rounds) {
		l->spec.last = last;
		gate_decide(r, l->clock, &l->spec);
		return;
	}
	l->before = l->after;
	l->after = swap;
	l->spec = (struct gate_look_spec){
		.spend = 1,
		.last = last,
		.may_park = rounds >= PARKING,
		.rounds = rounds,
		.past = l->before,
	};
	if (l->clock == GATE_CLOCK_WALL)
		l->spec.spend = (double)(rounds - l->rounds) / l->max;
	l->rounds = rounds;
	gate_decide(r, l->clock, &l->spec);
}

void gate_looks_repeat(const struct gate_looks *l, struct gate_result *r)
{
	gate_decide(r, l->clock, &l->spec);
}

static size_t count_slower(const struct gate_result *r, enum gate_clock clock)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		n += r->rows[i].clock == clock &&
		     r->rows[i].verdict == GATE_V_REGRESSION;
	for (i = 0; i < r->n_groups; i++)
		n += r->groups[i].clock == clock &&
		     r->groups[i].verdict == GATE_V_REGRESSION;
	if (clock == GATE_CLOCK_WALL && r->suite.present)
		n += r->suite.verdict == GATE_V_REGRESSION;
	return n;
}

/* Adds it, or replaces the same look taken before. */
static void put(struct gate_result *r, const struct gate_look *look)
{
	struct gate_look *latest = NULL;

	if (r->n_looks)
		latest = &r->looks[r->n_looks - 1];
	if (latest && latest->clock == look->clock &&
	    latest->rounds == look->rounds) {
		latest->decided = look->decided;
		latest->open = look->open;
		latest->regressions = look->regressions;
		return;
	}
	GATE_PUSH(r->looks, r->n_looks, r->cap_looks, *look);
}

bool gate_looks_record(struct gate_looks *l, struct gate_result *r,
		       unsigned runs)
{
	struct gate_look look = {.clock = l->clock,
				 .rounds = l->rounds,
				 .alpha = GATE_NAN,
				 .regressions = count_slower(r, l->clock),
				 .runs = runs};
	size_t i;

	if (l->clock == GATE_CLOCK_WALL)
		look.alpha = r->policy.alpha * l->spec.spend;
	for (i = 0; i < r->n_rows; i++) {
		if (r->rows[i].clock != l->clock)
			continue;
		if (gate_row_open(&r->rows[i]))
			look.open++;
		else
			look.decided++;
	}
	put(r, &look);
	gate_past_learn(l->after, l->before, r, l->clock);
	if (l->clock == GATE_CLOCK_WALL && look.regressions)
		return false;
	return look.open && !l->spec.last;
}
