/*
 * The report for a pull request or merge request: the verdict and the worst
 * rows in the first ten lines, everything else folded. What comes from the
 * tree under test is escaped by gate/util/text.h; the rest is our own.
 */
#include "reporters/reporter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/text.h"
#include "reporters/format.h"

enum {
	OPEN_ROWS = 20, /* shown without unfolding */
	OPEN_GROUP = 2, /* of these from one group, when there are more */
	REASONS = 20,
	SHORT_ID = 12
};

static const char nbsp[] = "\xc2\xa0";

static const char *sign(enum gate_verdict v)
{
	switch (v) {
	case GATE_V_REGRESSION:
	case GATE_V_FAILED:
	case GATE_V_MISSING:
		return "❌";
	case GATE_V_INCOMPARABLE:
		return "🚫";
	case GATE_V_INCONCLUSIVE:
	case GATE_V_INSUFFICIENT:
	case GATE_V_UNRESOLVABLE:
		return "❔";
	case GATE_V_NEW:
		return "🆕";
	case GATE_V_PASS:
	case GATE_V_PARKED:
	case GATE_V_IMPROVEMENT:
	default:
		return "✅";
	}
}

static const char *outcome_sign(const struct gate_result *r)
{
	switch (r->exit_code) {
	case 0:
		return "✅";
	case 1:
		return "❌";
	case 3:
		return "❔";
	default:
		return "🚫";
	}
}

/* A number and its unit stay on one line. */
static void unbroken(struct gate_str *out, const struct gate_str *text)
{
	const char *p;

	for (p = gate_str_text(text); *p; p++)
		if (*p == ' ')
			gate_str_puts(out, nbsp);
		else
			gate_str_putc(out, *p);
}

/* The result's sentence in its parts, the first of them in the heading. */
static void headline(const struct gate_result *r, struct gate_str *out)
{
	const char *outcome = gate_format_outcome(r);
	struct gate_str reason = {0}, text = {0};
	const char *p;
	char *end;

	gate_format_reason(r, &reason);
	for (p = gate_str_text(&reason); *p; p++)
		gate_str_puts(&text, *p == ' ' && p[1] == '%'
					     ? nbsp
					     : (char[]){*p, '\0'});
	gate_str_done(&reason);
	end = text.data ? strstr(text.data, "; ") : NULL;
	if (end)
		*end = '\0';
	gate_str_addf(out, "### %s %c%s: ", outcome_sign(r),
		      outcome[0] - 'a' + 'A', outcome + 1);
	gate_text_markdown(out, gate_str_text(&text));
	gate_str_puts(out, "\n\n");
	if (end) {
		gate_str_puts(out, "Also ");
		gate_text_markdown(out, end + 2);
		gate_str_puts(out, ". ");
	}
	gate_str_done(&text);
}

static void side(const char *word, const struct gate_commit *c,
		 struct gate_str *out)
{
	struct gate_str id = {0};

	gate_str_puts(out, word);
	if (c->rev) {
		gate_str_putc(out, ' ');
		gate_text_markdown_code(out, c->rev);
	}
	if (c->commit && (!c->rev || strcmp(c->rev, c->commit) != 0)) {
		gate_str_addf(&id, "%.*s", SHORT_ID, c->commit);
		gate_str_putc(out, ' ');
		gate_text_markdown_code(out, gate_str_text(&id));
		gate_str_done(&id);
	}
	if (!c->rev && !c->commit && c->how) {
		gate_str_putc(out, ' ');
		gate_text_markdown_code(out, c->how);
	}
}

/* Who, and what the numbers are, on one line right above them. */
static void summary(const struct gate_result *r, struct gate_str *out)
{
	bool insn = gate_format_has_clock(r, GATE_CLOCK_INSTRUCTIONS);
	bool wall = gate_format_has_clock(r, GATE_CLOCK_WALL);

	side("Base", &r->base, out);
	side(" → candidate", &r->candidate, out);
	gate_str_addf(out, ", exit code %d. ", r->exit_code);
	if (insn && wall)
		gate_str_puts(out, "Rows in `insn` count **instructions, not "
				   "time**; the others are wall clock. ");
	else if (insn)
		gate_str_puts(out, "The numbers are **instructions, not "
				   "time**. ");
	else
		gate_str_puts(out, "The numbers are wall clock. ");
	gate_str_puts(out, "A slowdown is positive when the candidate is "
			   "slower.\n");
}

