#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"

/* Fewer groups make no suite. */
enum { MIN_SUITE = 2 };

/* What is left of the alpha of which rows have half. */
static const double GROUPS_SHARE = 0.4;
static const double SUITE_SHARE = 0.1;

/* A standard deviation of nothing is a coincidence: the floor on the log
 * scale. */
static const double LEAST_SD = 1e-6;

/* Narrows the ids in *rounds to those that are in the other list too. */
static void intersect(unsigned *rounds, size_t *n, const unsigned *other,
		      size_t n_other)
{
	size_t kept = 0;
	size_t k = 0;
	size_t i;

	for (i = 0; i < *n; i++) {
		while (k < n_other && other[k] < rounds[i])
			k++;
		if (k < n_other && other[k] == rounds[i])
			rounds[kept++] = rounds[i];
	}
	*n = kept;
}

/* The trimmed mean over the group's complete rows, round by round. */
static void average_rounds(struct gate_judged_group *g)
{
	double *values = gate_calloc(g->k, sizeof *values);
	struct gate_judged *j;
	size_t r, i;

	g->d = gate_calloc(g->n_rounds, sizeof *g->d);
	for (i = 0; i < g->k; i++)
		g->complete[i]->next = 0;
	for (r = 0; r < g->n_rounds; r++) {
		for (i = 0; i < g->k; i++) {
			j = g->complete[i];
			while (j->rounds[j->next] != g->rounds[r])
				j->next++;
			values[i] = j->d[j->next];
		}
		gate_stats_sort(values, g->k);
		g->d[r] = gate_stats_trimmed_mean(values, g->k).at;
	}
	free(values);
}

/* Rows that were in every round that any row of the group was in, and the
 * rounds that these share. */
static bool wall_group_ready(struct gate_judged_group *g)
{
	size_t most = 0;
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->members[i]->tested) {
			g->h = fmax(g->h, g->members[i]->row->h);
			if (g->members[i]->n > most)
				most = g->members[i]->n;
		}
	for (i = 0; i < g->n; i++)
		if (g->members[i]->tested && g->members[i]->n == most)
			g->complete[g->k++] = g->members[i];
	if (g->k < GATE_MIN_GROUP)
		return false;
	g->rounds = gate_calloc(most, sizeof *g->rounds);
	memcpy(g->rounds, g->complete[0]->rounds, most * sizeof *g->rounds);
	g->n_rounds = most;
	for (i = 1; i < g->k; i++)
		intersect(g->rounds, &g->n_rounds, g->complete[i]->rounds,
			  g->complete[i]->n);
	if (g->n_rounds < GATE_MIN_PAIRS)
		return false;
	average_rounds(g);
	return true;
}

/* Student's test over rounds: they are the units, since all rows of a round
 * share what the machine did in it. */
struct over_rounds {
	double at, se, p;
	double ci[2];
};

static struct over_rounds test_rounds(const double *d, size_t n,
				      double least_sd, double tolerated)
{
	double df = (double)(n - 1);
	double t = gate_stats_t_quantile((1 - GATE_INTERVAL) / 2, df);
	double sd = fmax(gate_stats_sd(d, n), fmax(least_sd, LEAST_SD));
	struct over_rounds o;

	o.at = gate_stats_mean(d, n);
	o.se = sd / sqrt((double)n);
	o.p = gate_stats_t_tail((o.at - log1p(tolerated)) / o.se, df);
	o.ci[0] = expm1(o.at - t * o.se);
	o.ci[1] = expm1(o.at + t * o.se);
	return o;
}

