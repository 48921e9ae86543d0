#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "gate/stats.h"
#include "vectors.h"

enum { MOST = 64 };

static double relative(double got, double want)
{
	return fabs(got - want) / fabs(want);
}

/* Calls `check` with every entry of vectors.json of this test. */
static void each_vector(const char *test, void (*check)(const cJSON *))
{
	cJSON *root = vectors_load("vectors.json");
	const cJSON *v;
	size_t n = 0;

	cJSON_ArrayForEach(
		v,
		cJSON_GetObjectItem(
			root, "vectors")) if (!strcmp(vectors_string(v, "test"),
						      test))
	{
		check(v);
		n++;
	}
	cr_assert_gt(n, 0);
	cJSON_Delete(root);
}

static void each_special(const char *key, void (*check)(const cJSON *))
{
	cJSON *root = vectors_load("special.json");
	const cJSON *v;
	size_t n = 0;

	cJSON_ArrayForEach(v, cJSON_GetObjectItem(root, key))
	{
		check(v);
		n++;
	}
	cr_assert_gt(n, 0);
	cJSON_Delete(root);
}

static void check_tail_of_r(const cJSON *v)
{
	VECTORS_CLOSE(gate_stats_t_tail(vectors_number(v, "t"),
					vectors_number(v, "df")),
		      vectors_number(v, "value"), "t_upper_tail");
}

Test(stats, t_tail_equals_r)
{
	each_vector("t_upper_tail", check_tail_of_r);
}

static void check_tail(const cJSON *v)
{
	double t = vectors_number(v, "t");
	double df = vectors_number(v, "df");
	double want = vectors_number(v, "value");
	double got = gate_stats_t_tail(t, df);

	cr_assert_lt(relative(got, want), 1e-10,
		     "t %g, df %g: %.17g and not %.17g", t, df, got, want);
	cr_assert_eq(gate_stats_t_tail(-t, df), 1 - got);
}

Test(stats, t_tail_is_exact_to_ten_digits_far_out_and_at_many_degrees)
{
	each_special("t_tail", check_tail);
}

/* Closed forms that do not cancel: 1, 2 and 4 degrees of freedom. */
Test(stats, t_tail_equals_its_closed_forms)
{
	double t, s, c2;

	for (t = 0.125; t < 1e5; t *= 2) {
		cr_assert_lt(
			relative(gate_stats_t_tail(t, 1), atan(1 / t) / M_PI),
			1e-13);
		s = sqrt(2 + t * t);
		cr_assert_lt(
			relative(gate_stats_t_tail(t, 2), 1 / (s * (s + t))),
			1e-13);
		s = t / sqrt(4 + t * t);
		c2 = 4 / (4 + t * t) / (1 + s);
		cr_assert_lt(relative(gate_stats_t_tail(t, 4),
				      c2 * c2 * (2 + s) / 4),
			     1e-13);
	}
}

Test(stats, t_tail_is_a_half_at_nought_and_nothing_at_infinity)
{
	cr_assert_eq(gate_stats_t_tail(0, 5), 0.5);
	cr_assert_eq(gate_stats_t_tail((double)INFINITY, 5), 0);
	cr_assert_eq(gate_stats_t_tail(-(double)INFINITY, 5), 1);
	cr_assert_eq(gate_stats_t_tail(1e200, 5), 0);
}

/* R's are quantiles of P(T < t). */
static void check_quantile_of_r(const cJSON *v)
{
	double df = vectors_number(v, "df");
	double p = vectors_number(v, "p");

	/* 1 - p is not exact; R's own digits end there too. */
	cr_assert_float_eq(-gate_stats_t_quantile(p, df),
			   vectors_number(v, "value"), 1e-9);
}

Test(stats, t_quantile_equals_r)
{
	each_vector("t_quantile", check_quantile_of_r);
}

static void check_quantile(const cJSON *v)
{
	double got = gate_stats_t_quantile(vectors_number(v, "p"),
					   vectors_number(v, "df"));

	cr_assert_lt(relative(got, vectors_number(v, "value")), 1e-10);
}

Test(stats, t_quantile_is_exact_to_ten_digits)
{
	each_special("t_quantile", check_quantile);
}

static void check_normal_of_r(const cJSON *v)
{
	VECTORS_CLOSE(gate_stats_normal_quantile(vectors_number(v, "p")),
		      vectors_number(v, "value"), "normal_quantile");
}

