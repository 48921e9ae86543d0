#include "reporters/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/text.h"

/* Instruction clock: a best value counts when two rounds reached it
 * (procedure of the verdict; here only to name the side that has not). */
enum { EXACT_ROUNDS = 2 };

const enum gate_verdict gate_format_order[GATE_VERDICTS] = {
	GATE_V_FAILED,       GATE_V_MISSING,      GATE_V_REGRESSION,
	GATE_V_INCOMPARABLE, GATE_V_INCONCLUSIVE, GATE_V_INSUFFICIENT,
	GATE_V_UNRESOLVABLE, GATE_V_IMPROVEMENT,  GATE_V_NEW,
	GATE_V_PARKED,       GATE_V_PASS,
};

static const char *const meanings[GATE_VERDICTS] = {
	[GATE_V_REGRESSION] = "slower than the policy allows",
	[GATE_V_PASS] = "not slower than the policy allows",
	[GATE_V_IMPROVEMENT] = "faster",
	[GATE_V_PARKED] = "no sign of a slowdown, but no proof either",
	[GATE_V_INCONCLUSIVE] =
		"undecided, too close to the limit or too noisy",
	[GATE_V_INSUFFICIENT] = "too few rounds to judge",
	[GATE_V_UNRESOLVABLE] = "printed too coarsely to see the limit",
	[GATE_V_MISSING] = "measured on the base only",
	[GATE_V_NEW] = "measured on the candidate only",
	[GATE_V_FAILED] = "measured on the base, broken on the candidate",
	[GATE_V_INCOMPARABLE] = "the sides did not measure the same thing",
};

const char *gate_format_meaning(enum gate_verdict v)
{
	return meanings[v];
}

static size_t rank(enum gate_verdict v)
{
	size_t i = 0;

	while (i < GATE_VERDICTS && gate_format_order[i] != v)
		i++;
	return i;
}

bool gate_format_blocks(const struct gate_result *r, const struct gate_row *row)
{
	if (row->verdict == GATE_V_REGRESSION || row->verdict == GATE_V_FAILED)
		return true;
	if (row->verdict == GATE_V_MISSING)
		return r->policy.missing == GATE_FAIL;
	return row->driver_changed && r->policy.driver_change == GATE_FAIL;
}

static int by_attention(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	size_t rx = rank(x->verdict), ry = rank(y->verdict);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (isnan(x->slowdown) != isnan(y->slowdown))
		return isnan(x->slowdown) ? 1 : -1;
	if (!isnan(x->slowdown) && x->slowdown != y->slowdown)
		return x->slowdown > y->slowdown ? -1 : 1;
	/* Both are elements of the same array: its order decides. */
	return x < y ? -1 : x > y;
}

const struct gate_row **gate_format_sorted(const struct gate_result *r)
{
	const struct gate_row **rows = gate_calloc(r->n_rows, sizeof *rows);
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		rows[i] = &r->rows[i];
	qsort(rows, r->n_rows, sizeof *rows, by_attention);
	return rows;
}

static int groups_by_attention(const void *a, const void *b)
{
	const struct gate_group *x = *(const struct gate_group *const *)a;
	const struct gate_group *y = *(const struct gate_group *const *)b;
	size_t rx = rank(x->verdict), ry = rank(y->verdict);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (x->slowdown != y->slowdown && !isnan(x->slowdown) &&
	    !isnan(y->slowdown))
		return x->slowdown > y->slowdown ? -1 : 1;
	return (x > y) - (x < y);
}

const struct gate_group **gate_format_groups(const struct gate_result *r)
{
	const struct gate_group **groups =
		gate_calloc(r->n_groups, sizeof *groups);
	size_t i;

	for (i = 0; i < r->n_groups; i++)
		groups[i] = &r->groups[i];
	qsort(groups, r->n_groups, sizeof *groups, groups_by_attention);
	return groups;
}

bool gate_format_calm(enum gate_verdict v)
{
	return v == GATE_V_PASS || v == GATE_V_PARKED ||
	       v == GATE_V_IMPROVEMENT;
}

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int same_change(const struct gate_row *x, const struct gate_row *y)
{
	int c = by_text(x->job, y->job);

	if (!c)
		c = by_text(x->group, y->group);
	if (!c)
		c = by_text(x->base.driver, y->base.driver);
	return c ? c : by_text(x->candidate.driver, y->candidate.driver);
}

