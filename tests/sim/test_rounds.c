/*
 * Real rounds, drawn and judged many times: User-mode Linux by wall clock on a
 * busy machine, and QEMU under the instruction clock. `base` and `same` are of
 * one kernel, `slow` has a slower chacha20, `unrelated` another change.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "gate/pair.h"
#include "gate/parse.h"
#include "gate/verdict.h"
#include "random.h"

enum { SEED = 1, GATES = 200, HALF = 10, UML_ROWS = 13 };

/* The samples of logs, one set a log. */
struct logs {
	struct gate_sample_set *set[2 * HALF];
	size_t n;
};

static void read_logs(struct logs *logs, const char *dir, unsigned n,
		      enum gate_clock clock)
{
	struct gate_diags diags = {0};
	struct gate_parse_stats stats;
	struct gate_error err;
	char path[512];
	unsigned i;

	for (i = 1; i <= n; i++) {
		struct gate_parse_opts o = {.parser = "auto",
					    .clock = clock,
					    .round = i,
					    .job = "j",
					    .path = path};

		snprintf(path, sizeof path,
			 GATE_FIXTURES "/rounds/%s/round-%02u.log", dir, i);
		logs->set[logs->n] = gate_sample_set_new();
		cr_assert_eq(gate_parse_file(&o, path, logs->set[logs->n],
					     &diags, &stats, &err),
			     0, "%s", err.message);
		cr_assert_gt(stats.samples, 0);
		logs->n++;
	}
	gate_diags_done(&diags);
}

static void logs_done(struct logs *logs)
{
	size_t i;

	for (i = 0; i < logs->n; i++)
		gate_sample_set_free(logs->set[i]);
}

static void add_round(struct gate_sample_set *to,
		      const struct gate_sample_set *from, enum gate_side side,
		      unsigned round)
{
	struct gate_measured m;
	size_t i;

	for (i = 0; i < from->n; i++) {
		m = from->items[i];
		m.side = side;
		m.round = round;
		gate_sample_set_add(to, &m);
	}
}

/* One look at these logs, `n` a side. Caller frees. */
static struct gate_result *judge(const struct logs *base, const size_t *b,
				 const struct logs *candidate, const size_t *c,
				 unsigned n, enum gate_clock clock)
{
	struct gate_look_spec look = {
		.spend = 1, .last = true, .may_park = n >= 10};
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_result *r = gate_result_new();
	unsigned i;

	for (i = 0; i < n; i++) {
		add_round(set, base->set[b[i]], GATE_BASE, i + 1);
		add_round(set, candidate->set[c[i]], GATE_CANDIDATE, i + 1);
	}
	gate_pair(set, r);
	gate_decide(r, clock, &look);
	gate_conclude(r);
	gate_sample_set_free(set);
	return r;
}

static void shuffle(struct sim_random *random, size_t *x, size_t n)
{
	size_t i, k, swap;

	for (i = n; i > 1; i--) {
		k = sim_random_below(random, (unsigned)i);
		swap = x[i - 1];
		x[i - 1] = x[k];
		x[k] = swap;
	}
}

static void count_up(size_t *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = i;
}

/* The halves share rounds from gate to gate, so this is no test of a rate of
 * 1 %: it says that this kernel on that machine did not block. */
Test(rounds, one_kernel_in_two_random_halves_blocks_at_most_twice_in_200)
{
	struct logs logs = {0};
	struct sim_random random;
	size_t order[2 * HALF];
	struct gate_result *r;
	unsigned i, blocked = 0;

	read_logs(&logs, "uml/base", HALF, GATE_CLOCK_WALL);
	read_logs(&logs, "uml/same", HALF, GATE_CLOCK_WALL);
	sim_random_seed(&random, SEED);
	count_up(order, 2 * HALF);
	for (i = 0; i < GATES; i++) {
		shuffle(&random, order, 2 * HALF);
		r = judge(&logs, order, &logs, order + HALF, HALF,
			  GATE_CLOCK_WALL);
		cr_assert_eq(r->n_rows, UML_ROWS);
		blocked += r->exit_code == 1;
		gate_result_free(r);
	}
	printf("no change: %u of %d gates block\n", blocked, (int)GATES);
	cr_assert_leq(blocked, 2);
	logs_done(&logs);
}

static bool is_bystander(const char *name)
{
	return !strncmp(name, "xor", 3) || !strncmp(name, "raid6", 5);
}

static size_t count_bystanders(const struct gate_result *r)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		n += r->rows[i].verdict == GATE_V_REGRESSION &&
		     is_bystander(r->rows[i].bench);
	for (i = 0; i < r->n_groups; i++)
		n += r->groups[i].verdict == GATE_V_REGRESSION &&
		     is_bystander(r->groups[i].group);
	return n;
}

