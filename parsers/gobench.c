/*
 * go test -bench (testing/benchmark.go, Go 1.5 and later), the format of
 * golang.org/design/14313-benchmark-format:
 *   BenchmarkNAME-8    5000000    238.9 ns/op    66.96 MB/s    0 B/op
 * The number behind the last '-' is GOMAXPROCS and part of the name.
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/sample_set.h"
#include "gate/util/mem.h"
#include "parsers/decimal.h"

enum { NAME_ROOM = 384, ROW_ROOM = 512, VALUES_MAX = 16, UNIT_ROOM = 32 };

struct gobench {
	const struct gate_sink *sink;
};

struct value {
	const char *metric;
	enum gate_unit unit;
	enum gate_better better;
	double value;
	double step;
};

static void *open_gobench(const struct gate_sink *sink)
{
	struct gobench *g = gate_alloc(sizeof *g);

	g->sink = sink;
	return g;
}

/* False for the units of people's own metrics, whose direction is unknown. */
static bool known_unit(const struct gate_decimal *d, const char *word,
		       size_t len, struct value *v)
{
	char unit[UNIT_ROOM];

	*v = (struct value){.value = d->value, .step = d->step};
	if (len >= sizeof unit)
		return false;
	memcpy(unit, word, len);
	unit[len] = '\0';
	if (!strcmp(unit, "MB/s")) {
		v->metric = "speed";
		v->unit = GATE_UNIT_B_PER_S;
		v->value = gate_decimal_times(d, 1e6);
		v->step = gate_decimal_step(d, 1e6);
	} else if (!strcmp(unit, "B/op")) {
		v->metric = "bytes";
		v->unit = GATE_UNIT_B;
	} else if (!strcmp(unit, "allocs/op")) {
		v->metric = "allocs";
		v->unit = GATE_UNIT_COUNT;
	} else {
		v->unit = gate_unit_parse(unit);
		v->metric = v->unit == GATE_UNIT_NS_PER_OP
				    ? "time"
				    : gate_unit_name(v->unit);
	}
	v->better = gate_unit_better(v->unit);
	return v->unit != GATE_UNIT_NONE;
}

/* "VALUE UNIT" pairs to the end; false when that is not what is there. */
static bool scan_values(struct gate_scan *s, struct value *values, size_t *n)
{
	struct gate_decimal d;
	const char *word;
	size_t len;

	for (*n = 0;;) {
		gate_scan_blanks(s);
		if (s->p == s->end)
			return true;
		if (!gate_decimal_scan(s, &d))
			return false;
		gate_scan_blanks(s);
		if (!gate_scan_word(s, '\0', &word, &len))
			return false;
		if (*n < VALUES_MAX - 1 &&
		    known_unit(&d, word, len, &values[*n]))
			++*n;
	}
}

static bool scan_name(struct gate_scan *s, char name[NAME_ROOM])
{
	const char *word;
	size_t len;

	if (!gate_scan_word(s, '\0', &word, &len) || len >= NAME_ROOM ||
	    len <= 9 || (word[9] >= 'a' && word[9] <= 'z'))
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	return true;
}

static int emit_values(struct gobench *g, const char *name,
		       const struct value *values, size_t n, uint64_t line)
{
	char row[ROW_ROOM];
	size_t i;
	int rc = 0;

	for (i = 0; i < n && !rc; i++) {
		struct gate_sample s = {
			.size = sizeof s,
			.bench = "gobench",
			.row = row,
			.unit = values[i].unit,
			.better = values[i].better,
			.value = values[i].value,
			.resolution = values[i].step,
			.line = line,
			.iter = -1,
		};

		snprintf(row, sizeof row, n > 1 ? "%s/%s" : "%s", name,
			 values[i].metric);
		rc = g->sink->emit(g->sink->ctx, &s);
	}
	return rc;
}

static int line_result(struct gobench *g, struct gate_scan s,
		       const struct gate_line *line)
{
	struct value values[VALUES_MAX];
	char name[NAME_ROOM];
	uint64_t iterations;
	size_t n;
	int rc;

	if (!scan_name(&s, name) || !gate_scan_u64(&s, &iterations))
		return 0;
	/* The last unit may be what was cut. */
	if (!scan_values(&s, values, &n) || line->cut) {
		if (!line->cut)
			return 0;
		g->sink->warn(g->sink->ctx, "parse.incomplete", line->number,
			      line->text);
		return 1;
	}
	rc = emit_values(g, name, values, n, line->number);
	return rc ? rc : 1;
}

/* "--- FAIL: BenchmarkNAME", with what failed on the lines behind it. */
static int line_event(struct gobench *g, struct gate_scan s,
		      const struct gate_line *line)
{
	struct gate_sample sample = {.size = sizeof sample,
				     .bench = "gobench",
				     .line = line->number,
				     .iter = -1};
	char name[NAME_ROOM];
	int rc;

	if (gate_scan_lit(&s, "--- FAIL: ")) {
		sample.status = GATE_SAMPLE_FAILED;
		sample.message = "the benchmark failed";
	} else if (gate_scan_lit(&s, "--- SKIP: ")) {
		sample.status = GATE_SAMPLE_SKIPPED;
		sample.message = "the benchmark was skipped";
	} else {
		return 0;
	}
	if (gate_scan_left(&s) < 9 || memcmp(s.p, "Benchmark", 9) != 0 ||
	    !scan_name(&s, name))
		return 0;
	sample.row = name;
	rc = g->sink->emit(g->sink->ctx, &sample);
	return rc ? rc : 1;
}

static int line_gobench(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);
	struct gobench *g = state;

	gate_scan_blanks(&s);
	if (gate_scan_left(&s) < 10)
		return 0;
	if (!memcmp(s.p, "Benchmark", 9))
		return line_result(g, s, line);
	return *s.p == '-' ? line_event(g, s, line) : 0;
}

static int finish_gobench(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_gobench = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "gobench",
	.description = "Go benchmarks",
	.open = open_gobench,
	.line = line_gobench,
	.finish = finish_gobench,
	.close = free,
};
