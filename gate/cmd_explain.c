/* gate explain: why a row got its verdict, every number on the way. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/cli.h"
#include "gate/plan.h"
#include "gate/result.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/util/text.h"

static const struct gate_cli_option options[] = {
	{"--job", GATE_CLI_VALUE, "NAME", "the row of this job"},
	{"--clock", GATE_CLI_VALUE, "wall|instructions",
	 "the row of this clock"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

enum { WIDTH = 80, LABEL = 12, SHOWN_MAX = 8 };

/* Printing */

/* Wraps at blanks, with this indent from the second line on; `at` is where the
 * first line stands. What has no blank is never cut: it may be copied. */
static void print_wrapped(const char *text, size_t at, size_t indent)
{
	size_t len;

	while (*text) {
		len = strcspn(text, " ");
		if (at > indent && at + 1 + len > WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		fwrite(text, 1, len, stdout);
		at += len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_line(const char *label, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void print_line(const char *label, const char *fmt, ...)
{
	struct gate_str s = {0}, plain = {0};
	va_list ap;

	va_start(ap, fmt);
	gate_str_addv(&s, fmt, ap);
	va_end(ap);
	gate_text_plain(&plain, gate_str_text(&s), s.len);
	printf("  %-*s", LABEL - 2, label);
	print_wrapped(gate_str_text(&plain), LABEL, LABEL);
	gate_str_done(&plain);
	gate_str_done(&s);
}

/* A fraction in percent, with a sign; "none" when there is no such number. */
static const char *percent(double v, char buf[GATE_NUM_MAX])
{
	if (!isfinite(v))
		return "none";
	snprintf(buf, GATE_NUM_MAX, "%+.3f %%", fabs(v) < 5e-6 ? 0 : 100 * v);
	return buf;
}

static const char *chance(double p, char buf[GATE_NUM_MAX])
{
	if (!isfinite(p))
		return "none";
	snprintf(buf, GATE_NUM_MAX, "%.3g", p);
	return buf;
}

/* Finding the row */

static bool matches(const struct gate_row *row, const char *name,
		    const char *driver)
{
	size_t bench = strlen(row->bench);
	bool named = !strcmp(row->row, name) ||
		     (!strncmp(row->bench, name, bench) && name[bench] == '/' &&
		      !strcmp(row->row, name + bench + 1));

	return named &&
	       (!driver ||
		(row->base.driver && !strcmp(row->base.driver, driver)) ||
		(row->candidate.driver &&
		 !strcmp(row->candidate.driver, driver)));
}

static bool wanted(const struct gate_cli *cli, const struct gate_row *row)
{
	const char *job = gate_cli_value(cli, "--job", row->job);
	const char *clock =
		gate_cli_value(cli, "--clock", gate_clock_name(row->clock));

	return !strcmp(job, row->job) &&
	       !strcmp(clock, gate_clock_name(row->clock));
}

struct found {
	const struct gate_row **rows;
	size_t n, cap;
};

static void find(const struct gate_cli *cli, const struct gate_result *r,
		 const char *name, const char *driver, struct found *f)
{
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		if (matches(&r->rows[i], name, driver) &&
		    wanted(cli, &r->rows[i]))
			GATE_PUSH(f->rows, f->n, f->cap, &r->rows[i]);
}

static void add_name(struct gate_str *s, const char *name, size_t *n)
{
	/* The same row of several jobs is named once. */
	if (s->len && strstr(gate_str_text(s), name))
		return;
	gate_str_addf(s, "%s%s", s->len ? ", " : "", name);
	++*n;
}

static int no_such_row(const struct gate_result *r, const char *name,
		       struct gate_error *err)
{
	char **names = gate_calloc(2 * r->n_rows + 1, sizeof *names);
	struct gate_str near = {0};
	const char *one;
	size_t n = 0, i;

	for (i = 0; i < r->n_rows; i++) {
		names[2 * i] = gate_asprintf("%s/%s", r->rows[i].bench,
					     r->rows[i].row);
		names[2 * i + 1] = gate_strdup(r->rows[i].row);
	}
	one = gate_str_nearest(name, (const char *const *)names);
	if (one)
		add_name(&near, one, &n);
	for (i = 0; i < r->n_rows && n < SHOWN_MAX && *name; i++)
		if (strstr(names[2 * i], name))
			add_name(&near, names[2 * i], &n);
	gate_error_set(err, GATE_EUSAGE, "no row \"%s\"%s%s", name,
		       near.len ? "; nearest: " : " in this result",
		       gate_str_text(&near));
	gate_str_done(&near);
	for (i = 0; i < 2 * r->n_rows; i++)
		free(names[i]);
	free(names);
	return GATE_EUSAGE;
}

static int ambiguous(const struct found *f, const char *name,
		     struct gate_error *err)
{
	struct gate_str s = {0};
	size_t i;

	for (i = 0; i < f->n && i < SHOWN_MAX; i++) {
		const struct gate_row *row = f->rows[i];
		const char *driver = row->base.driver ? row->base.driver
						      : row->candidate.driver;

		gate_str_addf(&s, "%s%s/%s%s%s --job %s --clock %s",
			      i ? "; " : "", row->bench, row->row,
			      driver ? "@" : "", driver ? driver : "", row->job,
			      gate_clock_name(row->clock));
	}
	gate_error_set(err, GATE_EUSAGE, "\"%s\" is %zu rows: %s%s", name, f->n,
		       gate_str_text(&s), f->n > SHOWN_MAX ? "; ..." : "");
	gate_str_done(&s);
	return GATE_EUSAGE;
}

static int choose(const struct gate_cli *cli, const struct gate_result *r,
		  const struct gate_row **ret, struct gate_error *err)
{
	const char *text = cli->words[1], *at = strrchr(text, '@');
	struct found f = {0};
	char *name = NULL;
	int rc = GATE_OK;

	find(cli, r, text, NULL, &f);
	if (!f.n && at) {
		name = gate_strndup(text, (size_t)(at - text));
		find(cli, r, name, at + 1, &f);
	}
	if (f.n == 1)
		*ret = f.rows[0];
	else
		rc = f.n ? ambiguous(&f, text, err) : no_such_row(r, text, err);
	free(name);
	free(f.rows);
	return rc;
}

/* What is known of the row */

static void print_head(const struct gate_row *row)
{
	struct gate_str full = {0};

	gate_text_plain(&full, row->bench, strlen(row->bench));
	gate_str_putc(&full, '/');
	gate_text_plain(&full, row->row, strlen(row->row));
	puts(gate_str_text(&full));
	gate_str_done(&full);
	print_line("verdict", "%s: %s", gate_verdict_name(row->verdict),
		   row->reason);
	if (row->waived)
		print_line("waiver",
			   "\"%s\" accepts it until %s: %s; without "
			   "it the verdict is %s",
			   row->waived->match, row->waived->expires,
			   row->waived->reason,
			   gate_verdict_name(row->waived->from));
}

static void print_job(const struct gate_result *r, const struct gate_row *row)
{
	const char *b = row->base.driver, *c = row->candidate.driver;
	size_t i;

	print_line("job", "%s, %s clock; %s, %s is better", row->job,
		   row->clock ? "instruction" : "wall",
		   gate_unit_name(row->unit), gate_better_name(row->better));
	for (i = 0; i < r->n_jobs; i++)
		if (!strcmp(r->jobs[i].name, row->job) && r->jobs[i].params &&
		    r->jobs[i].clock == row->clock)
			print_line("", "%s", r->jobs[i].params);
	for (i = 0; i < r->n_jobs; i++)
		if (!strcmp(r->jobs[i].name, row->job) &&
		    r->jobs[i].cpu_share > 0)
			print_line("processor",
				   "%u of %u rounds of the base and %u of %u "
				   "of the candidate got less than %.0f %% of "
				   "one",
				   r->jobs[i].contaminated[0],
				   r->jobs[i].rounds[0],
				   r->jobs[i].contaminated[1],
				   r->jobs[i].rounds[1],
				   100 * r->jobs[i].cpu_share);
	if (row->driver_changed)
		print_line("driver", "%s on the base, %s on the candidate",
			   b ? b : "unnamed", c ? c : "unnamed");
	else if (b || c)
		print_line("driver", "%s", b ? b : c);
}

static bool usable(double v)
{
	return isfinite(v) && v > 0;
}

static void print_value(double v)
{
	char num[GATE_NUM_MAX];

	printf(" %18s", isfinite(v) ? gate_num_print(v, num) : "-");
}

/* The value of a round; NAN when the side lacks it. */
static double value_of(const struct gate_row_side *side, unsigned round)
{
	size_t i;

	for (i = 0; i < side->n; i++)
		if (side->rounds[i] == round)
			return side->values[i];
	return GATE_NAN;
}

static void print_round(const struct gate_row *row, unsigned round)
{
	double b = value_of(&row->base, round);
	double c = value_of(&row->candidate, round), d;

	printf("  %6u", round);
	print_value(b);
	print_value(c);
	if (usable(b) && usable(c)) {
		d = row->better == GATE_HIGHER ? log(b) - log(c)
					       : log(c) - log(b);
		printf(" %+14.6f\n", fabs(d) < 5e-7 ? 0 : d);
	} else {
		printf(" %14s\n", "not paired");
	}
}

static void print_rounds(const struct gate_row *row)
{
	const struct gate_row_side *b = &row->base, *c = &row->candidate;
	size_t i = 0, k = 0;

	printf("\n  %6s %18s %18s %14s\n", "round", "base", "candidate",
	       "ln, + slower");
	while (i < b->n || k < c->n) {
		unsigned x = i < b->n ? b->rounds[i] : (unsigned)-1;
		unsigned y = k < c->n ? c->rounds[k] : (unsigned)-1;
		unsigned round = x < y ? x : y;

		print_round(row, round);
		i += x == round;
		k += y == round;
	}
	printf("  %6s", "median");
	print_value(b->median);
	print_value(c->median);
	putchar('\n');
	if (row->clock == GATE_CLOCK_INSTRUCTIONS) {
		printf("  %6s", "best");
		print_value(b->best);
		print_value(c->best);
		putchar('\n');
	}
	putchar('\n');
}

static void print_resolution(const struct gate_row *row)
{
	char base[GATE_NUM_MAX], candidate[GATE_NUM_MAX], h[GATE_NUM_MAX];
	const char *unit = gate_unit_name(row->unit);

	if (!isfinite(row->h))
		return;
	if (row->base.resolution > 0 || row->candidate.resolution > 0)
		print_line(
			"h",
			"%s: one printed step (%s %s on the base, %s %s on "
			"the candidate), of the side where it is more; every "
			"bound is widened by it",
			percent(expm1(row->h), h),
			gate_num_print(row->base.resolution, base), unit,
			gate_num_print(row->candidate.resolution, candidate),
			unit);
	else if (row->h > 0)
		print_line("h",
			   "%s: no step is stated, so the smallest difference "
			   "between the few distinct values counts as one",
			   percent(expm1(row->h), h));
	else
		print_line("h", "0: no step is stated and none shows");
}

static const char *witness(const struct gate_row_side *side)
{
	return side->best_rounds >= 2 ? "exact" : "a bound only";
}

static void print_exact(const struct gate_row *row)
{
	char slow[GATE_NUM_MAX], num[2][GATE_NUM_MAX];

	print_line("exact",
		   "the base's best was reached by %zu rounds (%s), the "
		   "candidate's by %zu (%s); two make it exact",
		   row->base.best_rounds, witness(&row->base),
		   row->candidate.best_rounds, witness(&row->candidate));
	print_line("estimate", "%s, %s -> %s %s, best against best",
		   percent(row->slowdown, slow),
		   gate_num_print(row->base.best, num[0]),
		   gate_num_print(row->candidate.best, num[1]),
		   gate_unit_name(row->unit));
}

static void print_estimate(const struct gate_row *row)
{
	char a[GATE_NUM_MAX], b[GATE_NUM_MAX], c[GATE_NUM_MAX];

	print_line("estimate",
		   "%s (Huber's location of the logarithms), 95 %% interval "
		   "%s to %s with h",
		   percent(row->slowdown, a), percent(row->ci[0], b),
		   percent(row->ci[1], c));
	print_line("p",
		   "%s that the slowdown is no more than tolerated; %s after "
		   "Holm over all rows, which decides; q %s after Benjamini "
		   "and Hochberg",
		   chance(row->p, a), chance(row->p_holm, b),
		   chance(row->q_bh, c));
	print_line("ranks",
		   "for comparison: Hodges-Lehmann %s, interval %s to %s",
		   percent(row->hl, a), percent(row->hl_ci[0], b),
		   percent(row->hl_ci[1], c));
	print_line("", "Mann-Whitney p %s, signed rank p %s",
		   chance(row->p_mw, a), chance(row->p_sr, b));
}

/* The floor as a fraction of the base, where it is a second threshold. */
static double floor_fraction(const struct gate_row *row)
{
	const struct gate_limits *l = &row->limits;
	double base = row->base.median;

	if (l->floor_unit != row->unit || !(l->floor > 0) || !usable(base))
		return 0;
	if (row->better == GATE_LOWER)
		return l->floor / base;
	return l->floor < base ? l->floor / (base - l->floor)
			       : (double)INFINITY;
}

static void print_limits(const struct gate_result *r,
			 const struct gate_row *row)
{
	const struct gate_limits *l = &row->limits;
	char num[GATE_NUM_MAX], share[GATE_NUM_MAX];
	double least = floor_fraction(row);

	if (l->rule)
		print_line("policy",
			   "rule %zu of policy.rows, \"%s\", was the last to "
			   "match",
			   l->rule, r->policy.rules[l->rule - 1].match);
	else
		print_line("policy", "no rule of policy.rows matches: the "
				     "defaults hold");
	print_line("threshold", "%.4g %%, tolerated %.4g %%%s",
		   100 * l->threshold, 100 * l->tolerated,
		   l->ignore ? "; but the policy ignores this row" : "");
	if (l->floor_unit == GATE_UNIT_NONE)
		print_line("floor", "none");
	else if (l->floor_unit != row->unit)
		print_line("floor", "%s %s, another unit than the row's",
			   gate_num_print(l->floor, num),
			   gate_unit_name(l->floor_unit));
	else
		print_line("floor",
			   "%s %s, which is %s of the base's median; %s",
			   gate_num_print(l->floor, num),
			   gate_unit_name(l->floor_unit), percent(least, share),
			   least > l->threshold ? "more than the threshold, so "
						  "it holds instead"
						: "less than the threshold");
}

static void print_power(const struct gate_row *row)
{
	unsigned needed = gate_plan_rounds(row);
	char num[GATE_NUM_MAX];

	if (!isfinite(row->mde))
		return;
	if (gate_plan_too_coarse(row))
		print_line("mde",
			   "%s is found 9 times in 10; no number of rounds "
			   "gets it below the threshold, since h is too much",
			   percent(row->mde, num));
	else
		print_line("mde",
			   "%s is found 9 times in 10; %u round%s make that "
			   "the threshold",
			   percent(row->mde, num), needed,
			   needed == 1 ? "" : "s");
}

static void print_looks(const struct gate_result *r, const struct gate_row *row)
{
	const struct gate_look *l;
	char alpha[GATE_NUM_MAX];
	size_t i;

	for (i = 0; i < r->n_looks; i++) {
		l = &r->looks[i];
		if (l->clock != row->clock)
			continue;
		if (isfinite(l->alpha))
			print_line("look",
				   "after %u rounds, with alpha %s for rows, "
				   "groups and the suite (5 : 4 : 1)%s",
				   l->rounds, chance(l->alpha, alpha),
				   row->decided_at == l->rounds
					   ? ": decided this row"
					   : "");
		else
			print_line("look", "after %u rounds", l->rounds);
	}
}

static void print_group(const struct gate_result *r, const struct gate_row *row)
{
	char a[GATE_NUM_MAX], b[GATE_NUM_MAX], c[GATE_NUM_MAX];
	const struct gate_group *g;
	size_t i;

	for (i = 0; i < r->n_groups; i++) {
		g = &r->groups[i];
		if (g->clock != row->clock || strcmp(g->job, row->job) != 0 ||
		    strcmp(g->group, row->group) != 0)
			continue;
		putchar('\n');
		print_line("group", "%s: %s", g->group,
			   gate_verdict_name(g->verdict));
		if (isfinite(g->p)) {
			print_line("",
				   "%s over %zu of %zu rows, interval %s to %s",
				   percent(g->slowdown, a), g->rows, g->of,
				   percent(g->ci[0], b), percent(g->ci[1], c));
			print_line("", "p %s, %s after Holm; threshold %.4g %%",
				   chance(g->p, a), chance(g->p_holm, b),
				   100 * g->threshold);
		}
		if (g->waived)
			print_line("waiver", "\"%s\" until %s",
				   g->waived->match, g->waived->expires);
		print_line("", "%s", g->reason);
		return;
	}
	print_line("group", "%s: too few complete rows to judge it",
		   row->group);
}

static void explain(const struct gate_result *r, const struct gate_row *row)
{
	print_head(row);
	print_job(r, row);
	print_rounds(row);
	print_line("rounds", "%zu usable on both sides, %zu dropped",
		   row->pairs, row->dropped);
	print_resolution(row);
	if (row->clock == GATE_CLOCK_INSTRUCTIONS && isfinite(row->slowdown))
		print_exact(row);
	else if (isfinite(row->p))
		print_estimate(row);
	print_limits(r, row);
	print_power(row);
	print_looks(r, row);
	print_group(r, row);
	if (r->check.unsound)
		print_line("unsound", "%s", r->check.unsound);
	else if (r->check.rows_barred && row->clock == GATE_CLOCK_WALL)
		print_line("noisy",
			   "no single row may block: the base "
			   "differs from itself in %zu of %zu rows",
			   r->check.apart, r->check.rows);
}

static int check_options(const struct gate_cli *cli, struct gate_error *err)
{
	const char *clock = gate_cli_value(cli, "--clock", "wall");
	enum gate_clock ignored;

	if (gate_clock_parse(clock, &ignored))
		return GATE_OK;
	return gate_error_set(err, GATE_EUSAGE,
			      "--clock is \"%s\", but must be wall or "
			      "instructions",
			      clock);
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	const struct gate_row *row = NULL;
	struct gate_result *r = NULL;
	int rc;

	rc = check_options(cli, err);
	if (rc)
		return rc;
	rc = gate_result_load(cli->words[0], &r, err);
	if (!rc)
		rc = choose(cli, r, &row, err);
	if (!rc && row)
		explain(r, row);
	gate_result_free(r);
	return rc;
}

const struct gate_cli_command gate_cmd_explain = {
	.name = "explain",
	.summary = "why a row got its verdict, every number",
	.usage = "  gate explain RESULT.json ROW[@DRIVER] [options]",
	.options = options,
	.min_words = 2,
	.max_words = 2,
	.run = run,
};
