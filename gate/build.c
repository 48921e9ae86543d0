#include "gate/build.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"
#include "gate/util/text.h"

enum {
	TAIL_BYTES = 64 * 1024, /* of a log, searched for its last lines */
	TAIL_LINES = 5,
	LINE_BYTES = 240,
	ESCAPE = 0x1b
};

/* ---- the last lines of a log ---- */

/* The end of the escape sequence at s: ESC [ ... letter, or ESC and one. */
static const char *skip_escape(const char *s, const char *end)
{
	s++;
	if (s < end && *s == '[')
		for (s++; s < end && (*s < '@' || *s > '~'); s++)
			continue;
	return s < end ? s + 1 : end;
}

/* Without colours and control characters, at most LINE_BYTES; of a line that
 * was drawn over by CR, what was there last. */
static char *clean_line(const char *s, size_t len)
{
	struct gate_str plain = {0}, out = {0};
	const char *end, *cr;

	while (len && s[len - 1] == '\r')
		len--;
	end = s + len;
	cr = memrchr(s, '\r', len);
	if (cr)
		s = cr + 1;
	while (s < end && plain.len < LINE_BYTES) {
		size_t n = gate_text_utf8(s, (size_t)(end - s));

		if (*s == ESCAPE) {
			s = skip_escape(s, end);
			continue;
		}
		if ((unsigned char)*s >= ' ')
			gate_str_add(&plain, s, n ? n : 1);
		else if (*s == '\t')
			gate_str_putc(&plain, ' ');
		s += n ? n : 1;
	}
	while (plain.len && plain.data[plain.len - 1] == ' ')
		plain.data[--plain.len] = '\0';
	gate_text_plain(&out, gate_str_text(&plain), plain.len);
	gate_str_done(&plain);
	return gate_str_steal(&out);
}

/* What stands in the file after `from`, at most TAIL_BYTES of its end. */
static void read_tail(const char *path, off_t from, struct gate_str *ret)
{
	char buf[8192];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size - from > TAIL_BYTES)
		from = st.st_size - TAIL_BYTES;
	while (ret->len < TAIL_BYTES &&
	       (n = pread(fd, buf, sizeof buf, from)) > 0) {
		gate_str_add(ret, buf, (size_t)n);
		from += n;
	}
	close(fd);
}

/* "a | b | c", or "" when there was nothing to read. Caller frees. */
static char *last_lines(const char *path, off_t from)
{
	struct gate_str text = {0}, out = {0};
	char *lines[TAIL_LINES] = {0};
	const char *start, *end;
	int n = 0, i;

	read_tail(path, from, &text);
	start = gate_str_text(&text);
	end = start + text.len;
	while (n < TAIL_LINES && end > start) {
		const char *nl = memrchr(start, '\n', (size_t)(end - start));
		const char *line = nl ? nl + 1 : start;
		char *clean = clean_line(line, (size_t)(end - line));

		if (*clean)
			lines[n++] = clean;
		else
			free(clean);
		end = nl ? nl : start;
	}
	for (i = n; i-- > 0;) {
		gate_str_addf(&out, "%s%s", i == n - 1 ? "" : " | ", lines[i]);
		free(lines[i]);
	}
	gate_str_done(&text);
	return gate_str_steal(&out);
}

/* ---- one command ---- */

/* How many compilers at once: the processors that we may use. */
static int jobs(void)
{
	cpu_set_t set;
	long n;

	if (!sched_getaffinity(0, sizeof set, &set))
		return CPU_COUNT(&set);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (int)n : 1;
}

/*
 * A build must not take its version from a repository that happens to lie
 * above the tree, so git is told not to look there.
 */
static char **build_env(const char *source, const char *build)
{
	const char *slash = strrchr(source, '/');
	int parent = slash ? (int)(slash - source) : 0;
	char *extra[] = {
		gate_asprintf("GATE_SOURCE=%s", source),
		gate_asprintf("GATE_BUILD=%s", build),
		gate_asprintf("GATE_JOBS=%d", jobs()),
		gate_asprintf("GIT_CEILING_DIRECTORIES=%.*s", parent, source),
		NULL};
	char **env = gate_proc_env((const char *const *)extra);
	size_t i;

	for (i = 0; extra[i]; i++)
		free(extra[i]);
	return env;
}

