/*
 * A growable byte string, and questions about text.
 *
 * Zero-initialise a struct gate_str, add to it, take it with _steal or free it
 * with _done. `data` is always NUL-terminated once anything was added, but
 * holds `len` bytes of any value.
 */
#ifndef GATE_UTIL_STR_H
#define GATE_UTIL_STR_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct gate_str {
	char *data;
	size_t len;
	size_t cap;
};

void gate_str_add(struct gate_str *s, const char *data, size_t len);
void gate_str_puts(struct gate_str *s, const char *text);
void gate_str_putc(struct gate_str *s, char c);
void gate_str_addf(struct gate_str *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void gate_str_addv(struct gate_str *s, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Room for `more` bytes behind the text, to be written to; gate_str_end()
 * then says where they end. */
char *gate_str_room(struct gate_str *s, size_t more);
void gate_str_end(struct gate_str *s, const char *end);
/* The text so far; "" when nothing was added. Borrowed. */
const char *gate_str_text(const struct gate_str *s);
/* The text as the caller's to free; the string is empty again. */
char *gate_str_steal(struct gate_str *s);
void gate_str_done(struct gate_str *s);

bool gate_str_starts(const char *s, const char *prefix);
/*
 * The candidate nearest to `word` by edit distance (insert, delete, replace,
 * swap), or NULL when none is near enough to be a slip of the hand (a third of
 * the word). Borrowed from `candidates`, which ends with NULL.
 */
const char *gate_str_nearest(const char *word, const char *const *candidates);

#endif
