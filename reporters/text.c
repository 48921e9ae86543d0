/*
 * The report for a terminal: the verdict in the first line, then what was
 * measured, then one table a verdict, those that want attention first. Rows
 * stand under their group, so that 80 columns hold names and numbers; passed
 * rows are counted a group, and of a long group the worst rows are listed,
 * unless all are asked for. A report longer than a screen repeats the verdict
 * at its end.
 */
#include "reporters/reporter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/text.h"
#include "reporters/format.h"

enum {
	WIDTH = 80,
	WIDTH_MIN = 60,
	NAME_MIN = 16,
	GAP = 2,
	DIAGS_SHOWN = 20,
	BLOCK_MAX = 8,   /* rows of a block that are listed without ado */
	BLOCK_SHOWN = 5, /* of a longer one, the worst */
	SCREEN = 40,     /* lines beyond which the verdict has scrolled away */
};

enum column { NAME, BASE, CANDIDATE, SLOWDOWN, CERTAINTY, DETECTS, COLUMNS };

struct report {
	const struct gate_result *r;
	const struct gate_report_opts *opts;
	struct gate_str *out;
	size_t width;
};

/* Rows that share a heading: a run of the sorted rows of one verdict. */
struct block {
	size_t first, n;
	double worst;
};

struct section {
	const struct gate_row **rows;
	size_t n;
	struct block *blocks;
	size_t n_blocks, cap_blocks;
	const char *heads[COLUMNS];
	size_t width[COLUMNS];
	bool shown[COLUMNS];
	bool one_reason;
	bool mixed; /* of both clocks */
};

enum paint { RED, GREEN, YELLOW, CYAN, BOLD };

static void paint(const struct report *rep, enum paint p)
{
	static const char *const codes[] = {
		[RED] = "1;31",  [GREEN] = "1;32", [YELLOW] = "1;33",
		[CYAN] = "1;36", [BOLD] = "1",
	};

	if (rep->opts->color)
		gate_str_addf(rep->out, "\033[%sm", codes[p]);
}

static void plain(const struct report *rep)
{
	if (rep->opts->color)
		gate_str_puts(rep->out, "\033[0m");
}

static enum paint verdict_paint(enum gate_verdict v)
{
	switch (v) {
	case GATE_V_REGRESSION:
	case GATE_V_FAILED:
	case GATE_V_MISSING:
	case GATE_V_INCOMPARABLE:
		return RED;
	case GATE_V_INCONCLUSIVE:
	case GATE_V_INSUFFICIENT:
	case GATE_V_UNRESOLVABLE:
		return YELLOW;
	case GATE_V_PASS:
	case GATE_V_PARKED:
	case GATE_V_IMPROVEMENT:
		return GREEN;
	case GATE_V_NEW:
	default:
		return CYAN;
	}
}

static void blanks(struct gate_str *out, size_t n)
{
	while (n--)
		gate_str_putc(out, ' ');
}

static void strip_blanks(struct gate_str *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* Appends `text` made harmless and broken at blanks; it begins at column `at`
 * and goes on at column `indent`. Ends the line. */
static void wrapped(const struct report *rep, size_t at, size_t indent,
		    const char *text)
{
	struct gate_str clean = {0}, word = {0};
	const char *p;
	size_t n, columns;
	bool first = true;

	gate_text_plain(&clean, text, strlen(text));
	for (p = gate_str_text(&clean); *p; p += n) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		if (!n)
			break;
		/* A percent sign stays with its number. */
		if (!strncmp(p + n, " %", 2))
			n += 1 + strcspn(p + n + 1, " ");
		gate_str_add(&word, p, n);
		columns = gate_text_columns(gate_str_text(&word));
		if ((!first || at > indent) &&
		    at + !first + columns > rep->width) {
			strip_blanks(rep->out);
			gate_str_putc(rep->out, '\n');
			blanks(rep->out, indent);
			at = indent;
		} else if (!first) {
			gate_str_putc(rep->out, ' ');
			at++;
		}
		gate_str_puts(rep->out, gate_str_text(&word));
		at += columns;
		first = false;
		gate_str_done(&word);
	}
	gate_str_putc(rep->out, '\n');
	gate_str_done(&clean);
}

