/*
 * The one reader and the one printer of numbers.
 *
 * Both are independent of the locale: gate never calls setlocale(), and a
 * test holds that. Numbers are printed with the fewest digits that read back
 * as the same double, so that files round-trip and equal inputs give equal
 * bytes.
 */
#ifndef GATE_UTIL_NUM_H
#define GATE_UTIL_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GATE_NUM_MAX = 32 };

/* "There is no such number", as a double: NAN itself is a float. */
#define GATE_NAN ((double)__builtin_nanf(""))

/*
 * Reads all `len` bytes as one number (no blanks, no hex, no inf or nan).
 * False, and *ret untouched, when they are anything else or out of range.
 */
bool gate_num_u64(const char *s, size_t len, uint64_t *ret);
bool gate_num_double(const char *s, size_t len, double *ret);

/* Writes the shortest form that reads back equal; returns buf. Non-finite
 * values become "null", which is what JSON can say of them. */
const char *gate_num_print(double v, char buf[GATE_NUM_MAX]);

/* "90s", "30m", "2h", "1500ms" or "10" (seconds) in milliseconds. */
bool gate_num_duration_ms(const char *s, uint64_t *ret);

#endif
