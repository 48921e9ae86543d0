#include "gate/stats.h"

#include <math.h>
#include <stdlib.h>

/* Below this many variances a prior is noise itself. */
enum { MIN_FOR_PRIOR = 8 };

/* What stands for infinite degrees of freedom in a t distribution. */
static const double MANY_DF = 1e6;

/*
 * Gamma(a + 1/2) / Gamma(a) by the asymptotic series of its logarithm, which
 * follows from Stirling's (Abramowitz & Stegun 6.1.40). The difference of two
 * lgamma() would lose nine digits at the half million that MANY_DF makes of a.
 */
static double gamma_ratio(double a)
{
	double product = 1;
	double series;
	double y;

	for (; a < 30; a++)
		product *= a / (a + 0.5);
	y = 1 / (a * a);
	series = 17.0 / 14336 - y * (31.0 / 18432);
	series = 1.0 / 640 - y * series;
	series = 1.0 / 192 - y * series;
	series = 1.0 / 8 - y * series;
	return product * sqrt(a) * exp(-series / a);
}

static double nonzero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22) by
 * Lentz's method as Thompson and Barnett changed it (J. Comput. Phys. 64,
 * 1986). It needs some sqrt(max(a, b)) steps where x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
	double f = d;
	double step = 0;
	double term;
	double m;
	int i;

	for (i = 2; i < 20000 && fabs(step - 1) > 1e-16; i++) {
		m = floor(i / 2.0);
		if (i % 2 == 0)
			term = m * (b - m) / (a + 2 * m - 1);
		else
			term = -(a + m) * (a + b + m) / (a + 2 * m + 1);
		term *= x / (a + 2 * m);
		d = 1 / nonzero(1 + term * d);
		c = nonzero(1 + term / c);
		step = c * d;
		f *= step;
	}
	return f;
}

/*
 * P(T > t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2) (Abramowitz & Stegun
 * 26.7.1): the tail itself and not what is left of 1. Near the centre the
 * fraction of the complement converges, and nothing cancels there.
 */
double gate_stats_t_tail(double t, double df)
{
	double a = df / 2;
	double x = df / (df + t * t);
	double y = t * t / (df + t * t);
	double front;

	if (t < 0)
		return 1 - gate_stats_t_tail(-t, df);
	if (isinf(t * t))
		return 0;
	/* x^a (1 - x)^(1/2) / B(a, 1/2) */
	front = exp(-a * log1p(t * t / df)) * sqrt(y) * gamma_ratio(a) /
		sqrt(M_PI);
	if (x < (a + 1) / (a + 2.5))
		return 0.5 * front * beta_fraction(a, 0.5, x) / a;
	return 0.5 - front * beta_fraction(0.5, a, y);
}

/*
 * Bisection between powers of two that enclose the quantile. It costs a
 * hundred tails, and a caller asks once for a whole set of rows.
 */
double gate_stats_t_quantile(double p, double df)
{
	double low = 0;
	double high = 1;
	double mid;

	if (p > 0.5)
		return -gate_stats_t_quantile(1 - p, df);
	while (gate_stats_t_tail(high, df) > p && high < 1e300) {
		low = high;
		high *= 2;
	}
	for (;;) {
		mid = low + (high - low) / 2;
		if (mid <= low || mid >= high)
			return mid;
		if (gate_stats_t_tail(mid, df) > p)
			low = mid;
		else
			high = mid;
	}
}

/* Abramowitz & Stegun 7.1.22; erfc() keeps its digits where 1 - erf() has
 * none. */
double gate_stats_normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

static double polynomial(const double *c, size_t n, double x)
{
	double sum = 0;

	while (n)
		sum = sum * x + c[--n];
	return sum;
}

