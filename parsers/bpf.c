/*
 * bpf: tools/testing/selftests/bpf/bench (Linux 5.10 to 7.2) and the scripts
 * run_bench_*.sh over it.
 *
 *   Benchmark 'NAME' started.
 *   Iter   0 (325.719us): hits    5.105M/s (  5.105M/prod), drops 0.000M/s
 *   Summary: hits    5.092 ± 0.228M/s (  5.092M/prod), drops 0.000 ± 0.000M/s
 *
 * Iterations are printed from the first second on; the summary leaves the
 * warm-up out (one second unless told otherwise, and no line says so). So
 * iterations are kept until the summary tells which of them count. Where
 * there are none, the summary itself is the value. The scripts print one line
 * a benchmark, in the words of its summary:
 *
 *   Local Storage
 *   =============
 *           num_maps: 10
 *   local_storage cache sequential get:  hits throughput: 20.013 ± 0.818 ...
 */
#include "parsers/builtin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/decimal.h"

enum {
	NAME_ROOM = 128,
	KEY_ROOM = 192,
	KEYS_ROOM = KEY_ROOM + 3 * NAME_ROOM,
	ROW_ROOM = KEYS_ROOM + 2 * NAME_ROOM,
	PART_ROOM = 512,
	METRICS_MAX = 4,
	ITERATIONS_MAX = 4096, /* an hour of seconds; more are not kept */
	WARMUP_MAX = 64,
	MILLION = 1000000
};

struct metric {
	const char *name; /* the end of the row's name */
	enum gate_unit unit;
	enum gate_better better;
	double value;
	double step;
};

/* What one line reports. */
struct report {
	struct metric metrics[METRICS_MAX];
	size_t n;
	double drops;
};

struct iteration {
	struct report report;
	uint64_t line;
	uint64_t number;
	double drift; /* of its length from one second, as a fraction */
};

struct bpf {
	const struct gate_sink *sink;
	bool named;
	char name[NAME_ROOM];
	struct iteration *iterations;
	size_t n, cap;
	bool dropped; /* said so already, of this benchmark */
	/* For the scripts: headings, and the line that "====" may underline. */
	char section[NAME_ROOM];
	char keys[KEY_ROOM];
	char entries[NAME_ROOM];
	char last[NAME_ROOM];
	size_t last_len;
	/* A line that ended early: mailers wrap. */
	size_t part_len;
	uint64_t part_line;
	char part[PART_ROOM];
};

enum match { NO, PARTIAL, YES };

static void *open_bpf(const struct gate_sink *sink)
{
	struct bpf *b = gate_alloc(sizeof *b);

	b->sink = sink;
	return b;
}

static void close_bpf(void *state)
{
	struct bpf *b = state;

	if (!b)
		return;
	free(b->iterations);
	free(b);
}

/* --- what a line reports -------------------------------------------------- */

static void add(struct report *r, const char *name, enum gate_unit unit,
		struct gate_decimal d, double factor)
{
	struct metric *m = &r->metrics[r->n++];

	m->name = name;
	m->unit = unit;
	m->better = unit == GATE_UNIT_OP_PER_S || unit == GATE_UNIT_B_PER_S
			    ? GATE_HIGHER
			    : GATE_LOWER;
	m->value = gate_decimal_times(&d, factor);
	m->step = gate_decimal_step(&d, factor);
}

/* "M" of "5.105M/s" and "20.0 M ops/s". */
static bool scan_prefix(struct gate_scan *s, double *factor)
{
	gate_scan_blanks(s);
	if (s->p == s->end) {
		s->ended = true;
		return false;
	}
	if (*s->p == 'M')
		*factor = 1e6;
	else if (*s->p == 'K' || *s->p == 'k')
		*factor = 1e3;
	else
		return false;
	s->p++;
	return true;
}

static bool scan_rate(struct gate_scan *s, struct gate_decimal *d,
		      double *factor)
{
	if (!gate_decimal_mean(s, d) || !scan_prefix(s, factor))
		return false;
	gate_scan_blanks(s);
	return gate_scan_lit(s, "/s");
}

/* "( 5.105M/prod)", "( 74.617M ops/prod)": the rate over its producers. */
static bool scan_producers(struct gate_scan *s)
{
	struct gate_decimal d;
	double factor;

	if (!gate_scan_lit(s, " (") || !gate_decimal_scan(s, &d) ||
	    !scan_prefix(s, &factor))
		return false;
	return gate_scan_lit(s, "/prod)") || gate_scan_lit(s, " ops/prod)");
}

