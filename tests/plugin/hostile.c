/*
 * A plug-in that emits what no parser may: gate keeps none of it but the last,
 * which was built against an older and shorter struct gate_sample.
 */
#include <gate/parser.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hostile {
	const struct gate_sink *sink;
	char *long_name;
};

static void *hostile_open(const struct gate_sink *sink)
{
	struct hostile *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->sink = sink;
	h->long_name = calloc(1, 100001);
	if (h->long_name)
		memset(h->long_name, 'x', 100000);
	return h;
}

static int emit(const struct hostile *h, struct gate_sample s)
{
	return h->sink->emit(h->sink->ctx, &s);
}

static int hostile_line(void *state, const struct gate_line *line)
{
	const struct hostile *h = state;
	struct gate_sample good = {
		.size = sizeof good,
		.bench = "hostile",
		.row = "row",
		.unit = GATE_UNIT_S,
		.better = GATE_LOWER,
		.value = 1,
		.line = line->number,
		.iter = -1,
	};
	struct gate_sample s;
	int rc = 0;

	if (strcmp(line->text, "go") != 0)
		return 0;
	s = good;
	s.value = (double)NAN;
	rc |= emit(h, s);
	s.value = (double)INFINITY;
	rc |= emit(h, s);
	s.value = -1;
	rc |= emit(h, s);
	s = good;
	s.resolution = -1;
	rc |= emit(h, s);
	s = good;
	s.unit = (enum gate_unit)12345;
	rc |= emit(h, s);
	s = good;
	s.status = (enum gate_sample_status) - 1;
	rc |= emit(h, s);
	s = good;
	s.bench = NULL;
	rc |= emit(h, s);
	s = good;
	s.row = h->long_name;
	rc |= emit(h, s);
	s = good;
	s.size = offsetof(struct gate_sample, line);
	s.driver = "bell\a\nescape\033[31m";
	rc |= emit(h, s);
	return rc ? rc : 1;
}

static int hostile_finish(void *state)
{
	(void)state;
	return 0;
}

static void hostile_close(void *state)
{
	struct hostile *h = state;

	if (h)
		free(h->long_name);
	free(h);
}

static const struct gate_parser hostile = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "hostile",
	.description = "what no parser may emit",
	.open = hostile_open,
	.line = hostile_line,
	.finish = hostile_finish,
	.close = hostile_close,
};

const struct gate_parser *const gate_parser_plugin[] = {&hostile, NULL};
