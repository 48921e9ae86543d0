/*
 * JSON documents inside a log, for the tools that write one document a run.
 *
 * A document begins with a line whose first character is '{' and whose first
 * key is the one that the tool always writes first; anything else is let go at
 * once, so that three parsers can look at one log without keeping it. What
 * the document means is left to the tool's parser.
 */
#ifndef GATE_PARSERS_DOCUMENT_H
#define GATE_PARSERS_DOCUMENT_H

#include "gate/include/gate/parser.h"
#include "gate/util/json.h"

enum { GATE_DOCUMENT_MAX = 16 * 1024 * 1024 }; /* bytes */

struct gate_document {
	const char *text;
	size_t len;
	const cJSON *root;
	/* Cursor of gate_document_line_of(). */
	const char *at;
	uint64_t line;
};

/* Emits the samples of a whole document. 0, or negative to stop. */
typedef int gate_document_fn(const struct gate_sink *sink,
			     struct gate_document *d);

/* The three functions of struct gate_parser, over this state. */
void *gate_document_open(const struct gate_sink *sink, const char *first_key,
			 gate_document_fn *fn);
int gate_document_line(void *state, const struct gate_line *line);
int gate_document_finish(void *state);
void gate_document_close(void *state);

/* Line of the next `"key"` behind the one asked for before. */
uint64_t gate_document_line_of(struct gate_document *d, const char *key);

/* Absent or of another type: NULL, false. */
const char *gate_document_text(const cJSON *object, const char *key);
bool gate_document_number(const cJSON *object, const char *key, double *ret);

#endif
