/*
 * kunit: benchmark cases of KUnit suites, in KTAP version 1 or TAP 14.
 *
 *   KTAP version 1
 *   1..2
 *       # Subtest: sha256
 *       1..15
 *       # benchmark_hash: len=16: 119 MB/s
 *       ok 14 benchmark_hash
 *       ok 15 benchmark_sha256_finup_2x # SKIP not relevant
 *   ok 1 sha256
 *
 * lib/crypto/tests (Linux 6.17 to 7.3), lib/crc/tests, lib/raid/xor/tests and
 * lib/raid/raid6/tests print the lines of values. MB and GB are decimal. Most
 * suites call their case benchmark_hash, so the suite is part of the name.
 *
 * Values come before the verdict on their case, so they are kept until it:
 * those of a failed case are not worth anything. A case whose verdict never
 * came (an excerpt, a crash) keeps its values; that it is missing is seen by
 * the plan.
 *
 * Under the instruction clock the kernel's own time stamps count instructions,
 * one a nanosecond, and resolve far more than whole MB/s: from one line of
 * values to the next of the same case is the length of that loop, printing
 * included. The printed rate is then its check.
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/scan.h"

enum {
	NAME_ROOM = 96,
	KEYS_ROOM = 64,
	ROW_ROOM = 3 * NAME_ROOM,
	PART_ROOM = 256,
	DEPTH_MAX = 8,
	VOICES = 8, /* depths of mail quoting told apart */
	LENGTHS_MAX = 2,
	VALUES_MAX = 1024, /* of one case; more are not kept */
	TAB = 8,
	PRINTING_US = 25, /* what a line of values takes to print, at most */
	ITERATIONS = 10000000 /* over (len + 128), in the hash and CRC suites */
};

/* One value whose case has no verdict yet. */
struct value {
	char row[ROW_ROOM];
	enum gate_unit unit;
	double value;
	double resolution;
	uint64_t line;
};

struct subtest {
	char name[NAME_ROOM];
	size_t indent;
	bool planned;
	uint64_t plan;
	uint64_t results;
	uint64_t line;
};

/* One speaker: a mail and each log that it quotes. */
struct voice {
	/* From the root, which has no name, inwards; the suite is number 1. */
	struct subtest stack[DEPTH_MAX];
	size_t depth;
	char test[NAME_ROOM]; /* the case whose values are kept, or "" */
	struct value *values;
	size_t n, cap;
	uint64_t lost;    /* values beyond VALUES_MAX */
	int64_t stamp_us; /* of the latest line of values, -1: none */
	uint64_t lengths[LENGTHS_MAX]; /* columns of the table of disks */
	size_t part_len;               /* a line that a mailer wrapped */
	uint64_t part_line;
	char part[PART_ROOM];
};

struct kunit {
	const struct gate_sink *sink;
	bool instructions;
	struct voice voices[VOICES];
};

/* A line of values, as printed. */
struct speed {
	const char *direction; /* "/encrypt", "/decrypt" or "" */
	uint64_t printed;
	enum gate_unit unit;
	double step; /* base units in one printed */
};

struct figures {
	char keys[KEYS_ROOM]; /* "/len=16" or "" */
	uint64_t length;      /* the one key when it is a length, else 0 */
	bool looped; /* printed behind a loop of its own, and by itself */
	struct speed speeds[2];
	size_t n;
};

enum match { NO, PARTIAL, YES };

static void *open_kunit(const struct gate_sink *sink)
{
	struct kunit *k = gate_alloc(sizeof *k);
	size_t i;

	k->sink = sink;
	k->instructions =
		sink->size >= offsetof(struct gate_sink, instructions) +
				      sizeof sink->instructions &&
		sink->instructions;
	for (i = 0; i < VOICES; i++) {
		k->voices[i].depth = 1;
		k->voices[i].stamp_us = -1;
	}
	return k;
}

static void close_kunit(void *state)
{
	struct kunit *k = state;
	size_t i;

	if (!k)
		return;
	for (i = 0; i < VOICES; i++)
		free(k->voices[i].values);
	free(k);
}

