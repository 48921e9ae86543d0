#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/pair.h"
#include "gate/stats.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/verdict.h"
#include "vectors.h"

enum { MOST = 64 };

static const struct gate_look_spec one_look = {.spend = 1, .last = true};

/* What is measured, and what comes of it. */
struct bench {
	struct gate_sample_set *set;
	struct gate_result *r;
};

static struct bench bench_new(void)
{
	return (struct bench){.set = gate_sample_set_new(),
			      .r = gate_result_new()};
}

static void bench_free(struct bench *b)
{
	gate_sample_set_free(b->set);
	gate_result_free(b->r);
}

/* A row to measure; the rest is what most tests do not care for. */
struct row {
	const char *name;
	const char *job; /* NULL: "j" */
	const char *driver;
	enum gate_clock clock;
	enum gate_unit unit;
	double resolution;
};

static const struct row wall = {.name = "g/0", .unit = GATE_UNIT_NS_PER_OP};
static const struct row rate = {.name = "g/0", .unit = GATE_UNIT_OP_PER_S};
static const struct row insn = {.name = "g/0",
				.clock = GATE_CLOCK_INSTRUCTIONS,
				.unit = GATE_UNIT_INSN_PER_OP,
				.resolution = 1};

static void measure(struct bench *b, const struct row *row, enum gate_side side,
		    unsigned round, double value)
{
	struct gate_measured m = {
		.s = {.size = sizeof(struct gate_sample),
		      .bench = "b",
		      .row = row->name,
		      .driver = row->driver,
		      .unit = row->unit,
		      .better = gate_unit_better(row->unit),
		      .value = value,
		      .resolution = row->resolution,
		      .iter = -1},
		.side = side,
		.clock = row->clock,
		.round = round,
		.job = row->job ? row->job : "j",
	};

	gate_sample_set_add(b->set, &m);
}

static void measure_all(struct bench *b, const struct row *row,
			enum gate_side side, const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		measure(b, row, side, (unsigned)i + 1, values[i]);
}

/* Noise that is the same on every machine: uniform in -1..1. */
static double noise(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state / 2147483648.0 - 1;
}

/* `rounds` rounds of a row around 1000, `factor` times as slow on the
 * candidate. */
static void measure_noisy(struct bench *b, const struct row *row, double factor,
			  double spread, unsigned rounds, unsigned seed)
{
	bool high = gate_unit_better(row->unit) == GATE_HIGHER;
	unsigned state = seed * 7919 + 1;
	double x, y;
	unsigned i;

	for (i = 1; i <= rounds; i++) {
		x = 1000 * exp(spread * noise(&state));
		y = 1000 * factor * exp(spread * noise(&state));
		measure(b, row, GATE_BASE, i, high ? 1e9 / x : x);
		measure(b, row, GATE_CANDIDATE, i, high ? 1e9 / y : y);
	}
}

/* `n` rows of one group, named GROUP/0 and so on. */
static void measure_group(struct bench *b, struct row row, const char *group,
			  size_t n, double factor, double spread,
			  unsigned rounds)
{
	char name[64];
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%s/%zu", group, i);
		row.name = name;
		measure_noisy(b, &row, factor, spread, rounds,
			      (unsigned)i + 100 * (unsigned char)group[0]);
	}
}

static size_t decide(struct bench *b, enum gate_clock clock,
		     const struct gate_look_spec *spec)
{
	if (!b->r->n_rows)
		gate_pair(b->set, b->r);
	return gate_decide(b->r, clock, spec);
}

static struct gate_row *wall_row(struct bench *b)
{
	decide(b, GATE_CLOCK_WALL, &one_look);
	return &b->r->rows[0];
}

static struct gate_row *insn_row(struct bench *b)
{
	decide(b, GATE_CLOCK_INSTRUCTIONS, &one_look);
	return &b->r->rows[0];
}

static void expect_verdict(const struct gate_row *row, enum gate_verdict v)
{
	cr_assert_eq(row->verdict, v, "%s/%s is %s and not %s: %s", row->job,
		     row->row, gate_verdict_name(row->verdict),
		     gate_verdict_name(v), row->reason);
	cr_assert(row->reason);
}

static void expect_reason(const char *reason, const char *part)
{
	cr_assert(reason && strstr(reason, part), "\"%s\" is not in \"%s\"",
		  part, reason);
}

static const struct gate_group *find_group(const struct gate_result *r,
					   const char *job, const char *name)
{
	size_t i;

	for (i = 0; i < r->n_groups; i++)
		if (!strcmp(r->groups[i].job, job) &&
		    !strcmp(r->groups[i].group, name))
			return &r->groups[i];
	return NULL;
}

/* ---- the reference ---- */

static void measure_vector(struct bench *b, const cJSON *in)
{
	struct row row = {
		.name = vectors_string(in, "name"),
		.unit = vectors_number(in, "dir") > 0 ? GATE_UNIT_NS_PER_OP
						      : GATE_UNIT_OP_PER_S,
		.resolution = vectors_number(in, "res_base"),
	};
	double values[MOST];
	size_t n;

	n = vectors_array(in, "base", values, MOST);
	measure_all(b, &row, GATE_BASE, values, n);
	n = vectors_array(in, "cand", values, MOST);
	measure_all(b, &row, GATE_CANDIDATE, values, n);
}

static enum gate_verdict vector_verdict(const cJSON *e,
					const struct gate_row *row)
{
	const char *name = vectors_string(e, "verdict");
	enum gate_verdict v;

	/* The reference has no such state. */
	if (!strcmp(name, "inconclusive") &&
	    row->verdict == GATE_V_UNRESOLVABLE) {
		cr_assert_gt(vectors_number(e, "h"), 0.015);
		return GATE_V_UNRESOLVABLE;
	}
	cr_assert(gate_verdict_parse(name, &v));
	return v;
}

static void check_row(const struct gate_row *row, const cJSON *e)
{
	const char *name = vectors_string(e, "name");

	cr_assert_str_eq(row->row, name);
	expect_verdict(row, vector_verdict(e, row));
	cr_assert_eq((double)row->pairs, vectors_number(e, "n"));
	if (!cJSON_GetObjectItem(e, "est")) {
		cr_assert(isnan(row->p));
		cr_assert(isnan(row->p_holm));
		cr_assert(isnan(row->q_bh));
		return;
	}
	VECTORS_CLOSE(row->h, vectors_number(e, "h"), name);
	VECTORS_CLOSE(row->slowdown, expm1(vectors_number(e, "est")), name);
	VECTORS_CLOSE(row->ci[0], expm1(vectors_number(e, "L95")), name);
	VECTORS_CLOSE(row->ci[1], expm1(vectors_number(e, "U95")), name);
	VECTORS_CLOSE(row->p, vectors_number(e, "p"), name);
	VECTORS_CLOSE(row->p_holm, vectors_number(e, "p_holm"), name);
}

/* MDE90 from the reference's own numbers. */
static void check_mde(const struct gate_row *row, const cJSON *e, double m)
{
	double se, t;

	if (!cJSON_GetObjectItem(e, "est"))
		return;
	se = sqrt(vectors_number(e, "mv"));
	t = gate_stats_t_quantile(0.005 / m, vectors_number(e, "mdf"));
	VECTORS_CLOSE(row->mde,
		      1.015 * exp(row->h + (t + 1.2815515655446004) * se) - 1,
		      row->row);
}

