/*
 * xor and raid6: the calibrations that run when the modules load.
 *
 * crypto/xor.c (lib/raid/xor/xor-core.c since 7.2):
 *   xor: measuring software checksum speed
 *      8regs           :  2797 MB/sec            10^6 bytes since 5.10
 *      8regs     :  2864.000 MB/sec              1024 * 1000 bytes before
 *   xor: using function: 8regs (2797 MB/sec)     repeats the best
 * lib/raid6/algos.c (lib/raid/raid6/algos.c since 7.2), MB is 2^20 bytes:
 *   raid6: sse2x4   gen()  1384 MB/s             also xor() up to 5.x
 *   raid6: int32x1    906 MB/s                   up to 4.0, gen only
 *   raid6: using algorithm sse2x4 gen() 1384 MB/s
 *
 * The lines of xor templates carry no name of their own, so they count only
 * between the line that announces them and the one that sums them up.
 */
#include "parsers/builtin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/scan.h"

enum {
	NAME_ROOM = 64,
	ROW_ROOM = 80,
	TEMPLATES_MAX = 32,
	/* Lines without any template after which an announcement is stale. */
	WINDOW = 256
};

/* 10 TB/s: no processor does that, but a clock that hardly moved says so. */
static const double absurd = 1e13;
/* One block in a jiffy at 1000 HZ with pages of 64 KiB, before 5.10. */
static const double step_max = 64000 * 1024.0;

struct measured {
	char name[NAME_ROOM];
	double speed;
};

struct xor {
	const struct gate_sink *sink;
	bool measuring;
	bool jiffies;                             /* the form before 5.10 */
	struct measured templates[TEMPLATES_MAX]; /* since the announcement */
	size_t n_templates;
	unsigned quoted;    /* where it was announced */
	uint64_t last_line; /* of the announcement or the latest template */
};

static void *open_xor(const struct gate_sink *sink)
{
	struct xor *x = gate_alloc(sizeof *x);

	x->sink = sink;
	return x;
}

static int emit(struct xor *x, const struct gate_line *line, const char *bench,
		const char *row, struct gate_sample s)
{
	int rc;

	s.size = sizeof s;
	s.bench = bench;
	s.row = row;
	s.unit = GATE_UNIT_B_PER_S;
	s.better = GATE_HIGHER;
	s.line = line->number;
	s.iter = -1;
	rc = x->sink->emit(x->sink->ctx, &s);
	return rc ? rc : 1;
}

static int emit_failed(struct xor *x, const struct gate_line *line,
		       const char *bench, const char *row, const char *message)
{
	struct gate_sample s = {.status = GATE_SAMPLE_FAILED,
				.message = message};

	return emit(x, line, bench, row, s);
}

static int emit_incomplete(struct xor *x, const struct gate_line *line,
			   const char *bench, const char *row,
			   const char *message)
{
	struct gate_sample s = {.status = GATE_SAMPLE_INCOMPLETE,
				.message = message};

	return emit(x, line, bench, row, s);
}

/* A template or algorithm: one word. */
static bool scan_name(struct gate_scan *s, char stop, char name[NAME_ROOM])
{
	const char *word;
	size_t len;

	gate_scan_blanks(s);
	if (!gate_scan_word(s, stop, &word, &len) || len >= NAME_ROOM)
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	return true;
}

static bool at_end(struct gate_scan *s)
{
	gate_scan_blanks(s);
	return s->p == s->end;
}

/* A line that ought to have been a value but is none. */
static int no_value(struct xor *x, struct gate_scan s,
		    const struct gate_line *line, const char *bench,
		    const char *row)
{
	if (s.ended && line->cut)
		return emit_incomplete(x, line, bench, row, "the value is cut");
	if (!memmem(line->text, line->len, "MB/s", 4))
		return 0;
	x->sink->warn(x->sink->ctx, "parse.unparsed", line->number, line->text);
	return 1;
}

/* --- xor ------------------------------------------------------------------ */

