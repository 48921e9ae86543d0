#include "gate/util/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"
#include "gate/util/text.h"

enum { DEPTH_MAX = 64 };

/*
 * Replaces comments by blanks. cJSON_Minify would move everything after them,
 * and positions in messages would be wrong.
 */
static void blank_comments(char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		if (s[i] == '"') {
			for (i++; i < len && s[i] != '"'; i++)
				if (s[i] == '\\')
					i++;
			i++;
		} else if (i + 1 < len && s[i] == '/' && s[i + 1] == '/') {
			for (; i < len && s[i] != '\n'; i++)
				s[i] = ' ';
		} else if (i + 1 < len && s[i] == '/' && s[i + 1] == '*') {
			char *end = memmem(s + i + 2, len - i - 2, "*/", 2);
			size_t to = end ? (size_t)(end - s) + 2 : len;

			for (; i < to; i++)
				if (s[i] != '\n')
					s[i] = ' ';
		} else {
			i++;
		}
	}
}

static void place(const char *text, size_t offset, unsigned *line,
		  unsigned *column)
{
	size_t i;

	*line = 1;
	*column = 1;
	for (i = 0; i < offset && text[i]; i++) {
		if (text[i] == '\n') {
			++*line;
			*column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			++*column;
		}
	}
}

static int __attribute__((format(printf, 6, 0)))
error_at(const char *path, const char *text, size_t offset,
	 enum gate_status status, struct gate_error *err, const char *fmt,
	 va_list ap)
{
	struct gate_str s = {0};
	unsigned line, column;

	place(text, offset, &line, &column);
	gate_str_addv(&s, fmt, ap);
	gate_error_set(err, status, "%s:%u:%u: %s", path, line, column,
		       gate_str_text(&s));
	gate_str_done(&s);
	return status;
}

static int __attribute__((format(printf, 6, 7)))
fail_at(const char *path, const char *text, size_t offset,
	enum gate_status status, struct gate_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_at(path, text, offset, status, err, fmt, ap);
	va_end(ap);
	return status;
}

/*
 * Where does `node` begin in the text? cJSON forgets it, but keeps the order:
 * the text is walked beside the tree.
 */
struct walk {
	const char *s;
	const cJSON *node;
	size_t found;
	bool done;
};

static void skip_blanks(struct walk *w)
{
	w->s += strspn(w->s, " \t\r\n");
}

static void skip_string(struct walk *w)
{
	for (w->s++; *w->s && *w->s != '"'; w->s++)
		if (*w->s == '\\' && w->s[1])
			w->s++;
	if (*w->s)
		w->s++;
}

static void walk(struct walk *w, const cJSON *at, const char *start)
{
	const cJSON *kid;
	const char *begin;

	skip_blanks(w);
	begin = w->s;
	if (at == w->node && !w->done) {
		w->found = (size_t)(begin - start);
		w->done = true;
	}
	if (*w->s == '"') {
		skip_string(w);
		return;
	}
	if (*w->s != '{' && *w->s != '[') {
		w->s += strcspn(w->s, ",]} \t\r\n");
		return;
	}
	w->s++;
	for (kid = at->child; kid && !w->done; kid = kid->next) {
		skip_blanks(w);
		if (cJSON_IsObject(at)) {
			/* A member is found at its key. */
			if (kid == w->node) {
				w->found = (size_t)(w->s - start);
				w->done = true;
				return;
			}
			skip_string(w);
			skip_blanks(w);
			w->s++; /* : */
		}
		walk(w, kid, start);
		skip_blanks(w);
		w->s++; /* , or the closing bracket */
	}
	if (!at->child) {
		skip_blanks(w);
		w->s++;
	}
}

int gate_json_error(const struct gate_json *j, const cJSON *node,
		    enum gate_status status, struct gate_error *err,
		    const char *fmt, ...)
{
	struct walk w = {.s = j->text, .node = node};
	va_list ap;

	walk(&w, j->root, j->text);
	va_start(ap, fmt);
	error_at(j->path, j->text, w.found, status, err, fmt, ap);
	va_end(ap);
	return status;
}

