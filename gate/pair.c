#include "gate/pair.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

/*
 * A series: what one side measured under one identity. Everything that must
 * match for two values to be the same row is in its key.
 */
struct key {
	const char *job, *bench, *row, *driver, *method;
	enum gate_clock clock;
	enum gate_unit unit;
	enum gate_better better;
};

struct point {
	unsigned round;
	double value;
};

struct series {
	struct key key;
	enum gate_side side;
	struct point *points; /* one a sample, in order of the log */
	size_t n, cap;
	double resolution;
	const char *failure; /* message of a failed or incomplete sample */
	bool failed, skipped;
	bool taken; /* became (half of) a row */
	size_t order;
};

struct series_set {
	struct series *items;
	size_t n, cap;
	size_t *table; /* open addressing, index + 1 */
	size_t size;
};

/* Strings are pooled by the sample set: equal text, equal pointer. */
static bool same_key(const struct key *a, const struct key *b)
{
	return a->job == b->job && a->bench == b->bench && a->row == b->row &&
	       a->driver == b->driver && a->method == b->method &&
	       a->clock == b->clock && a->unit == b->unit &&
	       a->better == b->better;
}

static size_t mix(size_t h, size_t v)
{
	return (h ^ v) * (size_t)0x9e3779b97f4a7c15U;
}

static size_t hash_key(const struct key *k, enum gate_side side)
{
	size_t h = (size_t)side + 1;

	h = mix(h, (size_t)k->job);
	h = mix(h, (size_t)k->bench);
	h = mix(h, (size_t)k->row);
	h = mix(h, (size_t)k->driver);
	h = mix(h, (size_t)k->method);
	h = mix(h, (size_t)k->unit * 4 + (size_t)k->clock);
	return h ^ (h >> 29);
}

static void insert(struct series_set *set, size_t index)
{
	const struct series *s = &set->items[index];
	size_t i = hash_key(&s->key, s->side) & (set->size - 1);

	while (set->table[i])
		i = (i + 1) & (set->size - 1);
	set->table[i] = index + 1;
}

static struct series *find(struct series_set *set, const struct key *k,
			   enum gate_side side)
{
	size_t i;

	if (!set->size)
		return NULL;
	i = hash_key(k, side) & (set->size - 1);
	for (; set->table[i]; i = (i + 1) & (set->size - 1)) {
		struct series *s = &set->items[set->table[i] - 1];

		if (s->side == side && same_key(&s->key, k))
			return s;
	}
	return NULL;
}

static struct series *find_or_add(struct series_set *set, const struct key *k,
				  enum gate_side side)
{
	struct series *s = find(set, k, side);
	size_t i;

	if (s)
		return s;
	if (2 * (set->n + 1) > set->size) {
		set->size = set->size ? 2 * set->size : 256;
		free(set->table);
		set->table = gate_calloc(set->size, sizeof *set->table);
		for (i = 0; i < set->n; i++)
			insert(set, i);
	}
	GATE_PUSH(set->items, set->n, set->cap,
		  (struct series){.key = *k, .side = side, .order = set->n});
	insert(set, set->n - 1);
	return &set->items[set->n - 1];
}

static void collect(const struct gate_sample_set *samples,
		    struct series_set *set, struct gate_diags *diags)
{
	const struct gate_measured *m;
	size_t i, orphans = 0;
	struct series *s;
	struct key k;

