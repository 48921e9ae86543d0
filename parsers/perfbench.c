/*
 * perf bench (tools/perf/bench, 5.x to 6.x):
 *   # Running 'sched/pipe' benchmark:
 *        Total time: 0.016 [sec]
 *         16.652000 usecs/op
 *             60052 ops/sec
 *   # Running 'mem/memcpy' benchmark:
 *   # function 'default' (...)
 *         19.531250 GB/sec              2^30
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/decimal.h"

enum {
	NAME_ROOM = 128,
	ROW_ROOM = 320,
	WINDOW = 64 /* lines from a heading to the last of its values */
};

struct perfbench {
	const struct gate_sink *sink;
	char name[NAME_ROOM];     /* "" outside of any benchmark */
	char function[NAME_ROOM]; /* "" when it has none */
	uint64_t line;            /* of the heading */
};

static const struct {
	const char *text;
	const char *metric; /* NULL: the only one of its benchmark */
	enum gate_unit unit;
	enum gate_better better;
	double factor;
} values[] = {
	{" usecs/op", "latency", GATE_UNIT_NS_PER_OP, GATE_LOWER, 1e3},
	{" ops/sec", "throughput", GATE_UNIT_OP_PER_S, GATE_HIGHER, 1},
	{" bytes/sec", NULL, GATE_UNIT_B_PER_S, GATE_HIGHER, 1},
	{" KB/sec", NULL, GATE_UNIT_B_PER_S, GATE_HIGHER, 0x1p10},
	{" MB/sec", NULL, GATE_UNIT_B_PER_S, GATE_HIGHER, 0x1p20},
	{" GB/sec", NULL, GATE_UNIT_B_PER_S, GATE_HIGHER, 0x1p30},
};

static void *open_perfbench(const struct gate_sink *sink)
{
	struct perfbench *p = gate_alloc(sizeof *p);

	p->sink = sink;
	return p;
}

static bool scan_quoted(struct gate_scan *s, char name[NAME_ROOM])
{
	const char *end;
	size_t n;

	if (!gate_scan_lit(s, "'"))
		return false;
	end = memchr(s->p, '\'', gate_scan_left(s));
	if (!end || end == s->p || end - s->p >= NAME_ROOM)
		return false;
	n = (size_t)(end - s->p);
	memcpy(name, s->p, n);
	name[n] = '\0';
	s->p = end + 1;
	return true;
}

static int line_heading(struct perfbench *p, struct gate_scan s,
			const struct gate_line *line)
{
	char name[NAME_ROOM];

	if (gate_scan_lit(&s, "# Running ") && scan_quoted(&s, name) &&
	    gate_scan_lit(&s, " benchmark:")) {
		memcpy(p->name, name, sizeof name);
		p->function[0] = '\0';
	} else if (p->name[0] && gate_scan_lit(&s, "# function ") &&
		   scan_quoted(&s, name)) {
		memcpy(p->function, name, sizeof name);
	} else {
		return 0;
	}
	p->line = line->number;
	return 1;
}

static int emit(struct perfbench *p, const char *metric, struct gate_sample s,
		uint64_t line)
{
	char row[ROW_ROOM];
	int rc;

	snprintf(row, sizeof row, "%s%s%s%s%s", p->name,
		 p->function[0] ? "/" : "", p->function, metric ? "/" : "",
		 metric ? metric : "");
	s.size = sizeof s;
	s.bench = "perfbench";
	s.row = row;
	s.line = line;
	s.iter = -1;
	rc = p->sink->emit(p->sink->ctx, &s);
	return rc ? rc : 1;
}

static bool at_end(struct gate_scan *s)
{
	gate_scan_blanks(s);
	return s->p == s->end;
}

/* "Averaged 5000 operations/sec (+- 0.1%)": the futex benchmarks. */
static int line_average(struct perfbench *p, struct gate_scan s,
			const struct gate_line *line)
{
	struct gate_decimal d;

	if (!gate_scan_lit(&s, "Averaged ") || !gate_decimal_scan(&s, &d) ||
	    !gate_scan_lit(&s, " operations/sec"))
		return 0;
	return emit(p, "throughput",
		    (struct gate_sample){.unit = GATE_UNIT_OP_PER_S,
					 .better = GATE_HIGHER,
					 .value = d.value,
					 .resolution = d.step},
		    line->number);
}

static int line_value(struct perfbench *p, struct gate_scan s,
		      const struct gate_line *line)
{
	struct gate_scan t;
	struct gate_decimal d;
	size_t i;

	if (gate_scan_lit(&s, "Total time:")) {
		if (!gate_decimal_scan(&s, &d) || !gate_scan_lit(&s, " [sec]"))
			return 0;
		return emit(p, "time",
			    (struct gate_sample){.unit = GATE_UNIT_S,
						 .better = GATE_LOWER,
						 .value = d.value,
						 .resolution = d.step},
			    line->number);
	}
	if (!gate_decimal_scan(&s, &d))
		return line_average(p, s, line);
	for (i = 0; i < sizeof values / sizeof values[0]; i++) {
		t = s;
		if (gate_scan_match(&t, values[i].text,
				    strlen(values[i].text)) &&
		    at_end(&t))
			return emit(p, values[i].metric,
				    (struct gate_sample){
					    .unit = values[i].unit,
					    .better = values[i].better,
					    .value = gate_decimal_times(
						    &d, values[i].factor),
					    .resolution = gate_decimal_step(
						    &d, values[i].factor)},
				    line->number);
	}
	return 0;
}

static int line_perfbench(void *state, const struct gate_line *line)
{
	struct gate_scan s = gate_scan_at(line->text, line->len);
	struct perfbench *p = state;

	gate_scan_blanks(&s);
	if (s.p == s.end)
		return 0;
	if (*s.p == '#')
		return line_heading(p, s, line);
	if (!p->name[0] || line->number - p->line > WINDOW)
		return 0;
	return line_value(p, s, line);
}

static int finish_perfbench(void *state)
{
	(void)state;
	return 0;
}

const struct gate_parser gate_parser_perfbench = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "perfbench",
	.description = "perf bench",
	.open = open_perfbench,
	.line = line_perfbench,
	.finish = finish_perfbench,
	.close = free,
};
