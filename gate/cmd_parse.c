/* gate parse: what a log holds, as data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/cli.h"
#include "gate/parse.h"
#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

static const struct gate_cli_option options[] = {
	{"--parser", GATE_CLI_VALUE, "NAME", "default: auto"},
	{"--clock", GATE_CLI_VALUE, "wall|instructions",
	 "what the values count; default: wall"},
	{"--format", GATE_CLI_VALUE, "jsonl|json|csv|benchfmt",
	 "default: jsonl"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

static void print_jsonl(const struct gate_sample_set *set, struct gate_str *out)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		gate_sample_json(&set->items[i], false, out);
		gate_str_putc(out, '\n');
	}
}

static void print_json(const struct gate_sample_set *set, struct gate_str *out)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		gate_str_puts(out, i ? ",\n " : "[");
		gate_sample_json(&set->items[i], false, out);
	}
	gate_str_puts(out, set->n ? "]\n" : "[]\n");
}

static void csv_field(struct gate_str *out, const char *s)
{
	if (!s)
		return;
	if (!s[strcspn(s, ",\"\r\n")]) {
		gate_str_puts(out, s);
		return;
	}
	gate_str_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			gate_str_putc(out, '"');
		gate_str_putc(out, *s);
	}
	gate_str_putc(out, '"');
}

static bool has_value(const struct gate_sample *s)
{
	return s->status == GATE_SAMPLE_OK || s->status == GATE_SAMPLE_ORPHAN;
}

static void print_csv(const struct gate_sample_set *set, struct gate_str *out)
{
	const struct gate_sample *s;
	char num[GATE_NUM_MAX];
	size_t i;

	gate_str_puts(out, "bench,row,driver,unit,better,value,resolution,"
			   "line,iter,warmup,status,message\n");
	for (i = 0; i < set->n; i++) {
		s = &set->items[i].s;
		csv_field(out, s->bench);
		gate_str_putc(out, ',');
		csv_field(out, s->row);
		gate_str_putc(out, ',');
		csv_field(out, s->driver);
		gate_str_addf(out, ",%s,%s,", gate_unit_name(s->unit),
			      s->unit ? gate_better_name(s->better) : "");
		if (has_value(s))
			gate_str_addf(out, "%s", gate_num_print(s->value, num));
		gate_str_putc(out, ',');
		if (has_value(s))
			gate_str_puts(out, gate_num_print(s->resolution, num));
		gate_str_addf(out, ",%llu,", (unsigned long long)s->line);
		if (s->iter >= 0)
			gate_str_addf(out, "%d", s->iter);
		gate_str_addf(out, ",%s,%s,", s->warmup ? "true" : "false",
			      gate_sample_status_name(s->status));
		csv_field(out, s->message);
		gate_str_putc(out, '\n');
	}
}

/*
 * Go's benchmark format (golang.org/design/14313-benchmark-format): a name
 * without blanks that begins with Benchmark and a capital, iterations, value,
 * unit.
 */
static void print_benchfmt(const struct gate_sample_set *set,
			   struct gate_str *out)
{
	const struct gate_sample *s;
	char num[GATE_NUM_MAX];
	const char *c;
	size_t i;

	for (i = 0; i < set->n; i++) {
		s = &set->items[i].s;
		if (s->status != GATE_SAMPLE_OK || s->warmup)
			continue;
		gate_str_addf(out, "Benchmark%c%s/",
			      s->bench[0] >= 'a' && s->bench[0] <= 'z'
				      ? s->bench[0] - 'a' + 'A'
				      : s->bench[0],
			      s->bench + 1);
		for (c = s->row; *c; c++)
			gate_str_putc(out, *c == ' ' || *c == '\t' ? '_' : *c);
		gate_str_addf(out, " 1 %s %s\n", gate_num_print(s->value, num),
			      gate_unit_name(s->unit));
	}
}

static const struct {
	const char *name;
	void (*print)(const struct gate_sample_set *, struct gate_str *);
} formats[] = {
	{"jsonl", print_jsonl},
	{"json", print_json},
	{"csv", print_csv},
	{"benchfmt", print_benchfmt},
};

static int read_options(const struct gate_cli *cli, struct gate_parse_opts *o,
			size_t *format, struct gate_error *err)
{
	const char *clock = gate_cli_value(cli, "--clock", "wall");
	const char *name = gate_cli_value(cli, "--format", "jsonl");
	const size_t n = sizeof formats / sizeof formats[0];

	o->parser = gate_cli_value(cli, "--parser", "auto");
	if (strcmp(o->parser, "auto") != 0 && !gate_parser_find(o->parser))
		return gate_error_set(err, GATE_EUSAGE,
				      "--parser \"%s\": no such parser; see "
				      "gate list parsers",
				      o->parser);
	if (!gate_clock_parse(clock, &o->clock))
		return gate_error_set(err, GATE_EUSAGE,
				      "--clock is \"%s\", but must be wall or "
				      "instructions",
				      clock);
	for (*format = 0; *format < n; ++*format)
		if (!strcmp(formats[*format].name, name))
			return GATE_OK;
	return gate_error_set(err, GATE_EUSAGE,
			      "--format is \"%s\", but must be jsonl, json, "
			      "csv or benchfmt",
			      name);
}

static void print_remarks(const struct gate_diags *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		fprintf(stderr, "gate: %s: %s\n",
			gate_diag_level_name(d->items[i].level),
			d->items[i].message);
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	struct gate_sample_set *set = gate_sample_set_new();
	struct gate_parse_opts o = {.round = 1, .job = "log"};
	struct gate_parse_stats stats;
	struct gate_diags diags = {0};
	size_t i, format = 0, complete = 0;
	struct gate_str out = {0};
	int rc;

	rc = read_options(cli, &o, &format, err);
	for (i = 0; i < cli->n_words && !rc; i++) {
		o.path = cli->words[i];
		rc = gate_parse_file(&o, o.path, set, &diags, &stats, err);
		complete += rc ? 0 : stats.complete;
	}
	if (!rc) {
		formats[format].print(set, &out);
		fwrite(gate_str_text(&out), 1, out.len, stdout);
		if (!cli->quiet)
			print_remarks(&diags);
		if (!complete)
			rc = gate_error_set(
				err, GATE_ENODATA, "no complete value in %s%s",
				cli->words[0],
				cli->n_words > 1 ? " and the others" : "");
	}
	gate_str_done(&out);
	gate_diags_done(&diags);
	gate_sample_set_free(set);
	return rc;
}

const struct gate_cli_command gate_cmd_parse = {
	.name = "parse",
	.summary = "print what a log holds",
	.usage = "  gate parse [options] FILE...    (- is standard input)",
	.options = options,
	.min_words = 1,
	.max_words = 10000,
	.run = run,
};