static int compare_keys(const void *a, const void *b)
{
	const cJSON *const *x = a;
	const cJSON *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

/* The same key twice would let the later one win silently. */
static int check_tree(const struct gate_json *j, const cJSON *at,
		      enum gate_status status, struct gate_error *err)
{
	const cJSON **keys = NULL;
	size_t n = 0, cap = 0, i;
	const cJSON *kid;
	int rc = GATE_OK;

	for (kid = at->child; kid && !rc; kid = kid->next) {
		if (cJSON_IsObject(at))
			GATE_PUSH(keys, n, cap, kid);
		rc = check_tree(j, kid, status, err);
	}
	if (n > 1)
		qsort(keys, n, sizeof *keys, compare_keys);
	for (i = 1; i < n && !rc; i++)
		if (!strcmp(keys[i - 1]->string, keys[i]->string))
			rc = gate_json_error(j, keys[i], status, err,
					     "key \"%s\" stands twice",
					     keys[i]->string);
	free(keys);
	return rc;
}

/* cJSON takes 1000 levels; nothing of ours has more than a few. */
static bool too_deep(const char *s, size_t len, size_t *where)
{
	size_t depth = 0, i;

	for (i = 0; i < len; i++) {
		if (s[i] == '"') {
			for (i++; i < len && s[i] != '"'; i++)
				if (s[i] == '\\')
					i++;
		} else if (s[i] == '{' || s[i] == '[') {
			if (++depth > DEPTH_MAX) {
				*where = i;
				return true;
			}
		} else if ((s[i] == '}' || s[i] == ']') && depth) {
			depth--;
		}
	}
	return false;
}

static bool nul_escape(const char *s, size_t len, size_t *where)
{
	size_t i;

	for (i = 0; i + 5 < len; i++) {
		if (s[i] != '\\')
			continue;
		if (!memcmp(s + i, "\\u0000", 6)) {
			*where = i;
			return true;
		}
		i++; /* what is escaped begins no escape */
	}
	return false;
}

int gate_json_parse(const char *path, const char *text, size_t len,
		    enum gate_status status, struct gate_json *ret,
		    struct gate_error *err)
{
	struct gate_json j = {.path = gate_strdup(path),
			      .text = gate_strndup(text, len)};
	const char *end = NULL;
	size_t where = 0;
	int rc = GATE_OK;

	if (memchr(text, '\0', len)) {
		rc = gate_error_set(err, status,
				    "%s: holds NUL bytes, so it is no JSON",
				    path);
		goto out;
	}
	blank_comments(j.text, len);
	/* cJSON would end the string there and say nothing. */
	if (nul_escape(j.text, len, &where)) {
		rc = fail_at(path, j.text, where, status, err,
			     "\\u0000 cannot be part of a string");
		goto out;
	}
	if (too_deep(j.text, len, &where)) {
		rc = fail_at(path, j.text, where, status, err,
			     "nested deeper than %d", DEPTH_MAX);
		goto out;
	}
	j.root = cJSON_ParseWithLengthOpts(j.text, len + 1, &end, true);
	if (!j.root) {
		where = end ? (size_t)(end - j.text) : len;
		rc = fail_at(path, j.text, where, status, err,
			     j.text[where] ? "not JSON from here on"
					   : "the JSON ends too early");
		goto out;
	}
	rc = check_tree(&j, j.root, status, err);
out:
	if (rc)
		gate_json_done(&j);
	else
		*ret = j;
	return rc;
}

void gate_json_done(struct gate_json *j)
{
	cJSON_Delete(j->root);
	free(j->path);
	free(j->text);
	*j = (struct gate_json){0};
}

static const char *type_name(const cJSON *n)
{
	if (cJSON_IsString(n))
		return "a string";
	if (cJSON_IsNumber(n))
		return "a number";
	if (cJSON_IsBool(n))
		return "true or false";
	if (cJSON_IsArray(n))
		return "an array";
	if (cJSON_IsObject(n))
		return "an object";
	return "null";
}

static int wrong_type(const struct gate_json *j, const cJSON *node,
		      const char *want, struct gate_error *err)
{
	if (node->string)
		return gate_json_error(j, node, GATE_ECONFIG, err,
				       "\"%s\" must be %s, not %s",
				       node->string, want, type_name(node));
	return gate_json_error(j, node, GATE_ECONFIG, err, "must be %s, not %s",
			       want, type_name(node));
}

int gate_json_keys(const struct gate_json *j, const cJSON *object,
		   const char *const *keys, struct gate_error *err)
{
	const char *near;
	const cJSON *kid;
	size_t i;

	if (!cJSON_IsObject(object))
		return wrong_type(j, object, "an object", err);
	for (kid = object->child; kid; kid = kid->next) {
		for (i = 0; keys[i] && strcmp(keys[i], kid->string) != 0; i++)
			continue;
		if (keys[i])
			continue;
		near = gate_str_nearest(kid->string, keys);
		return gate_json_error(j, kid, GATE_ECONFIG, err,
				       near ? "unknown key \"%s\"; did you "
					      "mean \"%s\"?"
					    : "unknown key \"%s\"%s",
				       kid->string, near ? near : "");
	}
	return GATE_OK;
}

int gate_json_string(const struct gate_json *j, const cJSON *object,
		     const char *key, const char **ret, struct gate_error *err)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!n)
		return GATE_OK;
	if (!cJSON_IsString(n))
		return wrong_type(j, n, "a string", err);
	*ret = n->valuestring;
	return GATE_OK;
}

