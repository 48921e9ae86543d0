/*
 * Samples at rest: names of units and states, and the set that a run collects.
 *
 * A set owns copies of everything added to it and keeps the order of adding.
 * It knows which side, round, job and clock a sample came from; it computes
 * nothing.
 */
#ifndef GATE_SAMPLE_SET_H
#define GATE_SAMPLE_SET_H

#include <stddef.h>

#include "gate/include/gate/sample.h"
#include "gate/util/error.h"
#include "gate/util/str.h"

enum gate_side { GATE_BASE = 0, GATE_CANDIDATE = 1 };
enum gate_clock { GATE_CLOCK_WALL = 0, GATE_CLOCK_INSTRUCTIONS = 1 };

const char *gate_unit_name(enum gate_unit u);        /* "op/s" ... */
enum gate_unit gate_unit_parse(const char *s);       /* NONE: unknown */
enum gate_better gate_unit_better(enum gate_unit u); /* its usual direction */
const char *gate_better_name(enum gate_better b);    /* "higher" */
const char *gate_sample_status_name(enum gate_sample_status s); /* "ok" ... */
bool gate_sample_status_parse(const char *s, enum gate_sample_status *ret);
const char *gate_side_name(enum gate_side s);   /* "base" */
const char *gate_clock_name(enum gate_clock c); /* "wall" */
bool gate_clock_parse(const char *s, enum gate_clock *ret);

/* A sample and where it came from. */
struct gate_measured {
	struct gate_sample s;
	enum gate_side side;
	enum gate_clock clock;
	unsigned round;  /* 1-based */
	const char *job; /* never NULL */
};

struct gate_sample_set {
	struct gate_measured *items;
	size_t n;
	/* private */
	size_t cap;
	struct gate_pool *pool;
};

struct gate_sample_set *gate_sample_set_new(void);
void gate_sample_set_free(struct gate_sample_set *set); /* NULL is fine */
/* Copies the strings of *m. */
void gate_sample_set_add(struct gate_sample_set *set,
			 const struct gate_measured *m);
/* Gives one sample other names; they are copied. */
void gate_sample_set_rename(struct gate_sample_set *set, size_t index,
			    const char *bench, const char *row,
			    const char *driver);
/* Drops all samples but the last one; the strings stay. */
void gate_sample_set_keep_last(struct gate_sample_set *set);
/* What the samples and their strings take, for those who set limits. */
size_t gate_sample_set_bytes(const struct gate_sample_set *set);

/*
 * One line of JSON without newline, keys as DESIGN section 2 has them. With
 * `placed`, side, round, job and clock come first (RUN/samples.jsonl).
 */
void gate_sample_json(const struct gate_measured *m, bool placed,
		      struct gate_str *out);

#endif