/* "base       text", the text going on below itself. */
static void labelled(const struct report *rep, const char *label,
		     const char *text)
{
	enum { AT = 11 };

	gate_str_addf(rep->out, "%-*s", AT, label);
	wrapped(rep, AT, AT, text);
}

/* At most `max` columns, the middle left out: names begin and end with what
 * tells them apart. */
static void elided(struct gate_str *out, const char *s, size_t max)
{
	struct gate_str clean = {0};
	const char *p;
	size_t columns, left, right, i = 0;

	gate_text_plain(&clean, s, strlen(s));
	p = gate_str_text(&clean);
	columns = gate_text_columns(p);
	if (columns <= max || max < 8) {
		gate_str_puts(out, p);
		gate_str_done(&clean);
		return;
	}
	right = (max - 3) / 2;
	left = max - 3 - right;
	while (*p) {
		size_t n = gate_text_utf8(p, strlen(p));

		if (i < left || i >= columns - right)
			gate_str_add(out, p, n);
		else if (i == left)
			gate_str_puts(out, "...");
		p += n;
		i++;
	}
	gate_str_done(&clean);
}

static void padded(struct gate_str *out, const char *s, size_t width,
		   bool right)
{
	size_t n = gate_text_columns(s), pad = n < width ? width - n : 0;

	if (right)
		blanks(out, pad);
	gate_str_puts(out, s);
	if (!right)
		blanks(out, pad);
}

/* The head of the report */

static void headline(const struct report *rep)
{
	const struct gate_result *r = rep->r;
	struct gate_str line = {0}, reason = {0};
	char *p, *end;

	gate_str_puts(&line, gate_format_outcome(r));
	for (p = line.data; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	gate_str_addf(&line, " (exit %d):", r->exit_code);
	paint(rep, r->exit_code == 0   ? GREEN
		   : r->exit_code == 3 ? YELLOW
				       : RED);
	gate_str_puts(rep->out, gate_str_text(&line));
	plain(rep);
	gate_str_putc(rep->out, ' ');
	gate_format_reason(r, &reason);
	/* One line a thing found. */
	for (p = reason.data; p; p = end ? end + 2 : NULL) {
		end = strstr(p, "; ");
		if (end)
			*end = '\0';
		if (p == reason.data) {
			wrapped(rep, line.len + 1, 2, p);
		} else {
			gate_str_puts(rep->out, "  ");
			wrapped(rep, 2, 2, p);
		}
	}
	gate_str_done(&line);
	gate_str_done(&reason);
}

static void commit(const struct report *rep, const char *label,
		   const struct gate_commit *c)
{
	struct gate_str s = {0};

	gate_str_puts(&s, c->commit ? c->commit : c->rev ? c->rev : "");
	if (c->commit && c->rev && strcmp(c->commit, c->rev) != 0)
		gate_str_addf(&s, " %s", c->rev);
	if (c->how)
		gate_str_addf(&s, "%s%s%s", s.len ? " (" : "", c->how,
			      s.len ? ")" : "");
	if (s.len)
		labelled(rep, label, gate_str_text(&s));
	gate_str_done(&s);
}

static void measured(const struct report *rep)
{
	const struct gate_result *r = rep->r;
	struct gate_str s = {0};
	size_t i;

	for (i = 0; i < r->n_jobs; i++) {
		gate_str_addf(&s, "%s: ", r->jobs[i].name);
		gate_format_job(&r->jobs[i], &s);
		if (r->order && i + 1 == r->n_jobs)
			gate_str_addf(&s, "; order of rounds: %s", r->order);
		labelled(rep, i ? "" : "measured", gate_str_text(&s));
		gate_str_done(&s);
	}
}

static void limits(const struct report *rep)
{
	static const enum gate_clock clocks[] = {GATE_CLOCK_WALL,
						 GATE_CLOCK_INSTRUCTIONS};
	struct gate_str s = {0};
	const char *label = "limits";
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!gate_format_has_clock(rep->r, clocks[i]))
			continue;
		gate_str_addf(&s, "%s: ", gate_format_clock(clocks[i]));
		gate_format_limits(&rep->r->policy, clocks[i], &s);
		labelled(rep, label, gate_str_text(&s));
		gate_str_done(&s);
		label = "";
	}
}

