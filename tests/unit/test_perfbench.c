#include "unit/parsing.h"

static const struct gate_sample *row(const struct parsed *p, const char *name)
{
	return row_at(p, "perfbench", name, 0);
}

Test(perfbench, reads_times_and_rates)
{
	struct parsed p = parse_fixture("local_perf_bench.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 10);
	s = row(&p, "sched/pipe/time");
	cr_expect_eq(s->value, 0.025);
	cr_expect_eq(s->unit, GATE_UNIT_S);
	s = row(&p, "sched/pipe/latency");
	cr_expect_eq(s->value, 25688);
	cr_expect_eq(s->unit, GATE_UNIT_NS_PER_OP);
	s = row(&p, "sched/pipe/throughput");
	cr_expect_eq(s->value, 38928);
	cr_expect_eq(s->better, GATE_HIGHER);
	s = row(&p, "mem/memcpy/x86-64-movsb");
	cr_expect_eq(s->value, 39.0625 * 0x1p30);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(row(&p, "syscall/basic/throughput")->value, 911577);
	parsed_done(&p);
}

Test(perfbench, reads_averages)
{
	struct parsed p =
		parse_text("perfbench", "# Running 'futex/hash' benchmark:\n"
					"Averaged 1234567 operations/sec (+- "
					"0.50%), total secs = 10\n");

	cr_expect_eq(row(&p, "futex/hash/throughput")->value, 1234567);
	parsed_done(&p);
}

Test(perfbench, takes_values_behind_a_heading_only)
{
	struct parsed p =
		parse_text("perfbench", "     Total time: 0.033 [sec]\n"
					"          60052 ops/sec\n"
					"# Running 'sched/pipe' benchmark:\n"
					"we do 60052 ops/sec\n"
					"60052 ops/sec are enough\n");

	cr_expect_eq(p.set->n, 0);
	parsed_done(&p);
}