/* --- samples -------------------------------------------------------------- */

static const char *suite_of(const struct voice *v)
{
	return v->depth > 1 ? v->stack[1].name : NULL;
}

static int emit(struct kunit *k, struct gate_sample *s)
{
	s->size = sizeof *s;
	s->bench = "kunit";
	s->iter = -1;
	return k->sink->emit(k->sink->ctx, s);
}

/* A case, or a suite, that has no value: `test` may be NULL. */
static int emit_nothing(struct kunit *k, const char *suite, const char *test,
			enum gate_sample_status status, uint64_t line,
			const char *message)
{
	char row[ROW_ROOM];
	struct gate_sample s = {
		.row = row, .status = status, .line = line, .message = message};

	snprintf(row, sizeof row, "%s%s%s", suite ? suite : "?",
		 test ? "/" : "", test ? test : "");
	return emit(k, &s);
}

/* The kept values, under the verdict on their case. `driver` is what a
 * parameterised case measured; without it nobody knows. */
static int flush(struct kunit *k, struct voice *v,
		 enum gate_sample_status status, const char *driver,
		 const char *message)
{
	bool lost = status == GATE_SAMPLE_OK &&
		    (!suite_of(v) || (v->depth > 2 && !driver));
	size_t i;
	int rc = 0;

	for (i = 0; i < v->n && !rc; i++) {
		const struct value *value = &v->values[i];
		struct gate_sample s = {
			.row = value->row,
			.driver = driver,
			.line = value->line,
			.status = lost ? GATE_SAMPLE_ORPHAN : status,
			.message = message,
		};

		if (status == GATE_SAMPLE_OK) {
			s.unit = value->unit;
			s.better = value->unit == GATE_UNIT_INSN ? GATE_LOWER
								 : GATE_HIGHER;
			s.value = value->value;
			s.resolution = value->resolution;
		}
		rc = emit(k, &s);
	}
	if (v->lost)
		k->sink->warn(k->sink->ctx, "parse.unparsed", v->lost,
			      "a case with too many values");
	v->n = 0;
	v->lost = 0;
	v->stamp_us = -1;
	v->test[0] = '\0';
	return rc;
}

static bool kept(const struct voice *v, const char *row)
{
	size_t i;

	for (i = 0; i < v->n; i++)
		if (!strcmp(v->values[i].row, row))
			return true;
	return false;
}

static void keep(struct voice *v, const struct value *value)
{
	if (v->n == VALUES_MAX) {
		v->lost = value->line;
		return;
	}
	GATE_PUSH(v->values, v->n, v->cap, *value);
}

/* --- the frame ------------------------------------------------------------ */

/* Fewer results than the plan: the run ended inside. The root's is counted in
 * suites, and a filter may leave none. */
static int check_plan(struct kunit *k, struct voice *v, size_t i, uint64_t line)
{
	const struct subtest *s = &v->stack[i];
	char text[96];

	if (!s->planned || s->results >= s->plan)
		return 0;
	snprintf(text, sizeof text, "%llu of %llu %s have no result",
		 (unsigned long long)(s->plan - s->results),
		 (unsigned long long)s->plan,
		 i == 0   ? "suites"
		 : i == 1 ? "cases"
			  : "parameters");
	if (i == 0) {
		k->sink->warn(k->sink->ctx, "parse.incomplete", line, text);
		return 0;
	}
	return emit_nothing(k, v->stack[1].name,
			    i > 1 ? v->stack[i].name : NULL,
			    GATE_SAMPLE_INCOMPLETE, line, text);
}

/* Leaves subtests until `depth` are left. */
static int pop(struct kunit *k, struct voice *v, size_t depth, uint64_t line)
{
	int rc = 0;

	if (v->depth > depth)
		rc = flush(k, v, GATE_SAMPLE_OK, NULL, NULL);
	while (v->depth > depth && !rc) {
		rc = check_plan(k, v, v->depth - 1, line);
		v->depth--;
	}
	return rc;
}

/* How many subtests are open around something at that indent. */
static size_t depth_at(const struct voice *v, size_t indent)
{
	size_t depth = v->depth;

	while (depth > 1 && v->stack[depth - 1].indent > indent)
		depth--;
	return depth;
}