static void number_cell(struct gate_str *out, struct gate_str *text)
{
	gate_str_putc(out, ' ');
	unbroken(out, text);
	gate_str_puts(out, " |");
	gate_str_done(text);
}

static void code_cell(struct gate_str *out, struct gate_str *text)
{
	if (text->len) {
		gate_str_putc(out, ' ');
		gate_text_markdown_code(out, gate_str_text(text));
	}
	gate_str_puts(out, " |");
	gate_str_done(text);
}

/* "(sign) +2.81 % slower": what a narrow screen shows of a row beside its
 * name, in a word too and not only in colour. */
static void verdict_cell(struct gate_str *out, enum gate_verdict v,
			 double slowdown)
{
	bool strong = v == GATE_V_REGRESSION;
	struct gate_str text = {0};

	gate_str_addf(out, "| %s%s", sign(v), nbsp);
	if (!isnan(slowdown)) {
		gate_format_percent(slowdown, &text);
		gate_str_puts(out, strong ? "**" : "");
		unbroken(out, &text);
		gate_str_puts(out, strong ? "**" : "");
		gate_str_puts(out, nbsp);
		gate_str_done(&text);
	}
	gate_str_puts(out, v == GATE_V_REGRESSION    ? "slower"
			   : v == GATE_V_IMPROVEMENT ? "faster"
						     : gate_verdict_name(v));
	gate_str_puts(out, " |");
}

/* "34396 -> 35362 insn/op" */
static void values(const struct gate_row *row, struct gate_str *out)
{
	double base = gate_format_center(row, &row->base);
	double candidate = gate_format_center(row, &row->candidate);

	if (!isnan(base) && !isnan(candidate)) {
		gate_format_value(base, row->unit, out);
		gate_str_puts(out, " → ");
		gate_format_quantity(candidate, row->unit, out);
	} else if (!isnan(base) || !isnan(candidate)) {
		gate_format_quantity(isnan(base) ? candidate : base, row->unit,
				     out);
	}
}

/* From which driver a row came stands once, where changes are listed: two
 * long names in a narrow column make a tall row. */
static void driver_text(const struct gate_row *row, struct gate_str *out)
{
	if (row->driver_changed && row->candidate.driver)
		gate_str_addf(out, "%s (changed)", row->candidate.driver);
	else
		gate_format_driver(row, out);
}

static void row_line(const struct gate_row *row, bool driver,
		     struct gate_str *out)
{
	struct gate_str text = {0};

	verdict_cell(out, row->verdict, row->slowdown);
	gate_format_name(row, &text);
	code_cell(out, &text);
	values(row, &text);
	number_cell(out, &text);
	gate_format_certainty(row, &text);
	number_cell(out, &text);
	if (driver) {
		driver_text(row, &text);
		code_cell(out, &text);
	}
	gate_str_putc(out, '\n');
}

static bool all_of(const struct gate_row *const *rows, size_t n,
		   enum gate_clock clock)
{
	size_t i = 0;

	while (i < n && rows[i]->clock == clock)
		i++;
	return i == n;
}

/* Do all rows name the same driver, or none? *text is what they name. */
static bool one_driver(const struct gate_row *const *rows, size_t n,
		       struct gate_str *text)
{
	struct gate_str other = {0};
	bool same = true;
	size_t i;

	driver_text(rows[0], text);
	for (i = 1; i < n && same; i++) {
		driver_text(rows[i], &other);
		same = !strcmp(gate_str_text(&other), gate_str_text(text));
		gate_str_done(&other);
	}
	return same;
}

static void rows_table(const struct gate_row *const *rows, size_t n,
		       struct gate_str *out)
{
	struct gate_str driver = {0};
	bool column = !one_driver(rows, n, &driver);
	size_t i;

	if (!column && driver.len) {
		gate_str_puts(out, "\nDriver ");
		gate_text_markdown_code(out, gate_str_text(&driver));
		gate_str_puts(out, ":\n");
	}
	gate_str_addf(out, "\n| slowdown | row | base → candidate | %s |%s\n",
		      all_of(rows, n, GATE_CLOCK_WALL) ? "95 % interval"
						       : "certainty",
		      column ? " driver |" : "");
	gate_str_addf(out, "|:--|:--|--:|--:|%s\n", column ? ":--|" : "");
	for (i = 0; i < n; i++)
		row_line(rows[i], column, out);
	gate_str_done(&driver);
}

