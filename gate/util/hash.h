/*
 * SHA-256 by libmd, for cache keys and fingerprints.
 */
#ifndef GATE_UTIL_HASH_H
#define GATE_UTIL_HASH_H

#include <stddef.h>

#include "gate/util/error.h"

enum { GATE_HASH_HEX = 65 }; /* 64 digits and NUL */

struct gate_hash;

struct gate_hash *gate_hash_new(void);
/* Each piece is added with its length before it, so that ("ab", "c") and
 * ("a", "bc") differ. */
void gate_hash_add(struct gate_hash *h, const void *data, size_t len);
void gate_hash_text(struct gate_hash *h, const char *s);
int gate_hash_file(struct gate_hash *h, const char *path,
		   struct gate_error *err);
/* Writes the digits and frees h. */
void gate_hash_end(struct gate_hash *h, char hex[GATE_HASH_HEX]);

#endif
