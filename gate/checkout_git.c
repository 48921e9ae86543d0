#include "gate/checkout_git.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"

extern char **environ;

enum {
	ARGS_MAX = 32,
	/* A cold tree of a kernel on a busy machine takes minutes. */
	TIMEOUT_MS = 60 * 60 * 1000
};

/* What `git rev-parse --local-env-vars` lists, without the two that carry
 * configuration: in containers safe.directory comes through them. */
static const char *const local_names[] = {
	"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_COMMON_DIR=", "GIT_CONFIG=",
	"GIT_DIR=", "GIT_GRAFT_FILE=", "GIT_IMPLICIT_WORK_TREE=",
	"GIT_INDEX_FILE=", "GIT_INTERNAL_", "GIT_NAMESPACE=",
	"GIT_NO_REPLACE_OBJECTS=", "GIT_OBJECT_DIRECTORY=", "GIT_PREFIX=",
	"GIT_REPLACE_REF_BASE=", "GIT_SHALLOW_FILE=", "GIT_WORK_TREE=",
	/* These would add lines to what we read. */
	"GIT_TRACE", "GIT_CURL_VERBOSE=",
	/* Set below. */
	"GIT_LITERAL_PATHSPECS=", "GIT_GLOB_PATHSPECS=",
	"GIT_NOGLOB_PATHSPECS=", "GIT_ICASE_PATHSPECS=", "GIT_OPTIONAL_LOCKS=",
	"GIT_TERMINAL_PROMPT=", "LC_ALL=", "LANGUAGE="};

static const char *const fixed_env[] = {"GIT_LITERAL_PATHSPECS=1",
					"GIT_NO_REPLACE_OBJECTS=1",
					"GIT_OPTIONAL_LOCKS=0",
					"GIT_TERMINAL_PROMPT=0",
					"LC_ALL=C",
					NULL};

static bool is_local(const char *entry)
{
	size_t i;

	for (i = 0; i < sizeof local_names / sizeof local_names[0]; i++)
		if (gate_str_starts(entry, local_names[i]))
			return true;
	return false;
}

char **gate_git_env_user(void)
{
	char **env = NULL;
	size_t n = 0, cap = 0, i;

	for (i = 0; environ[i]; i++)
		if (!is_local(environ[i]))
			GATE_PUSH(env, n, cap, gate_strdup(environ[i]));
	for (i = 0; fixed_env[i]; i++)
		GATE_PUSH(env, n, cap, gate_strdup(fixed_env[i]));
	GATE_PUSH(env, n, cap, NULL);
	return env;
}

char **gate_git_env_private(const char *index)
{
	char *file = gate_asprintf("GIT_INDEX_FILE=%s", index);
	const char *extra[] = {
		file, fixed_env[0], fixed_env[1], fixed_env[2], fixed_env[3],
		fixed_env[4], "GIT_ATTR_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		/* For git before 2.32, which does not know
		 * GIT_CONFIG_GLOBAL. */
		"HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", NULL};
	char **env = gate_proc_env(extra);

	free(file);
	return env;
}

struct gate_git gate_repo_git(const struct gate_repo *repo)
{
	return (struct gate_git){
		.cwd = repo->path,
		.git_dir = repo->git_dir,
		.work_tree = repo->has_work_tree ? repo->path : NULL,
		.env = repo->env,
	};
}

int gate_git_run(const struct gate_git *g, const char *const *args, bool errors,
		 size_t max, struct gate_proc_result *res,
		 struct gate_error *err)
{
	static const char *const common[] = {"git", "--no-pager",
					     "-c",  "core.hooksPath=/dev/null",
					     "-c",  "core.fsmonitor=false",
					     "-c",  "gc.auto=0",
					     "-c",  "maintenance.auto=false"};
	const char *argv[ARGS_MAX] = {0};
	char *git_dir = NULL, *work_tree = NULL;
	struct gate_proc p = {.argv = argv,
			      .cwd = g->cwd,
			      .drop_stderr = !errors,
			      .timeout_ms = TIMEOUT_MS,
			      .capture_max = max};
	const char *const **env = &p.env;
	size_t n, i;
	int rc;

	for (n = 0; n < sizeof common / sizeof common[0]; n++)
		argv[n] = common[n];
	if (g->trust) {
		argv[n++] = "-c";
		argv[n++] = "safe.directory=*";
	}
	if (g->git_dir)
		argv[n++] = git_dir = gate_asprintf("--git-dir=%s", g->git_dir);
	if (g->work_tree)
		argv[n++] = work_tree =
			gate_asprintf("--work-tree=%s", g->work_tree);
	for (i = 0; args[i] && n < ARGS_MAX - 1; i++)
		argv[n++] = args[i];
	*env = (const char *const *)g->env;
	rc = gate_proc_run(&p, res, err);
	free(git_dir);
	free(work_tree);
	if (!rc && res->timed_out) {
		gate_str_done(&res->out);
		rc = gate_error_set(err, GATE_EREPO,
				    "git %s did not end within an hour",
				    args[0]);
	}
	return rc;
}

int gate_git_text(const struct gate_git *g, const char *const *args, char **ret,
		  struct gate_error *err)
{
	struct gate_proc_result res;
	int rc = gate_git_run(g, args, false, 0, &res, err);

	if (rc)
		return rc;
	if (res.exit_code) {
		gate_str_done(&res.out);
		*ret = NULL;
		return GATE_OK;
	}
	if (res.out.len && res.out.data[res.out.len - 1] == '\n')
		res.out.data[--res.out.len] = '\0';
	*ret = gate_str_steal(&res.out);
	return GATE_OK;
}

int gate_git_do(const struct gate_git *g, const char *const *args,
		struct gate_error *err)
{
	struct gate_proc_result res;
	char *text;
	int rc = gate_git_run(g, args, true, 0, &res, err);

	if (rc)
		return rc;
	if (res.exit_code) {
		text = gate_git_complaint(gate_str_text(&res.out));
		rc = gate_error_set(err, GATE_EREPO, "git %s: %s", args[0],
				    text);
		free(text);
	}
	gate_str_done(&res.out);
	return rc;
}

char *gate_git_complaint(const char *out)
{
	static const char *const marks[] = {"fatal: ", "error: "};
	const char *line, *end;
	size_t i;

	for (i = 0; i < sizeof marks / sizeof marks[0]; i++)
		for (line = out; *line; line = *end ? end + 1 : end) {
			end = strchrnul(line, '\n');
			if (!gate_str_starts(line, marks[i]))
				continue;
			line += strlen(marks[i]);
			return gate_strndup(line, (size_t)(end - line));
		}
	end = strchrnul(out, '\n');
	return end == out ? gate_strdup("it failed without a word")
			  : gate_strndup(out, (size_t)(end - out));
}

bool gate_git_is_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");

	return s[n] == '\0' && (n == 40 || n == 64);
}
