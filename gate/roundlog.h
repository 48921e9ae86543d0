/*
 * The first line of a stored round, which says what the log is.
 *
 * `# gate-round side=base round=1 clock=instructions job=aes slot=1 ...`:
 * blanks and '%' inside values are written as %XX, so that one line stays one
 * line. A log from elsewhere has no such line, and its facts come from
 * options.
 */
#ifndef GATE_ROUNDLOG_H
#define GATE_ROUNDLOG_H

#include <stdbool.h>

#include "gate/sample_set.h"
#include "gate/util/str.h"

struct gate_roundlog {
	enum gate_side side;
	enum gate_clock clock;
	unsigned round;
	unsigned slot; /* when it ran, counted over both sides; 0: unknown */
	char *job;     /* owned */
	char *params;  /* what the job was, one line; owned; NULL: unknown */
};

void gate_roundlog_line(const struct gate_roundlog *r, struct gate_str *out);
/* True when `data` begins with such a line; *body is where the log proper
 * starts. A malformed line counts as none. gate_roundlog_done() frees. */
bool gate_roundlog_parse(const char *data, size_t len, struct gate_roundlog *r,
			 size_t *body);
void gate_roundlog_done(struct gate_roundlog *r);

#endif