	for (i = 0; i < samples->n; i++) {
		m = &samples->items[i];
		if (m->s.status == GATE_SAMPLE_ORPHAN) {
			orphans++;
			continue;
		}
		if (m->s.warmup)
			continue;
		k = (struct key){.job = m->job,
				 .bench = m->s.bench,
				 .row = m->s.row,
				 .driver = m->s.driver,
				 .method = m->s.method,
				 .clock = m->clock,
				 .unit = m->s.unit,
				 .better = m->s.better};
		s = find_or_add(set, &k, m->side);
		if (m->s.status == GATE_SAMPLE_OK) {
			GATE_PUSH(s->points, s->n, s->cap,
				  (struct point){m->round, m->s.value});
			if (m->s.resolution > s->resolution)
				s->resolution = m->s.resolution;
		} else if (m->s.status == GATE_SAMPLE_SKIPPED) {
			s->skipped = true;
		} else {
			s->failed = true;
			s->failure = m->s.message ? m->s.message
						  : "no value printed";
		}
	}
	if (orphans)
		gate_diags_add(diags, GATE_DIAG_WARNING, "pair.orphans",
			       "%zu values have lost their title and are not "
			       "compared; was the start of the log cut off?",
			       orphans);
}

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static bool usable(double v)
{
	return isfinite(v) && v > 0;
}

/*
 * Values of one round (sorted) to one: repeats inside a boot are one sample.
 * The median by wall clock; under the instruction clock the best, since a tick
 * only ever adds instructions.
 */
