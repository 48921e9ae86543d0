#include "gate/sample_set.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/json.h"
#include "gate/util/mem.h"
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

void gate_sample_set_add(struct gate_sample_set *set,
			 const struct gate_measured *m)
{
	struct gate_measured copy = *m;

	copy.job = gate_pool_add(set->pool, m->job);
	copy.s.bench = gate_pool_add(set->pool, m->s.bench);
	copy.s.row = gate_pool_add(set->pool, m->s.row);
	copy.s.driver = gate_pool_add(set->pool, m->s.driver);
	copy.s.method = gate_pool_add(set->pool, m->s.method);
	copy.s.mode = gate_pool_add(set->pool, m->s.mode);
	copy.s.message = gate_pool_add(set->pool, m->s.message);
	GATE_PUSH(set->items, set->n, set->cap, copy);
}

static void add_optional(cJSON *o, const char *key, const char *s)
{
	if (s)
		cJSON_AddStringToObject(o, key, s);
}

void gate_sample_json(const struct gate_measured *m, bool placed,
		      struct gate_str *out)
{
	const struct gate_sample *s = &m->s;
	cJSON *o = cJSON_CreateObject();
	bool valued =
		s->status == GATE_SAMPLE_OK || s->status == GATE_SAMPLE_ORPHAN;
	char *text;

	if (placed) {
		cJSON_AddStringToObject(o, "side", gate_side_name(m->side));
		cJSON_AddNumberToObject(o, "round", m->round);
		cJSON_AddStringToObject(o, "job", m->job);
		cJSON_AddStringToObject(o, "clock", gate_clock_name(m->clock));
	}
	cJSON_AddStringToObject(o, "bench", s->bench);
	cJSON_AddStringToObject(o, "row", s->row);
	gate_json_add_string(o, "driver", s->driver);
	if (s->unit != GATE_UNIT_NONE) {
		cJSON_AddStringToObject(o, "unit", gate_unit_name(s->unit));
		cJSON_AddStringToObject(o, "better",
					gate_better_name(s->better));
	}
	if (valued) {
		gate_json_add_number(o, "value", s->value);
		gate_json_add_number(o, "resolution", s->resolution);
	}
	cJSON_AddNumberToObject(o, "line", (double)s->line);
	if (s->iter >= 0)
		cJSON_AddNumberToObject(o, "iter", s->iter);
	if (s->warmup)
		cJSON_AddTrueToObject(o, "warmup");
	add_optional(o, "method", s->method);
	add_optional(o, "mode", s->mode);
	if (s->status != GATE_SAMPLE_OK)
		cJSON_AddStringToObject(o, "status",
					gate_sample_status_name(s->status));
	add_optional(o, "message", s->message);
	text = gate_json_print(o, false);
	gate_str_puts(out, text);
	free(text);
	cJSON_Delete(o);
}
