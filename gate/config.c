#include "gate/config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

enum {
	JOBS_MAX = 1000,
	ARGV_MAX = 1000,
	MODES_MAX = 500,
	RENAMES_MAX = 1000,
	MINUTE_MS = 60 * 1000,
};

static void argv_free(gate_argv v)
{
	size_t i;

	for (i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

static void job_done(struct gate_job *j)
{
	free(j->name);
	free(j->runner);
	free(j->bench);
	free(j->parser);
	argv_free(j->parser_command);
	free(j->modes);
	free(j->alg);
	argv_free(j->command);
	free(j->cpu);
	argv_free(j->load);
	argv_free(j->append);
	free(j->image);
	free(j->modules);
	free(j->logs[0]);
	free(j->logs[1]);
}

struct gate_config *gate_config_new(void)
{
	struct gate_config *c = gate_alloc(sizeof *c);

	c->build.timeout_ms = 30 * MINUTE_MS;
	c->rounds = (struct gate_rounds){.min = 6,
					 .max = 30,
					 .insn_min = 3,
					 .insn_max = 10,
					 .budget_ms = 30 * MINUTE_MS};
	gate_policy_init(&c->policy);
	return c;
}

void gate_config_free(struct gate_config *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->build.n_commands; i++)
		argv_free(c->build.commands[i]);
	free(c->build.commands);
	for (i = 0; i < c->n_jobs; i++)
		job_done(&c->jobs[i]);
	free(c->jobs);
	gate_policy_done(&c->policy);
	gate_renames_done(&c->renames);
	free(c->path);
	free(c);
}

static const cJSON *get(const cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

static int read_argv(const struct gate_json *j, const cJSON *array,
		     const char *what, gate_argv *ret, struct gate_error *err)
{
	gate_argv v = NULL;
	size_t n = 0, cap = 0;
	const cJSON *kid;

	if (!cJSON_IsArray(array) || !array->child)
		return gate_json_error(j, array, GATE_ECONFIG, err,
				       "%s must be an array of strings, like "
				       "[\"make\", \"-j2\"]",
				       what);
	cJSON_ArrayForEach(kid, array)
	{
		if (!cJSON_IsString(kid) || n >= ARGV_MAX) {
			GATE_PUSH(v, n, cap, NULL);
			argv_free(v);
			return gate_json_error(j, kid, GATE_ECONFIG, err,
					       "%s must hold strings only, at "
					       "most %d",
					       what, ARGV_MAX);
		}
		GATE_PUSH(v, n, cap, gate_strdup(kid->valuestring));
	}
	GATE_PUSH(v, n, cap, NULL);
	*ret = v;
	return GATE_OK;
}

static int read_optional_argv(const struct gate_json *j, const cJSON *o,
			      const char *key, gate_argv *ret,
			      struct gate_error *err)
{
	const cJSON *n = get(o, key);

	return n ? read_argv(j, n, key, ret, err) : GATE_OK;
}

static int read_duration(const struct gate_json *j, const cJSON *o,
			 const char *key, uint64_t *ret, struct gate_error *err)
{
	const char *s = NULL;
	int rc;

	rc = gate_json_string(j, o, key, &s, err);
	if (rc || !s)
		return rc;
	if (!gate_num_duration_ms(s, ret) || !*ret)
		return gate_json_error(j, get(o, key), GATE_ECONFIG, err,
				       "\"%s\" is \"%s\", but must be a "
				       "duration like \"90s\", \"30m\" or "
				       "\"2h\"",
				       key, s);
	return GATE_OK;
}

static int read_copy(const struct gate_json *j, const cJSON *o, const char *key,
		     char **ret, struct gate_error *err)
{
	const char *s = NULL;
	int rc;

	rc = gate_json_string(j, o, key, &s, err);
	if (rc || !s)
		return rc;
	free(*ret);
	*ret = gate_strdup(s);
	return GATE_OK;
}

/* One of `names` (ends with NULL) as its index. */
static int read_choice(const struct gate_json *j, const cJSON *o,
		       const char *key, const char *const *names, int *ret,
		       struct gate_error *err)
{
	struct gate_str all = {0};
	const char *s = NULL;
	size_t i;
	int rc;

	rc = gate_json_string(j, o, key, &s, err);
	if (rc || !s)
		return rc;
	for (i = 0; names[i]; i++)
		if (!strcmp(names[i], s)) {
			*ret = (int)i;
			return GATE_OK;
		}
	for (i = 0; names[i]; i++)
		gate_str_addf(&all, "%s\"%s\"", i ? ", " : "", names[i]);
	rc = gate_json_error(j, get(o, key), GATE_ECONFIG, err,
			     "\"%s\" is \"%s\", but must be one of %s", key, s,
			     gate_str_text(&all));
	gate_str_done(&all);
	return rc;
}

static int read_build(const struct gate_json *j, const cJSON *o,
		      struct gate_build *b, struct gate_error *err)
{
	static const char *const keys[] = {"commands", "timeout", NULL};
	const cJSON *commands = get(o, "commands"), *kid;
	gate_argv argv = NULL;
	int rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = read_duration(j, o, "timeout", &b->timeout_ms, err);
	if (rc || !commands)
		return rc;
	if (!cJSON_IsArray(commands))
		return gate_json_error(j, commands, GATE_ECONFIG, err,
				       "\"commands\" must be an array of "
				       "commands, like [[\"make\"]]");
	cJSON_ArrayForEach(kid, commands)
	{
		rc = read_argv(j, kid, "a build command", &argv, err);
		if (rc)
			return rc;
		GATE_PUSH(b->commands, b->n_commands, b->cap_commands, argv);
	}
	return GATE_OK;
}

static int read_rounds(const struct gate_json *j, const cJSON *o,
		       struct gate_rounds *r, struct gate_error *err)
{
	static const char *const keys[] = {"min", "max", "budget",
					   "instructions", NULL};
	static const char *const insn_keys[] = {"min", "max", NULL};
	const cJSON *insn = get(o, "instructions");
	int rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = gate_json_uint(j, o, "min", 1, 1000, &r->min, err);
	if (!rc)
		rc = gate_json_uint(j, o, "max", 1, 1000, &r->max, err);
	if (!rc)
		rc = read_duration(j, o, "budget", &r->budget_ms, err);
	if (!rc && insn) {
		rc = gate_json_keys(j, insn, insn_keys, err);
		if (!rc)
			rc = gate_json_uint(j, insn, "min", 1, 1000,
					    &r->insn_min, err);
		if (!rc)
			rc = gate_json_uint(j, insn, "max", 1, 1000,
					    &r->insn_max, err);
	}
	if (!rc && (r->min > r->max || r->insn_min > r->insn_max))
		rc = gate_json_error(j, o, GATE_ECONFIG, err,
				     "\"min\" is larger than \"max\"");
	return rc;
}

/* "30 cycles/op": a number and its unit. */
static int read_floor(const struct gate_json *j, const cJSON *o, double *value,
		      enum gate_unit *unit, struct gate_error *err)
{
	const char *s = NULL, *blank;
	int rc;

	rc = gate_json_string(j, o, "floor", &s, err);
	if (rc || !s)
		return rc;
	blank = strchr(s, ' ');
	if (blank && gate_num_double(s, (size_t)(blank - s), value) &&
	    *value >= 0) {
		*unit = gate_unit_parse(blank + 1);
		if (*unit != GATE_UNIT_NONE)
			return GATE_OK;
	}
	return gate_json_error(j, get(o, "floor"), GATE_ECONFIG, err,
			       "\"floor\" is \"%s\", but must be a number and "
			       "its unit, like \"30 cycles/op\"",
			       s);
}

static int read_rule(const struct gate_json *j, const cJSON *o,
		     struct gate_policy *p, struct gate_error *err)
{
	static const char *const keys[] = {"match",     "clock", "threshold",
					   "tolerated", "floor", "ignore",
					   NULL};
	static const char *const clocks[] = {"wall", "instructions", NULL};
	struct gate_rule r = {
		.threshold = GATE_NAN, .tolerated = GATE_NAN, .ignore = -1};
	bool ignore = false;
	int clock = -1, rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = gate_json_number(j, o, "threshold", 0, 1, &r.threshold,
				      err);
	if (!rc)
		rc = gate_json_number(j, o, "tolerated", 0, 1, &r.tolerated,
				      err);
	if (!rc)
		rc = read_floor(j, o, &r.floor, &r.floor_unit, err);
	if (!rc)
		rc = gate_json_bool(j, o, "ignore", &ignore, err);
	if (!rc)
		rc = read_choice(j, o, "clock", clocks, &clock, err);
	if (!rc)
		rc = read_copy(j, o, "match", &r.match, err);
	if (!rc && !r.match)
		rc = gate_json_error(j, o, GATE_ECONFIG, err,
				     "a rule needs \"match\", a row pattern "
				     "like \"tcrypt/*/block=16\"");
	if (!rc && r.tolerated > r.threshold)
		rc = gate_json_error(j, o, GATE_ECONFIG, err,
				     "\"tolerated\" is larger than "
				     "\"threshold\"");
	if (rc) {
		free(r.match);
		return rc;
	}
	if (get(o, "ignore"))
		r.ignore = ignore;
	r.has_clock = clock >= 0;
	r.clock = clock == 1 ? GATE_CLOCK_INSTRUCTIONS : GATE_CLOCK_WALL;
	GATE_PUSH(p->rules, p->n_rules, p->cap_rules, r);
	return GATE_OK;
}

/* threshold and tolerated; the latter is half unless given. */
static int read_pair(const struct gate_json *j, const cJSON *o, double *tau,
		     double *tau0, struct gate_error *err)
{
	double t0 = GATE_NAN;
	int rc;

	rc = gate_json_number(j, o, "threshold", 0, 1, tau, err);
	if (!rc)
		rc = gate_json_number(j, o, "tolerated", 0, 1, &t0, err);
	if (rc)
		return rc;
	*tau0 = isnan(t0) ? *tau / 2 : t0;
	if (*tau0 > *tau)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "\"tolerated\" is larger than "
				       "\"threshold\"");
	return GATE_OK;
}

static int read_level(const struct gate_json *j, const cJSON *policy,
		      const char *key, double *tau, double *tau0,
		      struct gate_error *err)
{
	static const char *const keys[] = {"threshold", "tolerated", NULL};
	const cJSON *o = get(policy, key);
	int rc;

	if (!o)
		return GATE_OK;
	rc = gate_json_keys(j, o, keys, err);
	return rc ? rc : read_pair(j, o, tau, tau0, err);
}

static int read_insn_policy(const struct gate_json *j, const cJSON *o,
			    struct gate_policy *p, struct gate_error *err)
{
	static const char *const keys[] = {"threshold", "group", "floor", NULL};
	enum gate_unit unit = GATE_UNIT_INSN_PER_OP;
	int rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = gate_json_number(j, o, "threshold", 0, 1,
				      &p->insn_threshold, err);
	if (!rc)
		rc = gate_json_number(j, o, "group", 0, 1, &p->insn_group, err);
	if (!rc)
		rc = read_floor(j, o, &p->insn_floor, &unit, err);
	if (!rc && unit != GATE_UNIT_INSN_PER_OP)
		rc = gate_json_error(j, get(o, "floor"), GATE_ECONFIG, err,
				     "\"floor\" must be in insn/op here");
	return rc;
}

static int read_policy(const struct gate_json *j, const cJSON *o,
		       struct gate_policy *p, struct gate_error *err)
{
	static const char *const keys[] = {
		"threshold", "tolerated", "alpha",        "missing",
		"group",     "suite",     "instructions", "driver_change",
		"rows",      NULL};
	static const char *const actions[] = {"report", "fail", NULL};
	const cJSON *insn = get(o, "instructions"), *rows = get(o, "rows");
	int missing = (int)p->missing, driver = (int)p->driver_change, rc;
	const cJSON *kid;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = read_pair(j, o, &p->threshold, &p->tolerated, err);
	if (!rc)
		rc = gate_json_number(j, o, "alpha", 1e-6, 0.5, &p->alpha, err);
	if (!rc)
		rc = read_choice(j, o, "missing", actions, &missing, err);
	if (!rc)
		rc = read_choice(j, o, "driver_change", actions, &driver, err);
	if (!rc)
		rc = read_level(j, o, "group", &p->group_threshold,
				&p->group_tolerated, err);
	if (!rc)
		rc = read_level(j, o, "suite", &p->suite_threshold,
				&p->suite_tolerated, err);
	if (!rc && insn)
		rc = read_insn_policy(j, insn, p, err);
	if (rc)
		return rc;
	p->missing = (enum gate_action)missing;
	p->driver_change = (enum gate_action)driver;
	if (rows && !cJSON_IsArray(rows))
		return gate_json_error(j, rows, GATE_ECONFIG, err,
				       "\"rows\" must be an array of rules");
	cJSON_ArrayForEach(kid, rows)
	{
		rc = read_rule(j, kid, p, err);
		if (rc)
			return rc;
	}
	return GATE_OK;
}

static int read_modes(const struct gate_json *j, const cJSON *o,
		      struct gate_job *job, struct gate_error *err)
{
	const cJSON *modes = get(o, "modes"), *kid;
	double v;

	if (!modes)
		return GATE_OK;
	if (!cJSON_IsArray(modes))
		return gate_json_error(j, modes, GATE_ECONFIG, err,
				       "\"modes\" must be an array of tcrypt "
				       "mode numbers, like [200, 211]");
	cJSON_ArrayForEach(kid, modes)
	{
		v = kid->valuedouble;
		if (!cJSON_IsNumber(kid) || v < 0 || v > 9999 ||
		    v != floor(v) || job->n_modes >= MODES_MAX)
			return gate_json_error(j, kid, GATE_ECONFIG, err,
					       "a mode must be a whole number "
					       "between 0 and 9999");
		GATE_PUSH(job->modes, job->n_modes, job->cap_modes,
			  (unsigned)v);
	}
	return GATE_OK;
}

/* type and mask are 32-bit numbers; JSON has no hexadecimal, so strings like
 * "0x8" are taken too. */
static int read_word(const struct gate_json *j, const cJSON *o, const char *key,
		     long *ret, struct gate_error *err)
{
	const cJSON *n = get(o, key);
	char *end = NULL;
	double v;

	if (!n)
		return GATE_OK;
	v = cJSON_IsString(n) && isxdigit((unsigned char)n->valuestring[0])
		    ? (double)strtoul(n->valuestring, &end, 0)
		    : n->valuedouble;
	if ((cJSON_IsString(n) ? !end || *end != '\0' : !cJSON_IsNumber(n)) ||
	    v < 0 || v > 4294967295.0 || v != floor(v))
		return gate_json_error(j, n, GATE_ECONFIG, err,
				       "\"%s\" must be a 32-bit number, like 3 "
				       "or \"0x8\"",
				       key);
	*ret = (long)v;
	return GATE_OK;
}

static int read_tcrypt(const struct gate_json *j, const cJSON *o,
		       struct gate_job *job, struct gate_error *err)
{
	int rc = read_modes(j, o, job, err);

	if (!rc)
		rc = gate_json_uint(j, o, "sec", 0, 3600, &job->sec, err);
	if (!rc)
		rc = gate_json_uint(j, o, "num_mb", 1, 65536, &job->num_mb,
				    err);
	if (!rc)
		rc = gate_json_uint(j, o, "klen", 1, 4096, &job->klen, err);
	if (!rc)
		rc = read_copy(j, o, "alg", &job->alg, err);
	if (!rc)
		rc = read_word(j, o, "type", &job->type, err);
	if (!rc)
		rc = read_word(j, o, "mask", &job->mask, err);
	return rc;
}

static int read_qemu(const struct gate_json *j, const cJSON *o,
		     struct gate_job *job, struct gate_error *err)
{
	static const char *const accels[] = {"auto", "kvm", "tcg", NULL};
	int accel = GATE_ACCEL_AUTO, rc;

	rc = read_copy(j, o, "cpu", &job->cpu, err);
	if (!rc)
		rc = read_choice(j, o, "accel", accels, &accel, err);
	if (!rc)
		rc = gate_json_uint(j, o, "memory", 64, 65536, &job->memory_mb,
				    err);
	if (!rc)
		rc = read_optional_argv(j, o, "load", &job->load, err);
	if (!rc)
		rc = read_optional_argv(j, o, "append", &job->append, err);
	job->accel = (enum gate_accel)accel;
	return rc;
}

static int read_replay(const struct gate_json *j, const cJSON *o,
		       struct gate_job *job, struct gate_error *err)
{
	static const char *const keys[] = {"base", "candidate", NULL};
	const cJSON *logs = get(o, "logs");
	int rc;

	if (!logs)
		return GATE_OK;
	rc = gate_json_keys(j, logs, keys, err);
	if (!rc)
		rc = read_copy(j, logs, "base", &job->logs[0], err);
	if (!rc)
		rc = read_copy(j, logs, "candidate", &job->logs[1], err);
	return rc;
}

/* A name, a path, or a program that reads the log. */
static int read_parser(const struct gate_json *j, const cJSON *o,
		       struct gate_job *job, struct gate_error *err)
{
	static const char *const keys[] = {"command", "timeout", NULL};
	const cJSON *parser = get(o, "parser");
	int rc;

	if (!cJSON_IsObject(parser))
		return read_copy(j, o, "parser", &job->parser, err);
	rc = gate_json_keys(j, parser, keys, err);
	if (!rc)
		rc = read_duration(j, parser, "timeout",
				   &job->parser_timeout_ms, err);
	if (!rc && !get(parser, "command"))
		rc = gate_json_error(j, parser, GATE_ECONFIG, err,
				     "\"parser\" must be a name, the path of a "
				     "plug-in, or {\"command\": [...]}");
	if (!rc)
		rc = read_optional_argv(j, parser, "command",
					&job->parser_command, err);
	return rc;
}

/* What a job of this kind cannot do without, and what contradicts. */
static int check_job(const struct gate_json *j, const cJSON *o,
		     const struct gate_job *job, struct gate_error *err)
{
	bool qemu = !strcmp(job->runner, "qemu");
	const char *fault = NULL;

	if (!strcmp(job->runner, "replay")) {
		if (!job->logs[0] || !job->logs[1])
			fault = "a replay job needs \"logs\": {\"base\": DIR, "
				"\"candidate\": DIR}";
	} else if (job->bench && job->command) {
		fault = "a job has either \"bench\" or \"command\"";
	} else if (!job->bench && !job->command) {
		fault = "a job needs \"bench\" (tcrypt, xor) or \"command\"";
	} else if (qemu && job->command) {
		fault = "the qemu runner knows \"bench\" jobs only; "
			"\"command\" runs with \"runner\": \"local\"";
	} else if (!qemu && job->bench) {
		fault = "\"bench\" needs \"runner\": \"qemu\"";
	} else if (job->clock == GATE_CLOCK_INSTRUCTIONS && !qemu) {
		fault = "only the qemu runner has the instruction clock";
	} else if (qemu && !strcmp(job->bench, "tcrypt") && !job->n_modes) {
		fault = "a tcrypt job needs \"modes\", like [200, 211]";
	} else if (job->clock == GATE_CLOCK_INSTRUCTIONS &&
		   !strcmp(job->bench, "tcrypt") && job->sec) {
		fault = "under the instruction clock \"sec\" must be 0: tcrypt "
			"then counts cycles, which are instructions there";
	} else if (job->clock == GATE_CLOCK_INSTRUCTIONS &&
		   job->accel == GATE_ACCEL_KVM) {
		fault = "the instruction clock needs \"accel\": \"tcg\"";
	}
	return fault ? gate_json_error(j, o, GATE_ECONFIG, err, "%s", fault)
		     : GATE_OK;
}

static bool plain_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
			     "XYZ0123456789_.:,+=-");

	return n && n <= 64 && !s[n] && s[0] != '.' && s[0] != '-';
}

