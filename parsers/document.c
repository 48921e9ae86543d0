#include "parsers/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "parsers/scan.h"

struct collector {
	const struct gate_sink *sink;
	gate_document_fn *fn;
	const char *first_key;
	bool open;      /* inside a document */
	bool confirmed; /* it begins with first_key */
	bool in_string, escaped;
	size_t depth;
	uint64_t line; /* of its first byte */
	struct gate_str text;
};

void *gate_document_open(const struct gate_sink *sink, const char *first_key,
			 gate_document_fn *fn)
{
	struct collector *c = gate_alloc(sizeof *c);

	c->sink = sink;
	c->first_key = first_key;
	c->fn = fn;
	return c;
}

static void drop(struct collector *c)
{
	c->open = false;
	gate_str_done(&c->text);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* False once the document cannot begin with the key any more. */
static bool may_be_ours(struct collector *c)
{
	const char *p = c->text.data + 1, *end = c->text.data + c->text.len;
	size_t n = strlen(c->first_key), left;

	while (p < end && blank(*p))
		p++;
	left = (size_t)(end - p);
	if (!left)
		return c->text.len < GATE_DOCUMENT_MAX;
	/* Keys are not broken over lines. */
	c->confirmed = left > n + 1 && *p == '"' &&
		       !memcmp(p + 1, c->first_key, n) && p[n + 1] == '"';
	return c->confirmed;
}

/* Where the document ends inside s, or n + 1 when it goes on. */
static size_t document_end(struct collector *c, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (c->escaped) {
			c->escaped = false;
		} else if (c->in_string) {
			c->escaped = s[i] == '\\';
			c->in_string = s[i] != '"';
		} else if (s[i] == '"') {
			c->in_string = true;
		} else if (s[i] == '{' || s[i] == '[') {
			c->depth++;
		} else if (s[i] == '}' || s[i] == ']') {
			if (!--c->depth)
				return i + 1;
		}
	}
	return n + 1;
}

static int whole(struct collector *c)
{
	struct gate_document d = {
		.text = c->text.data,
		.len = c->text.len,
		.at = c->text.data,
		.line = c->line,
	};
	struct gate_error err;
	struct gate_json j;
	int rc;

	if (gate_json_parse("document", c->text.data, c->text.len, GATE_ESYNTAX,
			    &j, &err)) {
		c->sink->warn(c->sink->ctx, "parse.unparsed", c->line,
			      err.message);
		return 0;
	}
	d.root = j.root;
	rc = c->fn(c->sink, &d);
	gate_json_done(&j);
	return rc;
}

static void lost(struct collector *c, const char *why)
{
	c->sink->warn(c->sink->ctx, "parse.incomplete", c->line, why);
	drop(c);
}

static int add(struct collector *c, const char *s, size_t n)
{
	size_t end = document_end(c, s, n);
	int rc;

	if (c->text.len + n + 1 > GATE_DOCUMENT_MAX) {
		if (c->confirmed)
			lost(c, "a JSON document of more than 16 MiB");
		drop(c);
		return 0;
	}
	gate_str_add(&c->text, s, end > n ? n : end);
	if (!c->confirmed && !may_be_ours(c)) {
		drop(c);
		return 0;
	}
	if (end > n) {
		gate_str_putc(&c->text, '\n');
		return c->confirmed;
	}
	rc = whole(c);
	drop(c);
	return rc ? rc : 1;
}

int gate_document_line(void *state, const struct gate_line *line)
{
	struct collector *c = state;
	struct gate_scan s = gate_scan_at(line->text, line->len);

	if (!c->open) {
		gate_scan_blanks(&s);
		if (s.p == s.end || *s.p != '{')
			return 0;
		c->open = true;
		c->confirmed = false;
		c->in_string = false;
		c->escaped = false;
		c->depth = 0;
		c->line = line->number;
	}
	return add(c, s.p, gate_scan_left(&s));
}

int gate_document_finish(void *state)
{
	struct collector *c = state;

	if (c->open && c->confirmed)
		lost(c, "a JSON document without its end");
	return 0;
}

void gate_document_close(void *state)
{
	struct collector *c = state;

	if (!c)
		return;
	gate_str_done(&c->text);
	free(c);
}

uint64_t gate_document_line_of(struct gate_document *d, const char *key)
{
	const char *end = d->text + d->len, *p = d->at, *found;
	size_t n = strlen(key);

	for (;;) {
		found = memmem(p, (size_t)(end - p), key, n);
		if (!found)
			return d->line;
		p = found + n;
		if (found > d->text && found[-1] == '"' && p < end && *p == '"')
			break;
	}
	for (; d->at < p; d->at++)
		d->line += *d->at == '\n';
	return d->line;
}

const char *gate_document_text(const cJSON *object, const char *key)
{
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsString(i) ? i->valuestring : NULL;
}

bool gate_document_number(const cJSON *object, const char *key, double *ret)
{
	const cJSON *i = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsNumber(i) || !isfinite(i->valuedouble))
		return false;
	*ret = i->valuedouble;
	return true;
}
