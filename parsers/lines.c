#include "parsers/lines.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/text.h"
#include "parsers/jsonlog.h"
#include "parsers/scan.h"

enum {
	PREFIXES_MAX = 6, /* journald before dmesg before a level, and so on */
	SOFT_MIN = 60,    /* a soft line break comes near column 76 */
	SOFT_MAX = 80,
	CLOCK_MAX = 40,    /* "[Mon Nov 30 14:40:10 2026]" and its kin */
	FRAGMENT_MAX = 16, /* what is left of a time stamp cut at its front */
	PRINTK_DIGITS = 6, /* of the fraction, always */
	GLUED_MAX = 32     /* messages on one line; the rest counts as one */
};

/* What is known of a message besides its text. */
struct origin {
	uint64_t number;
	unsigned quoted;
	int64_t time_us;
	bool kernel;
	bool cut;
	bool less; /* there may be a '<' in it */
};

struct gate_lines {
	gate_lines_fn *fn;
	void *ctx;
	struct gate_lines_stats stats;
	size_t carry_len; /* an unfinished line of the input */
	bool skipping;    /* the rest of a line that was too long */
	size_t soft_len;  /* a line that quoted-printable continues */
	uint64_t soft_number;
	bool quoted_printable; /* seen in this input */
	bool diff;             /* inside a hunk of a unified diff */
	int64_t json_time_us;  /* of the message to come, -1: unknown */
	struct {
		bool blank;
		unsigned quoted;
		int64_t time_us;
	} last;
	char carry[GATE_LINE_MAX];
	char soft[GATE_LINE_MAX];
	char text[GATE_LINE_MAX + 1];
};

struct gate_lines *gate_lines_new(gate_lines_fn *fn, void *ctx)
{
	struct gate_lines *l = gate_alloc(sizeof *l);

	l->fn = fn;
	l->ctx = ctx;
	l->last.blank = true;
	l->last.time_us = -1;
	l->json_time_us = -1;
	return l;
}

void gate_lines_free(struct gate_lines *l)
{
	free(l);
}

const struct gate_lines_stats *gate_lines_stats(const struct gate_lines *l)
{
	return &l->stats;
}

/* --- one message out ------------------------------------------------------ */

/* `s` lies in l->text, so that the byte behind it can hold the NUL. */
static int deliver(struct gate_lines *l, char *s, size_t n,
		   const struct origin *o)
{
	struct gate_line line = {
		.size = sizeof line,
		.text = s,
		.number = o->number,
		.time_us = o->time_us,
		.kernel = o->kernel,
		.cut = o->cut,
		.quoted = o->quoted,
	};
	char saved;
	int rc;

	while (n && gate_scan_blank(s[n - 1]))
		n--;
	line.len = n;
	if (o->kernel)
		line.joined = o->time_us >= 0 && o->time_us == l->last.time_us;
	else
		line.joined = !l->last.blank && o->quoted == l->last.quoted;
	l->last.blank = n == 0;
	l->last.quoted = o->quoted;
	l->last.time_us = o->time_us;
	saved = s[n];
	s[n] = '\0';
	rc = l->fn(l->ctx, &line);
	s[n] = saved;
	return rc;
}

/* --- prefixes ------------------------------------------------------------- */

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t count_blanks(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && gate_scan_blank(s[i]))
		i++;
	return i;
}

static size_t count_digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && gate_scan_digit(s[i]))
		i++;
	return i;
}

/* "   12.118196" with `min` digits behind the point or more; 0 when it is none.
 */
static size_t seconds(const char *s, size_t n, size_t min, int64_t *time_us)
{
	size_t i = count_blanks(s, n), start = i;
	int64_t us = 0;
	int k = 0;

	for (; i < n && gate_scan_digit(s[i]) && i - start < 11; i++)
		us = us * 10 + (s[i] - '0');
	if (i == start || i >= n || s[i] != '.')
		return 0;
	start = ++i;
	for (; i < n && gate_scan_digit(s[i]); i++)
		if (k++ < 6)
			us = us * 10 + (s[i] - '0');
	if (i - start < min || i - start > 9)
		return 0;
	while (k++ < 6)
		us *= 10;
	*time_us = us;
	return i;
}

