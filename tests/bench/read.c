/*
 * Reads one log as `gate run` and `gate compare` do, without keeping or
 * printing samples, and says what it took: for ci/bench.
 */
#include <stdio.h>
#include <time.h>

#include "gate/parse.h"

static void take(void *ctx, const struct gate_measured *m)
{
	double *sum = ctx;

	*sum += m->s.value;
}

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	double sum = 0;
	struct gate_parse_opts opts = {
		.job = "", .each = take, .each_ctx = &sum};
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_diags diags = {0};
	struct gate_parse_stats stats;
	struct gate_error err;
	double start = cpu_s();
	int rc;

	if (argc != 2)
		return 2;
	rc = gate_parse_file(&opts, argv[1], set, &diags, &stats, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.message);
	else
		printf("%.6f %zu\n", cpu_s() - start, stats.samples);
	gate_diags_done(&diags);
	gate_sample_set_free(set);
	return rc != 0;
}
