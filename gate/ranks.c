#include "gate/ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gate/stats.h"
#include "gate/util/mem.h"

/* What is ranked: a value, and whether it counts for the statistic. */
struct ranked {
	double value;
	bool counts;
	size_t twice; /* its midrank, doubled so that it is whole */
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Sorts and ranks; returns the sum of t^3 - t over ties of t values. */
static double rank(struct ranked *r, size_t n)
{
	double ties = 0;
	size_t from, to, i;
	double t;

	qsort(r, n, sizeof *r, by_value);
	for (from = 0; from < n; from = to) {
		for (to = from + 1; to < n && r[to].value <= r[from].value;)
			to++;
		for (i = from; i < to; i++)
			r[i].twice = from + to + 1;
		t = (double)(to - from);
		ties += t * t * t - t;
	}
	return ties;
}

static size_t sum_twice(const struct ranked *r, size_t n)
{
	size_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (r[i].counts)
			sum += r[i].twice;
	return sum;
}

/*
 * How many orders of n and m values have each U: the coefficients of the
 * Gaussian binomial, a product of (1 - q^(m+i)) / (1 - q^i). Small ones are
 * made of small ones only and stay exact; up to n = m = 28 all are.
 */
static const double *count_orders(struct gate_ranks_null *null, size_t n,
				  size_t m)
{
	size_t last = n * m;
	double *count;
	size_t i, k;

	if (null->count && null->n == n && null->m == m)
		return null->count;
	gate_ranks_null_done(null);
	count = gate_calloc(last + 1, sizeof *count);
	count[0] = 1;
	for (i = 1; i <= n; i++) {
		for (k = last; k >= m + i; k--)
			count[k] -= count[k - m - i];
		for (k = i; k <= last; k++)
			count[k] += count[k - i];
	}
	*null = (struct gate_ranks_null){.n = n, .m = m, .count = count};
	for (k = 0; k <= last; k++)
		null->total += count[k];
	return count;
}

void gate_ranks_null_done(struct gate_ranks_null *null)
{
	free(null->count);
	*null = (struct gate_ranks_null){0};
}

/* How many choices of signs give each sum of whole `weights`, that of all
 * being `last`. Caller frees last + 1 counts. */
static double *sign_counts(const size_t *weights, size_t n, size_t last)
{
	double *count = gate_calloc(last + 1, sizeof *count);
	size_t i, k;

	count[0] = 1;
	for (i = 0; i < n; i++)
		for (k = last; k >= weights[i]; k--)
			count[k] += count[k - weights[i]];
	return count;
}

static double sum(const double *count, size_t from, size_t to)
{
	double s = 0;

	for (; from < to; from++)
		s += count[from];
	return s;
}

double gate_ranks_mann_whitney_cdf(double u, size_t n, size_t m)
{
	struct gate_ranks_null null = {0};
	const double *count;
	double p;

	if (u < 0)
		return 0;
	if (u >= (double)(n * m))
		return 1;
	count = count_orders(&null, n, m);
	p = sum(count, 0, (size_t)u + 1) / null.total;
	gate_ranks_null_done(&null);
	return p;
}

double gate_ranks_signed_cdf(double w, size_t n)
{
	size_t weights[GATE_RANKS_EXACT_SIGNED] = {0};
	size_t last = n * (n + 1) / 2;
	double *count;
	double p;
	size_t i;

	if (w < 0)
		return 0;
	if (w >= (double)last)
		return 1;
	for (i = 0; i < n; i++)
		weights[i] = i + 1;
	count = sign_counts(weights, n, last);
	p = sum(count, 0, (size_t)w + 1) / ldexp(1, (int)n);
	free(count);
	return p;
}

static void test_without_ties(struct gate_ranks_test *t,
			      struct gate_ranks_null *null, size_t n, size_t m)
{
	size_t u = (size_t)t->statistic;
	const double *count = count_orders(null, n, m);
	double upper = sum(count, u, n * m + 1) / null->total;
	double lower = sum(count, 0, u + 1) / null->total;