/* The difference that dmesg --show-delta puts behind or in place of the time:
 * "<    0.000386>". */
static size_t delta(const char *s, size_t n)
{
	size_t i = count_blanks(s, n), k;
	int64_t ignored;

	if (i >= n || s[i] != '<')
		return 0;
	i++;
	k = seconds(s + i, n - i, 1, &ignored);
	if (!k || i + k >= n || s[i + k] != '>')
		return 0;
	return i + k + 1;
}

/* A wall clock in brackets: weekday, month or year first and "14:40" in it. */
static bool clock_text(const char *s, size_t n)
{
	bool colon = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == ':' && i > 0 && i + 1 < n &&
		    gate_scan_digit(s[i - 1]) && gate_scan_digit(s[i + 1]))
			colon = true;
		else if (!letter(s[i]) && !gate_scan_digit(s[i]) &&
			 !memchr(" :.,+-", s[i], 6))
			return false;
	}
	return colon;
}

/* The printk caller, "[  T374]" or "[    C3]", behind the time stamp. */
static size_t caller(const char *s, size_t n)
{
	size_t i, d;

	if (n < 4 || s[0] != '[')
		return 0;
	i = 1 + count_blanks(s + 1, n - 1);
	if (i >= n || (s[i] != 'T' && s[i] != 'C'))
		return 0;
	i++;
	d = count_digits(s + i, n - i);
	if (!d || i + d >= n || s[i + d] != ']')
		return 0;
	return i + d + 1;
}

/* "[   12.118196]" as printk writes it, with caller. */
static size_t stamp(const char *s, size_t n, size_t min, int64_t *time_us)
{
	size_t i, k;

	if (n < 5 || s[0] != '[')
		return 0;
	k = seconds(s + 1, n - 1, min, time_us);
	if (!k)
		return 0;
	i = 1 + k;
	i += delta(s + i, n - i);
	if (i >= n || s[i] != ']')
		return 0;
	i++;
	return i + caller(s + i, n - i);
}

/* Every other thing in brackets that stands where the time does. */
static size_t bracket(const char *s, size_t n)
{
	const char *close;
	int64_t ignored;
	size_t i, k;

	if (n >= 5 && memcmp(s, "[...]", 5) == 0)
		return 5;
	k = delta(s + 1, n - 1);
	if (k && 1 + k < n && s[1 + k] == ']')
		return k + 2;
	i = 1 + count_blanks(s + 1, n - 1);
	if (i < n && s[i] == '+') {
		k = seconds(s + i + 1, n - i - 1, 1, &ignored);
		if (k && i + 1 + k < n && s[i + 1 + k] == ']')
			return i + k + 2;
		return 0;
	}
	close = memchr(s, ']', n < CLOCK_MAX ? n : CLOCK_MAX);
	if (!close || !clock_text(s + 1, (size_t)(close - s) - 1))
		return 0;
	return (size_t)(close - s) + 1;
}

/* "<6>" of dmesg -r, of a console without a time stamp, of syslog. */
static size_t level(const char *s, size_t n)
{
	size_t d;

	if (n < 3 || s[0] != '<')
		return 0;
	d = count_digits(s + 1, n - 1);
	if (!d || d > 3 || 1 + d >= n || s[1 + d] != '>')
		return 0;
	return d + 2;
}

