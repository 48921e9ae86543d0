/*
 * A parser plug-in as a shared object: what dd (GNU coreutils) says at its end.
 *
 *   104857600 bytes (105 MB, 100 MiB) copied, 0.0357 s, 2.9 GB/s
 *
 * The rate that it prints is rounded to two digits, so bytes and seconds are
 * what counts here.
 */
#include <gate/parser.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dd {
	const struct gate_sink *sink;
};

static void *dd_open(const struct gate_sink *sink)
{
	struct dd *d = calloc(1, sizeof *d);

	if (d)
		d->sink = sink;
	return d;
}

/* One step of the last digit of a number like "0.0357". */
static double last_digit(const char *number)
{
	const char *point = strchr(number, '.');
	double step = 1;

	while (point && *++point)
		step /= 10;
	return step;
}

static int dd_line(void *state, const struct gate_line *line)
{
	struct dd *d = state;
	struct gate_sample sample = {
		.size = sizeof sample,
		.bench = "dd",
		.unit = GATE_UNIT_B_PER_S,
		.better = GATE_HIGHER,
		.line = line->number,
		.iter = -1,
	};
	char row[64], seconds[32];
	unsigned long long bytes;
	int end = 0, rc;
	double s;

	if (!strstr(line->text, " copied, "))
		return 0; /* not ours */
	/* "%n" is reached only when the line goes on to its unit. */
	sscanf(line->text, "%llu bytes (%*[^)]) copied, %31[0-9.] s, %n",
	       &bytes, seconds, &end);
	if (!end)
		sscanf(line->text, "%llu bytes copied, %31[0-9.] s, %n", &bytes,
		       seconds, &end);
	if (!end) {
		/* Ours, but cut or changed: never guess. */
		d->sink->warn(d->sink->ctx, "parse.unparsed", line->number,
			      line->text);
		return 1;
	}
	s = strtod(seconds, NULL);
	if (!(s > 0))
		return 1; /* too short to be measured */
	snprintf(row, sizeof row, "copy/bytes=%llu", bytes);
	sample.row = row;
	sample.value = (double)bytes / s;
	sample.resolution = sample.value / s * last_digit(seconds);
	rc = d->sink->emit(d->sink->ctx, &sample);
	return rc ? rc : 1;
}

static int dd_finish(void *state)
{
	(void)state; /* nothing is left open at the end of a log */
	return 0;
}

static const struct gate_parser dd = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "dd",
	.description = "what dd says at its end",
	.open = dd_open,
	.line = dd_line,
	.finish = dd_finish,
	.close = free,
};

const struct gate_parser *const gate_parser_plugin[] = {&dd, NULL};
