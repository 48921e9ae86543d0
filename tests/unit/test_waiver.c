#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/waiver.h"

static void add_row(struct gate_result *r, const char *name,
		    enum gate_verdict v, double slowdown)
{
	struct gate_row row = {.job = gate_strdup("j"),
			       .bench = gate_strdup("b"),
			       .row = gate_strdup(name),
			       .group = gate_strdup("b/g"),
			       .slowdown = slowdown,
			       .verdict = v,
			       .reason = gate_strdup("because")};

	row.base.n = 6;
	row.candidate.n = v == GATE_V_MISSING ? 0 : 6;
	GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
}

static struct gate_result *make(void)
{
	struct gate_result *r = gate_result_new();
	struct gate_group g = {.job = gate_strdup("j"),
			       .group = gate_strdup("b/g"),
			       .slowdown = 0.04,
			       .verdict = GATE_V_REGRESSION,
			       .reason = gate_strdup("mean")};

	add_row(r, "g/x=1", GATE_V_REGRESSION, 0.05);
	add_row(r, "g/x=2", GATE_V_PASS, 0.001);
	GATE_PUSH(r->groups, r->n_groups, r->cap_groups, g);
	return r;
}

static void apply(struct gate_result *r, const char *text, const char *today)
{
	struct gate_waivers w = {0};
	struct gate_error err;

	cr_assert_eq(gate_waivers_parse("w.json", text, strlen(text), &w, &err),
		     0, "%s", err.message);
	gate_waivers_apply(&w, today, r);
	gate_waivers_done(&w);
}

static const char *said(const struct gate_result *r, const char *code)
{
	size_t i;

	for (i = 0; i < r->diags.n; i++)
		if (!strcmp(r->diags.items[i].code, code))
			return r->diags.items[i].message;
	return "";
}

#define WHY "\"reason\": \"why\", \"expires\": \"2027-01-31\""

Test(waiver, turns_a_regression_into_a_pass_that_says_so)
{
	struct gate_result *r = make();

	apply(r, "[{\"match\": \"b/g/x=1\", \"max_slowdown\": 0.05, " WHY "}]",
	      "2027-01-31");
	cr_expect_eq(r->rows[0].verdict, GATE_V_PASS);
	cr_expect_eq(r->rows[0].slowdown, 0.05, "the number is kept");
	cr_assert_not_null(r->rows[0].waived);
	cr_expect_eq(r->rows[0].waived->from, GATE_V_REGRESSION);
	cr_expect_str_eq(r->rows[0].reason,
			 "waived up to +5 % until 2027-01-31: why (was "
			 "regression: because)");
	cr_expect_null(r->rows[1].waived, "what needs none gets none");
	cr_expect_eq(r->groups[0].verdict, GATE_V_REGRESSION,
		     "half of the group is not waived");
	cr_expect_not_null(strstr(said(r, "waiver.used"), "b/g/x=1: why"));
	gate_result_free(r);
}

Test(waiver, of_all_rows_of_a_group_waives_the_group)
{
	struct gate_result *r = make();

	apply(r, "[{\"match\": \"b/*\", \"max_slowdown\": 0.05, " WHY "}]",
	      "2026-01-01");
	cr_expect_eq(r->groups[0].verdict, GATE_V_PASS);
	cr_expect_eq(r->groups[0].waived->max_slowdown, 0.05);
	gate_result_free(r);
}

Test(waiver, accepts_no_more_than_its_bound)
{
	struct gate_result *r = make();

	apply(r, "[{\"match\": \"*\", \"max_slowdown\": 0.0499, " WHY "}]",
	      "2026-01-01");
	cr_expect_eq(r->rows[0].verdict, GATE_V_REGRESSION);
	cr_expect_null(r->rows[0].waived);
	cr_expect_not_null(strstr(said(r, "waiver.beyond"), "4.99 %"));
	gate_result_free(r);
}

Test(waiver, is_refused_from_the_day_after_its_last)
{
	struct gate_result *r = make();
	size_t i;

	apply(r, "[{\"match\": \"*\", \"max_slowdown\": 1, " WHY "}]",
	      "2027-02-01");
	cr_expect_eq(r->rows[0].verdict, GATE_V_REGRESSION);
	cr_expect_not_null(strstr(said(r, "waiver.expired"),
				  "expired on 2027-01-31, so b/g/x=1 blocks"));
	for (i = 0; i < r->diags.n; i++)
		cr_expect_eq(r->diags.items[i].level, GATE_DIAG_ERROR);
	gate_result_free(r);
}

