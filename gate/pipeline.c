#include "gate/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gate/build.h"
#include "gate/checkout.h"
#include "gate/config.h"
#include "gate/looks.h"
#include "gate/pair.h"
#include "gate/parse.h"
#include "gate/plan.h"
#include "gate/roundlog.h"
#include "gate/rounds.h"
#include "gate/selftest.h"
#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/now.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/verdict.h"
#include "gate/waiver.h"

enum { CONFIG_MAX = 1 << 20, FACTS_MAX = 65536 };
static const char config_name[] = "gate.json";
static const char waivers_name[] = "gate-waivers.json";

struct pipeline {
	const struct gate_run_opts *opts;
	struct gate_repo *repo;
	struct gate_config *config;
	enum gate_side config_side; /* whose it is, unless it is a file */
	char *config_text;
	size_t config_len;
	struct gate_waivers waivers;
	char today[GATE_DAY_MAX];
	bool *wanted; /* a job */
	char *run_dir;
	struct gate_journal *journal;
	struct gate_trees trees;
	bool have_trees;
	struct gate_session *session;
	struct gate_sample_set *samples;
	struct gate_result *result;
	double started;
	/* For each clock. */
	struct gate_looks looks[2];
	unsigned done[2];   /* rounds that a look has seen */
	unsigned parsed[2]; /* rounds whose samples are there */
};

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
	const char *rev = o->candidate ? o->candidate : "HEAD";
	struct gate_commit *base = &p->result->base;
	struct gate_commit *candidate = &p->result->candidate;
	int rc;

	candidate->rev = gate_strdup(rev);
	candidate->how = gate_strdup(o->candidate ? "given" : "by default");
	rc = gate_repo_resolve(p->repo, rev, &candidate->commit, err);
	if (rc)
		return gate_error_prefix(err, "candidate: ");
	if (o->base) {
		base->rev = gate_strdup(o->base);
		base->how = gate_strdup("given");
		rc = gate_repo_resolve(p->repo, o->base, &base->commit, err);
	} else {
		rc = gate_repo_default_base(p->repo, rev, candidate->commit,
					    &base->commit, &base->how, err);
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
	rc = gate_config_parse(p->opts->config, text, len, true, &p->config,
			       err);
	p->config_text = text;
	p->config_len = len;
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
		p->config_side = GATE_CANDIDATE;
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
		rc = gate_config_parse(path, text, len, true, &p->config, err);
		free(path);
	}
	p->config_text = text;
	p->config_len = len;
	return rc;
}

/* --- waivers ------------------------------------------------------------ */

/* As with the configuration: a change must not waive itself unnoticed. */
static int find_waivers(struct pipeline *p, char **text, size_t *len,
			char **path, struct gate_error *err)
{
	struct gate_result *r = p->result;
	const char *from = "base", *commit = r->base.commit;
	int rc;

	if (p->opts->waivers) {
		*path = gate_strdup(p->opts->waivers);
		rc = gate_fs_read(*path, CONFIG_MAX, text, len, err);
		if (rc)
			err->status = GATE_ECONFIG;
		return rc ? GATE_ECONFIG : GATE_OK;
	}
	rc = gate_repo_read(p->repo, commit, waivers_name, CONFIG_MAX, text,
			    len, err);
	if (!rc && !*text && !p->opts->untrusted) {
		from = "candidate";
		commit = r->candidate.commit;
		rc = gate_repo_read(p->repo, commit, waivers_name, CONFIG_MAX,
				    text, len, err);
		if (!rc && *text)
			gate_diags_add(&r->diags, GATE_DIAG_WARNING,
				       "config.waivers",
				       "the base has no %s, so the candidate's "
				       "counts",
				       waivers_name);
	}
	*path = gate_asprintf("%s (%s %.12s)", waivers_name, from, commit);
	return rc;
}

static int read_waivers(struct pipeline *p, struct gate_error *err)
{
	char *text = NULL, *path = NULL;
	size_t len = 0;
	int rc;

	gate_waivers_today(p->today);
	rc = find_waivers(p, &text, &len, &path, err);
	if (!rc && text)
		rc = gate_waivers_parse(path, text, len, &p->waivers, err);
	free(text);
	free(path);
	return rc;
}