static void check_group(const struct gate_result *r, const cJSON *e)
{
	char *name = gate_asprintf("b/%s", vectors_string(e, "group"));
	const struct gate_group *g = find_group(r, "j", name);

	cr_assert(g, "no group %s", name);
	cr_assert_eq((double)g->rows, vectors_number(e, "k"));
	VECTORS_CLOSE(g->slowdown, expm1(vectors_number(e, "est")), name);
	VECTORS_CLOSE(g->ci[0], expm1(vectors_number(e, "L95")), name);
	VECTORS_CLOSE(g->ci[1], expm1(vectors_number(e, "U95")), name);
	VECTORS_CLOSE(g->p, vectors_number(e, "p"), name);
	VECTORS_CLOSE(g->p_holm, vectors_number(e, "p_holm"), name);
	cr_assert_eq(g->verdict == GATE_V_REGRESSION,
		     !strcmp(vectors_string(e, "verdict"), "regression"));
	free(name);
}

static void check_suite(const struct gate_suite *s, const cJSON *e, double k)
{
	cr_assert(s->present);
	cr_assert_eq((double)s->groups, k);
	VECTORS_CLOSE(s->slowdown, expm1(vectors_number(e, "est")), "suite");
	VECTORS_CLOSE(s->ci[0], expm1(vectors_number(e, "L95")), "suite");
	VECTORS_CLOSE(s->ci[1], expm1(vectors_number(e, "U95")), "suite");
	VECTORS_CLOSE(s->p, vectors_number(e, "p"), "suite");
	cr_assert_eq(s->verdict == GATE_V_REGRESSION,
		     !strcmp(vectors_string(e, "verdict"), "regression"));
}

/* The smallest p m / rank among p-values at least as large. */
static void check_q(const struct gate_result *r)
{
	double p[MOST];
	double q;
	size_t m = 0;
	size_t i, k;

	for (i = 0; i < r->n_rows; i++)
		if (!isnan(r->rows[i].p))
			p[m++] = r->rows[i].p;
	gate_stats_sort(p, m);
	for (i = 0; i < r->n_rows; i++) {
		if (isnan(r->rows[i].p))
			continue;
		q = 1;
		for (k = 0; k < m; k++)
			if (p[k] >= r->rows[i].p)
				q = fmin(q, p[k] * (double)m / (double)(k + 1));
		VECTORS_CLOSE(r->rows[i].q_bh, q, r->rows[i].row);
	}
}

static void check_case(const cJSON *c)
{
	const cJSON *expect = cJSON_GetObjectItem(c, "expect");
	const cJSON *groups = cJSON_GetObjectItem(expect, "groups");
	const cJSON *suite = cJSON_GetObjectItem(expect, "suite");
	struct bench b = bench_new();
	const cJSON *e;
	double m = 0;
	size_t i = 0;

	cJSON_ArrayForEach(e, cJSON_GetObjectItem(c, "input"))
		measure_vector(&b, e);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq((int)b.r->n_rows,
		     cJSON_GetArraySize(cJSON_GetObjectItem(expect, "points")));
	cJSON_ArrayForEach(e, cJSON_GetObjectItem(expect, "points")) m +=
		cJSON_GetObjectItem(e, "est") != NULL;
	cJSON_ArrayForEach(e, cJSON_GetObjectItem(expect, "points"))
	{
		check_row(&b.r->rows[i], e);
		check_mde(&b.r->rows[i++], e, m);
	}
	check_q(b.r);
	cr_assert_eq((int)b.r->n_groups, cJSON_GetArraySize(groups));
	cJSON_ArrayForEach(e, groups) check_group(b.r, e);
	check_suite(&b.r->suite, suite, (double)b.r->n_groups);
	gate_conclude(b.r);
	if (cJSON_IsTrue(cJSON_GetObjectItem(expect, "block")))
		cr_assert_eq(b.r->exit_code, 1);
	else
		cr_assert_eq(b.r->exit_code, 0);
	bench_free(&b);
}

Test(verdict, every_number_and_verdict_equals_the_reference)
{
	cJSON *root = vectors_load("vectors_gate.json");
	const cJSON *c;
	int n = 0;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(root, "cases"))
	{
		check_case(c);
		n++;
	}
	cr_assert_eq(n, 6);
	cJSON_Delete(root);
}

/* ---- wall clock ---- */

Test(verdict, a_row_far_slower_is_a_regression_in_either_direction)
{
	const struct row *rows[] = {&wall, &rate};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct bench b = bench_new();

		measure_noisy(&b, rows[i], 1.1, 0.003, 10, 1);
		expect_verdict(wall_row(&b), GATE_V_REGRESSION);
		cr_assert_float_eq(b.r->rows[0].slowdown, 0.1, 0.005);
		expect_reason(b.r->rows[0].reason,
			      "slower by at least the threshold of 3 %");
		expect_reason(b.r->rows[0].reason, "over 10 rounds");
		bench_free(&b);
	}
}

Test(verdict, a_row_far_faster_is_an_improvement)
{
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 0.9, 0.003, 10, 1);
	expect_verdict(wall_row(&b), GATE_V_IMPROVEMENT);
	expect_reason(b.r->rows[0].reason,
		      "faster by at least the threshold of 3 %");
	cr_assert_lt(b.r->rows[0].ci[1], -0.09);
	bench_free(&b);
}

Test(verdict, faster_by_less_than_the_threshold_is_a_pass)
{
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 0.975, 0.001, 10, 1);
	expect_verdict(wall_row(&b), GATE_V_PASS);
	cr_assert_lt(b.r->rows[0].slowdown, -0.02);
	bench_free(&b);
}

Test(verdict, next_to_nothing_is_printed_without_a_sign)
{
	struct bench b = bench_new();
	struct row row = wall;

	row.resolution = 0.001;
	measure_noisy(&b, &row, 0.99999, 0, 10, 1);
	expect_verdict(wall_row(&b), GATE_V_PASS);
	cr_assert_lt(b.r->rows[0].slowdown, 0);
	cr_assert(!strncmp(b.r->rows[0].reason, "+0.00 % [", 9));
	bench_free(&b);
}

Test(verdict, five_pairs_are_insufficient_and_open_until_the_last_look)
{
	const struct gate_look_spec first = {.spend = 0.2};
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 1.5, 0.001, 5, 1);
	cr_assert_eq(decide(&b, GATE_CLOCK_WALL, &first), 1);
	expect_verdict(&b.r->rows[0], GATE_V_INSUFFICIENT);
	cr_assert(gate_row_open(&b.r->rows[0]));
	expect_reason(b.r->rows[0].reason, "5 rounds usable on both sides");
	cr_assert_float_eq(b.r->rows[0].slowdown, 0.5, 0.005);
	cr_assert(isnan(b.r->rows[0].ci[0]));
	cr_assert_eq(decide(&b, GATE_CLOCK_WALL, &one_look), 0);
	expect_verdict(&b.r->rows[0], GATE_V_INSUFFICIENT);
	bench_free(&b);
}