/* Appends "$ COMMAND"; *end is where its output begins. */
static int note_command(const char *log_path, const char *command, off_t *end,
			struct gate_error *err)
{
	int fd =
		open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct stat st;
	int rc = GATE_OK;

	if (fd < 0)
		return gate_error_sys(err, errno, "%s", log_path);
	if (dprintf(fd, "$ %s\n", command) < 0 || fstat(fd, &st))
		rc = gate_error_sys(err, errno, "%s", log_path);
	else
		*end = st.st_size;
	close(fd);
	return rc;
}

/* A program named with a slash is one of the tree. */
static int find_program(const char *source, const char *name, char **ret,
			struct gate_error *err)
{
	char *path;

	if (!strchr(name, '/')) {
		if (!gate_proc_in_path(name))
			return gate_error_set(err, GATE_EBUILD,
					      "build program '%s' is not in "
					      "PATH",
					      name);
		*ret = gate_strdup(name);
		return GATE_OK;
	}
	path = gate_fs_join(source, name);
	if (access(path, X_OK)) {
		gate_error_set(err, GATE_EBUILD, "build program '%s': %s", name,
			       strerror(errno));
		free(path);
		return GATE_EBUILD;
	}
	*ret = path;
	return GATE_OK;
}

static int failure(const struct gate_build *b, const char *command,
		   const struct gate_proc_result *res, const char *log_path,
		   off_t from, struct gate_error *err)
{
	char *lines = last_lines(log_path, from);
	char limit[GATE_NUM_MAX], *how;
	int rc;

	if (res->timed_out)
		how = gate_asprintf(
			"did not end within %s s",
			gate_num_print((double)b->timeout_ms / 1e3, limit));
	else if (res->too_much)
		how = gate_strdup("printed too much");
	else if (res->exit_code > 128)
		how = gate_asprintf("was ended by signal %d (%s)",
				    res->exit_code - 128,
				    strsignal(res->exit_code - 128));
	else
		how = gate_asprintf("exited %d", res->exit_code);
	rc = gate_error_set(
		err, GATE_EBUILD, "build command '%.300s' %s; %s%s (log: %s)",
		command, how, *lines ? "last lines: " : "it printed nothing",
		lines, log_path);
	free(how);
	free(lines);
	return rc;
}

static int run_command(const struct gate_build *b, gate_argv args,
		       const char *source, char **env, const char *log_path,
		       struct gate_error *err)
{
	const char **argv = NULL;
	size_t n = 0, cap = 0, i;
	struct gate_proc p = {.cwd = source,
			      .env = (const char *const *)env,
			      .out_path = log_path,
			      .timeout_ms = b->timeout_ms};
	struct gate_proc_result res;
	char *command = gate_proc_quote((const char *const *)args);
	char *program = NULL;
	off_t from = 0;
	int rc = note_command(log_path, command, &from, err);

	if (!rc)
		rc = find_program(source, args[0], &program, err);
	if (rc)
		goto out;
	GATE_PUSH(argv, n, cap, program);
	for (i = 1; args[i]; i++)
		GATE_PUSH(argv, n, cap, args[i]);
	GATE_PUSH(argv, n, cap, NULL);
	p.argv = argv;
	rc = gate_proc_run(&p, &res, err);
	if (rc)
		gate_error_prefix(err, "build command '%.300s': ", command);
	else if (res.exit_code || res.timed_out || res.too_much)
		rc = failure(b, command, &res, log_path, from, err);
	if (rc == GATE_ESYS)
		err->status = rc = GATE_EBUILD;
out:
	free(argv);
	free(program);
	free(command);
	return rc;
}

int gate_build_run(const struct gate_build *b, const char *source,
		   const char *build, const char *log_path,
		   struct gate_error *err)
{
	char **env;
	size_t i;
	int rc;

	if (!b || !b->n_commands)
		return GATE_OK;
	rc = gate_fs_mkdirs(build, err);
	if (rc)
		return rc;
	env = build_env(source, build);
	for (i = 0; !rc && i < b->n_commands; i++)
		rc = run_command(b, b->commands[i], source, env, log_path, err);
	gate_proc_env_free(env);
	return rc;
}