/* Behind "hits": hits_drops, ops, or local storage. */
static bool scan_hits(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d, more;
	double factor, times;
	struct gate_scan t;

	if (!scan_rate(s, &d, &factor))
		return false;
	t = *s;
	if (gate_scan_lit(&t, " important_hits")) {
		*s = t;
		if (!scan_rate(s, &more, &times))
			return false;
		add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
		add(r, "important_hits", GATE_UNIT_OP_PER_S, more, times);
		return true;
	}
	if (!scan_producers(s))
		return false;
	t = *s;
	gate_scan_blanks(&t);
	if (t.p == t.end) {
		add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
		return true;
	}
	if (!gate_scan_lit(s, ", drops") || !scan_rate(s, &more, &times))
		return false;
	add(r, "hits", GATE_UNIT_OP_PER_S, d, factor);
	r->drops = gate_decimal_times(&more, times);
	/* Since 5.16; repeats the sum of the two. */
	t = *s;
	gate_scan_blanks(&t);
	if (t.p == t.end)
		return true;
	return gate_scan_lit(s, ", total operations") &&
	       scan_rate(s, &more, &times);
}

static bool scan_ops(struct gate_scan *s, struct gate_decimal *d,
		     double *factor)
{
	gate_scan_lit(s, ":");
	return gate_decimal_mean(s, d) && scan_prefix(s, factor) &&
	       gate_scan_lit(s, " ops/s");
}

static bool scan_latency(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d;
	double factor;

	gate_scan_lit(s, ":");
	if (!gate_decimal_scan(s, &d))
		return false;
	gate_scan_blanks(s);
	if (gate_scan_lit(s, "ns/op"))
		factor = 1;
	else if (gate_scan_lit(s, "us/op"))
		factor = 1e3;
	else if (gate_scan_lit(s, "ms/op"))
		factor = 1e6;
	else
		return false;
	add(r, "latency", GATE_UNIT_NS_PER_OP, d, factor);
	return true;
}

/* Behind "throughput": the summary of ops. */
static bool scan_throughput(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d;
	struct gate_scan t;
	double factor;

	if (!scan_ops(s, &d, &factor))
		return false;
	add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
	t = *s;
	if (scan_producers(&t))
		*s = t;
	return gate_scan_lit(s, ", latency") && scan_latency(s, r);
}

/* Behind "hits throughput": the summary of local storage. */
static bool scan_storage(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d;
	double factor;

	if (!scan_ops(s, &d, &factor))
		return false;
	add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
	if (!gate_scan_lit(s, ", hits latency") || !scan_latency(s, r) ||
	    !gate_scan_lit(s, ", important_hits throughput") ||
	    !scan_ops(s, &d, &factor))
		return false;
	add(r, "important_hits", GATE_UNIT_OP_PER_S, d, factor);
	return true;
}

static bool scan_memory(struct gate_scan *s, struct report *r, const char *name)
{
	struct gate_decimal d;

	gate_scan_lit(s, ":");
	if (!gate_decimal_mean(s, &d))
		return false;
	gate_scan_blanks(s);
	if (!gate_scan_lit(s, "MiB"))
		return false;
	add(r, name, GATE_UNIT_B, d, 0x1p20);
	return true;
}

/* Behind "per-prod-op": htab-mem. The scripts abbreviate. */
static bool scan_htab(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d;
	struct gate_scan t;
	double factor;

	gate_scan_lit(s, ":");
	if (!scan_rate(s, &d, &factor))
		return false;
	add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
	if (!gate_scan_lit(s, ", memory usage") &&
	    !gate_scan_lit(s, ", avg mem"))
		return false;
	if (!scan_memory(s, r, "memory"))
		return false;
	t = *s;
	if (!gate_scan_lit(&t, ", peak memory usage") &&
	    !gate_scan_lit(&t, ", peak mem"))
		return true;
	*s = t;
	return scan_memory(s, r, "peak_memory");
}