/* 2 of 10 are a fifth and no more, 2 of 9 are more. */
Test(verdict, more_than_a_fifth_of_rounds_unusable_is_insufficient)
{
	unsigned rounds;

	for (rounds = 10; rounds >= 9; rounds--) {
		struct bench b = bench_new();
		unsigned state = 1;
		unsigned i;

		for (i = 1; i <= rounds; i++) {
			measure(&b, &wall, GATE_BASE, i,
				100 + noise(&state) / 10);
			measure(&b, &wall, GATE_CANDIDATE, i,
				i <= 2 ? 0 : 100 + noise(&state) / 10);
		}
		expect_verdict(wall_row(&b), rounds == 10
						     ? GATE_V_PASS
						     : GATE_V_INSUFFICIENT);
		cr_assert_eq(b.r->rows[0].dropped, 2);
		if (rounds == 9)
			expect_reason(b.r->rows[0].reason,
				      "2 of 9 rounds unusable");
		bench_free(&b);
	}
}

Test(verdict, rounds_of_one_side_only_pair_with_nothing)
{
	struct bench b = bench_new();
	unsigned i;

	/* Paired by position the candidate would be 10 % slower. */
	for (i = 1; i <= 20; i++)
		measure(&b, &wall, GATE_BASE, i, i % 2 ? 100 : 110 + i / 10.0);
	for (i = 2; i <= 20; i += 2)
		measure(&b, &wall, GATE_CANDIDATE, i, 110 + i / 10.0);
	expect_verdict(wall_row(&b), GATE_V_PASS);
	cr_assert_eq(b.r->rows[0].pairs, 10);
	cr_assert_eq(b.r->rows[0].slowdown, 0);
	bench_free(&b);
}

Test(verdict, a_noisy_row_parks_only_when_it_may)
{
	const struct gate_look_spec may = {.spend = 0.1, .may_park = true};
	const struct gate_look_spec may_not = {.spend = 0.1};
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 1, 0.08, 10, 3);
	cr_assert_eq(decide(&b, GATE_CLOCK_WALL, &may_not), 1);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	expect_reason(b.r->rows[0].reason, "more rounds can tell");
	cr_assert(gate_row_open(&b.r->rows[0]));
	cr_assert_eq(decide(&b, GATE_CLOCK_WALL, &may), 0);
	expect_verdict(&b.r->rows[0], GATE_V_PARKED);
	expect_reason(b.r->rows[0].reason, "tolerated 1.5 %");
	cr_assert_not(gate_row_open(&b.r->rows[0]));
	bench_free(&b);
}

Test(verdict, a_row_between_tolerated_and_threshold_does_not_park)
{
	const struct gate_look_spec may = {
		.spend = 1, .last = true, .may_park = true};
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 1.025, 0.02, 10, 3);
	decide(&b, GATE_CLOCK_WALL, &may);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	expect_reason(b.r->rows[0].reason,
		      "not shown to be below the threshold of 3 %; no rounds "
		      "are left");
	bench_free(&b);
}

Test(verdict, a_look_that_may_spend_less_needs_more_evidence)
{
	struct gate_look_spec spec = {.spend = 1, .last = true};
	struct bench b = bench_new();
	double p;

	measure_noisy(&b, &wall, 1.05, 0.02, 10, 5);
	decide(&b, GATE_CLOCK_WALL, &spec);
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	p = b.r->rows[0].p_holm;
	spec.spend = p / 0.005 * 0.99;
	cr_assert_lt(spec.spend, 1);
	decide(&b, GATE_CLOCK_WALL, &spec);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	expect_reason(b.r->rows[0].reason, "the evidence is too weak");
	cr_assert_eq(b.r->rows[0].p_holm, p);
	spec.spend = p / 0.005 * 1.01;
	decide(&b, GATE_CLOCK_WALL, &spec);
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	bench_free(&b);
}

/* The p of a pass is between 0.005 and 0.05 here. */
Test(verdict, a_look_that_may_spend_less_passes_less_easily)
{
	struct gate_look_spec spec = {.spend = 1, .last = true};
	struct bench b = bench_new();

	measure_noisy(&b, &wall, 1, 0.03, 7, 2);
	decide(&b, GATE_CLOCK_WALL, &spec);
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	spec.spend = 0.1;
	decide(&b, GATE_CLOCK_WALL, &spec);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	bench_free(&b);
}

Test(verdict, a_coarse_row_is_unresolvable_unless_it_is_clear)
{
	const double factors[] = {1, 1.1};
	const enum gate_verdict want[] = {GATE_V_UNRESOLVABLE,
					  GATE_V_REGRESSION};
	struct row row = wall;
	size_t i;

	/* One step of 25 in 1000 is more than half of 3 %. */
	row.resolution = 25;
	for (i = 0; i < 2; i++) {
		struct bench b = bench_new();

		measure_noisy(&b, &row, factors[i], 0.003, 10, 1);
		expect_verdict(wall_row(&b), want[i]);
		cr_assert_float_eq(b.r->rows[0].h, log1p(0.025), 2e-4);
		bench_free(&b);
	}
}

/* A 32 ns block read from a 1 ns clock whose step nobody stated. */
Test(verdict, the_step_of_few_distinct_values_is_inferred)
{
	const double base[] = {32, 32, 31, 32, 32, 31, 32, 32};
	const double same[] = {32, 32, 32, 32, 32, 32, 32, 32};
	struct bench b = bench_new();

	measure_all(&b, &wall, GATE_BASE, base, 8);
	measure_all(&b, &wall, GATE_CANDIDATE, same, 8);
	expect_verdict(wall_row(&b), GATE_V_UNRESOLVABLE);
	cr_assert_float_eq(b.r->rows[0].h, log1p(1 / 32.0), 1e-15);
	expect_reason(b.r->rows[0].reason, "one step of the clock");
	bench_free(&b);
}

Test(verdict, no_step_is_inferred_from_many_values_or_from_one)
{
	const double many[] = {32, 33, 31, 30, 32, 31, 32, 32};
	const double one[] = {32, 32, 32, 32, 32, 32, 32, 32};
	const double *bases[] = {many, one};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct bench b = bench_new();

		measure_all(&b, &wall, GATE_BASE, bases[i], 8);
		measure_all(&b, &wall, GATE_CANDIDATE, one, 8);
		cr_assert_eq(wall_row(&b)->h, 0);
		bench_free(&b);
	}
}

Test(verdict, equal_values_pass)
{
	const double v[] = {100, 100, 100, 100, 100, 100};
	struct bench b = bench_new();

	measure_all(&b, &wall, GATE_BASE, v, 6);
	measure_all(&b, &wall, GATE_CANDIDATE, v, 6);
	expect_verdict(wall_row(&b), GATE_V_PASS);
	cr_assert_eq(b.r->rows[0].slowdown, 0);
	expect_reason(b.r->rows[0].reason, "+0.00 %");
	bench_free(&b);
}

static void add_rule(struct gate_policy *p, const char *match, double threshold,
		     double floor, enum gate_unit unit, int ignore)
{
	struct gate_rule rule = {.match = gate_strdup(match),
				 .threshold = threshold,
				 .tolerated = GATE_NAN,
				 .floor = floor,
				 .floor_unit = unit,
				 .ignore = ignore};
	size_t cap = p->n_rules;

	GATE_PUSH(p->rules, p->n_rules, cap, rule);
}

