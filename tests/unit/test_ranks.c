#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "gate/ranks.h"
#include "gate/stats.h"
#include "vectors.h"

enum { MOST = 64 };

/* Calls `check` with every entry of vectors.json of this test. */
static void each_vector(const char *test, size_t want,
			void (*check)(const cJSON *))
{
	cJSON *root = vectors_load("vectors.json");
	const cJSON *v;
	size_t n = 0;

	cJSON_ArrayForEach(v, cJSON_GetObjectItem(root, "vectors"))
	{
		if (strcmp(vectors_string(v, "test"), test) != 0)
			continue;
		check(v);
		n++;
	}
	cr_assert_eq(n, want);
	cJSON_Delete(root);
}

/* As if each row were the first. */
static struct gate_ranks_test mann_whitney(const double *x, size_t n,
					   const double *y, size_t m)
{
	struct gate_ranks_null null = {0};
	struct gate_ranks_test t = gate_ranks_mann_whitney(&null, x, n, y, m);

	gate_ranks_null_done(&null);
	return t;
}

static struct gate_ranks_shift shift(const double *x, size_t n, const double *y,
				     size_t m, double level)
{
	struct gate_ranks_null null = {0};
	struct gate_ranks_shift s = gate_ranks_shift(&null, x, n, y, m, level);

	gate_ranks_null_done(&null);
	return s;
}

static void logs(double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = log(x[i]);
}

/* ---- null distributions ---- */

static void check_mann_whitney_cdf(const cJSON *v)
{
	VECTORS_CLOSE(
		gate_ranks_mann_whitney_cdf(vectors_number(v, "u"),
					    (size_t)vectors_number(v, "n"),
					    (size_t)vectors_number(v, "m")),
		vectors_number(v, "value"), "mw_cdf");
}

static void check_signed_cdf(const cJSON *v)
{
	VECTORS_CLOSE(gate_ranks_signed_cdf(vectors_number(v, "w"),
					    (size_t)vectors_number(v, "n")),
		      vectors_number(v, "value"), "signrank_cdf");
}

Test(ranks, null_distributions_equal_r)
{
	each_vector("mw_cdf", 4, check_mann_whitney_cdf);
	each_vector("signrank_cdf", 3, check_signed_cdf);
}

Test(ranks, null_distributions_begin_at_nought_and_end_at_one)
{
	cr_assert_eq(gate_ranks_mann_whitney_cdf(-1, 5, 5), 0);
	cr_assert_eq(gate_ranks_mann_whitney_cdf(25, 5, 5), 1);
	cr_assert_eq(gate_ranks_signed_cdf(-1, 5), 0);
	cr_assert_eq(gate_ranks_signed_cdf(15, 5), 1);
}

/* U and n m - U are distributed alike, however large the counts are. */
Test(ranks, the_distribution_of_mann_and_whitney_is_symmetric_at_its_largest)
{
	const size_t n = GATE_RANKS_EXACT;
	size_t u;

	for (u = 0; u < n * n / 2; u += 7)
		cr_assert_float_eq(
			gate_ranks_mann_whitney_cdf((double)u, n, n) +
				gate_ranks_mann_whitney_cdf(
					(double)(n * n - u - 1), n, n),
			1, 1e-12);
}

/* ---- tests ---- */

static void check_mann_whitney(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	bool two = !strcmp(vectors_string(v, "alternative"), "two.sided");
	double x[MOST], y[MOST];
	size_t n = vectors_array(v, "x", x, MOST);
	size_t m = vectors_array(v, "y", y, MOST);
	struct gate_ranks_test t = mann_whitney(x, n, y, m);

	VECTORS_CLOSE(t.statistic, vectors_number(v, "U"), name);
	VECTORS_CLOSE(two ? t.p : t.p_greater, vectors_number(v, "p_exact"),
		      name);
}

Test(ranks, mann_whitney_is_exact_with_ties_and_without)
{
	each_vector("mann_whitney", 18, check_mann_whitney);
}

