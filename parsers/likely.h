/*
 * Whether a line looks like a result of some benchmark: a number with the unit
 * of a rate or of a cost. For lines that no parser understood, so that a
 * format which is new, or damaged beyond reading, does not pass in silence.
 */
#ifndef GATE_PARSERS_LIKELY_H
#define GATE_PARSERS_LIKELY_H

#include <stdbool.h>
#include <stddef.h>

bool gate_result_like(const char *s, size_t len);

#endif
