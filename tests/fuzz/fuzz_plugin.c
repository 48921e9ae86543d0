/*
 * Fuzz target: what a parser program writes. Whatever it is, it becomes
 * samples that passed the checks, or an error that names the program.
 */
#include <stddef.h>
#include <stdint.h>

#include "checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_parse_opts opts = {.path = "fuzz"};
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_diags diags = {0};
	struct gate_parse_stats stats;
	struct gate_error err;
	int rc;

	rc = gate_parse_samples(&opts, "./my-parser", (const char *)data, size,
				set, &diags, &stats, &err);
	assert(rc == 0 || rc == GATE_ESYNTAX || rc == GATE_EPLUGIN);
	if (rc == GATE_EPLUGIN)
		assert(strstr(err.message, "./my-parser"));
	assert(!stats.unparsed);
	check_set(set, &stats);
	gate_diags_done(&diags);
	gate_sample_set_free(set);
	return 0;
}