	t->p_greater = upper;
	t->p = fmin(1, 2 * fmin(upper, lower));
}

/*
 * Given the ties, each choice of m of all doubled midranks is as likely as any
 * other: counts the choices by their sum. Two-sided is as far from the mean as
 * what was seen, which is not symmetric where n and m differ.
 */
static void test_with_ties(struct gate_ranks_test *t, const struct ranked *r,
			   size_t n, size_t m)
{
	size_t all = n + m;
	size_t width = all * (all + 1) + 1;
	double *count = gate_calloc((m + 1) * width, sizeof *count);
	size_t seen = sum_twice(r, all);
	size_t mean = m * (all + 1);
	size_t off = seen > mean ? seen - mean : mean - seen;
	double total, far = 0;
	size_t reach = 0;
	double *row, *less;
	size_t i, k, s;

	count[0] = 1;
	for (i = 0; i < all; i++) {
		reach += r[i].twice;
		for (k = i + 1 < m ? i + 1 : m; k > 0; k--) {
			row = count + k * width;
			less = row - width;
			for (s = r[i].twice; s <= reach; s++)
				row[s] += less[s - r[i].twice];
		}
	}
	row = count + m * width;
	total = sum(row, 0, width);
	t->p_greater = sum(row, seen, width) / total;
	for (s = 0; s < width; s++)
		if ((s > mean ? s - mean : mean - s) >= off)
			far += row[s];
	t->p = far / total;
	free(count);
}

/* With the correction for continuity; `ties` as rank() has it. */
static void test_normal(struct gate_ranks_test *t, double mean, double var)
{
	double sd = sqrt(var);
	double off = t->statistic - mean;

	if (!(var > 0)) {
		t->p = t->p_greater = 1;
		return;
	}
	t->p_greater = gate_stats_normal_tail((off - 0.5) / sd);
	t->p = fmin(1, 2 * gate_stats_normal_tail((fabs(off) - 0.5) / sd));
}

/* Mann & Whitney 1947 (Ann. Math. Statist. 18); ties and the continuity
 * correction as Lehmann 1975 (Nonparametrics, 1.2 and 1.4). */
struct gate_ranks_test gate_ranks_mann_whitney(struct gate_ranks_null *null,
					       const double *x, size_t n,
					       const double *y, size_t m)
{
	struct ranked *r = gate_calloc(n + m, sizeof *r);
	struct gate_ranks_test t;
	double a = (double)n;
	double b = (double)m;
	double ties;
	size_t i;

	for (i = 0; i < n; i++)
		r[i].value = x[i];
	for (i = 0; i < m; i++)
		r[n + i] = (struct ranked){.value = y[i], .counts = true};
	ties = rank(r, n + m);
	t.statistic = ((double)sum_twice(r, n + m) - b * (b + 1)) / 2;
	if (ties <= 0 && n <= GATE_RANKS_EXACT && m <= GATE_RANKS_EXACT)
		test_without_ties(&t, null, n, m);
	else if (n <= GATE_RANKS_EXACT_TIES && m <= GATE_RANKS_EXACT_TIES)
		test_with_ties(&t, r, n, m);
	else
		test_normal(
			&t, a * b / 2,
			a * b / 12 *
				(a + b + 1 - ties / ((a + b) * (a + b - 1))));
	free(r);
	return t;
}

/* Given the sizes of the differences each choice of signs is as likely as any
 * other. The distribution is symmetric, ties or not. */
static void test_signs(struct gate_ranks_test *t, const struct ranked *r,
		       size_t n)
{
	size_t weights[GATE_RANKS_EXACT_SIGNED] = {0};
	size_t last = n * (n + 1);
	size_t seen = sum_twice(r, n);
	double total = ldexp(1, (int)n);
	double upper, lower;
	double *count;
	size_t i;

	for (i = 0; i < n; i++)
		weights[i] = r[i].twice;
	count = sign_counts(weights, n, last);
	upper = sum(count, seen, last + 1) / total;
	lower = sum(count, 0, seen + 1) / total;
	t->p_greater = upper;
	t->p = fmin(1, 2 * fmin(upper, lower));
	free(count);
}

/* Wilcoxon 1945 (Biometrics Bulletin 1), zeros left out as he did; the normal
 * approximation as Lehmann 1975 (Nonparametrics, 3.2). */
struct gate_ranks_test gate_ranks_signed(const double *d, size_t n)
{
	struct ranked *r = gate_calloc(n + 1, sizeof *r);
	struct gate_ranks_test t;
	size_t k = 0;
	double size, ties;
	size_t i;

