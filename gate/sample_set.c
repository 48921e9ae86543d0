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
	if (s && before && !strcmp(s, before))
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

size_t gate_sample_set_bytes(const struct gate_sample_set *set)
{
	return set->n * sizeof *set->items + gate_pool_bytes(set->pool);
}

/* Keys are literals of ours: no escaping. */
static void add_text(struct gate_str *out, const char *key, const char *s)
{
	gate_str_puts(out, key);
	if (s)
		gate_json_quote(s, out);
	else
		gate_str_puts(out, "null");
}

static void add_optional(struct gate_str *out, const char *key, const char *s)
{
	if (s)
		add_text(out, key, s);
}

static void add_number(struct gate_str *out, const char *key, double v)
{
	char num[GATE_NUM_MAX];

	gate_str_puts(out, key);
	gate_str_puts(out, gate_num_print(v, num));
}

static void add_place(struct gate_str *out, const struct gate_measured *m)
{
	add_text(out, "\"side\":", gate_side_name(m->side));
	add_number(out, ",\"round\":", m->round);
	add_text(out, ",\"job\":", m->job);
	add_text(out, ",\"clock\":", gate_clock_name(m->clock));
	gate_str_putc(out, ',');
}

/* By hand: a tree of nodes a sample would be most of the time of `parse`. */
void gate_sample_json(const struct gate_measured *m, bool placed,
		      struct gate_str *out)
{
	const struct gate_sample *s = &m->s;

	gate_str_putc(out, '{');
	if (placed)
		add_place(out, m);
	add_text(out, "\"bench\":", s->bench);
	add_text(out, ",\"row\":", s->row);
	add_text(out, ",\"driver\":", s->driver);
	if (s->unit != GATE_UNIT_NONE) {
		add_text(out, ",\"unit\":", gate_unit_name(s->unit));
		add_text(out, ",\"better\":", gate_better_name(s->better));
	}
	if (s->status == GATE_SAMPLE_OK || s->status == GATE_SAMPLE_ORPHAN) {
		add_number(out, ",\"value\":", s->value);
		add_number(out, ",\"resolution\":", s->resolution);
	}
	add_number(out, ",\"line\":", (double)s->line);
	if (s->iter >= 0)
		add_number(out, ",\"iter\":", s->iter);
	if (s->warmup)
		gate_str_puts(out, ",\"warmup\":true");
	add_optional(out, ",\"method\":", s->method);
	add_optional(out, ",\"mode\":", s->mode);
	if (s->status != GATE_SAMPLE_OK)
		add_text(out, ",\"status\":",
			 gate_sample_status_name(s->status));
	add_optional(out, ",\"message\":", s->message);
	gate_str_putc(out, '}');
}