Test(verdict, a_row_has_its_own_threshold)
{
	struct bench b = bench_new();
	struct row other = wall;

	other.name = "g/1";
	add_rule(&b.r->policy, "b/g/1", 0.2, 0, GATE_UNIT_NONE, -1);
	measure_noisy(&b, &wall, 1.1, 0.003, 10, 1);
	measure_noisy(&b, &other, 1.1, 0.003, 10, 1);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	expect_verdict(&b.r->rows[1], GATE_V_PASS);
	expect_reason(b.r->rows[1].reason, "the threshold of 20 %");
	bench_free(&b);
}

/* 10 % of 1000 ns are 100 ns; of 1e6 op/s they are 90909 op/s. */
Test(verdict, a_regression_reaches_the_floor_too)
{
	const struct {
		const struct row *row;
		double floor;
		enum gate_verdict want;
	} cases[] = {
		{&wall, 90, GATE_V_REGRESSION},   {&wall, 110, GATE_V_PASS},
		{&rate, 85e3, GATE_V_REGRESSION}, {&rate, 95e3, GATE_V_PASS},
		{&rate, 2e6, GATE_V_PASS},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench b = bench_new();

		add_rule(&b.r->policy, "*", GATE_NAN, cases[i].floor,
			 cases[i].row->unit, -1);
		measure_noisy(&b, cases[i].row, 1.1, 0.003, 10, 1);
		expect_verdict(wall_row(&b), cases[i].want);
		expect_reason(b.r->rows[0].reason, "the floor of");
		bench_free(&b);
	}
}

Test(verdict, an_ignored_row_is_shown_and_in_no_family)
{
	struct bench b = bench_new();
	double p;

	measure_group(&b, wall, "g", 9, 1, 0.003, 10);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	p = b.r->rows[0].p;
	cr_assert_eq(b.r->n_groups, 1);
	cr_assert_eq(b.r->groups[0].rows, 9);
	gate_result_clear(b.r);
	add_rule(&b.r->policy, "b/g/[1-8]", GATE_NAN, 0, GATE_UNIT_NONE, 1);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	/* Alone, it borrows no variance, needs no correction and is in no
	 * group. */
	cr_assert_eq(b.r->rows[0].p_holm, b.r->rows[0].p);
	cr_assert_neq(b.r->rows[0].p, p);
	expect_verdict(&b.r->rows[1], GATE_V_PASS);
	expect_reason(b.r->rows[1].reason, "ignored");
	cr_assert_not(isnan(b.r->rows[1].slowdown));
	cr_assert(isnan(b.r->rows[1].p));
	cr_assert_eq(b.r->n_groups, 0);
	bench_free(&b);
}

Test(verdict, what_pairing_settled_stays)
{
	struct bench b = bench_new();
	struct row other = wall;

	measure(&b, &wall, GATE_BASE, 1, 5);
	other.name = "g/1";
	measure(&b, &other, GATE_CANDIDATE, 1, 5);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	expect_verdict(&b.r->rows[0], GATE_V_MISSING);
	expect_verdict(&b.r->rows[1], GATE_V_NEW);
	bench_free(&b);
}

Test(verdict, one_clock_leaves_the_rows_of_the_other_alone)
{
	struct bench b = bench_new();
	struct row other = insn;

	other.job = "k";
	measure_group(&b, wall, "g", 5, 1.1, 0.003, 10);
	measure_group(&b, other, "h", 5, 1.1, 0, 3);
	decide(&b, GATE_CLOCK_INSTRUCTIONS, &one_look);
	cr_assert_null(b.r->rows[0].reason);
	expect_verdict(&b.r->rows[5], GATE_V_REGRESSION);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	cr_assert_eq(b.r->n_groups, 2);
	/* Again, as at the next look. */
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(b.r->n_groups, 2);
	cr_assert(find_group(b.r, "j", "b/g"));
	cr_assert(find_group(b.r, "k", "b/h"));
	cr_assert_eq(find_group(b.r, "k", "b/h")->clock,
		     GATE_CLOCK_INSTRUCTIONS);
	bench_free(&b);
}

/* ---- groups and the suite by wall clock ---- */

Test(verdict, a_group_regresses_where_no_row_does)
{
	struct bench b = bench_new();

	measure_group(&b, wall, "g", 20, 1.02, 0.01, 10);
	measure_group(&b, wall, "h", 20, 1, 0.01, 10);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(gate_result_count(b.r, GATE_V_REGRESSION), 0);
	cr_assert_eq(b.r->n_groups, 2);
	cr_assert_eq(b.r->groups[0].verdict, GATE_V_REGRESSION);
	cr_assert_eq(b.r->groups[1].verdict, GATE_V_PASS);
	cr_assert_float_eq(b.r->groups[0].slowdown, 0.02, 0.004);
	expect_reason(b.r->groups[0].reason, "20 of 20 rows and 10 rounds");
	gate_conclude(b.r);
	cr_assert_eq(b.r->exit_code, 1);
	expect_reason(b.r->reason, "1 of 2 groups slower, worst b/g");
	bench_free(&b);
}

Test(verdict, groups_have_two_fifths_of_what_a_look_may_spend)
{
	struct gate_look_spec spec = {.spend = 1, .last = true};
	struct bench b = bench_new();
	double p;

	measure_group(&b, wall, "g", 20, 1.02, 0.01, 10);
	decide(&b, GATE_CLOCK_WALL, &spec);
	p = b.r->groups[0].p_holm;
	spec.spend = p / 0.004 * 0.99;
	decide(&b, GATE_CLOCK_WALL, &spec);
	cr_assert_eq(b.r->groups[0].verdict, GATE_V_PASS);
	spec.spend = p / 0.004 * 1.01;
	decide(&b, GATE_CLOCK_WALL, &spec);
	cr_assert_eq(b.r->groups[0].verdict, GATE_V_REGRESSION);
	bench_free(&b);
}

Test(verdict, the_suite_regresses_where_no_group_does)
{
	char name[] = "a";
	struct bench b = bench_new();

	for (; name[0] <= 'j'; name[0]++)
		measure_group(&b, wall, name, 5, 1.0125, 0.003, 10);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(b.r->n_groups, 10);
	cr_assert_null(find_group(b.r, "j", "b/x"));
	for (size_t i = 0; i < 10; i++)
		cr_assert_eq(b.r->groups[i].verdict, GATE_V_PASS);
	cr_assert(b.r->suite.present);
	cr_assert_eq(b.r->suite.verdict, GATE_V_REGRESSION);
	gate_conclude(b.r);
	cr_assert_eq(b.r->exit_code, 1);
	expect_reason(b.r->reason, "the suite slower by 1.");
	bench_free(&b);
}

Test(verdict, four_rows_are_no_group_and_one_group_is_no_suite)
{
	struct bench b = bench_new();
	struct row other = wall;

	other.job = "k";
	measure_group(&b, wall, "g", 4, 1, 0.01, 10);
	/* The same group in another job is another group. */
	measure_group(&b, other, "g", 5, 1, 0.01, 10);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(b.r->n_groups, 1);
	cr_assert_str_eq(b.r->groups[0].job, "k");
	cr_assert_not(b.r->suite.present);
	bench_free(&b);
}