/* Behind "creates": how many allocations each took is no speed. */
static bool scan_creates(struct gate_scan *s, struct report *r)
{
	struct gate_decimal d, each;
	double factor;

	if (!scan_rate(s, &d, &factor) || !scan_producers(s) ||
	    !gate_scan_lit(s, ",") || !gate_decimal_scan(s, &each) ||
	    !gate_scan_lit(s, " kmallocs/create"))
		return false;
	add(r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
	return true;
}

/* "12 false hits of 400 total operations. Percentage = 3.00 %" */
static bool scan_false_hits(struct gate_scan *s, struct report *r)
{
	uint64_t hits, total;
	struct gate_decimal d;

	if (!gate_scan_u64(s, &hits) || !gate_scan_lit(s, " false hits of") ||
	    !gate_scan_u64(s, &total) ||
	    !gate_scan_lit(s, " total operations.") ||
	    !gate_scan_lit(s, " Percentage =") || !gate_decimal_scan(s, &d) ||
	    !gate_scan_lit(s, " %"))
		return false;
	if (!total)
		return true; /* no metric: nothing ran */
	d = (struct gate_decimal){.value = (double)hits, .step = 1, .scale = 1};
	add(r, "false_hits", GATE_UNIT_ONE, d, 1 / (double)total);
	return true;
}

static bool scan_speed(struct gate_scan *s, struct gate_decimal *d)
{
	return gate_decimal_scan(s, d) && gate_scan_lit(s, " MB/s");
}

static bool scan_calls(struct gate_scan *s)
{
	struct gate_decimal d;

	return gate_scan_lit(s, " (") && gate_decimal_scan(s, &d) &&
	       gate_scan_lit(s, " calls/s)");
}

/* Behind "Send Speed": sockmap. Without a program the middle one is 0. */
static bool scan_sockmap(struct gate_scan *s, struct report *r)
{
	struct gate_decimal send, bpf, receive;

	if (!scan_speed(s, &send) || !scan_calls(s) ||
	    !gate_scan_lit(s, ", BPF Speed") || !scan_speed(s, &bpf) ||
	    !gate_scan_lit(s, ", Rcv Speed") || !scan_speed(s, &receive) ||
	    !scan_calls(s))
		return false;
	add(r, "direction=send/throughput", GATE_UNIT_B_PER_S, send, 1e6);
	if (bpf.value > 0 || receive.value <= 0)
		add(r, "direction=bpf/throughput", GATE_UNIT_B_PER_S, bpf, 1e6);
	add(r, "direction=receive/throughput", GATE_UNIT_B_PER_S, receive, 1e6);
	return true;
}

/* Behind "total trans": megabytes, and the mean of the BPF speed where a
 * deviation would stand. */
static bool scan_transferred(struct gate_scan *s, struct report *r)
{
	struct gate_decimal total, speed;

	if (!gate_decimal_scan(s, &total) || !gate_scan_lit(s, " MB"))
		return false;
	gate_scan_blanks(s);
	if (!gate_scan_lit(s, "\xc2\xb1") && !gate_scan_lit(s, "\xb1"))
		return false;
	if (!scan_speed(s, &speed))
		return false;
	add(r, "direction=bpf/throughput", GATE_UNIT_B_PER_S, speed, 1e6);
	return true;
}

static const struct {
	const char *words;
	bool (*scan)(struct gate_scan *s, struct report *r);
} forms[] = {
	{"hits throughput", scan_storage}, {"hits", scan_hits},
	{"throughput", scan_throughput},   {"per-prod-op", scan_htab},
	{"creates", scan_creates},         {"Send Speed", scan_sockmap},
	{"total trans", scan_transferred},
};

/* Every report, of an iteration as of a summary: a deviation may be there. */
static enum match scan_report(struct gate_scan *s, struct report *r)
{
	struct gate_scan t;
	bool ended = false;
	size_t i;

	*r = (struct report){0};
	gate_scan_blanks(s);
	for (i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		t = *s;
		if (gate_scan_match(&t, forms[i].words,
				    strlen(forms[i].words))) {
			t.ended = false;
			if (forms[i].scan(&t, r)) {
				*s = t;
				return YES;
			}
			return t.ended ? PARTIAL : NO;
		}
		ended |= t.ended;
	}
	t = *s;
	if (scan_false_hits(&t, r)) {
		*s = t;
		return YES;
	}
	return ended || t.ended ? PARTIAL : NO;
}

/* --- samples -------------------------------------------------------------- */

struct place {
	const char *name; /* NULL when it is lost */
	const char *keys; /* "/KEY=VALUE" or "" */
	uint64_t line;
	int32_t iter;
	bool warmup;
};

static int emit(struct bpf *b, const struct place *at, const struct metric *m)
{
	char row[ROW_ROOM];
	struct gate_sample s = {
		.size = sizeof s,
		.bench = "bpf",
		.row = row,
		.line = at->line,
		.iter = at->iter,
		.warmup = at->warmup,
	};

	snprintf(row, sizeof row, "%s%s/%s", at->name ? at->name : "?",
		 at->keys, m->name);
	/* Nothing happened in a second: the benchmark does not work. No false
	 * hit and no memory are fine. */
	if (m->value <= 0 && m->better == GATE_HIGHER) {
		s.status = GATE_SAMPLE_FAILED;
		s.message = "the benchmark did nothing";
		return b->sink->emit(b->sink->ctx, &s);
	}
	if (!at->name)
		s.status = GATE_SAMPLE_ORPHAN;
	s.unit = m->unit;
	s.better = m->better;
	s.value = m->value;
	s.resolution = m->step;
	return b->sink->emit(b->sink->ctx, &s);
}

static int emit_report(struct bpf *b, const struct place *at,
		       const struct report *r)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < r->n && !rc; i++)
		rc = emit(b, at, &r->metrics[i]);
	return rc;
}

static void note_drops(struct bpf *b, const char *name, const struct report *r,
		       uint64_t line)
{
	char text[NAME_ROOM + 64];

	if (r->drops <= 0 || b->dropped)
		return;
	b->dropped = true;
	snprintf(text, sizeof text, "%s dropped operations: %g a second", name,
		 r->drops);
	b->sink->warn(b->sink->ctx, "bpf.drops", line, text);
}

/* --- one benchmark -------------------------------------------------------- */

