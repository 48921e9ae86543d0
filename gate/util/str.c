#include "gate/util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"

/* Apart, so that the common case stays small enough to be inlined. */
static __attribute__((noinline)) void enlarge(struct gate_str *s, size_t more)
{
	void *p = s->data;

	gate_grow(&p, &s->cap, s->len + more + 1, 1);
	s->data = p;
}

static void room(struct gate_str *s, size_t more)
{
	if (s->cap - s->len <= more)
		enlarge(s, more);
}

void gate_str_add(struct gate_str *s, const char *data, size_t len)
{
	room(s, len);
	memcpy(s->data + s->len, data, len);
	s->len += len;
	s->data[s->len] = '\0';
}

char *gate_str_room(struct gate_str *s, size_t more)
{
	room(s, more);
	return s->data + s->len;
}

void gate_str_end(struct gate_str *s, const char *end)
{
	s->len = (size_t)(end - s->data);
	s->data[s->len] = '\0';
}

void gate_str_puts(struct gate_str *s, const char *text)
{
	gate_str_add(s, text, strlen(text));
}

void gate_str_putc(struct gate_str *s, char c)
{
	room(s, 1);
	s->data[s->len++] = c;
	s->data[s->len] = '\0';
}

void gate_str_addv(struct gate_str *s, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	room(s, (size_t)n);
	vsnprintf(s->data + s->len, (size_t)n + 1, fmt, ap);
	s->len += (size_t)n;
}

void gate_str_addf(struct gate_str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gate_str_addv(s, fmt, ap);
	va_end(ap);
}

const char *gate_str_text(const struct gate_str *s)
{
	return s->data ? s->data : "";
}

char *gate_str_steal(struct gate_str *s)
{
	char *p = s->data ? s->data : gate_strdup("");

	*s = (struct gate_str){0};
	return p;
}

void gate_str_done(struct gate_str *s)
{
	free(s->data);
	*s = (struct gate_str){0};
}

bool gate_str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

enum { NEAREST_MAX = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Damerau-Levenshtein distance, optimal string alignment form. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t d[NEAREST_MAX + 1][NEAREST_MAX + 1];
	size_t i, j;

	for (i = 0; i <= na; i++)
		d[i][0] = i;
	for (j = 0; j <= nb; j++)
		d[0][j] = j;
	for (i = 1; i <= na; i++)
		for (j = 1; j <= nb; j++) {
			d[i][j] =
				min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				     d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	return d[na][nb];
}

const char *gate_str_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	size_t best_d = 0, n = strlen(word), m, d;

	if (n > NEAREST_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		m = strlen(*candidates);
		if (m > NEAREST_MAX)
			continue;
		d = distance(word, n, *candidates, m);
		if (d <= (n > m ? n : m) / 3 + 1 && d < (n > m ? n : m) &&
		    (!best || d < best_d)) {
			best = *candidates;
			best_d = d;
		}
	}
	return best;
}
