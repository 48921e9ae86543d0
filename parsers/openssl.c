/*
 * openssl speed (apps/speed.c, 1.1 to 3.x). A table, in units of 1000 bytes:
 *   type             16 bytes     64 bytes
 *   AES-256-GCM    512345.67k  1721465.60k
 * public keys, with times that the rates behind them repeat:
 *                      sign    verify    sign/s verify/s
 *   rsa 2048 bits 0.000242s 0.000017s   4131.4  60488.9
 * and -mr, in bytes a second:
 *   +H:16:64
 *   +F:25:AES-128-GCM:512345670.12:1721465600.00
 *   +F2:2:2048:4155.102041:57338.202247
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "parsers/decimal.h"

enum {
	COLUMNS_MAX = 32,
	METRICS_MAX = 4,
	NAME_ROOM = 96,
	METRIC_ROOM = 24,
	ROW_ROOM = 160,
	WINDOW = 256 /* lines without a row after which a head is stale */
};

struct openssl {
	const struct gate_sink *sink;
	uint64_t line;               /* of the latest head or row */
	uint64_t sizes[COLUMNS_MAX]; /* of the table */
	size_t n_sizes;
	uint64_t mr_sizes[COLUMNS_MAX];
	size_t n_mr_sizes;
	char metrics[METRICS_MAX][METRIC_ROOM]; /* of the public keys */
	size_t n_metrics;
};

static void *open_openssl(const struct gate_sink *sink)
{
	struct openssl *o = gate_alloc(sizeof *o);

	o->sink = sink;
	return o;
}

static int emit(struct openssl *o, const char *row, uint64_t line,
		struct gate_sample s)
{
	s.size = sizeof s;
	s.bench = "openssl";
	s.row = row;
	s.better = GATE_HIGHER;
	s.line = line;
	s.iter = -1;
	if (s.status == GATE_SAMPLE_INCOMPLETE)
		s.message = "the value is cut";
	return o->sink->emit(o->sink->ctx, &s);
}

/* --- tables --------------------------------------------------------------- */

static int line_head(struct openssl *o, struct gate_scan s,
		     const struct gate_line *line)
{
	uint64_t sizes[COLUMNS_MAX];
	size_t n = 0;

	while (n < COLUMNS_MAX && gate_scan_u64(&s, &sizes[n]) &&
	       gate_scan_lit(&s, " bytes"))
		n++;
	gate_scan_blanks(&s);
	if (!n || s.p < s.end)
		return 0;
	memcpy(o->sizes, sizes, sizeof sizes);
	o->n_sizes = n;
	o->n_metrics = 0;
	o->line = line->number;
	return 1;
}

/* Everything in front of the last `n` words, folded: "aes-128 cbc". */
static bool name_before(const char *s, size_t len, size_t n,
			char name[NAME_ROOM], const char **rest)
{
	size_t end = len, used = 0, i;

	while (n--) {
		while (end && gate_scan_blank(s[end - 1]))
			end--;
		while (end && !gate_scan_blank(s[end - 1]))
			end--;
	}
	*rest = s + end;
	while (end && gate_scan_blank(s[end - 1]))
		end--;
	for (i = 0; i < end; i++) {
		if (gate_scan_blank(s[i]) &&
		    (!used || gate_scan_blank(s[i + 1])))
			continue;
		if (used == NAME_ROOM - 1)
			return false;
		name[used++] = s[i];
	}
	name[used] = '\0';
	return used > 0;
}

static bool scan_speed(struct gate_scan *s, struct gate_decimal *d)
{
	return gate_decimal_scan(s, d) && gate_scan_lit(s, "k") &&
	       (s->p == s->end || gate_scan_blank(*s->p));
}

static int emit_speed(struct openssl *o, const char *name, uint64_t size,
		      uint64_t line, struct gate_sample s)
{
	char row[ROW_ROOM];

	snprintf(row, sizeof row, "%s/block=%llu", name,
		 (unsigned long long)size);
	s.unit =
		s.status == GATE_SAMPLE_OK ? GATE_UNIT_B_PER_S : GATE_UNIT_NONE;
	return emit(o, row, line, s);
}

/* Rows of a table that was cut have fewer words than it has columns. */
static size_t count_speeds(const char *text, size_t len)
{
	struct gate_scan s = gate_scan_at(text, len);
	struct gate_decimal d;
	size_t n = 0, len_word;
	const char *word;

	while (s.p < s.end) {
		gate_scan_blanks(&s);
		if (n || gate_scan_digit(s.p < s.end ? *s.p : ' ')) {
			struct gate_scan t = s;

			if (scan_speed(&t, &d)) {
				n++;
				s = t;
				continue;
			}
			if (n)
				return n;
		}
		gate_scan_word(&s, '\0', &word, &len_word);
	}
	return n;
}

