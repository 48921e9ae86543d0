#include "gate/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate/build.h"
#include "gate/checkout.h"
#include "gate/config.h"
#include "gate/pair.h"
#include "gate/parse.h"
#include "gate/rounds.h"
#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/verdict.h"

enum { CONFIG_MAX = 1 << 20 };
static const char config_name[] = "gate.json";

struct pipeline {
	const struct gate_run_opts *opts;
	struct gate_repo *repo;
	struct gate_config *config;
	bool *wanted; /* a job */
	char *run_dir;
	struct gate_trees trees;
	bool have_trees;
	struct gate_session *session;
	struct gate_sample_set *samples;
	struct gate_result *result;
	double started;
	/* For each clock: what the last look may spend. */
	struct gate_look_spec specs[2];
	unsigned done[2]; /* rounds measured */
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* The time as ISO 8601 in UTC. Caller frees. */
static char *timestamp(void)
{
	time_t t = time(NULL);
	char buf[64];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return gate_strdup(buf);
}

/* --- commits ------------------------------------------------------------ */

static int choose_commits(struct pipeline *p, struct gate_error *err)
{
	const struct gate_run_opts *o = p->opts;
	struct gate_commit *base = &p->result->base;
	struct gate_commit *candidate = &p->result->candidate;
	int rc;

	candidate->rev = gate_strdup(o->candidate);
	candidate->how = gate_strdup("given");
	rc = gate_repo_resolve(p->repo, o->candidate, &candidate->commit, err);
	if (rc)
		return gate_error_prefix(err, "candidate: ");
	if (o->base) {
		base->rev = gate_strdup(o->base);
		base->how = gate_strdup("given");
		rc = gate_repo_resolve(p->repo, o->base, &base->commit, err);
	} else {
		rc = gate_repo_default_base(p->repo, o->candidate,
					    candidate->commit, &base->commit,
					    &base->how, err);
	}
	if (rc)
		return gate_error_prefix(err, "base: ");
	/* Comparing it with itself would pass without having looked. */
	if (!o->base && !strcmp(base->commit, candidate->commit))
		return gate_error_set(err, GATE_EREPO,
				      "the candidate %.12s is its own base "
				      "(%s): nothing would be compared; give "
				      "--base REV, like --base HEAD~1",
				      candidate->commit, base->how);
	return GATE_OK;
}

static int note_dirty(struct pipeline *p, struct gate_error *err)
{
	bool dirty = false;
	int rc;

	rc = gate_repo_dirty(p->repo, &dirty, err);
	if (!rc && dirty)
		gate_diags_add(&p->result->diags, GATE_DIAG_WARNING,
			       "checkout.dirty",
			       "uncommitted changes are in no commit, so they "
			       "are not measured; commit them first");
	return rc;
}

/* --- configuration ------------------------------------------------------ */

static int read_config_file(struct pipeline *p, struct gate_error *err)
{
	char *text = NULL;
	size_t len;
	int rc;

	rc = gate_fs_read(p->opts->config, CONFIG_MAX, &text, &len, err);
	if (rc) {
		err->status = GATE_ECONFIG;
		return GATE_ECONFIG;
	}
	rc = gate_config_parse(p->opts->config, text, len, &p->config, err);
	free(text);
	return rc;
}

/* A change must not loosen the bar that it is held to: the base's
 * configuration counts. */
static int read_config_commit(struct pipeline *p, struct gate_error *err)
{
	const char *from = "base", *commit = p->result->base.commit;
	char *text = NULL, *path;
	size_t len = 0;
	int rc;

	rc = gate_repo_read(p->repo, commit, config_name, CONFIG_MAX, &text,
			    &len, err);
	if (!rc && !text && !p->opts->untrusted) {
		from = "candidate";
		commit = p->result->candidate.commit;
		rc = gate_repo_read(p->repo, commit, config_name, CONFIG_MAX,
				    &text, &len, err);
		if (!rc && text)
			gate_diags_add(
				&p->result->diags, GATE_DIAG_WARNING,
				"config.candidate",
				"the base has no %s, so the candidate's counts",
				config_name);
	}
	if (!rc && !text)
		rc = gate_error_set(err, GATE_ECONFIG,
				    "no %s in the base%s; add one, or give "
				    "--config FILE",
				    config_name,
				    p->opts->untrusted
					    ? ", and an untrusted candidate's "
					      "does not count"
					    : " or the candidate");
	if (!rc) {
		path = gate_asprintf("%s (%s %.12s)", config_name, from,
				     commit);
		rc = gate_config_parse(path, text, len, &p->config, err);
		free(path);
	}
	free(text);
	return rc;
}

static int want_jobs(struct pipeline *p, struct gate_error *err)
{
	const struct gate_run_opts *o = p->opts;
	struct gate_str names = {0};
	size_t i, k;
	int rc = GATE_OK;

	p->wanted = gate_calloc(p->config->n_jobs, sizeof *p->wanted);
	for (k = 0; k < p->config->n_jobs; k++)
		p->wanted[k] = o->n_jobs == 0;
	for (i = 0; i < o->n_jobs && !rc; i++) {
		for (k = 0; k < p->config->n_jobs &&
			    strcmp(p->config->jobs[k].name, o->jobs[i]) != 0;
		     k++)
			gate_str_addf(&names, "%s%s", k ? ", " : "",
				      p->config->jobs[k].name);
		if (k < p->config->n_jobs)
			p->wanted[k] = true;
		else
			rc = gate_error_set(err, GATE_EUSAGE,
					    "--job \"%s\": no such job; there "
					    "is %s",
					    o->jobs[i], gate_str_text(&names));
		gate_str_done(&names);
	}
	return rc;
}

/* --parser names are checked before anything is built. */
static int check_parsers(const struct pipeline *p, struct gate_error *err)
{
	size_t i;

	for (i = 0; i < p->config->n_jobs; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (strcmp(job->parser, "auto") != 0 &&
		    !gate_parser_find(job->parser))
			return gate_error_set(err, GATE_ECONFIG,
					      "%s: job \"%s\": unknown parser "
					      "\"%s\"; see gate list parsers",
					      p->config->path, job->name,
					      job->parser);
	}
	return GATE_OK;
}

static void apply_options(struct pipeline *p)
{
	struct gate_rounds *r = &p->config->rounds;
	unsigned most = p->opts->rounds;

	if (most) {
		r->max = r->insn_max = most;
		if (r->min > most)
			r->min = most;
		if (r->insn_min > most)
			r->insn_min = most;
	}
	if (p->opts->budget_ms)
		r->budget_ms = p->opts->budget_ms;
}

static void describe_jobs(struct pipeline *p)
{
	struct gate_result *r = p->result;
	bool wall = false, insn = false;
	size_t i;

	for (i = 0; i < p->config->n_jobs; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (!p->wanted[i])
			continue;
		GATE_PUSH(r->jobs, r->n_jobs, r->cap_jobs,
			  (struct gate_job_info){
				  .name = gate_strdup(job->name),
				  .runner = gate_strdup(job->runner),
				  .clock = job->clock,
				  .bench = gate_strdup(job->bench),
				  .params = gate_job_params(job),
				  .allow_empty = job->allow_empty});
		wall |= job->clock == GATE_CLOCK_WALL;
		insn |= job->clock == GATE_CLOCK_INSTRUCTIONS;
	}
	r->order = gate_strdup(wall && insn ? "ABBA and phases"
			       : insn       ? "phases"
					    : "ABBA");
}

static int read_config(struct pipeline *p, struct gate_error *err)
{
	int rc;

	rc = p->opts->config ? read_config_file(p, err)
			     : read_config_commit(p, err);
	if (!rc)
		rc = want_jobs(p, err);
	if (!rc)
		rc = check_parsers(p, err);
	if (rc)
		return rc;
	apply_options(p);
	gate_policy_copy(&p->result->policy, &p->config->policy);
	describe_jobs(p);
	return GATE_OK;
}

/* --- trees and builds --------------------------------------------------- */

/* A folder for the trees of this repository, the same at every run. */
static char *trees_dir(const struct pipeline *p)
{
	char *cache = gate_fs_cache_dir(), *dir;
	struct gate_hash *h = gate_hash_new();
	char hex[GATE_HASH_HEX];

	gate_hash_text(h, gate_repo_path(p->repo));
	gate_hash_end(h, hex);
	dir = gate_asprintf("%s/trees/%.16s", cache, hex);
	free(cache);
	return dir;
}

static int lay_out(struct pipeline *p, struct gate_error *err)
{
	char *dir = trees_dir(p);
	int rc;

	gate_progress_step(p->opts->progress,
			   "checking out base %.12s and candidate %.12s",
			   p->result->base.commit, p->result->candidate.commit);
	rc = gate_fs_mkdirs(dir, err);
	if (!rc)
		rc = gate_trees_lay_out(p->repo, dir, p->result->base.commit,
					p->result->candidate.commit, &p->trees,
					err);
	p->have_trees = !rc;
	free(dir);
	return rc;
}

static int build_sides(struct pipeline *p, struct gate_error *err)
{
	char *log;
	int rc = GATE_OK;
	size_t i;

	for (i = 0; i < 2 && p->config->build.n_commands && !rc; i++) {
		const char *side = gate_side_name((enum gate_side)i);

		gate_progress_step(p->opts->progress, "building the %s", side);
		log = gate_asprintf("%s/%s/build.log", p->run_dir, side);
		rc = gate_build_run(&p->config->build, p->trees.source[i],
				    p->trees.build[i], log, err);
		if (rc)
			gate_error_prefix(err, "%s: ", side);
		free(log);
	}
	return rc;
}

/* --- run directory ------------------------------------------------------ */

static int make_run_dir(struct pipeline *p, struct gate_error *err)
{
	char *cache, *when, *dir;
	int rc = GATE_OK;
	size_t i;

	if (p->opts->run_dir) {
		p->run_dir = gate_strdup(p->opts->run_dir);
	} else {
		cache = gate_fs_cache_dir();
		when = timestamp();
		p->run_dir = gate_asprintf("%s/runs/%s-%ld", cache, when,
					   (long)getpid());
		free(cache);
		free(when);
	}
	for (i = 0; i < 2 && !rc; i++) {
		dir = gate_fs_join(p->run_dir,
				   gate_side_name((enum gate_side)i));
		/* Logs of an earlier run there would be read as this one's. */
		rc = gate_fs_remove(dir, err);
		if (!rc)
			rc = gate_fs_mkdirs(dir, err);
		free(dir);
	}
	return rc;
}

static int write_samples(const struct pipeline *p, struct gate_error *err)
{
	char *path = gate_fs_join(p->run_dir, "samples.jsonl");
	struct gate_str s = {0};
	size_t i;
	int rc;

	for (i = 0; i < p->samples->n; i++) {
		gate_sample_json(&p->samples->items[i], true, &s);
		gate_str_putc(&s, '\n');
	}
	rc = gate_fs_write(path, gate_str_text(&s), s.len, err);
	gate_str_done(&s);
	free(path);
	return rc;
}

/* --- rounds and looks --------------------------------------------------- */

static int parse_round(struct pipeline *p, const struct gate_job *job,
		       enum gate_side side, unsigned round,
		       struct gate_error *err)
{
	char *path = gate_round_path(p->run_dir, side, job->name, round);
	struct gate_parse_opts o = {.parser = job->parser,
				    .clock = job->clock,
				    .side = side,
				    .round = round,
				    .job = job->name,
				    .path = path};
	struct gate_parse_stats stats;
	int rc;