/*
 * "2797" or "2864.000". The older kernels count blocks in one jiffy, of 1024
 * bytes each, and print thousands of them.
 */
static bool scan_speed(struct gate_scan *s, struct gate_sample *ret)
{
	struct gate_scan t;
	uint64_t whole, thousandths;

	if (!gate_scan_u64(s, &whole))
		return false;
	ret->value = (double)whole * 1e6;
	ret->resolution = 1e6;
	if (s->p == s->end || *s->p != '.')
		return true;
	s->p++;
	t = *s;
	if (s->p == s->end || gate_scan_blank(*s->p) ||
	    !gate_scan_u64(&t, &thousandths) || t.p - s->p != 3) {
		s->ended |= gate_scan_left(s) < 3;
		return false;
	}
	*s = t;
	ret->value = ((double)whole * 1000 + (double)thousandths) * 1024;
	ret->resolution = 1024;
	ret->method = "jiffies";
	return true;
}

static void remember(struct xor *x, const char *name,
		     const struct gate_sample *s)
{
	struct measured *m;

	if (x->n_templates == TEMPLATES_MAX)
		return;
	m = &x->templates[x->n_templates++];
	snprintf(m->name, sizeof m->name, "%s", name);
	m->speed = s->value;
	x->jiffies = s->method != NULL;
}

static int line_template(struct xor *x, struct gate_scan s,
			 const struct gate_line *line)
{
	char name[NAME_ROOM];
	struct gate_sample sample = {.status = GATE_SAMPLE_OK};
	bool negative;

	if (!scan_name(&s, ':', name))
		return 0;
	gate_scan_blanks(&s);
	if (!gate_scan_lit(&s, ":"))
		return 0;
	gate_scan_blanks(&s);
	negative = s.p < s.end && *s.p == '-';
	if (negative)
		s.p++;
	if (!scan_speed(&s, &sample) || !gate_scan_lit(&s, " MB/sec") ||
	    !at_end(&s))
		return no_value(x, s, line, "xor", name);
	x->last_line = line->number;
	/* A clock that stands still makes the kernel's division overflow. */
	if (negative)
		return emit_failed(x, line, "xor", name,
				   "the kernel printed a negative speed");
	if (sample.value >= absurd)
		return emit_failed(x, line, "xor", name,
				   "the kernel printed an absurd speed");
	remember(x, name, &sample);
	return emit(x, line, "xor", name, sample);
}

/* --- the choice ----------------------------------------------------------- */

/* Since 5.10: the time of 800 passes over 4096 bytes, in nanoseconds. */
static double took(double speed)
{
	return 800 * 4096 / speed * 1e9;
}

/* The kernel cut the speed to whole MB/s: the time that it divided by lies
 * between this one and `t`. */
static double took_least(double speed)
{
	return took(speed + 1e6);
}

static bool counts_in(const struct xor *x, double tick)
{
	double t, least, k;
	size_t i;

	for (i = 0; i < x->n_templates; i++) {
		if (x->templates[i].speed <= 0)
			return false;
		t = took(x->templates[i].speed);
		least = took_least(x->templates[i].speed);
		k = floor(t / tick + 1e-9);
		/* Rounding that wide would fit any tick. */
		if (k < 1 || k * tick < least - 1 || t - least > tick / 8)
			return false;
	}
	return x->n_templates > 1;
}

/*
 * One tick of the clock in nanoseconds, when all times are whole numbers of
 * one that some machine's clock source has: a jiffy, or a 32 kHz counter. 0
 * where the clock is finer than that.
 */
