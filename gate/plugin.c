#include "gate/plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/subprocess.h"
#include "gate/util/text.h"

enum {
	PARSERS_MAX = 32,
	NAME_MAX_BYTES = 64,
	TIMEOUT_MS = 60 * 1000,
	OUTPUT_MAX = 64 << 20,
	SAID_MAX = 400 /* of standard error, in a message */
};

/* Address space, so that also what it only reserves counts. */
static const uint64_t memory_max = UINT64_C(2) << 30;

/* --- shared objects ------------------------------------------------------- */

struct gate_plugin {
	void *handle;
	const struct gate_parser *const *parsers;
};

bool gate_plugin_is_path(const char *name)
{
	return strchr(name, '/') != NULL;
}

static bool good_name(const char *s)
{
	size_t n;

	if (!s)
		return false;
	n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-");
	return n && n <= NAME_MAX_BYTES && !s[n];
}

static int check_parser(const char *path, const struct gate_parser *p,
			struct gate_error *err)
{
	/* abi, size and name stand where they stand in every ABI. */
	const char *name = good_name(p->name) ? p->name : "(no name)";

	if (p->abi != GATE_PARSER_ABI)
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: parser %s is built for plug-in ABI "
				      "%u, but this gate has ABI %d; compile "
				      "it against the headers of this gate",
				      path, name, p->abi, GATE_PARSER_ABI);
	if (p->size < sizeof *p)
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: parser %s says that its table has "
				      "%zu bytes, but ABI %d has %zu; set "
				      ".size to sizeof(struct gate_parser)",
				      path, name, p->size, GATE_PARSER_ABI,
				      sizeof *p);
	if (!good_name(p->name))
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: a parser's name must be of a-z, "
				      "0-9, _ and -, at most %d of them",
				      path, NAME_MAX_BYTES);
	if (!p->description || !p->open || !p->line || !p->finish || !p->close)
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: parser %s leaves a slot of its "
				      "table empty; description, open, line, "
				      "finish and close are needed",
				      path, name);
	return GATE_OK;
}

static int check_parsers(const char *path,
			 const struct gate_parser *const *parsers,
			 struct gate_error *err)
{
	size_t n;
	int rc;

	for (n = 0; parsers[n]; n++) {
		if (n == PARSERS_MAX)
			return gate_error_set(err, GATE_EPLUGIN,
					      "%s: more than %d parsers; the "
					      "list must end with NULL",
					      path, PARSERS_MAX);
		rc = check_parser(path, parsers[n], err);
		if (rc)
			return rc;
	}
	if (!n)
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: its list of parsers is empty", path);
	return GATE_OK;
}

int gate_plugin_open(const char *path, struct gate_plugin **ret,
		     struct gate_error *err)
{
	struct gate_plugin p = {0};
	int rc;

	/* Anything else would be searched for in places that others name. */
	if (path[0] != '/')
		return gate_error_set(err, GATE_EPLUGIN,
				      "%s: a parser plug-in is named by its "
				      "absolute path",
				      path);
	p.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!p.handle)
		return gate_error_set(err, GATE_EPLUGIN,
				      "cannot load the parser plug-in: %s",
				      dlerror());
	p.parsers = dlsym(p.handle, "gate_parser_plugin");
	if (p.parsers)
		rc = check_parsers(path, p.parsers, err);
	else
		rc = gate_error_set(err, GATE_EPLUGIN,
				    "%s: no parser plug-in: it does not export "
				    "gate_parser_plugin",
				    path);
	if (rc) {
		dlclose(p.handle);
		return rc;
	}
	*ret = gate_alloc(sizeof p);
	**ret = p;
	return GATE_OK;
}

void gate_plugin_close(struct gate_plugin *p)
{
	if (!p)
		return;
	dlclose(p->handle);
	free(p);
}

const struct gate_parser *const *
gate_plugin_parsers(const struct gate_plugin *p)
{
	return p->parsers;
}

/* --- programs ------------------------------------------------------------- */

/* The last line that it wrote on standard error, as ": text". */
static char *last_words(const struct gate_str *said)
{
	const char *s = gate_str_text(said), *start;
	struct gate_str out = {0};
	size_t n = said->len;

	while (n && (unsigned char)s[n - 1] <= ' ')
		n--;
	start = n ? memrchr(s, '\n', n) : NULL;
	start = start ? start + 1 : s;
	n -= (size_t)(start - s);
	if (n) {
		gate_str_puts(&out, ": ");
		gate_text_plain(&out, start, n < SAID_MAX ? n : SAID_MAX);
	}
	return gate_str_steal(&out);
}

static int outcome(const struct gate_program *p,
		   const struct gate_proc_result *res, uint64_t timeout_ms,
		   struct gate_error *err)
{
	char seconds[GATE_NUM_MAX];
	char *said;
	int rc;

	if (res->timed_out)
		return gate_error_set(
			err, GATE_EPLUGIN, "parser %s did not end within %s s",
			p->argv[0],
			gate_num_print((double)timeout_ms / 1e3, seconds));
	if (res->too_much)
		return gate_error_set(err, GATE_EPLUGIN,
				      "parser %s wrote more than %d MiB",
				      p->argv[0], OUTPUT_MAX >> 20);
	if (!res->exit_code)
		return GATE_OK;
	said = last_words(&res->err);
	if (res->exit_code > 128)
		rc = gate_error_set(err, GATE_EPLUGIN,
				    "parser %s was ended by signal %d%s",
				    p->argv[0], res->exit_code - 128, said);
	else
		rc = gate_error_set(err, GATE_EPLUGIN,
				    "parser %s exited with code %d%s",
				    p->argv[0], res->exit_code, said);
	free(said);
	return rc;
}

static size_t argv_length(const char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return n;
}

int gate_program_run(const struct gate_program *p, const char *log,
		     struct gate_str *out, struct gate_error *err)
{
	size_t n = argv_length(p->argv);
	const char **argv = gate_calloc(n + 1, sizeof *argv);
	char *cwd = p->cwd ? realpath(p->cwd, NULL) : NULL;
	char *program = NULL;
	struct gate_proc proc = {
		.argv = argv,
		.cwd = cwd,
		.in_path = strcmp(log, "-") != 0 ? log : "/dev/stdin",
		.keep_stderr = true,
		.timeout_ms = p->timeout_ms ? p->timeout_ms : TIMEOUT_MS,
		.capture_max = OUTPUT_MAX,
		.output_max = OUTPUT_MAX,
		.memory_max = memory_max,
	};
	struct gate_proc_result res = {0};
	int rc;

	memcpy(argv, p->argv, n * sizeof *argv);
	if (cwd && strchr(argv[0], '/'))
		argv[0] = program = gate_fs_join(cwd, argv[0]);
	rc = gate_proc_run(&proc, &res, err);
	if (rc == GATE_ESYS) {
		err->status = rc = GATE_EPLUGIN;
		gate_error_prefix(err, "parser %s: ", p->argv[0]);
	}
	if (!rc)
		rc = outcome(p, &res, proc.timeout_ms, err);
	if (!rc)
		gate_str_add(out, gate_str_text(&res.out), res.out.len);
	gate_str_done(&res.out);
	gate_str_done(&res.err);
	free(program);
	free(cwd);
	free(argv);
	return rc;
}