static void check_normal(const cJSON *v)
{
	double p = vectors_number(v, "p");
	double got = gate_stats_normal_quantile(p);

	/* Above a half the rounding of p itself is what remains. */
	cr_assert_float_eq(got, vectors_number(v, "value"),
			   p > 0.5 ? 1e-12 : 1e-14, "p %g: %.17g", p, got);
}

Test(stats, normal_quantile_equals_r_and_mpmath)
{
	each_vector("normal_quantile", check_normal_of_r);
	each_special("normal_quantile", check_normal);
}

static void check_psi(const cJSON *v)
{
	double x = vectors_number(v, "x");
	double psi[3];

	cr_assert_eq(vectors_array(v, "psi", psi, 3), 3);
	cr_assert_lt(relative(gate_stats_digamma(x), psi[0]), 1e-13);
	cr_assert_lt(relative(gate_stats_trigamma(x), psi[1]), 1e-13);
	cr_assert_lt(relative(gate_stats_tetragamma(x), psi[2]), 1e-13);
	cr_assert_lt(relative(gate_stats_trigamma_inverse(psi[1]), x), 1e-9);
}

Test(stats, polygamma_functions_equal_mpmath_and_invert)
{
	each_special("psi", check_psi);
}

Test(stats, median_of_an_even_number_is_between_the_middle_two)
{
	double x[] = {4, 1, 3, 2};

	gate_stats_sort(x, 4);
	cr_assert_eq(x[0], 1);
	cr_assert_eq(x[3], 4);
	cr_assert_eq(gate_stats_median(x, 4), 2.5);
	cr_assert_eq(gate_stats_median(x, 3), 2);
	cr_assert_eq(gate_stats_median(x, 1), 1);
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

static void check_paired_t(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	double df = vectors_number(v, "df");
	double d[MOST];
	size_t n = log_ratios(v, d);
	double mean = gate_stats_mean(d, n);
	double se = gate_stats_sd(d, n) / sqrt((double)n);
	double half = gate_stats_t_quantile(0.025, df) * se;
	double ci[2];

	cr_assert_eq(vectors_array(v, "ci", ci, 2), 2);
	VECTORS_CLOSE(mean, vectors_number(v, "est"), name);
	VECTORS_CLOSE(mean / se, vectors_number(v, "t"), name);
	VECTORS_CLOSE(2 * gate_stats_t_tail(fabs(mean / se), df),
		      vectors_number(v, "p_two"), name);
	VECTORS_CLOSE(mean - half, ci[0], name);
	VECTORS_CLOSE(mean + half, ci[1], name);
}

Test(stats, mean_and_deviation_give_the_paired_t_test_of_r)
{
	each_vector("paired_t_log", check_paired_t);
}

static void check_margin(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	double d[MOST];
	size_t n = log_ratios(v, d);
	double se = gate_stats_sd(d, n) / sqrt((double)n);
	double t = (gate_stats_mean(d, n) - vectors_number(v, "mu0")) / se;

	VECTORS_CLOSE(t, vectors_number(v, "t"), name);
	VECTORS_CLOSE(gate_stats_t_tail(t, (double)(n - 1)),
		      vectors_number(v, "p_greater"), name);
}

Test(stats, a_margin_shifts_the_paired_t_test_as_in_r)
{
	each_vector("paired_t_log_margin", check_margin);
}

/* Welch's test of two means with their standard errors. */
struct welch {
	double at, se, df;
};

static struct welch welch(double x, double var_x, double n, double y,
			  double var_y, double m)
{
	double a = var_x / n;
	double b = var_y / m;

	return (struct welch){
		.at = y - x,
		.se = sqrt(a + b),
		.df = (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1)),
	};
}

static void check_welch(const struct welch *w, const cJSON *v, const char *name)
{
	double half = gate_stats_t_quantile(0.025, w->df) * w->se;
	double ci[2];

	VECTORS_CLOSE(w->df, vectors_number(v, "df"), name);
	cr_assert_eq(vectors_array(v, "ci", ci, 2), 2);
	VECTORS_CLOSE(w->at - half, ci[0], name);
	VECTORS_CLOSE(w->at + half, ci[1], name);
	if (!cJSON_GetObjectItem(v, "t"))
		return;
	VECTORS_CLOSE(w->at / w->se, vectors_number(v, "t"), name);
	VECTORS_CLOSE(2 * gate_stats_t_tail(fabs(w->at / w->se), w->df),
		      vectors_number(v, "p_two"), name);
}