/* Everything before `warmup` is that; the rest counts. */
static int emit_iterations(struct bpf *b, size_t warmup)
{
	const struct iteration *it;
	size_t i;
	int rc = 0;

	for (i = 0; i < b->n && !rc; i++) {
		struct place at = {.keys = ""};

		it = &b->iterations[i];
		at.name = b->named ? b->name : NULL;
		at.line = it->line;
		at.iter = (int32_t)it->number;
		at.warmup = it->number < warmup;
		if (!at.warmup)
			note_drops(b, b->name, &it->report, it->line);
		rc = emit_report(b, &at, &it->report);
	}
	b->n = 0;
	return rc;
}

static const struct metric *find(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!strcmp(r->metrics[i].name, name))
			return &r->metrics[i];
	return NULL;
}

/*
 * True when `m` is the mean of the iterations from `warmup` on. Most reports
 * divide by the time that really passed in an iteration, but not in the
 * summary; those of 7.2 that time themselves do in both.
 */
static bool is_mean(const struct bpf *b, const struct metric *m, size_t warmup)
{
	const struct metric *each;
	double timed = 0, untimed = 0, count = 0, room;
	size_t i;

	for (i = 0; i < b->n; i++) {
		each = find(&b->iterations[i].report, m->name);
		if (!each || b->iterations[i].number < warmup)
			continue;
		timed += each->value;
		untimed += each->value * (1 + b->iterations[i].drift);
		count++;
	}
	if (count <= 0)
		return false;
	/* Half a step of each of the two, and the drift is rounded as well. */
	room = m->step * 1.001 + m->value * 1e-6;
	return fabs(timed / count - m->value) <= room ||
	       fabs(untimed / count - m->value) <= room;
}

/* The summary says which iterations it took for warm-up, if it agrees with
 * any: one is what the tool does unless told otherwise. */
static size_t count_warmup(struct bpf *b, const struct report *r, uint64_t line)
{
	const struct metric *m = NULL;
	char text[NAME_ROOM + 96];
	size_t warmup, i;

	for (i = 0; i < r->n && !m; i++)
		if (find(&b->iterations[0].report, r->metrics[i].name))
			m = &r->metrics[i];
	if (!m)
		return 1;
	for (warmup = 1; warmup < WARMUP_MAX; warmup++)
		if (is_mean(b, m, warmup))
			return warmup;
	snprintf(text, sizeof text,
		 "the summary of %s is not the mean of its iterations",
		 b->named ? b->name : "a benchmark");
	b->sink->warn(b->sink->ctx, "bpf.summary", line, text);
	return 1;
}

static int finish_benchmark(struct bpf *b)
{
	int rc = emit_iterations(b, 1);

	b->dropped = false;
	return rc;
}

static int line_name(struct bpf *b, struct gate_scan s)
{
	const char *end;
	size_t n;
	int rc;

	end = memchr(s.p, '\'', gate_scan_left(&s));
	if (!end || end == s.p || end - s.p >= NAME_ROOM)
		return 0;
	n = (size_t)(end - s.p);
	if (memchr(s.p, ' ', n))
		return 0;
	rc = finish_benchmark(b);
	memcpy(b->name, s.p, n);
	b->name[n] = '\0';
	b->named = true;
	return rc ? rc : 1;
}

static int keep(struct bpf *b, const struct report *r, uint64_t number,
		double drift, uint64_t line)
{
	int rc = 0;

	/* Another run, and what separated the two is lost. */
	if (b->n && number <= b->iterations[b->n - 1].number)
		rc = finish_benchmark(b);
	if (b->n >= ITERATIONS_MAX || number > INT32_MAX || rc)
		return rc ? rc : 1;
	GATE_PUSH(b->iterations, b->n, b->cap,
		  (struct iteration){.report = *r,
				     .line = line,
				     .number = number,
				     .drift = drift});
	return 1;
}

/* Behind "Iter": " 0 (325.719us): REPORT", or the grace periods' form. */
static enum match scan_iteration(struct gate_scan *s, uint64_t *number,
				 double *drift, struct report *r)
{
	struct gate_decimal d;
	struct gate_scan t;
	enum match match;

	*r = (struct report){0};
	*drift = 0;
	if (!gate_scan_u64(s, number))
		return s->ended ? PARTIAL : NO;
	t = *s;
	if (gate_scan_lit(&t, " avg ticks per "))
		return YES;
	if (gate_scan_lit(s, " avg tasks_trace grace period latency")) {
		if (!gate_decimal_scan(s, &d) || !gate_scan_lit(s, " ns"))
			return s->ended ? PARTIAL : NO;
		add(r, "latency", GATE_UNIT_NS_PER_OP, d, 1);
		return YES;
	}
	if (!gate_scan_lit(s, " (") || !gate_decimal_scan(s, &d) ||
	    !gate_scan_lit(s, "us):"))
		return s->ended ? PARTIAL : NO;
	*drift = d.value / MILLION;
	match = scan_report(s, r);
	return match;
}

