/*
 * Reporters render a result into bytes; they open nothing and compute nothing
 * that another report would have to compute again.
 */
#ifndef GATE_REPORTER_H
#define GATE_REPORTER_H

#include <stdbool.h>

#include "gate/result.h"
#include "gate/util/str.h"

struct gate_report_opts {
	bool color;     /* text only: ANSI colours */
	unsigned width; /* text only: columns; 0: 80 */
	bool verbose;   /* every row, not only what needs attention */
};

struct gate_reporter {
	const char *name; /* "markdown" */
	const char *description;
	/* Appends the whole report to *out. Cannot fail on any result. */
	void (*render)(const struct gate_result *r,
		       const struct gate_report_opts *opts,
		       struct gate_str *out);
};

extern const struct gate_reporter gate_reporter_text;
extern const struct gate_reporter gate_reporter_markdown;
extern const struct gate_reporter gate_reporter_junit;
extern const struct gate_reporter gate_reporter_json;

/* All of them; ends with NULL. */
extern const struct gate_reporter *const gate_reporters[];
const struct gate_reporter *gate_reporter_find(const char *name);

#endif