static void fold(struct gate_str *out, const char *summary_text)
{
	gate_str_addf(out, "\n<details><summary>%s</summary>\n", summary_text);
}

static void unfold(struct gate_str *out)
{
	gate_str_puts(out, "\n</details>\n");
}

static bool wants_attention(const struct gate_result *r, enum gate_verdict v)
{
	switch (v) {
	case GATE_V_FAILED:
	case GATE_V_MISSING:
	case GATE_V_REGRESSION:
	case GATE_V_INCOMPARABLE:
		return true;
	case GATE_V_INCONCLUSIVE:
	case GATE_V_INSUFFICIENT:
		return r->exit_code == 3;
	case GATE_V_UNRESOLVABLE:
	case GATE_V_IMPROVEMENT:
	case GATE_V_NEW:
	case GATE_V_PARKED:
	case GATE_V_PASS:
	default:
		return false;
	}
}

static bool same_reason(const struct gate_row *a, const struct gate_row *b)
{
	return a->verdict == b->verdict && a->reason && b->reason &&
	       !strcmp(a->reason, b->reason);
}

static void reason(const struct gate_row *row, size_t n, struct gate_str *out)
{
	struct gate_str name = {0};

	gate_str_puts(out, "\n- ");
	gate_format_name(row, &name);
	if (n == 1)
		gate_text_markdown_code(out, gate_str_text(&name));
	else
		gate_str_addf(out, "%zu rows %s", n,
			      gate_verdict_name(row->verdict));
	gate_str_puts(out, ": ");
	gate_text_markdown(out, row->reason);
	gate_str_done(&name);
}

/* Why, where the numbers do not say it; once for neighbours that share it. */
static void reasons(const struct gate_row *const *rows, size_t n,
		    struct gate_str *out)
{
	size_t i, k, lines = 0, left = 0;

	for (i = 0; i < n; i += k) {
		for (k = 1; i + k < n && same_reason(rows[i], rows[i + k]); k++)
			continue;
		if (rows[i]->verdict == GATE_V_REGRESSION || !rows[i]->reason ||
		    !*rows[i]->reason)
			continue;
		if (lines < REASONS) {
			reason(rows[i], k, out);
			lines++;
		} else {
			left += k;
		}
	}
	if (left)
		gate_str_addf(out, "\n- and %zu more", left);
	if (lines)
		gate_str_putc(out, '\n');
}

static bool same_group(const struct gate_row *a, const struct gate_row *b)
{
	return a->verdict == b->verdict && !strcmp(a->group, b->group) &&
	       !strcmp(a->job, b->job);
}

/*
 * Which of `n` rows stand open: the first ones, but few of one group, so that
 * one algorithm that is gone does not hide all that got slower. Returns their
 * number; both parts keep their order in `to`.
 */
static size_t choose_open(const struct gate_row *const *rows, size_t n,
			  const struct gate_row **to)
{
	const struct gate_row *picked[OPEN_ROWS];
	bool *open = gate_calloc(n, sizeof *open);
	size_t most = n < OPEN_ROWS ? n : OPEN_ROWS, chosen = 0, i, k, same;

	for (i = 0; i < n && chosen < most; i++) {
		for (k = 0, same = 0; k < chosen; k++)
			same += same_group(picked[k], rows[i]);
		if (n > most && same >= OPEN_GROUP)
			continue;
		picked[chosen++] = rows[i];
		open[i] = true;
	}
	for (i = 0; i < n && chosen < most; i++)
		if (!open[i]) {
			open[i] = true;
			chosen++;
		}
	for (i = 0, k = 0; i < n; i++)
		if (open[i])
			to[k++] = rows[i];
	for (i = 0; i < n; i++)
		if (!open[i])
			to[k++] = rows[i];
	free(open);
	return most;
}

/* Returns how many rows the report is done with. */
static size_t attention(const struct gate_result *r,
			const struct gate_row *const *rows,
			struct gate_str *out)
{
	const struct gate_row **mine;
	struct gate_str text = {0};
	size_t n = 0, open;