/*
 * Each of five rows lacks another round of twelve, so seven are common to all.
 * In round r everything is r % slower: paired by position, no round would have
 * an effect of its own.
 */
Test(verdict, groups_are_aligned_by_the_ids_of_rounds)
{
	struct bench b = bench_new();
	struct row row = wall;
	double mean = 0;
	unsigned i, r;
	char name[8];

	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "g/%u", i);
		row.name = name;
		for (r = 1; r <= 12; r++) {
			measure(&b, &row, GATE_BASE, r, 1000);
			if (r != i + 2)
				measure(&b, &row, GATE_CANDIDATE, r,
					1000 + 10 * r);
		}
	}
	decide(&b, GATE_CLOCK_WALL, &one_look);
	for (r = 1; r <= 12; r++)
		if (r == 1 || r > 6)
			mean += log1p(r / 100.0) / 7;
	cr_assert_eq(b.r->n_groups, 1);
	VECTORS_CLOSE(b.r->groups[0].slowdown, expm1(mean), "group");
	expect_reason(b.r->groups[0].reason, "7 rounds");
	bench_free(&b);
}

/* Each of five rows lacks another round of ten: five are common to all. */
Test(verdict, rows_with_five_rounds_in_common_are_no_group)
{
	struct bench b = bench_new();
	struct row row = wall;
	unsigned i, r;
	char name[8];

	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "g/%u", i);
		row.name = name;
		for (r = 1; r <= 10; r++) {
			measure(&b, &row, GATE_BASE, r, 1000);
			if (r != i + 1)
				measure(&b, &row, GATE_CANDIDATE, r, 1000);
		}
	}
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(gate_result_count(b.r, GATE_V_PASS), 5);
	cr_assert_eq(b.r->n_groups, 0);
	bench_free(&b);
}

Test(verdict, a_row_short_of_rounds_is_left_out_of_its_group)
{
	struct bench b = bench_new();
	struct row row = wall;

	row.name = "g/short";
	measure_noisy(&b, &row, 2, 0.003, 8, 9);
	measure_group(&b, wall, "g", 5, 1, 0.003, 10);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert_eq(b.r->n_groups, 1);
	cr_assert_eq(b.r->groups[0].rows, 5);
	cr_assert_eq(b.r->groups[0].of, 6);
	cr_assert_lt(b.r->groups[0].slowdown, 0.01);
	bench_free(&b);
}

/* Two jobs stopped at different rounds share those of the shorter one. */
Test(verdict, the_suite_takes_the_rounds_that_all_groups_have)
{
	struct bench b = bench_new();
	struct row other = wall;

	other.job = "k";
	measure_group(&b, wall, "g", 5, 1, 0.003, 15);
	measure_group(&b, other, "h", 5, 1, 0.003, 6);
	decide(&b, GATE_CLOCK_WALL, &one_look);
	cr_assert(b.r->suite.present);
	expect_reason(b.r->suite.reason, "2 groups and 6 rounds");
	bench_free(&b);
}

/* ---- properties ---- */

/* 3 groups of 7 rows with effects of all kinds, the rows in the order that
 * `step` gives, values `scale` times as large. */
static void measure_suite(struct bench *b, size_t step, double scale,
			  enum gate_unit unit, bool swap)
{
	const double factors[] = {1, 1.1, 0.9, 1.03, 1.02, 1, 1};
	bool high = gate_unit_better(unit) == GATE_HIGHER;
	struct row row = {.unit = unit};
	double x[2];
	unsigned state, r;
	char name[32];
	size_t i, k;

	for (i = 0; i < 21; i++) {
		k = i * step % 21;
		snprintf(name, sizeof name, "%c/%zu", (char)('a' + k / 7), k);
		row.name = name;
		state = (unsigned)k * 7919 + 1;
		for (r = 1; r <= 10; r++) {
			x[swap] = scale * exp(0.01 * noise(&state));
			x[!swap] = scale * factors[k % 7] *
				   exp(0.01 * noise(&state));
			measure(b, &row, GATE_BASE, r, high ? 1 / x[0] : x[0]);
			measure(b, &row, GATE_CANDIDATE, r,
				high ? 1 / x[1] : x[1]);
		}
	}
	decide(b, GATE_CLOCK_WALL, &one_look);
}

static const struct gate_row *find_row(const struct gate_result *r,
				       const char *name)
{
	size_t i;

	for (i = 0; i < r->n_rows && strcmp(r->rows[i].row, name) != 0; i++)
		continue;
	cr_assert_lt(i, r->n_rows);
	return &r->rows[i];
}

Test(verdict, the_order_of_rows_changes_no_bit)
{
	struct bench one = bench_new();
	struct bench two = bench_new();
	const struct gate_group *g, *h;
	const struct gate_row *a, *b;
	size_t i;

	measure_suite(&one, 1, 1000, GATE_UNIT_NS_PER_OP, false);
	measure_suite(&two, 8, 1000, GATE_UNIT_NS_PER_OP, false);
	cr_assert_str_neq(one.r->rows[1].row, two.r->rows[1].row);
	for (i = 0; i < one.r->n_rows; i++) {
		a = &one.r->rows[i];
		b = find_row(two.r, a->row);
		cr_assert_eq(a->slowdown, b->slowdown);
		cr_assert_eq(a->ci[0], b->ci[0]);
		cr_assert_eq(a->ci[1], b->ci[1]);
		cr_assert_eq(a->p, b->p);
		cr_assert_eq(a->p_holm, b->p_holm);
		cr_assert_eq(a->q_bh, b->q_bh);
		cr_assert_eq(a->mde, b->mde);
		cr_assert_str_eq(a->reason, b->reason);
	}
	for (i = 0; i < 3; i++) {
		g = &one.r->groups[i];
		h = find_group(two.r, "j", g->group);
		cr_assert_eq(g->slowdown, h->slowdown);
		cr_assert_eq(g->p_holm, h->p_holm);
	}
	cr_assert_eq(one.r->suite.slowdown, two.r->suite.slowdown);
	cr_assert_eq(one.r->suite.p, two.r->suite.p);
	bench_free(&one);
	bench_free(&two);
}

static void expect_alike(const struct bench *one, const struct bench *two)
{
	const struct gate_row *a, *b;
	size_t i;

	for (i = 0; i < one->r->n_rows; i++) {
		a = &one->r->rows[i];
		b = &two->r->rows[i];
		expect_verdict(b, a->verdict);
		VECTORS_CLOSE(b->slowdown, a->slowdown, a->row);
		VECTORS_CLOSE(b->ci[0], a->ci[0], a->row);
		VECTORS_CLOSE(b->p, a->p, a->row);
		VECTORS_CLOSE(b->mde, a->mde, a->row);
	}
	VECTORS_CLOSE(two->r->suite.slowdown, one->r->suite.slowdown, "suite");
	VECTORS_CLOSE(two->r->suite.p, one->r->suite.p, "suite");
}