Test(rounds, a_slower_kernel_blocks_and_never_by_what_did_not_change)
{
	struct logs logs = {0}, slow = {0};
	struct sim_random random;
	size_t order[2 * HALF], other[HALF];
	struct gate_result *r;
	unsigned i, blocked = 0;

	read_logs(&logs, "uml/base", HALF, GATE_CLOCK_WALL);
	read_logs(&logs, "uml/same", HALF, GATE_CLOCK_WALL);
	read_logs(&slow, "uml/slow", HALF, GATE_CLOCK_WALL);
	sim_random_seed(&random, SEED);
	count_up(order, 2 * HALF);
	count_up(other, HALF);
	for (i = 0; i < GATES; i++) {
		shuffle(&random, order, 2 * HALF);
		shuffle(&random, other, HALF);
		r = judge(&logs, order, &slow, other, HALF, GATE_CLOCK_WALL);
		blocked += r->exit_code == 1;
		cr_assert_eq(count_bystanders(r), 0, "%s", r->reason);
		gate_result_free(r);
	}
	printf("slower: %u of %d gates block\n", blocked, (int)GATES);
	cr_assert_geq(blocked, 190);
	logs_done(&logs);
	logs_done(&slow);
}

/* ---- the instruction clock ---- */

enum { BOOTS = 6, TRUE_ROWS = 7 };

/* All choices of `n` of the six boots, as bits. */
static size_t choices(unsigned n, unsigned *ret)
{
	size_t k = 0;
	unsigned bits;

	for (bits = 0; bits < 1U << BOOTS; bits++)
		if ((unsigned)__builtin_popcount(bits) == n)
			ret[k++] = bits;
	return k;
}

static void expand(unsigned bits, size_t *ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < BOOTS; i++)
		if (bits >> i & 1)
			ret[n++] = i;
}

/* Only chacha20 was made slower. */
static void check_rows(const struct gate_result *r, size_t want)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < r->n_rows; i++) {
		if (r->rows[i].verdict != GATE_V_REGRESSION)
			continue;
		cr_assert(strstr(r->rows[i].row, "chacha20"), "%s: %s",
			  r->rows[i].row, r->rows[i].reason);
		n++;
	}
	cr_assert_eq(n, want, "%zu rows slower", n);
	for (i = 0; i < r->n_groups; i++)
		cr_assert(r->groups[i].verdict != GATE_V_REGRESSION ||
				  (want &&
				   strstr(r->groups[i].group, "chacha20")),
			  "%s: %s", r->groups[i].group, r->groups[i].reason);
}

/* Every choice of as many boots on either side. */
static void check_pairings(const char *dir, unsigned least, size_t want)
{
	struct logs base = {0}, other = {0};
	unsigned sets[32], n;
	size_t b[BOOTS], c[BOOTS], k, i, j;
	struct gate_result *r;

	read_logs(&base, "icount/base", BOOTS, GATE_CLOCK_INSTRUCTIONS);
	read_logs(&other, dir, BOOTS, GATE_CLOCK_INSTRUCTIONS);
	for (n = least; n <= BOOTS; n++) {
		k = choices(n, sets);
		for (i = 0; i < k; i++)
			for (j = 0; j < k; j++) {
				expand(sets[i], b);
				expand(sets[j], c);
				r = judge(&base, b, &other, c, n,
					  GATE_CLOCK_INSTRUCTIONS);
				check_rows(r, want);
				gate_result_free(r);
			}
	}
	logs_done(&base);
	logs_done(&other);
}

Test(rounds, all_seven_slower_rows_and_no_other_in_all_pairings_of_three_boots)
{
	check_pairings("icount/slow", 3, TRUE_ROWS);
}

Test(rounds, an_unrelated_change_is_slower_in_no_pairing)
{
	check_pairings("icount/unrelated", 1, 0);
}

Test(rounds, one_kernel_is_slower_than_itself_in_no_pairing)
{
	check_pairings("icount/base", 1, 0);
}

/* With fewer than two witnesses nothing is named, and nothing wrongly. */
static void check_few(unsigned n)
{
	struct logs base = {0}, slow = {0};
	unsigned sets[32];
	size_t b[BOOTS], c[BOOTS], k, i, j, row;
	struct gate_result *r;

	read_logs(&base, "icount/base", BOOTS, GATE_CLOCK_INSTRUCTIONS);
	read_logs(&slow, "icount/slow", BOOTS, GATE_CLOCK_INSTRUCTIONS);
	k = choices(n, sets);
	for (i = 0; i < k; i++)
		for (j = 0; j < k; j++) {
			expand(sets[i], b);
			expand(sets[j], c);
			r = judge(&base, b, &slow, c, n,
				  GATE_CLOCK_INSTRUCTIONS);
			for (row = 0; row < r->n_rows; row++)
				cr_assert(r->rows[row].verdict !=
						  GATE_V_REGRESSION ||
					  strstr(r->rows[row].row, "chacha20"));
			gate_result_free(r);
		}
	logs_done(&base);
	logs_done(&slow);
}

Test(rounds, fewer_boots_than_three_name_no_row_wrongly)
{
	check_few(1);
	check_few(2);
}
