#include "unit/parsing.h"

Test(fio, reads_the_directions_that_ran)
{
	struct parsed p = parse_fixture("local_fio.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 6);
	s = row_at(&p, "fio", "seq/read/bw", 0);
	cr_expect_eq(s->value, 112867555);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(s->line, 8);
	s = row_at(&p, "fio", "seq/write/iops", 0);
	cr_expect_eq(s->value, 29333.333333);
	cr_expect_eq(s->unit, GATE_UNIT_OP_PER_S);
	s = row_at(&p, "fio", "seq/read/lat", 0);
	cr_expect_eq(s->value, 18557.377016);
	cr_expect_eq(s->better, GATE_LOWER);
	parsed_done(&p);
}

Test(fio, reads_the_units_of_2)
{
	struct parsed p = parse_text(
		"fio", "{\"fio version\":\"fio-2.2\",\"jobs\":[{\"jobname\":"
		       "\"j\",\"read\":{\"total_ios\":5,\"bw\":2,\"lat\":"
		       "{\"mean\":1.5}}}]}\n");

	cr_expect_eq(p.set->n, 2);
	cr_expect_eq(row_at(&p, "fio", "j/read/bw", 0)->value, 2048);
	cr_expect_eq(row_at(&p, "fio", "j/read/lat", 0)->value, 1500);
	parsed_done(&p);
}

Test(fio, fails_a_job_with_an_error)
{
	struct parsed p = parse_text(
		"fio", "{\"fio version\":\"fio-3\",\"jobs\":[{\"jobname\":"
		       "\"j\",\"error\":28,\"read\":{\"total_ios\":5,"
		       "\"bw\":2}}]}\n");

	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(row_at(&p, "fio", "j", 0)->status, GATE_SAMPLE_FAILED);
	parsed_done(&p);
}
