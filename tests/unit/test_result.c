#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/result.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

#define REPORTS GATE_FIXTURES "/reports/"

static char *slurp(const char *path, size_t *len)
{
	struct gate_error err;
	char *text = NULL;

	cr_assert_eq(gate_fs_read(path, 1 << 24, &text, len, &err), 0, "%s",
		     err.message);
	return text;
}

static struct gate_result *parse(const char *text)
{
	struct gate_result *r = NULL;
	struct gate_error err;

	cr_assert_eq(gate_result_parse("r.json", text, strlen(text), &r, &err),
		     0, "%s", err.message);
	return r;
}

/* The message of the refusal; empty when it was taken. */
static const char *refusal(const char *text, size_t len)
{
	static struct gate_error err;
	struct gate_result *r = NULL;
	int rc = gate_result_parse("r.json", text, len, &r, &err);

	if (!rc) {
		gate_result_free(r);
		return "";
	}
	cr_expect_eq(rc, GATE_ESYNTAX);
	cr_expect_null(r);
	return err.message;
}

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	cr_assert_not_null(at, "no %s", from);
	return gate_asprintf("%.*s%s%s", (int)(at - text), text, to,
			     at + strlen(from));
}

/* A small one with a bit of everything. */
static struct gate_result *make(void)
{
	struct gate_result *r = gate_result_new();
	struct gate_row row = {.job = gate_strdup("aes"),
			       .bench = gate_strdup("tcrypt"),
			       .row = gate_strdup("cbc(aes)/encrypt/key=128"),
			       .group = gate_strdup("tcrypt/cbc(aes)/encrypt"),
			       .unit = GATE_UNIT_OP_PER_S,
			       .slowdown = 0.1,
			       .ci = {GATE_NAN, GATE_NAN},
			       .p = 1e-300,
			       .p_holm = GATE_NAN,
			       .q_bh = GATE_NAN,
			       .mde = GATE_NAN,
			       .h = GATE_NAN};

	r->command = gate_strdup("compare");
	r->outcome = gate_strdup("regression");
	r->exit_code = 1;
	r->reason = gate_strdup("1 of 1 rows slower");
	row.base.driver = gate_strdup("a");
	row.base.n = 2;
	row.base.usable = 1;
	row.base.rounds = gate_calloc(2, sizeof *row.base.rounds);
	row.base.values = gate_calloc(2, sizeof *row.base.values);
	row.base.rounds[0] = 1;
	row.base.rounds[1] = 3;
	row.base.values[0] = 0.1 + 0.2;
	row.base.values[1] = GATE_NAN;
	row.base.median = row.base.min = row.base.max = 0.1 + 0.2;
	row.base.best = GATE_NAN;
	row.candidate.median = row.candidate.min = GATE_NAN;
	row.candidate.max = row.candidate.best = GATE_NAN;
	GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
	gate_result_add_host(r, "cpu", "max");
	gate_diags_add(&r->diags, GATE_DIAG_WARNING, "a.b", "odd: %d", 1);
	return r;
}

Test(result, names_every_verdict_and_reads_it_back)
{
	enum gate_verdict v, back;
	unsigned i;

	for (i = 0; i < GATE_VERDICTS; i++) {
		v = (enum gate_verdict)i;
		cr_assert(gate_verdict_parse(gate_verdict_name(v), &back));
		cr_expect_eq(v, back);
	}
	cr_expect_not(gate_verdict_parse("PASS", &back));
	cr_expect_not(gate_verdict_parse("", &back));
}

Test(result, counts_rows_of_a_verdict)
{
	struct gate_result *r = make();

	cr_expect_eq(gate_result_count(r, GATE_V_REGRESSION), 1);
	cr_expect_eq(gate_result_count(r, GATE_V_PASS), 0);
	gate_result_free(r);
}

Test(result, keeps_what_two_jobs_say_differently_of_the_host)
{
	struct gate_result *r = gate_result_new();

	gate_result_add_host(r, "qemu", "7.2");
	gate_result_add_host(r, "cpu", "max");
	gate_result_add_host(r, "qemu", "7.2");
	gate_result_add_host(r, "cpu", "host");
	cr_assert_eq(r->n_host, 2);
	cr_expect_str_eq(r->host[0].value, "7.2");
	cr_expect_str_eq(r->host[1].value, "max; host");
	gate_result_free(r);
}

