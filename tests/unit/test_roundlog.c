#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "gate/roundlog.h"

Test(roundlog, reads_back_what_it_wrote_blanks_and_all)
{
	char job[] = "aes", params[] = "cmd=[sh -c 'a b%c\n']";
	struct gate_roundlog in = {.side = GATE_CANDIDATE,
				   .clock = GATE_CLOCK_INSTRUCTIONS,
				   .round = 12,
				   .slot = 3,
				   .job = job,
				   .params = params};
	struct gate_roundlog out;
	struct gate_str s = {0};
	size_t body;

	gate_roundlog_line(&in, &s);
	cr_assert_eq(strchr(s.data, '\n') + 1, s.data + s.len,
		     "must stay one line");
	gate_str_puts(&s, "[    0.1] first line\n");
	cr_assert(gate_roundlog_parse(s.data, s.len, &out, &body));
	cr_assert_str_eq(s.data + body, "[    0.1] first line\n");
	cr_assert_eq(out.side, GATE_CANDIDATE);
	cr_assert_eq(out.clock, GATE_CLOCK_INSTRUCTIONS);
	cr_assert_eq(out.round, 12);
	cr_assert_eq(out.slot, 3);
	cr_assert_str_eq(out.job, "aes");
	cr_assert_str_eq(out.params, params);
	gate_roundlog_done(&out);
	gate_str_done(&s);
}

Test(roundlog, takes_a_malformed_line_for_none)
{
	static const char *const bad[] = {
		"",
		"# gate-round",
		"# gate-round side=base round=1 clock=wall job=x", /* no end */
		"# gate-round round=1 clock=wall job=x\n",
		"# gate-round side=left round=1 clock=wall job=x\n",
		"# gate-round side=base round=0 clock=wall job=x\n",
		"# gate-round side=base round=1 clock=sundial job=x\n",
		"# gate-round side=base round=1 clock=wall\n",
		"# gate-round side=base round=1 clock=wall job=x cpu=fast\n",
		"# gate-round side=base round=1 clock=wall job=x cpu=-1\n",
		"[    0.0] tcrypt: testing speed\n",
	};
	struct gate_roundlog r;
	size_t i, body;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert(
			!gate_roundlog_parse(bad[i], strlen(bad[i]), &r, &body),
			"took %s", bad[i]);
}

Test(roundlog, ignores_facts_of_a_later_gate)
{
	static const char line[] = "# gate-round side=base round=1 clock=wall "
				   "job=x weather=%20fine\n";
	struct gate_roundlog r;
	size_t body;

	cr_assert(gate_roundlog_parse(line, sizeof line - 1, &r, &body));
	cr_assert_null(r.params);
	gate_roundlog_done(&r);
}

Test(roundlog, says_how_the_processor_was_shared_and_on_which_host)
{
	char job[] = "x", key[] = "guest cpu=", value[] = "max 2%";
	struct gate_fact host = {key, value};
	struct gate_roundlog in = {.round = 1,
				   .job = job,
				   .cpu = 0.893,
				   .cpu_least = 0.9,
				   .host = &host,
				   .n_host = 1};
	struct gate_roundlog out;
	struct gate_str s = {0};
	size_t body;

	gate_roundlog_line(&in, &s);
	cr_assert(gate_roundlog_parse(s.data, s.len, &out, &body));
	cr_expect_eq(out.cpu, 0.893);
	cr_expect(out.contaminated, "less than it must have");
	cr_assert_eq(out.n_host, 1);
	cr_expect_str_eq(out.host[0].key, key);
	cr_expect_str_eq(out.host[0].value, value);
	gate_roundlog_done(&out);
	gate_str_done(&s);
	in.cpu = 0.9;
	gate_roundlog_line(&in, &s);
	cr_assert(gate_roundlog_parse(s.data, s.len, &out, &body));
	cr_expect_not(out.contaminated);
	gate_roundlog_done(&out);
	gate_str_done(&s);
	in.cpu_least = 0;
	in.cpu = 0.1;
	gate_roundlog_line(&in, &s);
	cr_assert(gate_roundlog_parse(s.data, s.len, &out, &body));
	cr_expect_not(out.contaminated, "nobody looked");
	gate_roundlog_done(&out);
	gate_str_done(&s);
}
