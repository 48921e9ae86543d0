#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"

struct passed {
	char *key;
	enum gate_verdict verdict; /* pass or improvement */
	unsigned at;
};

struct gate_past {
	struct passed *items; /* by key */
	size_t n, cap;
	size_t family; /* the most rows that a look tested */
};

struct gate_past *gate_past_new(void)
{
	return gate_alloc(sizeof(struct gate_past));
}

static void forget_all(struct gate_past *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->items[i].key);
	p->n = 0;
	p->family = 0;
}

void gate_past_free(struct gate_past *p)
{
	if (!p)
		return;
	forget_all(p);
	free(p->items);
	free(p);
}

static const char *or_none(const char *s)
{
	return s ? s : "";
}

/* What makes it the same row when more rounds have been paired. A control
 * character is in no name. */
static char *row_key(const struct gate_row *row)
{
	return gate_asprintf("%s\1%s\1%s\1%s\1%s\1%u", row->job, row->bench,
			     row->row, or_none(row->base.driver),
			     or_none(row->candidate.driver),
			     (unsigned)row->unit);
}

static int by_key(const void *a, const void *b)
{
	const struct passed *x = a;
	const struct passed *y = b;

	return strcmp(x->key, y->key);
}

static const struct passed *find(const struct gate_past *p,
				 const struct gate_row *row)
{
	struct passed want = {.key = row_key(row)};
	const struct passed *found = NULL;

	if (p->n)
		found = bsearch(&want, p->items, p->n, sizeof want, by_key);
	free(want.key);
	return found;
}

bool gate_judge_past(const struct gate_past *p, const struct gate_row *row,
		     enum gate_verdict *verdict, unsigned *at)
{
	const struct passed *found = p && p->n ? find(p, row) : NULL;

	if (!found)
		return false;
	*verdict = found->verdict;
	*at = found->at;
	return true;
}

size_t gate_judge_past_family(const struct gate_past *p)
{
	return p ? p->family : 0;
}

void gate_past_learn(struct gate_past *p, const struct gate_past *before,
		     const struct gate_result *r, enum gate_clock clock)
{
	const struct gate_row *row;
	size_t family = 0;
	size_t i;

	forget_all(p);
	for (i = 0; i < r->n_rows; i++) {
		row = &r->rows[i];
		if (row->clock != clock || isnan(row->p))
			continue;
		family++;
		if (row->verdict != GATE_V_PASS &&
		    row->verdict != GATE_V_IMPROVEMENT)
			continue;
		GATE_PUSH(p->items, p->n, p->cap,
			  (struct passed){.key = row_key(row),
					  .verdict = row->verdict,
					  .at = row->decided_at});
	}
	if (p->n)
		qsort(p->items, p->n, sizeof *p->items, by_key);
	p->family = gate_judge_past_family(before);
	if (family > p->family)
		p->family = family;
}
