/*
 * JUnit XML for CI servers. The dialect is the least common one: no properties
 * in a test case, no file or line, times with at most three decimals, so that
 * strict readers take it (fixtures/junit.xsd). A measured value is never a
 * time: numbers are key=value lines in system-out.
 *
 * GitLab drops the message of a failure that has a body, so the body begins
 * with it.
 */
#include "reporters/reporter.h"

#include <libxml/xmlwriter.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/text.h"
#include "reporters/format.h"

enum status { PASSED, FAILURE, ERROR, SKIPPED, STATUSES };

static const char *const elements[STATUSES] = {NULL, "failure", "error",
					       "skipped"};

/* One test case, before it is written: counts stand in front of cases. */
struct test {
	const char *classname; /* borrowed */
	char *name;
	enum status status;
	const char *type;
	char *message;
	char *output;
};

struct suite {
	const char *name; /* borrowed */
	struct test *tests;
	size_t n, cap;
	size_t count[STATUSES];
};

struct suites {
	struct suite *items;
	size_t n, cap;
};

/* libxml2 has no memory left: neither has gate (gate/util/mem.h). */
static void *present(void *p)
{
	return p ? p : gate_alloc(SIZE_MAX);
}

static const xmlChar *chars(const char *s)
{
	return (const xmlChar *)s;
}

static void begin(xmlTextWriterPtr w, const char *name)
{
	xmlTextWriterStartElement(w, chars(name));
}

static char *clean(const char *text)
{
	struct gate_str s = {0};
	const char *end;

	/* Lines stay lines; everything else that XML forbids goes. */
	for (; text && *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		gate_text_plain(&s, text, (size_t)(end - text));
		if (*end)
			gate_str_putc(&s, '\n');
	}
	return gate_str_steal(&s);
}

static void attribute(xmlTextWriterPtr w, const char *name, const char *value)
{
	char *s = clean(value);

	xmlTextWriterWriteAttribute(w, chars(name), chars(s));
	free(s);
}

static void count_attribute(xmlTextWriterPtr w, const char *name, size_t n)
{
	xmlTextWriterWriteFormatAttribute(w, chars(name), "%zu", n);
}

static void text(xmlTextWriterPtr w, const char *value)
{
	char *s = clean(value);

	xmlTextWriterWriteString(w, chars(s));
	free(s);
}

/* Collecting */

static void number(struct gate_str *out, const char *key, double v)
{
	char num[GATE_NUM_MAX];

	if (v == v)
		gate_str_addf(out, "%s=%s\n", key, gate_num_print(v, num));
}

static void word(struct gate_str *out, const char *key, const char *value)
{
	if (value && *value) {
		gate_str_addf(out, "%s=", key);
		gate_text_plain(out, value, strlen(value));
		gate_str_putc(out, '\n');
	}
}

static void side(struct gate_str *out, const char *name,
		 const struct gate_row_side *s)
{
	struct gate_str key = {0};
	const struct {
		const char *key;
		double v;
	} numbers[] = {
		{"rounds", (double)s->n}, {"median", s->median},
		{"min", s->min},          {"max", s->max},
		{"best", s->best},
	};
	size_t i;

	gate_str_addf(&key, "%s_driver", name);
	word(out, gate_str_text(&key), s->driver);
	for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		key.len = 0;
		gate_str_addf(&key, "%s_%s", name, numbers[i].key);
		number(out, gate_str_text(&key), numbers[i].v);
	}
	gate_str_done(&key);
}

static char *row_output(const struct gate_row *row)
{
	struct gate_str s = {0};

	word(&s, "verdict", gate_verdict_name(row->verdict));
	word(&s, "clock", gate_clock_name(row->clock));
	word(&s, "numbers", gate_format_clock(row->clock));
	word(&s, "unit", gate_unit_name(row->unit));
	word(&s, "better", gate_better_name(row->better));
	number(&s, "slowdown", row->slowdown);
	number(&s, "ci_low", row->ci[0]);
	number(&s, "ci_high", row->ci[1]);
	number(&s, "p", row->p);
	number(&s, "p_holm", row->p_holm);
	number(&s, "q_bh", row->q_bh);
	number(&s, "mde", row->mde);
	number(&s, "h", row->h);
	number(&s, "threshold", row->limits.threshold);
	side(&s, "base", &row->base);
	side(&s, "candidate", &row->candidate);
	word(&s, "reason", row->reason);
	return gate_str_steal(&s);
}

