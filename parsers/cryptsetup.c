/*
 * cryptsetup benchmark (src/cryptsetup.c, 1.6 to 2.x), MiB is 2^20:
 *   PBKDF2-sha256   494611 iterations per second for 256-bit key
 *   argon2id  4 iterations, 745443 memory, ...        settings, no speed
 *          aes-xts        512b       349.5 MiB/s       356.6 MiB/s
 * "N/A" where the kernel lacks the algorithm.
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/decimal.h"

enum { NAME_ROOM = 64, ROW_ROOM = 128 };

struct cryptsetup {
	const struct gate_sink *sink;
};

/* A number, or the words that say that there is none. */
struct speed {
	bool missing;
	struct gate_decimal d;
};

static void *open_cryptsetup(const struct gate_sink *sink)
{
	struct cryptsetup *c = gate_alloc(sizeof *c);

	c->sink = sink;
	return c;
}

static int emit(struct cryptsetup *c, const struct gate_line *line,
		const char *row, struct gate_sample s)
{
	int rc;

	s.size = sizeof s;
	s.bench = "cryptsetup";
	s.row = row;
	s.better = GATE_HIGHER;
	s.line = line->number;
	s.iter = -1;
	if (s.status == GATE_SAMPLE_SKIPPED)
		s.message = "not available";
	else if (s.status == GATE_SAMPLE_INCOMPLETE)
		s.message = "the value is cut";
	rc = c->sink->emit(c->sink->ctx, &s);
	return rc ? rc : 1;
}

static int line_hash(struct cryptsetup *c, struct gate_scan s,
		     const struct gate_line *line)
{
	struct gate_sample sample = {.status = GATE_SAMPLE_OK};
	char row[ROW_ROOM];
	const char *word;
	uint64_t speed;
	size_t len;

	if (!gate_scan_word(&s, '\0', &word, &len) || len >= NAME_ROOM)
		return 0;
	snprintf(row, sizeof row, "%.*s/hash", (int)len, word);
	if (gate_scan_lit(&s, " N/A")) {
		sample.status = GATE_SAMPLE_SKIPPED;
	} else if (gate_scan_u64(&s, &speed) &&
		   gate_scan_lit(&s, " iterations per second")) {
		sample.unit = GATE_UNIT_OP_PER_S;
		sample.value = (double)speed;
		sample.resolution = 1;
	} else if (s.ended && line->cut) {
		sample.status = GATE_SAMPLE_INCOMPLETE;
	} else {
		return 0;
	}
	return emit(c, line, row, sample);
}

static bool scan_speed(struct gate_scan *s, struct speed *ret)
{
	ret->missing = gate_scan_lit(s, " N/A");
	return ret->missing ||
	       (gate_decimal_scan(s, &ret->d) && gate_scan_lit(s, " MiB/s"));
}

static int emit_speed(struct cryptsetup *c, const struct gate_line *line,
		      const char *row, const struct speed *speed)
{
	if (speed->missing)
		return emit(
			c, line, row,
			(struct gate_sample){.status = GATE_SAMPLE_SKIPPED});
	return emit(
		c, line, row,
		(struct gate_sample){
			.unit = GATE_UNIT_B_PER_S,
			.value = gate_decimal_times(&speed->d, 0x1p20),
			.resolution = gate_decimal_step(&speed->d, 0x1p20)});
}

static int line_cipher(struct cryptsetup *c, struct gate_scan s,
		       const struct gate_line *line)
{
	char encrypt[ROW_ROOM], decrypt[ROW_ROOM];
	struct speed speeds[2];
	const char *word;
	uint64_t bits;
	size_t len;
	int rc;

	if (!gate_scan_word(&s, '\0', &word, &len) || len >= NAME_ROOM ||
	    !memchr(word, '-', len) || !gate_scan_u64(&s, &bits) ||
	    !gate_scan_lit(&s, "b") || s.p == s.end || !gate_scan_blank(*s.p))
		return 0;
	snprintf(encrypt, sizeof encrypt, "%.*s/encrypt/key=%u", (int)len, word,
		 (unsigned)bits);
	snprintf(decrypt, sizeof decrypt, "%.*s/decrypt/key=%u", (int)len, word,
		 (unsigned)bits);
	if (!scan_speed(&s, &speeds[0]))
		return s.ended && line->cut
			       ? emit(c, line, encrypt,
				      (struct gate_sample){
					      .status = GATE_SAMPLE_INCOMPLETE})
			       : 0;
	rc = emit_speed(c, line, encrypt, &speeds[0]);
	if (rc < 0)
		return rc;
	if (scan_speed(&s, &speeds[1]))
		return emit_speed(c, line, decrypt, &speeds[1]);
	return emit(c, line, decrypt,
		    (struct gate_sample){.status = GATE_SAMPLE_INCOMPLETE});
}

static int line_cryptsetup(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);

	gate_scan_blanks(&s);
	if (s.p == s.end || *s.p == '#')
		return 0;
	if (*s.p == 'P' && gate_scan_left(&s) > 7 && !memcmp(s.p, "PBKDF2-", 7))
		return line_hash(state, s, line);
	return line_cipher(state, s, line);
}

static int finish_cryptsetup(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_cryptsetup = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "cryptsetup",
	.description = "cryptsetup benchmark",
	.open = open_cryptsetup,
	.line = line_cryptsetup,
	.finish = finish_cryptsetup,
	.close = free,
};
