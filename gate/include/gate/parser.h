/*
 * A parser turns the lines that a benchmark printed into samples.
 *
 * This header is installed. The host reads the input, takes transport damage
 * off (line ends, printk prefixes, colours) and feeds clean lines, in order;
 * the parser emits samples into the host's sink. No memory crosses: strings
 * handed over are valid during the call only, either way. A parser opens
 * nothing, keeps no global state and never invents a value: what is cut is
 * GATE_SAMPLE_INCOMPLETE, what failed is GATE_SAMPLE_FAILED.
 */
#ifndef GATE_PARSER_H
#define GATE_PARSER_H

#include "sample.h"

enum { GATE_PARSER_ABI = 1 };

/* One clean line. */
struct gate_line {
	size_t size;      /* sizeof(struct gate_line) of the host */
	const char *text; /* the message, without prefix; NUL-terminated, but
			     may hold NUL bytes within len */
	size_t len;
	uint64_t number; /* 1-based, in the input */
	/* The kernel's time stamp in microseconds, or -1 when the line has
	 * none. */
	int64_t time_us;
	bool kernel; /* it carried a kernel or syslog prefix */
	bool cut;    /* the last line, without a line end */
	/* It may continue the line before: of the same printk record, or
	 * without a prefix of its own and right behind it. Whether it does is
	 * for the parser to tell. */
	bool joined;
	/* Depth of mail quoting: a reply and what it quotes are not one log. */
	unsigned quoted;
};

/* Services of the host. `ctx` is the host's own. */
struct gate_sink {
	size_t size;
	void *ctx;
	/* Checks and keeps a sample. 0, or negative: stop, return it. */
	int (*emit)(void *ctx, const struct gate_sample *s);
	/* A remark for the report's diagnostics: `code` like
	 * "parse.incomplete", one line of text. */
	void (*warn)(void *ctx, const char *code, uint64_t line,
		     const char *text);
	/* The instruction clock: time stamps of the kernel and cycles count
	 * instructions. Appended: look at `size` before reading it. */
	bool instructions;
};

struct gate_parser {
	unsigned abi;            /* GATE_PARSER_ABI */
	size_t size;             /* sizeof(struct gate_parser) */
	const char *name;        /* "tcrypt" */
	const char *description; /* one line for `gate list parsers` */
	/* State for one input; `sink` outlives it. NULL: out of memory. */
	void *(*open)(const struct gate_sink *sink);
	/* 1: the line belonged to this parser's benchmark, 0: it did not,
	 * negative: stop. When several parsers read one log, a line that one
	 * claims by 1 without a remark "parse.unparsed" goes to no other. */
	int (*line)(void *state, const struct gate_line *line);
	/* End of input: emit what is still open. 0 or negative. */
	int (*finish)(void *state);
	/* Takes NULL. */
	void (*close)(void *state);
};

/*
 * What a plug-in exports: its parsers, ended with NULL. The host refuses an
 * object whose `abi` is not its own GATE_PARSER_ABI or whose `size` is smaller
 * than its own struct, and names it: abi, size and name keep their places in
 * every ABI. Members are only ever appended within one ABI.
 */
extern const struct gate_parser *const gate_parser_plugin[];

#endif