static enum status verdict_status(enum gate_verdict v)
{
	switch (v) {
	case GATE_V_REGRESSION:
	case GATE_V_FAILED:
		return FAILURE;
	case GATE_V_INCOMPARABLE:
		return ERROR;
	case GATE_V_MISSING: /* unless the policy fails it */
	case GATE_V_INCONCLUSIVE:
	case GATE_V_INSUFFICIENT:
	case GATE_V_UNRESOLVABLE:
		return SKIPPED;
	case GATE_V_PASS:
	case GATE_V_PARKED:
	case GATE_V_IMPROVEMENT:
	case GATE_V_NEW:
	default:
		return PASSED;
	}
}

static void add(struct suite *s, const struct test *t)
{
	GATE_PUSH(s->tests, s->n, s->cap, *t);
	s->count[t->status]++;
}

static char *message(enum gate_verdict v, const char *reason)
{
	return reason && *reason ? gate_strdup(reason)
				 : gate_asprintf("%s: %s", gate_verdict_name(v),
						 gate_format_meaning(v));
}

static void add_row(const struct gate_result *r, struct suite *s,
		    const struct gate_row *row)
{
	const char *driver =
		row->base.driver ? row->base.driver : row->candidate.driver;
	struct test t = {.classname = row->group,
			 .status = verdict_status(row->verdict),
			 .type = gate_verdict_name(row->verdict),
			 .message = message(row->verdict, row->reason),
			 .output = row_output(row)};
	struct gate_str name = {0};

	if (gate_format_blocks(r, row) && t.status != FAILURE) {
		t.status = FAILURE;
		if (row->verdict != GATE_V_MISSING)
			t.type = "driver_change";
	}
	gate_str_puts(&name, row->row);
	if (driver)
		gate_str_addf(&name, "@%s", driver);
	/* A row that two jobs ran is two test cases. */
	if (r->n_jobs > 1)
		gate_str_addf(&name, " [%s]", row->job);
	t.name = gate_str_steal(&name);
	add(s, &t);
}

static struct suite *new_suite(struct suites *all, const char *name)
{
	GATE_PUSH(all->items, all->n, all->cap, (struct suite){.name = name});
	return &all->items[all->n - 1];
}

static int by_job(const void *a, const void *b)
{
	const struct gate_row *x = *(const struct gate_row *const *)a;
	const struct gate_row *y = *(const struct gate_row *const *)b;
	int c = strcmp(x->job, y->job);

	return c ? c : (x > y) - (x < y);
}

static void add_rows(const struct gate_result *r, struct suites *all)
{
	const struct gate_row **rows = gate_calloc(r->n_rows, sizeof *rows);
	struct suite *s = NULL;
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		rows[i] = &r->rows[i];
	qsort(rows, r->n_rows, sizeof *rows, by_job);
	for (i = 0; i < r->n_rows; i++) {
		if (!s || strcmp(s->name, rows[i]->job) != 0)
			s = new_suite(all, rows[i]->job);
		add_row(r, s, rows[i]);
	}
	free(rows);
}

static char *mean_output(size_t n, size_t of, double slowdown, const double *ci,
			 double p, double p_holm, enum gate_verdict v,
			 enum gate_clock clock)
{
	struct gate_str s = {0};

	word(&s, "verdict", gate_verdict_name(v));
	word(&s, "clock", gate_clock_name(clock));
	word(&s, "numbers", gate_format_clock(clock));
	number(&s, "geomean_slowdown", slowdown);
	number(&s, "ci_low", ci[0]);
	number(&s, "ci_high", ci[1]);
	number(&s, "p", p);
	number(&s, "p_holm", p_holm);
	gate_str_addf(&s, "of=%zu of %zu\n", n, of);
	return gate_str_steal(&s);
}

