#include "gate/sample_set.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/pool.h"

static const struct {
	const char *name;
	enum gate_better better;
} units[] = {
	[GATE_UNIT_NONE] = {"", GATE_LOWER},
	[GATE_UNIT_OP_PER_S] = {"op/s", GATE_HIGHER},
	[GATE_UNIT_CYCLES_PER_OP] = {"cycles/op", GATE_LOWER},
	[GATE_UNIT_NS_PER_OP] = {"ns/op", GATE_LOWER},
	[GATE_UNIT_INSN_PER_OP] = {"insn/op", GATE_LOWER},
	[GATE_UNIT_INSN] = {"insn", GATE_LOWER},
	[GATE_UNIT_B_PER_S] = {"B/s", GATE_HIGHER},
	[GATE_UNIT_S] = {"s", GATE_LOWER},
	[GATE_UNIT_B] = {"B", GATE_LOWER},
	[GATE_UNIT_COUNT] = {"count", GATE_LOWER},
	[GATE_UNIT_ONE] = {"1", GATE_LOWER},
};
static const char *const statuses[] = {
	[GATE_SAMPLE_OK] = "ok",
	[GATE_SAMPLE_FAILED] = "failed",
	[GATE_SAMPLE_SKIPPED] = "skipped",
	[GATE_SAMPLE_INCOMPLETE] = "incomplete",
	[GATE_SAMPLE_ORPHAN] = "orphan",
};

const char *gate_unit_name(enum gate_unit u)
{
	return units[u].name;
}

enum gate_unit gate_unit_parse(const char *s)
{
	size_t i;

	for (i = 1; i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(units[i].name, s))
			return (enum gate_unit)i;
	return GATE_UNIT_NONE;
}

enum gate_better gate_unit_better(enum gate_unit u)
{
	return units[u].better;
}

const char *gate_better_name(enum gate_better b)
{
	return b == GATE_HIGHER ? "higher" : "lower";
}

const char *gate_sample_status_name(enum gate_sample_status s)
{
	return statuses[s];
}