static void check_welch_log(const cJSON *v)
{
	double x[MOST], y[MOST], sx, sy;
	size_t n = vectors_array(v, "x", x, MOST);
	size_t m = vectors_array(v, "y", y, MOST);
	struct welch w;
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = log(x[i]);
	for (i = 0; i < m; i++)
		y[i] = log(y[i]);
	sx = gate_stats_sd(x, n);
	sy = gate_stats_sd(y, m);
	w = welch(gate_stats_mean(x, n), sx * sx, (double)n,
		  gate_stats_mean(y, m), sy * sy, (double)m);
	VECTORS_CLOSE(w.at, vectors_number(v, "est_logratio"), "welch_log");
	check_welch(&w, v, vectors_string(v, "name"));
}

/* From means and deviations; on the log scale by the delta method. */
static void check_welch_summary(const cJSON *v)
{
	double x = vectors_number(v, "m1"), sx = vectors_number(v, "s1");
	double y = vectors_number(v, "m2"), sy = vectors_number(v, "s2");
	double n = vectors_number(v, "n1"), m = vectors_number(v, "n2");
	struct welch w = welch(x, sx * sx, n, y, sy * sy, m);

	if (!strcmp(vectors_string(v, "test"), "logratio_summary_delta")) {
		sx /= x;
		sy /= y;
		w = welch(log(x), sx * sx, n, log(y), sy * sy, m);
		VECTORS_CLOSE(w.at, vectors_number(v, "est"), "summary");
		VECTORS_CLOSE(w.se, vectors_number(v, "se"), "summary");
	}
	check_welch(&w, v, vectors_string(v, "name"));
}

Test(stats, mean_and_deviation_give_the_tests_of_welch)
{
	each_vector("welch_log", check_welch_log);
	each_vector("welch_summary", check_welch_summary);
	each_vector("logratio_summary_delta", check_welch_summary);
}

Test(stats, normal_tail_inverts_the_quantile_far_out)
{
	const double p[] = {0.5, 0.3, 0.025, 1e-7, 1e-15, 1e-100, 1e-300};
	size_t i;

	for (i = 0; i < sizeof p / sizeof *p; i++)
		cr_assert_lt(
			relative(gate_stats_normal_tail(
					 -gate_stats_normal_quantile(p[i])),
				 p[i]),
			1e-12);
	cr_assert_float_eq(gate_stats_normal_tail(1.9599639845400545), 0.025,
			   1e-16);
	cr_assert_float_eq(gate_stats_normal_tail(-1), 0.841344746068543,
			   1e-15);
}

Test(stats, holm_counts_those_of_the_family_that_are_not_given)
{
	double some[] = {0.001, 0.02, 0.03};
	double all[] = {0.001, 0.02, 0.03, 1, 1};
	size_t i;

	gate_stats_holm(some, 3, 5);
	gate_stats_holm(all, 5, 5);
	cr_assert_float_eq(some[0], 0.005, 1e-15);
	for (i = 0; i < 3; i++)
		cr_assert_eq(some[i], all[i]);
}

static void check_trimmed(const cJSON *v)
{
	const char *name = vectors_string(v, "name");
	struct gate_stats_estimate e;
	double d[MOST];
	size_t n = log_ratios(v, d);

	gate_stats_sort(d, n);
	e = gate_stats_trimmed_mean(d, n);
	VECTORS_CLOSE(e.at, vectors_number(v, "tmean"), name);
	VECTORS_CLOSE(sqrt(e.var), vectors_number(v, "se"), name);
	cr_assert_eq(e.df, vectors_number(v, "df"));
	VECTORS_CLOSE(gate_stats_t_tail(e.at / sqrt(e.var), e.df),
		      vectors_number(v, "p_greater"), name);
}

Test(stats, trimmed_mean_gives_the_trimmed_t_test_of_r)
{
	each_vector("paired_trim20_log", check_trimmed);
}

Test(stats, trimmed_mean_of_one_value_has_no_variance)
{
	double x = 3;
	struct gate_stats_estimate e = gate_stats_trimmed_mean(&x, 1);

	cr_assert_eq(e.at, 3);
	cr_assert_eq(e.df, 0);
	cr_assert(isnan(e.var));
}

/* Benjamini & Yekutieli 2001: as Benjamini & Hochberg, times the sum of 1/i. */
static void adjust_by(double *p, size_t n)
{
	double c = 0;
	size_t i;

	for (i = 1; i <= n; i++)
		c += 1 / (double)i;
	gate_stats_bh(p, n);
	for (i = 0; i < n; i++)
		p[i] = fmin(1, c * p[i]);
}

/* The first step of Holm's, for each alone. */
static void adjust_bonferroni(double *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		gate_stats_holm(&p[i], 1, n);
}

