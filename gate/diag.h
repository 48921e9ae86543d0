/*
 * Diagnostics: remarks that travel with the result to every report.
 *
 * A diagnostic never decides anything; what decides is a verdict.
 */
#ifndef GATE_DIAG_H
#define GATE_DIAG_H

#include <stddef.h>

enum gate_diag_level { GATE_DIAG_NOTE, GATE_DIAG_WARNING, GATE_DIAG_ERROR };

struct gate_diag {
	enum gate_diag_level level;
	char *code;    /* "parse.incomplete" */
	char *message; /* one line */
};

struct gate_diags {
	struct gate_diag *items;
	size_t n;
	size_t cap;
};

const char *gate_diag_level_name(enum gate_diag_level level);
/* An exact repeat of an earlier remark is not added again. */
void gate_diags_add(struct gate_diags *d, enum gate_diag_level level,
		    const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Forgets the remarks whose code begins with `prefix`. */
void gate_diags_drop(struct gate_diags *d, const char *prefix);
void gate_diags_done(struct gate_diags *d);

#endif
