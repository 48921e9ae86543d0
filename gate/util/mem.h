/*
 * Memory that is there or ends the program.
 *
 * A gate that cannot allocate cannot finish a report either, and what it had
 * measured is already on disk. So exhaustion prints one line and exits 4
 * (could not measure) in one place, instead of a branch after every call that
 * no test reaches. Sizes that come from input are bounded by their readers
 * before they get here.
 */
#ifndef GATE_UTIL_MEM_H
#define GATE_UTIL_MEM_H

#include <stddef.h>

/* All returned memory is the caller's to free() . Contents are zeroed. */
void *gate_alloc(size_t size);
void *gate_calloc(size_t n, size_t size);
char *gate_strdup(const char *s); /* NULL gives NULL */
char *gate_strndup(const char *s, size_t len);
char *gate_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes room for at least `need` elements of `size` bytes in `*array`, growing
 * by half; `*cap` counts elements. New elements are zeroed.
 * Use through GATE_PUSH.
 */
void gate_grow(void **array, size_t *cap, size_t need, size_t size);

/* Appends `value` to the array `items` with `n` used and `cap` allocated. */
#define GATE_PUSH(items, n, cap, ...)                                          \
	do {                                                                   \
		void *p_ = (items);                                            \
		gate_grow(&p_, &(cap), (n) + 1, sizeof *(items));              \
		(items) = p_;                                                  \
		(items)[(n)] = (__VA_ARGS__); /* may read n */                 \
		(n)++;                                                         \
	} while (0)

#endif