static double clock_tick(const struct xor *x)
{
	static const double ticks[] = {1e7, 4e6, 1e6, 31250, 1e9 / 32768};
	size_t i;

	for (i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
		if (counts_in(x, ticks[i]))
			return ticks[i];
	return 0;
}

/* Before 5.10: speeds are a count times one step, which divides all of them.
 * It depends on HZ and on the size of a page. */
static double count_step(const struct xor *x)
{
	uint64_t a = 0, b, t;
	size_t i;

	for (i = 0; i < x->n_templates; i++)
		for (b = (uint64_t)x->templates[i].speed; b; b = t) {
			t = a % b;
			a = b;
		}
	return (double)a < step_max ? (double)a : step_max;
}

/* Whether a clock of such a tick, or step, can tell the two speeds apart. */
static bool differ(const struct xor *x, double fast, double slow, double tick)
{
	if (x->jiffies)
		return fast - slow > tick;
	return took_least(slow) - took(fast) > tick;
}

static const struct measured *find(const struct xor *x, const char *name)
{
	size_t i;

	for (i = 0; i < x->n_templates; i++)
		if (!strcmp(x->templates[i].name, name))
			return &x->templates[i];
	return NULL;
}

static void note(struct xor *x, const char *code, uint64_t line,
		 const char *chosen, const char *what, const char *other)
{
	char text[2 * NAME_ROOM + 96];

	snprintf(text, sizeof text, "xor uses %s%s%s", chosen, what, other);
	x->sink->warn(x->sink->ctx, code, line, text);
}

/*
 * The kernel takes the fastest. Too coarse a clock makes that a matter of luck
 * (800 passes at 10 GB/s are ten ticks of a 32 kHz clock, so that a template
 * which is 10 % slower may look the same). Without numbers, so that all
 * rounds make one remark.
 */
static void check_choice(struct xor *x, const char *name, uint64_t line)
{
	const struct measured *chosen = find(x, name), *other;
	double tick;
	size_t i;

	if (!x->n_templates)
		return;
	if (!chosen) {
		note(x, "xor.choice", line, name, ", which was not measured",
		     "");
		return;
	}
	tick = x->jiffies ? count_step(x) : clock_tick(x);
	for (i = 0; i < x->n_templates; i++) {
		other = &x->templates[i];
		if (differ(x, other->speed, chosen->speed, tick))
			note(x, "xor.choice", line, name,
			     ", but measured faster was ", other->name);
		else if (other != chosen && tick > 0 &&
			 !differ(x, chosen->speed, other->speed, tick))
			note(x, "xor.choice", line, name,
			     ", but its clock cannot tell it from ",
			     other->name);
	}
}

/* Behind "using function:". */
static void line_choice(struct xor *x, struct gate_scan s,
			const struct gate_line *line)
{
	char name[NAME_ROOM];

	if (!scan_name(&s, '\0', name) || line->cut)
		return;
	note(x, "xor.selected", line->number, name, "", "");
	check_choice(x, name, line->number);
}

static void announce(struct xor *x, bool measuring,
		     const struct gate_line *line)
{
	x->measuring = measuring;
	x->n_templates = 0;
	x->quoted = line->quoted;
	x->last_line = line->number;
}

/* Behind "xor:" or, in 2.6, "raid5:". */
static int line_xor(struct xor *x, struct gate_scan s,
		    const struct gate_line *line)
{
	char text[NAME_ROOM + 64], name[NAME_ROOM];

	gate_scan_blanks(&s);
	if (gate_scan_lit(&s, "measuring ")) {
		announce(x, true, line);
		return 1;
	}
	if (gate_scan_lit(&s, "using function:")) {
		line_choice(x, s, line);
		x->measuring = false;
		x->n_templates = 0;
		return 1;
	}
	if (gate_scan_lit(&s, "automatically using best checksumming "
			      "function")) {
		/* Up to 3.x the chosen one is still measured, and a colon
		 * announces it. */
		announce(x, gate_scan_lit(&s, ":"), line);
		if (!x->measuring && scan_name(&s, '\0', name)) {
			snprintf(text, sizeof text,
				 "xor chose %s without measuring anything",
				 name);
			x->sink->warn(x->sink->ctx, "xor.no-data", line->number,
				      text);
		}
		return 1;
	}
	if (gate_scan_lit(&s, "Yikes!")) {
		x->sink->warn(x->sink->ctx, "parse.failed", line->number,
			      line->text);
		return 1;
	}
	return 0;
}

/* --- raid6 ---------------------------------------------------------------- */

static int line_algorithm(struct xor *x, struct gate_scan s,
			  const struct gate_line *line)
{
	struct gate_sample sample = {.status = GATE_SAMPLE_OK,
				     .resolution = 0x1p20};
	char name[NAME_ROOM], row[ROW_ROOM];
	bool is_xor = false, negative;
	uint64_t speed;

	if (!scan_name(&s, '\0', name) || !strcmp(name, "...."))
		return 0;
	if (gate_scan_lit(&s, " xor()"))
		is_xor = true;
	else if (!gate_scan_lit(&s, " gen()"))
		gate_scan_blanks(&s);
	snprintf(row, sizeof row, "%s/%s", name, is_xor ? "xor" : "gen");
	gate_scan_blanks(&s);
	negative = s.p < s.end && *s.p == '-';
	if (negative)
		s.p++;
	if (!gate_scan_u64(&s, &speed) || !gate_scan_lit(&s, " MB/s") ||
	    !at_end(&s))
		return no_value(x, s, line, "raid6", row);
	if (negative)
		return emit_failed(x, line, "raid6", row,
				   "the kernel printed a negative speed");
	if ((double)speed * 0x1p20 >= absurd)
		return emit_failed(x, line, "raid6", row,
				   "the kernel printed an absurd speed");
	sample.value = (double)speed * 0x1p20;
	return emit(x, line, "raid6", row, sample);
}

/* Behind "raid6:". */
static int line_raid6(struct xor *x, struct gate_scan s,
		      const struct gate_line *line)
{
	char text[NAME_ROOM + 64], name[NAME_ROOM];
	struct gate_scan t = s;

	gate_scan_blanks(&s);
	/* "skip ... using algorithm" up to 5.x, "skipped ... selected" since.
	 */
	if (gate_scan_lit(&s, "skip pq benchmark and using algorithm") ||
	    gate_scan_lit(&s, "skipped pq benchmark and selected")) {
		if (scan_name(&s, '\0', name)) {
			snprintf(text, sizeof text,
				 "raid6 chose %s without measuring anything",
				 name);
			x->sink->warn(x->sink->ctx, "raid6.no-data",
				      line->number, text);
		}
		return 1;
	}
	if (gate_scan_lit(&s, "using algorithm")) {
		if (!line->cut && scan_name(&s, '\0', name)) {
			snprintf(text, sizeof text, "raid6 uses %s", name);
			x->sink->warn(x->sink->ctx, "raid6.selected",
				      line->number, text);
		}
		return 1;
	}
	if (gate_scan_lit(&s, "using ") || gate_scan_lit(&s, "...."))
		return 1;
	if (gate_scan_lit(&s, "Yikes!") || gate_scan_lit(&s, "No ")) {
		x->sink->warn(x->sink->ctx, "parse.failed", line->number,
			      line->text);
		return 1;
	}
	return line_algorithm(x, t, line);
}

/* --- one line ------------------------------------------------------------- */

static bool template_may_come(const struct xor *x, const struct gate_line *line)
{
	return x->measuring && line->quoted == x->quoted &&
	       line->number - x->last_line <= WINDOW;
}

static int line_any(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);
	struct xor *x = state;

	gate_scan_blanks(&s);
	if (s.p == s.end)
		return 0;
	if (*s.p == 'x' && gate_scan_lit(&s, "xor:"))
		return line_xor(x, s, line);
	if (*s.p == 'r') {
		if (gate_scan_lit(&s, "raid6:"))
			return line_raid6(x, s, line);
		if (gate_scan_lit(&s, "raid5:"))
			return line_xor(x, s, line);
	}
	return template_may_come(x, line) ? line_template(x, s, line) : 0;
}

static int finish_xor(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_xor = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "xor",
	.description = "xor and raid6 calibration at module load",
	.open = open_xor,
	.line = line_any,
	.finish = finish_xor,
	.close = free,
};