static int check_name(const struct gate_json *j, const cJSON *o,
		      const struct gate_config *c, const char *name,
		      struct gate_error *err)
{
	size_t i;

	if (!name)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a job needs a \"name\"");
	/* It becomes a folder of the run directory. */
	if (!plain_name(name))
		return gate_json_error(j, get(o, "name"), GATE_ECONFIG, err,
				       "a job's name must be letters, digits "
				       "and _.:,+=- only, at most 64");
	for (i = 0; i < c->n_jobs; i++)
		if (!strcmp(c->jobs[i].name, name))
			return gate_json_error(j, get(o, "name"), GATE_ECONFIG,
					       err, "two jobs are named \"%s\"",
					       name);
	return GATE_OK;
}

static int fill_job(const struct gate_json *j, const cJSON *o,
		    const struct gate_config *c, struct gate_job *job,
		    struct gate_error *err)
{
	static const char *const keys[] = {
		"name",        "runner",    "clock",  "bench",   "parser",
		"modes",       "sec",       "num_mb", "klen",    "alg",
		"type",        "mask",      "cpu",    "command", "accel",
		"load",        "memory",    "append", "logs",    "timeout",
		"allow_empty", "cpu_share", NULL};
	static const char *const runners[] = {"qemu", "local", "replay", NULL};
	static const char *const clocks[] = {"wall", "instructions", NULL};
	static const char *const benches[] = {"tcrypt", "xor", NULL};
	int runner = -1, clock = 0, bench = -1, rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = read_copy(j, o, "name", &job->name, err);
	if (!rc)
		rc = check_name(j, o, c, job->name, err);
	if (!rc)
		rc = read_choice(j, o, "runner", runners, &runner, err);
	if (!rc && runner < 0)
		rc = gate_json_error(j, o, GATE_ECONFIG, err,
				     "job \"%s\" needs a \"runner\": \"qemu\", "
				     "\"local\" or \"replay\"",
				     job->name);
	if (!rc)
		rc = read_choice(j, o, "clock", clocks, &clock, err);
	if (!rc)
		rc = read_choice(j, o, "bench", benches, &bench, err);
	if (!rc)
		rc = read_parser(j, o, job, err);
	if (!rc)
		rc = read_optional_argv(j, o, "command", &job->command, err);
	if (!rc)
		rc = read_tcrypt(j, o, job, err);
	if (!rc)
		rc = read_qemu(j, o, job, err);
	if (!rc)
		rc = read_replay(j, o, job, err);
	if (!rc)
		rc = read_duration(j, o, "timeout", &job->timeout_ms, err);
	if (!rc)
		rc = gate_json_bool(j, o, "allow_empty", &job->allow_empty,
				    err);
	if (!rc)
		rc = gate_json_number(j, o, "cpu_share", 0, 1, &job->cpu_share,
				      err);
	if (rc)
		return rc;
	job->runner = gate_strdup(runners[runner]);
	job->bench = bench >= 0 ? gate_strdup(benches[bench]) : NULL;
	job->clock = clock ? GATE_CLOCK_INSTRUCTIONS : GATE_CLOCK_WALL;
	/* A guest computes from its start to its end; what a command does is
	 * not known. */
	if (!get(o, "cpu_share") && !clock && !strcmp(job->runner, "qemu"))
		job->cpu_share = 0.9;
	return check_job(j, o, job, err);
}