Test(verdict, neither_the_scale_of_the_unit_nor_its_direction_matters)
{
	struct bench one = bench_new();
	struct bench two = bench_new();
	struct bench three = bench_new();

	measure_suite(&one, 1, 1000, GATE_UNIT_NS_PER_OP, false);
	measure_suite(&two, 1, 1e-6, GATE_UNIT_S, false);
	measure_suite(&three, 1, 1e-3, GATE_UNIT_OP_PER_S, false);
	cr_assert_gt(gate_result_count(one.r, GATE_V_REGRESSION), 0);
	cr_assert_gt(gate_result_count(one.r, GATE_V_IMPROVEMENT), 0);
	cr_assert_gt(gate_result_count(one.r, GATE_V_INCONCLUSIVE), 0);
	expect_alike(&one, &two);
	expect_alike(&one, &three);
	bench_free(&one);
	bench_free(&two);
	bench_free(&three);
}

Test(verdict, swapping_the_sides_mirrors_the_numbers)
{
	struct bench one = bench_new();
	struct bench two = bench_new();
	const struct gate_row *a, *b;
	size_t i;

	measure_suite(&one, 1, 1000, GATE_UNIT_NS_PER_OP, false);
	measure_suite(&two, 1, 1000, GATE_UNIT_NS_PER_OP, true);
	for (i = 0; i < one.r->n_rows; i++) {
		a = &one.r->rows[i];
		b = &two.r->rows[i];
		VECTORS_CLOSE(log1p(b->slowdown), -log1p(a->slowdown), a->row);
		VECTORS_CLOSE(log1p(b->ci[0]), -log1p(a->ci[1]), a->row);
		VECTORS_CLOSE(b->mde, a->mde, a->row);
		/* 10 % either way; the alphas of the two differ, their
		 * evidence does not. */
		if (a->verdict == GATE_V_REGRESSION)
			expect_verdict(b, GATE_V_IMPROVEMENT);
		if (b->verdict == GATE_V_REGRESSION)
			expect_verdict(a, GATE_V_IMPROVEMENT);
	}
	cr_assert_gt(gate_result_count(two.r, GATE_V_REGRESSION), 0);
	VECTORS_CLOSE(log1p(two.r->suite.slowdown),
		      -log1p(one.r->suite.slowdown), "suite");
	bench_free(&one);
	bench_free(&two);
}

/* ---- instruction clock ---- */

struct exact_case {
	double base[3], candidate[3];
	enum gate_verdict want;
};

static void check_exact(const struct row *row, const struct exact_case *c)
{
	struct bench b = bench_new();

	measure_all(&b, row, GATE_BASE, c->base, 3);
	measure_all(&b, row, GATE_CANDIDATE, c->candidate, 3);
	expect_verdict(insn_row(&b), c->want);
	cr_assert(isnan(b.r->rows[0].p));
	cr_assert(isnan(b.r->rows[0].p_holm));
	cr_assert(isnan(b.r->rows[0].q_bh));
	cr_assert(isnan(b.r->rows[0].ci[0]));
	cr_assert(isnan(b.r->rows[0].mde));
	bench_free(&b);
}

Test(verdict, an_exact_row_regresses_by_its_minima)
{
	const double base[] = {1387, 1400, 1387};
	const double slow[] = {1426, 1426, 9999};
	struct bench b = bench_new();

	measure_all(&b, &insn, GATE_BASE, base, 3);
	measure_all(&b, &insn, GATE_CANDIDATE, slow, 3);
	expect_verdict(insn_row(&b), GATE_V_REGRESSION);
	VECTORS_CLOSE(b.r->rows[0].slowdown, 1426 / 1387.0 - 1, "row");
	VECTORS_CLOSE(b.r->rows[0].h, log1p(1 / 1387.0), "row");
	cr_assert_str_eq(b.r->rows[0].reason,
			 "+2.81 % instructions (1387 -> 1426 insn/op), "
			 "threshold 0.5 %; both minima seen in at least two "
			 "rounds");
	bench_free(&b);
}

/* An observed minimum can only be too slow, so one witness is enough where
 * its error would be on the other side. */
