#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/plan.h"
#include "gate/selftest.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

static struct gate_row tested(double mde, double h, size_t pairs)
{
	return (struct gate_row){
		.clock = GATE_CLOCK_WALL,
		.pairs = pairs,
		.mde = mde,
		.h = h,
		.limits = {.threshold = 0.03, .tolerated = 0.015}};
}

/* Noise that just fits into 10 rounds needs 10; twice as much needs 40. */
Test(plan, grows_with_the_square_of_the_noise)
{
	double room = log(1.03) - log(1.015);
	struct gate_row row = tested(0.03, 0, 10);

	cr_expect_eq(gate_plan_rounds(&row), 10);
	row.mde = exp(log(1.015) + 2 * room) - 1;
	cr_expect_eq(gate_plan_rounds(&row), 40);
	row.mde = exp(log(1.015) + room / 2) - 1;
	cr_expect_eq(gate_plan_rounds(&row), 3);
	/* A resolution takes its part, and no round brings it back. */
	row.h = room / 2;
	row.mde = exp(log(1.015) + row.h + room) - 1;
	cr_expect_eq(gate_plan_rounds(&row), 40);
	row.h = room;
	cr_expect_eq(gate_plan_rounds(&row), 0);
	cr_expect(gate_plan_too_coarse(&row));
}

Test(plan, knows_nothing_of_rows_that_were_not_tested)
{
	struct gate_row row = tested(GATE_NAN, 0, 10);

	cr_expect_eq(gate_plan_rounds(&row), 0);
	cr_expect_not(gate_plan_too_coarse(&row));
	row = tested(0.03, 0, 10);
	row.clock = GATE_CLOCK_INSTRUCTIONS;
	cr_expect_eq(gate_plan_rounds(&row), 0);
}

Test(plan, sums_up_all_rows)
{
	struct gate_result *r = gate_result_new();
	struct gate_row rows[] = {tested(0.02, 0, 10), tested(0.03, 0, 10),
				  tested(0.1, 0, 10), tested(0.1, 0.1, 10),
				  tested(GATE_NAN, 0, 10)};
	char *text;
	size_t i;

	gate_plan(r);
	cr_expect_not(r->plan.present);
	cr_expect_null(gate_plan_text(&r->plan));
	for (i = 0; i < 5; i++)
		GATE_PUSH(r->rows, r->n_rows, r->cap_rows, rows[i]);
	gate_plan(r);
	cr_expect(r->plan.present);
	cr_expect_eq(r->plan.rows, 4);
	cr_expect_eq(r->plan.rounds, 10);
	cr_expect_eq(r->plan.enough, 2);
	cr_expect_eq(r->plan.half, 10);
	cr_expect_eq(r->plan.most, gate_plan_rounds(&rows[2]));
	cr_expect_eq(r->plan.too_coarse, 1);
	text = gate_plan_text(&r->plan);
	cr_expect_not_null(strstr(text, "2 of 4 rows are quiet enough"));
	free(text);
	gate_result_free(r);
}

/* Rounds by a machine that is as noisy as `noise` says; with `gap` all of the
 * candidate is slower. */
static struct gate_sample_set *measured(unsigned rounds, double noise,
					double gap)
{
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_measured m = {.job = "j"};
	unsigned k, row, state = 1;
	char name[32];
	int side;

	m.s.bench = "b";
	m.s.row = name;
	m.s.unit = GATE_UNIT_NS_PER_OP;
	m.s.better = GATE_LOWER;
	for (k = 1; k <= rounds; k++)
		for (side = 0; side < 2; side++)
			for (row = 0; row < 10; row++) {
				state = state * 1103515245U + 12345U;
				snprintf(name, sizeof name, "g/x=%u", row);
				m.side = (enum gate_side)side;
				m.round = k;
				m.s.value = 1000 * (1 +
						    noise * ((state >> 16 &
							      1023) / 1023.0 -
							     0.5) +
						    side * gap);
				gate_sample_set_add(set, &m);
			}
	return set;
}

Test(selftest, finds_no_false_alarm_on_a_quiet_machine)
{
	struct gate_sample_set *set = measured(10, 0.01, 0);
	struct gate_result *r = gate_result_new();

	gate_selftest(set, r);
	cr_expect(r->selftest.present);
	cr_expect_eq(r->selftest.splits, 200);
	cr_expect_eq(r->selftest.blocked, 0);
	/* Clopper and Pearson: 1 - 0.025^(1/200), by R's binom.test(0, 200). */
	cr_expect_float_eq(r->selftest.at_most, 0.01827534, 1e-7);
	cr_expect_eq(r->exit_code, 0);
	gate_result_free(r);
	gate_sample_set_free(set);
}

Test(selftest, leaves_the_samples_as_they_were)
{
	struct gate_sample_set *set = measured(7, 0.01, 0.1);
	struct gate_result *r = gate_result_new();
	unsigned candidate = 0;
	size_t i;

	gate_selftest(set, r);
	for (i = 0; i < set->n; i++)
		if (set->items[i].side == GATE_CANDIDATE) {
			candidate++;
			cr_expect_gt(set->items[i].s.value, 1050);
		}
	cr_expect_eq(candidate, 70);
	cr_expect_eq(r->selftest.splits, 128, "all that differ");
	gate_result_free(r);
	gate_sample_set_free(set);
}

/* Sides that are not equal: the splits that keep them apart do block. */
Test(selftest, counts_splits_that_block)
{
	struct gate_sample_set *set = measured(6, 0.0001, 0.1);
	struct gate_result *r = gate_result_new();

	gate_selftest(set, r);
	cr_expect_eq(r->selftest.splits, 64);
	cr_expect_gt(r->selftest.blocked, 0);
	cr_expect_lt(r->selftest.blocked, 32);
	gate_result_free(r);
	gate_sample_set_free(set);
}