static bool copy_name(char name[NAME_ROOM], const char *s, size_t len)
{
	while (len && gate_scan_blank(s[len - 1]))
		len--;
	if (!len || len >= NAME_ROOM)
		return false;
	memcpy(name, s, len);
	name[len] = '\0';
	return true;
}

static int line_subtest(struct kunit *k, struct voice *v, struct gate_scan s,
			size_t indent, uint64_t line)
{
	struct subtest sub = {.indent = indent, .line = line};
	size_t depth = depth_at(v, indent);
	int rc;

	gate_scan_blanks(&s);
	if (!copy_name(sub.name, s.p, gate_scan_left(&s)))
		return 0;
	/* A suite beside the one that never got its result. */
	if (depth > 1 && v->stack[depth - 1].indent == indent)
		depth--;
	rc = pop(k, v, depth, line);
	if (rc)
		return rc;
	rc = flush(k, v, GATE_SAMPLE_OK, NULL, NULL);
	if (v->depth < DEPTH_MAX)
		v->stack[v->depth++] = sub;
	return rc ? rc : 1;
}

/* "KTAP version 1" without an indent: a new run. */
static int line_version(struct kunit *k, struct voice *v, size_t indent,
			uint64_t line)
{
	int rc;

	if (indent)
		return 1;
	rc = pop(k, v, 1, line);
	if (!rc)
		rc = flush(k, v, GATE_SAMPLE_OK, NULL, NULL);
	if (!rc)
		rc = check_plan(k, v, 0, line);
	v->stack[0] = (struct subtest){0};
	return rc ? rc : 1;
}

/* "1..15" */
static int line_plan(struct kunit *k, struct voice *v, struct gate_scan s,
		     size_t indent, uint64_t line)
{
	struct subtest *sub = &v->stack[depth_at(v, indent) - 1];
	uint64_t n;

	if (!gate_scan_lit(&s, "1..") || s.p == s.end ||
	    !gate_scan_digit(*s.p) || !gate_scan_u64(&s, &n) || s.p < s.end)
		return 0;
	if (sub == v->stack && indent)
		return 0;
	if (sub == v->stack && !n)
		k->sink->warn(k->sink->ctx, "kunit.no-data", line,
			      "KUnit ran no suite: the filter matches none");
	sub->planned = true;
	sub->line = line;
	sub->plan = n;
	sub->results = 0;
	return 1;
}

/* --- verdicts ------------------------------------------------------------- */

struct verdict {
	bool ok;
	enum gate_sample_status status;
	char name[NAME_ROOM];
	char message[NAME_ROOM];
};

/* Behind '#': "SKIP not enabled". XFAIL and TODO failed as well. */
static void scan_directive(struct gate_scan s, struct verdict *ret)
{
	bool skip;

	gate_scan_blanks(&s);
	skip = gate_scan_lit(&s, "SKIP") || gate_scan_lit(&s, "skip");
	if (skip)
		ret->status = GATE_SAMPLE_SKIPPED;
	else if (ret->ok)
		return;
	gate_scan_blanks(&s);
	if (!copy_name(ret->message, s.p, gate_scan_left(&s)))
		snprintf(ret->message, sizeof ret->message, "%s",
			 skip ? "skipped" : "the case failed");
}

/* "ok 14 benchmark_hash # SKIP not enabled", with a dash in TAP 14. */
static enum match scan_verdict(struct gate_scan s, struct verdict *ret)
{
	const char *hash;
	uint64_t n;

	*ret = (struct verdict){.ok = !gate_scan_lit(&s, "not ")};
	if (!gate_scan_lit(&s, "ok ") || s.p == s.end || !gate_scan_digit(*s.p))
		return NO;
	if (!gate_scan_u64(&s, &n))
		return NO;
	gate_scan_blanks(&s);
	if (s.p == s.end)
		return PARTIAL;
	gate_scan_lit(&s, "- ");
	ret->status = ret->ok ? GATE_SAMPLE_OK : GATE_SAMPLE_FAILED;
	snprintf(ret->message, sizeof ret->message, "the case failed");
	hash = memmem(s.p, gate_scan_left(&s), " # ", 3);
	if (!copy_name(ret->name, s.p, (size_t)((hash ? hash : s.end) - s.p)))
		return NO;
	if (hash)
		scan_directive(
			gate_scan_at(hash + 3, (size_t)(s.end - hash) - 3),
			ret);
	return YES;
}