Test(verdict, each_verdict_needs_the_witnesses_that_it_rests_on)
{
	const struct exact_case cases[] = {
		{{1000, 1000, 1003}, {1000, 1000, 1001}, GATE_V_PASS},
		{{1000, 1000, 1003}, {1000, 1002, 1004}, GATE_V_PASS},
		{{1000, 1002, 1003}, {1000, 1000, 1000}, GATE_V_INCONCLUSIVE},
		{{1000, 1000, 1000}, {1010, 1010, 1020}, GATE_V_REGRESSION},
		{{1000, 1002, 1004}, {1010, 1010, 1020}, GATE_V_REGRESSION},
		{{1000, 1000, 1000}, {1010, 1012, 1020}, GATE_V_INCONCLUSIVE},
		{{1000, 1000, 1000}, {990, 990, 990}, GATE_V_IMPROVEMENT},
		{{1000, 1000, 1000}, {990, 992, 994}, GATE_V_PASS},
		{{1000, 1002, 1004}, {990, 990, 990}, GATE_V_INCONCLUSIVE},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		check_exact(&insn, &cases[i]);
}

/* A row that is longer than a tick never repeats to the digit. */
Test(verdict, a_round_within_one_printed_step_of_the_best_is_a_witness)
{
	const struct exact_case cases[] = {
		{{1000, 1001, 1003}, {1000, 1000, 1000}, GATE_V_PASS},
		{{1000, 1000, 1000}, {1010, 1011, 1020}, GATE_V_REGRESSION},
		{{1000, 1001, 1002}, {990, 991, 992}, GATE_V_IMPROVEMENT},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		check_exact(&insn, &cases[i]);
}

/* 0.5 % of 1000 are 5: 6 less one step reach it, and 5 do not. */
Test(verdict, the_step_counts_against_either_verdict)
{
	const struct exact_case cases[] = {
		{{1000, 1000, 1000}, {1003, 1003, 1003}, GATE_V_PASS},
		{{1000, 1000, 1000}, {1004, 1004, 1004}, GATE_V_INCONCLUSIVE},
		{{1000, 1000, 1000}, {1006, 1006, 1006}, GATE_V_INCONCLUSIVE},
		{{1000, 1000, 1000}, {1007, 1007, 1007}, GATE_V_REGRESSION},
		{{1000, 1000, 1000}, {995, 995, 995}, GATE_V_PASS},
		{{1000, 1000, 1000}, {994, 994, 994}, GATE_V_IMPROVEMENT},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		check_exact(&insn, &cases[i]);
}

Test(verdict, a_row_coarser_than_half_the_threshold_is_unresolvable)
{
	const struct exact_case cases[] = {
		{{100, 100, 100}, {100, 100, 100}, GATE_V_UNRESOLVABLE},
		{{100, 100, 100}, {101, 101, 101}, GATE_V_UNRESOLVABLE},
		{{100, 100, 100}, {102, 102, 102}, GATE_V_REGRESSION},
		{{100, 100, 100}, {98, 98, 98}, GATE_V_IMPROVEMENT},
		{{0, 0, 0}, {100, 100, 100}, GATE_V_UNRESOLVABLE},
		{{100, 100, 100}, {100, 0, 100}, GATE_V_UNRESOLVABLE},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		check_exact(&insn, &cases[i]);
}

/* 104 MB/s in whole MB/s: equal prints are rounding, not equality. */
Test(verdict, a_printed_rate_is_judged_by_its_own_step)
{
	const struct row mb = {.name = "g/0",
			       .clock = GATE_CLOCK_INSTRUCTIONS,
			       .unit = GATE_UNIT_B_PER_S,
			       .resolution = 1e6};
	const struct exact_case cases[] = {
		{{104e6, 104e6, 104e6},
		 {104e6, 104e6, 104e6},
		 GATE_V_UNRESOLVABLE},
		{{104e6, 104e6, 103e6},
		 {101e6, 101e6, 100e6},
		 GATE_V_REGRESSION},
		{{2000e6, 2000e6, 1990e6},
		 {2000e6, 2000e6, 1980e6},
		 GATE_V_PASS},
		{{2000e6, 2000e6, 1990e6},
		 {2100e6, 2100e6, 1980e6},
		 GATE_V_IMPROVEMENT},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		check_exact(&mb, &cases[i]);
}

Test(verdict, a_printed_zero_has_no_slowdown)
{
	const double zero[] = {0, 0, 0};
	const double base[] = {3, 3, 3};
	struct bench b = bench_new();

	measure_all(&b, &insn, GATE_BASE, base, 3);
	measure_all(&b, &insn, GATE_CANDIDATE, zero, 3);
	expect_verdict(insn_row(&b), GATE_V_UNRESOLVABLE);
	cr_assert(isnan(b.r->rows[0].slowdown));
	bench_free(&b);
}

/* A candidate must not print its slow rows away. */
Test(verdict, a_zero_or_a_coarse_print_of_the_candidate_excuses_nothing)
{
	const double base[] = {1000, 1000, 1000};
	const double gone[] = {1200, 1200, 0};
	const double slow[] = {1200, 1200, 1200};
	struct row coarse = insn;
	struct bench b = bench_new();

	measure_all(&b, &insn, GATE_BASE, base, 3);
	measure_all(&b, &insn, GATE_CANDIDATE, gone, 3);
	expect_verdict(insn_row(&b), GATE_V_FAILED);
	bench_free(&b);

	coarse.resolution = 900;
	b = bench_new();
	measure_all(&b, &insn, GATE_BASE, base, 3);
	measure_all(&b, &coarse, GATE_CANDIDATE, slow, 3);
	expect_verdict(insn_row(&b), GATE_V_INCONCLUSIVE);
	bench_free(&b);
}

Test(verdict, equal_instructions_pass_whatever_the_threshold)
{
	const double same[] = {1000, 1000, 1000};
	struct bench b = bench_new();

	b.r->policy.insn_threshold = 0;
	b.r->policy.insn_floor = 0;
	b.r->policy.insn_group = 0;
	measure_all(&b, &insn, GATE_BASE, same, 3);
	measure_all(&b, &insn, GATE_CANDIDATE, same, 3);
	cr_assert_neq(insn_row(&b)->verdict, GATE_V_REGRESSION);
	bench_free(&b);
}

Test(verdict, instructions_below_the_floor_are_no_regression)
{
	const double base[] = {1000, 1000, 1000};
	const double slow[] = {1020, 1020, 1020};
	const double floors[] = {20, 21, 30};
	const enum gate_verdict want[] = {GATE_V_REGRESSION,
					  GATE_V_INCONCLUSIVE, GATE_V_PASS};
	size_t i;

	for (i = 0; i < 3; i++) {
		struct bench b = bench_new();

		add_rule(&b.r->policy, "*", GATE_NAN, floors[i],
			 GATE_UNIT_INSN_PER_OP, -1);
		measure_all(&b, &insn, GATE_BASE, base, 3);
		measure_all(&b, &insn, GATE_CANDIDATE, slow, 3);
		expect_verdict(insn_row(&b), want[i]);
		if (want[i] == GATE_V_PASS)
			expect_reason(b.r->rows[0].reason,
				      "less than the floor of 30 insn/op");
		bench_free(&b);
	}
}

Test(verdict, one_round_of_instructions_is_open)
{
	const struct gate_look_spec first = {.spend = 1};
	struct bench b = bench_new();

	measure(&b, &insn, GATE_BASE, 1, 1000);
	measure(&b, &insn, GATE_CANDIDATE, 1, 1000);
	cr_assert_eq(decide(&b, GATE_CLOCK_INSTRUCTIONS, &first), 1);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	expect_reason(b.r->rows[0].reason, "both minima seen in one round only"
					   "; more rounds can tell");
	cr_assert_eq(decide(&b, GATE_CLOCK_INSTRUCTIONS, &one_look), 0);
	expect_reason(b.r->rows[0].reason, "no rounds are left");
	bench_free(&b);
}

Test(verdict, an_ignored_row_of_instructions_passes)
{
	const double base[] = {1000, 1000, 1000};
	const double slow[] = {2000, 2000, 2000};
	struct bench b = bench_new();

	add_rule(&b.r->policy, "*", GATE_NAN, 0, GATE_UNIT_NONE, 1);
	measure_all(&b, &insn, GATE_BASE, base, 3);
	measure_all(&b, &insn, GATE_CANDIDATE, slow, 3);
	expect_verdict(insn_row(&b), GATE_V_PASS);
	VECTORS_CLOSE(b.r->rows[0].slowdown, 1, "row");
	gate_conclude(b.r);
	cr_assert_eq(b.r->exit_code, 0);
	bench_free(&b);
}

/* 0.4 % is below a row's threshold and above a group's. */
Test(verdict, exact_rows_make_a_group_and_no_suite)
{
	struct bench b = bench_new();
	struct row row = insn;
	char name[8];
	unsigned i, r;

	for (i = 0; i < 12; i++) {
		snprintf(name, sizeof name, "%c/%u", i < 6 ? 'g' : 'h', i);
		row.name = name;
		for (r = 1; r <= 3; r++) {
			measure(&b, &row, GATE_BASE, r, 10000);
			/* The last row of g is exact on one side only. */
			measure(&b, &row, GATE_CANDIDATE, r,
				i < 5    ? 10040
				: i == 5 ? 10000 + 2 * r
					 : 10000);
		}
	}
	decide(&b, GATE_CLOCK_INSTRUCTIONS, &one_look);
	cr_assert_eq(gate_result_count(b.r, GATE_V_PASS), 12);
	cr_assert_eq(b.r->n_groups, 2);
	cr_assert_eq(b.r->groups[0].verdict, GATE_V_REGRESSION);
	cr_assert_eq(b.r->groups[0].rows, 5);
	cr_assert_eq(b.r->groups[0].of, 6);
	cr_assert_eq(b.r->groups[0].threshold, 0.0025);
	VECTORS_CLOSE(b.r->groups[0].slowdown, 0.004, "group");
	cr_assert(isnan(b.r->groups[0].p));
	cr_assert_eq(b.r->groups[1].verdict, GATE_V_PASS);
	cr_assert_not(b.r->suite.present);
	gate_conclude(b.r);
	cr_assert_eq(b.r->exit_code, 1);
	bench_free(&b);
}

static void measure_exact(struct bench *b, size_t n, double base,
			  double candidate)
{
	struct row row = insn;
	char name[32];
	size_t i;
	unsigned r;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof name, "g/%zu", i);
		row.name = name;
		for (r = 1; r <= 3; r++) {
			measure(b, &row, GATE_BASE, r, base);
			measure(b, &row, GATE_CANDIDATE, r, candidate);
		}
	}
	decide(b, GATE_CLOCK_INSTRUCTIONS, &one_look);
}

/* 0.3 % less a step of 0.1 % is below a group's threshold of 0.25 %. */
Test(verdict, a_group_of_exact_rows_regresses_by_more_than_its_step)
{
	const double candidates[] = {1003, 10030};
	const enum gate_verdict want[] = {GATE_V_PASS, GATE_V_REGRESSION};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct bench b = bench_new();

		measure_exact(&b, 5, i ? 10000 : 1000, candidates[i]);
		cr_assert_eq(b.r->n_groups, 1);
		cr_assert_eq(b.r->groups[0].verdict, want[i]);
		bench_free(&b);
	}
}

Test(verdict, four_exact_rows_are_no_group)
{
	struct bench b = bench_new();

	measure_exact(&b, 4, 1000, 1000);
	cr_assert_eq(b.r->n_groups, 0);
	bench_free(&b);
}

/* ---- the whole ---- */

static void add_job(struct gate_result *r, const char *name, bool allow_empty)
{
	GATE_PUSH(r->jobs, r->n_jobs, r->cap_jobs,
		  (struct gate_job_info){.name = gate_strdup(name),
					 .clock = GATE_CLOCK_WALL,
					 .allow_empty = allow_empty});
}

/* A row with this verdict and a value on both sides. */
static void add_verdict(struct gate_result *r, enum gate_verdict v)
{
	bool alone = v == GATE_V_MISSING || v == GATE_V_FAILED;
	size_t n = r->n_rows;
	struct gate_row row = {
		.job = gate_strdup("j"),
		.bench = gate_strdup("b"),
		.row = gate_asprintf("row%zu", n),
		.base = {.usable = 1},
		.candidate = {.usable = !alone},
		.slowdown = alone ? GATE_NAN : 0.01 * (double)n,
		.verdict = v,
	};

	GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
}

static void expect_exit(struct gate_result *r, int code, const char *outcome,
			const char *part)
{
	gate_conclude(r);
	cr_assert_eq(r->exit_code, code, "%d and not %d: %s", r->exit_code,
		     code, r->reason);
	cr_assert_str_eq(r->outcome, outcome);
	expect_reason(r->reason, part);
}

Test(conclusion, each_verdict_has_its_exit_code)
{
	const struct {
		enum gate_verdict v;
		int code;
		const char *outcome;
		const char *part;
	} cases[] = {
		{GATE_V_REGRESSION, 1, "regression",
		 "1 of 2 rows slower, worst b/row1 +1.00 %"},
		{GATE_V_MISSING, 1, "regression", "missing on the candidate"},
		{GATE_V_FAILED, 1, "regression", "failed on the candidate"},
		{GATE_V_INCOMPARABLE, 4, "error", "cannot be compared"},
		{GATE_V_INCONCLUSIVE, 3, "inconclusive", "1 of 2 rows undecid"},
		{GATE_V_INSUFFICIENT, 3, "inconclusive",
		 "too few usable rounds"},
		{GATE_V_PASS, 0, "pass", "none of 2 rows slower"},
		{GATE_V_PARKED, 0, "pass", "1 without a sign of a slowdown"},
		{GATE_V_IMPROVEMENT, 0, "pass", "1 faster"},
		{GATE_V_NEW, 0, "pass", "1 new"},
		{GATE_V_UNRESOLVABLE, 0, "pass", "1 too coarse"},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct gate_result *r = gate_result_new();

		add_job(r, "j", false);
		add_verdict(r, GATE_V_PASS);
		add_verdict(r, cases[i].v);
		expect_exit(r, cases[i].code, cases[i].outcome, cases[i].part);
		gate_result_free(r);
	}
}

Test(conclusion, slower_goes_before_unmeasured_and_that_before_undecided)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_INCONCLUSIVE);
	expect_exit(r, 3, "inconclusive", "undecided");
	add_verdict(r, GATE_V_INCOMPARABLE);
	expect_exit(r, 4, "error", "compared");
	add_verdict(r, GATE_V_REGRESSION);
	add_verdict(r, GATE_V_REGRESSION);
	add_verdict(r, GATE_V_MISSING);
	expect_exit(r, 1, "regression",
		    "2 of 5 rows slower, worst b/row3 +3.00 %; "
		    "1 of 5 rows missing on the candidate, first b/row4");
	gate_result_free(r);
}