/* What each look decided, and what it cost. */
static void looks(const struct report *rep)
{
	const struct gate_look *l;
	struct gate_str s = {0};
	size_t i;

	for (i = 0; i < rep->r->n_looks; i++) {
		l = &rep->r->looks[i];
		gate_str_addf(&s, "%safter %u round%s %zu of %zu rows decided",
			      i ? "; " : "", l->rounds,
			      l->rounds == 1 ? "" : "s", l->decided,
			      l->decided + l->open);
		if (l->regressions)
			gate_str_addf(&s, ", %zu slower", l->regressions);
		gate_str_addf(&s, " (%u run%s", l->runs,
			      l->runs == 1 ? "" : "s");
		if (isfinite(l->alpha))
			gate_str_addf(&s, ", alpha %.2g %%", 100 * l->alpha);
		gate_str_putc(&s, ')');
	}
	if (s.len)
		labelled(rep, "looks", gate_str_text(&s));
	gate_str_done(&s);
}

/* The base against itself. */
static void check(const struct report *rep)
{
	const struct gate_check *c = &rep->r->check;
	struct gate_str s = {0};

	if (!c->present)
		return;
	gate_str_addf(&s,
		      "A/A: in %zu of %zu rows the base differs from itself "
		      "by the threshold",
		      c->apart, c->rows);
	labelled(rep, "check", gate_str_text(&s));
	gate_str_done(&s);
}

static void host(const struct report *rep)
{
	struct gate_str s = {0};
	size_t i;

	for (i = 0; i < rep->r->n_host; i++)
		gate_str_addf(&s, "%s%s: %s", i ? "; " : "",
			      rep->r->host[i].key, rep->r->host[i].value);
	if (s.len)
		labelled(rep, "host", gate_str_text(&s));
	gate_str_done(&s);
}

static void head(const struct report *rep)
{
	struct gate_str s = {0};

	headline(rep);
	gate_str_putc(rep->out, '\n');
	commit(rep, "base", &rep->r->base);
	commit(rep, "candidate", &rep->r->candidate);
	measured(rep);
	limits(rep);
	looks(rep);
	if (rep->opts->verbose) {
		check(rep);
		host(rep);
	}
	gate_str_addf(&s, "%zu: ", rep->r->n_rows);
	gate_format_counts(rep->r, &s);
	labelled(rep, "rows", gate_str_text(&s));
	gate_str_done(&s);
}

static void title(const struct report *rep, enum paint color, const char *word,
		  size_t n, const char *of, const char *meaning)
{
	const char *p;

	gate_str_putc(rep->out, '\n');
	paint(rep, color);
	for (p = word; *p; p++)
		gate_str_putc(rep->out, *p >= 'a' && *p <= 'z'
						? (char)(*p - 'a' + 'A')
						: *p);
	plain(rep);
	gate_str_addf(rep->out, "  %zu %s%s%s%s\n", n, of, n == 1 ? "" : "s",
		      *meaning ? ": " : "", meaning);
}

/* Groups and the suite */

struct mean {
	const char *name;
	size_t n, of;
	double slowdown;
	const double *ci;
	enum gate_clock clock;
	enum gate_verdict verdict;
};