	rc = gate_parse_file(&o, path, p->samples, &p->result->diags, &stats,
			     err);
	free(path);
	return rc;
}

static struct gate_job_info *job_info(struct gate_result *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (!strcmp(r->jobs[i].name, name))
			return &r->jobs[i];
	return NULL;
}

static int parse_rounds(struct pipeline *p, const bool *active,
			enum gate_clock clock, unsigned from, unsigned to,
			struct gate_error *err)
{
	unsigned round;
	size_t i;
	int side, rc;

	for (i = 0; i < p->config->n_jobs; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (!active[i] || job->clock != clock)
			continue;
		for (round = from; round <= to; round++)
			for (side = 0; side < 2; side++) {
				rc = parse_round(p, job, (enum gate_side)side,
						 round, err);
				if (rc)
					return rc;
				job_info(p->result, job->name)->rounds[side]++;
			}
	}
	return GATE_OK;
}

/* Only jobs that hold an undecided row go on. */
static void keep_undecided(const struct pipeline *p, enum gate_clock clock,
			   bool *active)
{
	size_t i, k;

	for (i = 0; i < p->config->n_jobs; i++) {
		const char *name = p->config->jobs[i].name;

		if (p->config->jobs[i].clock != clock)
			continue;
		for (k = 0; k < p->result->n_rows; k++) {
			const struct gate_row *row = &p->result->rows[k];

			if (row->clock == clock && !strcmp(row->job, name) &&
			    gate_row_open(row))
				break;
		}
		active[i] &= k < p->result->n_rows;
	}
}

/*
 * The next number of rounds to stop and look at, after `done`. By wall clock
 * there is one look, at all rounds; exact rows are looked at after 3, 6 and 10
 * rounds.
 */
static unsigned next_look(const struct gate_rounds *r, enum gate_clock clock,
			  unsigned done)
{
	static const unsigned steps[] = {3, 6, 10};
	size_t i;

	if (clock == GATE_CLOCK_WALL)
		return r->max;
	if (done < r->insn_min)
		return r->insn_min;
	for (i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i] > done && steps[i] < r->insn_max)
			return steps[i];
	return r->insn_max;
}