	while (n < r->n_rows && wants_attention(r, rows[n]->verdict))
		n++;
	if (!n)
		return 0;
	mine = gate_calloc(n, sizeof *mine);
	open = choose_open(rows, n, mine);
	rows_table(mine, open, out);
	reasons(mine, open, out);
	if (n > open) {
		gate_str_addf(&text, "%zu more of these", n - open);
		fold(out, gate_str_text(&text));
		rows_table(mine + open, n - open, out);
		unfold(out);
		gate_str_done(&text);
	}
	free(mine);
	return n;
}

static void mean_line(const char *name, size_t n, size_t of, double slowdown,
		      const double *ci, enum gate_verdict v,
		      struct gate_str *out)
{
	struct gate_str text = {0};

	verdict_cell(out, v, slowdown);
	gate_str_puts(&text, name);
	code_cell(out, &text);
	gate_str_addf(&text, "%zu of %zu", n, of);
	number_cell(out, &text);
	gate_format_interval(ci, &text);
	number_cell(out, &text);
	gate_str_putc(out, '\n');
}

static void means_table(const struct gate_group *const *groups, size_t n,
			const struct gate_suite *suite, struct gate_str *out)
{
	const struct gate_group *g;
	size_t i;

	gate_str_puts(out, "\n| slowdown | geometric mean of | rows | 95 % "
			   "interval |\n|:--|:--|--:|--:|\n");
	for (i = 0; i < n; i++) {
		g = groups[i];
		mean_line(g->group, g->rows, g->of, g->slowdown, g->ci,
			  g->verdict, out);
	}
	if (suite)
		mean_line("suite", suite->groups, suite->groups,
			  suite->slowdown, suite->ci, suite->verdict, out);
}

/* Groups and suite: what blocks is open, the rest is folded. */
static void means(const struct gate_result *r, struct gate_str *out)
{
	const struct gate_group **groups = gate_format_groups(r);
	const struct gate_suite *suite = r->suite.present ? &r->suite : NULL;
	bool suite_open = suite && !gate_format_calm(suite->verdict);
	struct gate_str text = {0};
	size_t open = 0, rest;

	while (open < r->n_groups && !gate_format_calm(groups[open]->verdict))
		open++;
	if (open || suite_open)
		means_table(groups, open, suite_open ? suite : NULL, out);
	rest = r->n_groups - open;
	if (rest || (suite && !suite_open)) {
		gate_str_addf(&text, "%zu group%s%s not slower", rest,
			      rest == 1 ? "" : "s",
			      suite && !suite_open ? " and the suite" : "");
		fold(out, gate_str_text(&text));
		means_table(groups + open, rest, suite_open ? NULL : suite,
			    out);
		unfold(out);
		gate_str_done(&text);
	}
	free(groups);
}

static void folded_rows(const struct gate_row *const *rows, size_t n,
			struct gate_str *out)
{
	enum gate_verdict v = rows[0]->verdict;
	struct gate_str text = {0};

	gate_str_addf(&text, "%s %zu %s: %s%s", sign(v), n,
		      gate_verdict_name(v), gate_format_meaning(v),
		      all_of(rows, n, GATE_CLOCK_INSTRUCTIONS)
			      ? " (instructions, not time)"
			      : "");
	fold(out, gate_str_text(&text));
	rows_table(rows, n, out);
	if (v != GATE_V_PASS && v != GATE_V_IMPROVEMENT)
		reasons(rows, n, out);
	unfold(out);
	gate_str_done(&text);
}

static void drivers(const struct gate_result *r, struct gate_str *out)
{
	struct gate_format_change *changes;
	struct gate_str text = {0};
	size_t n, i, rows = 0;

	changes = gate_format_changes(r, &n);
	for (i = 0; i < n; i++)
		rows += changes[i].rows;
	if (n) {
		gate_str_addf(&text, "%s %zu row%s changed the driver%s",
			      r->policy.driver_change == GATE_FAIL ? "❌" : "🔀",
			      rows, rows == 1 ? "" : "s",
			      r->policy.driver_change == GATE_FAIL
				      ? ", which the policy fails"
				      : "");
		fold(out, gate_str_text(&text));
		gate_str_done(&text);
	}
	for (i = 0; i < n; i++) {
		gate_str_puts(out, "\n- ");
		gate_text_markdown_code(out, changes[i].row->group);
		gate_str_addf(out, ", %zu row%s, ", changes[i].rows,
			      changes[i].rows == 1 ? "" : "s");
		gate_format_spread(changes[i].least, changes[i].most, &text);
		unbroken(out, &text);
		gate_str_done(&text);
		gate_str_puts(out, ": ");
		gate_format_driver(changes[i].row, &text);
		gate_text_markdown_code(out, gate_str_text(&text));
		gate_str_done(&text);
	}
	if (n) {
		gate_str_putc(out, '\n');
		unfold(out);
	}
	free(changes);
}

