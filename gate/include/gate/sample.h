/*
 * A sample: one value that a benchmark printed, with what it is.
 *
 * This header is installed: parser plug-ins are written against it. It says
 * nothing of commits, rounds or verdicts; a parser does not know them.
 */
#ifndef GATE_SAMPLE_H
#define GATE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Base units; a parser converts once, nothing converts later. */
enum gate_unit {
	GATE_UNIT_NONE = 0,
	GATE_UNIT_OP_PER_S,
	GATE_UNIT_CYCLES_PER_OP,
	GATE_UNIT_NS_PER_OP,
	GATE_UNIT_INSN_PER_OP,
	GATE_UNIT_INSN,
	GATE_UNIT_B_PER_S,
	GATE_UNIT_S,
	GATE_UNIT_B,
	GATE_UNIT_COUNT, /* "count" */
	GATE_UNIT_ONE    /* "1": a ratio */
};

enum gate_better { GATE_HIGHER = 0, GATE_LOWER = 1 };

enum gate_sample_status {
	GATE_SAMPLE_OK = 0,
	GATE_SAMPLE_FAILED,     /* the benchmark said that it failed */
	GATE_SAMPLE_SKIPPED,    /* the benchmark said that it did not run */
	GATE_SAMPLE_INCOMPLETE, /* begun, but its value is cut or missing */
	GATE_SAMPLE_ORPHAN      /* a whole value whose title is lost */
};

struct gate_sample {
	size_t size;        /* sizeof(struct gate_sample) of the writer */
	const char *bench;  /* parser family: "tcrypt", "xor", ... */
	const char *row;    /* DESIGN section 2, without the bench */
	const char *driver; /* NULL when the benchmark names none */
	const char *method; /* how it was measured, when kernels differ; NULL */
	const char *mode;   /* "sync", "async" of a tcrypt title; NULL */
	const char *message; /* why there is no value; NULL when there is */
	enum gate_unit unit;
	enum gate_better better;
	enum gate_sample_status status;
	double value;      /* in `unit`; unused unless OK or ORPHAN */
	double resolution; /* one printed step in `unit`; 0 when unknown */
	uint64_t line;     /* 1-based line of the log that holds the value */
	int32_t iter;      /* iteration inside one run; -1: none */
	bool warmup;
};

#endif
