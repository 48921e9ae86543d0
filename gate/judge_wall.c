#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

/* What rows may spend of the alpha that they share with groups and the suite.
 * What one level does not use is lost: a fixed split is valid whatever turns
 * up. */
static const double ALPHA_SHARE = 0.5;

/* Power that an effect called detectable has. */
static const double POWER = 0.9;

/* A variance of nothing is a coincidence: the floor on the log scale. */
static const double LEAST_VARIANCE = 1e-12;

/* The smallest difference of two values; INFINITY when all are equal, NAN when
 * more than three are distinct. */
static double smallest_gap(const struct gate_row_side *side, double *scratch)
{
	double gap = (double)INFINITY;
	size_t distinct = 1;
	size_t n = 0;
	size_t i;

	for (i = 0; i < side->n; i++)
		if (gate_judge_usable(side->values[i]))
			scratch[n++] = side->values[i];
	gate_stats_sort(scratch, n);
	for (i = 1; i < n; i++)
		if (scratch[i] > scratch[i - 1]) {
			distinct++;
			gap = fmin(gap, scratch[i] - scratch[i - 1]);
		}
	return distinct <= 3 ? gap : GATE_NAN;
}

/* Where no step is known, few distinct values on both sides betray one. */
static double inferred_step(const struct gate_row *row)
{
	size_t most =
		row->base.n > row->candidate.n ? row->base.n : row->candidate.n;
	double *scratch = gate_calloc(most + 1, sizeof *scratch);
	double base = smallest_gap(&row->base, scratch);
	double candidate = smallest_gap(&row->candidate, scratch);

	free(scratch);
	if (isnan(base) || isnan(candidate))
		return 0;
	return isinf(fmin(base, candidate)) ? 0 : fmin(base, candidate);
}

/* One step relative to the median, of the side where that is more. */
static double side_resolution(const struct gate_row *row,
			      const struct gate_row_side *side)
{
	double step = side->resolution;

	if (!gate_judge_usable(row->base.resolution) &&
	    !gate_judge_usable(row->candidate.resolution))
		step = inferred_step(row);
	return gate_judge_usable(step) ? log1p(step / side->median) : 0;
}

static double wall_resolution(const struct gate_row *row)
{
	return fmax(side_resolution(row, &row->base),
		    side_resolution(row, &row->candidate));
}

/*
 * The floor is an absolute difference that a regression must reach too: as a
 * fraction of the base it is a second threshold, and the higher one holds.
 */
static double wall_threshold(const struct gate_row *row)
{
	const struct gate_limits *l = &row->limits;
	double base = row->base.median;
	double least = 0;

	if (l->floor_unit == row->unit && l->floor > 0) {
		if (row->better == GATE_LOWER)
			least = l->floor / base;
		else
			least = l->floor < base ? l->floor / (base - l->floor)
						: (double)INFINITY;
	}
	return fmax(l->threshold, least);
}

static double sorted_median(const struct gate_judged *j, double *scratch)
{
	memcpy(scratch, j->d, j->n * sizeof *scratch);
	gate_stats_sort(scratch, j->n);
	return gate_stats_median(scratch, j->n);
}

/* Rows that are shown but not tested. True when the row is one. */
static bool settle_untested(struct gate_judged *j, double *scratch)
{
	struct gate_row *row = j->row;

	if (j->n)
		row->slowdown = expm1(sorted_median(j, scratch));
	if (row->limits.ignore) {
		gate_judge_settle_ignored(row);
		return true;
	}
	if (j->n < GATE_MIN_PAIRS) {
		gate_judge_settle(
			row, GATE_V_INSUFFICIENT,
			gate_asprintf("%zu round%s usable on both sides, %d "
				      "needed",
				      j->n, j->n == 1 ? "" : "s",
				      (int)GATE_MIN_PAIRS));
		return true;
	}
	if (5 * row->dropped > j->n + row->dropped) {
		gate_judge_settle(
			row, GATE_V_INSUFFICIENT,
			gate_asprintf("%zu of %zu rounds unusable, more than "
				      "20 %%",
				      row->dropped, j->n + row->dropped));
		return true;
	}
	return false;
}