static void rest(const struct gate_result *r,
		 const struct gate_row *const *rows, size_t from,
		 struct gate_str *out)
{
	size_t n;

	for (; from < r->n_rows; from += n) {
		for (n = 1; from + n < r->n_rows; n++)
			if (rows[from + n]->verdict != rows[from]->verdict)
				break;
		folded_rows(rows + from, n, out);
	}
}

static void diagnostics(const struct gate_result *r, struct gate_str *out)
{
	const struct gate_diag *d;
	struct gate_str text = {0};
	size_t i;

	if (!r->diags.n)
		return;
	gate_str_addf(&text, "⚠️ %zu remark%s", r->diags.n,
		      r->diags.n == 1 ? "" : "s");
	fold(out, gate_str_text(&text));
	gate_str_done(&text);
	for (i = 0; i < r->diags.n; i++) {
		d = &r->diags.items[i];
		gate_str_addf(out, "\n- %s: ", gate_diag_level_name(d->level));
		gate_text_markdown(out, d->message);
	}
	gate_str_putc(out, '\n');
	unfold(out);
}

static void fact(const char *key, const char *value, struct gate_str *out)
{
	gate_str_puts(out, "\n- ");
	gate_text_markdown(out, key);
	gate_str_puts(out, ": ");
	gate_text_markdown(out, value);
}

static void commit(const char *key, const struct gate_commit *c,
		   struct gate_str *out)
{
	gate_str_addf(out, "\n- %s:", key);
	if (c->commit) {
		gate_str_putc(out, ' ');
		gate_text_markdown_code(out, c->commit);
	}
	if (c->how) {
		gate_str_puts(out, c->commit ? ", " : " ");
		gate_text_markdown(out, c->how);
	}
}

static void limits(const struct gate_result *r, enum gate_clock clock,
		   struct gate_str *out)
{
	struct gate_str text = {0};

	if (!gate_format_has_clock(r, clock))
		return;
	gate_str_addf(&text, "%s: ", gate_format_clock(clock));
	gate_format_limits(&r->policy, clock, &text);
	fact("limits", gate_str_text(&text), out);
	gate_str_done(&text);
}

static void how(const struct gate_result *r, struct gate_str *out)
{
	struct gate_str text = {0};
	size_t i;

	fold(out, "How it was measured");
	commit("base", &r->base, out);
	commit("candidate", &r->candidate, out);
	for (i = 0; i < r->n_jobs; i++) {
		gate_str_addf(&text, "job %s", r->jobs[i].name);
		gate_str_puts(out, "\n- ");
		gate_text_markdown(out, gate_str_text(&text));
		gate_str_puts(out, ": ");
		gate_str_done(&text);
		gate_format_job(&r->jobs[i], &text);
		gate_text_markdown(out, gate_str_text(&text));
		gate_str_done(&text);
	}
	if (r->order)
		fact("order of rounds", r->order, out);
	limits(r, GATE_CLOCK_WALL, out);
	limits(r, GATE_CLOCK_INSTRUCTIONS, out);
	for (i = 0; i < r->n_host; i++)
		fact(r->host[i].key, r->host[i].value, out);
	gate_format_counts(r, &text);
	fact("rows", gate_str_text(&text), out);
	gate_str_done(&text);
	gate_str_putc(out, '\n');
	unfold(out);
	if (gate_format_reproduce(r, &text))
		gate_str_addf(out, "\nAgain:\n\n```sh\n%s\n```\n",
			      gate_str_text(&text));
	gate_str_done(&text);
}

static void render(const struct gate_result *r,
		   const struct gate_report_opts *opts, struct gate_str *out)
{
	const struct gate_row **rows = gate_format_sorted(r);
	size_t done;

	(void)opts;
	headline(r, out);
	summary(r, out);
	done = attention(r, rows, out);
	means(r, out);
	drivers(r, out);
	rest(r, rows, done, out);
	diagnostics(r, out);
	how(r, out);
	free(rows);
}

const struct gate_reporter gate_reporter_markdown = {
	.name = "markdown",
	.description = "for pull requests and merge requests",
	.render = render,
};