static int by_change(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	int c = same_change(x, y);

	return c ? c : (x > y) - (x < y);
}

static int by_first_row(const void *a, const void *b)
{
	const struct gate_format_change *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static void widen(struct gate_format_change *c, double v)
{
	c->rows++;
	if (!(c->least <= v))
		c->least = v;
	if (!(c->most >= v))
		c->most = v;
}

struct gate_format_change *gate_format_changes(const struct gate_result *r,
					       size_t *n)
{
	const struct gate_row **rows = gate_calloc(r->n_rows, sizeof *rows);
	struct gate_format_change *changes;
	size_t m = 0, i;

	*n = 0;
	for (i = 0; i < r->n_rows; i++)
		if (r->rows[i].driver_changed)
			rows[m++] = &r->rows[i];
	changes = gate_calloc(m, sizeof *changes);
	qsort(rows, m, sizeof *rows, by_change);
	for (i = 0; i < m; i++) {
		if (!i || same_change(rows[i - 1], rows[i]) != 0)
			changes[(*n)++] = (struct gate_format_change){
				rows[i], 0, GATE_NAN, GATE_NAN};
		if (isnan(rows[i]->slowdown))
			changes[*n - 1].rows++;
		else
			widen(&changes[*n - 1], rows[i]->slowdown);
	}
	qsort(changes, *n, sizeof *changes, by_first_row);
	free(rows);
	return changes;
}

const char *gate_format_outcome(const struct gate_result *r)
{
	switch (r->exit_code) {
	case 0:
		return "pass";
	case 1:
		return "regression";
	case 2:
		return "wrong configuration";
	case 3:
		return "inconclusive";
	default:
		return "could not measure";
	}
}

void gate_format_counts(const struct gate_result *r, struct gate_str *out)
{
	bool any = false;
	size_t i, n;

	for (i = 0; i < GATE_VERDICTS; i++) {
		n = gate_result_count(r, gate_format_order[i]);
		if (!n)
			continue;
		gate_str_addf(out, "%s%zu %s", any ? ", " : "", n,
			      gate_verdict_name(gate_format_order[i]));
		any = true;
	}
	for (i = 0, n = 0; i < r->n_rows; i++)
		n += r->rows[i].limits.ignore;
	if (n)
		gate_str_addf(out, " (%zu ignored by the policy)", n);
	if (!any)
		gate_str_puts(out, "no rows");
}

void gate_format_reason(const struct gate_result *r, struct gate_str *out)
{
	if (r->reason && *r->reason)
		gate_str_puts(out, r->reason);
	else
		gate_format_counts(r, out);
}

const char *gate_format_clock(enum gate_clock clock)
{
	return clock == GATE_CLOCK_INSTRUCTIONS ? "instructions, not time"
						: "wall clock";
}

void gate_format_job(const struct gate_job_info *job, struct gate_str *out)
{
	const unsigned *n = job->rounds;

	if (job->runner)
		gate_str_addf(out, "%s, ", job->runner);
	if (n[GATE_BASE] == n[GATE_CANDIDATE])
		gate_str_addf(out, "%u round%s a side", n[GATE_BASE],
			      n[GATE_BASE] == 1 ? "" : "s");
	else
		gate_str_addf(out, "%u rounds of base and %u of candidate",
			      n[GATE_BASE], n[GATE_CANDIDATE]);
	gate_str_addf(out, ", %s", gate_format_clock(job->clock));
	if (job->params)
		gate_str_addf(out, "; %s", job->params);
}

void gate_format_limits(const struct gate_policy *p, enum gate_clock clock,
			struct gate_str *out)
{
	char num[GATE_NUM_MAX];

	if (clock == GATE_CLOCK_INSTRUCTIONS) {
		gate_str_puts(out, "rows ");
		gate_format_share(p->insn_threshold, out);
		gate_str_addf(out, " and %s insn/op, groups ",
			      gate_num_print(p->insn_floor, num));
		gate_format_share(p->insn_group, out);
	} else {
		gate_str_puts(out, "rows ");
		gate_format_share(p->threshold, out);
		gate_str_puts(out, " (tolerated ");
		gate_format_share(p->tolerated, out);
		gate_str_puts(out, "), groups ");
		gate_format_share(p->group_threshold, out);
		gate_str_puts(out, ", suite ");
		gate_format_share(p->suite_threshold, out);
		gate_str_puts(out, ", false alarms in at most ");
		gate_format_share(p->alpha, out);
		gate_str_puts(out, " of runs");
	}
	if (p->n_rules)
		gate_str_addf(out, "; %zu rule%s for some rows", p->n_rules,
			      p->n_rules == 1 ? "" : "s");
}

bool gate_format_has_clock(const struct gate_result *r, enum gate_clock clock)
{
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].clock == clock)
			return true;
	for (i = 0; i < r->n_rows; i++)
		if (r->rows[i].clock == clock)
			return true;
	return false;
}

