/*
 * jsonl: our own sample lines, as `gate parse` and plug-ins print them.
 *
 * One object a line with at least "bench" and "row". Keys that say where a
 * sample belongs (side, round, job, clock) are ignored: the caller of the
 * parser knows, and a log may not overrule it.
 */
#include "parsers/builtin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sample_set.h"
#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "parsers/scan.h"

static const double exact_max = 0x1p53; /* whole numbers that a double holds */

struct jsonl {
	const struct gate_sink *sink;
};

static void *open_jsonl(const struct gate_sink *sink)
{
	struct jsonl *j = gate_alloc(sizeof *j);

	j->sink = sink;
	return j;
}

/* Getters: absent and null leave *ret alone; another type is false. */
static const cJSON *item(const cJSON *o, const char *key)
{
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsNull(i) ? NULL : i;
}

static bool get_text(const cJSON *o, const char *key, const char **ret)
{
	const cJSON *i = item(o, key);

	if (!i)
		return true;
	if (!cJSON_IsString(i))
		return false;
	*ret = i->valuestring;
	return true;
}

static bool get_number(const cJSON *o, const char *key, double *ret)
{
	const cJSON *i = item(o, key);

	if (!i)
		return true;
	if (!cJSON_IsNumber(i) || !isfinite(i->valuedouble))
		return false;
	*ret = i->valuedouble;
	return true;
}

static bool get_whole(const cJSON *o, const char *key, double min, double max,
		      double *ret)
{
	if (!get_number(o, key, ret))
		return false;
	return *ret >= min && *ret <= max && *ret == floor(*ret);
}

static bool get_words(const cJSON *o, struct gate_sample *s)
{
	const char *unit = NULL, *better = NULL, *status = "ok";

	if (!get_text(o, "unit", &unit) || !get_text(o, "better", &better) ||
	    !get_text(o, "status", &status))
		return false;
	if (!gate_sample_status_parse(status, &s->status))
		return false;
	if (unit) {
		s->unit = gate_unit_parse(unit);
		if (s->unit == GATE_UNIT_NONE)
			return false;
		s->better = gate_unit_better(s->unit);
	}
	if (!better)
		return true;
	s->better = !strcmp(better, gate_better_name(GATE_HIGHER)) ? GATE_HIGHER
								   : GATE_LOWER;
	return !strcmp(better, gate_better_name(s->better));
}

static bool get_sample(const cJSON *o, struct gate_sample *s)
{
	double value = (double)NAN, line = (double)s->line, iter = -1;
	const cJSON *warmup = item(o, "warmup");

	if (!get_text(o, "bench", &s->bench) || !get_text(o, "row", &s->row) ||
	    !get_text(o, "driver", &s->driver) ||
	    !get_text(o, "method", &s->method) ||
	    !get_text(o, "mode", &s->mode) ||
	    !get_text(o, "message", &s->message) || !get_words(o, s) ||
	    !get_number(o, "value", &value) ||
	    !get_number(o, "resolution", &s->resolution) ||
	    !get_whole(o, "line", 0, exact_max, &line) ||
	    !get_whole(o, "iter", -1, INT32_MAX, &iter) ||
	    (warmup && !cJSON_IsBool(warmup)))
		return false;
	s->line = (uint64_t)line;
	s->iter = (int32_t)iter;
	s->warmup = cJSON_IsTrue(warmup);
	if (!s->bench || !s->row)
		return false;
	if (s->status != GATE_SAMPLE_OK && s->status != GATE_SAMPLE_ORPHAN)
		return isnan(value);
	s->value = value;
	return s->unit != GATE_UNIT_NONE && isfinite(value);
}

static int line_jsonl(void *state, const struct gate_line *line)
{
	struct jsonl *jl = state;
	struct gate_sample s = {.size = sizeof s, .line = line->number};
	struct gate_scan at = gate_scan_at(line->text, line->len);
	struct gate_json j;
	struct gate_error err;
	int rc;

	gate_scan_blanks(&at);
	if (at.p == at.end || *at.p != '{' ||
	    !memmem(at.p, gate_scan_left(&at), "\"bench\"", 7) ||
	    !memmem(at.p, gate_scan_left(&at), "\"row\"", 5))
		return 0;
	if (gate_json_parse("sample", at.p, gate_scan_left(&at), GATE_ESYNTAX,
			    &j, &err)) {
		jl->sink->warn(jl->sink->ctx,
			       line->cut ? "parse.incomplete"
					 : "parse.unparsed",
			       line->number, line->text);
		return 1;
	}
	rc = 1;
	if (get_sample(j.root, &s)) {
		rc = jl->sink->emit(jl->sink->ctx, &s);
		rc = rc ? rc : 1;
	} else {
		jl->sink->warn(jl->sink->ctx, "parse.unparsed", line->number,
			       line->text);
	}
	gate_json_done(&j);
	return rc;
}

static int finish_jsonl(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_jsonl = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "jsonl",
	.description = "sample lines that gate or a plug-in wrote",
	.open = open_jsonl,
	.line = line_jsonl,
	.finish = finish_jsonl,
	.close = free,
};
