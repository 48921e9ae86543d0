#include "parsers/jsonlog.h"

#include <stdint.h>
#include <string.h>

#include "parsers/scan.h"

static int hex(char c)
{
	if (gate_scan_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of "XXXX", or -1. */
static int32_t code_unit(const char *s, size_t n)
{
	int32_t v = 0;
	size_t i;

	if (n < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		if (hex(s[i]) < 0)
			return -1;
		v = v * 16 + hex(s[i]);
	}
	return v;
}

/* UTF-8 of a code unit, at most three bytes. Half of a surrogate pair becomes
 * a question mark: no benchmark prints beyond the first plane. */
static size_t put_utf8(char *out, int32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c >= 0xd800 && c <= 0xdfff) {
		out[0] = '?';
		return 1;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* What stands behind a backslash at s; returns how much of it was taken, and
 * never writes more than that. */
static size_t unescape(const char *s, size_t n, char *out, size_t *len)
{
	static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
	const char *name;
	int32_t c;

	if (*s == 'u') {
		c = code_unit(s + 1, n - 1);
		if (c >= 0) {
			*len = put_utf8(out, c);
			return 5;
		}
	}
	name = memchr(names, *s, sizeof names - 1);
	*out = name ? bytes[name - names] : *s;
	*len = 1;
	return 1;
}

/* Decodes from behind the opening quote. */
static size_t decode(char *s, size_t n, bool *cut)
{
	size_t i = 0, out = 0, len;

	*cut = true;
	while (i < n) {
		if (s[i] == '"') {
			*cut = false;
			break;
		}
		if (s[i] != '\\') {
			s[out++] = s[i++];
			continue;
		}
		if (++i == n)
			break;
		i += unescape(s + i, n - i, s + out, &len);
		out += len;
	}
	return out;
}

/* Behind a key at *at: its colon and opening quote. */
static bool opens(struct gate_scan *at)
{
	gate_scan_blanks(at);
	if (!gate_scan_lit(at, ":"))
		return false;
	gate_scan_blanks(at);
	return gate_scan_lit(at, "\"");
}

bool gate_jsonlog_message(char **s, size_t *n, bool *cut)
{
	struct gate_scan at = gate_scan_at(*s, *n);
	size_t offset;
	char *key;

	gate_scan_blanks(&at);
	if (at.p < at.end && *at.p == '{') {
		key = memmem(*s, *n, "\"MESSAGE\"", 9);
		if (!key)
			return false;
		at.p = key + 9;
	} else if (!gate_scan_lit(&at, "\"msg\"")) {
		return false;
	}
	if (!opens(&at))
		return false;
	offset = (size_t)(at.p - *s);
	*s += offset;
	*n = decode(*s, *n - offset, cut);
	return true;
}