Test(result, is_fit_for_new_rows_after_clearing)
{
	struct gate_result *r = make();

	r->suite.present = true;
	r->suite.reason = gate_strdup("x");
	gate_result_clear(r);
	cr_expect_eq(r->n_rows, 0);
	cr_expect_not(r->suite.present);
	cr_expect_null(r->suite.reason);
	cr_expect(isnan(r->suite.slowdown));
	cr_expect_eq(r->n_host, 1);
	gate_result_free(r);
}

Test(result, frees_nothing)
{
	gate_result_free(NULL);
	gate_result_free(gate_result_new());
}

Test(result_json, writes_null_for_numbers_that_do_not_exist)
{
	struct gate_result *r = make();
	char *text = gate_result_json(r);

	cr_expect_not_null(strstr(text, "\"p_holm\": null"));
	cr_expect_not_null(strstr(text, "\"ci\": null"));
	cr_expect_not_null(strstr(text, "\"suite\": null"));
	cr_expect_not_null(
		strstr(text, "\"values\": [0.30000000000000004, null]"));
	cr_expect_null(strstr(text, "nan"));
	free(text);
	gate_result_free(r);
}

Test(result_json, holds_times_only_when_they_are_known)
{
	struct gate_result *r = make();
	char *text = gate_result_json(r);

	cr_expect_null(strstr(text, "seconds"));
	cr_expect_null(strstr(text, "started"));
	free(text);
	r->started = gate_strdup("2026-11-30T15:51:07Z");
	r->seconds = 2.5;
	text = gate_result_json(r);
	cr_expect_not_null(strstr(text, "\"seconds\": 2.5"));
	free(text);
	gate_result_free(r);
}

Test(result_json, does_not_claim_that_coverage_was_looked_at)
{
	struct gate_result *r = make();
	char *text = gate_result_json(r);

	cr_expect_null(strstr(text, "unmeasured"));
	free(text);
	gate_result_free(r);
}

Test(result_json, reads_back_every_number)
{
	struct gate_result *r = make(), *back;
	char *text = gate_result_json(r);

	back = parse(text);
	cr_assert_eq(back->n_rows, 1);
	cr_expect_eq(back->rows[0].base.values[0], 0.1 + 0.2);
	cr_expect(isnan(back->rows[0].base.values[1]));
	cr_expect_eq(back->rows[0].base.rounds[1], 3);
	cr_expect_eq(back->rows[0].p, 1e-300);
	cr_expect(isnan(back->rows[0].mde));
	cr_expect_eq(back->rows[0].unit, GATE_UNIT_OP_PER_S);
	cr_expect_null(back->rows[0].candidate.driver);
	cr_expect_eq(back->policy.insn_floor, 2);
	cr_expect_str_eq(back->diags.items[0].message, "odd: 1");
	free(text);
	gate_result_free(r);
	gate_result_free(back);
}

Test(result_json, prints_what_it_read_byte_for_byte)
{
	static const char *const files[] = {REPORTS "instructions.json",
					    REPORTS "wall.json",
					    REPORTS "single.json"};
	struct gate_result *r;
	char *text, *again;
	size_t i, len;

	for (i = 0; i < sizeof files / sizeof files[0]; i++) {
		text = slurp(files[i], &len);
		r = parse(text);
		again = gate_result_json(r);
		cr_expect_str_eq(again, text, "%s", files[i]);
		gate_result_free(r);
		free(again);
		free(text);
	}
}

Test(result_json, keeps_rules_as_they_were_given)
{
	struct gate_result *r = make(), *back;
	struct gate_rule *rules = gate_calloc(2, sizeof *rules);
	char *text, *again;

	rules[0] = (struct gate_rule){.match = gate_strdup("a*"),
				      .threshold = GATE_NAN,
				      .tolerated = GATE_NAN,
				      .floor = 1.5,
				      .floor_unit = GATE_UNIT_NS_PER_OP,
				      .ignore = -1};
	rules[1] = (struct gate_rule){.match = gate_strdup("b"),
				      .has_clock = true,
				      .clock = GATE_CLOCK_INSTRUCTIONS,
				      .threshold = 0.5,
				      .tolerated = GATE_NAN,
				      .ignore = 0};
	r->policy.rules = rules;
	r->policy.n_rules = 2;
	text = gate_result_json(r);
	back = parse(text);
	cr_assert_eq(back->policy.n_rules, 2);
	cr_expect(isnan(back->policy.rules[0].threshold));
	cr_expect_eq(back->policy.rules[0].ignore, -1);
	cr_expect_not(back->policy.rules[0].has_clock);
	cr_expect_eq(back->policy.rules[0].floor, 1.5);
	cr_expect_eq(back->policy.rules[0].floor_unit, GATE_UNIT_NS_PER_OP);
	cr_expect(back->policy.rules[1].has_clock);
	cr_expect_eq(back->policy.rules[1].clock, GATE_CLOCK_INSTRUCTIONS);
	cr_expect_eq(back->policy.rules[1].threshold, 0.5);
	cr_expect_eq(back->policy.rules[1].ignore, 0);
	cr_expect_eq(back->policy.rules[1].floor_unit, GATE_UNIT_NONE);
	again = gate_result_json(back);
	cr_expect_str_eq(again, text);
	free(again);
	free(text);
	gate_result_free(r);
	gate_result_free(back);
}

