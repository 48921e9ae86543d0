#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/looks.h"
#include "gate/pair.h"
#include "gate/ranks.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

/* Samples, the result of the latest look, and the looks. */
struct bench {
	struct gate_sample_set *set;
	struct gate_result *r;
	struct gate_looks looks;
};

static struct bench bench_new(unsigned min, unsigned max)
{
	struct bench b = {.set = gate_sample_set_new(), .r = gate_result_new()};

	gate_looks_init(&b.looks, GATE_CLOCK_WALL, min, max);
	return b;
}

static void bench_free(struct bench *b)
{
	gate_looks_done(&b->looks);
	gate_sample_set_free(b->set);
	gate_result_free(b->r);
}

static void measure(struct bench *b, const char *row, enum gate_side side,
		    unsigned round, double value)
{
	struct gate_measured m = {
		.s = {.size = sizeof(struct gate_sample),
		      .bench = "b",
		      .row = row,
		      .unit = GATE_UNIT_NS_PER_OP,
		      .better = GATE_LOWER,
		      .value = value,
		      .iter = -1},
		.side = side,
		.round = round,
		.job = "j",
	};

	gate_sample_set_add(b->set, &m);
}

/* Noise that is the same on every machine: uniform in -1..1. */
static double noise(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state / 2147483648.0 - 1;
}

/* Rounds from..to around 1000, `factor` times as slow on the candidate. */
static void measure_noisy(struct bench *b, const char *row, double factor,
			  double spread, unsigned from, unsigned to)
{
	unsigned state = (unsigned)(unsigned char)row[strlen(row) - 1] * 7919 +
			 from * 31 + 1;
	unsigned i;

	for (i = from; i <= to; i++) {
		measure(b, row, GATE_BASE, i,
			1000 * exp(spread * noise(&state)));
		measure(b, row, GATE_CANDIDATE, i,
			1000 * factor * exp(spread * noise(&state)));
	}
}

/* Rounds that leave a row open: 2.5 % slower, 8 % more or less every time. */
static void measure_open(struct bench *b, const char *row, unsigned from,
			 unsigned to)
{
	unsigned i;

	for (i = from; i <= to; i++) {
		measure(b, row, GATE_BASE, i, 1000 + i * 0.01);
		measure(b, row, GATE_CANDIDATE, i,
			1025 * (i % 2 ? 1.08 : 0.92) + i * 0.01);
	}
}

static bool look(struct bench *b, unsigned rounds)
{
	gate_result_clear(b->r);
	gate_pair(b->set, b->r);
	gate_looks_decide(&b->looks, b->r, rounds, rounds == b->looks.max);
	return gate_looks_record(&b->looks, b->r, 2);
}

static void expect_verdict(const struct gate_row *row, enum gate_verdict v)
{
	cr_assert_eq(row->verdict, v, "%s is %s and not %s: %s", row->row,
		     gate_verdict_name(row->verdict), gate_verdict_name(v),
		     row->reason);
}

static void expect_text(const char *text, const char *part)
{
	cr_assert(text && strstr(text, part), "\"%s\" is not in \"%s\"", part,
		  text);
}

/* ---- when to look ---- */

static void expect_looks(enum gate_clock clock, unsigned min, unsigned max,
			 const unsigned *want)
{
	struct gate_result *r = gate_result_new();
	struct gate_looks l;
	unsigned rounds;

	gate_looks_init(&l, clock, min, max);
	do {
		rounds = gate_looks_next(&l);
		cr_assert_eq(rounds, *want, "%u and not %u, of %u to %u",
			     rounds, *want, min, max);
		want++;
		gate_looks_decide(&l, r, rounds, rounds == max);
	} while (rounds < max);
	cr_assert_eq(*want, 0);
	gate_looks_done(&l);
	gate_result_free(r);
}

Test(looks, are_taken_at_five_numbers_of_rounds_cut_to_the_most)
{
	expect_looks(GATE_CLOCK_WALL, 6, 30,
		     (const unsigned[]){6, 10, 15, 20, 30, 0});
	expect_looks(GATE_CLOCK_WALL, 6, 20,
		     (const unsigned[]){6, 10, 15, 20, 0});
	expect_looks(GATE_CLOCK_WALL, 6, 12, (const unsigned[]){6, 10, 12, 0});
	expect_looks(GATE_CLOCK_WALL, 6, 40,
		     (const unsigned[]){6, 10, 15, 20, 30, 40, 0});
	expect_looks(GATE_CLOCK_WALL, 8, 15, (const unsigned[]){8, 10, 15, 0});
	/* Fewer than six could decide nothing. */
	expect_looks(GATE_CLOCK_WALL, 3, 10, (const unsigned[]){6, 10, 0});
	expect_looks(GATE_CLOCK_WALL, 3, 4, (const unsigned[]){4, 0});
}