static bool is_benchmark(const char *name)
{
	return strstr(name, "benchmark") != NULL;
}

/* A case without values: one that ought to have some, or a failed test. */
static int judge_empty(struct kunit *k, struct voice *v,
		       const struct verdict *verdict, uint64_t line)
{
	const char *suite = suite_of(v);
	char text[3 * NAME_ROOM + 32];

	if (verdict->status == GATE_SAMPLE_OK)
		return 0;
	if (is_benchmark(verdict->name))
		return emit_nothing(k, suite, verdict->name, verdict->status,
				    line, verdict->message);
	if (verdict->status == GATE_SAMPLE_FAILED && suite) {
		snprintf(text, sizeof text, "%s/%s: %s", suite, verdict->name,
			 verdict->message);
		k->sink->warn(k->sink->ctx, "parse.failed", line, text);
	}
	return 0;
}

static int line_verdict(struct kunit *k, struct voice *v,
			const struct verdict *verdict, size_t indent,
			uint64_t line)
{
	size_t depth = depth_at(v, indent);
	struct subtest *parent = &v->stack[depth - 1];
	bool parameter = depth > 2;
	/* A parameter is called by its description, not by the case. */
	bool own = v->n && (parameter || !strcmp(verdict->name, v->test));
	int rc;

	parent->results += depth > 1 || !indent;
	if (own && verdict->status != GATE_SAMPLE_OK)
		rc = flush(k, v, verdict->status, NULL, verdict->message);
	else
		rc = flush(k, v, GATE_SAMPLE_OK,
			   own && parameter ? verdict->name : NULL, NULL);
	if (!rc)
		rc = pop(k, v, depth, line);
	if (!rc && !own && depth > 1)
		rc = judge_empty(k, v, verdict, line);
	return rc ? rc : 1;
}

/* --- values --------------------------------------------------------------- */

static bool scan_unit(struct gate_scan *s, struct speed *speed)
{
	gate_scan_blanks(s);
	if (gate_scan_lit(s, "MB/s")) {
		speed->unit = GATE_UNIT_B_PER_S;
		speed->step = 1e6;
	} else if (gate_scan_lit(s, "GB/s")) {
		speed->unit = GATE_UNIT_B_PER_S;
		speed->step = 1e9;
	} else if (gate_scan_lit(s, "ops/s")) {
		speed->unit = GATE_UNIT_OP_PER_S;
		speed->step = 1;
	} else {
		return false;
	}
	return true;
}

static bool scan_speed(struct gate_scan *s, const char *direction,
		       struct figures *f)
{
	struct speed *speed = &f->speeds[f->n];

	*speed = (struct speed){.direction = direction};
	if (!gate_scan_u64(s, &speed->printed) || !scan_unit(s, speed))
		return false;
	f->n++;
	return true;
}

/* "len=16" or "data_len=4096 salt_len=32", and the colon behind. */
static bool scan_keys(struct gate_scan *s, struct figures *f)
{
	const char *word;
	uint64_t value;
	size_t n = 0, len;
	int k;

	do {
		gate_scan_blanks(s);
		if (!gate_scan_word(s, '=', &word, &len) || len > NAME_ROOM ||
		    !gate_scan_lit(s, "=") || !gate_scan_u64(s, &value))
			return false;
		k = snprintf(f->keys + n, sizeof f->keys - n, "/%.*s=%llu",
			     (int)len, word, (unsigned long long)value);
		f->length = n ? 0 : value;
		n += (size_t)k;
		if (n >= sizeof f->keys)
			return false;
	} while (s->p < s->end && *s->p == ' ');
	return gate_scan_lit(s, ":");
}