static int line_row(struct openssl *o, const struct gate_line *line)
{
	size_t n = count_speeds(line->text, line->len), i, words = n;
	struct gate_scan s;
	struct gate_decimal d;
	char name[NAME_ROOM];
	const char *rest;
	int rc = 0;

	if (!n || n > o->n_sizes || (n < o->n_sizes && !line->cut))
		return 0;
	/* The word that was cut stands behind the whole ones. */
	if (n < o->n_sizes && line->text[line->len - 1] != 'k')
		words++;
	if (!name_before(line->text, line->len, words, name, &rest))
		return 0;
	s = gate_scan_at(rest, (size_t)(line->text + line->len - rest));
	for (i = 0; i < n && !rc; i++) {
		if (!scan_speed(&s, &d))
			return 0;
		rc = emit_speed(
			o, name, o->sizes[i], line->number,
			(struct gate_sample){
				.value = gate_decimal_times(&d, 1000),
				.resolution = gate_decimal_step(&d, 1000)});
	}
	if (n < o->n_sizes && !rc)
		rc = emit_speed(
			o, name, o->sizes[n], line->number,
			(struct gate_sample){.status = GATE_SAMPLE_INCOMPLETE});
	o->line = line->number;
	return rc ? rc : 1;
}

/* --- public keys ---------------------------------------------------------- */

/* "sign verify sign/s verify/s": names, and as many rates. */
static int line_key_head(struct openssl *o, struct gate_scan s,
			 const struct gate_line *line)
{
	char names[METRICS_MAX][METRIC_ROOM];
	size_t n = 0, rates = 0, len;
	const char *word;

	for (;;) {
		gate_scan_blanks(&s);
		if (!gate_scan_word(&s, '\0', &word, &len))
			break;
		if (len > 2 && !memcmp(word + len - 2, "/s", 2)) {
			rates++;
			continue;
		}
		if (rates || n == METRICS_MAX || len >= METRIC_ROOM)
			return 0;
		memcpy(names[n], word, len);
		names[n++][len] = '\0';
	}
	if (!n || rates != n)
		return 0;
	memcpy(o->metrics, names, sizeof names);
	o->n_metrics = n;
	o->n_sizes = 0;
	o->line = line->number;
	return 1;
}

/* NAME, times that end in 's', rates. */
static int line_key(struct openssl *o, const struct gate_line *line)
{
	struct gate_decimal rates[METRICS_MAX], time;
	size_t n = o->n_metrics, i;
	char name[NAME_ROOM], row[ROW_ROOM];
	struct gate_scan s;
	const char *rest;
	int rc = 0;

	if (!name_before(line->text, line->len, 2 * n, name, &rest))
		return 0;
	s = gate_scan_at(rest, (size_t)(line->text + line->len - rest));
	for (i = 0; i < n; i++)
		if (!gate_decimal_scan(&s, &time) || !gate_scan_lit(&s, "s"))
			return 0;
	for (i = 0; i < n; i++)
		if (!gate_decimal_scan(&s, &rates[i]))
			return 0;
	if (s.p < s.end)
		return 0;
	for (i = 0; i < n && !rc; i++) {
		snprintf(row, sizeof row, "%s/%s", name, o->metrics[i]);
		if (line->cut && i == n - 1)
			rc = emit(o, row, line->number,
				  (struct gate_sample){
					  .status = GATE_SAMPLE_INCOMPLETE});
		else
			rc = emit(o, row, line->number,
				  (struct gate_sample){
					  .unit = GATE_UNIT_OP_PER_S,
					  .value = rates[i].value,
					  .resolution = rates[i].step});
	}
	o->line = line->number;
	return rc ? rc : 1;
}

/* --- -mr ------------------------------------------------------------------ */

static bool next_field(struct gate_scan *s, const char **field, size_t *len)
{
	if (!gate_scan_lit(s, ":"))
		return false;
	*field = s->p;
	while (s->p < s->end && *s->p != ':')
		s->p++;
	*len = (size_t)(s->p - *field);
	return *len > 0;
}

static int line_mr_head(struct openssl *o, struct gate_scan s)
{
	const char *field;
	size_t len, n = 0;

	while (n < COLUMNS_MAX && next_field(&s, &field, &len) &&
	       gate_num_u64(field, len, &o->mr_sizes[n]))
		n++;
	o->n_mr_sizes = n;
	return 1;
}