/* "kern  :info  : " of dmesg -x. */
static size_t facility(const char *s, size_t n)
{
	static const char *const levels[] = {
		"emerg",  "alert", "crit",  "err", "warn",
		"notice", "info",  "debug", NULL,
	};
	size_t i = 0, k, m, j;

	while (i < n && i < 10 && s[i] >= 'a' && s[i] <= 'z')
		i++;
	i += count_blanks(s + i, n - i);
	if (i + 1 >= n || s[i] != ':' || !letter(s[i + 1]))
		return 0;
	i++;
	for (k = 0; levels[k]; k++) {
		m = strlen(levels[k]);
		if (n - i < m || memcmp(s + i, levels[k], m) != 0)
			continue;
		j = i + m + count_blanks(s + i + m, n - i - m);
		if (j < n && s[j] == ':')
			return j + 1;
	}
	return 0;
}

/* "14:40:10" with any fraction. */
static size_t hms(const char *s, size_t n)
{
	static const char shape[] = "00:00:00";
	size_t i;

	if (n < sizeof shape - 1)
		return 0;
	for (i = 0; i < sizeof shape - 1; i++)
		if (shape[i] == '0' ? !gate_scan_digit(s[i]) : s[i] != ':')
			return 0;
	if (i + 1 < n && (s[i] == '.' || s[i] == ',') &&
	    gate_scan_digit(s[i + 1]))
		i += 1 + count_digits(s + i + 1, n - i - 1);
	return i;
}

/* "2026-11-30T14:40:10,118196+00:00" of dmesg, journald and CI systems. */
static size_t iso_date(const char *s, size_t n)
{
	static const char shape[] = "0000-00-00";
	size_t i, k;

	if (n < 19)
		return 0;
	for (i = 0; i < sizeof shape - 1; i++)
		if (shape[i] == '0' ? !gate_scan_digit(s[i]) : s[i] != '-')
			return 0;
	if (s[i] != 'T' && s[i] != ' ')
		return 0;
	i++;
	k = hms(s + i, n - i);
	if (!k)
		return 0;
	i += k;
	if (i < n && s[i] == 'Z')
		return i + 1;
	if (i + 4 < n && (s[i] == '+' || s[i] == '-') &&
	    gate_scan_digit(s[i + 1])) {
		i++;
		while (i < n && (gate_scan_digit(s[i]) || s[i] == ':'))
			i++;
	}
	return i;
}

/* "Jan 21 02:26:48" of syslog. */
static size_t syslog_date(const char *s, size_t n)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	size_t i, d, k;

	if (n < 15 || s[3] != ' ')
		return 0;
	for (i = 0; i < sizeof months - 1; i += 3)
		if (memcmp(s, months + i, 3) == 0)
			break;
	if (i >= sizeof months - 1)
		return 0;
	i = 3 + count_blanks(s + 3, n - 3);
	d = count_digits(s + i, n - i);
	if (!d || d > 2 || i + d >= n || s[i + d] != ' ')
		return 0;
	i += d + 1;
	k = hms(s + i, n - i);
	return k ? i + k : 0;
}

/*
 * "host kernel:" or "host tag[pid]:" behind a date. The host may be missing
 * (dmesg) or followed by the facility (busybox), so up to three words are
 * looked at; "kernel:" wins.
 */
static size_t syslog_tag(const char *s, size_t n)
{
	size_t i = 0, start, words, tag = 0;

	for (words = 0; words < 3; words++) {
		i += count_blanks(s + i, n - i);
		start = i;
		while (i < n && !gate_scan_blank(s[i]))
			i++;
		if (i - start >= 7 && memcmp(s + start, "kernel", 6) == 0 &&
		    s[i - 1] == ':')
			return i;
		if (words == 1 && i > start && s[i - 1] == ':')
			tag = i;
	}
	return tag;
}