static bool scan_direction(struct gate_scan *s, const char **direction)
{
	gate_scan_blanks(s);
	if (gate_scan_lit(s, "enc "))
		*direction = "/encrypt";
	else if (gate_scan_lit(s, "dec "))
		*direction = "/decrypt";
	else
		return false;
	return true;
}

/* "len=16: 119 MB/s", "data_len=16: enc 10 MB/s, dec 10 MB/s" */
static bool scan_keyed(struct gate_scan *s, struct figures *f)
{
	const char *direction = "";

	f->looped = true;
	if (!scan_keys(s, f))
		return false;
	if (!scan_direction(s, &direction))
		return scan_speed(s, "", f);
	return scan_speed(s, direction, f) && gate_scan_lit(s, ",") &&
	       scan_direction(s, &direction) && scan_speed(s, direction, f);
}

/* "enc (len=16): 500 MB/s": proposed for AES in January 2026. */
static bool scan_directed(struct gate_scan *s, struct figures *f)
{
	const char *direction;
	uint64_t len;

	if (!scan_direction(s, &direction) || !gate_scan_lit(s, "(len=") ||
	    !gate_scan_u64(s, &len) || !gate_scan_lit(s, "):"))
		return false;
	snprintf(f->keys, sizeof f->keys, "/len=%llu", (unsigned long long)len);
	return scan_speed(s, direction, f);
}

/* "  4096 bytes  16384 bytes": the columns of a table of disks. */
static bool scan_lengths(struct gate_scan s, uint64_t lengths[LENGTHS_MAX])
{
	size_t i;

	for (i = 0; i < LENGTHS_MAX; i++)
		if (!gate_scan_u64(&s, &lengths[i]) ||
		    !gate_scan_lit(&s, " bytes"))
			return false;
	gate_scan_blanks(&s);
	return s.p == s.end;
}

/* "  4 disks:  32 GB/s  31 GB/s" (7.3) */
static bool scan_disks(struct gate_scan *s, struct figures *f)
{
	uint64_t disks;
	size_t i;

	if (!gate_scan_u64(s, &disks) || !gate_scan_lit(s, " disks:"))
		return false;
	snprintf(f->keys, sizeof f->keys, "/disks=%llu",
		 (unsigned long long)disks);
	for (i = 0; i < LENGTHS_MAX; i++)
		if (!scan_speed(s, "", f))
			return false;
	return true;
}

static enum match scan_figures(struct gate_scan s, struct figures *f)
{
	static bool (*const forms[])(struct gate_scan *, struct figures *) = {
		scan_keyed, scan_directed, scan_disks};
	bool ended = false;
	struct gate_scan t;
	size_t i;

	for (i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		t = s;
		*f = (struct figures){0};
		if (forms[i](&t, f)) {
			gate_scan_blanks(&t);
			return t.p == t.end ? YES : NO;
		}
		ended |= t.ended;
	}
	/* "9370 ops/s", the only value of its case. */
	t = s;
	*f = (struct figures){0};
	if (scan_speed(&t, "", f)) {
		gate_scan_blanks(&t);
		return t.p == t.end ? YES : NO;
	}
	return ended || t.ended ? PARTIAL : NO;
}

/* --- values under the instruction clock ----------------------------------- */

/*
 * Whether the time between two lines of values is what the rates behind it
 * say. A rate is cut to a whole number, so each direction took between
 * bytes / (rate + 1) and bytes / rate; printing comes on top.
 */
static bool fits(const struct figures *f, int64_t us)
{
	uint64_t calls = ITERATIONS / (f->length + 128);
	double bytes = (double)(calls * f->length);
	double least = 0, most = PRINTING_US;
	size_t i;

	for (i = 0; i < f->n; i++) {
		double rate = (double)f->speeds[i].printed;

		least += bytes / (rate + 1);
		most += rate > 0 ? bytes / rate : 1e18;
	}
	return (double)us >= least - 1 && (double)us <= most + 1;
}

