/*
 * A cursor over one line of text, for parsers that read by grammar.
 *
 * It never runs past the end, knows nothing of any format, and remembers
 * whether a match failed because the text ended: that is how a cut line is
 * told from a line of something else. A blank in a literal stands for any
 * number of blanks or tabs, since mailers and web pages fold them.
 */
#ifndef GATE_PARSERS_SCAN_H
#define GATE_PARSERS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct gate_scan {
	const char *p;
	const char *end;
	bool ended; /* something failed for want of text */
};

static inline struct gate_scan gate_scan_at(const char *s, size_t len)
{
	return (struct gate_scan){.p = s, .end = s + len};
}

static inline size_t gate_scan_left(const struct gate_scan *s)
{
	return (size_t)(s->end - s->p);
}

static inline bool gate_scan_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool gate_scan_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline void gate_scan_blanks(struct gate_scan *s)
{
	while (s->p < s->end && gate_scan_blank(*s->p))
		s->p++;
}

/* The slow half of gate_scan_lit(). */
static inline bool gate_scan_folded(struct gate_scan *s, const char *lit,
				    size_t len)
{
	struct gate_scan t = *s;
	size_t i;

	for (i = 0; i < len; i++) {
		if (t.p == t.end) {
			s->ended = true;
			return false;
		}
		if (lit[i] == ' ' && gate_scan_blank(*t.p)) {
			gate_scan_blanks(&t);
			continue;
		}
		if (*t.p++ != lit[i])
			return false;
	}
	*s = t;
	return true;
}

/* Consumes the literal, or nothing. */
static inline bool gate_scan_match(struct gate_scan *s, const char *lit,
				   size_t len)
{
	if (gate_scan_left(s) >= len && memcmp(s->p, lit, len) == 0 &&
	    (lit[len - 1] != ' ' || s->p + len == s->end ||
	     !gate_scan_blank(s->p[len]))) {
		s->p += len;
		return true;
	}
	return gate_scan_folded(s, lit, len);
}

#define gate_scan_lit(s, lit) gate_scan_match((s), (lit), sizeof(lit) - 1)

/* Blanks, then digits of a number below 10^18. Consumes all, or nothing. */
static inline bool gate_scan_u64(struct gate_scan *s, uint64_t *ret)
{
	struct gate_scan t = *s;
	const char *start;
	uint64_t v = 0;

	gate_scan_blanks(&t);
	start = t.p;
	while (t.p < t.end && gate_scan_digit(*t.p) && t.p - start < 18)
		v = v * 10 + (uint64_t)(*t.p++ - '0');
	if (t.p == start || (t.p < t.end && gate_scan_digit(*t.p))) {
		s->ended |= t.p == t.end;
		return false;
	}
	*s = t;
	*ret = v;
	return true;
}

/* A run of bytes that are neither blank nor `stop`; false when empty. Without
 * a stop ('\0') it is empty at a blank and at the end only, so that a loop over
 * words gets on: a NUL byte of the line is part of a word. */
static inline bool gate_scan_word(struct gate_scan *s, char stop,
				  const char **word, size_t *len)
{
	const char *start = s->p;

	while (s->p < s->end && !gate_scan_blank(*s->p) &&
	       (*s->p != stop || !stop))
		s->p++;
	*word = start;
	*len = (size_t)(s->p - start);
	return *len > 0;
}

/* True when every byte is printable ASCII, eight at a time. */
static inline bool gate_scan_plain(const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t high = ones * 0x80;
	uint64_t v, bad = 0;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		memcpy(&v, s + i, 8);
		/* Below 0x20, above 0x7f, or 0x7f itself. */
		bad |= ((v - ones * 0x20) | v | (v + ones)) & high;
	}
	for (; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || (unsigned char)s[i] >= 0x7f)
			return false;
	return !bad;
}

#endif