static size_t rows_of(const struct gate_result *r, enum gate_clock clock)
{
	size_t n = 0, i;

	for (i = 0; i < r->n_rows; i++)
		n += r->rows[i].clock == clock;
	return n;
}

/* Decides on what is there and writes down what that look brought. Returns the
 * number of open rows. */
static size_t take_look(struct pipeline *p, enum gate_clock clock, bool last)
{
	struct gate_result *r = p->result;
	struct gate_look l = {.clock = clock,
			      .rounds = p->done[clock],
			      .alpha = clock == GATE_CLOCK_WALL
					       ? p->config->policy.alpha
					       : GATE_NAN};

	p->specs[clock] = (struct gate_look_spec){
		.spend = 1, .last = last, .may_park = l.rounds >= 10};
	gate_result_clear(r);
	gate_pair(p->samples, r);
	l.open = gate_decide(r, clock, &p->specs[clock]);
	l.decided = rows_of(r, clock) - l.open;
	GATE_PUSH(r->looks, r->n_looks, r->cap_looks, l);
	gate_progress_decided(p->opts->progress, l.decided, rows_of(r, clock));
	return l.open;
}

static int measure_clock(struct pipeline *p, enum gate_clock clock,
			 struct gate_error *err)
{
	const struct gate_rounds *r = &p->config->rounds;
	unsigned most = clock == GATE_CLOCK_WALL ? r->max : r->insn_max;
	double deadline = p->started + (double)r->budget_ms / 1e3;
	bool *active = gate_calloc(p->config->n_jobs, sizeof *active);
	unsigned from, to, reached = 0;
	size_t open = 1;
	int rc = GATE_OK;

