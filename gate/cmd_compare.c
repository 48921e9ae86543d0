/* gate compare: judge logs that somebody has; one file is one round. */
#include <stdlib.h>
#include <string.h>

#include "gate/cli.h"
#include "gate/config.h"
#include "gate/output.h"
#include "gate/pair.h"
#include "gate/parse.h"
#include "gate/plan.h"
#include "gate/roundlog.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/verdict.h"
#include "gate/waiver.h"

static const struct gate_cli_option options[] = {
	{"--base", GATE_CLI_MANY, "FILE", "logs of the base, a round each"},
	{"--candidate", GATE_CLI_MANY, "FILE", "logs of the candidate"},
	{"--parser", GATE_CLI_VALUE, "NAME|/PATH.so",
	 "default: auto, or what --config says of the job"},
	{"--clock", GATE_CLI_VALUE, "wall|instructions",
	 "what the values count; default: as the logs say, else wall"},
	{"--config", GATE_CLI_VALUE, "FILE",
	 "take the policy, renames and the parsers of jobs from here"},
	{"--waivers", GATE_CLI_VALUE, "FILE",
	 "accept what this gate-waivers.json accepts"},
	{"--report", GATE_CLI_VALUE, "FORMAT[=FILE]",
	 "text, markdown, junit, json; default: text"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

/* The longest first line that a stored round can have. */
enum { FACTS_MAX = 65536, CONFIG_MAX = 1 << 20, PIPE_MAX = 1 << 30 };

struct input {
	const char *path;
	enum gate_side side;
	bool has_facts;
	struct gate_roundlog facts;
	char *data; /* the whole of a pipe; NULL: read from the file */
	size_t len;
};

struct comparison {
	const struct gate_cli *cli;
	struct input *inputs;
	size_t n, cap;
	size_t sides[2]; /* files a side */
	bool clock_given;
	enum gate_clock clock;
	struct gate_config *config;
	struct gate_waivers waivers;
	char *config_dir; /* where it is */
	struct gate_sample_set *samples;
	struct gate_result *result;
};

/* A stored round says itself what it is. */
static int read_facts(struct input *in, struct gate_error *err)
{
	struct gate_error ignored;
	size_t len, body;
	char *data;
	int rc;

	/* What a pipe has given it does not give again, so it is kept. */
	if (!strcmp(in->path, "-") ||
	    gate_fs_check_regular(in->path, &ignored)) {
		rc = gate_fs_read(in->path, PIPE_MAX, &in->data, &in->len, err);
		if (!rc)
			in->has_facts = gate_roundlog_parse(in->data, in->len,
							    &in->facts, &body);
		return rc;
	}
	rc = gate_fs_read_head(in->path, FACTS_MAX, &data, &len, err);
	if (rc)
		return rc;
	in->has_facts = gate_roundlog_parse(data, len, &in->facts, &body);
	free(data);
	return GATE_OK;
}

static void add_input(struct comparison *c, const char *path,
		      enum gate_side side)
{
	GATE_PUSH(c->inputs, c->n, c->cap,
		  (struct input){.path = path, .side = side});
	c->sides[side]++;
}

static void add_files(struct comparison *c, const char *option,
		      enum gate_side side)
{
	const char **paths;
	size_t n, i;

	paths = gate_cli_values(c->cli, option, &n);
	for (i = 0; i < n; i++)
		add_input(c, paths[i], side);
	free(paths);
}

static int collect_inputs(struct comparison *c, struct gate_error *err)
{
	const struct gate_cli *cli = c->cli;
	size_t i, standard = 0;

	add_files(c, "--base", GATE_BASE);
	add_files(c, "--candidate", GATE_CANDIDATE);
	if (cli->n_words && c->n)
		return gate_error_set(err, GATE_EUSAGE,
				      "give either two logs, or --base and "
				      "--candidate");
	if (cli->n_words == 2) {
		add_input(c, cli->words[0], GATE_BASE);
		add_input(c, cli->words[1], GATE_CANDIDATE);
	}
	if (!c->sides[0] || !c->sides[1])
		return gate_error_set(err, GATE_EUSAGE,
				      "needs logs of both sides: gate compare "
				      "BASE.log CANDIDATE.log, or --base "
				      "FILE... --candidate FILE...");
	for (i = 0; i < c->n; i++)
		standard += !strcmp(c->inputs[i].path, "-");
	if (standard > 1)
		return gate_error_set(err, GATE_EUSAGE,
				      "standard input can be one log only");
	return GATE_OK;
}

static int read_options(struct comparison *c, struct gate_error *err)
{
	const char *parser = gate_cli_value(c->cli, "--parser", "auto");
	const char *clock = gate_cli_value(c->cli, "--clock", NULL);

	if (gate_parser_check(parser, err))
		return gate_error_prefix(err, "--parser: ");
	c->clock_given = clock != NULL;
	if (clock && !gate_clock_parse(clock, &c->clock))
		return gate_error_set(err, GATE_EUSAGE,
				      "--clock is \"%s\", but must be wall or "
				      "instructions",
				      clock);
	return gate_output_check(c->cli, err);
}

static int read_policy(struct comparison *c, struct gate_error *err)
{
	const char *path = gate_cli_value(c->cli, "--config", NULL), *slash;
	char *text;
	size_t len;
	int rc;

	if (!path) {
		c->config = gate_config_new();
		return GATE_OK;
	}
	rc = gate_fs_read(path, CONFIG_MAX, &text, &len, err);
	if (rc) {
		err->status = GATE_ECONFIG;
		return GATE_ECONFIG;
	}
	rc = gate_config_parse(path, text, len, false, &c->config, err);
	free(text);
	slash = strrchr(path, '/');
	c->config_dir = slash ? gate_strndup(path, (size_t)(slash - path) + 1)
			      : gate_strdup(".");
	return rc;
}

static int read_waivers(struct comparison *c, struct gate_error *err)
{
	const char *path = gate_cli_value(c->cli, "--waivers", NULL);
	char *text;
	size_t len;
	int rc;

	if (!path)
		return GATE_OK;
	rc = gate_fs_read(path, CONFIG_MAX, &text, &len, err);
	if (rc) {
		err->status = GATE_ECONFIG;
		return GATE_ECONFIG;
	}
	rc = gate_waivers_parse(path, text, len, &c->waivers, err);
	free(text);
	return rc;
}

static const char *job_of(const struct input *in)
{
	return in->has_facts ? in->facts.job : "log";
}

static enum gate_clock clock_of(const struct comparison *c,
				const struct input *in)
{
	return in->has_facts ? in->facts.clock : c->clock;
}

/* The next word of a job's parameters, "key=value"; blanks inside [] belong to
 * it. NULL at the end. */
static const char *next_word(const char **at, size_t *len)
{
	const char *s = *at + strspn(*at, " "), *p;
	int depth = 0;

	for (p = s; *p && (*p != ' ' || depth); p++)
		depth += (*p == '[') - (*p == ']' && depth > 0);
	*at = p;
	*len = (size_t)(p - s);
	return *len ? s : NULL;
}

/* The word of `params` that begins as this one does, up to its "=". */
static const char *same_key(const char *params, const char *word, size_t len,
			    size_t *ret)
{
	const char *eq = memchr(word, '=', len), *w;
	size_t key = eq ? (size_t)(eq - word) + 1 : len;

	while ((w = next_word(&params, ret)))
		if (*ret >= key && !strncmp(w, word, key))
			return w;
	*ret = 0;
	return NULL;
}

static int refuse_params(const struct input *a, const struct input *b,
			 const char *x, size_t x_len, const char *y,
			 size_t y_len, struct gate_error *err)
{
	return gate_error_set(
		err, GATE_EHOST,
		"job %s was run differently: \"%.*s\" in %s, \"%.*s\" in %s",
		a->facts.job, (int)x_len, x ? x : "", a->path, (int)y_len,
		y ? y : "", b->path);
}

/* Words of `a` that `b` has otherwise, or not at all. */
static int compare_params(const struct input *a, const struct input *b,
			  struct gate_error *err)
{
	const char *at = a->facts.params, *x, *y;
	size_t x_len, y_len;

	while ((x = next_word(&at, &x_len))) {
		y = same_key(b->facts.params, x, x_len, &y_len);
		if (!y && !memchr(x, '=', x_len)) {
			y = b->facts.params;
			y_len = strlen(y);
		}
		if (!y || y_len != x_len || strncmp(x, y, x_len) != 0)
			return refuse_params(a, b, x, x_len, y, y_len, err);
	}
	at = b->facts.params;
	while ((y = next_word(&at, &y_len)))
		if (!same_key(a->facts.params, y, y_len, &x_len))
			return refuse_params(a, b, NULL, 0, y, y_len, err);
	return GATE_OK;
}

static int compare_hosts(const struct input *a, const struct input *b,
			 struct gate_error *err)
{
	const struct gate_fact *x, *y;
	size_t i, k;

	for (i = 0; i < a->facts.n_host; i++)
		for (k = 0; k < b->facts.n_host; k++) {
			x = &a->facts.host[i];
			y = &b->facts.host[k];
			if (strcmp(x->key, y->key) != 0 ||
			    !strcmp(x->value, y->value))
				continue;
			return gate_error_set(
				err, GATE_EHOST,
				"job %s was run on different hosts: %s is "
				"\"%s\" in %s, \"%s\" in %s",
				a->facts.job, x->key, x->value, a->path,
				y->value, b->path);
		}
	return GATE_OK;
}

static int check_clock(const struct comparison *c, const struct input *in,
		       struct gate_error *err)
{
	if (!c->clock_given || in->facts.clock == c->clock)
		return GATE_OK;
	return gate_error_set(err, GATE_EUSAGE,
			      "%s was measured by the %s clock; --clock %s "
			      "contradicts it",
			      in->path, gate_clock_name(in->facts.clock),
			      gate_clock_name(c->clock));
}

/* What the logs say of themselves must fit together. */
/* The same log twice on one side would count as two rounds that agree. */
static int check_repeats(const struct comparison *c, struct gate_error *err)
{
	const struct input *a, *b;
	size_t i, k;

	for (i = 0; i < c->n; i++)
		for (k = 0; k < i; k++) {
			a = &c->inputs[k];
			b = &c->inputs[i];
			if (a->side != b->side)
				continue;
			if (!strcmp(a->path, b->path))
				return gate_error_set(
					err, GATE_EUSAGE,
					"%s is given twice as the %s", a->path,
					gate_side_name(a->side));
			if (a->has_facts && b->has_facts &&
			    a->facts.side == b->facts.side &&
			    a->facts.round == b->facts.round &&
			    a->facts.clock == b->facts.clock &&
			    !strcmp(a->facts.job, b->facts.job))
				return gate_error_set(
					err, GATE_EUSAGE,
					"%s and %s are the same round %u of "
					"job %s",
					a->path, b->path, a->facts.round,
					a->facts.job);
		}
	return GATE_OK;
}

/* Logs that say which side they are, and are given as the other. */
static int check_sides(const struct comparison *c, struct gate_error *err)
{
	size_t i, swapped[2] = {0, 0};

	for (i = 0; i < c->n; i++)
		swapped[c->inputs[i].side] +=
			c->inputs[i].has_facts &&
			c->inputs[i].facts.side != c->inputs[i].side;
	if (swapped[0] && swapped[1])
		return gate_error_set(
			err, GATE_EHOST,
			"the logs given as the base say that they "
			"are the candidate, and the other way "
			"round");
	return GATE_OK;
}

static int check_facts(const struct comparison *c, struct gate_error *err)
{
	const struct input *a, *b;
	int rc = GATE_OK;
	size_t i, k;

	for (i = 0; i < c->n && !rc; i++) {
		b = &c->inputs[i];
		if (!b->has_facts)
			continue;
		rc = check_clock(c, b, err);
		for (k = 0; k < i && !rc; k++) {
			a = &c->inputs[k];
			if (!a->has_facts ||
			    strcmp(a->facts.job, b->facts.job) != 0)
				continue;
			if (a->facts.params && b->facts.params)
				rc = compare_params(a, b, err);
			if (!rc)
				rc = compare_hosts(a, b, err);
		}
	}
	return rc;
}

/*
 * All of one side before all of the other: a drift of the machine would look
 * like a regression, and no statistic sees it.
 */
static int check_order(const struct comparison *c, struct gate_error *err)
{
	unsigned first[2] = {(unsigned)-1, (unsigned)-1}, last[2] = {0, 0};
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct input *in = &c->inputs[i];

		if (!in->has_facts || !in->facts.slot ||
		    in->facts.clock != GATE_CLOCK_WALL)
			return GATE_OK;
		if (in->facts.slot < first[in->side])
			first[in->side] = in->facts.slot;
		if (in->facts.slot > last[in->side])
			last[in->side] = in->facts.slot;
	}
	if (c->n > 2 && (last[0] < first[1] || last[1] < first[0]))
		return gate_error_set(err, GATE_EHOST,
				      "the logs say that all rounds of one "
				      "side ran before all of the other; a "
				      "drift of the machine would look like a "
				      "change, so nothing can be decided");
	return GATE_OK;
}

/* The number that the log states, when all logs state one; else its place. */
static unsigned round_of(const struct comparison *c, size_t index)
{
	unsigned place = 0;
	bool all = true;
	size_t i;

	for (i = 0; i < c->n; i++) {
		all &= c->inputs[i].has_facts;
		if (i <= index)
			place += c->inputs[i].side == c->inputs[index].side;
	}
	return all ? c->inputs[index].facts.round : place;
}

/* The job that a stored round belongs to, as --config has it. */
static const struct gate_job *configured_job(const struct comparison *c,
					     const struct input *in)
{
	size_t i;

	for (i = 0; i < c->config->n_jobs; i++)
		if (in->has_facts &&
		    !strcmp(c->config->jobs[i].name, in->facts.job))
			return &c->config->jobs[i];
	return NULL;
}

/* How to read a log: --parser, else as the configuration says of its job. */
static void choose_parser(const struct comparison *c, const struct input *in,
			  struct gate_parse_opts *o,
			  struct gate_program *program)
{
	const struct gate_job *job = configured_job(c, in);

	o->parser = gate_cli_value(c->cli, "--parser", NULL);
	if (o->parser || !job)
		return;
	o->parser = job->parser;
	if (!job->parser_command)
		return;
	program->argv = (const char *const *)job->parser_command;
	program->cwd = c->config_dir;
	program->timeout_ms = job->parser_timeout_ms;
	o->program = program;
}

static int parse_input(struct comparison *c, size_t i, struct gate_error *err)
{
	const struct input *in = &c->inputs[i];
	struct gate_parse_opts o = {.clock = clock_of(c, in),
				    .side = in->side,
				    .round = round_of(c, i),
				    .job = job_of(in),
				    .path = in->path};
	struct gate_program program = {0};
	struct gate_parse_stats stats;
	int rc;

	choose_parser(c, in, &o, &program);
	rc = in->data ? gate_parse_buffer(&o, in->data, in->len, c->samples,
					  &c->result->diags, &stats, err)
		      : gate_parse_file(&o, in->path, c->samples,
					&c->result->diags, &stats, err);
	if (!rc && !stats.samples)
		rc = gate_error_set(err, GATE_ENODATA,
				    "%s: no benchmark result in %llu lines",
				    in->path, (unsigned long long)stats.lines);
	return rc;
}

static struct gate_job_info *job_info(struct gate_result *r, const char *name,
				      enum gate_clock clock)
{
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (!strcmp(r->jobs[i].name, name) && r->jobs[i].clock == clock)
			return &r->jobs[i];
	GATE_PUSH(r->jobs, r->n_jobs, r->cap_jobs,
		  (struct gate_job_info){.name = gate_strdup(name),
					 .clock = clock});
	return &r->jobs[r->n_jobs - 1];
}

/* The two sides of a round one right after the other, the base first in odd
 * rounds? */
static bool in_turn(const struct gate_roundlog *base,
		    const struct gate_roundlog *candidate)
{
	if (base->round != candidate->round ||
	    strcmp(base->job, candidate->job) != 0)
		return true;
	return base->round % 2 ? base->slot + 1 == candidate->slot
			       : candidate->slot + 1 == base->slot;
}

/* The order in which the rounds ran, as far as the logs say. */
static const char *find_order(const struct comparison *c)
{
	bool wall = false, abba = true;
	size_t i, k;

	for (i = 0; i < c->n; i++) {
		const struct input *a = &c->inputs[i];

		if (!a->has_facts)
			return "unknown";
		if (a->facts.clock != GATE_CLOCK_WALL)
			continue;
		if (!a->facts.slot)
			return "unknown";
		wall = true;
		for (k = 0; k < c->n && a->side == GATE_BASE; k++)
			if (c->inputs[k].has_facts &&
			    c->inputs[k].side == GATE_CANDIDATE)
				abba &= in_turn(&a->facts, &c->inputs[k].facts);
	}
	return !wall ? "phases" : abba ? "ABBA" : "interleaved";
}

static void describe(struct comparison *c)
{
	struct gate_result *r = c->result;
	struct gate_job_info *job;
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct input *in = &c->inputs[i];

		job = job_info(r, job_of(in), clock_of(c, in));
		job->rounds[in->side]++;
		job->contaminated[in->side] += in->facts.contaminated;
		if (in->facts.cpu_least > 0)
			job->cpu_share = in->facts.cpu_least;
		if (in->has_facts && !job->params)
			job->params = gate_strdup(in->facts.params);
	}
	r->version = gate_strdup(GATE_VERSION);
	r->command = gate_strdup("compare");
	r->order = gate_strdup(find_order(c));
	r->base.how = gate_asprintf("%zu log%s", c->sides[0],
				    c->sides[0] == 1 ? "" : "s");
	r->candidate.how = gate_asprintf("%zu log%s", c->sides[1],
					 c->sides[1] == 1 ? "" : "s");
	if (!strcmp(r->order, "unknown"))
		gate_diags_add(&r->diags, GATE_DIAG_NOTE, "compare.order",
			       "logs do not say in which order they were made; "
			       "run base and candidate in turn, or a drift of "
			       "the machine looks like a change");
	if (c->sides[0] != c->sides[1])
		gate_diags_add(&r->diags, GATE_DIAG_WARNING, "compare.unequal",
			       "%zu logs of the base and %zu of the candidate: "
			       "only rounds that both have are compared",
			       c->sides[0], c->sides[1]);
}

