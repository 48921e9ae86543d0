#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/pair.h"

/* SAMPLE() overrides its own defaults on purpose. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

/* A sample with the defaults of these tests; name what differs. */
#define SAMPLE(...)                                                            \
	(&(struct gate_measured){.s = {.bench = "tcrypt",                      \
				       .row = "a/encrypt/key=1/block=16",      \
				       .unit = GATE_UNIT_OP_PER_S,             \
				       .better = GATE_HIGHER,                  \
				       .resolution = 1,                        \
				       .iter = -1},                            \
				 .round = 1,                                   \
				 .job = "j",                                   \
				 __VA_ARGS__})

struct world {
	struct gate_sample_set *set;
	struct gate_result *r;
};

static struct world world(void)
{
	return (struct world){gate_sample_set_new(), gate_result_new()};
}

static void done(struct world *w)
{
	gate_sample_set_free(w->set);
	gate_result_free(w->r);
}

Test(pair, names_groups_by_what_stands_before_the_first_number)
{
	static const char *const cases[][3] = {
		{"tcrypt", "rfc4106(gcm(aes))/encrypt/key=160/block=16",
		 "tcrypt/rfc4106(gcm(aes))/encrypt"},
		{"tcrypt", "sha256/hash/block=16/update=16",
		 "tcrypt/sha256/hash"},
		{"tcrypt", "multibuffer/x/hash/block=1/update=1",
		 "tcrypt/multibuffer/x/hash"},
		{"xor", "avx", "xor"},
		{"raid6", "avx2x4/gen", "raid6/avx2x4"},
		{"kunit", "sha256/benchmark_hash/len=16",
		 "kunit/sha256/benchmark_hash"},
		{"openssl", "AES-256-GCM/block=16", "openssl/AES-256-GCM"},
		{"x", "key=1/block=2", "x"},
	};
	char *g;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		g = gate_group_name(cases[i][0], cases[i][1]);
		cr_assert_str_eq(g, cases[i][2]);
		free(g);
	}
}

Test(pair, meets_rows_of_one_driver_and_keeps_rounds_in_order)
{
	struct world w = world();
	const struct gate_row *row;
	unsigned round;

	for (round = 3; round >= 1; round--) {
		gate_sample_set_add(w.set,
				    SAMPLE(.round = round, .s.driver = "d",
					   .s.value = 100 + round));
		gate_sample_set_add(
			w.set, SAMPLE(.side = GATE_CANDIDATE, .round = round,
				      .s.driver = "d", .s.value = 200 + round));
	}
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 1);
	row = &w.r->rows[0];
	cr_assert_eq(row->pairs, 3);
	cr_assert_eq(row->base.n, 3);
	cr_assert_eq(row->base.rounds[0], 1);
	cr_assert_eq(row->base.values[0], 101);
	cr_assert_eq(row->base.median, 102);
	cr_assert_eq(row->candidate.max, 203);
	cr_assert(!row->driver_changed);
	done(&w);
}

Test(pair, collapses_repeats_to_the_median_by_wall_clock)
{
	struct world w = world();
	static const double v[] = {10, 1000, 12};
	size_t i;

	for (i = 0; i < 3; i++)
		gate_sample_set_add(w.set, SAMPLE(.s.value = v[i]));
	gate_sample_set_add(w.set,
			    SAMPLE(.side = GATE_CANDIDATE, .s.value = 5));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->rows[0].base.n, 1);
	cr_assert_eq(w.r->rows[0].base.values[0], 12);
	done(&w);
}

Test(pair, collapses_repeats_to_the_best_under_the_instruction_clock)
{
	struct world w = world();
	static const double v[] = {1848, 1890, 1848};
	size_t i;

	for (i = 0; i < 3; i++)
		gate_sample_set_add(
			w.set, SAMPLE(.clock = GATE_CLOCK_INSTRUCTIONS,
				      .round = i < 2 ? 1 : 2,
				      .s.unit = GATE_UNIT_INSN_PER_OP,
				      .s.better = GATE_LOWER, .s.value = v[i]));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->rows[0].base.n, 2);
	cr_assert_eq(w.r->rows[0].base.best, 1848);
	cr_assert_eq(w.r->rows[0].base.best_rounds, 2);
	done(&w);
}

Test(pair, calls_a_row_by_another_driver_a_driver_change)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.driver = "aesni", .s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE,
					  .s.driver = "vaes", .s.value = 8));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 1);
	cr_assert(w.r->rows[0].driver_changed);
	cr_assert_str_eq(w.r->rows[0].base.driver, "aesni");
	cr_assert_str_eq(w.r->rows[0].candidate.driver, "vaes");
	done(&w);
}

Test(pair, does_not_guess_among_several_drivers)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.driver = "a", .s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.s.driver = "b", .s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE,
					  .s.driver = "c", .s.value = 8));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 3);
	cr_assert_eq(gate_result_count(w.r, GATE_V_MISSING), 2);
	cr_assert_eq(gate_result_count(w.r, GATE_V_NEW), 1);
	done(&w);
}

