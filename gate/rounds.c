#include "gate/rounds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gate/roundlog.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/now.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"

/* A raw log that is larger was a guest gone wild; gate_proc ended it. */
enum { RAW_LOG_MAX = 1 << 30 };

struct ready {
	const struct gate_job *job;
	const struct gate_runner *runner; /* NULL: not wanted */
	struct gate_prepared *side[2];
	const char *accel[2]; /* what the guests ran with; NULL: no guest yet */
	char *params;
};

struct gate_session {
	struct gate_rounds_opts opts;
	struct gate_result *result; /* facts that only a round can tell */
	struct ready *jobs;         /* as many as config->n_jobs */
	char *work;
	unsigned slot; /* rounds run one after the other so far */
	/* The host as it was before the first round: what each log says. */
	struct gate_fact *host;
	size_t n_host;
};

char *gate_round_path(const char *run_dir, enum gate_side side, const char *job,
		      unsigned round)
{
	return gate_asprintf("%s/%s/%s/round-%03u.log", run_dir,
			     gate_side_name(side), job, round);
}

static void add_words(struct gate_str *s, const char *key, gate_argv words)
{
	char *text;

	if (!words)
		return;
	text = gate_proc_quote((const char *const *)words);
	gate_str_addf(s, " %s=[%s]", key, text);
	free(text);
}

char *gate_job_params(const struct gate_job *job)
{
	struct gate_str s = {0};
	size_t i;

	gate_str_addf(&s, "runner=%s", job->runner);
	if (job->bench)
		gate_str_addf(&s, " bench=%s", job->bench);
	for (i = 0; i < job->n_modes; i++)
		gate_str_addf(&s, "%s%u", i ? "," : " modes=", job->modes[i]);
	if (job->bench && !strcmp(job->bench, "tcrypt"))
		gate_str_addf(&s, " sec=%u", job->sec);
	if (job->num_mb)
		gate_str_addf(&s, " num_mb=%u", job->num_mb);
	if (job->klen)
		gate_str_addf(&s, " klen=%u", job->klen);
	if (job->alg)
		gate_str_addf(&s, " alg=%s", job->alg);
	if (job->type >= 0)
		gate_str_addf(&s, " type=%ld", job->type);
	if (job->mask >= 0)
		gate_str_addf(&s, " mask=%ld", job->mask);
	if (!strcmp(job->runner, "qemu"))
		gate_str_addf(&s, " cpu=%s memory=%u", job->cpu,
			      job->memory_mb);
	add_words(&s, "load", job->load);
	add_words(&s, "append", job->append);
	add_words(&s, "command", job->command);
	return gate_str_steal(&s);
}

static size_t online_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (size_t)n : 1;
}

/* The machine itself, where its clock is what counts. */
static void add_machine(struct gate_result *r)
{
	static const char model[] = "model name";
	char *text, *line, *value, cpus[32];
	struct gate_error ignored;
	struct utsname u;
	size_t len;

	if (!uname(&u)) {
		gate_result_add_host(r, "machine", u.machine);
		gate_result_add_host(r, "kernel", u.release);
	}
	snprintf(cpus, sizeof cpus, "%zu", online_cpus());
	gate_result_add_host(r, "processors", cpus);
	if (gate_fs_read_head("/proc/cpuinfo", 4096, &text, &len, &ignored))
		return;
	line = strstr(text, model);
	value = line ? strstr(line, ": ") : NULL;
	if (value) {
		value[strcspn(value, "\n")] = '\0';
		gate_result_add_host(r, "processor", value + 2);
	}
	free(text);
}

/* Folders of equal length that do not say which side they serve. */
static int prepare_side(struct gate_session *s, struct ready *j, size_t index,
			enum gate_side side, struct gate_error *err)
{
	char *work = gate_asprintf("%s/%03zu-%d", s->work, index, (int)side);
	char *logs = gate_asprintf("%s/%s/%s", s->opts.run_dir,
				   gate_side_name(side), j->job->name);
	int rc;

	rc = gate_fs_mkdirs(work, err);
	if (!rc)
		rc = gate_fs_mkdirs(logs, err);
	if (!rc) {
		struct gate_tree tree = s->opts.trees[side];

		tree.replay = j->job->logs[side];
		rc = j->runner->prepare(j->job, &tree, work, &j->side[side],
					err);
		if (rc)
			gate_error_prefix(err,
					  "%s, job %s: ", gate_side_name(side),
					  j->job->name);
	}
	free(work);
	free(logs);
	return rc;
}

static int open_job(struct gate_session *s, size_t i,
		    struct gate_result *result, struct gate_error *err)
{
	const struct gate_job *job = &s->opts.config->jobs[i];
	struct ready *j = &s->jobs[i];
	int rc;

