/*
 * What the tests of parsers share: a log parsed in one call, and questions
 * about what came out.
 */
#ifndef TESTS_UNIT_PARSING_H
#define TESTS_UNIT_PARSING_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gate/parse.h"
#include "gate/util/fs.h"

struct parsed {
	struct gate_sample_set *set;
	struct gate_diags diags;
	struct gate_parse_stats stats;
	struct gate_error err;
	int rc;
};

static inline struct parsed parse_bytes(const char *parser, const char *text,
					size_t len, enum gate_clock clock)
{
	struct gate_parse_opts opts = {
		.parser = parser,
		.clock = clock,
		.side = GATE_CANDIDATE,
		.round = 3,
		.job = "aes",
		.path = "a.log",
	};
	struct parsed p = {.set = gate_sample_set_new()};

	p.rc = gate_parse_buffer(&opts, text, len, p.set, &p.diags, &p.stats,
				 &p.err);
	return p;
}

static inline struct parsed parse_text(const char *parser, const char *text)
{
	struct parsed p =
		parse_bytes(parser, text, strlen(text), GATE_CLOCK_WALL);

	cr_assert_eq(p.rc, 0, "%s", p.err.message);
	return p;
}

static inline struct parsed parse_fixture(const char *name)
{
	struct gate_parse_opts opts = {.job = "", .path = name};
	struct parsed p = {.set = gate_sample_set_new()};
	char path[512];

	snprintf(path, sizeof path, "%s/logs/%s", GATE_FIXTURES, name);
	p.rc = gate_parse_file(&opts, path, p.set, &p.diags, &p.stats, &p.err);
	cr_assert_eq(p.rc, 0, "%s", p.err.message);
	return p;
}

static inline void parsed_done(struct parsed *p)
{
	gate_sample_set_free(p->set);
	gate_diags_done(&p->diags);
}

static inline size_t count_status(const struct parsed *p, const char *bench,
				  enum gate_sample_status status)
{
	size_t i, n = 0;

	for (i = 0; i < p->set->n; i++)
		n += p->set->items[i].s.status == status &&
		     !strcmp(p->set->items[i].s.bench, bench);
	return n;
}

/* The `nth` sample (from 0) of that row, NULL when there are fewer. */
static inline const struct gate_sample *
find_row(const struct parsed *p, const char *bench, const char *row, size_t nth)
{
	const struct gate_sample *s;
	size_t i;

	for (i = 0; i < p->set->n; i++) {
		s = &p->set->items[i].s;
		if (!strcmp(s->bench, bench) && !strcmp(s->row, row) && !nth--)
			return s;
	}
	return NULL;
}

static inline const struct gate_sample *
row_at(const struct parsed *p, const char *bench, const char *row, size_t nth)
{
	const struct gate_sample *s = find_row(p, bench, row, nth);

	cr_assert_not_null(s, "no %s/%s number %zu", bench, row, nth);
	return s;
}

/* The text of the remark with that code, "" when there is none. */
static inline const char *remark(const struct parsed *p, const char *code)
{
	size_t i;

	for (i = 0; i < p->diags.n; i++)
		if (!strcmp(p->diags.items[i].code, code))
			return p->diags.items[i].message;
	return "";
}

#endif