Test(waiver, accepts_a_missing_row_only_when_it_says_so)
{
	struct gate_result *r = gate_result_new();

	add_row(r, "gone", GATE_V_MISSING, GATE_NAN);
	apply(r, "[{\"match\": \"*\", \"max_slowdown\": 9, " WHY "}]", "2026");
	cr_expect_eq(r->rows[0].verdict, GATE_V_MISSING);
	apply(r, "[{\"match\": \"*\", \"missing\": true, " WHY "}]", "2026");
	cr_expect_eq(r->rows[0].verdict, GATE_V_PASS);
	cr_expect_eq(r->rows[0].waived->from, GATE_V_MISSING);
	gate_result_free(r);
}

Test(waiver, leaves_what_could_not_be_judged)
{
	struct gate_result *r = gate_result_new();

	add_row(r, "a", GATE_V_FAILED, GATE_NAN);
	add_row(r, "b", GATE_V_INCONCLUSIVE, 0.01);
	apply(r,
	      "[{\"match\": \"*\", \"missing\": true, \"max_slowdown\": 9, " WHY
	      "}]",
	      "2026");
	cr_expect_eq(r->rows[0].verdict, GATE_V_FAILED);
	cr_expect_eq(r->rows[1].verdict, GATE_V_INCONCLUSIVE);
	cr_expect_not_null(strstr(said(r, "waiver.unused"), "nothing needs"));
	gate_result_free(r);
}

Test(waiver, that_stands_last_holds)
{
	struct gate_result *r = make();

	apply(r,
	      "[{\"match\": \"*\", \"max_slowdown\": 1, " WHY "}, "
	      "{\"match\": \"b/g/x=1\", \"max_slowdown\": 0.01, " WHY "}]",
	      "2026-01-01");
	cr_expect_eq(r->rows[0].verdict, GATE_V_REGRESSION);
	gate_result_free(r);
}

Test(waiver, reads_the_day_from_the_environment)
{
	char day[GATE_DAY_MAX];

	setenv("SOURCE_DATE_EPOCH", "86399", 1);
	gate_waivers_today(day);
	cr_expect_str_eq(day, "1970-01-01");
	setenv("SOURCE_DATE_EPOCH", "951782400", 1);
	gate_waivers_today(day);
	cr_expect_str_eq(day, "2000-02-29");
	unsetenv("SOURCE_DATE_EPOCH");
	gate_waivers_today(day);
	cr_expect_eq(strlen(day), 10);
	cr_expect(strcmp(day, "2026-01-01") > 0);
}

Test(waiver, is_the_same_after_writing_and_reading_a_result)
{
	struct gate_result *r = make(), *back = NULL;
	struct gate_error err;
	char *text, *again;
	size_t i;

	r->command = gate_strdup("run");
	r->outcome = gate_strdup("pass");
	r->reason = gate_strdup("x");
	r->plan = (struct gate_plan){true, 10, 4, 2, 10, 900, 1};
	r->selftest.present = true;
	r->selftest.splits = 200;
	r->selftest.at_most = 0.25;
	GATE_PUSH(r->selftest.advice, r->selftest.n_advice,
		  r->selftest.cap_advice, gate_strdup("rest"));
	apply(r, "[{\"match\": \"b/*\", \"max_slowdown\": 0.05, " WHY "}]",
	      "2026-01-01");
	/* These rows have no values. */
	for (i = 0; i < r->n_rows; i++)
		r->rows[i].base.n = r->rows[i].candidate.n = 0;
	text = gate_result_json(r);
	cr_assert_eq(gate_result_parse("r", text, strlen(text), &back, &err), 0,
		     "%s", err.message);
	again = gate_result_json(back);
	cr_expect_str_eq(text, again);
	cr_expect_str_eq(back->rows[0].waived->reason, "why");
	cr_expect_str_eq(back->selftest.advice[0], "rest");
	cr_expect_eq(back->plan.most, 900);
	free(text);
	free(again);
	gate_result_free(r);
	gate_result_free(back);
}