static size_t dated(const char *s, size_t n)
{
	size_t k = 0, m;

	if (gate_scan_digit(s[0]))
		k = iso_date(s, n);
	else if (s[0] >= 'A' && s[0] <= 'S')
		k = syslog_date(s, n);
	if (!k)
		return 0;
	m = syslog_tag(s + k, n - k);
	/* What dmesg prints behind an ISO date is no tag: "xor: measuring". */
	if (m && gate_scan_digit(s[0]) && !memmem(s + k, m, "kernel", 6) &&
	    s[k + m - 2] != ']')
		m = 0;
	return k + m;
}

/* Length of the one prefix at the start, 0 when there is none. */
static size_t prefix(const char *s, size_t n, struct origin *o)
{
	int64_t time_us;
	size_t k;

	if (!n)
		return 0;
	switch (s[0]) {
	case '[':
		k = stamp(s, n, 1, &time_us);
		if (k)
			o->time_us = time_us;
		else
			k = bracket(s, n);
		return k;
	case '<':
		return level(s, n);
	case 'k':
	case 'u':
	case 'm':
	case 'd':
	case 'a':
	case 's':
	case 'l':
		return facility(s, n);
	default:
		return dated(s, n);
	}
}

/* Takes every prefix off, and the one blank that each leaves behind. */
static void strip(char **s, size_t *n, struct origin *o)
{
	size_t k, blanks;
	int i;

	for (i = 0; i < PREFIXES_MAX; i++) {
		blanks = count_blanks(*s, *n);
		k = prefix(*s + blanks, *n - blanks, o);
		if (!k)
			return;
		o->kernel = true;
		k += blanks;
		if (k < *n && (*s)[k] == ' ')
			k++;
		*s += k;
		*n -= k;
	}
}

/* A ring buffer or an excerpt may begin inside a time stamp: "125] raid6:". */
static void strip_fragment(char **s, size_t *n, struct origin *o)
{
	size_t i;

	for (i = 0; i < *n && i < FRAGMENT_MAX; i++)
		if (!gate_scan_digit((*s)[i]) && (*s)[i] != '.')
			break;
	if (i + 1 >= *n || (*s)[i] != ']' || (*s)[i + 1] != ' ')
		return;
	o->kernel = true;
	*s += i + 2;
	*n -= i + 2;
}

/* --- what mail and patches put in front ----------------------------------- */

static void strip_quotes(char **s, size_t *n, struct origin *o)
{
	size_t i;

	for (;;) {
		i = count_blanks(*s, *n);
		if (i >= *n || (*s)[i] != '>')
			break;
		*s += i + 1;
		*n -= i + 1;
		o->quoted++;
	}
	if (o->quoted && *n && **s == ' ') {
		++*s;
		--*n;
	}
}

static void strip_diff(struct gate_lines *l, char **s, size_t *n)
{
	struct origin ignored;

	if (!*n)
		return;
	if (*n > 4 && memcmp(*s, "@@ -", 4) == 0) {
		l->diff = true;
		return;
	}
	if (**s != '+' && **s != '-' && **s != ' ') {
		l->diff = false;
		return;
	}
	/* A log compared with diff(1) may be quoted without its head. */
	if (l->diff || (**s != ' ' && *n > 1 && (*s)[1] == '[' &&
			prefix(*s + 1, *n - 1, &ignored))) {
		++*s;
		--*n;
	}
}

/* --- several messages on one line ----------------------------------------- */

/* "<6>" in the middle: the console glued two messages together. */
static bool glued_level(const char *s, size_t n)
{
	return n > 3 && s[0] == '<' && s[1] >= '0' && s[1] <= '7' &&
	       s[2] == '>' && (s[3] == '[' || letter(s[3]));
}

/* Where the next message begins, n when there is no other. */
static size_t next_message(const char *s, size_t n, bool less)
{
	const char *p = s, *end = s + n, *level_at = end;
	int64_t ignored;

	while (less && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
		if (glued_level(p, (size_t)(end - p))) {
			level_at = p;
			break;
		}
		p++;
	}
	p = s;
	while ((p = memchr(p, '[', (size_t)(level_at - p))) != NULL) {
		if (stamp(p, (size_t)(end - p), PRINTK_DIGITS, &ignored))
			return (size_t)(p - s);
		p++;
	}
	return (size_t)(level_at - s);
}

