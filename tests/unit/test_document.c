#include <stdlib.h>

#include "gate/util/mem.h"
#include "unit/parsing.h"

#define RESULT "{\"results\":[{\"command\":\"x\",\"times\":[1]}]}"

static void expect_samples(const char *parser, const char *log, size_t n)
{
	struct parsed p = parse_text(parser, log);

	cr_expect_eq(p.stats.complete, n, "%zu of\n%s", p.stats.complete, log);
	parsed_done(&p);
}

Test(document, stands_anywhere_in_a_log)
{
	expect_samples("auto", "boot\n" RESULT "\nmore\n" RESULT "\n", 2);
	expect_samples("auto",
		       "{\n \n\"results\"\n:[\n\n{\"command\":\"}]\\\"\","
		       "\"times\":[1\n,2]}]}\n",
		       2);
	expect_samples("auto", RESULT, 1);
	expect_samples("hyperfine", "{}\n{ }\n{\"a\":1}\n" RESULT "\n", 1);
}

Test(document, that_is_another_tools_is_let_go)
{
	expect_samples("hyperfine", "{\"context\":{\n" RESULT "\n}}\n", 1);
	expect_samples("fio", RESULT "\n", 0);
	expect_samples("googlebench", RESULT "\n", 0);
}

Test(document, without_its_end_is_reported)
{
	struct parsed p =
		parse_text("auto", "{\"results\":[{\"command\":\"x\",\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_not_null(strstr(remark(&p, "parse.incomplete"),
				  "a JSON document without its end"));
	parsed_done(&p);
}

Test(document, that_is_no_json_is_counted)
{
	struct parsed p = parse_text("auto", "{\"results\":[1,,2]}\n");

	cr_expect_eq(p.stats.unparsed, 1);
	parsed_done(&p);
}

Test(document, has_a_limit)
{
	const size_t line = 1000, n = 17 * 1024;
	char *text = gate_alloc(32 + n * (line + 1)), *p = text;
	struct parsed parsed;
	size_t i;

	p = stpcpy(p, "{\"results\":[\n");
	for (i = 0; i < n; i++) {
		memset(p, '0', line);
		p[line] = '\n';
		p += line + 1;
	}
	parsed = parse_bytes("auto", text, (size_t)(p - text), GATE_CLOCK_WALL);
	cr_expect_eq(parsed.rc, 0);
	cr_expect_not_null(strstr(remark(&parsed, "parse.incomplete"),
				  "a JSON document of more than 16 MiB"));
	parsed_done(&parsed);
	free(text);
}
