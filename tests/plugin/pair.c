/*
 * Two parsers in one object, who want the same lines: "doubt" understands lines
 * with "ab" only and says so of every other with an a; "sure" takes all with a.
 */
#include <gate/parser.h>

#include <stddef.h>
#include <string.h>

static void *keep_sink(const struct gate_sink *sink)
{
	/* No state of its own; the cast is the test's, to stay short. */
	union {
		const struct gate_sink *in;
		void *out;
	} state = {.in = sink};

	return state.out;
}

static int emit(const struct gate_sink *sink, const char *row, uint64_t line)
{
	struct gate_sample s = {
		.size = sizeof s,
		.bench = "pair",
		.row = row,
		.unit = GATE_UNIT_S,
		.better = GATE_LOWER,
		.value = 1,
		.line = line,
		.iter = -1,
	};
	int rc = sink->emit(sink->ctx, &s);

	return rc ? rc : 1;
}

static int doubt_line(void *state, const struct gate_line *line)
{
	const struct gate_sink *sink = state;

	if (strstr(line->text, "ab"))
		return emit(sink, "doubt", line->number);
	if (!strchr(line->text, 'a') && !strchr(line->text, 'z'))
		return 0;
	sink->warn(sink->ctx, "parse.unparsed", line->number, line->text);
	return 1;
}

static int sure_line(void *state, const struct gate_line *line)
{
	if (!strchr(line->text, 'a'))
		return 0;
	return emit(state, "sure", line->number);
}

static int no_finish(void *state)
{
	(void)state;
	return 0;
}

static void no_close(void *state)
{
	(void)state;
}

static const struct gate_parser doubt = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "doubt",
	.description = "understands ab",
	.open = keep_sink,
	.line = doubt_line,
	.finish = no_finish,
	.close = no_close,
};

static const struct gate_parser sure = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "sure",
	.description = "understands a",
	.open = keep_sink,
	.line = sure_line,
	.finish = no_finish,
	.close = no_close,
};

const struct gate_parser *const gate_parser_plugin[] = {&doubt, &sure, NULL};
