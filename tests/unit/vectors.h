/*
 * Reading the reference numbers of fixtures/vectors, for the tests of the
 * statistics and of the verdict.
 */
#ifndef GATE_TEST_VECTORS_H
#define GATE_TEST_VECTORS_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "gate/util/fs.h"

/* The caller's to cJSON_Delete(). */
static inline cJSON *vectors_load(const char *name)
{
	char *path = gate_fs_join(GATE_FIXTURES "/vectors", name);
	struct gate_error err;
	char *text = NULL;
	cJSON *root;

	cr_assert_eq(gate_fs_read(path, 1 << 20, &text, NULL, &err), 0);
	root = cJSON_Parse(text);
	cr_assert(root, "%s is not JSON", path);
	free(text);
	free(path);
	return root;
}

/* A number; non-finite ones are strings. */
static inline double vectors_value(const cJSON *v)
{
	if (cJSON_IsString(v))
		return strtod(v->valuestring, NULL);
	cr_assert(cJSON_IsNumber(v));
	return v->valuedouble;
}

static inline double vectors_number(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);

	cr_assert(v, "no key %s", key);
	return vectors_value(v);
}

static inline const char *vectors_string(const cJSON *object, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);

	cr_assert(cJSON_IsString(v), "no string %s", key);
	return v->valuestring;
}

/* Fills `ret`, which holds `max`; how many there were. */
static inline size_t vectors_array(const cJSON *object, const char *key,
				   double *ret, size_t max)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
	const cJSON *e;
	size_t n = 0;

	cr_assert(cJSON_IsArray(v), "no array %s", key);
	cJSON_ArrayForEach(e, v)
	{
		cr_assert_lt(n, max);
		ret[n++] = vectors_value(e);
	}
	return n;
}

/* Equal to 1e-9 relative or 1e-12 absolute. */
static inline bool vectors_close(double got, double want)
{
	double e = fabs(got - want);

	return got == want || e <= 1e-12 || e <= 1e-9 * fabs(want);
}

#define VECTORS_CLOSE(got, want, where)                                        \
	do {                                                                   \
		double got_ = (got);                                           \
		double want_ = (want);                                         \
		cr_assert(vectors_close(got_, want_),                          \
			  "%s: " #got " is %.17g and not %.17g", where, got_,  \
			  want_);                                              \
	} while (0)

#endif
