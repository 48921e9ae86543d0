#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "gate/rename.h"

static void check(const char *from, const char *to, const char *text,
		  const char *want)
{
	char *got = gate_rename_text(from, to, text);

	if (want)
		cr_expect_str_eq(got, want, "%s -> %s of %s", from, to, text);
	else
		cr_expect_null(got, "%s took %s", from, text);
	free(got);
}

Test(rename, carries_what_the_star_stands_for)
{
	check("old*", "new*", "old/x=1", "new/x=1");
	check("old*", "new*", "old", "new");
	check("*-generic", "*-lib", "aes-generic", "aes-lib");
	check("a*z", "*", "abcz", "bc");
	check("a*", "fixed", "abc", "fixed");
	check("whole", "other", "whole", "other");
	check("*", "t/*", "x", "t/x");
}

Test(rename, leaves_alone_what_does_not_match)
{
	check("old*", "new*", "older", "newer");
	check("old*", "new*", "my-old", NULL);
	check("whole", "other", "wholesale", NULL);
	/* Head and tail must not overlap. */
	check("aba*aba", "x*", "aba", NULL);
	check("", "x", "a", NULL);
}

static void add(struct gate_sample_set *set, enum gate_side side,
		const char *row, const char *driver)
{
	struct gate_measured m = {.side = side, .round = 1, .job = "j"};

	m.s.bench = "b";
	m.s.row = row;
	m.s.driver = driver;
	gate_sample_set_add(set, &m);
}

Test(rename, changes_the_base_only_and_each_sample_once)
{
	struct gate_sample_set *set = gate_sample_set_new();
	char row_from[] = "b/x*", row_to[] = "b/xx*", any[] = "*";
	char driver_from[] = "d", driver_to[] = "e", again[] = "b/never";
	struct gate_rename items[] = {{false, row_from, row_to, 0},
				      {true, driver_from, driver_to, 0},
				      {false, any, again, 0}};
	struct gate_renames r = {.items = items, .n = 3};

	add(set, GATE_BASE, "x1", "d");
	gate_renames_apply(&r, set, 0);
	add(set, GATE_BASE, "x2", NULL);
	add(set, GATE_CANDIDATE, "x1", "d");
	/* What was renamed before lies before `first`. */
	gate_renames_apply(&r, set, 1);
	cr_expect_str_eq(set->items[0].s.row, "xx1");
	cr_expect_str_eq(set->items[0].s.driver, "e");
	cr_expect_str_eq(set->items[1].s.row, "xx2");
	cr_expect_null(set->items[1].s.driver);
	cr_expect_str_eq(set->items[2].s.row, "x1");
	cr_expect_str_eq(set->items[2].s.driver, "d");
	cr_expect_eq(items[0].samples, 2);
	cr_expect_eq(items[1].samples, 1);
	cr_expect_eq(items[2].samples, 0, "the first rule that matches holds");
	gate_sample_set_free(set);
}

Test(rename, keeps_a_name_that_would_lose_its_bench)
{
	struct gate_sample_set *set = gate_sample_set_new();
	char from[] = "b/x*", to[] = "y*";
	struct gate_rename item = {false, from, to, 0};
	struct gate_renames r = {.items = &item, .n = 1};

	add(set, GATE_BASE, "x1", NULL);
	gate_renames_apply(&r, set, 0);
	cr_expect_str_eq(set->items[0].s.bench, "b");
	cr_expect_str_eq(set->items[0].s.row, "x1");
	gate_sample_set_free(set);
}

Test(rename, says_what_each_rule_did)
{
	char from[] = "a", to[] = "b";
	struct gate_rename items[] = {{false, from, to, 1},
				      {true, from, to, 0}};
	struct gate_renames r = {.items = items, .n = 2};
	struct gate_diags d = {0};

	gate_renames_report(&r, &d);
	cr_assert_eq(d.n, 2);
	cr_expect_not_null(strstr(d.items[0].message, "1 sample"));
	cr_expect_eq(d.items[1].level, GATE_DIAG_WARNING);
	cr_expect_not_null(strstr(d.items[1].message, "no drivers \"a\""));
	gate_diags_done(&d);
}
