/* gate selftest: base against base, to learn what this machine can see. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/cmd_run.h"
#include "gate/plan.h"
#include "gate/util/mem.h"
#include "gate/util/text.h"

static const struct gate_cli_option options[] = {
	{"--repo", GATE_CLI_VALUE, "DIR", "the repository; default: here"},
	{"--commit", GATE_CLI_VALUE, "REV",
	 "what to measure against itself; default: HEAD"},
	{"--config", GATE_CLI_VALUE, "FILE",
	 "default: gate.json of the commit"},
	{"--job", GATE_CLI_VALUE, "NAME", "only this job; may be repeated"},
	{"--rounds", GATE_CLI_VALUE, "N", "rounds a side; default: 10"},
	{"--budget", GATE_CLI_VALUE, "DURATION",
	 "begin no round after this time, like 30m"},
	{"--run-dir", GATE_CLI_VALUE, "DIR",
	 "where logs and results go; what is there of the same test goes on"},
	{"--report", GATE_CLI_VALUE, "FORMAT[=FILE]",
	 "a report of base against base too; may be repeated"},
	{"--trust-repo", GATE_CLI_FLAG, NULL,
	 "open a repository that somebody else owns"},
	{NULL, GATE_CLI_FLAG, NULL, NULL},
};

enum { ROUNDS = 10, SHOWN = 20, WIDTH = 80 };

/* A sentence of a list, in lines of 80 columns. */
static void print_wrapped(const char *text)
{
	size_t at = 1, len;

	putchar('-');
	for (; *text; text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (at + 1 + len > WIDTH) {
			fputs("\n ", stdout);
			at = 1;
		}
		printf(" %.*s", (int)len, text);
		at += 1 + len;
		text += len;
	}
	putchar('\n');
}

static int noisier(const void *a, const void *b)
{
	const struct gate_row *const *x = a;
	const struct gate_row *const *y = b;

	if ((*x)->mde < (*y)->mde || (*x)->mde > (*y)->mde)
		return (*x)->mde < (*y)->mde ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

static void print_needed(const struct gate_row *row)
{
	unsigned n = gate_plan_rounds(row);

	if (n)
		printf("%8u", n);
	else
		printf("%8s", "never");
}

/* The noisiest rows by wall clock first. */
static void print_rows(const struct gate_result *r, bool all)
{
	const struct gate_row **rows = gate_calloc(r->n_rows, sizeof *rows);
	struct gate_str name = {0};
	size_t n = 0, i;

	for (i = 0; i < r->n_rows; i++)
		if (isfinite(r->rows[i].mde))
			rows[n++] = &r->rows[i];
	if (n) {
		qsort(rows, n, sizeof *rows, noisier);
		printf("\n%9s  %8s  row (%zu by wall clock%s)\n", "detects",
		       "rounds", n,
		       n > SHOWN && !all ? ", the noisiest; -v: all" : "");
	}
	for (i = 0; i < n && (all || i < SHOWN); i++) {
		printf("%+7.2f %%  ", 100 * rows[i]->mde);
		print_needed(rows[i]);
		gate_text_plain(&name, rows[i]->bench, strlen(rows[i]->bench));
		gate_str_putc(&name, '/');
		gate_text_plain(&name, rows[i]->row, strlen(rows[i]->row));
		printf("  %s\n", gate_str_text(&name));
		gate_str_done(&name);
	}
	free(rows);
}

static void print_selftest(const struct gate_cli *cli,
			   const struct gate_result *r)
{
	const struct gate_selftest *s = &r->selftest;
	size_t i;

	if (!s->present)
		return;
	printf("selftest: %u of %u random splits of equal sides would have "
	       "blocked\n(%.1f %%; with 95 %% confidence at most %.1f %%)\n",
	       s->blocked, s->splits, 100.0 * s->blocked / s->splits,
	       100 * s->at_most);
	print_rows(r, cli->verbose);
	putchar('\n');
	for (i = 0; i < s->n_advice; i++)
		print_wrapped(s->advice[i]);
}

static int run(const struct gate_cli *cli, struct gate_error *err)
{
	struct gate_run_opts o;
	int rc;

	rc = gate_run_options(cli, &o, err);
	if (rc)
		return rc;
	o.base = o.candidate = gate_cli_value(cli, "--commit", "HEAD");
	if (!o.rounds)
		o.rounds = ROUNDS;
	o.selftest = true;
	return gate_run_command(cli, &o, print_selftest, err);
}

const struct gate_cli_command gate_cmd_selftest = {
	.name = "selftest",
	.summary = "base against base: what this machine can see",
	.usage = "  gate selftest [--config FILE] [--repo DIR] [options]",
	.options = options,
	.max_words = 0,
	.run = run,
};