static int read_job(const struct gate_json *j, const cJSON *o,
		    struct gate_config *c, struct gate_error *err)
{
	struct gate_job job = {.type = -1,
			       .mask = -1,
			       .memory_mb = 512,
			       .timeout_ms = 10 * MINUTE_MS,
			       .parser = gate_strdup("auto"),
			       .cpu = gate_strdup("max")};
	int rc;

	rc = fill_job(j, o, c, &job, err);
	if (rc) {
		job_done(&job);
		return rc;
	}
	GATE_PUSH(c->jobs, c->n_jobs, c->cap_jobs, job);
	return GATE_OK;
}

static int read_jobs(const struct gate_json *j, const cJSON *array,
		     struct gate_config *c, struct gate_error *err)
{
	const cJSON *kid;
	int rc;

	if (!cJSON_IsArray(array) || !array->child)
		return gate_json_error(j, array ? array : j->root, GATE_ECONFIG,
				       err,
				       "\"jobs\" must be an array with at "
				       "least one job");
	cJSON_ArrayForEach(kid, array)
	{
		if (c->n_jobs >= JOBS_MAX)
			return gate_json_error(j, kid, GATE_ECONFIG, err,
					       "more than %d jobs", JOBS_MAX);
		rc = read_job(j, kid, c, err);
		if (rc)
			return rc;
	}
	return GATE_OK;
}