static bool shell_safe(const char *s)
{
	return *s && *s != '-' &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
			    "XYZ0123456789_.:,=+@/-")];
}

bool gate_format_reproduce(const struct gate_result *r, struct gate_str *out)
{
	size_t i;

	if (!r->command || strcmp(r->command, "run") != 0 || !r->base.commit ||
	    !r->candidate.commit || !shell_safe(r->base.commit) ||
	    !shell_safe(r->candidate.commit))
		return false;
	for (i = 0; i < r->n_jobs; i++)
		if (!shell_safe(r->jobs[i].name))
			return false;
	gate_str_addf(out, "gate run --base %s --candidate %s", r->base.commit,
		      r->candidate.commit);
	for (i = 0; i < r->n_jobs; i++)
		gate_str_addf(out, " --job %s", r->jobs[i].name);
	return true;
}

void gate_format_name(const struct gate_row *row, struct gate_str *out)
{
	gate_str_addf(out, "%s/%s", row->bench, row->row);
}

const char *gate_format_rest(const struct gate_row *row)
{
	size_t bench = strlen(row->bench), group = strlen(row->group);

	/* The group is "bench/" and the beginning of the row. */
	if (group <= bench + 1 || strncmp(row->group, row->bench, bench) != 0)
		return row->row;
	group -= bench + 1;
	if (strncmp(row->row, row->group + bench + 1, group) != 0 ||
	    row->row[group] != '/' || !row->row[group + 1])
		return row->row;
	return row->row + group + 1;
}

void gate_format_driver(const struct gate_row *row, struct gate_str *out)
{
	const char *b = row->base.driver, *c = row->candidate.driver;

	if (b && c && strcmp(b, c) != 0)
		gate_str_addf(out, "%s -> %s", b, c);
	else if (b || c)
		gate_str_puts(out, b ? b : c);
}

double gate_format_center(const struct gate_row *row,
			  const struct gate_row_side *side)
{
	return row->clock == GATE_CLOCK_INSTRUCTIONS ? side->best
						     : side->median;
}

/* Four significant digits of 0 <= v < 1000. */
static void four_digits(double v, struct gate_str *out)
{
	gate_str_addf(out, "%.*f", v < 9.9995 ? 3 : v < 99.995 ? 2 : 1, v);
}

static const char *large(double v, struct gate_str *out)
{
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
	size_t i = 0;

	while (v >= 999.95 && i + 1 < sizeof prefix / sizeof prefix[0]) {
		v /= 1000;
		i++;
	}
	four_digits(v, out);
	return prefix[i];
}

/* Only seconds are said in thousandths of themselves. */
static const char *small(double v, enum gate_unit unit, struct gate_str *out)
{
	static const char *const prefix[] = {"", "m", "u", "n"};
	size_t i = 0;

	if (unit != GATE_UNIT_S) {
		gate_str_addf(out, "%.4f", v);
		return "";
	}
	while (v < 0.9995 && i + 1 < sizeof prefix / sizeof prefix[0]) {
		v *= 1000;
		i++;
	}
	four_digits(v, out);
	return prefix[i];
}