Test(pair, never_compares_two_units_or_two_methods)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE, .s.value = 9,
					  .s.unit = GATE_UNIT_CYCLES_PER_OP,
					  .s.better = GATE_LOWER));
	gate_sample_set_add(w.set, SAMPLE(.s.bench = "xor", .s.row = "8regs",
					  .s.value = 9, .s.method = "jiffies"));
	gate_sample_set_add(w.set,
			    SAMPLE(.side = GATE_CANDIDATE, .s.bench = "xor",
				   .s.row = "8regs", .s.value = 9));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 2);
	cr_assert_eq(w.r->rows[0].verdict, GATE_V_INCOMPARABLE);
	cr_assert_eq(w.r->rows[1].verdict, GATE_V_INCOMPARABLE);
	cr_assert(strstr(w.r->rows[0].reason, "cycles/op"));
	cr_assert(strstr(w.r->rows[1].reason, "jiffies"));
	done(&w);
}

Test(pair, never_lets_rows_of_two_jobs_or_clocks_meet)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE, .job = "k",
					  .s.value = 9));
	gate_pair(w.set, w.r);
	cr_assert_eq(gate_result_count(w.r, GATE_V_MISSING), 1);
	cr_assert_eq(gate_result_count(w.r, GATE_V_NEW), 1);
	done(&w);
}

Test(pair, says_failed_where_the_candidate_failed_what_the_base_measured)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE,
					  .s.status = GATE_SAMPLE_FAILED,
					  .s.message = "setkey() failed"));
	/* A title that did not load names its algorithm only. */
	gate_sample_set_add(
		w.set,
		SAMPLE(.s.row = "b(c)/decrypt/key=1/block=16", .s.value = 9));
	gate_sample_set_add(w.set,
			    SAMPLE(.side = GATE_CANDIDATE, .s.row = "b(c)",
				   .s.unit = GATE_UNIT_NONE,
				   .s.status = GATE_SAMPLE_FAILED,
				   .s.message = "failed to load"));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 2);
	cr_assert_eq(w.r->rows[0].verdict, GATE_V_FAILED);
	cr_assert(strstr(w.r->rows[0].reason, "setkey() failed"));
	cr_assert_eq(w.r->rows[1].verdict, GATE_V_FAILED);
	cr_assert(strstr(w.r->rows[1].reason, "failed to load"));
	done(&w);
}

Test(pair, says_failed_when_only_some_rounds_of_the_candidate_failed)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.value = 9));
	gate_sample_set_add(w.set,
			    SAMPLE(.side = GATE_CANDIDATE, .s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE, .round = 2,
					  .s.unit = GATE_UNIT_NONE,
					  .s.status = GATE_SAMPLE_FAILED,
					  .s.message = "hashing failed"));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 1);
	cr_assert_eq(w.r->rows[0].verdict, GATE_V_FAILED);
	done(&w);
}

Test(pair, makes_a_failure_of_both_sides_or_the_base_a_remark)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.status = GATE_SAMPLE_FAILED,
					  .s.message = "no lrw"));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE,
					  .s.status = GATE_SAMPLE_FAILED,
					  .s.message = "no lrw"));
	gate_sample_set_add(w.set, SAMPLE(.s.row = "b", .s.value = 1));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE, .s.row = "b",
					  .s.value = 1));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 1);
	cr_assert_eq(w.r->rows[0].verdict, GATE_V_INCONCLUSIVE);
	cr_assert_eq(w.r->diags.n, 2);
	done(&w);
}

Test(pair, counts_orphans_and_never_compares_them)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.row = "?/encrypt/key=1/block=16",
					  .s.status = GATE_SAMPLE_ORPHAN,
					  .s.value = 5));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 0);
	cr_assert_eq(w.r->diags.n, 1);
	cr_assert_str_eq(w.r->diags.items[0].code, "pair.orphans");
	done(&w);
}

Test(pair, drops_a_pair_with_an_unusable_value_and_counts_it)
{
	struct world w = world();

	gate_sample_set_add(w.set, SAMPLE(.s.value = 9));
	gate_sample_set_add(w.set,
			    SAMPLE(.side = GATE_CANDIDATE, .s.value = 0));
	gate_sample_set_add(w.set, SAMPLE(.round = 2, .s.value = 9));
	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE, .round = 2,
					  .s.value = 9));
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->rows[0].pairs, 1);
	cr_assert_eq(w.r->rows[0].dropped, 1);
	cr_assert_eq(w.r->rows[0].candidate.usable, 1);
	done(&w);
}

Test(pair, keeps_rows_in_the_order_of_the_base_log)
{
	struct world w = world();
	static const char *const rows[] = {"z/1", "a/2", "m/3"};
	size_t i;

	gate_sample_set_add(w.set, SAMPLE(.side = GATE_CANDIDATE,
					  .s.row = "new/0", .s.value = 1));
	for (i = 0; i < 3; i++) {
		gate_sample_set_add(w.set,
				    SAMPLE(.s.row = rows[i], .s.value = 1));
		if (i != 1)
			gate_sample_set_add(
				w.set, SAMPLE(.side = GATE_CANDIDATE,
					      .s.row = rows[i], .s.value = 1));
	}
	gate_pair(w.set, w.r);
	cr_assert_eq(w.r->n_rows, 4);
	cr_assert_str_eq(w.r->rows[0].row, "new/0");
	for (i = 0; i < 3; i++)
		cr_assert_str_eq(w.r->rows[i + 1].row, rows[i]);
	done(&w);
}