static int take_summary(struct bpf *b, const struct report *r, uint64_t line)
{
	struct place at = {.name = b->named ? b->name : NULL,
			   .keys = "",
			   .line = line,
			   .iter = -1};
	int rc;

	if (b->n)
		rc = emit_iterations(b, count_warmup(b, r, line));
	else
		rc = emit_report(b, &at, r);
	if (!b->dropped)
		note_drops(b, b->named ? b->name : "a benchmark", r, line);
	b->dropped = false;
	b->named = false;
	return rc ? rc : 1;
}

/* A benchmark that did nothing has no latency: "inf ns/op", "-nan". */
static bool not_a_number(struct gate_scan s)
{
	size_t n = gate_scan_left(&s);

	return memmem(s.p, n, " inf", 4) || memmem(s.p, n, "nan", 3);
}

static int failed_summary(struct bpf *b, uint64_t line)
{
	struct metric nothing = {.name = "throughput", .better = GATE_HIGHER};
	struct report r = {.metrics = {nothing}, .n = 1};
	int rc;

	if (!b->n)
		return take_summary(b, &r, line);
	rc = finish_benchmark(b);
	b->named = false;
	return rc ? rc : 1;
}

/* --- lines of the tool ---------------------------------------------------- */

static void keep_part(struct bpf *b, struct gate_scan text, uint64_t line)
{
	size_t n = gate_scan_left(&text);

	if (n >= sizeof b->part)
		return;
	memcpy(b->part, text.p, n);
	b->part_len = n;
	b->part_line = line;
}

/* A line that began as a result, with what became of it. */
static int no_result(struct bpf *b, enum match match, struct gate_scan text,
		     const struct gate_line *line)
{
	if (match == PARTIAL && !line->cut) {
		keep_part(b, text, line->number);
		return 1;
	}
	b->sink->warn(b->sink->ctx,
		      match == PARTIAL ? "parse.incomplete" : "parse.unparsed",
		      line->number, line->text);
	return 1;
}

static int line_iteration(struct bpf *b, struct gate_scan text,
			  struct gate_scan s, const struct gate_line *line)
{
	struct report r;
	uint64_t number;
	double drift;
	enum match match = scan_iteration(&s, &number, &drift, &r);

	if (match == NO && !b->named && !b->n)
		return 0;
	if (match != YES)
		return no_result(b, match, text, line);
	return r.n ? keep(b, &r, number, drift, line->number) : 1;
}

static int line_summary(struct bpf *b, struct gate_scan text,
			struct gate_scan s, const struct gate_line *line)
{
	struct report r;
	enum match match = scan_report(&s, &r);

	if (match == YES)
		return take_summary(b, &r, line->number);
	/* Mails have summaries, too. */
	if (match == NO && !b->named && !b->n)
		return 0;
	if (not_a_number(text))
		return failed_summary(b, line->number);
	return no_result(b, match, text, line);
}

/* "SUMMARY tasks_trace grace period latency avg 12.3 us stddev 0.4 us" */
static int line_grace(struct bpf *b, struct gate_scan s,
		      const struct gate_line *line)
{
	struct report r = {0};
	struct gate_decimal d;

	if (!gate_scan_lit(&s, " tasks_trace grace period latency avg"))
		return gate_scan_lit(&s, " ticks per tasks_trace");
	if (!gate_decimal_scan(&s, &d) || !gate_scan_lit(&s, " us"))
		return 0;
	add(&r, "latency", GATE_UNIT_NS_PER_OP, d, 1e3);
	return take_summary(b, &r, line->number);
}

/* --- lines of scripts and of single benchmarks ---------------------------- */

/* The words before `end`, folded, without a colon at the end. */
static bool scan_label(const char *s, const char *end, char name[NAME_ROOM])
{
	size_t n = 0;

	while (end > s &&
	       (gate_scan_blank(end[-1]) || end[-1] == ':' || end[-1] == ','))
		end--;
	for (; s < end; s++) {
		if (gate_scan_blank(*s) && (!n || gate_scan_blank(s[1])))
			continue;
		if (n == NAME_ROOM - 1 || *s == '/')
			return false;
		name[n++] = *s;
	}
	name[n] = '\0';
	return n > 0;
}

/* What the headings above say, and this line's own key. */
static void all_keys(const struct bpf *b, const char *own, char keys[KEYS_ROOM])
{
	snprintf(keys, KEYS_ROOM, "%s%s%s%s%s",
		 b->section[0] ? "/section=" : "", b->section, b->keys,
		 b->entries, own);
}

static int emit_line(struct bpf *b, const char *name, const char *keys,
		     const struct report *r, uint64_t line)
{
	char all[KEYS_ROOM];
	struct place at = {.name = name, .keys = all, .line = line, .iter = -1};
	int rc;

	all_keys(b, keys, all);
	b->dropped = false;
	note_drops(b, name, r, line);
	b->dropped = false;
	rc = emit_report(b, &at, r);
	return rc ? rc : 1;
}