static int messages(struct gate_lines *l, char *s, size_t n, struct origin *o)
{
	bool cut = o->cut;
	size_t k, glued;
	int rc;

	strip_diff(l, &s, &n);
	strip(&s, &n, o);
	if (!o->kernel && o->number == 1)
		strip_fragment(&s, &n, o);
	o->cut = false;
	for (glued = 0; glued < GLUED_MAX; glued++) {
		k = next_message(s, n, o->less);
		if (k == n)
			break;
		if (count_blanks(s, k) < k) {
			rc = deliver(l, s, k, o);
			if (rc)
				return rc;
		}
		s += k;
		n -= k;
		o->time_us = -1;
		strip(&s, &n, o);
	}
	o->cut = cut;
	return deliver(l, s, n, o);
}

/* --- bytes ---------------------------------------------------------------- */

/* Length of a terminal's escape sequence at s (its first byte is ESC). */
static size_t escape(const char *s, size_t n)
{
	size_t i;

	if (n < 2)
		return n;
	if (s[1] == '[') {
		for (i = 2; i < n; i++)
			if (s[i] >= 0x40 && s[i] <= 0x7e)
				return i + 1;
		return n;
	}
	if (s[1] == ']') { /* a window title, ended by BEL or ESC backslash */
		for (i = 2; i < n; i++)
			if (s[i] == '\a' || (s[i] == '\\' && s[i - 1] == 27))
				return i + 1;
		return n;
	}
	return n > 2 && (s[1] == '(' || s[1] == ')') ? 3 : 2;
}

static bool binary(unsigned char c)
{
	return c == 0x7f || (c < 0x20 && !memchr("\t\n\r\f\v\a\b\033", c, 8));
}

/* Takes out what only a terminal acts on; returns the new length. */
static size_t sanitize(struct gate_lines *l, char *s, size_t n)
{
	bool odd = false;
	size_t i = 0, o = 0;

	while (i < n) {
		unsigned char c = (unsigned char)s[i];

		if (c == 27) {
			i += escape(s + i, n - i);
			continue;
		}
		if (c == '\r') {
			/* What stood there was overwritten on the screen. */
			o = 0;
			i++;
			continue;
		}
		if (c == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] == 0xa0) {
			s[o++] = ' '; /* no-break space */
			i += 2;
			continue;
		}
		odd |= binary(c);
		s[o++] = s[i++];
	}
	l->stats.binary += odd;
	return o;
}

/* --- quoted-printable ----------------------------------------------------- */