	j->job = job;
	if (s->opts.wanted && !s->opts.wanted[i])
		return GATE_OK;
	j->runner = gate_runner_find(job->runner);
	j->params = gate_job_params(job);
	if (job->clock == GATE_CLOCK_WALL && strcmp(job->runner, "replay") != 0)
		add_machine(result);
	rc = prepare_side(s, j, i, GATE_BASE, err);
	return rc ? rc : prepare_side(s, j, i, GATE_CANDIDATE, err);
}

static void copy_host(struct gate_session *s, const struct gate_result *r)
{
	size_t i;

	s->n_host = r->n_host;
	s->host = gate_calloc(r->n_host, sizeof *s->host);
	for (i = 0; i < r->n_host; i++)
		s->host[i] = (struct gate_fact){
			.key = gate_strdup(r->host[i].key),
			.value = gate_strdup(r->host[i].value)};
}

int gate_session_open(const struct gate_rounds_opts *opts,
		      struct gate_result *result, struct gate_session **ret,
		      struct gate_error *err)
{
	struct gate_session *s = gate_alloc(sizeof *s);
	size_t i;
	int rc;

	s->opts = *opts;
	s->result = result;
	s->work = gate_fs_join(opts->run_dir, "work");
	s->jobs = gate_calloc(opts->config->n_jobs, sizeof *s->jobs);
	rc = gate_fs_mkdirs(s->work, err);
	for (i = 0; i < opts->config->n_jobs && !rc; i++)
		rc = open_job(s, i, result, err);
	copy_host(s, result);
	if (rc)
		gate_session_free(s);
	else
		*ret = s;
	return rc;
}

void gate_session_free(struct gate_session *s)
{
	struct gate_error ignored;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->opts.config->n_jobs; i++) {
		struct ready *j = &s->jobs[i];

		if (j->runner) {
			j->runner->release(j->side[0]);
			j->runner->release(j->side[1]);
		}
		free(j->params);
	}
	for (i = 0; i < s->n_host; i++) {
		free(s->host[i].key);
		free(s->host[i].value);
	}
	free(s->host);
	gate_fs_remove(s->work, &ignored);
	free(s->work);
	free(s->jobs);
	free(s);
}

/* One round of one side of one job. */
struct task {
	struct ready *job;
	enum gate_side side;
	unsigned round;
	unsigned slot; /* 0: ran beside others */
};

/* The facts line, then what the runner wrote. */
static int store_log(const struct gate_session *session, const struct task *t,
		     const struct gate_round_facts *how, const char *raw,
		     const char *path, struct gate_error *err)
{
	struct gate_roundlog facts = {.side = t->side,
				      .clock = t->job->job->clock,
				      .round = t->round,
				      .slot = t->slot,
				      .job = t->job->job->name,
				      .params = t->job->params,
				      .host = session->host,
				      .n_host = session->n_host};
	struct gate_str s = {0};
	char *data = NULL;
	size_t len;
	int rc;

	if (t->job->job->clock == GATE_CLOCK_WALL && how->wall_s > 0) {
		facts.cpu = how->cpu_s / how->wall_s;
		facts.cpu_least = t->job->job->cpu_share;
	}
	rc = gate_fs_read_regular(raw, RAW_LOG_MAX, &data, &len, err);
	if (!rc) {
		gate_roundlog_line(&facts, &s);
		gate_str_add(&s, data, len);
		rc = gate_fs_write(path, s.data, s.len, err);
	}
	if (!rc)
		rc = gate_fs_remove(raw, err);
	gate_str_done(&s);
	free(data);
	return rc;
}

/*
 * Which accelerator a guest got is known only now. Two sides that got different
 * ones measured different machines.
 */
static int note_accel(struct gate_session *s, const struct task *t,
		      const char *accel, struct gate_error *err)
{
	const char *other = t->job->accel[!t->side];

	if (!accel || t->job->accel[t->side])
		return GATE_OK;
	t->job->accel[t->side] = accel;
	if (other && strcmp(other, accel) != 0)
		return gate_error_set(
			err, GATE_EHOST,
			"job %s: one side runs with %s, the other with %s; set "
			"\"accel\" to one that both boot with",
			t->job->job->name, other, accel);
	gate_result_add_host(s->result, "accel", accel);
	return GATE_OK;
}

static int run_task(struct gate_session *s, const struct task *t,
		    const char **accel, struct gate_error *err)
{
	char *path = gate_round_path(s->opts.run_dir, t->side,
				     t->job->job->name, t->round);
	char *raw = gate_asprintf("%s.raw", path);
	struct gate_round_spec spec = {.round = t->round, .log_path = raw};
	struct gate_round_facts facts = {0};
	int rc;

	rc = gate_fs_remove(raw, err);
	if (!rc)
		rc = t->job->runner->measure(t->job->side[t->side], &spec,
					     &facts, err);
	if (!rc)
		rc = store_log(s, t, &facts, raw, path, err);
	else
		gate_error_prefix(
			err, "%s, job %s, round %u: ", gate_side_name(t->side),
			t->job->job->name, t->round);
	if (!rc)
		gate_progress_round(s->opts.progress, t->job->job->name,
				    facts.cached);
	*accel = facts.accel;
	free(path);
	free(raw);
	return rc;
}

