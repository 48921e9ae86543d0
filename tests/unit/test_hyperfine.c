#include "unit/parsing.h"

Test(hyperfine, takes_every_run)
{
	struct parsed p = parse_fixture("local_neighbour_hyperfine.json.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 5);
	s = row_at(&p, "hyperfine", "true", 0);
	cr_expect_eq(s->value, 0.02258363);
	cr_expect_eq(s->unit, GATE_UNIT_S);
	cr_expect_eq(s->better, GATE_LOWER);
	cr_expect_eq(s->iter, 0);
	cr_expect_eq(s->line, 4);
	cr_expect_eq(row_at(&p, "hyperfine", "true", 4)->value,
		     0.0027535000000000003);
	parsed_done(&p);
}

Test(hyperfine, fails_runs_whose_command_failed)
{
	struct parsed p =
		parse_text("hyperfine",
			   "{\"results\":[{\"command\":\"x\",\"times\":[1,2,3],"
			   "\"exit_codes\":[0,1,null]}]}\n");

	cr_expect_eq(p.set->n, 3);
	cr_expect_eq(p.set->items[0].s.status, GATE_SAMPLE_OK);
	cr_expect_str_eq(p.set->items[1].s.message, "the command failed");
	cr_expect_str_eq(p.set->items[2].s.message, "the command was killed");
	parsed_done(&p);
}

Test(hyperfine, puts_parameters_in_the_name)
{
	struct parsed p = parse_text(
		"hyperfine", "{\"results\":[{\"command\":\"x 3\",\"mean\":0.5,"
			     "\"parameters\":{\"n\":\"3\"}}]}\n");

	cr_expect_eq(row_at(&p, "hyperfine", "x 3/n=3", 0)->value, 0.5);
	parsed_done(&p);
}