int gate_json_bool(const struct gate_json *j, const cJSON *object,
		   const char *key, bool *ret, struct gate_error *err)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!n)
		return GATE_OK;
	if (!cJSON_IsBool(n))
		return wrong_type(j, n, "true or false", err);
	*ret = cJSON_IsTrue(n);
	return GATE_OK;
}

int gate_json_number(const struct gate_json *j, const cJSON *object,
		     const char *key, double min, double max, double *ret,
		     struct gate_error *err)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);
	char lo[GATE_NUM_MAX], hi[GATE_NUM_MAX], is[GATE_NUM_MAX];

	if (!n)
		return GATE_OK;
	if (!cJSON_IsNumber(n))
		return wrong_type(j, n, "a number", err);
	if (!(n->valuedouble >= min && n->valuedouble <= max))
		return gate_json_error(j, n, GATE_ECONFIG, err,
				       "\"%s\" is %s, but must lie between %s "
				       "and %s",
				       key, gate_num_print(n->valuedouble, is),
				       gate_num_print(min, lo),
				       gate_num_print(max, hi));
	*ret = n->valuedouble;
	return GATE_OK;
}

int gate_json_uint(const struct gate_json *j, const cJSON *object,
		   const char *key, unsigned min, unsigned max, unsigned *ret,
		   struct gate_error *err)
{
	const cJSON *n = cJSON_GetObjectItemCaseSensitive(object, key);
	double v = *ret;
	int rc;

	rc = gate_json_number(j, object, key, min, max, &v, err);
	if (rc)
		return rc;
	if (n && v != floor(v))
		return gate_json_error(j, n, GATE_ECONFIG, err,
				       "\"%s\" must be a whole number", key);
	*ret = (unsigned)v;
	return GATE_OK;
}

typedef signed char bytes16 __attribute__((vector_size(16)));

/* All sixteen bytes print as they are. Those above 0x7f are negative here. */
static bool plain16(const unsigned char *s)
{
	uint64_t half[2];
	bytes16 v, bad;

	memcpy(&v, s, sizeof v);
	bad = (v < 0x20) | (v == 0x7f) | (v == '"') | (v == '\\');
	memcpy(half, &bad, sizeof half);
	return !(half[0] | half[1]);
}

/* How many of the `len` bytes print as they are. */
static size_t plain_run(const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (len - n >= sizeof(bytes16) && plain16(s + n))
		n += sizeof(bytes16);
	/* The rest is most often plain too, seen together with what is. */
	if (n && len - n < sizeof(bytes16) &&
	    plain16(s + len - sizeof(bytes16)))
		return len;
	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' &&
	       s[n] != '\\')
		n++;
	return n;
}