	for (i = 0; i < n; i++)
		if (d[i] > 0 || d[i] < 0)
			r[k++] = (struct ranked){.value = fabs(d[i]),
						 .counts = d[i] > 0};
	size = (double)k;
	ties = rank(r, k);
	t.statistic = (double)sum_twice(r, k) / 2;
	if (k <= GATE_RANKS_EXACT_SIGNED)
		test_signs(&t, r, k);
	else
		test_normal(&t, size * (size + 1) / 4,
			    size * (size + 1) * (2 * size + 1) / 24 -
				    ties / 48);
	free(r);
	return t;
}

/* Hoare's selection (Comm. ACM 4, 1961): the k-th smallest, from 0. All before
 * it are then no larger and all after it no smaller. */
static double select_kth(double *x, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;
	size_t i, j;
	double pivot, swap;

	while (low < high) {
		pivot = x[low + (high - low) / 2];
		i = low;
		j = high;
		for (;;) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = x[i];
			x[i++] = x[j];
			x[j--] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return x[k];
}

/* The median of n values, and the `cut`-th from either end, from 1. */
static struct gate_ranks_shift median_between(double *x, size_t n, size_t cut)
{
	double high = select_kth(x, n, n / 2);
	double low = n % 2 ? high : select_kth(x, n, n / 2 - 1);

	return (struct gate_ranks_shift){
		.at = low + (high - low) / 2,
		.ci = {select_kth(x, n, cut - 1), select_kth(x, n, n - cut)},
	};
}

/* The smallest q with P(statistic <= q) >= p, but at least 1. */
static size_t exact_cut(const double *count, size_t last, double total,
			double p)
{
	double s = 0;
	size_t q;

	for (q = 0; q <= last; q++) {
		s += count[q];
		if (s >= p * total)
			break;
	}
	return q ? q : 1;
}

static size_t normal_cut(double mean, double var, double p)
{
	double q = floor(mean + gate_stats_normal_quantile(p) * sqrt(var));

	return q < 1 ? 1 : (size_t)q;
}

/* Hodges & Lehmann 1963 (Ann. Math. Statist. 34); the interval of shifts that
 * the test of Mann and Whitney does not reject. */
struct gate_ranks_shift gate_ranks_shift(struct gate_ranks_null *null,
					 const double *x, size_t n,
					 const double *y, size_t m,
					 double level)
{
	double *d = gate_calloc(n * m, sizeof *d);
	double p = (1 - level) / 2;
	double a = (double)n;
	double b = (double)m;
	struct gate_ranks_shift s;
	const double *count;
	size_t cut, i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < m; k++)
			d[i * m + k] = y[k] - x[i];
	if (n <= GATE_RANKS_EXACT && m <= GATE_RANKS_EXACT) {
		count = count_orders(null, n, m);
		cut = exact_cut(count, n * m, null->total, p);
	} else {
		cut = normal_cut(a * b / 2, a * b * (a + b + 1) / 12, p);
	}
	s = median_between(d, n * m, cut);
	free(d);
	return s;
}

/* As above, by the signed rank. */
struct gate_ranks_shift gate_ranks_centre(const double *d, size_t n,
					  double level)
{
	size_t pairs = n * (n + 1) / 2;
	double *means = gate_calloc(pairs, sizeof *means);
	size_t weights[GATE_RANKS_EXACT_SIGNED] = {0};
	double p = (1 - level) / 2;
	double size = (double)n;
	struct gate_ranks_shift s;
	size_t cut, i, k, at = 0;
	double *count;

	for (i = 0; i < n; i++)
		for (k = i; k < n; k++)
			means[at++] = d[i] + (d[k] - d[i]) / 2;
	if (n <= GATE_RANKS_EXACT_SIGNED) {
		for (i = 0; i < n; i++)
			weights[i] = i + 1;
		count = sign_counts(weights, n, pairs);
		cut = exact_cut(count, pairs, ldexp(1, (int)n), p);
		free(count);
	} else {
		cut = normal_cut(size * (size + 1) / 4,
				 size * (size + 1) * (2 * size + 1) / 24, p);
	}
	s = median_between(means, pairs, cut);
	free(means);
	return s;
}