/* Appends the digits; returns the prefix of the unit. */
static const char *digits(double v, enum gate_unit unit, struct gate_str *out)
{
	/* Counts of instructions and cycles are read digit by digit. */
	bool counted = unit == GATE_UNIT_INSN_PER_OP ||
		       unit == GATE_UNIT_INSN ||
		       unit == GATE_UNIT_CYCLES_PER_OP;

	if (v < 0) {
		gate_str_putc(out, '-');
		v = -v;
	}
	/* Four digits before the point need no prefix and no more behind. */
	if ((v < (counted ? 1e8 : 1e4) && v == floor(v)) ||
	    (!counted && v >= 999.95 && v < 9999.5)) {
		gate_str_addf(out, "%.0f", v);
		return "";
	}
	if (counted && v < 1e8) {
		gate_str_addf(out, "%.1f", v);
		return "";
	}
	return v < 0.9995 ? small(v, unit, out) : large(v, out);
}

void gate_format_value(double v, enum gate_unit unit, struct gate_str *out)
{
	const char *prefix;

	if (isnan(v)) {
		gate_str_puts(out, "-");
		return;
	}
	prefix = digits(v, unit, out);
	if (*prefix)
		gate_str_addf(out, " %s", prefix);
}

void gate_format_quantity(double v, enum gate_unit unit, struct gate_str *out)
{
	bool symbol = unit == GATE_UNIT_B_PER_S || unit == GATE_UNIT_B ||
		      unit == GATE_UNIT_S;
	const char *prefix;

	if (isnan(v)) {
		gate_str_puts(out, "-");
		return;
	}
	prefix = digits(v, unit, out);
	if (unit == GATE_UNIT_ONE || unit == GATE_UNIT_NONE)
		gate_str_addf(out, "%s%s", *prefix ? " " : "", prefix);
	else
		gate_str_addf(out, " %s%s%s", prefix,
			      *prefix && !symbol ? " " : "",
			      gate_unit_name(unit));
}

void gate_format_percent(double fraction, struct gate_str *out)
{
	double v = 100 * fraction;

	if (isnan(v))
		gate_str_puts(out, "-");
	else if (v == 0)
		gate_str_puts(out, "0 %");
	else if (fabs(v) < 0.005)
		gate_str_puts(out, "0.00 %");
	else
		gate_str_addf(out, "%+.*f %%", fabs(v) < 99.995 ? 2 : 0, v);
}

void gate_format_share(double fraction, struct gate_str *out)
{
	if (isnan(fraction))
		gate_str_puts(out, "-");
	else
		gate_str_addf(out, "%.4g %%", 100 * fraction);
}

/* Without a minus before zeroes. */
static double percent(double fraction)
{
	return fabs(fraction) < 0.00005 ? 0 : 100 * fraction;
}

void gate_format_interval(const double ci[2], struct gate_str *out)
{
	int places;

	if (isnan(ci[0]) || isnan(ci[1])) {
		gate_str_puts(out, "-");
		return;
	}
	places = fabs(ci[0]) < 0.99995 && fabs(ci[1]) < 0.99995 ? 2 : 0;
	gate_str_addf(out, "%+.*f .. %+.*f %%", places, percent(ci[0]), places,
		      percent(ci[1]));
}

void gate_format_certainty(const struct gate_row *row, struct gate_str *out)
{
	bool base = row->base.best_rounds >= EXACT_ROUNDS;
	bool candidate = row->candidate.best_rounds >= EXACT_ROUNDS;

	if (row->clock != GATE_CLOCK_INSTRUCTIONS)
		gate_format_interval(row->ci, out);
	else if (isnan(row->slowdown))
		gate_str_puts(out, "-");
	else if (base && candidate)
		gate_str_puts(out, "exact");
	else if (base || candidate)
		gate_str_addf(out, "only %s exact",
			      base ? "base" : "candidate");
	else
		gate_str_puts(out, "not exact");
}

void gate_format_spread(double least, double most, struct gate_str *out)
{
	if (least < most) {
		gate_format_percent(least, out);
		gate_str_puts(out, " .. ");
	}
	gate_format_percent(most, out);
}