Test(result_json, can_be_added_to_after_reading)
{
	size_t len;
	char *text = slurp(REPORTS "single.json", &len);
	struct gate_result *r = parse(text);
	size_t n = r->n_rows;
	struct gate_row row = {.verdict = GATE_V_PASS};

	GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
	cr_expect_not_null(r->rows[0].row);
	cr_expect_eq(r->n_rows, n + 1);
	gate_result_free(r);
	free(text);
}

Test(result_json, skips_keys_of_a_later_gate)
{
	size_t len;
	char *text = slurp(REPORTS "single.json", &len);
	char *more = replaced(text, "\"command\":",
			      "\"unmeasured\": [{\"path\": 1}], \"command\":");

	gate_result_free(parse(more));
	free(more);
	free(text);
}

Test(result_json, clips_what_it_could_not_read_back)
{
	struct gate_result *r = make(), *back;
	char *text;

	free(r->reason);
	r->reason = gate_calloc(200000, 1);
	memset(r->reason, 0xff, 199999);
	text = gate_result_json(r);
	back = parse(text);
	cr_expect_lt(strlen(back->reason), 50000);
	cr_expect_gt(strlen(back->reason), 40000);
	free(text);
	gate_result_free(back);
	gate_result_free(r);
}

/* Each change of a good file, and what the refusal must name. */
static const struct {
	const char *from, *to, *message;
} changes[] = {
	{"gate-result/1", "gate-result/2", "\"schema\" must be"},
	{"\"command\": \"compare\"", "\"command\": 1", "must be a string"},
	{"\"command\": \"compare\",", "", "\"command\" is missing"},
	{"\"exit_code\": 3", "\"exit_code\": 0", "code of the outcome"},
	{"\"exit_code\": 3", "\"exit_code\": 2", "code of the outcome"},
	{"\"exit_code\": 3", "\"exit_code\": 1e9", "code of the outcome"},
	{"\"exit_code\": 3", "\"exit_code\": -1", "a number from 0"},
	{"\"exit_code\": 3", "\"exit_code\": 3.5", "a whole number"},
	{"\"outcome\": \"inconclusive\"", "\"outcome\": \"fine\"",
	 "code of the outcome"},
	{"\"commit\": null", "\"commit\": \"HEAD\"", "a whole commit id"},
	{"\"commit\": null",
	 "\"commit\": \"0123456789ABCDEF0123456789ABCDEF01234567\"",
	 "a whole commit id"},
	{"\"alpha\": 0.01", "\"alpha\": 2", "a number from 0 to 1"},
	{"\"alpha\": 0.01", "\"alpha\": 1e999", "a number from 0 to 1"},
	{"\"missing\": \"fail\"", "\"missing\": \"ignore\"",
	 "does not know \"ignore\""},
	{"\"floor\": \"2 insn/op\"", "\"floor\": \"2 cycles/op\"",
	 "in insn/op"},
	{"\"floor\": \"2 insn/op\"", "\"floor\": \"-2 insn/op\"",
	 "a number, a blank and a unit"},
	{"\"floor\": \"2 insn/op\"", "\"floor\": 2",
	 "a number, a blank and a unit"},
	{"\"clock\": \"wall\"", "\"clock\": \"sundial\"",
	 "does not know \"sundial\""},
	{"\"unit\": \"op/s\"", "\"unit\": \"furlongs\"", "a unit that gate"},
	{"\"better\": \"higher\"", "\"better\": null", "must be a string"},
	{"\"n\": 1", "\"n\": 2", "array of \"n\" elements"},
	{"\"n\": 1", "\"n\": 1e18", "a number from 0 to 1000000000"},
	{"\"rounds\": [1]", "\"rounds\": [1, 2]", "array of \"n\" elements"},
	{"\"rounds\": [1]", "\"rounds\": [\"1\"]", "a number from 0"},
	{"\"rounds\": [1]", "\"rounds\": {}", "array of \"n\" elements"},
	{"\"values\": [", "\"values\": [true, ", "array of \"n\" elements"},
	{"\"usable\": 1", "\"usable\": 2", "more rounds than the row has"},
	{"\"best_rounds\": 0", "\"best_rounds\": 9",
	 "more rounds than the row has"},
	{"\"ci\": null", "\"ci\": [1]", "an array of two numbers"},
	{"\"ci\": null", "\"ci\": [2, 1]", "a number of at least 2"},
	{"\"slowdown\": -0", "\"slowdown\": -10", "a number of at least -1"},
	{"\"slowdown\": ", "\"slowdown\": \"x\", \"was\": ", "a number of"},
	{"\"rule\": 0", "\"rule\": 7", "no rule of the policy"},
	{"\"verdict\": \"insufficient\"", "\"verdict\": \"Pass\"",
	 "does not know \"Pass\""},
	{"\"ignore\": false", "\"ignore\": 0", "true or false"},
	{"\"driver\": {", "\"driver\": null, \"was\": {", "must be an object"},
	{"\"bench\": \"tcrypt\"", "\"bench\": \"\"", "have names"},
	{"\"host\": {", "\"host\": {\"a\": 1", "must be a string"},
	{"\"rows\": [", "\"rows\": 1, \"was\": [", "must be an array"},
	{"\"rows\": [\n    {", "\"rows\": [[], {", "must be an object"},
	{"\"suite\": null", "\"suite\": {}", "\"groups\" is missing"},
	{"\"suite\": null", "\"suite\": 0", "must be an object"},
	{"\"command\"", "\"schema\": \"gate-result/1\", \"command\"",
	 "stands twice"},
};

