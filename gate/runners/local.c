/*
 * local: a command in the built tree, on this machine.
 *
 * The command is an argument vector, run without a shell, in a process group
 * and an environment of its own that holds no token. It runs with the rights
 * of the user; it is not confined.
 */
#include <stdlib.h>
#include <unistd.h>

#include "gate/runners/console.h"
#include "gate/runners/runner.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/subprocess.h"

enum { OUTPUT_BYTES_MAX = 64 << 20 };

struct gate_prepared {
	const struct gate_job *job;
	char *source;
	char *build;
	long jobs;
};

static int local_probe(const struct gate_job *job,
		       void (*fact)(void *ctx, const char *key,
				    const char *value),
		       void *ctx, struct gate_error *err)
{
	(void)fact;
	(void)ctx;
	/* A command with a slash is part of the tree, which does not exist
	 * yet. */
	if (!job->command || !job->command[0])
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: the local runner needs a "
				      "\"command\"",
				      job->name);
	return GATE_OK;
}

static int local_prepare(const struct gate_job *job,
			 const struct gate_tree *tree, const char *work,
			 struct gate_prepared **ret, struct gate_error *err)
{
	struct gate_prepared *p;

	(void)work;
	if (!gate_fs_is_dir(tree->source))
		return gate_error_set(err, GATE_ERUN, "%s: no such folder",
				      tree->source);
	p = gate_alloc(sizeof *p);
	p->job = job;
	p->source = gate_strdup(tree->source);
	p->build = gate_strdup(tree->build);
	p->jobs = sysconf(_SC_NPROCESSORS_ONLN);
	*ret = p;
	return GATE_OK;
}

/* What went wrong, with the end of what was printed. */
static int failed(const struct gate_prepared *p, const char *log_path,
		  const struct gate_proc_result *res, struct gate_error *err)
{
	char *log = NULL, *last, *command = NULL;
	struct gate_error ignored;
	size_t len = 0;
	int rc;

	if (gate_fs_read_regular(log_path, 2 * (size_t)OUTPUT_BYTES_MAX, &log,
				 &len, &ignored))
		len = 0;
	last = gate_console_last_lines(log ? log : "", len);
	command = gate_proc_quote((const char *const *)p->job->command);
	if (res->timed_out)
		rc = gate_error_set(
			err, GATE_ETIMEOUT,
			"%s took longer than %llu ms; last lines: "
			"%s",
			command, (unsigned long long)p->job->timeout_ms, last);
	else if (res->too_much)
		rc = gate_error_set(err, GATE_ERUN,
				    "%s printed more than %d bytes", command,
				    OUTPUT_BYTES_MAX);
	else
		rc = gate_error_set(err, GATE_ERUN,
				    "%s exited with %d; last lines: %s",
				    command, res->exit_code, last);
	free(command);
	free(last);
	free(log);
	return rc;
}

static int local_measure(const struct gate_prepared *p,
			 const struct gate_round_spec *spec,
			 struct gate_round_facts *facts, struct gate_error *err)
{
	struct gate_proc_result res;
	struct gate_proc proc = {
		.argv = (const char *const *)p->job->command,
		.cwd = p->source,
		.out_path = spec->log_path,
		.timeout_ms = p->job->timeout_ms,
		.output_max = OUTPUT_BYTES_MAX,
	};
	char *extra[5] = {
		gate_asprintf("GATE_SOURCE=%s", p->source),
		gate_asprintf("GATE_BUILD=%s", p->build),
		gate_asprintf("GATE_JOBS=%ld", p->jobs),
		gate_asprintf("GATE_ROUND=%u", spec->round),
	};
	char **env = gate_proc_env((const char *const *)extra);
	size_t i;
	int rc;

	*facts = (struct gate_round_facts){0};
	proc.env = (const char *const *)env;
	/* The runner's output is appended to: begin anew. */
	rc = gate_fs_write(spec->log_path, "", 0, err);
	if (!rc)
		rc = gate_proc_run(&proc, &res, err);
	if (!rc) {
		facts->wall_s = res.wall_s;
		facts->cpu_s = res.cpu_s;
		if (res.timed_out || res.too_much || res.exit_code)
			rc = failed(p, spec->log_path, &res, err);
		gate_str_done(&res.out);
	}
	gate_proc_env_free(env);
	for (i = 0; extra[i]; i++)
		free(extra[i]);
	return rc;
}

static bool local_parallel(const struct gate_job *job)
{
	(void)job;
	return false;
}

static void local_release(struct gate_prepared *p)
{
	if (!p)
		return;
	free(p->source);
	free(p->build);
	free(p);
}

const struct gate_runner gate_runner_local = {
	.name = "local",
	.description = "a command in the built tree, on this machine",
	.probe = local_probe,
	.prepare = local_prepare,
	.measure = local_measure,
	.parallel = local_parallel,
	.release = local_release,
};
