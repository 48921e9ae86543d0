#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/config.h"
#include "gate/util/fs.h"

static int parse(const char *text, struct gate_config **c,
		 struct gate_error *err)
{
	return gate_config_parse("gate.json", text, strlen(text), true, c, err);
}

Test(config, reads_the_demo_with_its_comments_and_fills_defaults)
{
	struct gate_config *c = NULL;
	struct gate_error err;
	char *text;
	size_t len;

	cr_assert_eq(gate_fs_read(GATE_SOURCE_DIR "/ci/jobs/demo/gate.json",
				  1 << 20, &text, &len, &err),
		     0);
	cr_assert_eq(gate_config_parse("demo", text, len, true, &c, &err), 0,
		     "%s", err.message);
	free(text);
	cr_assert_eq(c->n_jobs, 1);
	cr_assert_str_eq(c->jobs[0].name, "crypto");
	cr_assert_eq(c->jobs[0].clock, GATE_CLOCK_INSTRUCTIONS);
	cr_assert_eq(c->jobs[0].n_modes, 4);
	cr_assert_eq(c->jobs[0].modes[3], 304);
	cr_assert_str_eq(c->jobs[0].image, "boot/vmlinuz-*");
	cr_assert_eq(c->build.n_commands, 1);
	cr_assert_str_eq(c->build.commands[0][1], "build.sh");
	cr_assert_null(c->build.commands[0][2]);
	cr_assert_eq(c->build.timeout_ms, 600000);
	cr_assert_eq(c->rounds.insn_max, 10);
	cr_assert_eq(c->policy.threshold, 0.03);
	gate_config_free(c);
}

static const char job[] = "\"jobs\": [{\"name\": \"j\", \"runner\": \"local\", "
			  "\"command\": [\"true\"]}]";

/* Each fault with a part of the message that shows the way out. */
Test(config, refuses_each_fault_with_its_place_and_the_way_out)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"{\"jobs\": 3}", "gate.json:1:2: \"jobs\" must be an array"},
		{"{}", "\"jobs\" must be an array with at least one job"},
		{"[]", "must be an object, not an array"},
		{"{\"job\": []}", "did you mean \"jobs\"?"},
		{"{\"jobs\": [{\"name\": \"a/b\"}]}", "letters, digits"},
		{"{\"jobs\": [{\"name\": \"..\"}]}", "letters, digits"},
		{"{\"jobs\": [{\"name\": \"a\"}]}", "needs a \"runner\""},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"qume\"}]}",
		 "must be one of \"qemu\", \"local\", \"replay\""},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"qemu\", "
		 "\"bench\": \"tcrypt\", \"modes\": [200]}]}",
		 "\"kernel\""},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"qemu\", "
		 "\"bench\": \"tcrypt\"}]}",
		 "needs \"modes\""},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"qemu\", "
		 "\"bench\": \"tcrypt\", \"modes\": [1.5]}]}",
		 "whole number"},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"qemu\", "
		 "\"bench\": \"tcrypt\", \"modes\": [200], \"sec\": 1, "
		 "\"clock\": \"instructions\"}]}",
		 "\"sec\" must be 0"},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"local\", "
		 "\"clock\": \"instructions\", \"command\": [\"x\"]}]}",
		 "only the qemu runner"},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"local\", "
		 "\"command\": \"x\"}]}",
		 "array of strings"},
		{"{\"jobs\": [{\"name\": \"a\", \"runner\": \"replay\"}]}",
		 "\"logs\""},
	};
	struct gate_config *c = NULL;
	struct gate_error err;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cr_assert_eq(parse(cases[i].text, &c, &err), GATE_ECONFIG,
			     "took %s", cases[i].text);
		cr_assert(strstr(err.message, cases[i].says),
			  "%s\ndoes not say: %s", err.message, cases[i].says);
	}
}

Test(config, refuses_faults_of_policy_and_rounds)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"\"policy\": {\"threshold\": \"3%\"}", "must be a number"},
		{"\"policy\": {\"threshold\": 3}", "between 0 and 1"},
		{"\"policy\": {\"treshold\": 1}", "\"threshold\"?"},
		{"\"policy\": {\"threshold\": 0.01, \"tolerated\": 0.02}",
		 "larger than"},
		{"\"policy\": {\"alpha\": 0}", "between 1e-06"},
		{"\"policy\": {\"missing\": \"ignore\"}", "\"report\""},
		{"\"policy\": {\"rows\": [{\"threshold\": 0.1}]}",
		 "needs \"match\""},
		{"\"policy\": {\"rows\": [{\"match\": \"*\", \"floor\": "
		 "\"30\"}]}",
		 "30 cycles/op"},
		{"\"policy\": {\"instructions\": {\"floor\": \"2 op/s\"}}",
		 "insn/op"},
		{"\"rounds\": {\"min\": 9, \"max\": 3}", "larger than"},
		{"\"rounds\": {\"max\": 0}", "between 1"},
		{"\"rounds\": {\"budget\": \"soon\"}", "duration"},
		{"\"build\": {\"commands\": [[]]}", "array of strings"},
		{"\"build\": {\"commands\": [[1]]}", "strings only"},
	};
	struct gate_config *c = NULL;
	struct gate_error err;
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text, "{%s, %s}", cases[i].text, job);
		cr_assert_eq(parse(text, &c, &err), GATE_ECONFIG, "took %s",
			     text);
		cr_assert(strstr(err.message, cases[i].says),
			  "%s\ndoes not say: %s", err.message, cases[i].says);
		cr_assert(!strncmp(err.message, "gate.json:1:", 12));
	}
}