static int by_group_p(const void *a, const void *b)
{
	const struct gate_judged_group *const *x = a;
	const struct gate_judged_group *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

static void holm_over_groups(const struct gate_judged_groups *gs)
{
	struct gate_judged_group **sorted =
		gate_calloc(gs->n, sizeof(struct gate_judged_group *));
	double *p = gate_calloc(gs->n, sizeof *p);
	size_t i;

	for (i = 0; i < gs->n; i++)
		sorted[i] = &gs->items[i];
	qsort(sorted, gs->n, sizeof(struct gate_judged_group *), by_group_p);
	for (i = 0; i < gs->n; i++)
		p[i] = sorted[i]->p;
	gate_stats_holm(p, gs->n, gs->n);
	for (i = 0; i < gs->n; i++)
		sorted[i]->p_holm = p[i];
	free(sorted);
	free(p);
}

static void report_wall_group(struct gate_judging *w,
			      const struct gate_judged_groups *gs,
			      const struct gate_judged_group *g,
			      const struct over_rounds *o)
{
	const struct gate_policy *policy = &w->result->policy;
	double alpha = GROUPS_SHARE * policy->alpha * w->spec->spend;
	struct gate_group *out = gate_judge_add_group(w, g);
	const char *unsound = gate_judge_unsound(w, out->job);

	out->threshold = policy->group_threshold;
	out->ci[0] = o->ci[0];
	out->ci[1] = o->ci[1];
	out->p = g->p;
	out->p_holm = g->p_holm;
	if (g->p_holm <= alpha && g->at >= log1p(out->threshold))
		out->verdict =
			unsound ? GATE_V_INCONCLUSIVE : GATE_V_REGRESSION;
	out->reason = gate_asprintf(
		"%+.2f %% [%+.2f, %+.2f] over %zu of %zu rows and %zu "
		"rounds, threshold %.4g %%; Holm-adjusted p %.2g in a family "
		"of %zu%s%s",
		gate_judge_percent(out->slowdown),
		gate_judge_percent(out->ci[0]), gate_judge_percent(out->ci[1]),
		g->k, g->n, g->n_rounds, 100 * out->threshold, g->p_holm, gs->n,
		out->verdict == GATE_V_INCONCLUSIVE ? "; it may not block: "
						    : "",
		out->verdict == GATE_V_INCONCLUSIVE ? unsound : "");
}

static void decide_wall_groups(struct gate_judging *w,
			       const struct gate_judged_groups *gs)
{
	struct over_rounds *tests = gate_calloc(gs->n, sizeof *tests);
	struct gate_judged_group *g;
	size_t i;

	for (i = 0; i < gs->n; i++) {
		g = &gs->items[i];
		tests[i] = test_rounds(g->d, g->n_rounds, g->h / sqrt(12),
				       w->result->policy.group_tolerated);
		g->at = tests[i].at;
		g->p = tests[i].p;
	}
	holm_over_groups(gs);
	for (i = 0; i < gs->n; i++)
		report_wall_group(w, gs, &gs->items[i], &tests[i]);
	free(tests);
}

static size_t find_round(const struct gate_judged_group *g, unsigned round)
{
	size_t i = 0;

	while (g->rounds[i] != round)
		i++;
	return i;
}

/* Each round's mean over the groups, for the rounds that all groups have. */
static double *suite_rounds(const struct gate_judged_groups *gs, size_t *n)
{
	const struct gate_judged_group *first = &gs->items[0];
	unsigned *rounds = gate_calloc(first->n_rounds, sizeof *rounds);
	double *d = gate_calloc(first->n_rounds, sizeof *d);
	double *values = gate_calloc(gs->n, sizeof *values);
	size_t r, i;

	*n = first->n_rounds;
	memcpy(rounds, first->rounds, *n * sizeof *rounds);
	for (i = 1; i < gs->n; i++)
		intersect(rounds, n, gs->items[i].rounds,
			  gs->items[i].n_rounds);
	for (r = 0; r < *n; r++) {
		for (i = 0; i < gs->n; i++)
			values[i] = gs->items[i].d[find_round(&gs->items[i],
							      rounds[r])];
		/* In order of size, so that the order of groups is nothing
		 * to the sum. */
		gate_stats_sort(values, gs->n);
		d[r] = gate_stats_mean(values, gs->n);
	}
	free(values);
	free(rounds);
	return d;
}

static void decide_suite(struct gate_judging *w,
			 const struct gate_judged_groups *gs)
{
	const struct gate_policy *policy = &w->result->policy;
	struct gate_suite *s = &w->result->suite;
	double alpha = SUITE_SHARE * policy->alpha * w->spec->spend;
	struct over_rounds o;
	double *d = NULL;
	size_t n = 0;
	bool barred;

	free(s->reason);
	*s = (struct gate_suite){.slowdown = GATE_NAN,
				 .ci = {GATE_NAN, GATE_NAN},
				 .p = GATE_NAN,
				 .verdict = GATE_V_INSUFFICIENT};
	if (gs->n >= MIN_SUITE)
		d = suite_rounds(gs, &n);
	if (n < GATE_MIN_PAIRS) {
		s->reason = gate_asprintf("a suite needs %d groups with %d "
					  "rounds in common",
					  (int)MIN_SUITE, (int)GATE_MIN_PAIRS);
		free(d);
		return;
	}
	o = test_rounds(d, n, LEAST_SD, policy->suite_tolerated);
	free(d);
	s->present = true;
	s->groups = gs->n;
	s->slowdown = expm1(o.at);
	s->ci[0] = o.ci[0];
	s->ci[1] = o.ci[1];
	s->p = o.p;
	s->verdict = GATE_V_PASS;
	if (o.p <= alpha && o.at >= log1p(policy->suite_threshold))
		s->verdict = w->result->check.unsound ? GATE_V_INCONCLUSIVE
						      : GATE_V_REGRESSION;
	barred = s->verdict == GATE_V_INCONCLUSIVE;
	s->reason = gate_asprintf("%+.2f %% [%+.2f, %+.2f] over %zu groups and "
				  "%zu rounds, threshold %.4g %%; p %.2g%s%s",
				  gate_judge_percent(s->slowdown),
				  gate_judge_percent(s->ci[0]),
				  gate_judge_percent(s->ci[1]), gs->n, n,
				  100 * policy->suite_threshold, s->p,
				  barred ? "; it may not block: " : "",
				  barred ? w->result->check.unsound : "");
}

void gate_judge_groups(struct gate_judging *w)
{
	struct gate_judged_groups gs;

	gate_judge_find_groups(w, &gs);
	gate_judge_keep_groups(&gs, wall_group_ready);
	decide_wall_groups(w, &gs);
	decide_suite(w, &gs);
	gate_judge_groups_done(&gs);
}