/* Where the built kernel is, for every job that boots one. */
static int read_kernel(const struct gate_json *j, const cJSON *o,
		       struct gate_config *c, struct gate_error *err)
{
	static const char *const keys[] = {"image", "modules", NULL};
	const char *image = NULL, *modules = NULL;
	size_t i;
	int rc = GATE_OK;

	if (o) {
		rc = gate_json_keys(j, o, keys, err);
		if (!rc)
			rc = gate_json_string(j, o, "image", &image, err);
		if (!rc)
			rc = gate_json_string(j, o, "modules", &modules, err);
	}
	for (i = 0; i < c->n_jobs && !rc; i++) {
		if (strcmp(c->jobs[i].runner, "qemu") != 0)
			continue;
		if (!image)
			return gate_json_error(
				j, o ? o : j->root, GATE_ECONFIG, err,
				"job \"%s\" boots a kernel, so \"kernel\": "
				"{\"image\": ...} must say where the build "
				"puts it",
				c->jobs[i].name);
		c->jobs[i].image = gate_strdup(image);
		c->jobs[i].modules = gate_strdup(modules);
	}
	return rc;
}

static int check_rename(const struct gate_json *j, const cJSON *o,
			const char *from, const char *to,
			struct gate_error *err)
{
	const char *from_star = from ? strchr(from, '*') : NULL;
	const char *to_star = to ? strchr(to, '*') : NULL;