/* Algorithm AS 241, PPND16 (Wichura, Applied Statistics 37, 1988). */
double gate_stats_normal_quantile(double p)
{
	static const double a[] = {
		3.3871328727963666080, 133.14166789178437745,
		1971.5909503065514427, 13731.693765509461125,
		45921.953931549871457, 67265.770927008700853,
		33430.575583588128105, 2509.0809287301226727,
	};
	static const double b[] = {
		1.0,
		42.313330701600911252,
		687.18700749205790830,
		5394.1960214247511077,
		21213.794301586595867,
		39307.895800092710610,
		28729.085735721942674,
		5226.4952788528545610,
	};
	static const double c[] = {
		1.42343711074968357734,   4.63033784615654529590,
		5.76949722146069140550,   3.64784832476320460504,
		1.27045825245236838258,   0.241780725177450611770,
		0.0227238449892691845833, 7.74545014278341407640e-4,
	};
	static const double d[] = {
		1.0,
		2.05319162663775882187,
		1.67638483018380384940,
		0.689767334985100004550,
		0.148103976427480074590,
		0.0151986665636164571966,
		5.47593808499534494600e-4,
		1.05075007164441684324e-9,
	};
	static const double e[] = {
		6.65790464350110377720,    5.46378491116411436990,
		1.78482653991729133580,    0.296560571828504891230,
		0.0265321895265761230930,  0.00124266094738807843860,
		2.71155556874348757815e-5, 2.01033439929228813265e-7,
	};
	static const double f[] = {
		1.0,
		0.599832206555887937690,
		0.136929880922735805310,
		0.0148753612908506148525,
		7.86869131145613259100e-4,
		1.84631831751005468180e-5,
		1.42151175831644588870e-7,
		2.04426310338993978564e-15,
	};
	enum { TERMS = sizeof(a) / sizeof(a[0]) };

	double q = p - 0.5;
	double r;
	double z;

	if (fabs(q) <= 0.425) {
		r = 0.180625 - q * q;
		return q * polynomial(a, TERMS, r) / polynomial(b, TERMS, r);
	}
	r = sqrt(-log(q < 0 ? p : 1 - p));
	if (r <= 5)
		z = polynomial(c, TERMS, r - 1.6) /
		    polynomial(d, TERMS, r - 1.6);
	else
		z = polynomial(e, TERMS, r - 5) / polynomial(f, TERMS, r - 5);
	return q < 0 ? -z : z;
}

/* Recurrence to x >= 10 and the asymptotic series (Abramowitz & Stegun 6.3.5
 * and 6.3.18). */
