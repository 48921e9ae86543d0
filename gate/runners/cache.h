/*
 * The round cache: logs of rounds that would come out the same again.
 *
 * A round under the instruction clock is a pure function of what its key is
 * made of, so a base that was measured once need not be booted again. Nothing
 * else may be stored here. The cache is a convenience: whatever goes wrong with
 * it is as if it were empty.
 */
#ifndef GATE_RUNNERS_CACHE_H
#define GATE_RUNNERS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* The log stored under `key` (64 hex digits). A damaged entry is removed and
 * not found. Caller frees *ret. */
bool gate_cache_find(const char *key, char **ret, size_t *len);
void gate_cache_store(const char *key, const char *log, size_t len);

#endif