	memcpy(active, p->wanted, p->config->n_jobs * sizeof *active);
	for (to = 0; open && reached == to && reached < most;) {
		from = reached + 1;
		to = next_look(r, clock, reached);
		rc = gate_session_measure(p->session, active, clock, from, to,
					  deadline, &reached, err);
		if (!rc)
			rc = parse_rounds(p, active, clock, from, reached, err);
		if (rc)
			break;
		p->done[clock] = reached;
		open = take_look(p, clock, reached == most || reached < to);
		keep_undecided(p, clock, active);
	}
	if (!rc && reached < to)
		gate_diags_add(&p->result->diags, GATE_DIAG_WARNING,
			       "rounds.budget",
			       "the budget was spent after %u of %u rounds",
			       reached, most);
	free(active);
	return rc;
}

static bool has_clock(const struct pipeline *p, enum gate_clock clock)
{
	size_t i;

	for (i = 0; i < p->config->n_jobs; i++)
		if (p->wanted[i] && p->config->jobs[i].clock == clock)
			return true;
	return false;
}

static int measure(struct pipeline *p, struct gate_error *err)
{
	struct gate_rounds_opts o = {.config = p->config,
				     .wanted = p->wanted,
				     .run_dir = p->run_dir,
				     .progress = p->opts->progress};
	int clock, i, rc;

	for (i = 0; i < 2; i++)
		o.trees[i] = (struct gate_tree){.source = p->trees.source[i],
						.build = p->trees.build[i]};
	rc = gate_session_open(&o, p->result, &p->session, err);
	p->samples = gate_sample_set_new();
	for (clock = 0; clock < 2 && !rc; clock++)
		if (has_clock(p, (enum gate_clock)clock))
			rc = measure_clock(p, (enum gate_clock)clock, err);
	if (rc)
		return rc;
	/* A look at one clock left the rows of the other unjudged. */
	gate_result_clear(p->result);
	gate_pair(p->samples, p->result);
	for (clock = 0; clock < 2; clock++)
		if (has_clock(p, (enum gate_clock)clock))
			gate_decide(p->result, (enum gate_clock)clock,
				    &p->specs[clock]);
	gate_conclude(p->result);
	return write_samples(p, err);
}