double gate_stats_digamma(double x)
{
	static const double c[] = {
		1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
		5.0 / 660, -691.0 / 32760, 1.0 / 12,
	};
	double sum = 0;
	double y;

	for (; x < 10; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * polynomial(c, 7, y);
}

/* As above (Abramowitz & Stegun 6.4.6 and 6.4.12). */
double gate_stats_trigamma(double x)
{
	static const double c[] = {
		1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
		5.0 / 66, -691.0 / 2730, 7.0 / 6,
	};
	double sum = 0;
	double y;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * polynomial(c, 7, y);
}

/* As above (Abramowitz & Stegun 6.4.6 and 6.4.13). */
double gate_stats_tetragamma(double x)
{
	static const double c[] = {
		1.0 / 2, -1.0 / 6,     1.0 / 6,  -3.0 / 10,
		5.0 / 6, -691.0 / 210, 35.0 / 2,
	};
	double sum = 0;
	double y;

	for (; x < 10; x++)
		sum -= 2 / (x * x * x);
	y = 1 / (x * x);
	return sum - y - y / x - y * y * polynomial(c, 7, y);
}

/* Newton's method on 1 / trigamma, which is convex and nearly linear, from
 * 1/2 + 1/x (Smyth 2004, appendix: it converges monotonically). */
double gate_stats_trigamma_inverse(double x)
{
	double y = 0.5 + 1 / x;
	double step;
	double t;
	int i;

	for (i = 0; i < 50; i++) {
		t = gate_stats_trigamma(y);
		step = t * (1 - t / x) / gate_stats_tetragamma(y);
		y += step;
		if (fabs(step / y) < 1e-10)
			break;
	}
	return y;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void gate_stats_sort(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_value);
}

double gate_stats_median(const double *sorted, size_t n)
{
	double high = sorted[n / 2];

	return n % 2 ? high : (sorted[n / 2 - 1] + high) / 2;
}

double gate_stats_mean(const double *x, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

double gate_stats_sd(const double *x, size_t n)
{
	double mean = gate_stats_mean(x, n);
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

/*
 * Tukey & McLaughlin 1963 (Sankhya A 25), as Yuen 1974 (Biometrika 61) uses
 * it: the squared deviations of the winsorised sample over h (h - 1), with h
 * values left after trimming a fifth at either end.
 */
struct gate_stats_estimate gate_stats_trimmed_mean(const double *sorted,
						   size_t n)
{
	size_t k = n / 5;
	size_t left = n - 2 * k;
	double ends = (double)k;
	double low = sorted[k];
	double high = sorted[n - k - 1];
	double mean = ends * low + ends * high;
	double sum;
	size_t i;

	for (i = k; i < n - k; i++)
		mean += sorted[i];
	mean /= (double)n;
	sum = ends * (low - mean) * (low - mean) +
	      ends * (high - mean) * (high - mean);
	for (i = k; i < n - k; i++)
		sum += (sorted[i] - mean) * (sorted[i] - mean);
	return (struct gate_stats_estimate){
		.at = gate_stats_mean(sorted + k, left),
		.var = left > 1 ? sum / (double)(left * (left - 1))
				: (double)NAN,
		.df = (double)(left - 1),
	};
}

/* The weighted mean that is the next step of Huber's location from `at`. */
static double huber_step(const double *x, size_t n, double at, double k)
{
	double sum = 0;
	double weights = 0;
	double e, w;
	size_t i;

	for (i = 0; i < n; i++) {
		e = fabs(x[i] - at);
		w = e <= k ? 1 : k / e;
		sum += w * x[i];
		weights += w;
	}
	return sum / weights;
}

/*
 * Huber 1964 (Ann. Math. Statist. 35) with k = 1.5 scales, by iterated
 * weights; the variance is the sandwich of Huber 1981 (Robust Statistics,
 * 6.6): clipped squares over the square of the share inside, that share taken
 * as at least 0.3.
 */
struct gate_stats_estimate gate_stats_huber(const double *x, size_t n,
					    double median, double scale)
{
	double k = 1.5 * scale;
	double df = (double)(n - 1);
	double at = median;
	double last = (double)INFINITY;
	double squares = 0;
	double e, share;
	size_t inside = 0;
	size_t i;

	for (i = 0; i < 50 && fabs(at - last) >= 1e-10; i++) {
		last = at;
		at = huber_step(x, n, at, k);
	}
	for (i = 0; i < n; i++) {
		e = fabs(x[i] - at);
		squares += fmin(e * e, k * k);
		inside += e <= k;
	}
	share = fmax((double)inside / (double)n, 0.3);
	return (struct gate_stats_estimate){
		.at = at,
		.var = squares / df / (double)n / (share * share),
		.df = df,
	};
}

/*
 * Smyth 2004 (Stat. Appl. Genet. Mol. Biol. 3:3), section 6.2: the moments of
 * the logarithms of variances that are scaled F. A variance of nearly nothing
 * would outweigh all others there, hence the floor (as limma 3.54, fitFDist,
 * has it).
 */
struct gate_stats_prior gate_stats_fit_prior(const double *sorted, size_t n,
					     double df)
{
	struct gate_stats_prior prior = {.df = 0, .var = 0};
	double shift = log(df / 2) - gate_stats_digamma(df / 2);
	double mean = 0;
	double sum = 0;
	double e, excess, half, least;
	size_t i;

	if (n < MIN_FOR_PRIOR)
		return prior;
	least = 1e-5 * gate_stats_median(sorted, n) + 1e-300;
	for (i = 0; i < n; i++)
		mean += log(fmax(sorted[i], least)) + shift;
	mean /= (double)n;
	for (i = 0; i < n; i++) {
		e = log(fmax(sorted[i], least)) + shift - mean;
		sum += e * e;
	}
	excess = sum / (double)(n - 1) - gate_stats_trigamma(df / 2);
	if (excess <= 1e-6) {
		prior.df = (double)INFINITY;
		prior.var = exp(mean);
		return prior;
	}
	half = gate_stats_trigamma_inverse(excess);
	prior.df = 2 * half;
	prior.var = exp(mean + gate_stats_digamma(half) - log(half));
	return prior;
}

/* Smyth 2004, section 4: the posterior mean of the variance. */
struct gate_stats_estimate gate_stats_moderate(struct gate_stats_prior prior,
					       struct gate_stats_estimate e)
{
	double df = prior.df + e.df;

	if (isinf(prior.df)) {
		e.var = prior.var;
		e.df = MANY_DF;
		return e;
	}
	e.var = (prior.df * prior.var + e.df * e.var) / df;
	e.df = df;
	return e;
}

/* Holm 1979 (Scand. J. Statist. 6). */
void gate_stats_holm(double *sorted, size_t n, size_t m)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		most = fmax(most, sorted[i] * (double)(m - i));
		sorted[i] = fmin(most, 1);
	}
}

/* Benjamini & Hochberg 1995 (J. R. Statist. Soc. B 57). */
void gate_stats_bh(double *sorted, size_t n)
{
	double least = 1;
	size_t i;

	for (i = n; i-- > 0;) {
		least = fmin(least, sorted[i] * (double)n / (double)(i + 1));
		sorted[i] = least;
	}
}
