#include "gate/selftest.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/pair.h"
#include "gate/plan.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/verdict.h"

enum { SPLITS = 200 };

/* Steele, Lea and Flood (OOPSLA 2014), SplitMix64: one seed, the same coins on
 * every machine. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

static unsigned last_round(const struct gate_sample_set *set)
{
	unsigned last = 0;
	size_t i;

	for (i = 0; i < set->n; i++)
		if (set->items[i].round > last)
			last = set->items[i].round;
	return last;
}

/* In the rounds whose coin fell so, what was base becomes candidate. */
static void swap_sides(struct gate_sample_set *set, const bool *coins)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (coins[set->items[i].round])
			set->items[i].side = set->items[i].side == GATE_BASE
						     ? GATE_CANDIDATE
						     : GATE_BASE;
}

/* One split, judged as one look at all rounds. */
static bool blocks(const struct gate_sample_set *set,
		   const struct gate_result *like, unsigned rounds)
{
	const struct gate_look_spec spec = {
		.spend = 1, .last = true, .may_park = rounds >= 10};
	struct gate_result *r = gate_result_new();
	bool found;
	size_t i;

	gate_policy_copy(&r->policy, &like->policy);
	gate_pair(set, r);
	gate_decide(r, GATE_CLOCK_WALL, &spec);
	gate_decide(r, GATE_CLOCK_INSTRUCTIONS, &spec);
	found = r->suite.present && r->suite.verdict == GATE_V_REGRESSION;
	for (i = 0; i < r->n_rows; i++)
		found |= r->rows[i].verdict == GATE_V_REGRESSION;
	for (i = 0; i < r->n_groups; i++)
		found |= r->groups[i].verdict == GATE_V_REGRESSION;
	gate_result_free(r);
	return found;
}

/*
 * Splits that differ: a coin a round, and turning all of them gives the
 * mirror image, which is another split since the test has a direction.
 */
static unsigned distinct_splits(unsigned rounds)
{
	return rounds < 8 ? 1U << rounds : SPLITS;
}

/* The upper end of the exact 95 % interval (Clopper and Pearson 1934) of
 * k out of n; by bisection on the binomial's lower tail. */
static double upper_bound(unsigned k, unsigned n)
{
	double lo = (double)k / n, hi = 1, p, term, tail;
	unsigned i, step;

	if (k >= n)
		return 1;
	for (step = 0; step < 60; step++) {
		p = (lo + hi) / 2;
		term = pow(1 - p, n);
		tail = term;
		for (i = 0; i < k; i++) {
			term *= (n - i) / (i + 1.0) * p / (1 - p);
			tail += term;
		}
		if (tail > 0.025)
			lo = p;
		else
			hi = p;
	}
	return hi;
}

