/*
 * The host of the parsers: bytes in, samples out.
 *
 * It owns the line layer (line ends, prefixes, colours), runs one parser or
 * all of them (auto), checks every sample in one place, and collects remarks.
 * It leaves to the parsers what a line means, and to its caller which side and
 * round the log is.
 */
#ifndef GATE_PARSE_H
#define GATE_PARSE_H

#include "gate/diag.h"
#include "gate/include/gate/parser.h"
#include "gate/sample_set.h"

/* Built-in parsers, ends with NULL. Order is that of `gate list parsers`. */
extern const struct gate_parser *const gate_parsers[];
const struct gate_parser *gate_parser_find(const char *name);

struct gate_parse_opts {
	const char *parser; /* a name, or "auto" or NULL */
	/* Under the instruction clock "cycles/op" becomes "insn/op". */
	enum gate_clock clock;
	enum gate_side side;
	unsigned round;
	const char *job;
	const char *path; /* for messages */
};

struct gate_parse_stats {
	uint64_t lines;
	uint64_t bytes;
	size_t samples;    /* all that were emitted */
	size_t complete;   /* OK or ORPHAN */
	size_t unparsed;   /* look like results, were not understood */
};

/*
 * Parses a whole log into `set`; remarks go to `diags`. An input that is no
 * text (control bytes in most of its lines) is GATE_ESYNTAX; a log without any
 * sample is no error here: the caller sees stats->samples.
 */
int gate_parse_buffer(const struct gate_parse_opts *opts, const char *data,
		      size_t len, struct gate_sample_set *set,
		      struct gate_diags *diags, struct gate_parse_stats *stats,
		      struct gate_error *err);
/* The same from a file read in pieces; "-" is standard input. */
int gate_parse_file(const struct gate_parse_opts *opts, const char *path,
		    struct gate_sample_set *set, struct gate_diags *diags,
		    struct gate_parse_stats *stats, struct gate_error *err);

#endif
