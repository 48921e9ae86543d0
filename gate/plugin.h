/*
 * Parsers from outside: shared objects and programs.
 *
 * A shared object exports `gate_parser_plugin` (include/gate/parser.h) and is
 * loaded by absolute path into this process: fast, and trusted as much as gate
 * itself. A program reads the raw log on its standard input and writes sample
 * lines (parsers/jsonl.c) on its standard output; it runs without a shell and
 * with limits, so that its worst is a message. Which of them is used comes
 * from the command line or from trusted configuration: see config.h.
 *
 * What they emit goes through the checks of parse.c like everything else.
 */
#ifndef GATE_PLUGIN_H
#define GATE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "gate/include/gate/parser.h"
#include "gate/util/error.h"
#include "gate/util/str.h"

struct gate_plugin;

/* True when a parser's name means a shared object. */
bool gate_plugin_is_path(const char *name);
/*
 * Loads the object and checks its parsers; GATE_EPLUGIN with path and name
 * when it is none, was built for another ABI or breaks a rule.
 * gate_plugin_close() unloads it, when no parser of it is in use any more.
 */
int gate_plugin_open(const char *path, struct gate_plugin **ret,
		     struct gate_error *err);
void gate_plugin_close(struct gate_plugin *p); /* NULL is fine */
/* Its parsers, ends with NULL. */
const struct gate_parser *const *
gate_plugin_parsers(const struct gate_plugin *p);

struct gate_program {
	const char *const *argv; /* ends with NULL; argv[0] with a slash is
				    below cwd, without one in PATH */
	const char *cwd;         /* NULL: as it is */
	uint64_t timeout_ms;     /* 0: one minute */
};

/*
 * Runs the program on a raw log ("-" is standard input) and appends what it
 * wrote to *out. A program that does not start, fails, takes too long or
 * writes more than 64 MiB is GATE_EPLUGIN with its name and the last that it
 * said on standard error.
 */
int gate_program_run(const struct gate_program *p, const char *log,
		     struct gate_str *out, struct gate_error *err);

#endif
