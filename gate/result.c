#include "gate/result.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"

static const char *const verdicts[GATE_VERDICTS] = {
	[GATE_V_REGRESSION] = "regression",
	[GATE_V_PASS] = "pass",
	[GATE_V_IMPROVEMENT] = "improvement",
	[GATE_V_PARKED] = "parked",
	[GATE_V_INCONCLUSIVE] = "inconclusive",
	[GATE_V_INSUFFICIENT] = "insufficient",
	[GATE_V_UNRESOLVABLE] = "unresolvable",
	[GATE_V_MISSING] = "missing",
	[GATE_V_NEW] = "new",
	[GATE_V_FAILED] = "failed",
	[GATE_V_INCOMPARABLE] = "incomparable",
};

const char *gate_verdict_name(enum gate_verdict v)
{
	return verdicts[v];
}

bool gate_verdict_parse(const char *s, enum gate_verdict *ret)
{
	size_t i;

	for (i = 0; i < GATE_VERDICTS; i++)
		if (!strcmp(verdicts[i], s)) {
			*ret = (enum gate_verdict)i;
			return true;
		}
	return false;
}

static const struct gate_suite no_suite = {
	.slowdown = GATE_NAN, .ci = {GATE_NAN, GATE_NAN}, .p = GATE_NAN};

struct gate_result *gate_result_new(void)
{
	struct gate_result *r = gate_alloc(sizeof *r);

	gate_policy_init(&r->policy);
	r->suite = no_suite;
	return r;
}

static void side_done(struct gate_row_side *s)
{
	free(s->driver);
	free(s->rounds);
	free(s->values);
}

void gate_waived_free(struct gate_waived *w)
{
	if (!w)
		return;
	free(w->match);
	free(w->reason);
	free(w->expires);
	free(w);
}

static void row_done(struct gate_row *row)
{
	gate_waived_free(row->waived);
	free(row->job);
	free(row->bench);
	free(row->row);
	free(row->group);
	free(row->reason);
	side_done(&row->base);
	side_done(&row->candidate);
}

static void group_done(struct gate_group *g)
{
	gate_waived_free(g->waived);
	free(g->job);
	free(g->group);
	free(g->reason);
}

static void job_done(struct gate_job_info *j)
{
	free(j->name);
	free(j->runner);
	free(j->bench);
	free(j->params);
}

static void commit_done(struct gate_commit *c)
{
	free(c->rev);
	free(c->commit);
	free(c->how);
}

void gate_result_clear(struct gate_result *r)
{
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		row_done(&r->rows[i]);
	for (i = 0; i < r->n_groups; i++)
		group_done(&r->groups[i]);
	r->n_rows = 0;
	r->n_groups = 0;
	free(r->suite.reason);
	gate_waived_free(r->suite.waived);
	r->suite = no_suite;
	free(r->check.unsound);
	r->check = (struct gate_check){0};
	r->plan = (struct gate_plan){0};
	gate_diags_drop(&r->diags, "pair.");
}

void gate_result_free(struct gate_result *r)
{
	size_t i;

	if (!r)
		return;
	gate_result_clear(r);
	for (i = 0; i < r->n_jobs; i++)
		job_done(&r->jobs[i]);
	for (i = 0; i < r->n_host; i++) {
		free(r->host[i].key);
		free(r->host[i].value);
	}
	for (i = 0; i < r->selftest.n_advice; i++)
		free(r->selftest.advice[i]);
	free(r->selftest.advice);
	commit_done(&r->base);
	commit_done(&r->candidate);
	gate_policy_done(&r->policy);
	gate_diags_done(&r->diags);
	free(r->rows);
	free(r->groups);
	free(r->jobs);
	free(r->host);
	free(r->looks);
	free(r->version);
	free(r->command);
	free(r->started);
	free(r->outcome);
	free(r->reason);
	free(r->order);
	free(r);
}

void gate_result_add_host(struct gate_result *r, const char *key,
			  const char *value)
{
	struct gate_fact *f;
	size_t i;
	char *both;

	for (i = 0; i < r->n_host && strcmp(r->host[i].key, key) != 0; i++)
		continue;
	if (i == r->n_host) {
		GATE_PUSH(r->host, r->n_host, r->cap_host,
			  (struct gate_fact){.key = gate_strdup(key),
					     .value = gate_strdup(value)});
		return;
	}
	/* Two jobs may ask the same; what they disagree on is kept too. */
	f = &r->host[i];
	if (strcmp(f->value, value) != 0) {
		both = gate_asprintf("%s; %s", f->value, value);
		free(f->value);
		f->value = both;
	}
}

size_t gate_result_count(const struct gate_result *r, enum gate_verdict v)
{
	size_t n = 0, i;

	for (i = 0; i < r->n_rows; i++)
		n += r->rows[i].verdict == v;
	return n;
}