Test(ranks, beyond_exact_sizes_the_normal_approximation_takes_over_smoothly)
{
	double x[MOST], y[MOST];
	struct gate_ranks_test exact, normal;
	size_t n = GATE_RANKS_EXACT;
	double sd;
	size_t i;

	for (i = 0; i < n; i++) {
		x[i] = (double)i;
		y[i] = (double)i + 2.3;
	}
	/* One more in the middle of all changes next to nothing. */
	x[n] = (double)n / 2 + 2.7;
	exact = mann_whitney(x, n, y, n);
	normal = mann_whitney(x, n + 1, y, n);
	cr_assert_float_eq(normal.p, exact.p, 0.07 * exact.p);
	sd = sqrt(31 * 30 * 62 / 12.0);
	cr_assert_float_eq(
		normal.p_greater,
		gate_stats_normal_tail((normal.statistic - 465.5) / sd), 1e-15);
	cr_assert_float_eq(normal.p, 2 * normal.p_greater, 1e-15);
}

/* R's p_normal_cc of the vectors, by way of ties of too many values. */
Test(ranks, many_ties_use_the_variance_that_ties_leave)
{
	enum { N = GATE_RANKS_EXACT_TIES + 1 };
	double x[N], y[N], u, var;
	struct gate_ranks_test t;
	size_t i;

	for (i = 0; i < N; i++) {
		x[i] = (double)(i % 2);
		y[i] = (double)(i % 2 || i < 4);
	}
	t = mann_whitney(x, N, y, N);
	/* 24 noughts and 28 ones: U and its variance by hand. */
	u = 15 * 13 + (15 * 13 + 11 * 13) / 2.0;
	var = N * N / 12.0 *
	      (2 * N + 1 -
	       (24.0 * 24 * 24 - 24 + 28.0 * 28 * 28 - 28) /
		       (2.0 * N * (2 * N - 1)));
	cr_assert_float_eq(t.statistic, u, 1e-12);
	cr_assert_float_eq(
		t.p_greater,
		gate_stats_normal_tail((u - N * N / 2.0 - 0.5) / sqrt(var)),
		1e-15);
}

Test(ranks, values_that_are_all_the_same_show_nothing)
{
	double x[MOST];
	size_t i;

	for (i = 0; i < MOST; i++)
		x[i] = 3;
	cr_assert_eq(mann_whitney(x, 5, x, 5).p, 1);
	cr_assert_eq(mann_whitney(x, MOST, x, MOST).p, 1);
	for (i = 0; i < MOST; i++)
		x[i] = 0;
	cr_assert_eq(gate_ranks_signed(x, MOST).p, 1);
	cr_assert_eq(gate_ranks_signed(x, MOST).statistic, 0);
}

static size_t log_ratios(const cJSON *v, double *d)
{
	double x[MOST], y[MOST];
	size_t n = vectors_array(v, "x", x, MOST);
	size_t i;

	cr_assert_eq(vectors_array(v, "y", y, MOST), n);
	for (i = 0; i < n; i++)
		d[i] = log(y[i]) - log(x[i]);
	return n;
}

static void check_signed(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	double d[MOST], ci[2];
	size_t n = log_ratios(v, d);
	struct gate_ranks_test t = gate_ranks_signed(d, n);
	struct gate_ranks_shift s = gate_ranks_centre(d, n, 0.95);

	VECTORS_CLOSE(t.statistic, vectors_number(v, "W"), name);
	VECTORS_CLOSE(t.p, vectors_number(v, "p_two"), name);
	VECTORS_CLOSE(t.p_greater, vectors_number(v, "p_greater"), name);
	VECTORS_CLOSE(s.at, vectors_number(v, "est"), name);
	/* Four differences have no interval of 95 %. */
	if (!strcmp(name, "small4"))
		return;
	cr_assert_eq(vectors_array(v, "ci", ci, 2), 2);
	VECTORS_CLOSE(s.ci[0], ci[0], name);
	VECTORS_CLOSE(s.ci[1], ci[1], name);
}

Test(ranks, signed_rank_and_its_centre_equal_r)
{
	each_vector("signed_rank_log", 4, check_signed);
}

/* All 2^5 choices of signs of 1, 1, 2, 3, 3, by hand: midranks 1.5, 1.5, 3,
 * 4.5, 4.5 sum to 13.5 or more in three of them. */