/* What looks, checks and ranks add, and that it comes back as it was. */
Test(result_json, brings_looks_checks_and_ranks_back)
{
	struct gate_result *r = make(), *back;
	struct gate_row *row = &r->rows[0];
	char *text, *again;

	row->p_mw = 0.25;
	row->p_sr = GATE_NAN;
	row->hl = -0.5;
	row->hl_ci[0] = -0.75;
	row->hl_ci[1] = 0.125;
	row->decided_at = 15;
	GATE_PUSH(r->looks, r->n_looks, r->cap_looks,
		  (struct gate_look){.rounds = 15,
				     .alpha = 0.005,
				     .decided = 1,
				     .regressions = 2,
				     .runs = 30});
	GATE_PUSH(r->jobs, r->n_jobs, r->cap_jobs,
		  (struct gate_job_info){.name = gate_strdup("aes"),
					 .boots = {1, 15},
					 .blocked_order = true});
	r->check = (struct gate_check){.present = true,
				       .rows = 9,
				       .apart = 3,
				       .rows_barred = true,
				       .unsound = gate_strdup("one boot")};
	text = gate_result_json(r);
	back = parse(text);
	again = gate_result_json(back);
	cr_assert_str_eq(again, text);
	row = &back->rows[0];
	cr_expect_eq(row->p_mw, 0.25);
	cr_expect(isnan(row->p_sr));
	cr_expect_eq(row->hl, -0.5);
	cr_expect_eq(row->hl_ci[1], 0.125);
	cr_expect_eq(row->decided_at, 15);
	cr_expect_eq(back->looks[0].regressions, 2);
	cr_expect_eq(back->looks[0].runs, 30);
	cr_expect_eq(back->jobs[0].boots[GATE_CANDIDATE], 15);
	cr_expect(back->jobs[0].blocked_order);
	cr_expect(back->check.present);
	cr_expect_eq(back->check.apart, 3);
	cr_expect(back->check.rows_barred);
	cr_expect_str_eq(back->check.unsound, "one boot");
	free(text);
	free(again);
	gate_result_free(r);
	gate_result_free(back);
}

Test(result_json, leaves_out_ranks_and_checks_that_are_not_there)
{
	struct gate_result *r = make(), *back;
	char *text;

	r->rows[0].p_mw = r->rows[0].p_sr = GATE_NAN;
	text = gate_result_json(r);
	cr_expect_null(strstr(text, "\"ranks\""));
	cr_expect_null(strstr(text, "\"decided_at\""));
	cr_expect_null(strstr(text, "\"check\""));
	back = parse(text);
	cr_expect(isnan(back->rows[0].p_mw));
	cr_expect(isnan(back->rows[0].hl));
	cr_expect(isnan(back->rows[0].hl_ci[0]));
	cr_expect_not(back->check.present);
	free(text);
	gate_result_free(r);
	gate_result_free(back);
}

