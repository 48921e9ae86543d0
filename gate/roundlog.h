/*
 * The first line of a stored round, which says what the log is.
 *
 * `# gate-round side=base round=1 clock=instructions job=aes slot=1 cpu=0.98
 * host.qemu=7.2.15 ...` (one line):
 * blanks and '%' inside values are written as %XX, so that one line stays one
 * line. A log from elsewhere has no such line, and its facts come from
 * options.
 */
#ifndef GATE_ROUNDLOG_H
#define GATE_ROUNDLOG_H

#include <stdbool.h>

#include "gate/result.h"
#include "gate/sample_set.h"
#include "gate/util/str.h"

struct gate_roundlog {
	enum gate_side side;
	enum gate_clock clock;
	unsigned round;
	unsigned slot; /* when it ran, counted over both sides; 0: unknown */
	char *job;     /* owned */
	char *params;  /* what the job was, one line; owned; NULL: unknown */
	/* The share of a processor that the round's child got; 0: unknown. */
	double cpu;
	double cpu_least;       /* what its job wants; 0: nobody looked */
	bool contaminated;      /* it got less; follows from these two */
	struct gate_fact *host; /* what measured; owned */
	size_t n_host, cap_host;
};

void gate_roundlog_line(const struct gate_roundlog *r, struct gate_str *out);
/* True when `data` begins with such a line; *body is where the log proper
 * starts. A malformed line counts as none. gate_roundlog_done() frees. */
bool gate_roundlog_parse(const char *data, size_t len, struct gate_roundlog *r,
			 size_t *body);
void gate_roundlog_done(struct gate_roundlog *r);

/*
 * A value without blanks, and back: what a line of words is made of. _encode
 * appends; the caller frees what _decode returns.
 */
void gate_roundlog_encode(const char *value, struct gate_str *out);
char *gate_roundlog_decode(const char *s, size_t len);

#endif
