#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "gate/journal.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"

static char *dir;

static void setup(void)
{
	struct gate_error err;

	cr_assert_eq(gate_fs_mkdtemp("journal", &dir, &err), 0);
}

static void teardown(void)
{
	struct gate_error err;

	gate_fs_remove(dir, &err);
	free(dir);
}

TestSuite(journal, .init = setup, .fini = teardown);

static struct gate_journal *reopen(struct gate_journal *old)
{
	struct gate_journal *j = NULL;
	struct gate_error err;

	gate_journal_free(old);
	cr_assert_eq(gate_journal_open(dir, &j, &err), 0, "%s", err.message);
	return j;
}

static void append(const char *text, bool anew)
{
	char *path = gate_fs_join(dir, "journal"), *old = NULL, *all;
	struct gate_error err;

	if (!anew)
		cr_assert_eq(gate_fs_read(path, 65536, &old, NULL, &err), 0);
	all = gate_asprintf("%s%s", old ? old : "", text);
	cr_assert_eq(gate_fs_write(path, all, strlen(all), &err), 0);
	free(all);
	free(old);
	free(path);
}

static int state(struct gate_journal *j, const char *class_name,
		 const char *key, const char *value, struct gate_error *err)
{
	char *k = gate_strdup(key), *v = gate_strdup(value);
	struct gate_fact f = {k, v};
	int rc = gate_journal_state(j, class_name, &f, 1, err);

	free(k);
	free(v);
	return rc;
}

Test(journal, lets_one_gate_at_a_time_measure_into_a_folder)
{
	struct gate_journal *j = reopen(NULL), *other = NULL;
	struct gate_error err;

	cr_assert_eq(gate_journal_open(dir, &other, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "another gate"), "%s", err.message);
	j = reopen(j);
	gate_journal_free(j);
}

Test(journal, remembers_rounds_and_looks)
{
	struct gate_journal *j;
	struct gate_error err;

	cr_expect_not(gate_journal_exists(dir));
	j = reopen(NULL);
	cr_expect(gate_journal_exists(dir));
	cr_expect_eq(gate_journal_add(j, GATE_BASE, "a b", 1, &err), 0);
	cr_expect_eq(gate_journal_add(j, GATE_BASE, "a b", 1, &err), 0);
	cr_expect_eq(gate_journal_look(j, GATE_CLOCK_WALL, 6, &err), 0);
	cr_expect_eq(gate_journal_look(j, GATE_CLOCK_WALL, 6, &err), 0);
	cr_expect_eq(gate_journal_look(j, GATE_CLOCK_WALL, 8, &err), 0);
	j = reopen(j);
	cr_expect_eq(gate_journal_rounds(j), 1);
	cr_expect(gate_journal_has(j, GATE_BASE, "a b", 1));
	cr_expect_not(gate_journal_has(j, GATE_CANDIDATE, "a b", 1));
	cr_expect_not(gate_journal_has(j, GATE_BASE, "a", 1));
	cr_expect_not(gate_journal_has(j, GATE_BASE, "a b", 2));
	cr_expect_eq(gate_journal_next_look(j, GATE_CLOCK_WALL, 0), 6);
	cr_expect_eq(gate_journal_next_look(j, GATE_CLOCK_WALL, 6), 8);
	cr_expect_eq(gate_journal_next_look(j, GATE_CLOCK_WALL, 8), 0);
	cr_expect_eq(gate_journal_next_look(j, GATE_CLOCK_INSTRUCTIONS, 0), 0);
	gate_journal_free(j);
}

Test(journal, goes_on_after_a_torn_line)
{
	struct gate_journal *j = reopen(NULL);
	struct gate_error err;

	cr_assert_eq(gate_journal_add(j, GATE_BASE, "a", 1, &err), 0);
	gate_journal_free(j);
	append("round base a 2", false);
	j = reopen(NULL);
	cr_expect_not(gate_journal_has(j, GATE_BASE, "a", 2));
	cr_expect_eq(gate_journal_add(j, GATE_BASE, "a", 3, &err), 0);
	j = reopen(j);
	cr_expect(gate_journal_has(j, GATE_BASE, "a", 3));
	cr_expect_not(gate_journal_has(j, GATE_BASE, "a", 2));
	gate_journal_free(j);
}

Test(journal, takes_the_same_facts_again_and_names_one_that_differs)
{
	struct gate_journal *j = reopen(NULL);
	struct gate_error err;

	cr_expect_eq(state(j, "commit", "base", "abc", &err), 0);
	cr_expect_eq(state(j, "job", "job x", "sec=1 = 2\n", &err), 0);
	j = reopen(j);
	cr_expect_eq(state(j, "commit", "base", "abc", &err), 0);
	cr_expect_eq(state(j, "job", "job x", "sec=1 = 2\n", &err), 0);
	cr_expect_eq(state(j, "commit", "base", "def", &err), GATE_EUSAGE);
	cr_expect_not_null(
		strstr(err.message, "base is \"abc\" there, \"def\""), "%s",
		err.message);
	cr_expect_eq(state(j, "commit", "candidate", "x", &err), GATE_EUSAGE);
	cr_expect_not_null(strstr(err.message, "candidate is \"none\" there"));
	cr_expect_eq(gate_journal_state(j, "job", NULL, 0, &err), GATE_EUSAGE);
	cr_expect_not_null(strstr(err.message, "\"none\" now"));
	gate_journal_free(j);
}

Test(journal, refuses_what_it_does_not_understand)
{
	static const char *const bad[] = {
		"",
		"gate-journal 1",
		"gate-journal 2\n",
		"gate-journal 1\n\n",
		"gate-journal 1\nround base a\n",
		"gate-journal 1\nround left a 1\n",
		"gate-journal 1\nround base a 0\n",
		"gate-journal 1\nround base a 1 2\n",
		"gate-journal 1\nlook sundial 6\n",
		"gate-journal 1\nlook wall 99999999\n",
		"gate-journal 1\nfact a\n",
		"gate-journal 1\nfact a b c\n",
	};
	struct gate_journal *j = NULL;
	struct gate_error err;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		append(bad[i], true);
		cr_expect_eq(gate_journal_open(dir, &j, &err), GATE_ESYNTAX,
			     "took %s", bad[i]);
	}
	cr_expect_null(j);
}
