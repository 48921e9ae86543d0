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
	{"--parser", GATE_CLI_VALUE, "NAME|/PATH.so", "default: auto"},
	{"--clock", GATE_CLI_VALUE, "wall|instructions",
	 "what the values count; default: wall"},
	{"--format", GATE_CLI_VALUE, "jsonl|json|csv|benchfmt",
	 "default: jsonl"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

enum { OUTPUT_PIECE = 1 << 18 };

/* A format: what stands before, for, and behind all samples. */
struct format {
	const char *name;
	const char *head;
	void (*sample)(const struct gate_measured *m, bool first,
		       struct gate_str *out);
	const char *tail;
};

static void print_jsonl(const struct gate_measured *m, bool first,
			struct gate_str *out)
{
	(void)first;
	gate_sample_json(m, false, out);
	gate_str_putc(out, '\n');
}

static void print_json(const struct gate_measured *m, bool first,
		       struct gate_str *out)
{
	if (!first)
		gate_str_puts(out, ",\n ");
	gate_sample_json(m, false, out);
}

static void csv_field(struct gate_str *out, const char *s)
{
	size_t n;

	if (!s)
		return;
	n = strlen(s);
	/* Line ends were replaced when the sample was taken. */
	if (!memchr(s, ',', n) && !memchr(s, '"', n)) {
		gate_str_add(out, s, n);
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

static void csv_number(struct gate_str *out, bool given, double v)
{
	char num[GATE_NUM_MAX];

	gate_str_putc(out, ',');
	if (given)
		gate_str_puts(out, gate_num_print(v, num));
}

static void csv_word(struct gate_str *out, const char *s)
{
	gate_str_putc(out, ',');
	gate_str_puts(out, s);
}

static void print_csv(const struct gate_measured *m, bool first,
		      struct gate_str *out)
{
	const struct gate_sample *s = &m->s;

	(void)first;
	csv_field(out, s->bench);
	gate_str_putc(out, ',');
	csv_field(out, s->row);
	gate_str_putc(out, ',');
	csv_field(out, s->driver);
	csv_word(out, gate_unit_name(s->unit));
	csv_word(out, s->unit ? gate_better_name(s->better) : "");
	csv_number(out, has_value(s), s->value);
	csv_number(out, has_value(s), s->resolution);
	csv_number(out, true, (double)s->line);
	csv_number(out, s->iter >= 0, s->iter);
	csv_word(out, s->warmup ? "true" : "false");
	csv_word(out, gate_sample_status_name(s->status));
	gate_str_putc(out, ',');
	csv_field(out, s->message);
	gate_str_putc(out, '\n');
}

/*
 * Go's benchmark format (golang.org/design/14313-benchmark-format): a name
 * without blanks that begins with Benchmark and a capital, iterations, value,
 * unit.
 */
static void print_benchfmt(const struct gate_measured *m, bool first,
			   struct gate_str *out)
{
	const struct gate_sample *s = &m->s;
	char num[GATE_NUM_MAX];
	const char *c;

	(void)first;
	if (s->status != GATE_SAMPLE_OK || s->warmup)
		return;
	gate_str_puts(out, "Benchmark");
	gate_str_putc(out, s->bench[0] >= 'a' && s->bench[0] <= 'z'
				   ? (char)(s->bench[0] - 'a' + 'A')
				   : s->bench[0]);
	gate_str_puts(out, s->bench + 1);
	gate_str_putc(out, '/');
	for (c = s->row; *c; c++)
		gate_str_putc(out, *c == ' ' || *c == '\t' ? '_' : *c);
	gate_str_puts(out, " 1 ");
	gate_str_puts(out, gate_num_print(s->value, num));
	gate_str_putc(out, ' ');
	gate_str_puts(out, gate_unit_name(s->unit));
	gate_str_putc(out, '\n');
}

static const struct format formats[] = {
	{"jsonl", "", print_jsonl, ""},
	{"json", "[", print_json, "]\n"},
	{"csv",
	 "bench,row,driver,unit,better,value,resolution,line,iter,warmup,"
	 "status,message\n",
	 print_csv, ""},
	{"benchfmt", "", print_benchfmt, ""},
};

/* The output on its way. */
struct printer {
	const struct format *format;
	struct gate_str out;
	bool begun;
};

static void flush(struct printer *p)
{
	fwrite(gate_str_text(&p->out), 1, p->out.len, stdout);
	p->out.len = 0;
}

static void print_sample(void *ctx, const struct gate_measured *m)
{
	struct printer *p = ctx;

	if (!p->begun)
		gate_str_puts(&p->out, p->format->head);
	p->format->sample(m, !p->begun, &p->out);
	p->begun = true;
	if (p->out.len >= OUTPUT_PIECE)
		flush(p);
}

/* `whole`: nothing went wrong. What was cut must not look like a whole. */
static void print_end(struct printer *p, bool whole)
{
	if (whole) {
		if (!p->begun)
			gate_str_puts(&p->out, p->format->head);
		gate_str_puts(&p->out, p->format->tail);
	}
	flush(p);
	gate_str_done(&p->out);
}

static int read_options(const struct gate_cli *cli, struct gate_parse_opts *o,
			size_t *format, struct gate_error *err)
{
	const char *clock = gate_cli_value(cli, "--clock", "wall");
	const char *name = gate_cli_value(cli, "--format", "jsonl");
	const size_t n = sizeof formats / sizeof formats[0];

	o->parser = gate_cli_value(cli, "--parser", "auto");
	if (gate_parser_check(o->parser, err))
		return gate_error_prefix(err, "--parser: ");
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
	struct printer printer = {0};
	struct gate_parse_opts o = {.round = 1,
				    .job = "log",
				    .each = print_sample,
				    .each_ctx = &printer};
	struct gate_parse_stats stats;
	struct gate_diags diags = {0};
	size_t i, format = 0, complete = 0;
	int rc;

	rc = read_options(cli, &o, &format, err);
	printer.format = &formats[format];
	for (i = 0; i < cli->n_words && !rc; i++) {
		rc = gate_parse_file(&o, cli->words[i], set, &diags, &stats,
				     err);
		complete += rc ? 0 : stats.complete;
	}
	print_end(&printer, !rc);
	if (!rc) {
		if (!cli->quiet)
			print_remarks(&diags);
		if (!complete)
			rc = gate_error_set(
				err, GATE_ENODATA, "no complete value in %s%s",
				cli->words[0],
				cli->n_words > 1 ? " and the others" : "");
	}
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