static int hex(char c)
{
	if (gate_scan_digit(c))
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that "=XX" stands for, or -1. */
static int coded(const char *s, size_t n)
{
	int hi, lo;

	if (n < 3 || s[0] != '=')
		return -1;
	hi = hex(s[1]);
	lo = hex(s[2]);
	return hi < 0 || lo < 0 ? -1 : hi * 16 + lo;
}

/*
 * True when an encoder would have written this "=XX": it codes '=' itself,
 * line ends, a blank at the end of a line, and UTF-8. "len=64" is none of
 * these, and "len=80" lacks the byte that opens a sequence.
 */
static bool encoder_wrote(const char *s, size_t n, bool open)
{
	int c = coded(s, n);

	if (c == '=' || c == '\n' || c == '\r')
		return true;
	if (c == ' ' || c == '\t')
		return n == 3;
	return c >= 0xc2 || (c == 0xa0 && !open) || (open && c >= 0x80);
}

/* Every '=' of a quoted-printable line is a code. */
static bool is_quoted_printable(const char *s, size_t n)
{
	size_t i = 0;
	bool open = false;

	while (i < n) {
		if (s[i] != '=') {
			open = false;
			i++;
			continue;
		}
		if (!encoder_wrote(s + i, n - i, open))
			return false;
		open = coded(s + i, n - i) >= 0x80;
		i += 3;
	}
	return true;
}

static size_t decode(struct gate_lines *l, char *s, size_t n)
{
	size_t i = 0, o = 0;
	int c;

	if (!is_quoted_printable(s, n))
		return n;
	l->quoted_printable = true;
	while (i < n) {
		c = coded(s + i, n - i);
		if (c < 0) {
			s[o++] = s[i++];
			continue;
		}
		/* A no-break space of Latin-1. */
		s[o] = (char)(c == 0xa0 && (!o || s[o - 1] != '\xc2') ? ' '
								      : c);
		o++;
		i += 3;
	}
	return o;
}

/* --- what a line holds ---------------------------------------------------- */

typedef signed char bytes16 __attribute__((vector_size(16)));

struct traits {
	bool odd;    /* anything but printable ASCII */
	bool equals; /* '=' */
	bool less;   /* '<' */
};

static bool any(bytes16 v)
{
	uint64_t half[2];

	memcpy(half, &v, sizeof half);
	return (half[0] | half[1]) != 0;
}

/* One pass, sixteen bytes at a time, that tells which of the others a line
 * needs; most need none. */
static struct traits look(const char *s, size_t n)
{
	bytes16 v, odd = {0}, equals = {0}, less = {0};
	char last[sizeof v];
	size_t i;

	for (i = 0; i < n; i += sizeof v) {
		if (n - i >= sizeof v) {
			memcpy(&v, s + i, sizeof v);
		} else {
			memset(last, ' ', sizeof last);
			memcpy(last, s + i, n - i);
			memcpy(&v, last, sizeof v);
		}
		/* Bytes above 0x7f are negative. */
		odd |= (v < 0x20) | (v == 0x7f);
		equals |= v == '=';
		less |= v == '<';
	}
	return (struct traits){any(odd), any(equals), any(less)};
}

/* --- one line in ---------------------------------------------------------- */

/* Line by line what was one in the file: quoted-printable and JSON code line
 * ends. */
static int split(struct gate_lines *l, char *s, size_t n,
		 const struct origin *from, bool odd)
{
	struct origin o;
	char *end;
	size_t k;
	int rc;

	for (;;) {
		end = odd ? memchr(s, '\n', n) : NULL;
		k = end ? (size_t)(end - s) : n;
		n -= k;
		if (odd)
			k = sanitize(l, s, k);
		o = *from;
		o.cut = from->cut && !end;
		/* A message out of JSON was quoted by nobody. */
		if (!from->kernel)
			strip_quotes(&s, &k, &o);
		rc = messages(l, s, k, &o);
		if (rc || !end)
			return rc;
		s = end + 1;
		n--;
	}
}

/* The time that dmesg --json prints on the line before the message. */
static void note_time(struct gate_lines *l, const char *s, size_t n)
{
	static const char key[] = "\"time\":";
	const size_t len = sizeof key - 1;

	l->json_time_us = -1;
	if (n > len && !memcmp(s, key, len))
		seconds(s + len, n - len, 1, &l->json_time_us);
}

/* A line that begins with '{' or '"'. True when it was a kernel message inside
 * JSON, and *rc is what came of it. */
static bool json_line(struct gate_lines *l, char *s, size_t n, struct origin *o,
		      int *rc)
{
	size_t blanks = count_blanks(s, n);
	bool cut;

	if (!gate_jsonlog_message(&s, &n, &cut)) {
		note_time(l, s + blanks, n - blanks);
		return false;
	}
	o->cut = cut;
	o->kernel = true;
	o->less = true;
	o->time_us = l->json_time_us;
	l->json_time_us = -1;
	*rc = split(l, s, n, o, true);
	return true;
}

static int logical(struct gate_lines *l, size_t n, uint64_t number, bool cut)
{
	char *s = l->text;
	struct traits traits;
	struct origin o = {.number = number, .time_us = -1, .cut = cut};
	size_t k;
	int rc;

	s[n] = '\0';
	if (number == 1 && n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0) {
		s += 3; /* the byte order mark of UTF-8 */
		n -= 3;
	}
	k = count_blanks(s, n);
	if (k < n && (s[k] == '{' || s[k] == '"') &&
	    json_line(l, s, n, &o, &rc))
		return rc;
	if (k < n && s[k] == '{')
		return deliver(l, s, n, &o);
	traits = look(s, n);
	if (traits.equals)
		n = decode(l, s, n);
	o.less = traits.less || traits.equals;
	return split(l, s, n, &o, traits.odd || traits.equals);
}

/* True when the line goes on behind a final '='. */
static bool soft_break(const struct gate_lines *l, const char *s, size_t n)
{
	if (!n || s[n - 1] != '=' || s[count_blanks(s, n)] == '{')
		return false;
	return l->quoted_printable || (n >= SOFT_MIN && n <= SOFT_MAX);
}

static int physical(struct gate_lines *l, const char *s, size_t n, bool cut)
{
	uint64_t number = l->stats.lines;
	bool more;

	while (n && s[n - 1] == '\r')
		n--;
	more = !cut && soft_break(l, s, n);
	if (!more && !l->soft_len) {
		memcpy(l->text, s, n);
		return logical(l, n, number, cut);
	}
	if (!l->soft_len)
		l->soft_number = number;
	n -= more;
	if (n > sizeof l->soft - l->soft_len)
		n = sizeof l->soft - l->soft_len;
	memcpy(l->soft + l->soft_len, s, n);
	l->soft_len += n;
	if (more && l->soft_len < sizeof l->soft)
		return 0;
	n = l->soft_len;
	l->soft_len = 0;
	memcpy(l->text, l->soft, n);
	return logical(l, n, l->soft_number, cut);
}

/* An unfinished line; past the limit it is handed on at once, and the rest of
 * it is skipped. */
static int carry(struct gate_lines *l, const char *s, size_t n)
{
	size_t room = sizeof l->carry - l->carry_len;

	if (l->skipping)
		return 0;
	memcpy(l->carry + l->carry_len, s, n < room ? n : room);
	if (n <= room) {
		l->carry_len += n;
		return 0;
	}
	l->carry_len = 0;
	l->skipping = true;
	l->stats.lines++;
	l->stats.dropped++;
	return physical(l, l->carry, sizeof l->carry, true);
}

static int line_end(struct gate_lines *l, const char *s, size_t n)
{
	int rc;

	if (l->skipping || l->carry_len || n > sizeof l->carry) {
		rc = carry(l, s, n);
		if (rc)
			return rc;
		if (l->skipping) {
			l->skipping = false;
			return 0;
		}
		s = l->carry;
		n = l->carry_len;
		l->carry_len = 0;
	}
	l->stats.lines++;
	return physical(l, s, n, false);
}

int gate_lines_feed(struct gate_lines *l, const char *data, size_t len)
{
	const char *end;
	size_t n;
	int rc;

	l->stats.bytes += len;
	while (len) {
		end = memchr(data, '\n', len);
		if (!end)
			return carry(l, data, len);
		n = (size_t)(end - data);
		rc = line_end(l, data, n);
		if (rc)
			return rc;
		data += n + 1;
		len -= n + 1;
	}
	return 0;
}

int gate_lines_end(struct gate_lines *l)
{
	size_t n = l->carry_len;

	l->carry_len = 0;
	if (n) {
		l->stats.lines++;
		return physical(l, l->carry, n, true);
	}
	if (!l->soft_len)
		return 0;
	n = l->soft_len;
	l->soft_len = 0;
	memcpy(l->text, l->soft, n);
	return logical(l, n, l->soft_number, true);
}