/* Tasks that several threads take from the front. */
struct queue {
	struct gate_session *session;
	struct task *tasks;
	size_t n, cap, next;
	pthread_mutex_t lock;
	double deadline;
	int rc;
	struct gate_error err; /* of the first task that failed */
	unsigned cut;          /* rounds from here on were not begun; 0: none */
};

/* The next task; NULL when there is none, or after a failure. A round that
 * has begun on one side is finished on the other, whatever the deadline. */
static const struct task *next_task(struct queue *q)
{
	const struct task *t = NULL;

	pthread_mutex_lock(&q->lock);
	if (!q->rc && q->next < q->n)
		t = &q->tasks[q->next];
	if (t && q->deadline > 0 && gate_now_s() > q->deadline &&
	    (q->next == 0 || q->tasks[q->next - 1].round != t->round)) {
		q->cut = t->round;
		q->n = q->next;
		t = NULL;
	}
	if (t)
		q->next++;
	pthread_mutex_unlock(&q->lock);
	return t;
}

static int note_done(const struct gate_session *s, const struct task *t,
		     struct gate_error *err)
{
	return s->opts.journal
		       ? gate_journal_add(s->opts.journal, t->side,
					  t->job->job->name, t->round, err)
		       : GATE_OK;
}

static void *work(void *ctx)
{
	struct queue *q = ctx;
	const struct task *t;
	const char *accel;
	struct gate_error err;
	int rc;

	while ((t = next_task(q))) {
		rc = run_task(q->session, t, &accel, &err);
		pthread_mutex_lock(&q->lock);
		if (!rc)
			rc = note_accel(q->session, t, accel, &err);
		if (!rc)
			rc = note_done(q->session, t, &err);
		if (rc && !q->rc) {
			q->rc = rc;
			q->err = err;
		}
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

static int drain_queue(struct queue *q, bool parallel, struct gate_error *err)
{
	size_t n = parallel ? online_cpus() : 1, started, i;
	pthread_t *threads;

	if (n > q->n)
		n = q->n;
	pthread_mutex_init(&q->lock, NULL);
	threads = gate_calloc(n, sizeof *threads);
	/* This thread is one of the workers. */
	for (started = 0; started + 1 < n; started++)
		if (pthread_create(&threads[started], NULL, work, q))
			break;
	work(q);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	pthread_mutex_destroy(&q->lock);
	if (q->rc)
		*err = q->err;
	return q->rc;
}

/*
 * Measured before, by both sides: half a pair that was interrupted would be
 * completed at another time than its other half, so it is measured anew.
 */
static bool have_round(const struct gate_session *s, const struct ready *j,
		       unsigned round)
{
	bool have = s->opts.journal != NULL;
	char *path;
	int side;

	for (side = 0; side < 2 && have; side++) {
		have = gate_journal_has(s->opts.journal, (enum gate_side)side,
					j->job->name, round);
		path = gate_round_path(s->opts.run_dir, (enum gate_side)side,
				       j->job->name, round);
		have = have && gate_fs_exists(path);
		free(path);
	}
	return have;
}

/* The two sides of one round of a job, unless they are there. Their slots
 * count either way. */
static void add_tasks(struct gate_session *s, struct queue *q, struct ready *j,
		      unsigned round, bool parallel)
{
	unsigned slot = s->slot, k;

	if (!parallel)
		s->slot += 2;
	if (have_round(s, j, round))
		return;
	for (k = 0; k < 2; k++)
		GATE_PUSH(q->tasks, q->n, q->cap,
			  (struct task){
				  .job = j,
				  .side = (enum gate_side)((k + round + 1) % 2),
				  .round = round,
				  .slot = parallel ? 0 : slot + k + 1,
			  });
}

int gate_session_measure(struct gate_session *s, const bool *active,
			 enum gate_clock clock, unsigned from, unsigned to,
			 double deadline_s, unsigned *reached,
			 struct gate_error *err)
{
	struct queue q = {.session = s, .deadline = deadline_s};
	bool parallel = true;
	unsigned round;
	size_t i;
	int rc;

	for (i = 0; i < s->opts.config->n_jobs; i++)
		if (active[i] && s->jobs[i].runner &&
		    s->jobs[i].job->clock == clock)
			parallel &= s->jobs[i].runner->parallel(s->jobs[i].job);
	for (round = from; round <= to; round++)
		for (i = 0; i < s->opts.config->n_jobs; i++) {
			if (!active[i] || !s->jobs[i].runner ||
			    s->jobs[i].job->clock != clock)
				continue;
			add_tasks(s, &q, &s->jobs[i], round, parallel);
		}
	gate_progress_expect(s->opts.progress, q.n);
	rc = drain_queue(&q, parallel, err);
	*reached = q.cut ? q.cut - 1 : to;
	free(q.tasks);
	return rc;
}