static int emit_cut(struct bpf *b, const char *name,
		    const struct gate_line *line)
{
	char row[ROW_ROOM], keys[KEYS_ROOM];
	struct gate_sample s = {
		.size = sizeof s,
		.bench = "bpf",
		.row = row,
		.status = GATE_SAMPLE_INCOMPLETE,
		.message = "the line is cut",
		.line = line->number,
		.iter = -1,
	};
	int rc;

	all_keys(b, "", keys);
	snprintf(row, sizeof row, "%s%s", name, keys);
	rc = b->sink->emit(b->sink->ctx, &s);
	return rc ? rc : 1;
}

/* "NAME  throughput: ..." and the like: the words of a summary, behind a name.
 */
static int line_words(struct bpf *b, struct gate_scan s,
		      const struct gate_line *line)
{
	static const char *const words[] = {
		" hits throughput: ", " throughput: ", " per-prod-op"};
	char name[NAME_ROOM];
	struct report r;
	const char *at = NULL;
	struct gate_scan t;
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0] && !at; i++)
		at = memmem(s.p, gate_scan_left(&s), words[i],
			    strlen(words[i]));
	if (!at || !scan_label(s.p, at, name))
		return 0;
	t = gate_scan_at(at, (size_t)(s.end - at));
	switch (scan_report(&t, &r)) {
	case YES:
		return emit_line(b, name, "", &r, line->number);
	case PARTIAL:
		return line->cut ? emit_cut(b, name, line)
				 : no_result(b, PARTIAL, s, line);
	case NO:
		break;
	}
	return 0;
}

/* Start of the number before "±", NULL when there is none. */
static const char *number_before(const char *s, const char *mark)
{
	const char *p = mark;

	while (p > s && gate_scan_blank(p[-1]))
		p--;
	while (p > s && (gate_scan_digit(p[-1]) || p[-1] == '.'))
		p--;
	return p > s && p < mark && gate_scan_digit(*p) ? p : NULL;
}

/* A sentence may end in a rate; a table has a word, a colon or a gap there. */
static bool is_column(const char *s, const char *at)
{
	const char *end = at;

	while (end > s && gate_scan_blank(end[-1]))
		end--;
	if (at - end >= 2 || (end > s && end[-1] == ':'))
		return true;
	return !memchr(s, ' ', (size_t)(end - s));
}

/* "NAME  5.092 ± 0.228M/s (drops 0.000 ± 0.000M/s)", drops or not. */
static int line_rate(struct bpf *b, struct gate_scan s,
		     const struct gate_line *line)
{
	const char *mark = memchr(s.p, '\xb1', gate_scan_left(&s)), *at;
	struct report r = {0};
	struct gate_decimal d;
	char name[NAME_ROOM];
	struct gate_scan t;
	double factor;

	if (mark && mark > s.p && mark[-1] == '\xc2')
		mark--;
	at = mark ? number_before(s.p, mark) : NULL;
	if (!at || !scan_label(s.p, at, name) || !is_column(s.p, at))
		return 0;
	t = gate_scan_at(at, (size_t)(s.end - at));
	if (!scan_rate(&t, &d, &factor))
		return 0;
	add(&r, "hits", GATE_UNIT_OP_PER_S, d, factor);
	if (gate_scan_lit(&t, " (drops") && scan_rate(&t, &d, &factor) &&
	    gate_scan_lit(&t, ")"))
		r.drops = gate_decimal_times(&d, factor);
	gate_scan_blanks(&t);
	return t.p == t.end ? emit_line(b, name, "", &r, line->number) : 0;
}

/* "0:hash_map_perf kmalloc 302508 events per sec": samples/bpf/map_perf_test
 * and bpf-hashmap-full-update. */
static int line_events(struct bpf *b, struct gate_scan s,
		       const struct gate_line *line)
{
	static const char tail[] = " events per sec";
	struct report r = {0};
	struct gate_decimal d = {.step = 1, .scale = 1};
	char name[NAME_ROOM], keys[32];
	const char *end, *number;
	struct gate_scan t;
	uint64_t cpu, events;

	end = memmem(s.p, gate_scan_left(&s), tail, sizeof tail - 1);
	if (!end || !gate_scan_u64(&s, &cpu) || !gate_scan_lit(&s, ":"))
		return 0;
	number = number_before(s.p, end);
	if (!number || !scan_label(s.p, number, name))
		return 0;
	t = gate_scan_at(number, (size_t)(end - number));
	if (!gate_scan_u64(&t, &events) || t.p < end)
		return 0;
	d.value = (double)events;
	add(&r, "throughput", GATE_UNIT_OP_PER_S, d, 1);
	snprintf(keys, sizeof keys, "/cpu=%u", (unsigned)cpu);
	return emit_line(b, name, keys, &r, line->number);
}

