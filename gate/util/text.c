#include "gate/util/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
/* Zero width space: nothing to see, but no name, number or link goes on
 * behind it. Forges look for those in the rendered text, where a backslash is
 * gone already. */
static const char breaker[] = "&#8203;";

size_t gate_text_utf8(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n, i;

	if (!len)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static uint32_t code_point(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
	size_t i;

	for (i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/*
 * Controls of both sets, and what hides or reorders the text around it (zero
 * width and direction marks, line separators): a name must look like what it
 * is. U+FFFE and U+FFFF are no characters, and XML forbids them.
 */
static bool unfit(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0xfffe ||
	       c == 0xffff;
}

void gate_text_plain(struct gate_str *out, const char *s, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n ? n : 1) {
		n = gate_text_utf8(s + i, len - i);
		if (n && !unfit(code_point(s + i, n)))
			gate_str_add(out, s + i, n);
		else
			gate_str_puts(out, replacement);
	}
}

static size_t longest_run(const char *s, char c)
{
	size_t best = 0, run = 0;

	for (; *s; s++) {
		run = *s == c ? run + 1 : 0;
		if (run > best)
			best = run;
	}
	return best;
}

void gate_text_markdown_code(struct gate_str *out, const char *s)
{
	struct gate_str plain = {0};
	size_t fence, i;
	const char *p;
	bool pad;

	gate_text_plain(&plain, s, strlen(s));
	p = gate_str_text(&plain);
	fence = longest_run(p, '`') + 1;
	/* One blank on each side is not part of the span; without it a
	 * backtick at an edge would join the fence. */
	pad = !plain.len || p[0] == '`' || p[plain.len - 1] == '`' ||
	      (p[0] == ' ' && p[plain.len - 1] == ' ');
	for (i = 0; i < fence; i++)
		gate_str_putc(out, '`');
	if (pad && plain.len)
		gate_str_putc(out, ' ');
	for (; *p; p++) {
		if (*p == '|')
			gate_str_putc(out, '\\');
		gate_str_putc(out, *p);
	}
	if (pad)
		gate_str_putc(out, ' ');
	for (i = 0; i < fence; i++)
		gate_str_putc(out, '`');
	gate_str_done(&plain);
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '"' ||
	       (unsigned char)c >= 0x80;
}

/* Characters that open a mention or a reference when a word follows: users,
 * issues, merge requests, snippets, labels, milestones, epics. */
static bool refers(char c, char next)
{
	return c && strchr("@#!$~%&^", c) && word_char(next);
}

/* ":rocket:" */
static bool emoji(const char *p)
{
	size_t n;

	if (*p != ':')
		return false;
	n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-");
	return n && p[1 + n] == ':';
}

/* What makes a link out of plain letters: "https://", "www.", "GH-12" and the
 * keys of issue trackers. */
static bool links(const char *start, const char *p)
{
	size_t before = (size_t)(p - start);

	if (*p == '-')
		return before && isdigit((unsigned char)p[1]) &&
		       (isupper((unsigned char)p[-1]) ||
			(before >= 2 && !strncasecmp(p - 2, "gh", 2)));
	/* Ahead of the point: what comes behind it, even an escaped blank,
	 * would be linked as the name of a host. */
	if (p[1] == '.')
		return before >= 2 && !strncasecmp(p - 2, "www", 3);
	return *p == ':' && p[1] == '/';
}

static void escape_char(struct gate_str *out, char c, bool first)
{
	switch (c) {
	case '<':
		gate_str_puts(out, "&lt;");
		return;
	case '>':
		gate_str_puts(out, "&gt;");
		return;
	case '&':
		gate_str_puts(out, "&amp;");
		return;
	case '$': /* also opens mathematics */
		gate_str_puts(out, "&#36;");
		return;
	default:
		break;
	}
	if (strchr("\\`*_[]|~#@!{}", c) || (first && strchr("-+=/:", c)))
		gate_str_putc(out, '\\');
	gate_str_putc(out, c);
}

/* "1." or "1)" at the start of a line begins a list. */
static bool list_mark(const char *start, const char *p)
{
	return (*p == '.' || *p == ')') && p > start &&
	       strspn(start, "0123456789") == (size_t)(p - start);
}

void gate_text_markdown(struct gate_str *out, const char *s)
{
	struct gate_str plain = {0};
	const char *start, *p;
	bool first;

	gate_text_plain(&plain, s, strlen(s));
	start = gate_str_text(&plain);
	while (*start == ' ')
		start++;
	for (p = start; *p; p++) {
		/* A quick action begins a line; escaped behind blanks too, so
		 * that wrapping cannot make one. */
		first = p == start || p[-1] == ' ';
		if (list_mark(start, p))
			gate_str_putc(out, '\\');
		escape_char(out, *p, first);
		if (refers(*p, p[1]) || emoji(p) || links(start, p))
			gate_str_puts(out, breaker);
	}
	gate_str_done(&plain);
}

size_t gate_text_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}
