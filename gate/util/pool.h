/*
 * A pool of strings, each kept once: rows repeat in every round.
 */
#ifndef GATE_UTIL_POOL_H
#define GATE_UTIL_POOL_H

#include <stddef.h>

struct gate_pool;

struct gate_pool *gate_pool_new(void);
void gate_pool_free(struct gate_pool *p); /* NULL is fine */
/* The pool's copy of s; equal strings have equal pointers. NULL gives NULL.
 * Lives as long as the pool. */
const char *gate_pool_add(struct gate_pool *p, const char *s);
/* What the strings and their index take. */
size_t gate_pool_bytes(const struct gate_pool *p);

#endif