Test(looks, of_exact_rows_are_taken_sooner)
{
	expect_looks(GATE_CLOCK_INSTRUCTIONS, 3, 10,
		     (const unsigned[]){3, 6, 10, 0});
	expect_looks(GATE_CLOCK_INSTRUCTIONS, 2, 4,
		     (const unsigned[]){2, 3, 4, 0});
	expect_looks(GATE_CLOCK_INSTRUCTIONS, 1, 1, (const unsigned[]){1, 0});
}

/* ---- what a look may spend, and when it ends ---- */

Test(looks, spend_alpha_by_rounds_and_all_of_it_in_the_end)
{
	static const unsigned at[] = {6, 10, 15, 20, 30};
	struct bench b = bench_new(6, 30);
	double spent = 0;
	unsigned last = 0;
	size_t i;

	for (i = 0; i < 5; i++) {
		/* Between tolerated and threshold: open at every look. */
		measure_open(&b, "g/0", last + 1, at[i]);
		cr_assert_eq(look(&b, at[i]), i < 4);
		cr_assert_eq(b.r->n_looks, i + 1);
		cr_assert_eq(b.r->looks[i].rounds, at[i]);
		cr_assert_float_eq(b.r->looks[i].alpha,
				   0.01 * (at[i] - last) / 30, 1e-15);
		cr_assert_eq(b.r->looks[i].open, 1);
		cr_assert_eq(b.r->looks[i].decided, 0);
		cr_assert_eq(b.r->looks[i].runs, 2);
		spent += b.r->looks[i].alpha;
		last = at[i];
	}
	cr_assert_float_eq(spent, 0.01, 1e-15);
	expect_text(b.r->rows[0].reason, "no rounds are left");
	bench_free(&b);
}

/* A share of 6/30 needs a p five times as small as one of 6/6. */
Test(looks, an_early_look_needs_more_evidence_than_a_single_one)
{
	struct bench many = bench_new(6, 30), one = bench_new(6, 6);

	measure_noisy(&many, "g/0", 1.06, 0.04, 1, 6);
	measure_noisy(&one, "g/0", 1.06, 0.04, 1, 6);
	look(&many, 6);
	look(&one, 6);
	expect_verdict(&one.r->rows[0], GATE_V_REGRESSION);
	expect_verdict(&many.r->rows[0], GATE_V_INCONCLUSIVE);
	cr_assert_eq(many.r->rows[0].p, one.r->rows[0].p);
	bench_free(&many);
	bench_free(&one);
}

Test(looks, end_with_the_first_that_finds_something_slower)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 1.2, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	cr_assert_not(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	expect_verdict(&b.r->rows[1], GATE_V_INCONCLUSIVE);
	cr_assert_eq(b.r->looks[0].regressions, 1);
	cr_assert_eq(b.r->looks[0].open, 1);
	cr_assert_eq(b.r->rows[0].decided_at, 6);
	cr_assert_eq(b.r->rows[1].decided_at, 0);
	bench_free(&b);
}

Test(looks, go_on_when_what_was_slower_is_waived)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 1.2, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	gate_pair(b.set, b.r);
	gate_looks_decide(&b.looks, b.r, 6, false);
	b.r->rows[0].verdict = GATE_V_PASS;
	cr_assert(gate_looks_record(&b.looks, b.r, 2));
	bench_free(&b);
}

Test(looks, end_when_nothing_is_open)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 1, 0.002, 1, 6);
	cr_assert_not(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	cr_assert_eq(b.r->looks[0].decided, 1);
	bench_free(&b);
}

Test(looks, park_from_ten_rounds_on_and_look_again_at_what_is_parked)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 1, 0.1, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	cr_assert(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	measure_noisy(&b, "g/0", 0.99, 0.1, 7, 10);
	measure_open(&b, "g/1", 7, 10);
	cr_assert(look(&b, 10));
	expect_verdict(&b.r->rows[0], GATE_V_PARKED);
	measure_noisy(&b, "g/0", 1.3, 0.01, 11, 20);
	measure_open(&b, "g/1", 11, 20);
	look(&b, 20);
	cr_assert_neq(b.r->rows[0].verdict, GATE_V_PARKED);
	bench_free(&b);
}

