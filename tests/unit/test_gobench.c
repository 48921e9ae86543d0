#include "unit/parsing.h"

static const struct gate_sample *row(const struct parsed *p, const char *name)
{
	return row_at(p, "gobench", name, 0);
}

Test(gobench, reads_every_metric)
{
	struct parsed p = parse_text(
		"gobench",
		"goos: linux\npkg: example.org/x\n"
		"BenchmarkSHA/16-8 \t 5000000\t       238.9 ns/op\t  66.96 "
		"MB/s\t       0 B/op\t       2 allocs/op\t 7.5 widgets/op\n"
		"BenchmarkPlain \t 100\t  12 ns/op\nPASS\n"
		"ok  \texample.org/x\t1.2s\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 5);
	s = row(&p, "BenchmarkSHA/16-8/time");
	cr_expect_eq(s->value, 238.9);
	cr_expect_eq(s->unit, GATE_UNIT_NS_PER_OP);
	cr_expect_eq(s->resolution, 0.1);
	s = row(&p, "BenchmarkSHA/16-8/speed");
	cr_expect_eq(s->value, 66960000);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(s->better, GATE_HIGHER);
	cr_expect_eq(row(&p, "BenchmarkSHA/16-8/allocs")->value, 2);
	cr_expect_eq(row(&p, "BenchmarkSHA/16-8/bytes")->unit, GATE_UNIT_B);
	cr_expect_eq(row(&p, "BenchmarkPlain")->value, 12);
	parsed_done(&p);
}

Test(gobench, reads_what_gate_itself_writes)
{
	struct parsed p = parse_text(
		"gobench", "BenchmarkTcrypt/sha1/hash 1 782 cycles/op\n");

	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(row(&p, "BenchmarkTcrypt/sha1/hash")->unit,
		     GATE_UNIT_CYCLES_PER_OP);
	parsed_done(&p);
}

Test(gobench, reports_failed_and_skipped_benchmarks)
{
	struct parsed p = parse_text("gobench", "--- FAIL: BenchmarkA-8\n"
						"    a_test.go:9: no\n"
						"--- SKIP: BenchmarkB\n"
						"--- FAIL: TestC (0.00s)\n");

	cr_expect_eq(p.set->n, 2);
	cr_expect_eq(row(&p, "BenchmarkA-8")->status, GATE_SAMPLE_FAILED);
	cr_expect_eq(row(&p, "BenchmarkB")->status, GATE_SAMPLE_SKIPPED);
	parsed_done(&p);
}

Test(gobench, takes_nothing_else)
{
	struct parsed p =
		parse_text("gobench", "Benchmark 'crypto-decrypt' started.\n"
				      "Benchmarks are 10 ns/op faster\n"
				      "BenchmarkX 10 times slower\n"
				      "BenchmarkX-8  100  12 ns");

	cr_expect_eq(p.set->n, 0);
	cr_expect_not_null(strstr(remark(&p, "parse.incomplete"), "12 ns"));
	parsed_done(&p);
}
