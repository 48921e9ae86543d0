/*
 * Fuzz target: the line layer alone. Every message is within its bounds, and
 * the pieces in which the input came make no difference.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "parsers/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t digest;
	uint64_t messages;
	uint64_t number;
};

static void digest(struct seen *s, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		s->digest = (s->digest ^ *p++) * UINT64_C(1099511628211);
}

static int take(void *ctx, const struct gate_line *line)
{
	struct seen *s = ctx;

	assert(line->size == sizeof *line);
	assert(line->len <= GATE_LINE_MAX);
	assert(line->text[line->len] == '\0');
	assert(!memchr(line->text, '\n', line->len));
	assert(line->number >= 1 && line->number >= s->number);
	assert(line->time_us >= -1);
	assert(line->time_us == -1 || line->kernel);
	s->number = line->number;
	s->messages++;
	digest(s, line->text, line->len);
	digest(s, &line->number, sizeof line->number);
	digest(s, &line->time_us, sizeof line->time_us);
	digest(s, &line->quoted, sizeof line->quoted);
	digest(s,
	       &(unsigned char){(unsigned char)(line->kernel | line->cut << 1 |
						line->joined << 2)},
	       1);
	return 0;
}

/* In pieces of 1 to 64 bytes, or all at once. */
static struct seen feed(const uint8_t *data, size_t size, bool pieces)
{
	struct seen s = {0};
	struct gate_lines *l = gate_lines_new(take, &s);
	uint32_t random = 1;
	size_t n;

	while (size) {
		random = random * 1664525 + 1013904223;
		n = pieces ? 1 + (random >> 26) : size;
		if (n > size)
			n = size;
		assert(gate_lines_feed(l, (const char *)data, n) == 0);
		data += n;
		size -= n;
	}
	assert(gate_lines_end(l) == 0);
	assert(s.number <= gate_lines_stats(l)->lines);
	gate_lines_free(l);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = feed(data, size, false);
	struct seen parts = feed(data, size, true);

	assert(whole.messages == parts.messages);
	assert(whole.digest == parts.digest);
	return 0;
}
