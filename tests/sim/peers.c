#include "peers.h"

#include <math.h>
#include <string.h>

#include "gate/ranks.h"
#include "gate/stats.h"
#include "noise.h"

static double median(const double *x, size_t n)
{
	double sorted[SIM_ROUNDS];

	memcpy(sorted, x, n * sizeof *x);
	gate_stats_sort(sorted, n);
	return gate_stats_median(sorted, n);
}

static bool mann_whitney(const double *base, const double *candidate, size_t n,
			 double level, double least)
{
	struct gate_ranks_null null = {0};
	double p;

	if (median(candidate, n) - median(base, n) <= least)
		return false;
	p = gate_ranks_mann_whitney(&null, base, n, candidate, n).p;
	gate_ranks_null_done(&null);
	return p < level;
}

/* golang.org/x/perf, benchmath/anone.go and the default alpha. */
static bool benchstat(const double *base, const double *candidate, size_t n)
{
	return mann_whitney(base, candidate, n, 0.05, 0);
}

/* As people make a gate of it. */
static bool benchstat_3(const double *base, const double *candidate, size_t n)
{
	return mann_whitney(base, candidate, n, 0.05, log1p(0.03));
}

/* asv/commands/compare.py and asv/_stats.py: factor 1.1, p < 0.002. */
static bool asv(const double *base, const double *candidate, size_t n)
{
	return mann_whitney(base, candidate, n, 0.002, log(1.1));
}

/* benchmark-action/github-action-benchmark, alert-threshold 200 %. */
static bool github_action(const double *base, const double *candidate, size_t n)
{
	(void)n;
	return candidate[0] - base[0] > log(2);
}

/* What a table of two logs shows, read with 3 % in mind. */
static bool one_pair(const double *base, const double *candidate, size_t n)
{
	(void)n;
	return candidate[0] - base[0] > log1p(0.03);
}

/* bencher.dev: the new value beyond Student's prediction limit of those
 * before, upper boundary 0.99 as its documents have it. */
static bool bencher(const double *base, const double *candidate, size_t n)
{
	double before[SIM_ROUNDS];
	double size = (double)n;
	double limit;
	size_t i;

	for (i = 0; i < n; i++)
		before[i] = exp(base[i]);
	limit = gate_stats_mean(before, n) +
		gate_stats_sd(before, n) * sqrt(1 + 1 / size) *
			gate_stats_t_quantile(0.01, size - 1);
	return exp(candidate[0]) > limit;
}

const struct sim_peer sim_peers[SIM_PEERS] = {
	{"benchstat", "Mann-Whitney p < 0.05", benchstat},
	{"benchstat, 3 %", "p < 0.05 and 3 % slower", benchstat_3},
	{"asv", "p < 0.002 and 10 % slower", asv},
	{"github-action-benchmark", "one value twice the last", github_action},
	{"one pair", "one value 3 % slower", one_pair},
	{"Bencher, t-test", "one value beyond the 99 % limit", bencher},
};