static void advise(struct gate_selftest *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void advise(struct gate_selftest *s, const char *fmt, ...)
{
	struct gate_str text = {0};
	va_list ap;

	va_start(ap, fmt);
	gate_str_addv(&text, fmt, ap);
	va_end(ap);
	GATE_PUSH(s->advice, s->n_advice, s->cap_advice, gate_str_steal(&text));
}

static bool has_wall(const struct gate_result *r)
{
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		if (r->rows[i].clock == GATE_CLOCK_WALL)
			return true;
	return false;
}

static void advise_wall(struct gate_selftest *s, const struct gate_result *r)
{
	const struct gate_plan *p = &r->plan;
	size_t noisy = p->rows - p->too_coarse - p->enough;

	if (!p->present)
		return;
	if (!noisy && !p->too_coarse)
		advise(s,
		       "by wall clock %u rounds find a slowdown of the "
		       "threshold in every row",
		       p->rounds);
	else if (noisy && p->most <= 1000)
		advise(s,
		       "by wall clock half of the rows need %u rounds, all %u: "
		       "set \"rounds\": {\"max\": %u}, or raise the threshold "
		       "of the noisiest rows",
		       p->half, p->most, p->most);
	else if (noisy)
		advise(s,
		       "by wall clock half of the rows need %u rounds, and the "
		       "noisiest more than anybody waits for: give those a "
		       "higher threshold or a longer run in each round, or let "
		       "them be counted in instructions",
		       p->half);
	if (p->too_coarse)
		advise(s,
		       "%zu rows cannot show their threshold in any number of "
		       "rounds, since one step of the clock or of the print is "
		       "too much: measure longer in one go, or in a finer unit",
		       p->too_coarse);
}

static void advise_instructions(struct gate_selftest *s,
				const struct gate_result *r)
{
	size_t rows = 0, open = 0, coarse = 0, i;

	for (i = 0; i < r->n_rows; i++) {
		if (r->rows[i].clock != GATE_CLOCK_INSTRUCTIONS)
			continue;
		rows++;
		open += gate_row_open(&r->rows[i]);
		coarse += r->rows[i].verdict == GATE_V_UNRESOLVABLE;
	}
	if (rows && !open && !coarse)
		advise(s,
		       "under the instruction clock all %zu rows are exact: "
		       "any difference beyond their threshold is found",
		       rows);
	if (open)
		advise(s,
		       "under the instruction clock %zu of %zu rows have no "
		       "second witness yet: raise \"rounds\": "
		       "{\"instructions\": {\"max\": ...}}",
		       open, rows);
	if (coarse)
		advise(s,
		       "under the instruction clock %zu of %zu rows print too "
		       "coarsely to be judged",
		       coarse, rows);
}

static void advise_share(struct gate_selftest *s, const struct gate_result *r)
{
	const struct gate_job_info *job;
	unsigned n;
	size_t i;

	for (i = 0; i < r->n_jobs; i++) {
		job = &r->jobs[i];
		n = job->contaminated[0] + job->contaminated[1];
		if (n)
			advise(s,
			       "job %s: in %u of %u rounds the benchmark got "
			       "less than %.0f %% of a processor; let nothing "
			       "else run beside it",
			       job->name, n, job->rounds[0] + job->rounds[1],
			       100 * job->cpu_share);
	}
}

void gate_selftest(struct gate_sample_set *samples, struct gate_result *r)
{
	unsigned rounds = last_round(samples), i, k;
	bool *coins = gate_calloc((size_t)rounds + 1, sizeof *coins);
	struct gate_selftest *s = &r->selftest;
	uint64_t seed = 1, bits = 0;

	s->present = true;
	s->splits = SPLITS;
	s->distinct = distinct_splits(rounds);
	if (s->splits > s->distinct)
		s->splits = s->distinct;
	for (i = 0; i < s->splits; i++) {
		for (k = 1; k <= rounds; k++) {
			/* All of them where there are few, else by chance. */
			if (s->distinct < SPLITS)
				bits = (uint64_t)i >> (k - 1);
			else
				bits = next(&seed) >> 63;
			coins[k] = bits & 1;
		}
		swap_sides(samples, coins);
		s->blocked += blocks(samples, r, rounds);
		swap_sides(samples, coins);
	}
	s->at_most = upper_bound(s->blocked, s->splits);
	if (rounds < 6 && has_wall(r))
		advise(s, "fewer than 6 rounds never block by wall clock, so "
			  "nothing was tried: measure more");
	if (s->blocked > 0.05 * s->splits)
		advise(s,
		       "%u of %u splits of equal sides would have blocked: "
		       "this machine is not fit to gate by; look for what else "
		       "runs on it, or count instructions",
		       s->blocked, s->splits);
	if (s->blocked > 0.05 * s->splits && !r->exit_code) {
		r->exit_code = 3;
		free(r->outcome);
		free(r->reason);
		r->outcome = gate_strdup("inconclusive");
		r->reason = gate_strdup(s->advice[s->n_advice - 1]);
	}
	advise_share(s, r);
	advise_wall(s, r);
	advise_instructions(s, r);
	free(coins);
}
