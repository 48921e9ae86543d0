#include "unit/parsing.h"

Test(googlebench, takes_repetitions_and_no_aggregates)
{
	struct parsed p = parse_fixture("local_googlebench.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 15);
	s = row_at(&p, "googlebench", "BM_copy/64/repeats:2/real_time", 1);
	cr_expect_eq(s->value, 7.873451015411804);
	cr_expect_eq(s->unit, GATE_UNIT_NS_PER_OP);
	cr_expect_eq(s->better, GATE_LOWER);
	cr_expect_eq(s->iter, 1);
	cr_expect_eq(s->line, 55);
	s = row_at(&p, "googlebench", "BM_copy/4096/repeats:2/bytes_per_second",
		   0);
	cr_expect_eq(s->value, 91115611964.92537);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(s->better, GATE_HIGHER);
	s = row_at(&p, "googlebench", "BM_fail", 0);
	cr_expect_eq(s->status, GATE_SAMPLE_FAILED);
	cr_expect_str_eq(s->message, "no such device");
	parsed_done(&p);
}

Test(googlebench, converts_the_unit_of_time)
{
	struct parsed p = parse_text(
		"googlebench",
		"{\"context\":{},\"benchmarks\":["
		"{\"name\":\"a\",\"real_time\":2.5,\"time_unit\":\"us\"},"
		"{\"name\":\"b\",\"real_time\":2.5,\"time_unit\":\"ms\"},"
		"{\"name\":\"c\",\"real_time\":2.5,\"time_unit\":\"s\"},"
		"{\"name\":\"d\",\"real_time\":2.5,\"time_unit\":\"weeks\"}]}"
		"\n");

	cr_expect_eq(p.set->n, 3);
	cr_expect_eq(row_at(&p, "googlebench", "a/real_time", 0)->value, 2500);
	cr_expect_eq(row_at(&p, "googlebench", "b/real_time", 0)->value, 25e5);
	cr_expect_eq(row_at(&p, "googlebench", "c/real_time", 0)->value, 25e8);
	parsed_done(&p);
}

Test(googlebench, takes_the_median_where_only_aggregates_are)
{
	struct parsed p = parse_text(
		"googlebench",
		"{\"context\":{},\"benchmarks\":["
		"{\"name\":\"a_mean\",\"run_name\":\"a\",\"run_type\":"
		"\"aggregate\",\"aggregate_name\":\"mean\",\"real_time\":9},"
		"{\"name\":\"a_median\",\"run_name\":\"a\",\"run_type\":"
		"\"aggregate\",\"aggregate_name\":\"median\",\"real_time\":8}"
		"]}\n");

	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(row_at(&p, "googlebench", "a/real_time", 0)->value, 8);
	parsed_done(&p);
}
