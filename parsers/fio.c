/*
 * fio --output-format=json (stat.c, 3.x): a job has read, write and trim,
 * each with zeros when it did not run.
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <string.h>

#include "parsers/document.h"

enum { ROW_ROOM = 512 };

static const char *const directions[] = {"read", "write", "trim"};

static int emit(const struct gate_sink *sink, struct gate_sample s,
		const char *job, const char *direction, const char *metric)
{
	char row[ROW_ROOM];

	snprintf(row, sizeof row, "%s/%s/%s", job, direction, metric);
	s.row = row;
	return sink->emit(sink->ctx, &s);
}

/* "bw" is in KiB, whole; "bw_bytes" came with 3.0. */
static bool bandwidth(const cJSON *o, struct gate_sample *s)
{
	s->resolution = 1;
	if (gate_document_number(o, "bw_bytes", &s->value))
		return true;
	s->resolution = 1024;
	if (!gate_document_number(o, "bw", &s->value))
		return false;
	s->value *= 1024;
	return true;
}

/* "lat_ns" since 3.0, "lat" in microseconds before. */
static bool latency(const cJSON *o, struct gate_sample *s)
{
	s->resolution = 0;
	if (gate_document_number(cJSON_GetObjectItem(o, "lat_ns"), "mean",
				 &s->value))
		return true;
	if (!gate_document_number(cJSON_GetObjectItem(o, "lat"), "mean",
				  &s->value))
		return false;
	s->value *= 1000;
	return true;
}

static int direction(const struct gate_sink *sink, const cJSON *o,
		     struct gate_sample s, const char *job, const char *name)
{
	double ios = 0;
	int rc = 0;

	if (!gate_document_number(o, "total_ios", &ios) || ios <= 0)
		return 0;
	s.unit = GATE_UNIT_B_PER_S;
	s.better = GATE_HIGHER;
	if (bandwidth(o, &s))
		rc = emit(sink, s, job, name, "bw");
	s.resolution = 0;
	s.unit = GATE_UNIT_OP_PER_S;
	if (!rc && gate_document_number(o, "iops", &s.value))
		rc = emit(sink, s, job, name, "iops");
	s.unit = GATE_UNIT_NS_PER_OP;
	s.better = GATE_LOWER;
	if (!rc && latency(o, &s))
		rc = emit(sink, s, job, name, "lat");
	return rc;
}

static int job(const struct gate_sink *sink, const cJSON *o, uint64_t line)
{
	struct gate_sample s = {
		.size = sizeof s, .bench = "fio", .line = line, .iter = -1};
	const char *name = gate_document_text(o, "jobname");
	double error = 0;
	size_t i;
	int rc = 0;

	if (!name)
		return 0;
	if (gate_document_number(o, "error", &error) && error != 0) {
		s.row = name;
		s.status = GATE_SAMPLE_FAILED;
		s.message = "fio reported an error";
		return sink->emit(sink->ctx, &s);
	}
	for (i = 0; i < sizeof directions / sizeof directions[0] && !rc; i++)
		rc = direction(sink, cJSON_GetObjectItem(o, directions[i]), s,
			       name, directions[i]);
	return rc;
}

static int document(const struct gate_sink *sink, struct gate_document *d)
{
	const cJSON *jobs, *o;
	int rc = 0;

	jobs = cJSON_GetObjectItemCaseSensitive(d->root, "jobs");
	cJSON_ArrayForEach(o, jobs) if (!rc) rc =
		job(sink, o, gate_document_line_of(d, "jobname"));
	return rc;
}

static void *open_fio(const struct gate_sink *sink)
{
	return gate_document_open(sink, "fio version", document);
}

const struct gate_parser gate_parser_fio = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "fio",
	.description = "fio, JSON",
	.open = open_fio,
	.line = gate_document_line,
	.finish = gate_document_finish,
	.close = gate_document_close,
};
