/*
 * hyperfine --export-json (src/export/json.rs, 1.x): one result a command,
 * with the seconds of every run.
 */
#include "parsers/builtin.h"

#include <stdint.h>

#include "gate/util/str.h"
#include "parsers/document.h"

/* The command, and the parameters of --parameter-scan behind it. */
static void name(const cJSON *result, struct gate_str *row)
{
	const cJSON *parameters, *p;
	const char *command = gate_document_text(result, "command");

	gate_str_puts(row, command ? command : "");
	parameters = cJSON_GetObjectItemCaseSensitive(result, "parameters");
	cJSON_ArrayForEach(p, parameters) if (cJSON_IsString(p))
		gate_str_addf(row, "/%s=%s", p->string, p->valuestring);
}

static int emit(const struct gate_sink *sink, struct gate_sample *s,
		const cJSON *seconds, const cJSON *exit_code)
{
	s->size = sizeof *s;
	s->bench = "hyperfine";
	s->unit = GATE_UNIT_S;
	s->better = GATE_LOWER;
	s->value = seconds->valuedouble;
	if (exit_code && cJSON_IsNumber(exit_code) &&
	    exit_code->valuedouble != 0) {
		s->status = GATE_SAMPLE_FAILED;
		s->message = "the command failed";
	} else if (cJSON_IsNull(exit_code)) {
		s->status = GATE_SAMPLE_FAILED;
		s->message = "the command was killed";
	}
	return sink->emit(sink->ctx, s);
}

static int result(const struct gate_sink *sink, const cJSON *r, uint64_t line)
{
	const cJSON *times, *mean, *t, *code;
	struct gate_str row = {0};
	int32_t iter = 0;
	int rc = 0;

	name(r, &row);
	times = cJSON_GetObjectItemCaseSensitive(r, "times");
	mean = cJSON_GetObjectItemCaseSensitive(r, "mean");
	code = cJSON_GetObjectItemCaseSensitive(r, "exit_codes");
	code = code ? code->child : NULL;
	cJSON_ArrayForEach(t, times)
	{
		struct gate_sample s = {.row = gate_str_text(&row),
					.line = line,
					.iter = iter++};

		if (cJSON_IsNumber(t) && !rc)
			rc = emit(sink, &s, t, code);
		code = code ? code->next : NULL;
	}
	if (!iter && cJSON_IsNumber(mean)) {
		struct gate_sample s = {
			.row = gate_str_text(&row), .line = line, .iter = -1};

		rc = emit(sink, &s, mean, NULL);
	}
	gate_str_done(&row);
	return rc;
}

static int document(const struct gate_sink *sink, struct gate_document *d)
{
	const cJSON *results, *r;
	int rc = 0;

	results = cJSON_GetObjectItemCaseSensitive(d->root, "results");
	cJSON_ArrayForEach(r, results) if (cJSON_IsObject(r) && !rc) rc =
		result(sink, r, gate_document_line_of(d, "command"));
	return rc;
}

static void *open_hyperfine(const struct gate_sink *sink)
{
	return gate_document_open(sink, "results", document);
}

const struct gate_parser gate_parser_hyperfine = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "hyperfine",
	.description = "hyperfine --export-json",
	.open = open_hyperfine,
	.line = gate_document_line,
	.finish = gate_document_finish,
	.close = gate_document_close,
};
