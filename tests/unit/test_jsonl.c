#include <stdlib.h>

#include "gate/util/str.h"
#include "unit/parsing.h"

static void expect_unparsed(const char *line)
{
	struct parsed p = parse_text("jsonl", line);

	cr_expect_eq(p.set->n, 0, "%s", line);
	cr_expect_eq(p.stats.unparsed, 1, "%s", line);
	parsed_done(&p);
}

Test(jsonl, reads_a_line_that_gate_printed)
{
	struct parsed p = parse_text(
		"jsonl",
		"{\"bench\":\"tcrypt\",\"row\":\"rfc4106(gcm(aes))/encrypt/"
		"key=160/block=16\",\"driver\":\"rfc4106-gcm-aesni\","
		"\"unit\":\"op/s\",\"better\":\"higher\",\"value\":60276.5,"
		"\"resolution\":0.5,\"line\":12}\n");
	const struct gate_sample *s = row_at(
		&p, "tcrypt", "rfc4106(gcm(aes))/encrypt/key=160/block=16", 0);

	cr_expect_eq(s->status, GATE_SAMPLE_OK);
	cr_expect_eq(s->value, 60276.5);
	cr_expect_eq(s->resolution, 0.5);
	cr_expect_eq(s->unit, GATE_UNIT_OP_PER_S);
	cr_expect_str_eq(s->driver, "rfc4106-gcm-aesni");
	cr_expect_eq(s->line, 12);
	cr_expect_eq(s->iter, -1);
	cr_expect_not(s->warmup);
	parsed_done(&p);
}

Test(jsonl, gives_back_every_field)
{
	static const char line[] =
		"{\"bench\":\"b\",\"row\":\"r\",\"driver\":null,"
		"\"unit\":\"B/s\",\"better\":\"lower\",\"value\":0.1,"
		"\"resolution\":0,\"line\":7,\"iter\":0,\"warmup\":true,"
		"\"method\":\"jiffies\",\"mode\":\"async\","
		"\"status\":\"orphan\"}";
	struct parsed p = parse_text("jsonl", line);
	struct gate_str again = {0};

	cr_assert_eq(p.set->n, 1);
	gate_sample_json(&p.set->items[0], false, &again);
	cr_expect_str_eq(gate_str_text(&again), line);
	gate_str_done(&again);
	parsed_done(&p);
}

Test(jsonl, does_not_let_a_log_say_where_it_belongs)
{
	struct parsed p = parse_text(
		"auto", "{\"side\":\"base\",\"round\":9,\"job\":\"other\","
			"\"clock\":\"instructions\",\"bench\":\"tcrypt\","
			"\"row\":\"r\",\"unit\":\"cycles/op\",\"value\":5}\n");

	cr_assert_eq(p.set->n, 1);
	cr_expect_eq(p.set->items[0].side, GATE_CANDIDATE);
	cr_expect_eq(p.set->items[0].round, 3);
	cr_expect_str_eq(p.set->items[0].job, "aes");
	cr_expect_eq(p.set->items[0].clock, GATE_CLOCK_WALL);
	cr_expect_eq(p.set->items[0].s.unit, GATE_UNIT_CYCLES_PER_OP);
	/* Left out: the unit's usual direction, and the line it stands on. */
	cr_expect_eq(p.set->items[0].s.better, GATE_LOWER);
	cr_expect_eq(p.set->items[0].s.line, 1);
	parsed_done(&p);
}

Test(jsonl, reads_states_without_a_value)
{
	struct parsed p = parse_text(
		"jsonl", "{\"bench\":\"b\",\"row\":\"r\",\"driver\":null,"
			 "\"line\":3,\"status\":\"failed\","
			 "\"message\":\"[    1.000000] no <6>x =3D\"}\n");
	const struct gate_sample *s = row_at(&p, "b", "r", 0);

	cr_expect_eq(s->status, GATE_SAMPLE_FAILED);
	cr_expect_str_eq(s->message, "[    1.000000] no <6>x =3D");
	parsed_done(&p);
}

Test(jsonl, counts_lines_that_say_no_sample)
{
	static const char *const lines[] = {
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"value\":1}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"furlong\","
		"\"value\":1}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":\"1\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1e999}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":null}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1,\"better\":\"more\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1,\"status\":\"fine\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1,\"status\":\"failed\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1,\"line\":1.5}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1,\"warmup\":1}\n",
		"{\"bench\":\"b\",\"row\":null,\"unit\":\"op/s\","
		"\"value\":1}\n",
		"{\"bench\":1,\"row\":\"r\",\"unit\":\"op/s\",\"value\":1}\n",
		"{\"bench\":\"b\",\"bench\":\"c\",\"row\":\"r\","
		"\"unit\":\"op/s\",\"value\":1}\n",
		"{\"bench\":\"b\",\"row\":\"r\",}\n",
	};
	size_t i;

	for (i = 0; i < sizeof lines / sizeof lines[0]; i++)
		expect_unparsed(lines[i]);
}

Test(jsonl, leaves_other_objects_alone)
{
	struct parsed p = parse_text(
		"auto", "{\n  \"results\": [\n    {\n"
			"{\"event\":\"task-clock\",\"value\":\"0.55\"}\n"
			"{\"row\":\"r\",\"value\":1}\n{}\n{");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(jsonl, makes_no_value_of_a_cut_line)
{
	static const char line[] =
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		"\"value\":1234}";
	size_t n;

	for (n = 1; n < sizeof line - 1; n++) {
		struct parsed p =
			parse_bytes("jsonl", line, n, GATE_CLOCK_WALL);

		cr_assert_eq(p.rc, 0);
		cr_expect_eq(p.set->n, 0);
		parsed_done(&p);
	}
}

/* What `gate parse --format jsonl` prints of a log is the log again. */
Test(jsonl, reads_back_what_the_other_parsers_found)
{
	static const char *const files[] = {
		"round_icount_612.log",
		"round_uml_612.log",
		"tcrypt_cbc_generic_head_truncated.log",
		"xor_thunderx2_before_after.log",
	};
	size_t i, k;

	for (k = 0; k < sizeof files / sizeof files[0]; k++) {
		struct parsed a = parse_fixture(files[k]), b;
		struct gate_str once = {0}, twice = {0};

		for (i = 0; i < a.set->n; i++) {
			gate_sample_json(&a.set->items[i], false, &once);
			gate_str_putc(&once, '\n');
		}
		b = parse_text("auto", gate_str_text(&once));
		cr_assert_eq(b.set->n, a.set->n);
		for (i = 0; i < b.set->n; i++) {
			gate_sample_json(&b.set->items[i], false, &twice);
			gate_str_putc(&twice, '\n');
		}
		cr_expect_str_eq(gate_str_text(&once), gate_str_text(&twice));
		gate_str_done(&once);
		gate_str_done(&twice);
		parsed_done(&a);
		parsed_done(&b);
	}
}