/* "cpu00: lookup 12.345M ± 0.678M events/sec (approximated from ...)" */
static int line_lookup(struct bpf *b, struct gate_scan s,
		       const struct gate_line *line)
{
	struct gate_decimal d, spread;
	struct report r = {0};
	double factor;
	uint64_t cpu;
	char keys[32];
	struct place at = {.name = b->named ? b->name : NULL,
			   .keys = keys,
			   .line = line->number,
			   .iter = -1};
	int rc;

	if (!gate_scan_u64(&s, &cpu) || !gate_scan_lit(&s, ": lookup") ||
	    !gate_decimal_scan(&s, &d) || !scan_prefix(&s, &factor))
		return 0;
	gate_scan_blanks(&s);
	if (!gate_scan_lit(&s, "\xc2\xb1") || !gate_decimal_scan(&s, &spread) ||
	    !scan_prefix(&s, &factor) || !gate_scan_lit(&s, " events/sec"))
		return 0;
	add(&r, "throughput", GATE_UNIT_OP_PER_S, d, factor);
	snprintf(keys, sizeof keys, "/cpu=%u", (unsigned)cpu);
	rc = emit_report(b, &at, &r);
	return rc ? rc : 1;
}

/* "NAME: median 84.02 ns/op, stddev 0.45, p99 85.10 (250 samples)" */
static int line_median(struct bpf *b, struct gate_scan s,
		       const struct gate_line *line)
{
	static const char words[] = ": median ";
	struct gate_decimal d, other;
	struct report r = {0};
	char name[NAME_ROOM];
	const char *at;
	struct gate_scan t;
	uint64_t samples;

	at = memmem(s.p, gate_scan_left(&s), words, sizeof words - 1);
	if (!at || memchr(s.p, ' ', (size_t)(at - s.p)) ||
	    !scan_label(s.p, at, name))
		return 0;
	t = gate_scan_at(at + 8, (size_t)(s.end - at) - 8);
	if (!gate_decimal_scan(&t, &d) || !gate_scan_lit(&t, " ns/op,") ||
	    !gate_scan_lit(&t, " stddev") || !gate_decimal_scan(&t, &other) ||
	    !gate_scan_lit(&t, ", p99") || !gate_decimal_scan(&t, &other) ||
	    !gate_scan_lit(&t, " (") || !gate_scan_u64(&t, &samples) ||
	    !gate_scan_lit(&t, " samples)"))
		return 0;
	add(&r, "latency", GATE_UNIT_NS_PER_OP, d, 1);
	return emit_line(b, name, "", &r, line->number);
}

/* "RESULT scenario=NAME samples=250 median=84.02 stddev=0.45 ..." */
static int line_machine(struct bpf *b, struct gate_scan s,
			const struct gate_line *line)
{
	struct report r = {0};
	struct gate_decimal d;
	char name[NAME_ROOM];
	const char *word;
	uint64_t samples;
	size_t len;

	if (!gate_scan_word(&s, '\0', &word, &len) ||
	    !scan_label(word, word + len, name) ||
	    !gate_scan_lit(&s, " samples=") || !gate_scan_u64(&s, &samples) ||
	    !gate_scan_lit(&s, " median=") || !gate_decimal_scan(&s, &d) ||
	    !gate_scan_lit(&s, " stddev="))
		return 0;
	add(&r, "latency", GATE_UNIT_NS_PER_OP, d, 1);
	return emit_line(b, name, "", &r, line->number);
}

/* --- headings of scripts -------------------------------------------------- */

/* Letters that a key may have; '#' and blanks around it are dropped. */
static bool scan_key(struct gate_scan *s, char key[NAME_ROOM])
{
	size_t n = 0;

	gate_scan_blanks(s);
	if (gate_scan_lit(s, "#"))
		gate_scan_blanks(s);
	while (s->p < s->end && n < NAME_ROOM - 1 &&
	       (*s->p == '_' || *s->p == '-' || (*s->p >= 'a' && *s->p <= 'z')))
		key[n++] = *s->p++;
	key[n] = '\0';
	return n > 0 && gate_scan_lit(s, ":");
}

/* "\tvalue_size: 8 bytes, # threads: 4": the parameters of what follows. */
static bool scan_subtitle(struct gate_scan s, char keys[KEY_ROOM])
{
	char key[NAME_ROOM];
	uint64_t value;
	size_t n = 0;
	int k;

	for (;;) {
		if (!scan_key(&s, key) || !gate_scan_u64(&s, &value))
			return false;
		k = snprintf(keys + n, KEY_ROOM - n, "/%s=%llu", key,
			     (unsigned long long)value);
		n += (size_t)k;
		if (n >= KEY_ROOM)
			return false;
		gate_scan_lit(&s, " bytes");
		gate_scan_blanks(&s);
		if (s.p == s.end)
			return true;
		if (!gate_scan_lit(&s, ","))
			return false;
	}
}

static bool is_underline(struct gate_scan s)
{
	const char *start = s.p;

	while (s.p < s.end && *s.p == '=')
		s.p++;
	return s.p == s.end && s.p - start >= 3;
}

