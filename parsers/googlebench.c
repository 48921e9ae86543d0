/*
 * Google Benchmark with --benchmark_format=json (src/json_reporter.cc, 1.5 to
 * 1.9): one entry a repetition, and aggregates behind them.
 */
#include "parsers/builtin.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parsers/document.h"

enum { ROW_ROOM = 512 };

static const struct {
	const char *key;
	enum gate_unit unit;
	enum gate_better better;
	bool timed; /* in the entry's time_unit */
} metrics[] = {
	{"real_time", GATE_UNIT_NS_PER_OP, GATE_LOWER, true},
	{"cpu_time", GATE_UNIT_NS_PER_OP, GATE_LOWER, true},
	{"bytes_per_second", GATE_UNIT_B_PER_S, GATE_HIGHER, false},
	{"items_per_second", GATE_UNIT_OP_PER_S, GATE_HIGHER, false},
};

static double nanoseconds(const cJSON *entry)
{
	const char *unit = gate_document_text(entry, "time_unit");

	if (!unit || !strcmp(unit, "ns"))
		return 1;
	if (!strcmp(unit, "us"))
		return 1e3;
	if (!strcmp(unit, "ms"))
		return 1e6;
	return !strcmp(unit, "s") ? 1e9 : 0;
}

static int broken(const struct gate_sink *sink, const cJSON *entry,
		  struct gate_sample s, const char *name)
{
	const char *why = gate_document_text(entry, "error_message");

	if (!why)
		why = gate_document_text(entry, "skip_message");
	s.row = name;
	s.message = why ? why : "the benchmark reported an error";
	return sink->emit(sink->ctx, &s);
}

static int values(const struct gate_sink *sink, const cJSON *entry,
		  struct gate_sample s, const char *name)
{
	char row[ROW_ROOM];
	double factor;
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof metrics / sizeof metrics[0] && !rc; i++) {
		if (!gate_document_number(entry, metrics[i].key, &s.value))
			continue;
		factor = metrics[i].timed ? nanoseconds(entry) : 1;
		if (factor <= 0)
			continue;
		snprintf(row, sizeof row, "%s/%s", name, metrics[i].key);
		s.row = row;
		s.unit = metrics[i].unit;
		s.better = metrics[i].better;
		s.value *= factor;
		rc = sink->emit(sink->ctx, &s);
	}
	return rc;
}

static bool is_aggregate(const cJSON *entry)
{
	const char *type = gate_document_text(entry, "run_type");

	return type && !strcmp(type, "aggregate");
}

/* With --benchmark_report_aggregates_only the median is all there is. */
static bool wanted(const cJSON *entry, bool aggregates)
{
	const char *what;

	if (is_aggregate(entry) != aggregates)
		return false;
	if (!aggregates)
		return true;
	what = gate_document_text(entry, "aggregate_name");
	return what && !strcmp(what, "median");
}

static int entry(const struct gate_sink *sink, const cJSON *e, uint64_t line,
		 bool aggregates)
{
	struct gate_sample s = {.size = sizeof s,
				.bench = "googlebench",
				.line = line,
				.iter = -1};
	const char *name = gate_document_text(e, "run_name");
	double repetition;

	if (!name)
		name = gate_document_text(e, "name");
	if (!name || !wanted(e, aggregates))
		return 0;
	if (gate_document_number(e, "repetition_index", &repetition) &&
	    repetition >= 0 && repetition < INT32_MAX)
		s.iter = (int32_t)repetition;
	if (cJSON_IsTrue(cJSON_GetObjectItem(e, "error_occurred")))
		s.status = GATE_SAMPLE_FAILED;
	else if (cJSON_IsTrue(cJSON_GetObjectItem(e, "skipped")))
		s.status = GATE_SAMPLE_SKIPPED;
	if (s.status != GATE_SAMPLE_OK)
		return broken(sink, e, s, name);
	return values(sink, e, s, name);
}

static int document(const struct gate_sink *sink, struct gate_document *d)
{
	const cJSON *list, *e;
	bool aggregates = true;
	uint64_t line;
	int rc = 0;

	list = cJSON_GetObjectItemCaseSensitive(d->root, "benchmarks");
	cJSON_ArrayForEach(e, list) aggregates &= is_aggregate(e);
	gate_document_line_of(d, "benchmarks");
	cJSON_ArrayForEach(e, list)
	{
		line = gate_document_line_of(d, "name");
		if (!rc)
			rc = entry(sink, e, line, aggregates);
	}
	return rc;
}

static void *open_googlebench(const struct gate_sink *sink)
{
	return gate_document_open(sink, "context", document);
}

const struct gate_parser gate_parser_googlebench = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "googlebench",
	.description = "Google Benchmark, JSON",
	.open = open_googlebench,
	.line = gate_document_line,
	.finish = gate_document_finish,
	.close = gate_document_close,
};
