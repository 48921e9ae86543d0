#include "gate/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gate/judge.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"

bool gate_row_open(const struct gate_row *row)
{
	return row->verdict == GATE_V_INCONCLUSIVE ||
	       row->verdict == GATE_V_INSUFFICIENT;
}

size_t gate_decide(struct gate_result *r, enum gate_clock clock,
		   const struct gate_look_spec *spec)
{
	struct gate_judging w;
	size_t open = 0;
	size_t i;

	gate_judge_init(&w, r, clock, spec);
	if (clock == GATE_CLOCK_INSTRUCTIONS)
		gate_judge_instructions(&w);
	else
		gate_judge_wall(&w);
	for (i = 0; i < w.n && !spec->last; i++)
		open += gate_row_open(w.rows[i].row);
	gate_judge_done(&w);
	return open;
}

/* What the outcome hangs on, counted. Ignored rows are not in it. */
struct tally {
	size_t rows;
	size_t of[GATE_VERDICTS];
	const struct gate_row *worst[GATE_VERDICTS]; /* the slowest of each */
	const struct gate_row *slowest;
	size_t drivers;
	const struct gate_row *driver; /* the first that changed */
	size_t groups;
	const struct gate_group *group; /* the slowest that regressed */
	size_t empty;
	const struct gate_job_info *empty_job;
	const struct gate_job_info *blind_job; /* its rows are unresolvable */
	size_t blind;
};

static bool slower(const struct gate_row *a, const struct gate_row *than)
{
	if (!than || (isnan(than->slowdown) && !isnan(a->slowdown)))
		return true;
	return a->slowdown > than->slowdown;
}

static void count_rows(const struct gate_result *r, struct tally *t)
{
	const struct gate_row *row;
	size_t i;

	for (i = 0; i < r->n_rows; i++) {
		row = &r->rows[i];
		if (row->limits.ignore)
			continue;
		t->rows++;
		t->of[row->verdict]++;
		if (slower(row, t->worst[row->verdict]))
			t->worst[row->verdict] = row;
		if (slower(row, t->slowest))
			t->slowest = row;
		if (row->driver_changed && !t->drivers++)
			t->driver = row;
	}
}

static void count_groups(const struct gate_result *r, struct tally *t)
{
	size_t i;

	for (i = 0; i < r->n_groups; i++) {
		if (r->groups[i].verdict != GATE_V_REGRESSION)
			continue;
		t->groups++;
		if (!t->group || r->groups[i].slowdown > t->group->slowdown)
			t->group = &r->groups[i];
	}
}

/*
 * A job that the candidate gave no value is not fine, even where the policy
 * lets single rows go missing.
 */
static void count_jobs(const struct gate_result *r, struct tally *t)
{
	const struct gate_job_info *job;
	const struct gate_row *row;
	size_t i, k, values, rows, blind;

	for (i = 0; i < r->n_jobs; i++) {
		job = &r->jobs[i];
		values = rows = blind = 0;
		for (k = 0; k < r->n_rows; k++) {
			row = &r->rows[k];
			if (row->clock != job->clock ||
			    strcmp(row->job, job->name) != 0)
				continue;
			values += row->candidate.usable +
				  gate_judge_printed_zero(&row->candidate);
			rows += !row->limits.ignore;
			blind += !row->limits.ignore &&
				 row->verdict == GATE_V_UNRESOLVABLE;
		}
		if (!values && !job->allow_empty && !t->empty++)
			t->empty_job = job;
		if (rows && rows == blind && !t->blind++)
			t->blind_job = job;
	}
}