Test(config, the_last_matching_rule_wins_field_by_field)
{
	static const char text[] =
		"{%s, \"policy\": {\"threshold\": 0.03, \"rows\": ["
		"{\"match\": \"tcrypt/*\", \"threshold\": 0.04, "
		"\"floor\": \"30 cycles/op\"},"
		"{\"match\": \"*/block=16\", \"threshold\": 0.1, "
		"\"tolerated\": 0.02},"
		"{\"match\": \"*\", \"clock\": \"instructions\", "
		"\"ignore\": true}]}}";
	struct gate_config *c = NULL;
	struct gate_limits l;
	struct gate_error err;
	char buf[1024];

	snprintf(buf, sizeof buf, text, job);
	cr_assert_eq(parse(buf, &c, &err), 0, "%s", err.message);
	l = gate_policy_limits(&c->policy, "tcrypt/x/encrypt/key=1/block=16",
			       GATE_CLOCK_WALL, GATE_UNIT_CYCLES_PER_OP);
	cr_assert_eq(l.threshold, 0.1);
	cr_assert_eq(l.tolerated, 0.02);
	cr_assert_eq(l.floor, 30);
	cr_assert_eq(l.rule, 2);
	cr_assert(!l.ignore);
	l = gate_policy_limits(&c->policy, "tcrypt/x/encrypt/key=1/block=64",
			       GATE_CLOCK_WALL, GATE_UNIT_OP_PER_S);
	cr_assert_eq(l.threshold, 0.04);
	cr_assert_eq(l.tolerated, 0.02);
	cr_assert_eq(l.floor_unit, GATE_UNIT_NONE,
		     "a floor holds for its own unit only");
	l = gate_policy_limits(&c->policy, "xor/avx", GATE_CLOCK_INSTRUCTIONS,
			       GATE_UNIT_INSN_PER_OP);
	cr_assert(l.ignore);
	cr_assert_eq(l.threshold, 0.005);
	cr_assert_eq(l.floor, 2);
	gate_config_free(c);
}

Test(config, watches_the_share_of_the_processor_where_a_guest_computes)
{
	static const char text[] =
		"{\"kernel\": {\"image\": \"x\"}, \"jobs\": ["
		"{\"name\": \"a\", \"runner\": \"qemu\", \"bench\": \"xor\"},"
		"{\"name\": \"b\", \"runner\": \"qemu\", \"bench\": \"xor\","
		" \"cpu_share\": 0},"
		"{\"name\": \"c\", \"runner\": \"local\","
		" \"command\": [\"x\"]},"
		"{\"name\": \"d\", \"runner\": \"local\","
		" \"command\": [\"x\"], \"cpu_share\": 0.5}]}";
	struct gate_config *c = NULL;
	struct gate_error err;

	cr_assert_eq(parse(text, &c, &err), 0, "%s", err.message);
	cr_expect_eq(c->jobs[0].cpu_share, 0.9);
	cr_expect_eq(c->jobs[1].cpu_share, 0);
	cr_expect_eq(c->jobs[2].cpu_share, 0);
	cr_expect_eq(c->jobs[3].cpu_share, 0.5);
	gate_config_free(c);
}

Test(config, reads_rename_rules_in_order)
{
	char *text = NULL;
	struct gate_config *c = NULL;
	struct gate_error err;

	cr_assert_gt(asprintf(&text,
			      "{%s, \"rename\": [{\"rows\": \"a*\", "
			      "\"to\": \"b*\"}, {\"drivers\": \"c\", "
			      "\"to\": \"d\"}]}",
			      job),
		     0);
	cr_assert_eq(parse(text, &c, &err), 0, "%s", err.message);
	cr_assert_eq(c->renames.n, 2);
	cr_expect_not(c->renames.items[0].drivers);
	cr_expect_str_eq(c->renames.items[0].to, "b*");
	cr_expect(c->renames.items[1].drivers);
	cr_expect_str_eq(c->renames.items[1].from, "c");
	gate_config_free(c);
	free(text);
}

Test(config, may_hold_a_policy_only_where_nothing_is_run)
{
	static const char text[] = "{\"policy\": {\"threshold\": 0.1}}";
	struct gate_config *c = NULL;
	struct gate_error err;

	cr_assert_eq(parse(text, &c, &err), GATE_ECONFIG);
	cr_assert_eq(gate_config_parse("gate.json", text, strlen(text), false,
				       &c, &err),
		     0, "%s", err.message);
	cr_assert_eq(c->policy.threshold, 0.1);
	gate_config_free(c);
}