/* An absent p-value is left out, and the count with it. */
static void check_adjusted(const cJSON *v)
{
	const char *method = vectors_string(v, "method");
	double p[MOST], want[MOST];
	const cJSON *x = cJSON_GetObjectItem(v, "x")->child;
	const cJSON *a = cJSON_GetObjectItem(v, "adj")->child;
	size_t n = 0;
	size_t i;

	for (; x && a; x = x->next, a = a->next) {
		cr_assert_eq(cJSON_IsNull(x), cJSON_IsNull(a));
		if (cJSON_IsNull(x))
			continue;
		p[n] = x->valuedouble;
		want[n++] = a->valuedouble;
	}
	/* Both grow together, so each may be sorted by itself. */
	gate_stats_sort(p, n);
	gate_stats_sort(want, n);
	if (!strcmp(method, "holm"))
		gate_stats_holm(p, n, n);
	else if (!strcmp(method, "BH"))
		gate_stats_bh(p, n);
	else if (!strcmp(method, "BY"))
		adjust_by(p, n);
	else if (!strcmp(method, "bonferroni"))
		adjust_bonferroni(p, n);
	else
		cr_assert_fail("no method %s", method);
	for (i = 0; i < n; i++)
		VECTORS_CLOSE(p[i], want[i], method);
}

Test(stats, adjusted_p_values_equal_r)
{
	each_vector("p_adjust", check_adjusted);
}

static void check_moderation(const cJSON *v)
{
	double x[MOST], sorted[MOST], want[MOST];
	double df = vectors_number(v, "df");
	size_t n = vectors_array(v, "x", x, MOST);
	struct gate_stats_prior prior;
	struct gate_stats_estimate e;
	size_t i;

	vectors_array(v, "adj", want, MOST);
	memcpy(sorted, x, n * sizeof *x);
	gate_stats_sort(sorted, n);
	prior = gate_stats_fit_prior(sorted, n, df);
	VECTORS_CLOSE(prior.df, vectors_number(v, "d0"), "prior");
	VECTORS_CLOSE(prior.var, vectors_number(v, "s0sq"), "prior");
	for (i = 0; i < n; i++) {
		e = (struct gate_stats_estimate){.var = x[i], .df = df};
		e = gate_stats_moderate(prior, e);
		VECTORS_CLOSE(e.var, want[i], "moderated");
		VECTORS_CLOSE(e.df, df + prior.df, "moderated");
	}
}

Test(stats, moderated_variances_equal_r)
{
	each_vector("eb_moderation", check_moderation);
}

Test(stats, equal_variances_are_one_variance_with_a_million_degrees)
{
	const double v[] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct gate_stats_prior prior = gate_stats_fit_prior(v, 8, 5);
	struct gate_stats_estimate e = {.at = 1, .var = 7, .df = 5};

	cr_assert(isinf(prior.df));
	e = gate_stats_moderate(prior, e);
	cr_assert_eq(e.at, 1);
	cr_assert_eq(e.var, prior.var);
	cr_assert_eq(e.df, 1e6);
}

Test(stats, seven_variances_make_no_prior)
{
	const double v[] = {1, 2, 3, 4, 5, 6, 7};
	struct gate_stats_prior prior = gate_stats_fit_prior(v, 7, 5);
	struct gate_stats_estimate e = {.at = 1, .var = 7, .df = 5};

	e = gate_stats_moderate(prior, e);
	cr_assert_eq(e.var, 7);
	cr_assert_eq(e.df, 5);
}

Test(stats, huber_location_is_the_mean_without_outliers_and_resists_one)
{
	const double clean[] = {1, 2, 3, 4, 5};
	const double dirty[] = {1, 2, 3, 4, 1e9};
	struct gate_stats_estimate e = gate_stats_huber(clean, 5, 3, 10);

	cr_assert_float_eq(e.at, 3, 1e-15);
	cr_assert_float_eq(e.var, 10.0 / 4 / 5, 1e-15);
	cr_assert_eq(e.df, 4);
	e = gate_stats_huber(dirty, 5, 3, 1);
	cr_assert_gt(e.at, 2);
	cr_assert_lt(e.at, 3.5);
}

/* ---- the numbers on the way to a decision ---- */

static size_t usable_effects(const cJSON *point, double *d)
{
	const cJSON *b = cJSON_GetObjectItem(point, "base")->child;
	const cJSON *c = cJSON_GetObjectItem(point, "cand")->child;
	double sign = vectors_number(point, "dir");
	size_t n = 0;
	double x, y;

	for (; b && c; b = b->next, c = c->next) {
		x = vectors_value(b);
		y = vectors_value(c);
		if (isfinite(x) && isfinite(y) && x > 0 && y > 0)
			d[n++] = sign * (log(y) - log(x));
	}
	return n;
}