static int check_common(const struct gate_result *r, struct gate_error *err)
{
	size_t i, only[2] = {0, 0};

	for (i = 0; i < r->n_rows; i++) {
		if (r->rows[i].base.n && r->rows[i].candidate.n)
			return GATE_OK;
		only[0] += r->rows[i].base.n > 0;
		only[1] += r->rows[i].candidate.n > 0;
	}
	return gate_error_set(err, GATE_ENODATA,
			      "no row in common: base has %zu, candidate has "
			      "%zu others",
			      only[0], only[1]);
}

static void decide(struct comparison *c)
{
	struct gate_look_spec spec = {.spend = 1, .last = true};
	struct gate_result *r = c->result;
	bool done[2] = {false, false};
	char today[GATE_DAY_MAX];
	size_t i, rounds;

	for (i = 0; i < r->n_jobs; i++) {
		enum gate_clock clock = r->jobs[i].clock;

		if (done[clock])
			continue;
		done[clock] = true;
		rounds = r->jobs[i].rounds[0] < r->jobs[i].rounds[1]
				 ? r->jobs[i].rounds[0]
				 : r->jobs[i].rounds[1];
		spec.may_park = rounds >= 10;
		gate_decide(r, clock, &spec);
	}
	gate_plan(r);
	gate_waivers_today(today);
	gate_waivers_apply(&c->waivers, today, r);
	gate_conclude(r);
}

