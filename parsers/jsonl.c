/*
 * jsonl: our own sample lines, as `gate parse` and plug-ins print them.
 *
 * One object a line with at least "bench" and "row". Keys that say where a
 * sample belongs (side, round, job, clock) are ignored: the caller of the
 * parser knows, and a log may not overrule it.
 */
#include "parsers/builtin.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sample_set.h"
#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
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

/* One object, and what is wrong with it. */
struct reading {
	const cJSON *o;
	char why[256];
};

static bool __attribute__((format(printf, 2, 3)))
fault(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, sizeof r->why, fmt, ap);
	va_end(ap);
	return false;
}

/* Getters: absent and null leave *ret alone; another type is false. */
static const cJSON *item(const struct reading *r, const char *key)
{
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(r->o, key);

	return cJSON_IsNull(i) ? NULL : i;
}

static bool get_text(struct reading *r, const char *key, const char **ret)
{
	const cJSON *i = item(r, key);

	if (!i)
		return true;
	if (!cJSON_IsString(i))
		return fault(r, "\"%s\" must be a string", key);
	*ret = i->valuestring;
	return true;
}

static bool get_number(struct reading *r, const char *key, double *ret)
{
	const cJSON *i = item(r, key);

	if (!i)
		return true;
	if (!cJSON_IsNumber(i) || !isfinite(i->valuedouble))
		return fault(r, "\"%s\" must be a number", key);
	*ret = i->valuedouble;
	return true;
}

static bool get_whole(struct reading *r, const char *key, double min,
		      double max, double *ret)
{
	if (!get_number(r, key, ret))
		return false;
	if (*ret >= min && *ret <= max && *ret == floor(*ret))
		return true;
	return fault(r, "\"%s\" must be a whole number", key);
}

static bool unknown_unit(struct reading *r, const char *unit)
{
	struct gate_str known = {0};
	int u;

	for (u = GATE_UNIT_NONE + 1; u <= GATE_UNIT_ONE; u++)
		gate_str_addf(&known, " %s", gate_unit_name((enum gate_unit)u));
	fault(r, "unit \"%.32s\" is none of%s", unit, gate_str_text(&known));
	gate_str_done(&known);
	return false;
}

static bool get_words(struct reading *r, struct gate_sample *s)
{
	const char *unit = NULL, *better = NULL, *status = "ok";

	if (!get_text(r, "unit", &unit) || !get_text(r, "better", &better) ||
	    !get_text(r, "status", &status))
		return false;
	if (!gate_sample_status_parse(status, &s->status))
		return fault(r,
			     "status \"%.32s\" is none of ok failed skipped "
			     "incomplete orphan",
			     status);
	if (unit) {
		s->unit = gate_unit_parse(unit);
		if (s->unit == GATE_UNIT_NONE)
			return unknown_unit(r, unit);
		s->better = gate_unit_better(s->unit);
	}
	if (!better)
		return true;
	s->better = !strcmp(better, gate_better_name(GATE_HIGHER)) ? GATE_HIGHER
								   : GATE_LOWER;
	if (strcmp(better, gate_better_name(s->better)) != 0)
		return fault(r, "\"better\" must be higher or lower");
	return true;
}

static bool get_fields(struct reading *r, struct gate_sample *s, double *value)
{
	double line = (double)s->line, iter = -1;
	const cJSON *warmup = item(r, "warmup");

	if (!get_text(r, "bench", &s->bench) || !get_text(r, "row", &s->row) ||
	    !get_text(r, "driver", &s->driver) ||
	    !get_text(r, "method", &s->method) ||
	    !get_text(r, "mode", &s->mode) ||
	    !get_text(r, "message", &s->message) || !get_words(r, s) ||
	    !get_number(r, "value", value) ||
	    !get_number(r, "resolution", &s->resolution) ||
	    !get_whole(r, "line", 0, exact_max, &line) ||
	    !get_whole(r, "iter", -1, INT32_MAX, &iter))
		return false;
	if (warmup && !cJSON_IsBool(warmup))
		return fault(r, "\"warmup\" must be true or false");
	s->line = (uint64_t)line;
	s->iter = (int32_t)iter;
	s->warmup = cJSON_IsTrue(warmup);
	return true;
}

static bool get_sample(struct reading *r, struct gate_sample *s)
{
	double value = GATE_NAN;

	if (!get_fields(r, s, &value))
		return false;
	if (!s->bench || !s->row)
		return fault(r, "\"bench\" and \"row\" must be there");
	if (s->status != GATE_SAMPLE_OK && s->status != GATE_SAMPLE_ORPHAN)
		return isnan(value) ||
		       fault(r, "a sample that is %s has no \"value\"",
			     gate_sample_status_name(s->status));
	if (isnan(value))
		return fault(r, "\"value\" is missing");
	if (s->unit == GATE_UNIT_NONE)
		return fault(r, "\"unit\" is missing");
	s->value = value;
	return true;
}

static void refuse(const struct jsonl *jl, const struct gate_line *line,
		   const char *why)
{
	char *text = gate_asprintf("%s: %s", why, line->text);

	jl->sink->warn(jl->sink->ctx, "parse.unparsed", line->number, text);
	free(text);
}

static int line_jsonl(void *state, const struct gate_line *line)
{
	struct jsonl *jl = state;
	struct gate_sample s = {.size = sizeof s, .line = line->number};
	struct gate_scan at = gate_scan_at(line->text, line->len);
	struct reading r = {.why = ""};
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
		if (line->cut)
			jl->sink->warn(jl->sink->ctx, "parse.incomplete",
				       line->number, line->text);
		else
			refuse(jl, line, err.message);
		return 1;
	}
	rc = 1;
	r.o = j.root;
	if (get_sample(&r, &s)) {
		rc = jl->sink->emit(jl->sink->ctx, &s);
		rc = rc ? rc : 1;
	} else {
		refuse(jl, line, r.why);
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
