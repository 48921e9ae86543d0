/*
 * perf stat -x, and perf stat -j (tools/perf/util/stat-display.c, 5.x to
 * 6.x):
 *   0.55,msec,task-clock,6.24%,548763,100.00,0.046,CPUs utilized
 *   {"counter-value" : "0.54", "unit" : "msec", "event" : "task-clock", ...}
 * The percentage behind the event, the spread over runs, is there with -r.
 */
#include "parsers/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "parsers/decimal.h"

enum { EVENT_ROOM = 256, FIELDS_MAX = 12 };

struct perfstat {
	const struct gate_sink *sink;
};

struct field {
	const char *s;
	size_t len;
};

static void *open_perfstat(const struct gate_sink *sink)
{
	struct perfstat *p = gate_alloc(sizeof *p);

	p->sink = sink;
	return p;
}

static bool is(const struct field *f, const char *word)
{
	return f->len == strlen(word) && !memcmp(f->s, word, f->len);
}

/* All of the field is one number. */
static bool is_number(const struct field *f, struct gate_decimal *ret)
{
	struct gate_scan s = gate_scan_at(f->s, f->len);

	return gate_decimal_scan(&s, ret) && s.p == s.end;
}

/* Times in seconds, counts as they are; other units are no cost. */
static bool convert(const struct field *unit, const struct gate_decimal *d,
		    struct gate_sample *s)
{
	double per_second = 1;

	s->unit = GATE_UNIT_S;
	if (!unit->len)
		s->unit = GATE_UNIT_COUNT;
	else if (is(unit, "msec") || is(unit, "ms"))
		per_second = 1e3;
	else if (is(unit, "ns"))
		per_second = 1e9;
	else
		return false;
	s->value = gate_decimal_times(d, d->scale) / (d->scale * per_second);
	s->resolution = 1 / (d->scale * per_second);
	return true;
}

static int emit(struct perfstat *p, const struct field *value,
		const struct field *unit, const struct field *event,
		uint64_t line)
{
	struct gate_sample s = {.size = sizeof s,
				.bench = "perfstat",
				.better = GATE_LOWER,
				.line = line,
				.iter = -1};
	char row[EVENT_ROOM];
	struct gate_decimal d;
	int rc;

	if (!event->len || event->len >= sizeof row)
		return 0;
	memcpy(row, event->s, event->len);
	row[event->len] = '\0';
	s.row = row;
	if (is(value, "<not counted>") || is(value, "<not supported>")) {
		s.status = GATE_SAMPLE_SKIPPED;
		s.message = is(value, "<not counted>") ? "not counted"
						       : "not supported";
	} else if (is_number(value, &d)) {
		if (!convert(unit, &d, &s))
			return 0;
	} else {
		return 0;
	}
	rc = p->sink->emit(p->sink->ctx, &s);
	return rc ? rc : 1;
}

/* --- -x, ------------------------------------------------------------------ */

static size_t split(const struct gate_line *line, struct field *fields)
{
	const char *p = line->text, *end = p + line->len, *comma;
	size_t n = 0;

	while (n < FIELDS_MAX) {
		comma = memchr(p, ',', (size_t)(end - p));
		fields[n].s = p;
		fields[n++].len = (size_t)((comma ? comma : end) - p);
		if (!comma)
			break;
		p = comma + 1;
	}
	return n;
}

static bool is_percent(const struct field *f)
{
	struct gate_scan s = gate_scan_at(f->s, f->len);
	struct gate_decimal d;

	return gate_decimal_scan(&s, &d) && gate_scan_lit(&s, "%") &&
	       s.p == s.end;
}

static bool is_event(const struct field *f)
{
	size_t i;

	for (i = 0; i < f->len; i++)
		if (f->s[i] <= ' ' || f->s[i] == '"' ||
		    (unsigned char)f->s[i] >= 0x7f)
			return false;
	return f->len && !gate_scan_digit(f->s[0]);
}

/* Behind the event: how long it counted, in ns, and the share of the time. */
static bool counted(const struct field *f, size_t n)
{
	struct gate_decimal run, share;

	return n >= 2 && is_number(&f[0], &run) && run.step >= 1 &&
	       is_number(&f[1], &share) && share.step > 0.005 &&
	       share.step < 0.05;
}

static int line_csv(struct perfstat *p, const struct gate_line *line)
{
	struct field f[FIELDS_MAX];
	size_t n, at = 3;

	if (!line->len ||
	    (!gate_scan_digit(line->text[0]) && line->text[0] != '<'))
		return 0;
	n = split(line, f);
	if (n < 5 || !is_event(&f[2]))
		return 0;
	if (is_percent(&f[at]))
		at++;
	if (!counted(f + at, n - at))
		return 0;
	return emit(p, &f[0], &f[1], &f[2], line->number);
}

/* --- -j ------------------------------------------------------------------- */

static struct field text_of(const cJSON *object, const char *key)
{
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(object, key);
	const char *s = cJSON_IsString(i) ? i->valuestring : "";

	return (struct field){s, strlen(s)};
}

static int line_json(struct perfstat *p, const struct gate_line *line)
{
	struct field value, unit, event;
	struct gate_error err;
	struct gate_json j;
	int rc;

	if (!memmem(line->text, line->len, "\"counter-value\"", 15))
		return 0;
	if (gate_json_parse("perf", line->text, line->len, GATE_ESYNTAX, &j,
			    &err)) {
		p->sink->warn(p->sink->ctx,
			      line->cut ? "parse.incomplete" : "parse.unparsed",
			      line->number, line->text);
		return 1;
	}
	value = text_of(j.root, "counter-value");
	unit = text_of(j.root, "unit");
	event = text_of(j.root, "event");
	rc = emit(p, &value, &unit, &event, line->number);
	gate_json_done(&j);
	return rc;
}

static int line_perfstat(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);

	gate_scan_blanks(&s);
	if (s.p < s.end && *s.p == '{')
		return line_json(state, line);
	return line->cut ? 0 : line_csv(state, line);
}

static int finish_perfstat(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_perfstat = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "perfstat",
	.description = "perf stat -x, and perf stat -j",
	.open = open_perfstat,
	.line = line_perfstat,
	.finish = finish_perfstat,
	.close = free,
};