static void keep_stamps(struct kunit *k, struct voice *v,
			const struct figures *f, int64_t us, uint64_t line,
			const char *suite)
{
	struct value value = {.unit = GATE_UNIT_INSN,
			      .value = (double)us * 1000,
			      .resolution = 1000,
			      .line = line};
	char text[ROW_ROOM + 96];

	snprintf(value.row, sizeof value.row, "%s/%s%s", suite, v->test,
		 f->keys);
	if (f->length && f->speeds[0].unit == GATE_UNIT_B_PER_S &&
	    !fits(f, us)) {
		snprintf(text, sizeof text,
			 "%s: the time stamps are not what the printed rate "
			 "says",
			 value.row);
		k->sink->warn(k->sink->ctx, "kunit.time-stamp", line, text);
	}
	keep(v, &value);
}

static void keep_printed(struct voice *v, const struct figures *f,
			 uint64_t line, const char *suite)
{
	bool table = !f->looped && f->n == 2;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct speed *speed = &f->speeds[i];
		struct value value = {
			.unit = speed->unit,
			.value = (double)speed->printed * speed->step,
			.resolution = speed->step,
			.line = line,
		};
		char column[32] = "";

		if (table)
			snprintf(column, sizeof column, "/len=%llu",
				 (unsigned long long)v->lengths[i]);
		snprintf(value.row, sizeof value.row, "%s/%s%s%s%s", suite,
			 v->test, speed->direction, f->keys, column);
		keep(v, &value);
	}
}

/* The first row of this line, to see whether the case began anew. */
static bool repeats(const struct voice *v, const struct figures *f,
		    const char *suite)
{
	char row[ROW_ROOM];

	snprintf(row, sizeof row, "%s/%s%s%s", suite, v->test,
		 f->speeds[0].direction, f->keys);
	if (kept(v, row))
		return true;
	snprintf(row, sizeof row, "%s/%s%s", suite, v->test, f->keys);
	return kept(v, row);
}

static int take_figures(struct kunit *k, struct voice *v, const char *test,
			const struct figures *f, const struct gate_line *line)
{
	const char *suite = suite_of(v) ? suite_of(v) : "?";
	int64_t us = line->time_us;
	int rc = 0;

	if (strcmp(test, v->test) != 0 || repeats(v, f, suite))
		rc = flush(k, v, GATE_SAMPLE_OK, NULL, NULL);
	snprintf(v->test, sizeof v->test, "%s", test);
	if (k->instructions && f->looped && v->stamp_us >= 0 &&
	    us > v->stamp_us)
		keep_stamps(k, v, f, us - v->stamp_us, line->number, suite);
	else
		keep_printed(v, f, line->number, suite);
	v->stamp_us = us;
	return rc ? rc : 1;
}

/* --- one line ------------------------------------------------------------- */

/* "CASE:" of a C function. */
static bool scan_test(struct gate_scan *s, char name[NAME_ROOM])
{
	const char *word;
	size_t len, i;

	gate_scan_blanks(s);
	if (!gate_scan_word(s, ':', &word, &len) || !gate_scan_lit(s, ":"))
		return false;
	for (i = 0; i < len; i++)
		if (word[i] != '_' && !gate_scan_digit(word[i]) &&
		    !(word[i] >= 'a' && word[i] <= 'z') &&
		    !(word[i] >= 'A' && word[i] <= 'Z'))
			return false;
	return copy_name(name, word, len);
}

static void keep_part(struct voice *v, const struct gate_line *line)
{
	if (line->len >= sizeof v->part)
		return;
	memcpy(v->part, line->text, line->len);
	v->part_len = line->len;
	v->part_line = line->number;
}

static bool names_a_rate(struct gate_scan s)
{
	size_t n = gate_scan_left(&s);

	return memmem(s.p, n, "B/s", 3) || memmem(s.p, n, "ops/s", 5);
}

static int no_figures(struct kunit *k, struct voice *v, const char *test,
		      enum match match, struct gate_scan s,
		      const struct gate_line *line)
{
	int rc;

	if (match == PARTIAL && !line->cut) {
		keep_part(v, line);
		return 1;
	}
	if (match == PARTIAL && suite_of(v)) {
		rc = emit_nothing(k, suite_of(v), test, GATE_SAMPLE_INCOMPLETE,
				  line->number, "the value is cut");
		return rc ? rc : 1;
	}
	if (match == PARTIAL)
		k->sink->warn(k->sink->ctx, "parse.incomplete", line->number,
			      line->text);
	else if (names_a_rate(s))
		k->sink->warn(k->sink->ctx, "parse.unparsed", line->number,
			      line->text);
	return 1;
}

