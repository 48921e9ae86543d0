/*
 * The command line: one table a command, one parser for all.
 *
 * Options may stand anywhere; "--" ends them; "--name=value" and "--name value"
 * are the same. What is mistyped is refused with the nearest real name. It
 * knows nothing of what an option means.
 */
#ifndef GATE_CLI_H
#define GATE_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/util/error.h"

enum gate_cli_kind {
	GATE_CLI_FLAG,  /* no value */
	GATE_CLI_VALUE, /* one value; given again, it is one more */
	GATE_CLI_MANY   /* all words up to the next option */
};

struct gate_cli;

struct gate_cli_option {
	const char *name; /* "--base" */
	enum gate_cli_kind kind;
	const char *value; /* "REV", for the help; NULL for a flag */
	const char *help;
};

struct gate_cli_command {
	const char *name;    /* "run" */
	const char *summary; /* one line */
	const char *usage;   /* what follows "gate run", several lines */
	const struct gate_cli_option *options; /* ends with a NULL name */
	unsigned min_words, max_words;         /* positional */
	/* Returns an exit code of DESIGN section 1, or a negative status with
	 * err filled. */
	int (*run)(const struct gate_cli *cli, struct gate_error *err);
};

enum gate_color { GATE_COLOR_AUTO, GATE_COLOR_ALWAYS, GATE_COLOR_NEVER };

struct gate_cli_given {
	const struct gate_cli_option *option;
	const char *value; /* NULL for a flag */
};

/* A parsed command line. All strings are argv's. */
struct gate_cli {
	const struct gate_cli_command *command;
	bool help, version, quiet, verbose, no_progress;
	enum gate_color color;
	const char **words;
	size_t n_words, cap_words;
	struct gate_cli_given *given;
	size_t n_given, cap_given;
};

/* Ends with NULL. In the order of the help. */
extern const struct gate_cli_command *const gate_commands[];

/*
 * argv[1] chooses the command. GATE_EUSAGE for anything wrong. With
 * cli->help or cli->version set, cli->command may be NULL and nothing else was
 * checked. gate_cli_done() is the caller's either way.
 */
int gate_cli_parse(int argc, char **argv, struct gate_cli *cli,
		   struct gate_error *err);
void gate_cli_done(struct gate_cli *cli);

bool gate_cli_has(const struct gate_cli *cli, const char *option);
/* The last value given, or `otherwise`. */
const char *gate_cli_value(const struct gate_cli *cli, const char *option,
			   const char *otherwise);
/* All values given, in order; the caller frees the array. */
const char **gate_cli_values(const struct gate_cli *cli, const char *option,
			     size_t *n);
/* A whole number within min..max; absent leaves *ret alone. */
int gate_cli_uint(const struct gate_cli *cli, const char *option, unsigned min,
		  unsigned max, unsigned *ret, struct gate_error *err);

/* Prints the help of cli->command, or of gate, to standard output. */
void gate_cli_help(const struct gate_cli *cli);

#endif