	if (!!get(o, "rows") == !!get(o, "drivers") || !from || !to || !*from ||
	    !*to)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a rule needs \"rows\" or \"drivers\", "
				       "and \"to\", like {\"rows\": "
				       "\"tcrypt/old*\", \"to\": "
				       "\"tcrypt/new*\"}");
	if ((from_star && strchr(from_star + 1, '*')) ||
	    (to_star && strchr(to_star + 1, '*')))
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a name to rename holds one * at most");
	if (to_star && !from_star)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "\"to\" holds a * that stands for "
				       "nothing");
	return GATE_OK;
}

static int read_renames(const struct gate_json *j, const cJSON *array,
			struct gate_renames *r, struct gate_error *err)
{
	static const char *const keys[] = {"rows", "drivers", "to", NULL};
	const char *from, *to;
	const cJSON *kid;
	int rc = GATE_OK;

	if (array && !cJSON_IsArray(array))
		return gate_json_error(j, array, GATE_ECONFIG, err,
				       "\"rename\" must be an array of rules");
	cJSON_ArrayForEach(kid, array)
	{
		from = to = NULL;
		rc = gate_json_keys(j, kid, keys, err);
		if (!rc)
			rc = gate_json_string(j, kid, "rows", &from, err);
		if (!rc)
			rc = gate_json_string(j, kid, "drivers", &from, err);
		if (!rc)
			rc = gate_json_string(j, kid, "to", &to, err);
		if (!rc)
			rc = check_rename(j, kid, from, to, err);
		if (!rc && r->n >= RENAMES_MAX)
			rc = gate_json_error(j, kid, GATE_ECONFIG, err,
					     "more than %d rules", RENAMES_MAX);
		if (rc)
			return rc;
		GATE_PUSH(r->items, r->n, r->cap,
			  (struct gate_rename){.drivers = get(kid, "drivers") !=
							  NULL,
					       .from = gate_strdup(from),
					       .to = gate_strdup(to)});
	}
	return GATE_OK;
}

