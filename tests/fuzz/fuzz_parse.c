/*
 * Fuzz target: any bytes through the whole host, with all parsers or with the
 * one that FUZZ_PARSER names. It must not crash, and must hold the promises
 * that callers rely on (checks.h).
 */
#include <stddef.h>
#include <stdint.h>

#include "checks.h"

#ifndef FUZZ_PARSER
#define FUZZ_PARSER "auto"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_parse_opts opts = {.parser = FUZZ_PARSER, .path = "fuzz"};
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_diags diags = {0};
	struct gate_parse_stats stats;
	struct gate_error err;
	int rc;

	rc = gate_parse_buffer(&opts, (const char *)data, size, set, &diags,
			       &stats, &err);
	assert(rc == 0 || rc == GATE_ESYNTAX);
	check_set(set, &stats);
	gate_diags_done(&diags);
	gate_sample_set_free(set);
	return 0;
}