static int stages(struct pipeline *p, struct gate_error *err)
{
	struct gate_repo_opts repo = {.dir = p->opts->repo,
				      .trust_repo = p->opts->trust_repo};
	int rc;

	rc = gate_repo_open(&repo, &p->repo, err);
	if (!rc)
		rc = choose_commits(p, err);
	if (!rc)
		rc = note_dirty(p, err);
	if (!rc)
		rc = read_config(p, err);
	if (!rc)
		rc = make_run_dir(p, err);
	if (!rc)
		rc = lay_out(p, err);
	if (!rc)
		rc = build_sides(p, err);
	return rc ? rc : measure(p, err);
}

/* What every report says when no verdict could be reached. */
static void conclude_error(struct gate_result *r, const struct gate_error *err)
{
	gate_result_clear(r);
	free(r->outcome);
	free(r->reason);
	r->outcome = gate_strdup("error");
	r->reason = gate_strdup(err->message);
	r->exit_code = gate_error_exit_code(err->status);
	gate_diags_add(&r->diags, GATE_DIAG_ERROR, "run.failed", "%s",
		       err->message);
}

int gate_pipeline_run(const struct gate_run_opts *opts,
		      struct gate_result **ret, char **run_dir,
		      struct gate_error *err)
{
	struct pipeline p = {.opts = opts, .started = now()};
	int rc;

	p.result = gate_result_new();
	p.result->version = gate_strdup(GATE_VERSION);
	p.result->command = gate_strdup("run");
	p.result->started = timestamp();
	rc = stages(&p, err);
	p.result->seconds = now() - p.started;
	if (rc)
		conclude_error(p.result, err);
	gate_session_free(p.session);
	if (p.have_trees)
		gate_trees_done(&p.trees);
	gate_sample_set_free(p.samples);
	if (p.config) {
		*ret = p.result;
		*run_dir = p.run_dir;
	} else {
		gate_result_free(p.result);
		free(p.run_dir);
	}
	gate_config_free(p.config);
	gate_repo_free(p.repo);
	free(p.wanted);
	return rc;
}
