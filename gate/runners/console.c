#include "gate/runners/console.h"

#include <stdbool.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "gate/util/text.h"

enum { LAST_LINES = 5, LAST_LINE_BYTES = 160 };

/* Appends s without a terminal's escape sequences and line ends. */
static void add_clean(struct gate_str *out, const char *s, size_t len)
{
	struct gate_str plain = {0};
	size_t i;

	for (i = 0; i < len; i++) {
		if (s[i] == '\033') {
			/* "ESC c" or "ESC [ ... letter" */
			if (i + 1 < len && s[i + 1] == '[')
				for (i += 2;
				     i < len && (s[i] < '@' || s[i] > '~'); i++)
					;
			else
				i++;
		} else if (s[i] != '\r') {
			gate_str_putc(&plain, s[i]);
		}
	}
	if (plain.len > LAST_LINE_BYTES)
		plain.len = LAST_LINE_BYTES;
	gate_text_plain(out, gate_str_text(&plain), plain.len);
	gate_str_done(&plain);
}

static bool blank(const char *s, size_t len)
{
	while (len > 0 && (*s == ' ' || *s == '\r' || *s == '\t')) {
		s++;
		len--;
	}
	return len == 0;
}

char *gate_console_last_lines(const char *log, size_t len)
{
	const char *starts[LAST_LINES];
	size_t lens[LAST_LINES], n = 0, end = len, i;
	struct gate_str out = {0};

	while (n < LAST_LINES && end > 0) {
		const char *nl = memrchr(log, '\n', end);
		size_t start = nl ? (size_t)(nl - log) + 1 : 0;

		if (!blank(log + start, end - start)) {
			starts[n] = log + start;
			lens[n++] = end - start;
		}
		end = start > 0 ? start - 1 : 0;
	}
	if (n == 0)
		return gate_strdup("nothing was printed");
	for (i = n; i-- > 0;) {
		add_clean(&out, starts[i], lens[i]);
		if (i > 0)
			gate_str_puts(&out, " | ");
	}
	return gate_str_steal(&out);
}