static int read_root(const struct gate_json *j, bool need_jobs,
		     struct gate_config *c, struct gate_error *err)
{
	static const char *const keys[] = {"$schema", "build",  "kernel",
					   "jobs",    "rounds", "policy",
					   "rename",  NULL};
	const cJSON *build = get(j->root, "build");
	const cJSON *rounds = get(j->root, "rounds");
	const cJSON *policy = get(j->root, "policy");
	int rc;

	rc = gate_json_keys(j, j->root, keys, err);
	if (!rc && build)
		rc = read_build(j, build, &c->build, err);
	if (!rc && rounds)
		rc = read_rounds(j, rounds, &c->rounds, err);
	if (!rc && policy)
		rc = read_policy(j, policy, &c->policy, err);
	if (!rc)
		rc = read_renames(j, get(j->root, "rename"), &c->renames, err);
	if (!rc && (need_jobs || get(j->root, "jobs")))
		rc = read_jobs(j, get(j->root, "jobs"), c, err);
	if (!rc)
		rc = read_kernel(j, get(j->root, "kernel"), c, err);
	return rc;
}

int gate_config_parse(const char *path, const char *text, size_t len,
		      bool need_jobs, struct gate_config **ret,
		      struct gate_error *err)
{
	struct gate_config *c;
	struct gate_json j;
	int rc;

	rc = gate_json_parse(path, text, len, GATE_ECONFIG, &j, err);
	if (rc)
		return rc;
	c = gate_config_new();
	c->path = gate_strdup(path);
	rc = read_root(&j, need_jobs, c, err);
	gate_json_done(&j);
	if (rc)
		gate_config_free(c);
	else
		*ret = c;
	return rc;
}
