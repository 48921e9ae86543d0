/*
 * replay: rounds that were measured before, read from a folder of logs a side.
 *
 * Round N is the N-th file by name, so names must sort in the order of the
 * rounds (round-01.log). A line of facts that gate wrote before the log is
 * taken off: this run writes its own.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gate/roundlog.h"
#include "gate/runners/runner.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"

enum { LOG_BYTES_MAX = 1 << 30 };

struct gate_prepared {
	char *dir;
	char **names; /* sorted */
	size_t n, cap;
};

static int replay_probe(const struct gate_job *job,
			void (*fact)(void *ctx, const char *key,
				     const char *value),
			void *ctx, struct gate_error *err)
{
	(void)fact;
	(void)ctx;
	if (job->logs[0] && job->logs[1])
		return GATE_OK;
	return gate_error_set(err, GATE_ECONFIG,
			      "job %s: the replay runner needs \"logs\", a "
			      "folder for each side",
			      job->name);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_file(const char *dir, const char *name)
{
	char *path = gate_fs_join(dir, name);
	struct stat st;
	bool yes = stat(path, &st) == 0 && S_ISREG(st.st_mode);

	free(path);
	return yes;
}

static void replay_release(struct gate_prepared *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++)
		free(p->names[i]);
	free(p->names);
	free(p->dir);
	free(p);
}

static int replay_prepare(const struct gate_job *job,
			  const struct gate_tree *tree, const char *work,
			  struct gate_prepared **ret, struct gate_error *err)
{
	struct gate_prepared *p;
	struct dirent *e;
	DIR *d;

	(void)work;
	if (!tree->replay)
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: no folder of logs for this side",
				      job->name);
	d = opendir(tree->replay);
	if (!d)
		return gate_error_sys(err, errno, "%s", tree->replay);
	p = gate_alloc(sizeof *p);
	p->dir = gate_strdup(tree->replay);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && is_file(p->dir, e->d_name))
			GATE_PUSH(p->names, p->n, p->cap,
				  gate_strdup(e->d_name));
	closedir(d);
	if (p->n > 0)
		qsort(p->names, p->n, sizeof *p->names, by_bytes);
	*ret = p;
	return GATE_OK;
}

static int replay_measure(const struct gate_prepared *p,
			  const struct gate_round_spec *spec,
			  struct gate_round_facts *facts,
			  struct gate_error *err)
{
	struct gate_roundlog old = {0};
	size_t len, body = 0;
	char *path, *log;
	int rc;

	*facts = (struct gate_round_facts){0};
	if (spec->round == 0 || spec->round > p->n)
		return gate_error_set(err, GATE_ENODATA,
				      "%s holds %zu rounds, so there is no "
				      "round %u",
				      p->dir, p->n, spec->round);
	path = gate_fs_join(p->dir, p->names[spec->round - 1]);
	rc = gate_fs_read(path, LOG_BYTES_MAX, &log, &len, err);
	free(path);
	if (rc)
		return rc;
	if (gate_roundlog_parse(log, len, &old, &body))
		gate_roundlog_done(&old);
	else
		body = 0;
	rc = gate_fs_write(spec->log_path, log + body, len - body, err);
	free(log);
	return rc;
}

static bool replay_parallel(const struct gate_job *job)
{
	(void)job;
	return true;
}

const struct gate_runner gate_runner_replay = {
	.name = "replay",
	.description = "rounds that were stored before, from a folder of logs",
	.probe = replay_probe,
	.prepare = replay_prepare,
	.measure = replay_measure,
	.parallel = replay_parallel,
	.release = replay_release,
};