static void add_groups(const struct gate_result *r, struct suites *all)
{
	const struct gate_suite *u = &r->suite;
	const struct gate_group *g;
	struct suite *s;
	struct test t;
	size_t i;

	if (!r->n_groups && !u->present)
		return;
	s = new_suite(all, "groups");
	for (i = 0; i < r->n_groups; i++) {
		g = &r->groups[i];
		t = (struct test){.classname = "groups",
				  .status = verdict_status(g->verdict),
				  .type = gate_verdict_name(g->verdict),
				  .message = message(g->verdict, g->reason),
				  .output = mean_output(g->rows, g->of,
							g->slowdown, g->ci,
							g->p, g->p_holm,
							g->verdict, g->clock)};
		t.name = r->n_jobs > 1
				 ? gate_asprintf("%s [%s]", g->group, g->job)
				 : gate_strdup(g->group);
		add(s, &t);
	}
	if (!u->present)
		return;
	t = (struct test){.classname = "groups",
			  .name = gate_strdup("suite"),
			  .status = verdict_status(u->verdict),
			  .type = gate_verdict_name(u->verdict),
			  .message = message(u->verdict, u->reason),
			  .output = mean_output(
				  u->groups, u->groups, u->slowdown, u->ci,
				  u->p, GATE_NAN, u->verdict, GATE_CLOCK_WALL)};
	add(s, &t);
}

/*
 * The exit code is seen in some case of the file, whatever it came from: a job
 * without a value has no row that could say so.
 */
static void add_outcome(const struct gate_result *r, struct suites *all)
{
	static const enum status expected[] = {PASSED, FAILURE, ERROR, SKIPPED,
					       ERROR};
	const size_t n = sizeof expected / sizeof expected[0];
	enum status want =
		(size_t)r->exit_code < n ? expected[r->exit_code] : ERROR;
	struct gate_str reason = {0};
	size_t i, cases = 0, seen = 0;
	struct test t;

	for (i = 0; i < all->n; i++) {
		cases += all->items[i].n;
		seen += all->items[i].count[want];
	}
	if (want == PASSED ? cases : seen)
		return;
	gate_format_reason(r, &reason);
	t = (struct test){.classname = "gate",
			  .name = gate_strdup("outcome"),
			  .status = want,
			  .type = want == ERROR ? "infrastructure"
						: gate_format_outcome(r),
			  .message = gate_strdup(gate_str_text(&reason))};
	add(new_suite(all, "gate"), &t);
	gate_str_done(&reason);
}

/* Names */

static int by_case(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a;
	const struct test *y = *(const struct test *const *)b;
	int c = strcmp(x->classname, y->classname);

	if (!c)
		c = strcmp(x->name, y->name);
	return c ? c : (x > y) - (x < y);
}

static bool same_case(const struct test *x, const struct test *y)
{
	return !strcmp(x->classname, y->classname) && !strcmp(x->name, y->name);
}

/* Servers compare runs by class and name: the same pair twice would hide one
 * of the two. */
static void make_unique(struct suites *all)
{
	struct test **tests = NULL;
	size_t n = 0, cap = 0, i, k, twins;
	char **names;

	for (i = 0; i < all->n; i++)
		for (k = 0; k < all->items[i].n; k++)
			GATE_PUSH(tests, n, cap, &all->items[i].tests[k]);
	if (n)
		qsort(tests, n, sizeof(struct test *), by_case);
	names = gate_calloc(n, sizeof *names);
	for (i = 1, twins = 1; i < n; i++) {
		twins = same_case(tests[i - 1], tests[i]) ? twins + 1 : 1;
		if (twins > 1)
			names[i] =
				gate_asprintf("%s #%zu", tests[i]->name, twins);
	}
	for (i = 0; i < n; i++) {
		if (!names[i])
			continue;
		free(tests[i]->name);
		tests[i]->name = names[i];
	}
	free(names);
	free(tests);
}

/* Writing */

static void property(xmlTextWriterPtr w, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	begin(w, "property");
	attribute(w, "name", name);
	attribute(w, "value", value);
	xmlTextWriterEndElement(w);
}

static void commit_properties(xmlTextWriterPtr w, const char *side_name,
			      const struct gate_commit *c)
{
	const struct gate_fact facts[] = {
		{NULL, c->rev}, {NULL, c->commit}, {NULL, c->how}};
	static const char *const keys[] = {"rev", "commit", "how"};
	char *name;
	size_t i;

	for (i = 0; i < 3; i++) {
		name = gate_asprintf("%s.%s", side_name, keys[i]);
		property(w, name, facts[i].value);
		free(name);
	}
}

