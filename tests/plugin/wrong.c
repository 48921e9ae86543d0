/*
 * Plug-ins that gate must refuse, one at a time: compiled with -DCASE=N by the
 * test, which says what each must be told.
 */
#include <gate/parser.h>

#include <stddef.h>

#if CASE != 5

static void *nothing(const struct gate_sink *sink)
{
	(void)sink;
	return NULL;
}

static int no_line(void *state, const struct gate_line *line)
{
	(void)state;
	(void)line;
	return 0;
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

static const struct gate_parser wrong = {
	.abi = GATE_PARSER_ABI + (CASE == 1),
	.size = CASE == 2 ? 16 : sizeof(struct gate_parser),
	.name = CASE == 3 ? "No Name!" : "wrong",
	.description = "refused",
	.open = nothing,
	.line = CASE == 4 ? NULL : no_line,
	.finish = no_finish,
	.close = no_close,
};

const struct gate_parser *const gate_parser_plugin[] = {
	CASE == 6 ? NULL : &wrong, NULL};

#endif
