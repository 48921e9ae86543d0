#include "unit/parsing.h"

static const struct gate_sample *row(const struct parsed *p, const char *name)
{
	return row_at(p, "perfstat", name, 0);
}

Test(perfstat, reads_comma_separated_values)
{
	struct parsed p = parse_fixture("local_neighbour_perf_stat_csv.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 2);
	s = row(&p, "task-clock");
	cr_expect_eq(s->value, 0.00055);
	cr_expect_eq(s->unit, GATE_UNIT_S);
	cr_expect_eq(s->better, GATE_LOWER);
	cr_expect_eq(s->resolution, 1e-5);
	s = row(&p, "context-switches");
	cr_expect_eq(s->value, 0);
	cr_expect_eq(s->unit, GATE_UNIT_COUNT);
	parsed_done(&p);
}

Test(perfstat, skips_events_that_were_not_counted)
{
	struct parsed p = parse_fixture("local_perf_stat_csv_single.log");

	cr_expect_eq(p.set->n, 8);
	cr_expect_eq(p.stats.complete, 4);
	cr_expect_eq(row(&p, "page-faults")->value, 49);
	cr_expect_eq(row(&p, "cycles")->status, GATE_SAMPLE_SKIPPED);
	cr_expect_str_eq(row(&p, "cycles")->message, "not supported");
	parsed_done(&p);
}

Test(perfstat, reads_json)
{
	struct parsed p = parse_fixture("local_perf_stat_json.log");

	cr_expect_eq(p.set->n, 8);
	cr_expect_eq(p.stats.complete, 4);
	cr_expect_eq(row(&p, "task-clock")->value, 0.000421316);
	cr_expect_eq(row(&p, "page-faults")->value, 48);
	cr_expect_eq(row(&p, "branch-misses")->status, GATE_SAMPLE_SKIPPED);
	parsed_done(&p);
}

Test(perfstat, takes_nothing_from_other_lists)
{
	struct parsed p = parse_text("perfstat",
				     "1,2,3,4,5,6\n5,apples,pears,1,2\n"
				     "12,,event,34,fast,,\n0.55,msec,task-cl");

	cr_expect_eq(p.set->n, 0);
	parsed_done(&p);
}