bool gate_sample_status_parse(const char *s, enum gate_sample_status *ret)
{
	size_t i;

	for (i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (!strcmp(statuses[i], s)) {
			*ret = (enum gate_sample_status)i;
			return true;
		}
	return false;
}

const char *gate_side_name(enum gate_side s)
{
	return s == GATE_BASE ? "base" : "candidate";
}

const char *gate_clock_name(enum gate_clock c)
{
	return c == GATE_CLOCK_WALL ? "wall" : "instructions";
}

bool gate_clock_parse(const char *s, enum gate_clock *ret)
{
	if (!strcmp(s, "wall"))
		*ret = GATE_CLOCK_WALL;
	else if (!strcmp(s, "instructions"))
		*ret = GATE_CLOCK_INSTRUCTIONS;
	else
		return false;
	return true;
}

struct gate_sample_set *gate_sample_set_new(void)
{
	struct gate_sample_set *set = gate_alloc(sizeof *set);

	set->pool = gate_pool_new();
	return set;
}

void gate_sample_set_free(struct gate_sample_set *set)
{
	if (!set)
		return;
	gate_pool_free(set->pool);
	free(set->items);
	free(set);
}

/* The pool's copy of s. What only a row changes is most often what the sample
 * before had. */
static const char *keep(struct gate_sample_set *set, const char *s,
			const char *before)
{
	if (s == before || (s && before && !strcmp(s, before)))
		return before;
	return gate_pool_add(set->pool, s);
}

void gate_sample_set_add(struct gate_sample_set *set,
			 const struct gate_measured *m)
{
	static const struct gate_measured none;
	const struct gate_measured *last =
		set->n ? &set->items[set->n - 1] : &none;
	struct gate_measured copy = *m;

	copy.job = keep(set, m->job, last->job);
	copy.s.bench = keep(set, m->s.bench, last->s.bench);
	copy.s.row = gate_pool_add(set->pool, m->s.row);
	copy.s.driver = keep(set, m->s.driver, last->s.driver);
	copy.s.method = keep(set, m->s.method, last->s.method);
	copy.s.mode = keep(set, m->s.mode, last->s.mode);
	copy.s.message = keep(set, m->s.message, last->s.message);
	GATE_PUSH(set->items, set->n, set->cap, copy);
}

void gate_sample_set_rename(struct gate_sample_set *set, size_t index,
			    const char *bench, const char *row,
			    const char *driver)
{
	struct gate_sample *s = &set->items[index].s;

	s->bench = gate_pool_add(set->pool, bench);
	s->row = gate_pool_add(set->pool, row);
	s->driver = gate_pool_add(set->pool, driver);
}

void gate_sample_set_keep_last(struct gate_sample_set *set)
{
	if (set->n < 2)
		return;
	set->items[0] = set->items[set->n - 1];
	set->n = 1;
}

size_t gate_sample_set_bytes(const struct gate_sample_set *set)
{
	return set->n * sizeof *set->items + gate_pool_bytes(set->pool);
}

/*
 * One line of JSON is written into room that was made before, since a call or
 * a tree node for each of its parts would be most of the time of `parse`.
 */
struct writer {
	char *p;
};

static void put(struct writer *w, const char *s, size_t len)
{
	memcpy(w->p, s, len);
	w->p += len;
}

#define PUT(w, literal) put((w), (literal), sizeof(literal) - 1)

/* A word of ours: nothing in it needs an escape. */
static void put_word(struct writer *w, const char *s)
{
	put(w, s, strlen(s));
	*w->p++ = '"';
}

static void put_text(struct writer *w, const char *s)
{
	if (s)
		w->p = gate_json_quote_at(w->p, s);
	else
		PUT(w, "null");
}

static void put_number(struct writer *w, double v)
{
	w->p += strlen(gate_num_print(v, w->p));
}

static void put_place(struct writer *w, const struct gate_measured *m)
{
	PUT(w, "\"side\":\"");
	put_word(w, gate_side_name(m->side));
	PUT(w, ",\"round\":");
	put_number(w, m->round);
	PUT(w, ",\"job\":");
	put_text(w, m->job);
	PUT(w, ",\"clock\":\"");
	put_word(w, gate_clock_name(m->clock));
	*w->p++ = ',';
}

static void put_optional(struct writer *w, const struct gate_sample *s)
{
	if (s->iter >= 0) {
		PUT(w, ",\"iter\":");
		put_number(w, s->iter);
	}
	if (s->warmup)
		PUT(w, ",\"warmup\":true");
	if (s->method) {
		PUT(w, ",\"method\":");
		put_text(w, s->method);
	}
	if (s->mode) {
		PUT(w, ",\"mode\":");
		put_text(w, s->mode);
	}
	if (s->status != GATE_SAMPLE_OK) {
		PUT(w, ",\"status\":\"");
		put_word(w, gate_sample_status_name(s->status));
	}
	if (s->message) {
		PUT(w, ",\"message\":");
		put_text(w, s->message);
	}
}

static void put_sample(struct writer *w, const struct gate_sample *s)
{
	PUT(w, "\"bench\":");
	put_text(w, s->bench);
	PUT(w, ",\"row\":");
	put_text(w, s->row);
	PUT(w, ",\"driver\":");
	put_text(w, s->driver);
	if (s->unit != GATE_UNIT_NONE) {
		PUT(w, ",\"unit\":\"");
		put_word(w, gate_unit_name(s->unit));
		PUT(w, ",\"better\":\"");
		put_word(w, gate_better_name(s->better));
	}
	if (s->status == GATE_SAMPLE_OK || s->status == GATE_SAMPLE_ORPHAN) {
		PUT(w, ",\"value\":");
		put_number(w, s->value);
		PUT(w, ",\"resolution\":");
		put_number(w, s->resolution);
	}
	PUT(w, ",\"line\":");
	put_number(w, (double)s->line);
	put_optional(w, s);
}

static size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

void gate_sample_json(const struct gate_measured *m, bool placed,
		      struct gate_str *out)
{
	enum { KEYS_AND_NUMBERS = 1024 };
	const struct gate_sample *s = &m->s;
	size_t most = length(s->bench) + length(s->row) + length(s->driver) +
		      length(s->method) + length(s->mode) + length(s->message) +
		      length(m->job);
	struct writer w;

	w.p = gate_str_room(out, KEYS_AND_NUMBERS + GATE_JSON_GROWTH * most);
	*w.p++ = '{';
	if (placed)
		put_place(&w, m);
	put_sample(&w, s);
	*w.p++ = '}';
	gate_str_end(out, w.p);
}