/* ---- what a look remembers ---- */

Test(looks, keep_a_pass_although_later_rounds_are_noisy)
{
	struct bench b = bench_new(6, 30);
	struct gate_look_spec alone = {.spend = 0.5, .rounds = 20};

	measure_noisy(&b, "g/0", 1, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	cr_assert(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	cr_assert_eq(b.r->rows[0].decided_at, 6);
	measure_noisy(&b, "g/0", 1.02, 0.4, 7, 20);
	measure_open(&b, "g/1", 7, 20);
	cr_assert(look(&b, 20));
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	cr_assert_eq(b.r->rows[0].decided_at, 6);
	expect_text(b.r->rows[0].reason, "over 20 rounds: shown to be below "
					 "the threshold after 6 rounds");
	/* By itself that look would not have passed it. */
	gate_decide(b.r, GATE_CLOCK_WALL, &alone);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	bench_free(&b);
}

Test(looks, take_a_pass_back_for_a_regression_only)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 1, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	cr_assert(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	measure_noisy(&b, "g/0", 1.2, 0.002, 7, 30);
	measure_open(&b, "g/1", 7, 30);
	cr_assert_not(look(&b, 30));
	expect_verdict(&b.r->rows[0], GATE_V_REGRESSION);
	cr_assert_eq(b.r->rows[0].decided_at, 30);
	bench_free(&b);
}

Test(looks, keep_an_improvement_as_such)
{
	struct bench b = bench_new(6, 30);

	measure_noisy(&b, "g/0", 0.8, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	cr_assert(look(&b, 6));
	expect_verdict(&b.r->rows[0], GATE_V_IMPROVEMENT);
	measure_noisy(&b, "g/0", 0.95, 0.5, 7, 20);
	measure_open(&b, "g/1", 7, 20);
	cr_assert(look(&b, 20));
	expect_verdict(&b.r->rows[0], GATE_V_IMPROVEMENT);
	cr_assert_eq(b.r->rows[0].decided_at, 6);
	bench_free(&b);
}

/* A row that loses its values leaves the others corrected as before. */
Test(looks, never_let_the_family_shrink)
{
	struct bench b = bench_new(6, 30);
	unsigned i;

	measure_noisy(&b, "g/0", 1.05, 0.05, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	measure_open(&b, "g/2", 1, 6);
	look(&b, 6);
	cr_assert_float_eq(b.r->rows[0].p_holm, fmin(1, 3 * b.r->rows[0].p),
			   1e-12);
	measure_noisy(&b, "g/0", 1.05, 0.05, 7, 10);
	for (i = 7; i <= 10; i++) {
		measure(&b, "g/1", GATE_BASE, i, 0);
		measure(&b, "g/1", GATE_CANDIDATE, i, 0);
		measure(&b, "g/2", GATE_BASE, i, 0);
		measure(&b, "g/2", GATE_CANDIDATE, i, 0);
	}
	look(&b, 10);
	expect_verdict(&b.r->rows[1], GATE_V_INSUFFICIENT);
	cr_assert_lt(b.r->rows[0].p, 0.3);
	cr_assert_float_eq(b.r->rows[0].p_holm, 3 * b.r->rows[0].p, 1e-12);
	expect_text(b.r->rows[0].reason, "%");
	bench_free(&b);
}

Test(looks, can_be_repeated_on_rows_paired_anew)
{
	struct bench b = bench_new(6, 30);
	char *reason;
	size_t n;

	measure_noisy(&b, "g/0", 1, 0.002, 1, 6);
	measure_open(&b, "g/1", 1, 6);
	look(&b, 6);
	measure_noisy(&b, "g/0", 1.2, 0.4, 7, 10);
	measure_open(&b, "g/1", 7, 10);
	look(&b, 10);
	reason = gate_strdup(b.r->rows[1].reason);
	n = b.r->n_looks;
	gate_result_clear(b.r);
	gate_pair(b.set, b.r);
	gate_looks_repeat(&b.looks, b.r);
	expect_verdict(&b.r->rows[0], GATE_V_PASS);
	cr_assert_eq(b.r->rows[0].decided_at, 6);
	cr_assert_str_eq(b.r->rows[1].reason, reason);
	cr_assert_eq(b.r->n_looks, n);
	free(reason);
	bench_free(&b);
}

/* The time was up before another round could begin. */
Test(looks, without_a_new_round_are_the_look_before_and_spend_nothing)
{
	struct bench b = bench_new(6, 30);
	double p, mde;

	measure_open(&b, "g/0", 1, 6);
	cr_assert(look(&b, 6));
	expect_text(b.r->rows[0].reason, "more rounds can tell");
	p = b.r->rows[0].p_holm;
	mde = b.r->rows[0].mde;
	gate_result_clear(b.r);
	gate_pair(b.set, b.r);
	gate_looks_decide(&b.looks, b.r, 6, true);
	cr_assert_not(gate_looks_record(&b.looks, b.r, 0));
	cr_assert_eq(b.r->n_looks, 1);
	cr_assert_float_eq(b.r->looks[0].alpha, 0.002, 1e-15);
	cr_assert_eq(b.r->looks[0].runs, 2);
	cr_assert_eq(b.r->rows[0].p_holm, p);
	cr_assert_eq(b.r->rows[0].mde, mde);
	expect_text(b.r->rows[0].reason, "no rounds are left");
	bench_free(&b);
}

/* ---- what the rounds say of themselves ---- */

static const struct gate_diag *find_diag(const struct gate_result *r,
					 const char *code)
{
	size_t i;

	for (i = 0; i < r->diags.n; i++)
		if (!strcmp(r->diags.items[i].code, code))
			return &r->diags.items[i];
	return NULL;
}

/* `n` quiet rows that are `factor` times as slow; the base of the first `odd`
 * of them is 10 % slower in every second round, and the candidate too. */
static void measure_rows(struct bench *b, unsigned n, unsigned odd,
			 double factor)
{
	unsigned state = 1, i, round;
	char row[32];
	double x, y;

	for (i = 0; i < n; i++) {
		snprintf(row, sizeof row, "g%u/%u", i % 2, i);
		for (round = 1; round <= 10; round++) {
			x = 1000 * exp(0.002 * noise(&state));
			y = 1000 * exp(0.002 * noise(&state));
			if (i < odd && round % 2)
				x *= 1.1;
			if (i < odd && round % 2)
				y *= 1.1;
			measure(b, row, GATE_BASE, round, x);
			measure(b, row, GATE_CANDIDATE, round, y * factor);
		}
	}
}

static void decide(struct bench *b)
{
	look(b, 10);
	gate_conclude(b->r);
}

Test(check, a_base_that_agrees_with_itself_is_not_remarked_on)
{
	struct bench b = bench_new(6, 10);

	measure_rows(&b, 40, 2, 1.1);
	decide(&b);
	cr_assert(b.r->check.present);
	cr_assert_eq(b.r->check.rows, 40);
	cr_assert_eq(b.r->check.apart, 2);
	cr_assert_not(b.r->check.rows_barred);
	cr_assert_null(b.r->check.unsound);
	cr_assert_null(find_diag(b.r, "check.noisy"));
	cr_assert_eq(b.r->exit_code, 1);
	bench_free(&b);
}

Test(check, a_base_that_differs_from_itself_in_a_tenth_of_rows_is_a_warning)
{
	struct bench b = bench_new(6, 10);

	measure_rows(&b, 40, 4, 1.1);
	decide(&b);
	cr_assert_eq(b.r->check.apart, 4);
	cr_assert_not(b.r->check.rows_barred);
	expect_text(find_diag(b.r, "check.noisy")->message,
		    "in 4 of 40 rows the base differs from itself");
	expect_verdict(&b.r->rows[39], GATE_V_REGRESSION);
	bench_free(&b);
}

Test(check, in_a_fifth_of_rows_it_bars_rows_but_not_groups_and_the_suite)
{
	struct bench b = bench_new(6, 10);

	measure_rows(&b, 40, 8, 1.1);
	decide(&b);
	cr_assert(b.r->check.rows_barred);
	cr_assert_eq(gate_result_count(b.r, GATE_V_REGRESSION), 0);
	expect_verdict(&b.r->rows[39], GATE_V_INCONCLUSIVE);
	cr_assert_eq(b.r->rows[39].decided_at, 0);
	expect_text(b.r->rows[39].reason,
		    "but it may not block: in 8 of 40 rows the base differs "
		    "from itself as much");
	cr_assert_eq(b.r->groups[0].verdict, GATE_V_REGRESSION);
	cr_assert_eq(b.r->suite.verdict, GATE_V_REGRESSION);
	cr_assert_eq(b.r->exit_code, 1);
	expect_text(find_diag(b.r, "check.noisy")->message,
		    "no single row may block");
	bench_free(&b);
}

Test(check, a_remark_on_noise_is_that_of_the_latest_look)
{
	struct bench b = bench_new(6, 10);

	measure_rows(&b, 40, 8, 1.1);
	look(&b, 10);
	gate_decide(b.r, GATE_CLOCK_WALL,
		    &(struct gate_look_spec){.spend = 1, .last = true});
	gate_diags_drop(&b.r->diags, "check.");
	cr_assert_null(find_diag(b.r, "check.noisy"));
	gate_sample_set_free(b.set);
	b.set = gate_sample_set_new();
	measure_rows(&b, 40, 0, 1);
	look(&b, 10);
	cr_assert_null(find_diag(b.r, "check.noisy"));
	cr_assert_eq(b.r->check.apart, 0);
	bench_free(&b);
}

/* Six rounds are three pairs, of which one may be anything. */
Test(check, of_six_rounds_one_interrupt_sets_no_row_apart)
{
	struct bench b = bench_new(6, 6);
	unsigned round;

	for (round = 1; round <= 6; round++) {
		measure(&b, "g/0", GATE_BASE, round,
			(round == 3 ? 1500 : 1000) + round * 0.1);
		measure(&b, "g/0", GATE_CANDIDATE, round, 1000 - round * 0.1);
	}
	look(&b, 6);
	cr_assert_eq(b.r->check.rows, 1);
	cr_assert_eq(b.r->check.apart, 0);
	bench_free(&b);
}

/* A step of the clock is no noise. */
Test(check, rounds_that_differ_by_a_printed_step_are_not_apart)
{
	struct bench b = bench_new(6, 10);
	unsigned round;

	for (round = 1; round <= 10; round++) {
		measure(&b, "g/0", GATE_BASE, round, round % 2 ? 20 : 21);
		measure(&b, "g/0", GATE_CANDIDATE, round, round % 2 ? 21 : 20);
	}
	decide(&b);
	expect_verdict(&b.r->rows[0], GATE_V_UNRESOLVABLE);
	cr_assert_eq(b.r->check.rows, 1);
	cr_assert_eq(b.r->check.apart, 0);
	bench_free(&b);
}

static const struct {
	struct gate_job_info job;
	const char *why;
} unfit[] = {
	{{.blocked_order = true}, "all rounds of one side ran before"},
	{{.boots = {10, 1}}, "the rounds of the candidate share 1 boot,"},
	{{.boots = {5, 10}}, "the rounds of the base share 5 boots,"},
	{{.contaminated = {3, 0}}, "in 3 of 10 rounds of the base"},
};

Test(check, rounds_that_cannot_carry_a_verdict_refuse_to_block_and_say_why)
{
	struct gate_job_info job;
	struct bench b;
	size_t i;

	for (i = 0; i < sizeof unfit / sizeof *unfit; i++) {
		b = bench_new(6, 10);
		job = unfit[i].job;
		job.name = gate_strdup("j");
		job.rounds[0] = job.rounds[1] = 10;
		GATE_PUSH(b.r->jobs, b.r->n_jobs, b.r->cap_jobs, job);
		measure_rows(&b, 20, 0, 1.2);
		decide(&b);
		cr_assert_eq(b.r->exit_code, 3, "%s", b.r->reason);
		cr_assert_eq(gate_result_count(b.r, GATE_V_REGRESSION), 0);
		expect_text(b.r->rows[0].reason, unfit[i].why);
		cr_assert_eq(b.r->groups[0].verdict, GATE_V_INCONCLUSIVE);
		expect_text(b.r->groups[0].reason, unfit[i].why);
		cr_assert_eq(b.r->suite.verdict, GATE_V_INCONCLUSIVE);
		expect_text(b.r->suite.reason, "it may not block");
		expect_text(b.r->check.unsound, unfit[i].why);
		expect_text(b.r->reason, unfit[i].why);
		expect_text(find_diag(b.r, "check.unsound")->message,
			    unfit[i].why);
		bench_free(&b);
	}
}

Test(check, rounds_that_cannot_carry_a_verdict_do_not_pass_either)
{
	struct gate_job_info job = {.name = gate_strdup("j"),
				    .blocked_order = true};
	struct bench b = bench_new(6, 10);

	GATE_PUSH(b.r->jobs, b.r->n_jobs, b.r->cap_jobs, job);
	measure_rows(&b, 20, 0, 1);
	decide(&b);
	cr_assert_eq(gate_result_count(b.r, GATE_V_PASS), 20);
	cr_assert_eq(b.r->exit_code, 3);
	bench_free(&b);
}

Test(check, two_rounds_of_ten_may_be_contaminated)
{
	struct gate_job_info job = {.name = gate_strdup("j"),
				    .rounds = {10, 10},
				    .contaminated = {2, 2},
				    .boots = {6, 10}};
	struct bench b = bench_new(6, 10);

	GATE_PUSH(b.r->jobs, b.r->n_jobs, b.r->cap_jobs, job);
	measure_rows(&b, 20, 0, 1.2);
	decide(&b);
	cr_assert_null(b.r->check.unsound);
	cr_assert_eq(b.r->exit_code, 1);
	bench_free(&b);
}

/* Of a few rows no share says anything of the machine. */
Test(check, of_a_few_rows_each_is_barred_by_its_own_base_only)
{
	struct bench b = bench_new(6, 10);

	measure_rows(&b, 4, 1, 1.2);
	decide(&b);
	cr_assert_eq(b.r->check.apart, 1);
	cr_assert_not(b.r->check.rows_barred);
	expect_verdict(&b.r->rows[0], GATE_V_INCONCLUSIVE);
	expect_text(b.r->rows[0].reason, "in 1 of 4 rows the base differs");
	expect_verdict(&b.r->rows[1], GATE_V_REGRESSION);
	bench_free(&b);
}

/* ---- beside the verdict ---- */

static void check_against_ranks(const struct gate_row *row, double sign)
{
	struct gate_ranks_null null = {0};
	double x[10], y[10], d[10];
	struct gate_ranks_shift s;
	size_t i;

	for (i = 0; i < 10; i++) {
		x[i] = sign * log(row->base.values[i]);
		y[i] = sign * log(row->candidate.values[i]);
		d[i] = y[i] - x[i];
	}
	cr_assert_float_eq(row->p_mw,
			   gate_ranks_mann_whitney(&null, x, 10, y, 10).p,
			   1e-15);
	cr_assert_float_eq(row->p_sr, gate_ranks_signed(d, 10).p, 1e-15);
	s = gate_ranks_shift(&null, x, 10, y, 10, 0.95);
	cr_assert_float_eq(row->hl, expm1(s.at), 1e-12);
	cr_assert_float_eq(row->hl_ci[0], expm1(s.ci[0]), 1e-12);
	cr_assert_float_eq(row->hl_ci[1], expm1(s.ci[1]), 1e-12);
	gate_ranks_null_done(&null);
}

Test(cross_check, stands_beside_each_row_and_is_positive_when_slower)
{
	struct bench b = bench_new(6, 10);
	struct gate_row *row;
	size_t i;

	measure_noisy(&b, "g/0", 1.05, 0.01, 1, 10);
	look(&b, 10);
	row = &b.r->rows[0];
	cr_assert(isnan(row->p_mw));
	gate_conclude(b.r);
	check_against_ranks(row, 1);
	cr_assert_float_eq(row->hl, 0.05, 0.01);
	cr_assert_leq(row->p_sr, 0.002);
	/* The same values as a rate: faster. */
	row->better = GATE_HIGHER;
	gate_cross_check(b.r);
	check_against_ranks(row, -1);
	cr_assert_float_eq(row->hl, 1 / 1.05 - 1, 0.01);
	/* What cannot be used is left out. */
	row->base.values[0] = 0;
	row->candidate.values[1] = GATE_NAN;
	gate_cross_check(b.r);
	cr_assert_float_eq(row->p_sr, 2 / 256.0, 1e-15);
	for (i = 0; i < 10; i++)
		row->base.values[i] = 0;
	row->p_mw = GATE_NAN;
	gate_cross_check(b.r);
	cr_assert(isnan(row->p_mw));
	bench_free(&b);
}

Test(cross_check, is_not_for_exact_rows)
{
	struct bench b = bench_new(6, 10);

	measure_noisy(&b, "g/0", 1.05, 0.01, 1, 10);
	gate_pair(b.set, b.r);
	b.r->rows[0].clock = GATE_CLOCK_INSTRUCTIONS;
	gate_cross_check(b.r);
	cr_assert(isnan(b.r->rows[0].p_mw));
	cr_assert(isnan(b.r->rows[0].hl));
	bench_free(&b);
}
