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
#include "gate/plugin.h"
#include "gate/sample_set.h"

/* Built-in parsers, ends with NULL. Order is that of `gate list parsers`. */
extern const struct gate_parser *const gate_parsers[];
const struct gate_parser *gate_parser_find(const char *name);
/* Whether opts.parser may be `name`: GATE_EUSAGE with the nearest real name,
 * or GATE_EPLUGIN when the object that it means does not load. */
int gate_parser_check(const char *name, struct gate_error *err);

/*
 * Ceilings on one log and on the set that it goes to. A larger log is
 * GATE_ESYNTAX with a message that says so: it is a program gone wild, and a
 * part of it must not pass for the whole.
 */
enum {
	GATE_PARSE_SAMPLES_MAX = 2 * 1000 * 1000, /* a log */
	GATE_PARSE_LINES_MAX = 20 * 1000 * 1000,
	GATE_PARSE_LOG_MIB = 2048,
	GATE_PARSE_SET_MIB = 1024 /* samples of all logs of a set */
};

struct gate_parse_opts {
	/* A name, the absolute path of a plug-in, or "auto" or NULL: all that
	 * are built in. In auto a line goes to the first parser, in the order
	 * of the table, that says it understood it. */
	const char *parser;
	/* A program to read the log with, instead; gate_parse_file() only. */
	const struct gate_program *program;
	/* Under the instruction clock "cycles/op" becomes "insn/op". */
	enum gate_clock clock;
	enum gate_side side;
	unsigned round;
	const char *job;
	const char *path; /* for messages */
	/* When given, each sample goes here as soon as it is read, and the set
	 * keeps the last one only: memory for the names, not for the log. */
	void (*each)(void *ctx, const struct gate_measured *m);
	void *each_ctx;
};

struct gate_parse_stats {
	uint64_t lines;
	uint64_t bytes;
	size_t samples;  /* all that were emitted */
	size_t complete; /* OK or ORPHAN */
	size_t unparsed; /* look like results, were not understood */
};

/*
 * Parses a whole log into `set`; remarks go to `diags`. An input that is no
 * text (control bytes in most of its lines) is GATE_ESYNTAX; a log without any
 * sample is no error here: the caller sees stats->samples. A plug-in that
 * breaks its contract is GATE_EPLUGIN, a request to stop GATE_EINTR.
 */
int gate_parse_buffer(const struct gate_parse_opts *opts, const char *data,
		      size_t len, struct gate_sample_set *set,
		      struct gate_diags *diags, struct gate_parse_stats *stats,
		      struct gate_error *err);
/* What `program` wrote as sample lines: whatever else it holds is
 * GATE_EPLUGIN with its name. */
int gate_parse_samples(const struct gate_parse_opts *opts, const char *program,
		       const char *data, size_t len,
		       struct gate_sample_set *set, struct gate_diags *diags,
		       struct gate_parse_stats *stats, struct gate_error *err);
/* The same from a file read in pieces; "-" is standard input. */
int gate_parse_file(const struct gate_parse_opts *opts, const char *path,
		    struct gate_sample_set *set, struct gate_diags *diags,
		    struct gate_parse_stats *stats, struct gate_error *err);

#endif
