#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

/*
 * Shares of rows whose base differs from itself, in percent: beyond the first
 * the machine is too noisy for the threshold, beyond the second single rows
 * would be found slower that are not. Read off simulations of ten rounds: 4 %
 * of rows lie apart at a standard deviation of 1.5 % a row, where 0.6 % of
 * unchanged rows reach 3 %, and 19 % at 3 %, where 5 % do.
 */
enum { NOISY = 5, TOO_NOISY = 15 };

/* Rounds of a job that may be contaminated, in percent, as with values that
 * may be unusable. */
enum { CONTAMINATED = 20 };

/* Rows of which a share says something of the machine; of fewer, each answers
 * for itself. */
enum { LEAST_ROWS = 8 };

/* Pairs of rounds below which a mean says nothing, and below which nothing of
 * it is trimmed. */
enum { LEAST_PAIRS = 3, TRIMMED = 5 };

/* Of sorted values. Where a fifth is less than one there is nothing to trim,
 * and one interrupt would set a row apart: the median, then. */
static double centre(const double *d, size_t n)
{
	if (n < TRIMMED)
		return gate_stats_median(d, n);
	return gate_stats_trimmed_mean(d, n).at;
}

/*
 * The base's rounds taken two by two, the earlier against the later: whatever
 * that shows is noise. With half the pairs its variance is twice that of what
 * is decided on.
 */
static bool differs_from_itself(const struct gate_judged *j, bool *enough)
{
	const struct gate_row_side *base = &j->row->base;
	double *d = gate_calloc(base->n / 2 + 1, sizeof *d);
	double limit = log1p(j->row->limits.threshold);
	double last = GATE_NAN;
	size_t n = 0;
	size_t i;
	double at;

	for (i = 0; i < base->n; i++) {
		if (!gate_judge_usable(base->values[i]))
			continue;
		if (isnan(last)) {
			last = base->values[i];
			continue;
		}
		d[n++] = log(base->values[i]) - log(last);
		last = GATE_NAN;
	}
	*enough = n >= LEAST_PAIRS;
	gate_stats_sort(d, n);
	at = *enough ? centre(d, n) : 0;
	free(d);
	return fabs(at) - j->row->h >= limit;
}

static double median_mde(const struct gate_judging *w)
{
	size_t i;

	for (i = 0; i < w->m; i++)
		w->scratch[i] = w->family[i]->row->mde;
	gate_stats_sort(w->scratch, w->m);
	return gate_stats_median(w->scratch, w->m);
}

static void check_noise(struct gate_judging *w)
{
	struct gate_check *c = &w->result->check;
	struct gate_judged *j;
	bool enough;
	size_t i;

	for (i = 0; i < w->m; i++) {
		j = w->family[i];
		j->apart = differs_from_itself(j, &enough) && enough;
		c->rows += enough;
		c->apart += j->apart;
	}
	c->rows_barred =
		c->rows >= LEAST_ROWS && 100 * c->apart > TOO_NOISY * c->rows;
	for (i = 0; i < w->m; i++)
		w->family[i]->barred =
			c->rows_barred ||
			(c->rows < LEAST_ROWS && w->family[i]->apart);
	if (100 * c->apart > NOISY * c->rows)
		gate_diags_add(
			&w->result->diags, GATE_DIAG_WARNING, "check.noisy",
			"A/A: in %zu of %zu rows the base differs from itself "
			"by the threshold; the machine is too noisy for it, "
			"half of the rows show no less than %.1f %%%s",
			c->apart, c->rows, 100 * median_mde(w),
			c->rows_barred ? "; no single row may block" : "");
}

/* Why the rounds of a job cannot carry a verdict; NULL: they can. Caller
 * frees. */
static char *find_unsound(const struct gate_job_info *job)
{
	int side;

	if (job->blocked_order)
		return gate_asprintf("job %s: all rounds of one side ran "
				     "before all of the other, so that a drift "
				     "of the machine looks like a change",
				     job->name);
	for (side = 0; side < 2; side++) {
		if (job->boots[side] && job->boots[side] < GATE_MIN_PAIRS)
			return gate_asprintf(
				"job %s: the rounds of the %s share %u boot%s, "
				"and boots differ by more than rounds do; %d "
				"are needed",
				job->name, gate_side_name((enum gate_side)side),
				job->boots[side],
				job->boots[side] == 1 ? "" : "s",
				(int)GATE_MIN_PAIRS);
		if (100 * job->contaminated[side] >
		    CONTAMINATED * job->rounds[side])
			return gate_asprintf(
				"job %s: in %u of %u rounds of the %s another "
				"load took the processor",
				job->name, job->contaminated[side],
				job->rounds[side],
				gate_side_name((enum gate_side)side));
	}
	return NULL;
}

static void check_jobs(struct gate_judging *w)
{
	struct gate_result *r = w->result;
	struct gate_str all = {0};
	size_t i;

	w->unsound = gate_calloc(r->n_jobs + 1, sizeof *w->unsound);
	for (i = 0; i < r->n_jobs; i++) {
		if (r->jobs[i].clock != w->clock)
			continue;
		w->unsound[i] = find_unsound(&r->jobs[i]);
		if (w->unsound[i])
			gate_str_addf(&all, "%s%s", all.len ? "; " : "",
				      w->unsound[i]);
	}
	if (all.len) {
		r->check.unsound = gate_strdup(gate_str_text(&all));
		gate_diags_add(&r->diags, GATE_DIAG_WARNING, "check.unsound",
			       "no verdict may rest on it: %s",
			       r->check.unsound);
	}
	gate_str_done(&all);
}

const char *gate_judge_unsound(const struct gate_judging *w, const char *job)
{
	const struct gate_result *r = w->result;
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (w->unsound[i] && !strcmp(r->jobs[i].name, job))
			return w->unsound[i];
	return NULL;
}

void gate_judge_check(struct gate_judging *w)
{
	struct gate_check *c = &w->result->check;

	free(c->unsound);
	*c = (struct gate_check){.present = w->n > 0};
	gate_diags_drop(&w->result->diags, "check.");
	check_noise(w);
	check_jobs(w);
}