static int line_mr_row(struct openssl *o, struct gate_scan s,
		       const struct gate_line *line)
{
	char name[NAME_ROOM];
	struct gate_scan t;
	struct gate_decimal d;
	const char *field;
	size_t len, n;
	int rc = 0;

	/* A number of the algorithm, and its name. */
	for (n = 0; n < 2; n++)
		if (!next_field(&s, &field, &len))
			return 0;
	if (len >= sizeof name)
		return 0;
	memcpy(name, field, len);
	name[len] = '\0';
	for (n = 0; n < o->n_mr_sizes && !rc; n++) {
		if (!next_field(&s, &field, &len))
			break;
		t = gate_scan_at(field, len);
		if (!gate_decimal_scan(&t, &d) || t.p < t.end)
			return 0;
		if (line->cut && s.p == s.end)
			rc = emit_speed(
				o, name, o->mr_sizes[n], line->number,
				(struct gate_sample){
					.status = GATE_SAMPLE_INCOMPLETE});
		else
			rc = emit_speed(
				o, name, o->mr_sizes[n], line->number,
				(struct gate_sample){.value = d.value,
						     .resolution = d.step});
	}
	return rc ? rc : 1;
}

/* 1.0 printed seconds an operation here, later ones operations a second. */
static int emit_mr_key(struct openssl *o, const char *name, const char *metric,
		       struct gate_decimal d, const struct gate_line *line)
{
	char row[ROW_ROOM];

	if (d.value < 1) {
		o->sink->warn(o->sink->ctx, "parse.unparsed", line->number,
			      line->text);
		return 0;
	}
	snprintf(row, sizeof row, "%s/%s", name, metric);
	return emit(o, row, line->number,
		    (struct gate_sample){.unit = GATE_UNIT_OP_PER_S,
					 .value = d.value,
					 .resolution = d.step});
}

/* "+F2:2:2048:SIGN:VERIFY": F2 rsa, F3 dsa, F4 ecdsa, F5 ecdh, F6 EdDSA with
 * the name of the curve before the rates. */
static int line_mr_key(struct openssl *o, struct gate_scan s, char kind,
		       const struct gate_line *line)
{
	static const char *const names[] = {"rsa", "dsa", "ecdsa", "ecdh",
					    "EdDSA"};
	const char *bits, *field;
	size_t bits_len, len, i;
	struct gate_decimal d[2];
	struct gate_scan t;
	char name[NAME_ROOM];
	int rc;

	if (kind < '2' || kind > '6' || line->cut ||
	    !next_field(&s, &field, &len) ||
	    !next_field(&s, &bits, &bits_len) || bits_len > 8)
		return 0;
	snprintf(name, sizeof name, "%s %.*s bits", names[kind - '2'],
		 (int)bits_len, bits);
	if (kind == '6') {
		if (!next_field(&s, &field, &len) || len > NAME_ROOM / 2)
			return 0;
		snprintf(name, sizeof name, "%s %.*s bits (%.*s)", names[4],
			 (int)bits_len, bits, (int)len, field);
	}
	for (i = 0; i < 2; i++) {
		if (!next_field(&s, &field, &len))
			return 0;
		t = gate_scan_at(field, len);
		if (!gate_decimal_scan(&t, &d[i]) || t.p < t.end)
			return 0;
	}
	if (kind == '5')
		rc = emit_mr_key(o, name, "op", d[0], line);
	else
		rc = emit_mr_key(o, name, "sign", d[0], line);
	if (!rc && kind != '5')
		rc = emit_mr_key(o, name, "verify", d[1], line);
	return rc ? rc : 1;
}

static int line_mr(struct openssl *o, struct gate_scan s,
		   const struct gate_line *line)
{
	s.p++;
	if (gate_scan_left(&s) < 3)
		return 0;
	if (s.p[0] == 'H' && s.p[1] == ':') {
		s.p++;
		return line_mr_head(o, s);
	}
	if (s.p[0] != 'F')
		return 0;
	s.p++;
	if (*s.p == ':')
		return line_mr_row(o, s, line);
	s.p++;
	return line_mr_key(o, s, s.p[-1], line);
}

/* --- one line ------------------------------------------------------------- */

static int line_openssl(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);
	struct openssl *o = state;
	int rc;

	gate_scan_blanks(&s);
	if (s.p == s.end)
		return 0;
	if (*s.p == '+')
		return line_mr(o, s, line);
	if (*s.p == 't' && gate_scan_lit(&s, "type "))
		return line_head(o, s, line);
	if (line->len > 2 && !memcmp(line->text + line->len - 2, "/s", 2)) {
		rc = line_key_head(o, s, line);
		if (rc)
			return rc;
	}
	if (line->number - o->line > WINDOW)
		return 0;
	if (o->n_sizes)
		return line_row(o, line);
	return o->n_metrics ? line_key(o, line) : 0;
}

static int finish_openssl(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_openssl = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "openssl",
	.description = "openssl speed, as a table and with -mr",
	.open = open_openssl,
	.line = line_openssl,
	.finish = finish_openssl,
	.close = free,
};
