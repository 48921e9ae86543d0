/*
 * What holds for every set of samples, whatever the log: clean, bounded names,
 * and when there is a value, a finite one with a unit; the counts agree.
 */
#ifndef TESTS_FUZZ_CHECKS_H
#define TESTS_FUZZ_CHECKS_H

#include <assert.h>
#include <math.h>
#include <string.h>

#include "gate/parse.h"

static inline void check_name(const char *s)
{
	/* 512 bytes, each of which may have become U+FFFD. */
	assert(s && *s && strlen(s) <= 3 * 512);
	assert(!strpbrk(s, "\n\r\033"));
}

static inline void check_sample(const struct gate_sample *s)
{
	check_name(s->bench);
	check_name(s->row);
	if (s->status != GATE_SAMPLE_OK && s->status != GATE_SAMPLE_ORPHAN)
		return;
	assert(s->unit != GATE_UNIT_NONE && isfinite(s->value));
	assert(s->value >= 0 && s->resolution >= 0);
}

static inline void check_set(const struct gate_sample_set *set,
			     const struct gate_parse_stats *stats)
{
	size_t i, complete = 0;

	assert(stats->samples == set->n);
	for (i = 0; i < set->n; i++) {
		const struct gate_sample *s = &set->items[i].s;

		check_sample(s);
		complete += s->status == GATE_SAMPLE_OK ||
			    s->status == GATE_SAMPLE_ORPHAN;
	}
	assert(complete == stats->complete);
}

#endif