Test(ranks, signed_rank_is_exact_with_ties_and_leaves_zeros_out)
{
	const double d[] = {1, 0, 1, 2, 3, -3, 0};
	struct gate_ranks_test t;
	double all;

	t = gate_ranks_signed(d, 7);
	cr_assert_eq(t.statistic, 1.5 + 1.5 + 3 + 4.5);
	/* 15 in 1 way, 13.5 in 2, 12 in 2 (without 3; without both of 1.5),
	 * 10.5 in 4 (without a 4.5, two ways; without 3 and a 1.5, two). */
	all = 1 + 2 + 2 + 4;
	cr_assert_float_eq(t.p_greater, all / 32, 1e-15);
}

Test(ranks, a_distribution_is_counted_anew_for_other_sizes)
{
	const double x[] = {1, 2, 3, 4, 5}, y[] = {2.5, 6, 7, 8, 9};
	struct gate_ranks_null null = {0};
	size_t n, i;

	for (i = 0; i < 3; i++)
		for (n = 3; n <= 5; n++)
			cr_assert_eq(
				gate_ranks_mann_whitney(&null, x, n, y, 5).p,
				mann_whitney(x, n, y, 5).p);
	gate_ranks_null_done(&null);
}

/* ---- shifts ---- */

static void check_shift(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	double x[MOST], y[MOST], ci[2];
	size_t n = vectors_array(v, "x", x, MOST);
	size_t m = vectors_array(v, "y", y, MOST);
	struct gate_ranks_shift s;

	logs(x, n);
	logs(y, m);
	s = shift(x, n, y, m, 0.95);
	VECTORS_CLOSE(s.at, vectors_number(v, "est"), name);
	if (!strcmp(name, "small4"))
		return;
	cr_assert_eq(vectors_array(v, "ci", ci, 2), 2);
	VECTORS_CLOSE(s.ci[0], ci[0], name);
	VECTORS_CLOSE(s.ci[1], ci[1], name);
}

Test(ranks, shift_equals_r)
{
	each_vector("hodges_lehmann_log", 4, check_shift);
}

/* The interval holds what the test does not reject, and no more. */
Test(ranks, the_interval_of_a_shift_is_what_the_test_does_not_reject)
{
	double x[20], y[20], shifted[20];
	struct gate_ranks_shift s;
	size_t i, k;

	for (i = 0; i < 20; i++) {
		x[i] = sin((double)(7 * i));
		y[i] = sin((double)(5 * i + 1)) + 0.4;
	}
	s = shift(x, 20, y, 20, 0.95);
	for (k = 0; k < 4; k++) {
		double off = s.ci[k / 2] + (k % 2 ? 1e-9 : -1e-9);
		bool inside = k == 1 || k == 2;

		for (i = 0; i < 20; i++)
			shifted[i] = y[i] - off;
		cr_assert_eq(mann_whitney(x, 20, shifted, 20).p >= 0.05, inside,
			     "end %zu", k);
	}
}

Test(ranks, one_value_a_side_has_a_shift)
{
	const double x = 1, y = 3;
	struct gate_ranks_shift s = shift(&x, 1, &y, 1, 0.95);

	cr_assert_eq(s.at, 2);
	cr_assert_eq(s.ci[0], 2);
	cr_assert_eq(s.ci[1], 2);
	s = gate_ranks_centre(&y, 1, 0.95);
	cr_assert_eq(s.at, 3);
}

/* Many rounds: the normal cut, near the exact one where both can be had. */
Test(ranks, the_interval_of_many_rounds_is_near_that_of_the_most_exact)
{
	double x[MOST], y[MOST];
	struct gate_ranks_shift a, b;
	size_t n = GATE_RANKS_EXACT;
	size_t i;

	for (i = 0; i < MOST; i++) {
		x[i] = sin((double)(7 * i));
		y[i] = sin((double)(5 * i + 1)) + 0.4;
	}
	a = shift(x, n, y, n, 0.95);
	b = shift(x, n + 1, y, n + 1, 0.95);
	cr_assert_float_eq(a.ci[0], b.ci[0], 0.1);
	cr_assert_float_eq(a.ci[1], b.ci[1], 0.1);
	cr_assert_lt(b.ci[0], b.at);
	cr_assert_gt(b.ci[1], b.at);
}