/* Rows of one case with equally many rounds: what the reference says. */
struct set {
	double v[MOST], vhub[MOST];
	size_t k;
};

static void gather(const cJSON *points, double n, struct set *ret)
{
	const cJSON *e;
	double h, floor;

	ret->k = 0;
	cJSON_ArrayForEach(e, points)
	{
		if (!cJSON_GetObjectItem(e, "est") ||
		    vectors_number(e, "n") != n)
			continue;
		h = vectors_number(e, "h");
		floor = fmax(h * h / 12 / n, 1e-12);
		ret->v[ret->k] = fmax(vectors_number(e, "v"), floor);
		ret->vhub[ret->k++] = vectors_number(e, "vhub");
	}
	gate_stats_sort(ret->v, ret->k);
	gate_stats_sort(ret->vhub, ret->k);
}

static void check_prior(const cJSON *e, const char *key,
			struct gate_stats_prior prior)
{
	const cJSON *want = cJSON_GetObjectItem(e, key);

	/* An infinite d0 is null there. */
	if (cJSON_IsNull(want->child))
		cr_assert(isinf(prior.df));
	else
		VECTORS_CLOSE(prior.df, want->child->valuedouble, key);
	VECTORS_CLOSE(prior.var, want->child->next->valuedouble, key);
}

static void check_point(const cJSON *in, const cJSON *e, const cJSON *points)
{
	const char *name = vectors_string(e, "name");
	double n = vectors_number(e, "n");
	double h = vectors_number(e, "h");
	double floor = fmax(h * h / 12 / n, 1e-12);
	double d[MOST], sorted[MOST];
	size_t count = usable_effects(in, d);
	struct gate_stats_estimate t, m;
	struct gate_stats_prior prior;
	struct set set;
	double z;

	cr_assert_eq((double)count, n);
	memcpy(sorted, d, sizeof d);
	gate_stats_sort(sorted, count);
	t = gate_stats_trimmed_mean(sorted, count);
	VECTORS_CLOSE(t.at, vectors_number(e, "tmean"), name);
	VECTORS_CLOSE(t.var, vectors_number(e, "v"), name);
	cr_assert_eq(t.df, vectors_number(e, "df"));

	gather(points, n, &set);
	prior = gate_stats_fit_prior(set.v, set.k, t.df);
	check_prior(e, "prior_trim", prior);
	t.var = fmax(t.var, floor);
	t = gate_stats_moderate(prior, t);
	VECTORS_CLOSE(sqrt(t.var * n), vectors_number(e, "scale"), name);

	m = gate_stats_huber(d, count, gate_stats_median(sorted, count),
			     vectors_number(e, "scale"));
	m.var = fmax(m.var, floor);
	VECTORS_CLOSE(m.at, vectors_number(e, "est"), name);
	VECTORS_CLOSE(m.var, vectors_number(e, "vhub"), name);

	prior = gate_stats_fit_prior(set.vhub, set.k, m.df);
	check_prior(e, "prior_hub", prior);
	m = gate_stats_moderate(prior, m);
	VECTORS_CLOSE(m.var, vectors_number(e, "mv"), name);
	VECTORS_CLOSE(m.df, vectors_number(e, "mdf"), name);

	z = (log1p(0.03) - m.at - h) / sqrt(m.var);
	VECTORS_CLOSE(gate_stats_t_tail(z, m.df), vectors_number(e, "p_pass"),
		      name);
	z = (m.at - h - log1p(0.015)) / sqrt(m.var);
	VECTORS_CLOSE(gate_stats_t_tail(z, m.df), vectors_number(e, "p"), name);
}

Test(stats, every_number_on_the_way_equals_the_reference)
{
	cJSON *root = vectors_load("vectors_gate.json");
	const cJSON *c, *points, *in, *e;
	size_t n = 0;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(root, "cases"))
	{
		points = cJSON_GetObjectItem(cJSON_GetObjectItem(c, "expect"),
					     "points");
		in = cJSON_GetObjectItem(c, "input")->child;
		e = points->child;
		for (; in && e; in = in->next, e = e->next) {
			if (!cJSON_GetObjectItem(e, "est"))
				continue;
			check_point(in, e, points);
			n++;
		}
	}
	/* 6 cases of 24 rows, less two of the case "edge" that are not
	 * judged. */
	cr_assert_eq(n, 6 * 24 - 2);
	cJSON_Delete(root);
}