static int compare(struct comparison *c, struct gate_error *err)
{
	size_t i;
	int rc;

	rc = collect_inputs(c, err);
	if (!rc)
		rc = read_options(c, err);
	if (!rc)
		rc = read_policy(c, err);
	if (!rc)
		rc = read_waivers(c, err);
	for (i = 0; i < c->n && !rc; i++)
		rc = read_facts(&c->inputs[i], err);
	if (!rc)
		rc = check_repeats(c, err);
	if (!rc)
		rc = check_sides(c, err);
	if (!rc)
		rc = check_facts(c, err);
	if (!rc)
		rc = check_order(c, err);
	if (rc)
		return rc;
	gate_policy_copy(&c->result->policy, &c->config->policy);
	for (i = 0; i < c->n && !rc; i++)
		rc = parse_input(c, i, err);
	if (rc)
		return rc;
	gate_renames_apply(&c->config->renames, c->samples, 0);
	gate_renames_report(&c->config->renames, &c->result->diags);
	describe(c);
	gate_pair(c->samples, c->result);
	rc = check_common(c->result, err);
	if (rc)
		return rc;
	decide(c);
	rc = gate_output_write(c->cli, c->result, err);
	return rc ? rc : c->result->exit_code;
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	struct comparison c = {.cli = cli,
			       .samples = gate_sample_set_new(),
			       .result = gate_result_new()};
	size_t i;
	int rc;

	rc = compare(&c, err);
	for (i = 0; i < c.n; i++) {
		gate_roundlog_done(&c.inputs[i].facts);
		free(c.inputs[i].data);
	}
	free(c.inputs);
	gate_config_free(c.config);
	gate_waivers_done(&c.waivers);
	free(c.config_dir);
	gate_sample_set_free(c.samples);
	gate_result_free(c.result);
	return rc;
}

const struct gate_cli_command gate_cmd_compare = {
	.name = "compare",
	.summary = "judge logs that you have",
	.usage = "  gate compare BASE.log CANDIDATE.log\n"
		 "  gate compare --base FILE... --candidate FILE... [options]",
	.options = options,
	.max_words = 2,
	.run = run,
};