static double collapse(const struct point *p, size_t n, const struct key *k)
{
	size_t i;

	if (k->clock == GATE_CLOCK_INSTRUCTIONS) {
		if (k->better == GATE_HIGHER)
			return p[n - 1].value;
		for (i = 0; i + 1 < n && !usable(p[i].value); i++)
			continue;
		return p[i].value;
	}
	return n % 2 ? p[n / 2].value
		     : p[n / 2 - 1].value +
			       (p[n / 2].value - p[n / 2 - 1].value) / 2;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void summarise(struct gate_row_side *side)
{
	double *v = gate_calloc(side->n, sizeof *v);
	size_t i, n = 0;

	for (i = 0; i < side->n; i++)
		if (usable(side->values[i]))
			v[n++] = side->values[i];
	qsort(v, n, sizeof *v, compare_doubles);
	side->usable = n;
	side->median = side->min = side->max = GATE_NAN;
	if (n) {
		side->min = v[0];
		side->max = v[n - 1];
		side->median =
			n % 2 ? v[n / 2]
			      : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
	}
	free(v);
}

/* A round within one printed step of the best value has reached it: closer than
 * that the print cannot tell. */
static void find_best(struct gate_row_side *side, enum gate_better better)
{
	size_t i;

	side->best = better == GATE_HIGHER ? side->max : side->min;
	side->best_rounds = 0;
	for (i = 0; i < side->n; i++)
		side->best_rounds +=
			fabs(side->values[i] - side->best) <= side->resolution;
}

static void fill_side(struct gate_row_side *side, struct series *s)
{
	size_t cap_r = 0, cap_v = 0, n = 0, from, to;

	if (s->key.driver)
		side->driver = gate_strdup(s->key.driver);
	if (s->n)
		qsort(s->points, s->n, sizeof *s->points, compare_points);
	for (from = 0; from < s->n; from = to) {
		for (to = from;
		     to < s->n && s->points[to].round == s->points[from].round;
		     to++)
			continue;
		GATE_PUSH(side->rounds, n, cap_r, s->points[from].round);
		n--;
		GATE_PUSH(side->values, n, cap_v,
			  collapse(s->points + from, to - from, &s->key));
	}
	side->n = n;
	side->resolution = s->resolution;
	summarise(side);
	find_best(side, s->key.better);
	s->taken = true;
}

/* Length of "word=" at s, 0 when there is none. */
static size_t word_equals(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n && s[n] == '=' && isdigit((unsigned char)s[n + 1]) ? n + 1 : 0;
}

char *gate_group_name(const char *bench, const char *row)
{
	const char *part = row, *slash, *cut = NULL;

	for (; !cut; part = slash + 1) {
		if (word_equals(part))
			cut = part;
		slash = strchr(part, '/');
		if (!slash)
			break;
	}
	if (!cut) {
		slash = strrchr(row, '/');
		cut = slash ? slash + 1 : NULL;
	}
	if (!cut || cut == row)
		return gate_strdup(bench);
	return gate_asprintf("%s/%.*s", bench, (int)(cut - row - 1), row);
}

/* All that pairing holds on to. */
struct pairing {
	struct series_set set;
	struct series **sorted; /* by compare_series */
	struct gate_result *result;
	/* For result->rows[first + i]: where its series stood in the logs. */
	size_t first;
	size_t *orders, n_orders, cap_orders;
};

static struct gate_row *add_row(struct pairing *p, const struct series *s)
{
	const struct key *k = &s->key;
	const struct gate_row_side none = {.median = GATE_NAN,
					   .min = GATE_NAN,
					   .max = GATE_NAN,
					   .best = GATE_NAN};
	struct gate_result *r = p->result;
	struct gate_row row = {
		.job = gate_strdup(k->job),
		.clock = k->clock,
		.bench = gate_strdup(k->bench),
		.row = gate_strdup(k->row),
		.group = gate_group_name(k->bench, k->row),
		.unit = k->unit,
		.better = k->better,
		.base = none,
		.candidate = none,
		.slowdown = GATE_NAN,
		.ci = {GATE_NAN, GATE_NAN},
		.p = GATE_NAN,
		.p_holm = GATE_NAN,
		.q_bh = GATE_NAN,
		.p_mw = GATE_NAN,
		.p_sr = GATE_NAN,
		.hl = GATE_NAN,
		.hl_ci = {GATE_NAN, GATE_NAN},
		.mde = GATE_NAN,
		.h = GATE_NAN,
		.verdict = GATE_V_INCONCLUSIVE,
	};
	char *name = gate_asprintf("%s/%s", k->bench, k->row);

	row.limits = gate_policy_limits(&r->policy, name, k->clock, k->unit);
	free(name);
	GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
	GATE_PUSH(p->orders, p->n_orders, p->cap_orders, s->order);
	return &r->rows[r->n_rows - 1];
}

static void settle(struct gate_row *row, enum gate_verdict v, const char *text)
{
	row->verdict = v;
	row->reason = gate_strdup(text);
}

static int compare_text(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	return strcmp(a, b);
}

static int compare_names(const struct key *a, const struct key *b)
{
	int c;

	if (a->clock != b->clock)
		return a->clock < b->clock ? -1 : 1;
	c = compare_text(a->job, b->job);
	if (!c)
		c = compare_text(a->bench, b->bench);
	return c ? c : compare_text(a->row, b->row);
}

/* Names, and all but the driver that must match for values to be compared. */
static int compare_measures(const struct key *a, const struct key *b)
{
	int c = compare_names(a, b);

	if (c)
		return c;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	if (a->better != b->better)
		return a->better < b->better ? -1 : 1;
	return compare_text(a->method, b->method);
}

static int compare_series(const void *a, const void *b)
{
	const struct series *const *x = a;
	const struct series *const *y = b;
	int c = compare_measures(&(*x)->key, &(*y)->key);

	if (c)
		return c;
	return (*x)->order < (*y)->order ? -1 : 1;
}

/* The series of `side` that said of exactly this name that it failed (or, with
 * `skipped`, that it did not run); of this driver, where both name one. */
static const struct series *find_fault(const struct pairing *p,
				       const struct key *k, enum gate_side side,
				       bool skipped)
{
	size_t lo = 0, hi = p->set.n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (compare_names(&p->sorted[mid]->key, k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < p->set.n && !compare_names(&p->sorted[lo]->key, k); lo++) {
		const struct series *s = p->sorted[lo];

		if (s->side == side && (skipped ? s->skipped : s->failed) &&
		    (!s->key.driver || !k->driver ||
		     s->key.driver == k->driver))
			return s;
	}
	return NULL;
}

/*
 * The fault that explains why `side` has no value for the row: its own, or
 * that of the algorithm, which failed before a key or size was known and is
 * named by the front of the row's name only.
 */
static const struct series *explain_absence(const struct pairing *p,
					    const struct series *s,
					    enum gate_side side)
{
	const struct series *fault = find_fault(p, &s->key, side, false);
	struct key k = s->key;
	const char *slash;
	char *front;

	k.driver = NULL;
	for (slash = strchr(s->key.row, '/'); slash && !fault;
	     slash = strchr(slash + 1, '/')) {
		front = gate_strndup(s->key.row, (size_t)(slash - s->key.row));
		k.row = front;
		fault = find_fault(p, &k, side, false);
		free(front);
	}
	return fault;
}

static void count_pairs(struct gate_row *row)
{
	const struct gate_row_side *b = &row->base, *c = &row->candidate;
	size_t i = 0, k = 0;

	while (i < b->n && k < c->n) {
		if (b->rounds[i] < c->rounds[k]) {
			i++;
		} else if (b->rounds[i] > c->rounds[k]) {
			k++;
		} else {
			if (usable(b->values[i]) && usable(c->values[k]))
				row->pairs++;
			else
				row->dropped++;
			i++;
			k++;
		}
	}
}

static void pair_row(struct pairing *p, struct series *base,
		     struct series *candidate)
{
	const struct series *fault =
		find_fault(p, &candidate->key, GATE_CANDIDATE, false);
	struct gate_row *row = add_row(p, base);

	fill_side(&row->base, base);
	fill_side(&row->candidate, candidate);
	row->driver_changed = base->key.driver != candidate->key.driver;
	count_pairs(row);
	/* Measured in some rounds and failed in others is broken, not merely
	 * short of rounds. */
	if (fault && !find_fault(p, &base->key, GATE_BASE, false)) {
		row->verdict = GATE_V_FAILED;
		row->reason =
			gate_asprintf("the candidate failed in some rounds: %s",
				      fault->failure);
	}
}

/* A series that measured something and has no partner yet. */
static bool is_free(const struct series *s)
{
	return !s->taken && s->n > 0;
}

/* The same driver on both sides, or none named on either. */
static void pair_equals(struct pairing *p)
{
	struct series *s, *other;
	size_t i;

	for (i = 0; i < p->set.n; i++) {
		s = &p->set.items[i];
		if (s->side != GATE_BASE || !is_free(s))
			continue;
		other = find(&p->set, &s->key, GATE_CANDIDATE);
		if (other && is_free(other))
			pair_row(p, s, other);
	}
}

/* A stretch of p->sorted that `compare` calls equal, and how many of its
 * members are still free on either side. */
struct stretch {
	size_t from, to;
	struct series *one[2];
	size_t count[2];
};

static bool next_stretch(const struct pairing *p, struct stretch *st,
			 int (*compare)(const struct key *, const struct key *))
{
	struct series *s;

	*st = (struct stretch){.from = st->to, .to = st->to};
	for (; st->to < p->set.n; st->to++) {
		s = p->sorted[st->to];
		if (compare(&p->sorted[st->from]->key, &s->key) != 0)
			break;
		if (!is_free(s))
			continue;
		st->one[s->side] = s;
		st->count[s->side]++;
	}
	return st->from < p->set.n;
}

static void pair_changed_drivers(struct pairing *p)
{
	struct stretch st = {0};

	while (next_stretch(p, &st, compare_measures))
		if (st.count[0] == 1 && st.count[1] == 1)
			pair_row(p, st.one[0], st.one[1]);
}

static char *measure_text(const struct key *k)
{
	return gate_asprintf("%s%s%s", gate_unit_name(k->unit),
			     k->method ? " by " : "",
			     k->method ? k->method : "");
}

static void settle_incomparable(struct pairing *p, const struct stretch *st)
{
	char *base = measure_text(&st->one[0]->key);
	char *candidate = measure_text(&st->one[1]->key);
	struct gate_row *row = add_row(p, st->one[0]);
	size_t i;

	fill_side(&row->base, st->one[0]);
	fill_side(&row->candidate, st->one[1]);
	row->verdict = GATE_V_INCOMPARABLE;
	row->reason = gate_asprintf("base is in %s, candidate in %s: not the "
				    "same measurement",
				    base, candidate);
	for (i = st->from; i < st->to; i++)
		p->sorted[i]->taken |= p->sorted[i]->n > 0;
	free(base);
	free(candidate);
}

/* Both sides measured the row, but not the same thing. */
static void pair_incomparable(struct pairing *p)
{
	struct stretch st = {0};

	while (next_stretch(p, &st, compare_names))
		if (st.count[0] && st.count[1] &&
		    compare_measures(&st.one[0]->key, &st.one[1]->key) != 0)
			settle_incomparable(p, &st);
}

static void settle_alone(struct pairing *p, struct series *s)
{
	const struct series *fault;
	struct gate_row *row;

	if (s->side == GATE_CANDIDATE) {
		row = add_row(p, s);
		fill_side(&row->candidate, s);
		settle(row, GATE_V_NEW, "only the candidate has this row");
		return;
	}
	fault = explain_absence(p, s, GATE_CANDIDATE);
	row = add_row(p, s);
	fill_side(&row->base, s);
	if (fault) {
		row->verdict = GATE_V_FAILED;
		row->reason = gate_asprintf("the candidate failed: %s",
					    fault->failure);
	} else if (find_fault(p, &s->key, GATE_CANDIDATE, true)) {
		settle(row, GATE_V_MISSING,
		       "the base has this row, the candidate skipped it");
	} else {
		settle(row, GATE_V_MISSING,
		       "the base has this row, the candidate does not");
	}
}

static void report_failures(struct pairing *p)
{
	size_t i;

	for (i = 0; i < p->set.n; i++) {
		const struct series *s = &p->set.items[i];

		if (s->failed && !s->n)
			gate_diags_add(&p->result->diags, GATE_DIAG_WARNING,
				       "bench.failed", "%s: %s/%s: %s",
				       gate_side_name(s->side), s->key.bench,
				       s->key.row, s->failure);
	}
}

struct ordered {
	struct gate_row row;
	size_t order;
};

static int compare_order(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Rows stand as the logs have them, whichever way they were paired. */
static void sort_rows(struct pairing *p)
{
	struct gate_row *rows = p->result->rows + p->first;
	struct ordered *o = gate_calloc(p->n_orders, sizeof *o);
	size_t i;

	for (i = 0; i < p->n_orders; i++)
		o[i] = (struct ordered){rows[i], p->orders[i]};
	qsort(o, p->n_orders, sizeof *o, compare_order);
	for (i = 0; i < p->n_orders; i++)
		rows[i] = o[i].row;
	free(o);
}

void gate_pair(const struct gate_sample_set *samples,
	       struct gate_result *result)
{
	struct pairing p = {.result = result, .first = result->n_rows};
	size_t i;

	collect(samples, &p.set, &result->diags);
	p.sorted = gate_calloc(p.set.n, sizeof *p.sorted);
	for (i = 0; i < p.set.n; i++)
		p.sorted[i] = &p.set.items[i];
	qsort(p.sorted, p.set.n, sizeof *p.sorted, compare_series);
	pair_equals(&p);
	pair_changed_drivers(&p);
	pair_incomparable(&p);
	for (i = 0; i < p.set.n; i++)
		if (is_free(&p.set.items[i]))
			settle_alone(&p, &p.set.items[i]);
	report_failures(&p);
	sort_rows(&p);
	for (i = 0; i < p.set.n; i++)
		free(p.set.items[i].points);
	free(p.set.items);
	free(p.set.table);
	free(p.sorted);
	free(p.orders);
}