static void mean_line(const struct report *rep, const struct mean *m)
{
	const size_t numbers = 2 + 10 + 2 + 8 + 2 + 18 + 2 + 11;
	struct gate_str s = {0}, cell = {0};

	gate_str_puts(&s, "  ");
	elided(&cell, m->name, rep->width - numbers);
	padded(&s, gate_str_text(&cell), rep->width - numbers, false);
	cell.len = 0;
	gate_str_addf(&cell, "%zu of %zu", m->n, m->of);
	padded(&s, gate_str_text(&cell), 10, true);
	cell.len = 0;
	gate_format_percent(m->slowdown, &cell);
	blanks(&s, GAP);
	padded(&s, gate_str_text(&cell), 8, true);
	cell.len = 0;
	if (m->clock == GATE_CLOCK_INSTRUCTIONS)
		gate_str_puts(&cell, "instructions");
	else
		gate_format_interval(m->ci, &cell);
	blanks(&s, GAP);
	padded(&s, gate_str_text(&cell), 18, true);
	gate_str_addf(&s, "  %s\n", gate_verdict_name(m->verdict));
	gate_str_puts(rep->out, gate_str_text(&s));
	gate_str_done(&s);
	gate_str_done(&cell);
}

static void means(const struct report *rep)
{
	const struct gate_group **groups = gate_format_groups(rep->r), *g;
	const struct gate_suite *u = &rep->r->suite;
	size_t n = rep->r->n_groups, i;

	if (n || u->present)
		title(rep, BOLD, "groups", n, "group",
		      "geometric means over rows that both sides have");
	for (i = 0; i < n; i++) {
		g = groups[i];
		if (gate_format_calm(g->verdict) && !rep->opts->verbose)
			break;
		mean_line(rep, &(struct mean){.name = g->group,
					      .n = g->rows,
					      .of = g->of,
					      .slowdown = g->slowdown,
					      .ci = g->ci,
					      .clock = g->clock,
					      .verdict = g->verdict});
	}
	if (i < n)
		gate_str_addf(rep->out, "  %s%zu group%s not slower\n",
			      i ? "other " : "", n - i, n - i == 1 ? "" : "s");
	if (u->present)
		mean_line(rep, &(struct mean){.name = "suite (groups)",
					      .n = u->groups,
					      .of = u->groups,
					      .slowdown = u->slowdown,
					      .ci = u->ci,
					      .verdict = u->verdict});
	free(groups);
}

/* Rows */

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_group(const struct gate_row *x, const struct gate_row *y)
{
	int c = by_text(x->job, y->job);

	return c ? c : by_text(x->group, y->group);
}

static int by_block(const struct gate_row *x, const struct gate_row *y)
{
	int c = by_group(x, y);

	if (!c)
		c = (x->clock > y->clock) - (x->clock < y->clock);
	if (!c)
		c = (x->unit > y->unit) - (x->unit < y->unit);
	if (!c)
		c = by_text(x->base.driver, y->base.driver);
	return c ? c : by_text(x->candidate.driver, y->candidate.driver);
}

/* Both are elements of the result's array: ties keep its order. */
static int sort_groups(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	int c = by_group(x, y);

	return c ? c : (x > y) - (x < y);
}

static int sort_blocks(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	int c = by_block(x, y);

	return c ? c : (x > y) - (x < y);
}

