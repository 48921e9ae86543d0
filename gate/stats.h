/*
 * Statistics: pure arithmetic on numbers, each function with its source.
 *
 * No policy, no thresholds, no I/O, no allocation. Functions that need order
 * take their input sorted (gate_stats_sort()) and say so. The order of every
 * summation is fixed, so that equal input gives equal bits (built with
 * -ffp-contract=off). Input is finite; what is not a number was dropped
 * before.
 */
#ifndef GATE_STATS_H
#define GATE_STATS_H

#include <stddef.h>

/* A location, the square of its standard error, and the degrees of freedom
 * that this variance has. */
struct gate_stats_estimate {
	double at;
	double var;
	double df;
};

/* What the variances of many rows say about any one of them: as if `df` more
 * degrees of freedom had shown `var`. df 0: nothing; INFINITY: everything. */
struct gate_stats_prior {
	double df;
	double var;
};

/* P(T > t) for Student's t, to 1e-10 relative down to 1e-12 and beyond. */
double gate_stats_t_tail(double t, double df);
/* The t with P(T > t) = p, for 0 < p < 1. */
double gate_stats_t_quantile(double p, double df);
/* P(Z > z) for the standard normal. */
double gate_stats_normal_tail(double z);
/* The z with P(Z < z) = p, for 0 < p < 1. */
double gate_stats_normal_quantile(double p);

/* The first three derivatives of ln Gamma(x), for x > 0. */
double gate_stats_digamma(double x);
double gate_stats_trigamma(double x);
double gate_stats_tetragamma(double x);
/* The y with trigamma(y) = x, for x > 0. */
double gate_stats_trigamma_inverse(double x);

void gate_stats_sort(double *x, size_t n);
/* Of n > 0 sorted values. */
double gate_stats_median(const double *sorted, size_t n);
double gate_stats_mean(const double *x, size_t n);
/* Sample standard deviation (n - 1), for n > 1. */
double gate_stats_sd(const double *x, size_t n);

/* The 20 % trimmed mean of n > 0 sorted values, with the variance of the
 * winsorised sample (NAN, df 0, where a single value is left). */
struct gate_stats_estimate gate_stats_trimmed_mean(const double *sorted,
						   size_t n);
/* Huber's location of n > 1 values, begun at their median; `scale` is the
 * standard deviation of one value and positive. */
struct gate_stats_estimate gate_stats_huber(const double *x, size_t n,
					    double median, double scale);

/* Fits the prior to n sorted variances of `df` degrees of freedom each; with
 * fewer than 8 there is none. */
struct gate_stats_prior gate_stats_fit_prior(const double *sorted, size_t n,
					     double df);
/* *e with its variance and degrees of freedom moderated by the prior. */
struct gate_stats_estimate gate_stats_moderate(struct gate_stats_prior prior,
					       struct gate_stats_estimate e);

/* Adjusts n sorted p-values in place: Holm for the family-wise error in a
 * family of m >= n, of which the others have larger p; Benjamini and Hochberg
 * for the false discovery rate. */
void gate_stats_holm(double *sorted, size_t n, size_t m);
void gate_stats_bh(double *sorted, size_t n);

#endif