static void add_part(struct gate_str *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_part(struct gate_str *s, const char *fmt, ...)
{
	va_list ap;

	if (s->len)
		gate_str_puts(s, "; ");
	va_start(ap, fmt);
	gate_str_addv(s, fmt, ap);
	va_end(ap);
}

static void add_rows(struct gate_str *s, const struct tally *t,
		     enum gate_verdict v, const char *what, const char *lead)
{
	const struct gate_row *row = t->worst[v];

	if (!row)
		return;
	add_part(s, "%zu of %zu rows %s, %s %s/%s", t->of[v], t->rows, what,
		 lead, row->bench, row->row);
	if (!isnan(row->slowdown))
		gate_str_addf(s, " %+.2f %%",
			      gate_judge_percent(row->slowdown));
}

static bool conclude_regression(const struct gate_result *r,
				const struct tally *t, struct gate_str *s)
{
	const struct gate_suite *suite = &r->suite;

	add_rows(s, t, GATE_V_REGRESSION, "slower", "worst");
	if (t->groups)
		add_part(s, "%zu of %zu groups slower, worst %s %+.2f %%",
			 t->groups, r->n_groups, t->group->group,
			 gate_judge_percent(t->group->slowdown));
	if (suite->present && suite->verdict == GATE_V_REGRESSION)
		add_part(s, "the suite slower by %.2f %%",
			 gate_judge_percent(suite->slowdown));
	add_rows(s, t, GATE_V_FAILED, "failed on the candidate", "first");
	if (r->policy.missing == GATE_FAIL)
		add_rows(s, t, GATE_V_MISSING, "missing on the candidate",
			 "first");
	if (r->policy.driver_change == GATE_FAIL && t->drivers)
		add_part(s, "%zu of %zu rows changed their driver, first %s/%s",
			 t->drivers, t->rows, t->driver->bench, t->driver->row);
	return s->len > 0;
}

static bool conclude_error(const struct gate_result *r, const struct tally *t,
			   struct gate_str *s)
{
	add_rows(s, t, GATE_V_INCOMPARABLE, "cannot be compared", "first");
	if (t->empty)
		add_part(s, "%zu of %zu jobs gave no value, first %s", t->empty,
			 r->n_jobs, t->empty_job->name);
	if (!r->n_rows && !r->n_jobs)
		add_part(s, "nothing was measured");
	return s->len > 0;
}

/* What would have been a regression, had the rounds been fit to say so. */
static void add_barred(const struct gate_result *r, struct gate_str *s)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < r->n_groups; i++)
		n += r->groups[i].verdict == GATE_V_INCONCLUSIVE;
	if (n)
		add_part(s,
			 "%zu of %zu groups slower, but barred from "
			 "blocking",
			 n, r->n_groups);
	if (r->suite.present && r->suite.verdict == GATE_V_INCONCLUSIVE)
		add_part(s, "the suite slower, but barred from blocking");
	if (r->check.unsound)
		add_part(s, "no verdict may rest on these rounds: %s",
			 r->check.unsound);
}

static bool conclude_inconclusive(const struct gate_result *r,
				  const struct tally *t, struct gate_str *s)
{
	add_barred(r, s);
	add_rows(s, t, GATE_V_INCONCLUSIVE, "undecided", "slowest");
	add_rows(s, t, GATE_V_INSUFFICIENT, "with too few usable rounds",
		 "slowest");
	if (t->blind)
		add_part(s,
			 "%zu of %zu jobs have no row that the clock or the "
			 "print resolves, first %s",
			 t->blind, r->n_jobs, t->blind_job->name);
	return s->len > 0;
}

static void conclude_pass(const struct tally *t, struct gate_str *s)
{
	if (!t->rows)
		add_part(s, "no row to judge");
	else
		add_part(s, "none of %zu rows slower", t->rows);
	if (t->slowest && gate_judge_percent(t->slowest->slowdown) > 0)
		gate_str_addf(s, ", slowest %s/%s %+.2f %%", t->slowest->bench,
			      t->slowest->row,
			      gate_judge_percent(t->slowest->slowdown));
	if (t->of[GATE_V_IMPROVEMENT])
		add_part(s, "%zu faster", t->of[GATE_V_IMPROVEMENT]);
	if (t->of[GATE_V_PARKED])
		add_part(s,
			 "%zu without a sign of a slowdown, but too noisy "
			 "to exclude one",
			 t->of[GATE_V_PARKED]);
	if (t->of[GATE_V_UNRESOLVABLE])
		add_part(s, "%zu too coarse to judge",
			 t->of[GATE_V_UNRESOLVABLE]);
	if (t->of[GATE_V_NEW])
		add_part(s, "%zu new", t->of[GATE_V_NEW]);
	if (t->of[GATE_V_MISSING])
		add_part(s, "%zu missing, which the policy allows",
			 t->of[GATE_V_MISSING]);
}

void gate_conclude(struct gate_result *r)
{
	struct gate_str s = {0};
	struct tally t = {0};

	gate_cross_check(r);
	count_rows(r, &t);
	count_groups(r, &t);
	count_jobs(r, &t);
	free(r->outcome);
	free(r->reason);
	if (conclude_regression(r, &t, &s)) {
		r->exit_code = 1;
		r->outcome = gate_strdup("regression");
	} else if (conclude_error(r, &t, &s)) {
		r->exit_code = 4;
		r->outcome = gate_strdup("error");
	} else if (conclude_inconclusive(r, &t, &s)) {
		r->exit_code = 3;
		r->outcome = gate_strdup("inconclusive");
	} else {
		conclude_pass(&t, &s);
		r->exit_code = 0;
		r->outcome = gate_strdup("pass");
	}
	r->reason = gate_str_steal(&s);
}
