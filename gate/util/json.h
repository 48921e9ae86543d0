/*
 * JSON by cJSON, with what cJSON leaves out: comments that keep positions,
 * line and column of an error or a value, and strict getters whose messages
 * name the file, the place, the key and the nearest real key.
 *
 * cJSON's types do not leave the program: only .c files of gate see them.
 */
#ifndef GATE_UTIL_JSON_H
#define GATE_UTIL_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "gate/util/error.h"
#include "gate/util/str.h"

struct gate_json {
	cJSON *root;
	char *path; /* for messages */
	char *text; /* comments blanked, positions as in the file */
};

/* Parses `len` bytes of `text`; // and block comments are allowed. Nested
 * deeper than 64, trailing bytes and duplicate keys are errors.
 * `status` is what a fault returns (GATE_ECONFIG or GATE_ESYNTAX).
 * gate_json_done() is the caller's on success. */
int gate_json_parse(const char *path, const char *text, size_t len,
		    enum gate_status status, struct gate_json *ret,
		    struct gate_error *err);
void gate_json_done(struct gate_json *j);

/* "path:line:column: " + message about `node`. Returns `status`. */
int gate_json_error(const struct gate_json *j, const cJSON *node,
		    enum gate_status status, struct gate_error *err,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * Refuses every key of `object` that is not in `keys` (ends with NULL), naming
 * the nearest; and refuses an `object` that is none.
 */
int gate_json_keys(const struct gate_json *j, const cJSON *object,
		   const char *const *keys, struct gate_error *err);

/* Getters: absent leaves *ret alone and returns 0; a wrong type is
 * GATE_ECONFIG. Strings are borrowed from the tree. */
int gate_json_string(const struct gate_json *j, const cJSON *object,
		     const char *key, const char **ret, struct gate_error *err);
int gate_json_bool(const struct gate_json *j, const cJSON *object,
		   const char *key, bool *ret, struct gate_error *err);
int gate_json_number(const struct gate_json *j, const cJSON *object,
		     const char *key, double min, double max, double *ret,
		     struct gate_error *err);
/* A whole number within min..max. */
int gate_json_uint(const struct gate_json *j, const cJSON *object,
		   const char *key, unsigned min, unsigned max, unsigned *ret,
		   struct gate_error *err);

/*
 * Printing: numbers by gate_num_print(), keys in the order they were added, two
 * blanks of indent, arrays of plain numbers on one line, control characters
 * and bytes that are no UTF-8 escaped (U+FFFD). Ends with a newline when
 * `pretty`. Caller frees.
 */
char *gate_json_print(const cJSON *root, bool pretty);
/*
 * Writes `text` as a JSON string, escaped as gate_json_print() does, without a
 * NUL; returns where it ends. Needs room for GATE_JSON_GROWTH times its length
 * and two quotes.
 */
enum { GATE_JSON_GROWTH = 6 };
char *gate_json_quote_at(char *p, const char *text);
/* Adds a number that gate_json_print() prints by gate_num_print(); a
 * non-finite one is null. */
void gate_json_add_number(cJSON *object, const char *key, double v);
/* NULL becomes null. */
void gate_json_add_string(cJSON *object, const char *key, const char *s);

#endif