static void properties(xmlTextWriterPtr w, const struct gate_result *r,
		       const char *job)
{
	struct gate_str s = {0};
	char code[16], *name;
	size_t i;

	begin(w, "properties");
	property(w, "gate.version", r->version);
	property(w, "gate.outcome", r->outcome);
	snprintf(code, sizeof code, "%d", r->exit_code);
	property(w, "gate.exit_code", code);
	property(w, "gate.reason", r->reason);
	commit_properties(w, "base", &r->base);
	commit_properties(w, "candidate", &r->candidate);
	for (i = 0; i < r->n_jobs; i++) {
		if (strcmp(r->jobs[i].name, job) != 0)
			continue;
		property(w, "clock", gate_clock_name(r->jobs[i].clock));
		gate_format_job(&r->jobs[i], &s);
		property(w, "job", gate_str_text(&s));
		gate_str_done(&s);
	}
	for (i = 0; i < r->n_host; i++) {
		name = gate_asprintf("host.%s", r->host[i].key);
		property(w, name, r->host[i].value);
		free(name);
	}
	xmlTextWriterEndElement(w);
}

static void write_test(xmlTextWriterPtr w, const struct test *t)
{
	begin(w, "testcase");
	attribute(w, "name", t->name);
	attribute(w, "classname", t->classname);
	attribute(w, "time", "0");
	if (t->status != PASSED) {
		begin(w, elements[t->status]);
		attribute(w, "type", t->type);
		attribute(w, "message", t->message);
		text(w, t->message);
		xmlTextWriterEndElement(w);
	}
	if (t->output) {
		begin(w, "system-out");
		text(w, t->output);
		xmlTextWriterEndElement(w);
	}
	xmlTextWriterEndElement(w);
}

static void write_suite(xmlTextWriterPtr w, const struct gate_result *r,
			const struct suite *s)
{
	size_t i;

	begin(w, "testsuite");
	attribute(w, "name", s->name);
	count_attribute(w, "tests", s->n);
	count_attribute(w, "failures", s->count[FAILURE]);
	count_attribute(w, "errors", s->count[ERROR]);
	count_attribute(w, "skipped", s->count[SKIPPED]);
	attribute(w, "time", "0");
	if (r->started)
		attribute(w, "timestamp", r->started);
	properties(w, r, s->name);
	for (i = 0; i < s->n; i++)
		write_test(w, &s->tests[i]);
	xmlTextWriterEndElement(w);
}

static void write_all(xmlTextWriterPtr w, const struct gate_result *r,
		      const struct suites *all)
{
	size_t i, n = 0, failures = 0, errors = 0;

	for (i = 0; i < all->n; i++) {
		n += all->items[i].n;
		failures += all->items[i].count[FAILURE];
		errors += all->items[i].count[ERROR];
	}
	begin(w, "testsuites");
	attribute(w, "name", "gate");
	count_attribute(w, "tests", n);
	count_attribute(w, "failures", failures);
	count_attribute(w, "errors", errors);
	if (r->started)
		xmlTextWriterWriteFormatAttribute(w, chars("time"), "%.3f",
						  r->seconds);
	for (i = 0; i < all->n; i++)
		write_suite(w, r, &all->items[i]);
	xmlTextWriterEndElement(w);
}

static void suites_done(struct suites *all)
{
	size_t i, k;

	for (i = 0; i < all->n; i++) {
		for (k = 0; k < all->items[i].n; k++) {
			free(all->items[i].tests[k].name);
			free(all->items[i].tests[k].message);
			free(all->items[i].tests[k].output);
		}
		free(all->items[i].tests);
	}
	free(all->items);
}

static void render(const struct gate_result *r,
		   const struct gate_report_opts *opts, struct gate_str *out)
{
	xmlBufferPtr buffer = present(xmlBufferCreate());
	xmlTextWriterPtr w = present(xmlNewTextWriterMemory(buffer, 0));
	struct suites all = {0};

	(void)opts;
	add_rows(r, &all);
	add_groups(r, &all);
	add_outcome(r, &all);
	make_unique(&all);
	xmlTextWriterSetIndent(w, 1);
	xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
	write_all(w, r, &all);
	xmlTextWriterEndDocument(w);
	xmlFreeTextWriter(w);
	gate_str_add(out, (const char *)xmlBufferContent(buffer),
		     (size_t)xmlBufferLength(buffer));
	xmlBufferFree(buffer);
	suites_done(&all);
}

const struct gate_reporter gate_reporter_junit = {
	.name = "junit",
	.description = "JUnit XML for CI servers",
	.render = render,
};