Test(conclusion, missing_rows_are_reported_when_the_policy_says_so)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_PASS);
	add_verdict(r, GATE_V_MISSING);
	r->policy.missing = GATE_REPORT;
	expect_exit(r, 0, "pass", "1 missing, which the policy allows");
	gate_result_free(r);
}

/* "Report" is for rows; a candidate that gave nothing was not measured. */
Test(conclusion, a_job_whose_rows_are_all_missing_is_never_fine)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_MISSING);
	r->policy.missing = GATE_REPORT;
	expect_exit(r, 4, "error", "1 of 1 jobs gave no value, first j");
	gate_result_free(r);
}

Test(conclusion, a_changed_driver_fails_only_when_the_policy_says_so)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_PASS);
	r->rows[0].driver_changed = true;
	expect_exit(r, 0, "pass", "none of 1 rows slower");
	r->policy.driver_change = GATE_FAIL;
	expect_exit(r, 1, "regression", "1 of 1 rows changed their driver");
	gate_result_free(r);
}

Test(conclusion, a_job_without_a_value_is_an_error_unless_it_may_be_empty)
{
	struct gate_result *r = gate_result_new();

	expect_exit(r, 4, "error", "nothing was measured");
	add_job(r, "j", true);
	expect_exit(r, 0, "pass", "no row to judge");
	add_verdict(r, GATE_V_PASS);
	add_job(r, "idle", true);
	expect_exit(r, 0, "pass", "none of 1 rows slower");
	r->jobs[1].allow_empty = false;
	expect_exit(r, 4, "error", "1 of 2 jobs gave no value, first idle");
	gate_result_free(r);
}

Test(conclusion, a_job_that_nothing_resolves_is_inconclusive)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_UNRESOLVABLE);
	add_verdict(r, GATE_V_UNRESOLVABLE);
	expect_exit(r, 3, "inconclusive", "resolves, first j");
	add_verdict(r, GATE_V_PASS);
	expect_exit(r, 0, "pass", "2 too coarse to judge");
	gate_result_free(r);
}

Test(conclusion, ignored_rows_do_not_count)
{
	struct gate_result *r = gate_result_new();

	add_job(r, "j", false);
	add_verdict(r, GATE_V_PASS);
	add_verdict(r, GATE_V_MISSING);
	r->rows[1].limits.ignore = true;
	r->rows[1].driver_changed = true;
	r->policy.driver_change = GATE_FAIL;
	expect_exit(r, 0, "pass", "none of 1 rows slower");
	gate_result_free(r);
}
