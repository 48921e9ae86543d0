#include "parsers/likely.h"

#include <string.h>

#include "parsers/scan.h"

/* "KB/sec" is missing: md announces the limits of a resync in it, and no
 * benchmark that we know prints it. */
static const char *const rates[] = {"B/s",
				    "kB/s",
				    "KB/s",
				    "MB/s",
				    "GB/s",
				    "KiB/s",
				    "MiB/s",
				    "GiB/s",
				    "B/sec",
				    "MB/sec",
				    "GB/sec",
				    "bytes/sec",
				    "bytes/s",
				    "op/s",
				    "ops/s",
				    "ops/sec",
				    "opers/sec",
				    "M/s",
				    "cycles/op",
				    "cycles/operation",
				    "cycles/byte",
				    "ns/op",
				    "nsecs/operation",
				    "insn/op",
				    NULL};

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_rate(const char *s, size_t len)
{
	size_t i;

	for (i = 0; rates[i]; i++)
		if (strlen(rates[i]) == len && !memcmp(rates[i], s, len))
			return true;
	return false;
}

/* Digits, and blanks between them and s[i]. */
static bool number_before(const char *s, size_t i)
{
	while (i && gate_scan_blank(s[i - 1]))
		i--;
	return i && gate_scan_digit(s[i - 1]);
}

/* `at` is the place of a '/'. */
static bool rate_at(const char *s, size_t len, size_t at)
{
	size_t from = at, to = at + 1;

	while (from && letter(s[from - 1]))
		from--;
	while (to < len && letter(s[to]))
		to++;
	if (to < len && (s[to] == '/' || gate_scan_digit(s[to])))
		return false;
	return number_before(s, from) && is_rate(s + from, to - from);
}

bool gate_result_like(const char *s, size_t len)
{
	const char *p = s, *end = s + len;

	while ((p = memchr(p, '/', (size_t)(end - p))) != NULL) {
		if (rate_at(s, len, (size_t)(p - s)))
			return true;
		p++;
	}
	p = memmem(s, len, " operation", 10);
	return p && number_before(s, (size_t)(p - s));
}
