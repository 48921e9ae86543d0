/*
 * Lines: from bytes as people have them to what the kernel said.
 *
 * Kernel output reaches us through serial consoles, dmesg in all its styles,
 * journald, CI systems and mails. This layer takes that transport off (line
 * ends, printk and syslog prefixes, colours, quoting, quoted-printable, diff
 * marks) and hands on one message at a time, in order and with its line
 * number. It streams in bounded memory, and leaves to the parsers what a
 * message means and whether two messages belong together (line->joined only
 * says that they may).
 *
 * A line that starts with '{' is data, not console text, and passes untouched,
 * unless it is a kernel message in JSON (jsonlog.h).
 */
#ifndef GATE_PARSERS_LINES_H
#define GATE_PARSERS_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "gate/include/gate/parser.h"

enum { GATE_LINE_MAX = 64 * 1024 }; /* bytes; the rest of a line is dropped */

struct gate_lines_stats {
	uint64_t lines; /* as an editor counts them */
	uint64_t bytes;
	uint64_t binary;  /* lines with bytes that no text has */
	uint64_t dropped; /* lines that were cut at GATE_LINE_MAX */
};

struct gate_lines;

/* Takes one message. 0, or negative to stop. */
typedef int gate_lines_fn(void *ctx, const struct gate_line *line);

struct gate_lines *gate_lines_new(gate_lines_fn *fn, void *ctx);
void gate_lines_free(struct gate_lines *l); /* NULL is fine */
/* Any pieces of the input, in order. Returns what `fn` returned when it
 * stopped; nothing may be fed after that. */
int gate_lines_feed(struct gate_lines *l, const char *data, size_t len);
/* Hands on a last line that has no line end. */
int gate_lines_end(struct gate_lines *l);
const struct gate_lines_stats *gate_lines_stats(const struct gate_lines *l);

#endif