/* Variances of rows with equally many rounds, moderated together. */
static void moderate(struct gate_judged **set, size_t k, double *scratch)
{
	struct gate_stats_prior prior;
	size_t i;

	for (i = 0; i < k; i++) {
		set[i]->e.var = fmax(set[i]->e.var, set[i]->least_var);
		scratch[i] = set[i]->e.var;
	}
	gate_stats_sort(scratch, k);
	prior = gate_stats_fit_prior(scratch, k, set[0]->e.df);
	for (i = 0; i < k; i++)
		set[i]->e = gate_stats_moderate(prior, set[i]->e);
}

/* The interval and the detectable effect. */
static void describe(const struct gate_judging *w, struct gate_judged **set,
		     size_t k)
{
	double alpha = ALPHA_SHARE * w->result->policy.alpha * w->spec->spend;
	double df = set[0]->e.df;
	double t_interval = gate_stats_t_quantile((1 - GATE_INTERVAL) / 2, df);
	double t_alpha = gate_stats_t_quantile(alpha / (double)w->size, df);
	double z = gate_stats_normal_quantile(POWER);
	struct gate_row *row;
	double se, at;
	size_t i;

	for (i = 0; i < k; i++) {
		row = set[i]->row;
		at = set[i]->e.at;
		se = sqrt(set[i]->e.var);
		row->slowdown = expm1(at);
		row->ci[0] = expm1(at - row->h - t_interval * se);
		row->ci[1] = expm1(at + row->h + t_interval * se);
		row->mde = expm1(log1p(row->limits.tolerated) + row->h +
				 (t_alpha + z) * se);
	}
}

/*
 * Rows with equally many rounds: a trimmed mean gives each row's scale, and
 * with that scale Huber's location gives its effect. Both variances are
 * moderated over the set, and floored by what the resolution alone makes of
 * them (a uniform error of one step).
 */
static void estimate_set(const struct gate_judging *w, struct gate_judged **set,
			 size_t k)
{
	struct gate_judged *j;
	double n, scale;
	size_t i;

	for (i = 0; i < k; i++) {
		j = set[i];
		n = (double)j->n;
		j->median = sorted_median(j, w->scratch);
		j->e = gate_stats_trimmed_mean(w->scratch, j->n);
		j->least_var =
			fmax(j->row->h * j->row->h / 12 / n, LEAST_VARIANCE);
	}
	moderate(set, k, w->scratch);
	for (i = 0; i < k; i++) {
		j = set[i];
		scale = sqrt(j->e.var * (double)j->n);
		j->e = gate_stats_huber(j->d, j->n, j->median, scale);
	}
	moderate(set, k, w->scratch);
	describe(w, set, k);
}

static int by_rounds(const void *a, const void *b)
{
	const struct gate_judged *const *x = a;
	const struct gate_judged *const *y = b;

	return ((*x)->n > (*y)->n) - ((*x)->n < (*y)->n);
}

static void estimate(const struct gate_judging *w)
{
	size_t from, to;

	qsort(w->family, w->m, sizeof(struct gate_judged *), by_rounds);
	for (from = 0; from < w->m; from = to) {
		for (to = from + 1;
		     to < w->m && w->family[to]->n == w->family[from]->n;)
			to++;
		estimate_set(w, w->family + from, to - from);
	}
}

static int by_p(const void *a, const void *b)
{
	const struct gate_judged *const *x = a;
	const struct gate_judged *const *y = b;

	return ((*x)->row->p > (*y)->row->p) - ((*x)->row->p < (*y)->row->p);
}

static int by_p_faster(const void *a, const void *b)
{
	const struct gate_judged *const *x = a;
	const struct gate_judged *const *y = b;

	return ((*x)->p_faster > (*y)->p_faster) -
	       ((*x)->p_faster < (*y)->p_faster);
}

/* P of an effect as large as `at` less one step where the true one is `limit`,
 * both on the log scale. */
static double p_beyond(const struct gate_judged *j, double at, double limit)
{
	return gate_stats_t_tail((at - j->row->h - limit) / sqrt(j->e.var),
				 j->e.df);
}

