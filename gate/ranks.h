/*
 * Rank statistics: tests and shifts that assume nothing of the noise but that
 * it is alike.
 *
 * They are shown beside a verdict and decide nothing: with some hundred rows
 * and few rounds none of them can reach the level that a family asks for. As
 * in gate/stats.h there is no policy here; input is finite and need not be
 * sorted.
 */
#ifndef GATE_RANKS_H
#define GATE_RANKS_H

#include <stddef.h>

struct gate_ranks_test {
	double statistic;
	double p;         /* two-sided */
	double p_greater; /* one-sided, for a shift upwards */
};

struct gate_ranks_shift {
	double at;
	double ci[2]; /* two-sided; the extremes where n is too small for it */
};

/* Sizes for which the null distributions are counted exactly; beyond them it
 * is the normal approximation. */
enum {
	GATE_RANKS_EXACT = 30,      /* Mann-Whitney, a side, without ties */
	GATE_RANKS_EXACT_TIES = 25, /* and with ties */
	GATE_RANKS_EXACT_SIGNED = 50
};

/* The distribution of U that was counted last, for the next row of the same
 * sizes. Zeroed to begin with. */
struct gate_ranks_null {
	size_t n, m;
	double *count; /* of each U from 0 to n m */
	double total;
};

void gate_ranks_null_done(struct gate_ranks_null *null);

/* P(U <= u) for samples of n and m without ties, both at most
 * GATE_RANKS_EXACT. */
double gate_ranks_mann_whitney_cdf(double u, size_t n, size_t m);
/* P(W <= w) for n differences without ties, at most GATE_RANKS_EXACT_SIGNED. */
double gate_ranks_signed_cdf(double w, size_t n);

/* Is y above x? The statistic counts the pairs in which it is, ties half. */
struct gate_ranks_test gate_ranks_mann_whitney(struct gate_ranks_null *null,
					       const double *x, size_t n,
					       const double *y, size_t m);
/* Wilcoxon's signed rank: are differences above 0? Those that are 0 are left
 * out; the statistic is the sum of the ranks of those above. */
struct gate_ranks_test gate_ranks_signed(const double *d, size_t n);

/* Hodges and Lehmann: by how much y is above x (the median of all
 * differences), and where d has its centre (the median of all averages of
 * two). `level` is that of the interval, like 0.95. n and m at least 1. */
struct gate_ranks_shift gate_ranks_shift(struct gate_ranks_null *null,
					 const double *x, size_t n,
					 const double *y, size_t m,
					 double level);
struct gate_ranks_shift gate_ranks_centre(const double *d, size_t n,
					  double level);

#endif