Test(result_json, names_the_place_of_what_is_wrong)
{
	size_t len, i;
	char *good = slurp(REPORTS "single.json", &len), *bad;
	const char *message;
	unsigned line, column;

	for (i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		bad = replaced(good, changes[i].from, changes[i].to);
		message = refusal(bad, strlen(bad));
		cr_expect_not_null(strstr(message, changes[i].message),
				   "%s: \"%s\"", changes[i].to, message);
		cr_expect_eq(sscanf(message, "r.json:%u:%u: ", &line, &column),
			     2, "%s", message);
		free(bad);
	}
	free(good);
}

Test(result_json, finds_the_line_of_a_fault)
{
	size_t len;
	char *good = slurp(REPORTS "single.json", &len);
	char *bad = replaced(good, "\"exit_code\": 3", "\"exit_code\": \"3\"");
	const char *message = refusal(bad, strlen(bad));

	cr_expect_eq(strncmp(message, "r.json:9:3: ", 12), 0, "%s", message);
	free(bad);
	free(good);
}

Test(result_json, wants_rounds_in_their_order)
{
	size_t len;
	char *good = slurp(REPORTS "wall.json", &len);
	char *bad = replaced(good, "\"rounds\": [1, 2, 3, 4",
			     "\"rounds\": [1, 3, 2, 4");
	const char *message = refusal(bad, strlen(bad));

	cr_expect_not_null(strstr(message, "a number from 4 to"), "%s",
			   message);
	free(bad);
	bad = replaced(good, "\"rounds\": [1, 2", "\"rounds\": [2, 2");
	cr_expect_str_neq(refusal(bad, strlen(bad)), "");
	free(bad);
	free(good);
}

Test(result_json, refuses_what_is_no_object)
{
	cr_expect_str_neq(refusal("", 0), "");
	cr_expect_str_neq(refusal("[]", 2), "");
	cr_expect_str_neq(refusal("null", 4), "");
	cr_expect_str_neq(refusal("{}", 2), "");
	cr_expect_str_neq(refusal("{\"a\":\0}", 7), "");
}

Test(result_json, bounds_lists_and_strings)
{
	size_t len, i;
	char *good = slurp(REPORTS "single.json", &len), *bad, *big;
	struct gate_str s = {0};

	gate_str_puts(&s, "\"jobs\": [0");
	for (i = 0; i < 100000; i++)
		gate_str_puts(&s, ",0");
	gate_str_puts(&s, "], \"was\": [");
	bad = replaced(good, "\"jobs\": [", gate_str_text(&s));
	cr_expect_not_null(strstr(refusal(bad, strlen(bad)),
				  "\"jobs\" must be a shorter array"),
			   "%.300s", refusal(bad, strlen(bad)));
	free(bad);
	gate_str_done(&s);
	big = gate_calloc(50000, 1);
	memset(big, 'x', 49999);
	gate_str_addf(&s, "\"command\": \"%s\"", big);
	bad = replaced(good, "\"command\": \"compare\"", gate_str_text(&s));
	cr_expect_not_null(
		strstr(refusal(bad, strlen(bad)), "a shorter string"));
	free(bad);
	free(big);
	free(good);
	gate_str_done(&s);
}

Test(result_json, survives_any_damage)
{
	size_t len, at, i;
	char *good = slurp(REPORTS "single.json", &len), *bad, *text;
	struct gate_result *r, *back;
	struct gate_error err;
	uint64_t seed = 42;

	for (i = 0; i < 400; i++) {
		bad = gate_strndup(good, len);
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		at = (size_t)(seed >> 33) % len;
		bad[at] = (char)(seed >> 24);
		if (i % 4 == 0)
			memmove(bad + at, bad + at + 1, len - at);
		r = back = NULL;
		if (!gate_result_parse("r.json", bad, strlen(bad), &r, &err)) {
			text = gate_result_json(r);
			cr_expect_eq(gate_result_parse("r.json", text,
						       strlen(text), &back,
						       &err),
				     0, "%s", err.message);
			free(text);
		} else {
			cr_expect_eq(err.status, GATE_ESYNTAX);
		}
		gate_result_free(r);
		gate_result_free(back);
		free(bad);
	}
	free(good);
}