static int worst_first(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (isnan(x->worst) != isnan(y->worst))
		return isnan(x->worst) ? 1 : -1;
	if (!isnan(x->worst) && x->worst != y->worst)
		return x->worst > y->worst ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static void section_init(struct section *s, const struct gate_row **rows,
			 size_t n, bool grouped)
{
	struct block b = {0};
	size_t i;

	*s = (struct section){.rows = rows, .n = n, .one_reason = true};
	qsort(rows, n, sizeof *rows, grouped ? sort_groups : sort_blocks);
	for (i = 0; i < n; i++) {
		if (i && by_text(rows[i]->reason, rows[i - 1]->reason) != 0)
			s->one_reason = false;
		if (i && rows[i]->clock != rows[i - 1]->clock)
			s->mixed = true;
		if (!i || (grouped ? by_group : by_block)(rows[i - 1],
							  rows[i]) != 0) {
			b = (struct block){i, 0, rows[i]->slowdown};
			GATE_PUSH(s->blocks, s->n_blocks, s->cap_blocks, b);
		}
		s->blocks[s->n_blocks - 1].n++;
		if (!(s->blocks[s->n_blocks - 1].worst >= rows[i]->slowdown))
			s->blocks[s->n_blocks - 1].worst = rows[i]->slowdown;
	}
	if (n)
		qsort(s->blocks, s->n_blocks, sizeof *s->blocks, worst_first);
}

static void section_done(struct section *s)
{
	free(s->blocks);
}

static void cell(const struct gate_row *row, enum column c,
		 struct gate_str *out)
{
	out->len = 0;
	gate_str_puts(out, "");
	switch (c) {
	case NAME:
		gate_text_plain(out, gate_format_rest(row),
				strlen(gate_format_rest(row)));
		break;
	case BASE:
		gate_format_value(gate_format_center(row, &row->base),
				  row->unit, out);
		break;
	case CANDIDATE:
		gate_format_value(gate_format_center(row, &row->candidate),
				  row->unit, out);
		break;
	case SLOWDOWN:
		gate_format_percent(row->slowdown, out);
		break;
	case CERTAINTY:
		gate_format_certainty(row, out);
		break;
	case DETECTS:
		if (isnan(row->mde))
			gate_str_puts(out, "-");
		else
			gate_str_addf(out, "%.2f %%", 100 * row->mde);
		break;
	case COLUMNS:
		break;
	}
}

/* A column that says nothing of any row is left out. */
static void layout(const struct report *rep, struct section *s)
{
	enum gate_clock clock = s->rows[0]->clock;
	enum gate_verdict v = s->rows[0]->verdict;
	/* What was found needs no word on what would have been. */
	bool undecided = v != GATE_V_REGRESSION && v != GATE_V_IMPROVEMENT;
	struct gate_str text = {0};
	size_t used = GAP * 2, i, n;
	enum column c;

	/* What the numbers are stands next to them. */
	s->heads[NAME] = s->mixed ? "row" : gate_format_clock(clock);
	s->heads[BASE] = "base";
	s->heads[CANDIDATE] = "candidate";
	s->heads[SLOWDOWN] = "slowdown";
	s->heads[CERTAINTY] = s->mixed || clock == GATE_CLOCK_INSTRUCTIONS
				      ? "certainty"
				      : "95 % interval";
	s->heads[DETECTS] = "detects";
	for (c = NAME; c < COLUMNS; c++) {
		for (i = 0; i < s->n; i++) {
			cell(s->rows[i], c, &text);
			n = gate_text_columns(gate_str_text(&text));
			if (n > s->width[c])
				s->width[c] = n;
			if (strcmp(gate_str_text(&text), "-") != 0)
				s->shown[c] = c != DETECTS || undecided;
		}
		n = strlen(s->heads[c]);
		if (s->width[c] < n)
			s->width[c] = n;
		if (c != NAME && s->shown[c])
			used += GAP + s->width[c];
	}
	n = rep->width > used + NAME_MIN ? rep->width - used : NAME_MIN;
	if (s->width[NAME] > n)
		s->width[NAME] = n;
	gate_str_done(&text);
}

static void table_line(const struct report *rep, const struct section *s,
		       const struct gate_row *row)
{
	struct gate_str line = {0}, text = {0}, name = {0};
	enum column c;

	blanks(&line, GAP * 2);
	for (c = NAME; c < COLUMNS; c++) {
		if (!s->shown[c])
			continue;
		if (row)
			cell(row, c, &text);
		if (c == NAME) {
			elided(&name, row ? gate_str_text(&text) : s->heads[c],
			       s->width[c]);
			padded(&line, gate_str_text(&name), s->width[c], false);
			continue;
		}
		blanks(&line, GAP);
		padded(&line, row ? gate_str_text(&text) : s->heads[c],
		       s->width[c], true);
	}
	strip_blanks(&line);
	gate_str_puts(rep->out, gate_str_text(&line));
	gate_str_putc(rep->out, '\n');
	gate_str_done(&line);
	gate_str_done(&text);
	gate_str_done(&name);
}

/* Group, driver and unit: what the rows of a block share. */
static void block_head(const struct report *rep, const struct gate_row *row,
		       bool mixed)
{
	struct gate_str s = {0}, driver = {0};

	gate_str_puts(&s, row->group);
	gate_format_driver(row, &driver);
	if (driver.len)
		gate_str_addf(&s, ", %s", gate_str_text(&driver));
	if (row->unit != GATE_UNIT_NONE)
		gate_str_addf(&s, ", %s", gate_unit_name(row->unit));
	if (mixed)
		gate_str_addf(&s, ", %s", gate_format_clock(row->clock));
	if (rep->r->n_jobs > 1)
		gate_str_addf(&s, " [%s]", row->job);
	blanks(rep->out, GAP);
	paint(rep, BOLD);
	wrapped(rep, GAP, GAP + 2, gate_str_text(&s));
	plain(rep);
	gate_str_done(&s);
	gate_str_done(&driver);
}

static void reason(const struct report *rep, size_t indent, const char *text)
{
	if (!text || !*text)
		return;
	blanks(rep->out, indent);
	wrapped(rep, indent, indent, text);
}

/* What stands beside the verdict and does not decide. */
static void ranks(const struct report *rep, const struct gate_row *row)
{
	struct gate_str s = {0};

	if (!rep->opts->verbose || isnan(row->p_mw))
		return;
	gate_str_puts(&s, "by ranks ");
	gate_format_percent(row->hl, &s);
	gate_str_puts(&s, " (");
	gate_format_interval(row->hl_ci, &s);
	gate_str_addf(&s, "), Mann-Whitney p %.2g", row->p_mw);
	if (!isnan(row->p_sr))
		gate_str_addf(&s, ", signed rank p %.2g", row->p_sr);
	if (!isnan(row->q_bh))
		gate_str_addf(&s, ", Benjamini-Hochberg q %.2g", row->q_bh);
	reason(rep, 3 * GAP, gate_str_text(&s));
	gate_str_done(&s);
}

/* Where the numbers do not say why, the reason stands below the rows that
 * share it. */
static bool reasons_shown(const struct report *rep, const struct section *s)
{
	enum gate_verdict v = s->rows[0]->verdict;

	if (s->one_reason)
		return false;
	if (v == GATE_V_INCONCLUSIVE && s->n <= BLOCK_MAX)
		return true;
	return rep->opts->verbose || v == GATE_V_FAILED ||
	       v == GATE_V_MISSING || v == GATE_V_INCOMPARABLE;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/*
 * The slowdown from which on a row of a long block is listed; NAN when all
 * are. Where nothing can be judged, every difference is shown: it is all that
 * there is.
 */
static double listed_from(const struct report *rep, const struct section *s,
			  const struct block *b)
{
	enum gate_verdict v = s->rows[b->first]->verdict;
	double *slowdowns, from;
	size_t i;

	if (rep->opts->verbose || b->n <= BLOCK_MAX ||
	    v == GATE_V_INSUFFICIENT || v == GATE_V_FAILED ||
	    v == GATE_V_INCOMPARABLE)
		return GATE_NAN;
	if (isnan(s->rows[b->first]->slowdown))
		return (double)INFINITY;
	slowdowns = gate_calloc(b->n, sizeof *slowdowns);
	for (i = 0; i < b->n; i++)
		slowdowns[i] = s->rows[b->first + i]->slowdown;
	if (v == GATE_V_IMPROVEMENT)
		for (i = 0; i < b->n; i++)
			slowdowns[i] = -slowdowns[i];
	qsort(slowdowns, b->n, sizeof *slowdowns, descending);
	from = slowdowns[BLOCK_SHOWN - 1];
	free(slowdowns);
	return from;
}

static void left_out(const struct report *rep, size_t n, size_t of)
{
	blanks(rep->out, 2 * GAP);
	gate_str_addf(rep->out, "%s%zu %srow%s; -v lists %s\n",
		      n == of ? "" : "and ", n, n == of ? "" : "more ",
		      n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

static void block_rows(const struct report *rep, const struct section *s,
		       const struct block *b)
{
	const struct gate_row *row, *next;
	double from = listed_from(rep, s, b);
	bool reasons = reasons_shown(rep, s);
	size_t i, listed = 0;

	block_head(rep, s->rows[b->first], s->mixed);
	for (i = b->first; i < b->first + b->n; i++) {
		row = s->rows[i];
		if (!isnan(from) && (listed == BLOCK_SHOWN ||
				     !((row->verdict == GATE_V_IMPROVEMENT
						? -row->slowdown
						: row->slowdown) >= from)))
			continue;
		listed++;
		next = i + 1 < b->first + b->n ? s->rows[i + 1] : NULL;
		table_line(rep, s, row);
		if (reasons &&
		    (!next || by_text(row->reason, next->reason) != 0))
			reason(rep, 3 * GAP, row->reason);
		ranks(rep, row);
	}
	if (listed < b->n)
		left_out(rep, b->n - listed, b->n);
}

static void table(const struct report *rep, struct section *s)
{
	size_t i;

	layout(rep, s);
	if (s->one_reason)
		reason(rep, GAP, s->rows[0]->reason);
	table_line(rep, s, NULL);
	for (i = 0; i < s->n_blocks; i++)
		block_rows(rep, s, &s->blocks[i]);
}

static void spread(const struct section *s, const struct block *b,
		   struct gate_str *out)
{
	double least = b->worst;
	size_t i;

	for (i = b->first; i < b->first + b->n; i++)
		if (s->rows[i]->slowdown < least)
			least = s->rows[i]->slowdown;
	gate_format_spread(least, b->worst, out);
}

/* One line a group instead of its rows. */
static void summary(const struct report *rep, const struct section *s)
{
	const size_t numbers = GAP + GAP + 10 + GAP + 22;
	struct gate_str line = {0}, text = {0};
	const struct block *b;
	size_t i;

	for (i = 0; i < s->n_blocks; i++) {
		b = &s->blocks[i];
		blanks(&line, GAP);
		elided(&text, s->rows[b->first]->group, rep->width - numbers);
		padded(&line, gate_str_text(&text), rep->width - numbers,
		       false);
		text.len = 0;
		gate_str_addf(&text, "%zu row%s", b->n, b->n == 1 ? "" : "s");
		blanks(&line, GAP);
		padded(&line, gate_str_text(&text), 10, true);
		text.len = 0;
		spread(s, b, &text);
		blanks(&line, GAP);
		padded(&line, gate_str_text(&text), 22, true);
		gate_str_putc(&line, '\n');
		gate_str_puts(rep->out, gate_str_text(&line));
		text.len = 0;
		line.len = 0;
	}
	gate_str_done(&line);
	gate_str_done(&text);
}

static bool folded(enum gate_verdict v)
{
	return v == GATE_V_PASS || v == GATE_V_PARKED;
}

static void section(const struct report *rep, const struct gate_row **rows,
		    size_t n)
{
	enum gate_verdict v = rows[0]->verdict;
	bool brief = !rep->opts->verbose && folded(v);
	struct section s;

	title(rep, verdict_paint(v), gate_verdict_name(v), n, "row",
	      gate_format_meaning(v));
	section_init(&s, rows, n, brief);
	if (brief)
		summary(rep, &s);
	else
		table(rep, &s);
	section_done(&s);
}

/* Rows are judged whatever their driver, so a changed one is said apart. */
static void drivers(const struct report *rep)
{
	bool fails = rep->r->policy.driver_change == GATE_FAIL;
	struct gate_format_change *changes;
	struct gate_str s = {0};
	size_t n, i, rows = 0;

	changes = gate_format_changes(rep->r, &n);
	for (i = 0; i < n; i++)
		rows += changes[i].rows;
	if (n)
		title(rep, fails ? RED : YELLOW, "driver changed", rows, "row",
		      fails ? "the policy fails it"
			    : "judged by their numbers");
	for (i = 0; i < n; i++) {
		gate_str_addf(&s, "%s, %zu row%s, slowdown ",
			      changes[i].row->group, changes[i].rows,
			      changes[i].rows == 1 ? "" : "s");
		gate_format_spread(changes[i].least, changes[i].most, &s);
		gate_str_puts(&s, ": ");
		gate_format_driver(changes[i].row, &s);
		reason(rep, GAP, gate_str_text(&s));
		gate_str_done(&s);
	}
	free(changes);
}

static void sections(const struct report *rep)
{
	const struct gate_row **rows = gate_format_sorted(rep->r);
	size_t k, first = 0, n;

	for (k = 0; k < GATE_VERDICTS; k++) {
		for (n = 0; first + n < rep->r->n_rows; n++)
			if (rows[first + n]->verdict != gate_format_order[k])
				break;
		if (n)
			section(rep, rows + first, n);
		first += n;
		/* What changed comes before the good news. */
		if (gate_format_order[k] == GATE_V_UNRESOLVABLE)
			drivers(rep);
	}
	free(rows);
}

/* The foot */

static void diagnostics(const struct report *rep)
{
	const struct gate_diags *d = &rep->r->diags;
	size_t most = rep->opts->verbose ? d->n : DIAGS_SHOWN, i;
	struct gate_str s = {0};

	if (d->n)
		title(rep, BOLD, "diagnostics", d->n, "remark", "");
	for (i = 0; i < d->n && i < most; i++) {
		gate_str_addf(&s, "%s: %s [%s]",
			      gate_diag_level_name(d->items[i].level),
			      d->items[i].message, d->items[i].code);
		blanks(rep->out, GAP);
		wrapped(rep, GAP, GAP + 2, gate_str_text(&s));
		gate_str_done(&s);
	}
	if (d->n > most)
		gate_str_addf(rep->out, "  and %zu more with --verbose\n",
			      d->n - most);
}

/* Was the column "detects" in some table? */
static bool detects_shown(const struct report *rep)
{
	const struct gate_row *row;
	size_t i;

	for (i = 0; i < rep->r->n_rows; i++) {
		row = &rep->r->rows[i];
		if (isnan(row->mde) || row->verdict == GATE_V_REGRESSION ||
		    row->verdict == GATE_V_IMPROVEMENT)
			continue;
		if (rep->opts->verbose || !folded(row->verdict))
			return true;
	}
	return false;
}

static void foot(const struct report *rep)
{
	const struct gate_result *r = rep->r;
	struct gate_str s = {0};

	gate_str_putc(rep->out, '\n');
	gate_str_puts(&s, "A slowdown is positive when the candidate is "
			  "slower.");
	if (gate_format_has_clock(r, GATE_CLOCK_WALL))
		gate_str_puts(&s,
			      " Wall clock: base and candidate are medians; "
			      "the slowdown compares round with round, so "
			      "it can differ from their ratio.");
	if (detects_shown(rep))
		gate_str_puts(&s, " \"detects\" is the smallest slowdown that "
				  "this many rounds find 9 times in 10.");
	if (gate_format_has_clock(r, GATE_CLOCK_INSTRUCTIONS))
		gate_str_puts(&s, " Instruction clock: the best of all "
				  "rounds, counted in instructions, not time.");
	wrapped(rep, 0, 0, gate_str_text(&s));
	gate_str_done(&s);
	if (gate_format_reproduce(r, &s))
		gate_str_addf(rep->out, "Again: %s\n", gate_str_text(&s));
	gate_str_done(&s);
}

static size_t lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void render(const struct gate_result *r,
		   const struct gate_report_opts *opts, struct gate_str *out)
{
	struct report rep = {.r = r,
			     .opts = opts,
			     .out = out,
			     .width = opts->width ? opts->width : WIDTH};
	const size_t start = out->len;

	if (rep.width < WIDTH_MIN)
		rep.width = WIDTH_MIN;
	head(&rep);
	means(&rep);
	sections(&rep);
	diagnostics(&rep);
	foot(&rep);
	if (lines(gate_str_text(out) + start) > SCREEN) {
		gate_str_putc(out, '\n');
		headline(&rep);
	}
}

const struct gate_reporter gate_reporter_text = {
	.name = "text",
	.description = "tables for a terminal",
	.render = render,
};