static void test_family(const struct gate_judging *w)
{
	struct gate_judged *j;
	double tolerated;
	size_t i;

	for (i = 0; i < w->m; i++) {
		j = w->family[i];
		tolerated = log1p(j->row->limits.tolerated);
		j->row->p = p_beyond(j, j->e.at, tolerated);
		j->p_faster = p_beyond(j, -j->e.at, tolerated);
	}
	qsort(w->family, w->m, sizeof(struct gate_judged *), by_p);
	for (i = 0; i < w->m; i++)
		w->scratch[i] = w->family[i]->row->p;
	gate_stats_holm(w->scratch, w->m, w->size);
	for (i = 0; i < w->m; i++)
		w->family[i]->row->p_holm = w->scratch[i];
	for (i = 0; i < w->m; i++)
		w->scratch[i] = w->family[i]->row->p;
	gate_stats_bh(w->scratch, w->m);
	for (i = 0; i < w->m; i++)
		w->family[i]->row->q_bh = w->scratch[i];

	qsort(w->family, w->m, sizeof(struct gate_judged *), by_p_faster);
	for (i = 0; i < w->m; i++)
		w->scratch[i] = w->family[i]->p_faster;
	gate_stats_holm(w->scratch, w->m, w->size);
	for (i = 0; i < w->m; i++)
		w->family[i]->p_faster_holm = w->scratch[i];
}

static enum gate_verdict wall_verdict(const struct gate_judging *w,
				      const struct gate_judged *j)
{
	const struct gate_policy *policy = &w->result->policy;
	double spend = w->spec->spend;
	double at = j->e.at;
	double limit = log1p(j->threshold);
	double p_pass = p_beyond(j, limit, at);

	if (j->row->p_holm <= ALPHA_SHARE * policy->alpha * spend &&
	    at >= limit)
		return GATE_V_REGRESSION;
	if (p_pass <= policy->beta * spend) {
		if (j->p_faster_holm <= policy->alpha * spend && -at >= limit)
			return GATE_V_IMPROVEMENT;
		return GATE_V_PASS;
	}
	/* Only the base can excuse a row: a candidate must not make itself too
	 * coarse to be judged. */
	if (side_resolution(j->row, &j->row->base) > j->threshold / 2)
		return GATE_V_UNRESOLVABLE;
	if (w->spec->may_park && at < log1p(j->row->limits.tolerated))
		return GATE_V_PARKED;
	return GATE_V_INCONCLUSIVE;
}

/* "the threshold of 3 %", or the floor where that is higher. Caller frees. */
static char *limit_text(const struct gate_judged *j)
{
	const struct gate_limits *l = &j->row->limits;
	char number[GATE_NUM_MAX];

	if (j->threshold > l->threshold)
		return gate_asprintf("the floor of %s %s",
				     gate_num_print(l->floor, number),
				     gate_unit_name(l->floor_unit));
	return gate_asprintf("the threshold of %.4g %%", 100 * l->threshold);
}

static void add_open_reason(const struct gate_judging *w,
			    const struct gate_judged *j, const char *limit,
			    struct gate_str *s)
{
	if (j->e.at >= log1p(j->threshold))
		gate_str_addf(s,
			      ": at least %s, but the evidence is too weak "
			      "(Holm-adjusted p %.2g in a family of %zu)",
			      limit, j->row->p_holm, w->size);
	else
		gate_str_addf(s, ": not shown to be below %s", limit);
	gate_str_puts(s, w->spec->last ? "; no rounds are left"
				       : "; more rounds can tell");
}