/* "10,000 entries -" of run_bench_bloom_filter_map.sh */
static bool scan_entries(struct gate_scan s, char entries[NAME_ROOM])
{
	char digits[24];
	size_t n = 0;

	while (s.p < s.end && (gate_scan_digit(*s.p) || *s.p == ',')) {
		if (*s.p != ',') {
			if (n == sizeof digits - 1)
				return false;
			digits[n++] = *s.p;
		}
		s.p++;
	}
	digits[n] = '\0';
	if (!n || !gate_scan_lit(&s, " entries -") || s.p < s.end)
		return false;
	snprintf(entries, NAME_ROOM, "/entries=%s", digits);
	return true;
}

static int line_heading(struct bpf *b, struct gate_scan s, size_t indent)
{
	char keys[KEY_ROOM], entries[NAME_ROOM];

	if (*s.p == '=' && is_underline(s)) {
		if (!scan_label(b->last, b->last + b->last_len, b->section))
			b->section[0] = '\0';
		b->keys[0] = '\0';
		b->entries[0] = '\0';
		return 0;
	}
	if (gate_scan_digit(*s.p) && scan_entries(s, entries)) {
		memcpy(b->entries, entries, sizeof b->entries);
		return 1;
	}
	if (!indent || !scan_subtitle(s, keys))
		return 0;
	memcpy(b->keys, keys, sizeof b->keys);
	b->entries[0] = '\0';
	return 1;
}

/* --- one line ------------------------------------------------------------- */

static int line_tool(struct bpf *b, struct gate_scan text,
		     const struct gate_line *line)
{
	struct gate_scan s = text;

	switch (*s.p) {
	case 'B':
		return gate_scan_lit(&s, "Benchmark '") ? line_name(b, s) : 0;
	case 'I':
		return gate_scan_lit(&s, "Iter ")
			       ? line_iteration(b, text, s, line)
			       : 0;
	case 'S':
		if (gate_scan_lit(&s, "Setting up benchmark '"))
			return line_name(b, s);
		if (gate_scan_lit(&s, "Summary:"))
			return line_summary(b, text, s, line);
		return gate_scan_lit(&s, "SUMMARY") ? line_grace(b, s, line)
						    : 0;
	case 'R':
		return gate_scan_lit(&s, "RESULT scenario=")
			       ? line_machine(b, s, line)
			       : 0;
	case 'c':
		return gate_scan_lit(&s, "cpu") ? line_lookup(b, s, line) : 0;
	default:
		return 0;
	}
}

static int dispatch(struct bpf *b, struct gate_scan text, size_t indent,
		    const struct gate_line *line)
{
	int rc = line_tool(b, text, line);

	if (!rc)
		rc = line_heading(b, text, indent);
	if (!rc && gate_scan_digit(*text.p))
		rc = line_events(b, text, line);
	if (!rc && memchr(text.p, '\xb1', gate_scan_left(&text))) {
		rc = line_words(b, text, line);
		if (!rc)
			rc = line_rate(b, text, line);
	}
	if (!rc && text.end[-1] == ')')
		rc = line_median(b, text, line);
	return rc;
}

/* Reads the kept part and this line as one, when that makes sense. */
static int continue_part(struct bpf *b, struct gate_scan text,
			 const struct gate_line *line)
{
	char joined[2 * PART_ROOM + 2];
	size_t n = b->part_len, more = gate_scan_left(&text);
	struct gate_line whole = *line;

	b->part_len = 0;
	if (more > PART_ROOM)
		return 0;
	memcpy(joined, b->part, n);
	joined[n++] = ' ';
	memcpy(joined + n, text.p, more);
	n += more;
	joined[n] = '\0';
	whole.number = b->part_line;
	whole.text = joined;
	whole.len = n;
	return dispatch(b, gate_scan_at(joined, n), 0, &whole);
}

/* True when the line begins anew, whatever was open. */
static bool begins(struct gate_scan s)
{
	struct gate_scan t = s;

	return gate_scan_lit(&s, "Iter ") || gate_scan_lit(&t, "Summary:");
}

static int line_bpf(void *state, const struct gate_line *line)
{
	struct bpf *b = state;
	struct gate_scan text = gate_scan_at(line->text, line->len);
	int rc = 0;

	gate_scan_blanks(&text);
	if (text.p == text.end) {
		b->part_len = 0;
		return 0;
	}
	if (b->part_len && line->joined && !begins(text))
		rc = continue_part(b, text, line);
	else
		b->part_len = 0;
	if (!rc)
		rc = dispatch(b, text, (size_t)(text.p - line->text), line);
	b->last_len = gate_scan_left(&text);
	if (b->last_len >= sizeof b->last)
		b->last_len = 0;
	memcpy(b->last, text.p, b->last_len);
	b->last[b->last_len] = '\0';
	return rc;
}

static int finish_bpf(void *state)
{
	return finish_benchmark(state);
}

const struct gate_parser gate_parser_bpf = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "bpf",
	.description = "BPF benchmarks of the kernel's selftests",
	.open = open_bpf,
	.line = line_bpf,
	.finish = finish_bpf,
	.close = close_bpf,
};
