#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"

bool gate_judge_usable(double v)
{
	return isfinite(v) && v > 0;
}

bool gate_judge_printed_zero(const struct gate_row_side *side)
{
	size_t i;

	for (i = 0; i < side->n; i++)
		if (fpclassify(side->values[i]) == FP_ZERO)
			return true;
	return false;
}

/* Settled by pairing: there is nothing to compare. */
static bool structural(enum gate_verdict v)
{
	return v == GATE_V_MISSING || v == GATE_V_NEW || v == GATE_V_FAILED ||
	       v == GATE_V_INCOMPARABLE;
}

double gate_judge_effect(enum gate_better better, double base, double candidate)
{
	double d = log(candidate) - log(base);

	return better == GATE_HIGHER ? -d : d;
}

double gate_judge_percent(double fraction)
{
	double v = 100 * fraction;

	return fabs(v) < 0.005 ? 0 : v;
}

void gate_judge_settle(struct gate_row *row, enum gate_verdict v, char *reason)
{
	row->verdict = v;
	free(row->reason);
	row->reason = reason;
}

void gate_judge_settle_ignored(struct gate_row *row)
{
	gate_judge_settle(row, GATE_V_PASS,
			  gate_strdup("ignored by the policy: measured, not "
				      "judged"));
}

static void forget(struct gate_row *row)
{
	row->slowdown = row->p = row->p_holm = row->q_bh = GATE_NAN;
	row->ci[0] = row->ci[1] = row->mde = row->h = GATE_NAN;
	row->p_mw = row->p_sr = GATE_NAN;
	row->hl = row->hl_ci[0] = row->hl_ci[1] = GATE_NAN;
	row->decided_at = 0;
}

/* The rounds of both sides that are usable on both, by their ids. */
static void collect_pairs(struct gate_judged *j)
{
	const struct gate_row_side *b = &j->row->base;
	const struct gate_row_side *c = &j->row->candidate;
	size_t most = b->n < c->n ? b->n : c->n;
	size_t i = 0;
	size_t k = 0;

	j->d = gate_calloc(most + 1, sizeof *j->d);
	j->rounds = gate_calloc(most + 1, sizeof *j->rounds);
	while (i < b->n && k < c->n) {
		if (b->rounds[i] != c->rounds[k]) {
			if (b->rounds[i] < c->rounds[k])
				i++;
			else
				k++;
			continue;
		}
		if (gate_judge_usable(b->values[i]) &&
		    gate_judge_usable(c->values[k])) {
			j->rounds[j->n] = b->rounds[i];
			j->d[j->n++] = gate_judge_effect(
				j->row->better, b->values[i], c->values[k]);
		}
		i++;
		k++;
	}
}

static void group_free(struct gate_group *g)
{
	free(g->job);
	free(g->group);
	free(g->reason);
}

/* An earlier look's groups give way to this one's. */
static void drop_groups(struct gate_result *r, enum gate_clock clock)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < r->n_groups; i++) {
		if (r->groups[i].clock == clock)
			group_free(&r->groups[i]);
		else
			r->groups[kept++] = r->groups[i];
	}
	r->n_groups = kept;
}

void gate_judge_init(struct gate_judging *w, struct gate_result *r,
		     enum gate_clock clock, const struct gate_look_spec *spec)
{
	size_t longest = 0;
	struct gate_judged *j;
	size_t i;

	drop_groups(r, clock);
	*w = (struct gate_judging){.result = r, .spec = spec, .clock = clock};
	w->rows = gate_calloc(r->n_rows + 1, sizeof *w->rows);
	w->family = gate_calloc(r->n_rows + 1, sizeof(struct gate_judged *));
	for (i = 0; i < r->n_rows; i++) {
		if (r->rows[i].clock != clock || structural(r->rows[i].verdict))
			continue;
		j = &w->rows[w->n++];
		j->row = &r->rows[i];
		j->index = i;
		forget(j->row);
		collect_pairs(j);
		if (j->n > longest)
			longest = j->n;
	}
	if (longest < w->n)
		longest = w->n;
	w->scratch = gate_calloc(longest + 1, sizeof *w->scratch);
}

void gate_judge_done(struct gate_judging *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		free(w->rows[i].d);
		free(w->rows[i].rounds);
	}
	free(w->rows);
	free(w->family);
	free(w->scratch);
	for (i = 0; w->unsound && i < w->result->n_jobs; i++)
		free(w->unsound[i]);
	free(w->unsound);
}

static int by_group(const void *a, const void *b)
{
	const struct gate_judged *const *x = a;
	const struct gate_judged *const *y = b;
	int c = strcmp((*x)->row->job, (*y)->row->job);

	if (!c)
		c = strcmp((*x)->row->group, (*y)->row->group);
	return c ? c
		 : ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static bool same_group(const struct gate_judged *a, const struct gate_judged *b)
{
	return !strcmp(a->row->job, b->row->job) &&
	       !strcmp(a->row->group, b->row->group);
}

static int by_appearance(const void *a, const void *b)
{
	const struct gate_judged_group *x = a;
	const struct gate_judged_group *y = b;
	size_t i = x->members[0]->index;
	size_t k = y->members[0]->index;

	return (i > k) - (i < k);
}

void gate_judge_find_groups(const struct gate_judging *w,
			    struct gate_judged_groups *ret)
{
	size_t from, to, i;

	*ret = (struct gate_judged_groups){0};
	ret->sorted = gate_calloc(w->n + 1, sizeof(struct gate_judged *));
	for (i = 0; i < w->n; i++)
		ret->sorted[i] = &w->rows[i];
	qsort(ret->sorted, w->n, sizeof(struct gate_judged *), by_group);
	for (from = 0; from < w->n; from = to) {
		for (to = from + 1; to < w->n && same_group(ret->sorted[from],
							    ret->sorted[to]);)
			to++;
		GATE_PUSH(ret->items, ret->n, ret->cap,
			  (struct gate_judged_group){.members =
							     ret->sorted + from,
						     .n = to - from});
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof *ret->items, by_appearance);
}

static void group_done(struct gate_judged_group *g)
{
	free(g->complete);
	free(g->rounds);
	free(g->d);
}

void gate_judge_groups_done(struct gate_judged_groups *gs)
{
	size_t i;

	for (i = 0; i < gs->n; i++)
		group_done(&gs->items[i]);
	free(gs->items);
	free(gs->sorted);
}

void gate_judge_keep_groups(struct gate_judged_groups *gs,
			    bool (*ready)(struct gate_judged_group *))
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < gs->n; i++) {
		gs->items[i].complete = gate_calloc(
			gs->items[i].n, sizeof(struct gate_judged *));
		if (ready(&gs->items[i]))
			gs->items[kept++] = gs->items[i];
		else
			group_done(&gs->items[i]);
	}
	gs->n = kept;
}

struct gate_group *gate_judge_add_group(struct gate_judging *w,
					const struct gate_judged_group *g)
{
	struct gate_result *r = w->result;
	const struct gate_row *row = g->members[0]->row;

	GATE_PUSH(r->groups, r->n_groups, r->cap_groups,
		  (struct gate_group){
			  .job = gate_strdup(row->job),
			  .clock = w->clock,
			  .group = gate_strdup(row->group),
			  .rows = g->k,
			  .of = g->n,
			  .slowdown = expm1(g->at),
			  .ci = {GATE_NAN, GATE_NAN},
			  .p = GATE_NAN,
			  .p_holm = GATE_NAN,
			  .verdict = GATE_V_PASS,
		  });
	return &r->groups[r->n_groups - 1];
}