/* What a verdict rests on, or why a row that is slower may not block. */
static char *wall_reason(const struct gate_judging *w,
			 const struct gate_judged *j, enum gate_verdict v,
			 const char *bar)
{
	const struct gate_row *row = j->row;
	struct gate_str s = {0};
	char *limit = limit_text(j);

	gate_str_addf(&s, "%+.2f %% [%+.2f, %+.2f] over %zu rounds",
		      gate_judge_percent(row->slowdown),
		      gate_judge_percent(row->ci[0]),
		      gate_judge_percent(row->ci[1]), j->n);
	if (bar)
		gate_str_addf(&s,
			      ": at least %s (Holm-adjusted p %.2g in a family "
			      "of %zu), but it may not block: %s",
			      limit, row->p_holm, w->size, bar);
	else if (v == GATE_V_REGRESSION)
		gate_str_addf(&s,
			      ": slower by at least %s; Holm-adjusted p %.2g "
			      "in a family of %zu",
			      limit, row->p_holm, w->size);
	else if (v == GATE_V_IMPROVEMENT)
		gate_str_addf(&s,
			      ": faster by at least %s; Holm-adjusted p %.2g "
			      "in a family of %zu",
			      limit, j->p_faster_holm, w->size);
	else if (v == GATE_V_PASS)
		gate_str_addf(&s, ": shown to be below %s", limit);
	else if (v == GATE_V_PARKED)
		gate_str_addf(&s,
			      ": no sign of more than the tolerated %.4g %%, "
			      "but not shown to be below %s either",
			      100 * row->limits.tolerated, limit);
	else if (v == GATE_V_UNRESOLVABLE)
		gate_str_addf(&s,
			      ": one step of the clock or of the print is %.2f "
			      "%%, more than half of %s",
			      gate_judge_percent(expm1(row->h)), limit);
	else
		add_open_reason(w, j, limit, &s);
	free(limit);
	return gate_str_steal(&s);
}

/* Why nothing may block that this row says; NULL: it may. Caller frees. */
static char *find_bar(const struct gate_judging *w, const struct gate_judged *j)
{
	const struct gate_check *c = &w->result->check;
	const char *unsound = gate_judge_unsound(w, j->row->job);

	if (unsound)
		return gate_strdup(unsound);
	if (j->barred)
		return gate_asprintf("in %zu of %zu rows the base differs from "
				     "itself as much",
				     c->apart, c->rows);
	return NULL;
}

/*
 * A pass is final, so that the error of passing is spent as planned, unless
 * there is a regression now.
 */
static bool settle_by_past(const struct gate_judging *w, struct gate_judged *j,
			   enum gate_verdict now)
{
	struct gate_row *row = j->row;
	enum gate_verdict v;
	unsigned at;

	if (now == GATE_V_REGRESSION ||
	    !gate_judge_past(w->spec->past, row, &v, &at) ||
	    (now == GATE_V_IMPROVEMENT && v == GATE_V_PASS))
		return false;
	row->decided_at = at;
	gate_judge_settle(
		row, v,
		gate_asprintf("%+.2f %% [%+.2f, %+.2f] over %zu rounds: %s "
			      "after %u rounds",
			      gate_judge_percent(row->slowdown),
			      gate_judge_percent(row->ci[0]),
			      gate_judge_percent(row->ci[1]), j->n,
			      v == GATE_V_IMPROVEMENT
				      ? "faster by at least the threshold"
				      : "shown to be below the threshold",
			      at));
	return true;
}

static void settle_by_look(const struct gate_judging *w, struct gate_judged *j)
{
	enum gate_verdict v = wall_verdict(w, j);
	char *bar = NULL;

	if (settle_by_past(w, j, v))
		return;
	if (v == GATE_V_REGRESSION)
		bar = find_bar(w, j);
	if (bar)
		v = GATE_V_INCONCLUSIVE;
	if (v != GATE_V_INCONCLUSIVE)
		j->row->decided_at =
			w->spec->rounds ? w->spec->rounds : (unsigned)j->n;
	gate_judge_settle(j->row, v, wall_reason(w, j, v, bar));
	free(bar);
}

void gate_judge_wall(struct gate_judging *w)
{
	struct gate_judged *j;
	size_t i;

	for (i = 0; i < w->n; i++) {
		j = &w->rows[i];
		if (settle_untested(j, w->scratch))
			continue;
		j->tested = true;
		j->row->h = wall_resolution(j->row);
		j->threshold = wall_threshold(j->row);
		w->family[w->m++] = j;
	}
	w->size = gate_judge_past_family(w->spec->past);
	if (w->size < w->m)
		w->size = w->m;
	estimate(w);
	test_family(w);
	gate_judge_check(w);
	for (i = 0; i < w->m; i++)
		settle_by_look(w, w->family[i]);
	gate_judge_groups(w);
}
