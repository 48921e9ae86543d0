#include "gate/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "reporters/reporter.h"

enum { WIDTH_MAX = 200 };

static bool want_color(const struct gate_cli *cli, const char *path)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (strcmp(path, "-") != 0)
		return false;
	if (cli->color != GATE_COLOR_AUTO)
		return cli->color == GATE_COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) &&
	       !(term && !strcmp(term, "dumb"));
}

static unsigned terminal_width(const char *path)
{
	struct winsize ws;

	if (strcmp(path, "-") != 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) ||
	    ws.ws_col < 40)
		return 0;
	return ws.ws_col < WIDTH_MAX ? ws.ws_col : WIDTH_MAX;
}

/* "markdown=out.md" into its reporter and its path ("-": standard output). */
static const struct gate_reporter *split(const char *spec, const char **path)
{
	const char *equals = strchr(spec, '=');
	const struct gate_reporter *r;
	char *name;

	name = equals ? gate_strndup(spec, (size_t)(equals - spec))
		      : gate_strdup(spec);
	r = gate_reporter_find(name);
	free(name);
	*path = equals ? equals + 1 : "-";
	return r;
}

int gate_output_check(const struct gate_cli *cli, struct gate_error *err)
{
	const char *names[32] = {0}, *path, *near;
	const char **specs;
	size_t n, i, k;
	int rc = GATE_OK;

	for (k = 0; gate_reporters[k] && k < 31; k++)
		names[k] = gate_reporters[k]->name;
	specs = gate_cli_values(cli, "--report", &n);
	for (i = 0; i < n && !rc; i++) {
		if (split(specs[i], &path)) {
			if (!*path)
				rc = gate_error_set(err, GATE_EUSAGE,
						    "--report %s: no file "
						    "after the \"=\"",
						    specs[i]);
			continue;
		}
		near = gate_str_nearest(specs[i], names);
		rc = gate_error_set(err, GATE_EUSAGE,
				    "--report \"%s\": no such format%s%s%s; "
				    "see gate list reporters",
				    specs[i], near ? "; did you mean \"" : "",
				    near ? near : "", near ? "\"?" : "");
	}
	free(specs);
	return rc;
}

static int write_one(const struct gate_cli *cli,
		     const struct gate_reporter *rep, const char *path,
		     const struct gate_result *r, struct gate_error *err)
{
	struct gate_report_opts o = {.color = want_color(cli, path),
				     .width = terminal_width(path),
				     .verbose = cli->verbose};
	struct gate_str s = {0};
	int rc;

	rep->render(r, &o, &s);
	rc = gate_fs_write(path, gate_str_text(&s), s.len, err);
	gate_str_done(&s);
	return rc ? gate_error_prefix(err, "report %s: ", rep->name) : GATE_OK;
}

int gate_output_write(const struct gate_cli *cli, const struct gate_result *r,
		      struct gate_error *err)
{
	struct gate_error one;
	const char *path;
	const char **specs;
	size_t n, i;
	int rc = GATE_OK;

	specs = gate_cli_values(cli, "--report", &n);
	if (!n)
		rc = write_one(cli, gate_reporter_find("text"), "-", r, err);
	for (i = 0; i < n; i++) {
		const struct gate_reporter *rep = split(specs[i], &path);

		if (write_one(cli, rep, path, r, &one) && !rc) {
			*err = one;
			rc = one.status;
		}
	}
	free(specs);
	return rc;
}