/* --- jobs --------------------------------------------------------------- */

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

/* Parsers are checked before anything is built. */
static int check_parsers(const struct pipeline *p, struct gate_error *err)
{
	size_t i;

	for (i = 0; i < p->config->n_jobs; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (!gate_parser_check(job->parser, err))
			continue;
		err->status = GATE_ECONFIG;
		return gate_error_prefix(
			err, "%s: job \"%s\": ", p->config->path, job->name);
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
	/* All rounds, and one look at them. */
	if (p->opts->selftest) {
		r->min = r->max;
		r->insn_min = r->insn_max;
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
				  .allow_empty = job->allow_empty,
				  .cpu_share = job->clock == GATE_CLOCK_WALL
						       ? job->cpu_share
						       : 0});
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
		rc = read_waivers(p, err);
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

/*
 * Build folders outlive commits, so that a kernel is not compiled anew for one
 * changed file. The image that an earlier commit left there must not: a build
 * that makes none would have that one measured.
 */
static int forget_images(struct pipeline *p, size_t side, const char *commit,
			 struct gate_error *err)
{
	char *note = gate_asprintf("%s.commit", p->trees.build[side]);
	char *built = NULL;
	int rc = GATE_OK;
	size_t i;

	if (gate_fs_exists(note))
		rc = gate_fs_read_regular(note, 128, &built, NULL, err);
	if (!rc && built && !strcmp(built, commit))
		goto out;
	for (i = 0; i < p->config->n_jobs && !rc; i++)
		if (p->config->jobs[i].image)
			rc = gate_fs_remove_glob(p->trees.build[side],
						 p->config->jobs[i].image, err);
	if (!rc)
		rc = gate_fs_write(note, commit, strlen(commit), err);
out:
	free(built);
	free(note);
	return rc;
}

static int build_sides(struct pipeline *p, struct gate_error *err)
{
	const char *const commits[] = {p->result->base.commit,
				       p->result->candidate.commit};
	char *log;
	int rc = GATE_OK;
	size_t i;

	for (i = 0; i < 2 && p->config->build.n_commands && !rc; i++) {
		const char *side = gate_side_name((enum gate_side)i);

		gate_progress_step(p->opts->progress, "building the %s", side);
		log = gate_asprintf("%s/%s/build.log", p->run_dir, side);
		rc = forget_images(p, i, commits[i], err);
		if (!rc)
			rc = gate_build_run(&p->config->build,
					    p->trees.source[i],
					    p->trees.build[i], log, err);
		if (rc)
			gate_error_prefix(err, "%s: ", side);
		free(log);
	}
	return rc;
}

/* --- run directory ------------------------------------------------------ */

static bool has_clock(const struct pipeline *p, enum gate_clock clock)
{
	size_t i;

	for (i = 0; i < p->config->n_jobs; i++)
		if (p->wanted[i] && p->config->jobs[i].clock == clock)
			return true;
	return false;
}

static char *short_hash(const char *text, size_t len)
{
	struct gate_hash *h = gate_hash_new();
	char hex[GATE_HASH_HEX];

	gate_hash_add(h, text, len);
	gate_hash_end(h, hex);
	return gate_strndup(hex, 12);
}

static int state_jobs(struct pipeline *p, struct gate_error *err)
{
	struct gate_fact *facts = gate_calloc(p->config->n_jobs, sizeof *facts);
	char *params;
	size_t n = 0, i;
	int rc;

	for (i = 0; i < p->config->n_jobs; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (!p->wanted[i])
			continue;
		params = gate_job_params(job);
		facts[n].key = gate_asprintf("job %s", job->name);
		facts[n++].value = gate_asprintf(
			"clock=%s %s", gate_clock_name(job->clock), params);
		free(params);
	}
	rc = gate_journal_state(p->journal, "job", facts, n, err);
	for (i = 0; i < n; i++) {
		free(facts[i].key);
		free(facts[i].value);
	}
	free(facts);
	return rc;
}

/* What makes this test this one. */
static int state_test(struct pipeline *p, struct gate_error *err)
{
	const struct gate_rounds *r = &p->config->rounds;
	char *rounds = gate_asprintf("%u to %u", r->min, r->max);
	char *insn = gate_asprintf("%u to %u", r->insn_min, r->insn_max);
	char *config = short_hash(p->config_text, p->config_len);
	char keys[][32] = {"base", "candidate", "rounds by wall clock",
			   "rounds of instructions",
			   "the configuration's hash"};
	struct gate_fact commits[] = {{keys[0], p->result->base.commit},
				      {keys[1], p->result->candidate.commit}};
	struct gate_fact plan[2];
	struct gate_fact text[] = {{keys[4], config}};
	size_t n = 0;
	int rc;

	if (has_clock(p, GATE_CLOCK_WALL))
		plan[n++] = (struct gate_fact){keys[2], rounds};
	if (has_clock(p, GATE_CLOCK_INSTRUCTIONS))
		plan[n++] = (struct gate_fact){keys[3], insn};
	/* From what says most to what says least. */
	rc = gate_journal_state(p->journal, "commit", commits, 2, err);
	if (!rc)
		rc = state_jobs(p, err);
	if (!rc)
		rc = gate_journal_state(p->journal, "rounds", plan, n, err);
	if (!rc)
		rc = gate_journal_state(p->journal, "config", text, 1, err);
	free(rounds);
	free(insn);
	free(config);
	return rc;
}

/* The host, once the runners have said what it is. */
static int state_host(struct pipeline *p, struct gate_error *err)
{
	char *path = gate_fs_join(p->run_dir, "host.json"), *text;
	cJSON *o = cJSON_CreateObject();
	size_t i;
	int rc;

	rc = gate_journal_state(p->journal, "host", p->result->host,
				p->result->n_host, err);
	for (i = 0; i < p->result->n_host; i++)
		gate_json_add_string(o, p->result->host[i].key,
				     p->result->host[i].value);
	text = gate_json_print(o, true);
	if (!rc)
		rc = gate_fs_write(path, text, strlen(text), err);
	free(text);
	free(path);
	cJSON_Delete(o);
	return rc;
}

static int open_journal(struct pipeline *p, struct gate_error *err)
{
	bool old = gate_journal_exists(p->run_dir);
	char *path;
	int rc = GATE_OK;

	if (p->opts->resume && !old)
		return gate_error_set(err, GATE_EUSAGE,
				      "--resume: %s holds no run to go on with",
				      p->run_dir);
	/* Whatever else is there is somebody's, and is left alone. */
	if (!old && !gate_fs_vacant(p->run_dir))
		return gate_error_set(err, GATE_EUSAGE,
				      "%s holds other things than a run; give "
				      "--run-dir a new folder",
				      p->run_dir);
	rc = gate_fs_mkdirs(p->run_dir, err);
	if (!rc)
		rc = gate_journal_open(p->run_dir, &p->journal, err);
	if (!rc)
		rc = state_test(p, err);
	if (rc)
		return rc;
	if (gate_journal_rounds(p->journal))
		gate_progress_step(p->opts->progress,
				   "going on with %s, which holds %zu rounds",
				   p->run_dir, gate_journal_rounds(p->journal));
	path = gate_fs_join(p->run_dir, "config.json");
	rc = gate_fs_write(path, p->config_text, p->config_len, err);
	free(path);
	return rc;
}

static int make_run_dir(struct pipeline *p, struct gate_error *err)
{
	char *cache, *when, *dir;
	int rc;
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
	rc = open_journal(p, err);
	for (i = 0; i < 2 && !rc; i++) {
		dir = gate_fs_join(p->run_dir,
				   gate_side_name((enum gate_side)i));
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

/*
 * Where a parser's program is: beside the configuration that names it, which
 * is the base's tree when it came from the base. A candidate's program must not
 * say what was measured, unless all of the configuration is the candidate's.
 * Caller frees.
 */
static char *program_dir(const struct pipeline *p)
{
	const char *config = p->opts->config, *slash;

	if (!config)
		return gate_strdup(p->trees.source[p->config_side]);
	slash = strrchr(config, '/');
	return slash ? gate_strndup(config, (size_t)(slash - config) + 1)
		     : gate_strdup(".");
}

static struct gate_job_info *job_info(struct gate_result *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (!strcmp(r->jobs[i].name, name))
			return &r->jobs[i];
	return NULL;
}

/* What the round's log says of its share of the processor. */
static int note_share(struct pipeline *p, const struct gate_job *job,
		      enum gate_side side, const char *path,
		      struct gate_error *err)
{
	struct gate_roundlog facts;
	size_t len, body;
	char *head;
	int rc;

	rc = gate_fs_read_head(path, FACTS_MAX, &head, &len, err);
	if (rc)
		return rc;
	if (gate_roundlog_parse(head, len, &facts, &body)) {
		job_info(p->result, job->name)->contaminated[side] +=
			facts.contaminated;
		gate_roundlog_done(&facts);
	}
	free(head);
	return GATE_OK;
}

static int parse_round(struct pipeline *p, const struct gate_job *job,
		       enum gate_side side, unsigned round,
		       struct gate_error *err)
{
	char *path = gate_round_path(p->run_dir, side, job->name, round);
	char *dir = program_dir(p);
	struct gate_program program = {.cwd = dir,
				       .timeout_ms = job->parser_timeout_ms};
	size_t first = p->samples->n;
	struct gate_parse_stats stats;
	struct gate_parse_opts o = {.parser = job->parser,
				    .clock = job->clock,
				    .side = side,
				    .round = round,
				    .job = job->name,
				    .path = path};
	int rc;

	if (job->parser_command) {
		program.argv = (const char *const *)job->parser_command;
		o.program = &program;
	}
	rc = gate_parse_file(&o, path, p->samples, &p->result->diags, &stats,
			     err);
	gate_renames_apply(&p->config->renames, p->samples, first);
	if (!rc)
		rc = note_share(p, job, side, path, err);
	free(dir);
	free(path);
	return rc;
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
	p->parsed[clock] = to;
	return GATE_OK;
}

/* Only jobs that hold an open row go on; more rounds can open one again that
 * was parked. Returns how many there are. */
static unsigned keep_open(const struct pipeline *p, enum gate_clock clock,
			  bool *active)
{
	unsigned n = 0;
	size_t i, k;

	for (i = 0; i < p->config->n_jobs; i++) {
		const char *name = p->config->jobs[i].name;

		active[i] = false;
		if (p->config->jobs[i].clock != clock)
			continue;
		for (k = 0; k < p->result->n_rows && !active[i]; k++) {
			const struct gate_row *row = &p->result->rows[k];

			active[i] = row->clock == clock &&
				    !strcmp(row->job, name) &&
				    gate_row_open(row);
		}
		n += active[i];
	}
	return n;
}

/* What is left of the way, now that something is known of the rows. */
static void tell_plan(struct pipeline *p)
{
	char *text;

	gate_plan(p->result);
	text = gate_plan_text(&p->result->plan);
	if (text)
		gate_progress_step(p->opts->progress, "%s", text);
	free(text);
}

/* Decides on what is there. True when more rounds are wanted. */
static bool take_look(struct pipeline *p, enum gate_clock clock, unsigned jobs,
		      unsigned reached, bool last)
{
	struct gate_looks *l = &p->looks[clock];
	struct gate_result *r = p->result;
	unsigned runs = 2 * jobs * (reached - p->done[clock]);
	const struct gate_look *look;
	bool more;

	p->done[clock] = reached;
	gate_result_clear(r);
	gate_pair(p->samples, r);
	gate_looks_decide(l, r, reached, last);
	gate_waivers_apply(&p->waivers, p->today, r);
	more = gate_looks_record(l, r, runs);
	look = &r->looks[r->n_looks - 1];
	gate_progress_decided(p->opts->progress, look->decided,
			      look->decided + look->open);
	if (more && clock == GATE_CLOCK_WALL)
		tell_plan(p);
	return more;
}

/* A look that an earlier run took here has spent its share of the error, so it
 * is taken again, at the same place. */
static unsigned next_stop(const struct pipeline *p, enum gate_clock clock,
			  unsigned reached)
{
	unsigned to = gate_looks_next(&p->looks[clock]);
	unsigned old = gate_journal_next_look(p->journal, clock, reached);

	return old && old < to ? old : to;
}

/* What the looks are; how many of them it takes nobody knows yet. */
static void tell_looks(const struct pipeline *p, enum gate_clock clock)
{
	const struct gate_rounds *r = &p->config->rounds;
	bool wall = clock == GATE_CLOCK_WALL;
	unsigned most = wall ? r->max : r->insn_max;
	struct gate_str s = {0};
	struct gate_looks l;

	gate_looks_init(&l, clock, wall ? r->min : r->insn_min, most);
	while (l.rounds < most) {
		l.rounds = gate_looks_next(&l);
		gate_str_addf(&s, "%s%u", s.len ? ", " : "", l.rounds);
	}
	gate_progress_step(p->opts->progress,
			   "%s clock: looks after %s rounds; the first says "
			   "how many it takes",
			   wall ? "wall" : "instruction", gate_str_text(&s));
	gate_looks_done(&l);
	gate_str_done(&s);
}

/* Did a side of the job print a value so far? */
static bool printed_value(const struct pipeline *p, const char *job)
{
	size_t i;

	for (i = 0; i < p->samples->n; i++)
		if (p->samples->items[i].s.status == GATE_SAMPLE_OK &&
		    !strcmp(p->samples->items[i].job, job))
			return true;
	return false;
}

/* What the logs said instead; borrowed. */
static const char *why_empty(const struct pipeline *p, const char *job)
{
	const struct gate_diags *d = &p->result->diags;
	size_t i;

	for (i = 0; i < p->samples->n; i++)
		if (p->samples->items[i].s.message &&
		    !strcmp(p->samples->items[i].job, job))
			return p->samples->items[i].s.message;
	for (i = 0; i < d->n; i++)
		if (d->items[i].level != GATE_DIAG_NOTE &&
		    gate_str_starts(d->items[i].code, "parse."))
			return d->items[i].message;
	return "nothing in its logs looks like a benchmark";
}

/*
 * The first round alone: a job whose benchmark prints nothing that gate reads
 * is a mistake, and it would be repeated for as long as the budget lasts.
 */
static int try_first_round(struct pipeline *p, enum gate_clock clock,
			   const bool *active, struct gate_error *err)
{
	unsigned reached;
	size_t i;
	int rc;

	rc = gate_session_measure(p->session, active, clock, 1, 1, 0, &reached,
				  err);
	if (!rc)
		rc = parse_rounds(p, active, clock, 1, 1, err);
	for (i = 0; i < p->config->n_jobs && !rc; i++) {
		const struct gate_job *job = &p->config->jobs[i];

		if (active[i] && !job->allow_empty &&
		    !printed_value(p, job->name))
			rc = gate_error_set(
				err, GATE_ENODATA,
				"job %s printed no value in its first round, "
				"on either side: %s",
				job->name, why_empty(p, job->name));
	}
	return rc;
}

static int measure_clock(struct pipeline *p, enum gate_clock clock,
			 struct gate_error *err)
{
	const struct gate_rounds *r = &p->config->rounds;
	bool wall = clock == GATE_CLOCK_WALL;
	unsigned most = wall ? r->max : r->insn_max;
	double deadline = p->started + (double)r->budget_ms / 1e3;
	bool *active = gate_calloc(p->config->n_jobs, sizeof *active);
	unsigned jobs = 0, to, reached = 0;
	bool more = true;
	size_t i;
	int rc = GATE_OK;

	for (i = 0; i < p->config->n_jobs; i++) {
		active[i] = p->wanted[i] && p->config->jobs[i].clock == clock;
		jobs += active[i];
	}
	gate_looks_init(&p->looks[clock], clock, wall ? r->min : r->insn_min,
			most);
	if (most > 1) {
		rc = try_first_round(p, clock, active, err);
		reached = 1;
	}
	for (to = reached; !rc && more && reached == to && reached < most;) {
		to = next_stop(p, clock, reached);
		rc = gate_session_measure(p->session, active, clock,
					  reached + 1, to, deadline, &reached,
					  err);
		if (!rc)
			rc = parse_rounds(p, active, clock,
					  p->parsed[clock] + 1, reached, err);
		if (!rc)
			rc = gate_journal_look(p->journal, clock, reached, err);
		if (rc)
			break;
		more = take_look(p, clock, jobs, reached,
				 reached == most || reached < to);
		jobs = keep_open(p, clock, active);
	}
	if (!rc && reached < to)
		gate_diags_add(&p->result->diags, GATE_DIAG_WARNING,
			       "rounds.budget",
			       "the budget was spent after %u of %u rounds",
			       reached, most);
	free(active);
	return rc;
}

/* All rows of both clocks, as the latest looks have them. */
static int finish(struct pipeline *p, struct gate_error *err)
{
	struct gate_result *r = p->result;
	int clock;

	/* A look at one clock left the rows of the other unjudged. */
	gate_result_clear(r);
	gate_pair(p->samples, r);
	for (clock = 0; clock < 2; clock++)
		if (has_clock(p, (enum gate_clock)clock))
			gate_looks_repeat(&p->looks[clock], r);
	gate_plan(r);
	gate_renames_report(&p->config->renames, &r->diags);
	gate_waivers_apply(&p->waivers, p->today, r);
	gate_conclude(r);
	if (p->opts->selftest)
		gate_selftest(p->samples, r);
	return write_samples(p, err);
}

static int measure(struct pipeline *p, struct gate_error *err)
{
	struct gate_rounds_opts o = {.config = p->config,
				     .wanted = p->wanted,
				     .run_dir = p->run_dir,
				     .journal = p->journal,
				     .progress = p->opts->progress};
	int clock, i, rc;

	for (i = 0; i < 2; i++)
		o.trees[i] = (struct gate_tree){.source = p->trees.source[i],
						.build = p->trees.build[i]};
	rc = gate_session_open(&o, p->result, &p->session, err);
	p->samples = gate_sample_set_new();
	if (!rc)
		rc = state_host(p, err);
	for (clock = 0; clock < 2 && !rc; clock++)
		if (has_clock(p, (enum gate_clock)clock)) {
			tell_looks(p, (enum gate_clock)clock);
			rc = measure_clock(p, (enum gate_clock)clock, err);
		}
	if (rc)
		return rc;
	return finish(p, err);
}

static void add_fact(void *ctx, const char *key, const char *value)
{
	gate_result_add_host(ctx, key, value);
}

/* What this machine lacks for a job is said before anything is built. */
static int probe_jobs(struct pipeline *p, struct gate_error *err)
{
	const struct gate_job *job;
	size_t i;
	int rc = GATE_OK;

	for (i = 0; i < p->config->n_jobs && !rc; i++) {
		job = &p->config->jobs[i];
		if (p->wanted[i])
			rc = gate_runner_find(job->runner)
				     ->probe(job, add_fact, p->result, err);
	}
	return rc;
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
		rc = probe_jobs(p, err);
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
	struct pipeline p = {.opts = opts, .started = gate_now_s()};
	int rc;

	p.result = gate_result_new();
	p.result->version = gate_strdup(GATE_VERSION);
	p.result->command = gate_strdup(opts->selftest ? "selftest" : "run");
	p.result->started = timestamp();
	rc = stages(&p, err);
	p.result->seconds = gate_now_s() - p.started;
	if (rc)
		conclude_error(p.result, err);
	gate_session_free(p.session);
	if (p.have_trees)
		gate_trees_done(&p.trees);
	gate_sample_set_free(p.samples);
	gate_looks_done(&p.looks[0]);
	gate_looks_done(&p.looks[1]);
	/* Nothing was run, and the folder may be another test's. */
	if (p.config && rc != GATE_EUSAGE) {
		*ret = p.result;
	} else {
		gate_result_free(p.result);
	}
	/* Without its journal the folder is not this run's to write to. */
	if (p.journal && rc != GATE_EUSAGE)
		*run_dir = p.run_dir;
	else
		free(p.run_dir);
	gate_journal_free(p.journal);
	gate_waivers_done(&p.waivers);
	free(p.config_text);
	gate_config_free(p.config);
	gate_repo_free(p.repo);
	free(p.wanted);
	return rc;
}