/* An escape, or what stands for a byte that is no UTF-8. */
static char *escape_at(char *p, unsigned char c, size_t utf8)
{
	static const char hex[] = "0123456789abcdef";

	if (utf8 == 0)
		return mempcpy(p, "\xef\xbf\xbd", 3);
	*p++ = '\\';
	if (c == '"' || c == '\\') {
		*p++ = (char)c;
	} else if (c == '\n' || c == '\t') {
		*p++ = c == '\n' ? 'n' : 't';
	} else {
		p = mempcpy(p, "u00", 3);
		*p++ = hex[c >> 4];
		*p++ = hex[c & 15];
	}
	return p;
}

char *gate_json_quote_at(char *p, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	const unsigned char *end = s + strlen(text);
	size_t n;

	*p++ = '"';
	for (;;) {
		n = plain_run(s, (size_t)(end - s));
		p = mempcpy(p, s, n);
		s += n;
		if (s == end)
			break;
		n = gate_text_utf8((const char *)s, (size_t)(end - s));
		if (n > 1)
			p = mempcpy(p, s, n);
		else
			p = escape_at(p, *s, n);
		s += n ? n : 1;
	}
	*p++ = '"';
	return p;
}

static void print_string(const char *text, struct gate_str *out)
{
	size_t most = GATE_JSON_GROWTH * strlen(text) + 2;

	gate_str_end(out, gate_json_quote_at(gate_str_room(out, most), text));
}

static void newline(struct gate_str *out, bool pretty, unsigned depth)
{
	if (!pretty)
		return;
	gate_str_putc(out, '\n');
	while (depth--)
		gate_str_puts(out, "  ");
}

static bool holds_containers(const cJSON *array)
{
	const cJSON *kid;

	for (kid = array->child; kid; kid = kid->next)
		if (cJSON_IsObject(kid) || cJSON_IsArray(kid))
			return true;
	return false;
}

static void print_value(const cJSON *n, bool pretty, unsigned depth,
			struct gate_str *out)
{
	bool object = cJSON_IsObject(n);
	bool broken = pretty && (object || holds_containers(n));
	char num[GATE_NUM_MAX];
	const cJSON *kid;

	if (cJSON_IsString(n)) {
		print_string(n->valuestring, out);
		return;
	}
	if (cJSON_IsNumber(n)) {
		gate_str_puts(out, gate_num_print(n->valuedouble, num));
		return;
	}
	if (!object && !cJSON_IsArray(n)) {
		gate_str_puts(out, cJSON_IsTrue(n)    ? "true"
				   : cJSON_IsFalse(n) ? "false"
						      : "null");
		return;
	}
	gate_str_putc(out, object ? '{' : '[');
	for (kid = n->child; kid; kid = kid->next) {
		newline(out, broken, depth + 1);
		if (object) {
			print_string(kid->string, out);
			gate_str_puts(out, pretty ? ": " : ":");
		}
		print_value(kid, pretty, depth + 1, out);
		if (kid->next)
			gate_str_puts(out, pretty && !broken ? ", " : ",");
	}
	if (n->child)
		newline(out, broken, depth);
	gate_str_putc(out, object ? '}' : ']');
}

char *gate_json_print(const cJSON *root, bool pretty)
{
	struct gate_str out = {0};

	print_value(root, pretty, 0, &out);
	if (pretty)
		gate_str_putc(&out, '\n');
	return gate_str_steal(&out);
}

void gate_json_add_number(cJSON *object, const char *key, double v)
{
	if (isfinite(v))
		cJSON_AddNumberToObject(object, key, v);
	else
		cJSON_AddNullToObject(object, key);
}

void gate_json_add_string(cJSON *object, const char *key, const char *s)
{
	if (s)
		cJSON_AddStringToObject(object, key, s);
	else
		cJSON_AddNullToObject(object, key);
}
