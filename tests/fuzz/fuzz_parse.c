/*
 * Fuzz target: any bytes through the whole host, all parsers at once.
 *
 * Besides not crashing it holds the promises that callers rely on: every
 * sample has a clean, bounded name and, when it has a value, a finite one with
 * a unit; the counts agree with the set.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gate/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sample(const struct gate_sample *s)
{
	assert(*s->bench && strlen(s->bench) <= 3 * 512);
	assert(*s->row && strlen(s->row) <= 3 * 512);
	assert(!strpbrk(s->row, "\n\r\033"));
	if (s->status != GATE_SAMPLE_OK && s->status != GATE_SAMPLE_ORPHAN)
		return;
	assert(s->unit != GATE_UNIT_NONE && isfinite(s->value));
	assert(s->value >= 0 && s->resolution >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_parse_opts opts = {.parser = "auto", .path = "fuzz"};
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_diags diags = {0};
	struct gate_parse_stats stats;
	struct gate_error err;
	size_t i, complete = 0;
	int rc;

	rc = gate_parse_buffer(&opts, (const char *)data, size, set, &diags,
			       &stats, &err);
	assert(rc == 0 || rc == GATE_ESYNTAX);
	assert(stats.samples == set->n);
	for (i = 0; i < set->n; i++) {
		const struct gate_sample *s = &set->items[i].s;

		check_sample(s);
		complete += s->status == GATE_SAMPLE_OK ||
			    s->status == GATE_SAMPLE_ORPHAN;
	}
	assert(complete == stats.complete);
	gate_diags_done(&diags);
	gate_sample_set_free(set);
	return 0;
}