/* Behind '#'. */
static int line_comment(struct kunit *k, struct voice *v, struct gate_scan s,
			size_t indent, const struct gate_line *line)
{
	uint64_t lengths[LENGTHS_MAX];
	char test[NAME_ROOM];
	struct figures f;
	enum match match;

	gate_scan_blanks(&s);
	if (gate_scan_lit(&s, "Subtest:"))
		return line_subtest(k, v, s, indent, line->number);
	if (!scan_test(&s, test))
		return 0;
	gate_scan_blanks(&s);
	if (scan_lengths(s, lengths)) {
		memcpy(v->lengths, lengths, sizeof lengths);
		return 1;
	}
	match = scan_figures(s, &f);
	if (match == YES)
		return take_figures(k, v, test, &f, line);
	if (!is_benchmark(test))
		return 0;
	return no_figures(k, v, test, match, s, line);
}

static int dispatch(struct kunit *k, struct voice *v,
		    const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);
	struct verdict verdict;
	size_t indent = 0;

	for (; s.p < s.end && gate_scan_blank(*s.p); s.p++)
		indent += *s.p == '\t' ? TAB : 1;
	if (s.p == s.end)
		return 0;
	switch (*s.p) {
	case '#':
		s.p++;
		return line_comment(k, v, s, indent, line);
	case '1':
		return line_plan(k, v, s, indent, line->number);
	case 'K':
	case 'T':
		if (gate_scan_lit(&s, "KTAP version ") ||
		    gate_scan_lit(&s, "TAP version "))
			return line_version(k, v, indent, line->number);
		return 0;
	case 'n':
	case 'o':
		switch (scan_verdict(s, &verdict)) {
		case YES:
			return line_verdict(k, v, &verdict, indent,
					    line->number);
		case PARTIAL:
			keep_part(v, line);
			return 1;
		case NO:
			return 0;
		}
		return 0;
	default:
		return 0;
	}
}

/* The kept part and this line as one. */
static int continue_part(struct kunit *k, struct voice *v,
			 const struct gate_line *line)
{
	char joined[2 * PART_ROOM + 2];
	struct gate_line whole = *line;
	size_t n = v->part_len;

	v->part_len = 0;
	if (line->len > PART_ROOM)
		return 0;
	memcpy(joined, v->part, n);
	joined[n++] = ' ';
	memcpy(joined + n, line->text, line->len);
	n += line->len;
	joined[n] = '\0';
	whole.text = joined;
	whole.len = n;
	whole.number = v->part_line;
	return dispatch(k, v, &whole);
}

static int line_kunit(void *state, const struct gate_line *line)
{
	struct kunit *k = state;
	struct voice *v =
		&k->voices[line->quoted < VOICES ? line->quoted : VOICES - 1];
	int rc;

	if (v->part_len) {
		if (line->joined && !line->kernel && line->len) {
			rc = continue_part(k, v, line);
			if (rc)
				return rc;
		}
		v->part_len = 0;
	}
	return dispatch(k, v, line);
}

static int finish_kunit(void *state)
{
	struct kunit *k = state;
	size_t i;
	int rc = 0;

	for (i = 0; i < VOICES && !rc; i++) {
		struct voice *v = &k->voices[i];

		rc = pop(k, v, 1, v->stack[v->depth - 1].line);
		if (!rc)
			rc = flush(k, v, GATE_SAMPLE_OK, NULL, NULL);
		if (!rc)
			rc = check_plan(k, v, 0, v->stack[0].line);
	}
	return rc;
}

const struct gate_parser gate_parser_kunit = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "kunit",
	.description = "KUnit benchmark cases (KTAP)",
	.open = open_kunit,
	.line = line_kunit,
	.finish = finish_kunit,
	.close = close_kunit,
};
