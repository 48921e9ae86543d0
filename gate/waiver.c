#include "gate/waiver.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

enum { WAIVERS_MAX = 1000 };

void gate_waivers_done(struct gate_waivers *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		free(w->items[i].match);
		free(w->items[i].reason);
	}
	free(w->items);
	*w = (struct gate_waivers){0};
}

/* Reading */

static unsigned digits(const char *s, size_t n)
{
	unsigned v = 0;

	while (n--)
		v = 10 * v + (unsigned)(*s++ - '0');
	return v;
}

static bool is_day(const char *s)
{
	static const unsigned char days[] = {31, 29, 31, 30, 31, 30,
					     31, 31, 30, 31, 30, 31};
	unsigned month, day;
	size_t i;

	if (strlen(s) != 10)
		return false;
	for (i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' : s[i] < '0' || s[i] > '9')
			return false;
	month = digits(s + 5, 2);
	day = digits(s + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

static int check_waiver(const struct gate_json *j, const cJSON *o,
			const struct gate_waiver *w, const char *match,
			const char *reason, const char *expires,
			struct gate_error *err)
{
	if (!match || !*match)
		return gate_json_error(
			j, o, GATE_ECONFIG, err,
			"a waiver needs \"match\", a row "
			"pattern like \"tcrypt/cts(cbc(aes))*\"");
	if (!reason || !*reason)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a waiver needs a \"reason\"");
	if (!expires || !is_day(expires))
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a waiver needs \"expires\", the last "
				       "day that it holds, like "
				       "\"2027-01-31\"");
	if (isnan(w->max_slowdown) && !w->missing)
		return gate_json_error(j, o, GATE_ECONFIG, err,
				       "a waiver accepts nothing without "
				       "\"max_slowdown\", like 0.05, or "
				       "\"missing\": true");
	return GATE_OK;
}

static int read_waiver(const struct gate_json *j, const cJSON *o,
		       struct gate_waivers *ret, struct gate_error *err)
{
	static const char *const keys[] = {"match",  "max_slowdown", "missing",
					   "reason", "expires",      NULL};
	struct gate_waiver w = {.max_slowdown = GATE_NAN};
	const char *match = NULL, *reason = NULL, *expires = NULL;
	int rc;

	rc = gate_json_keys(j, o, keys, err);
	if (!rc)
		rc = gate_json_string(j, o, "match", &match, err);
	if (!rc)
		rc = gate_json_number(j, o, "max_slowdown", 0, 100,
				      &w.max_slowdown, err);
	if (!rc)
		rc = gate_json_bool(j, o, "missing", &w.missing, err);
	if (!rc)
		rc = gate_json_string(j, o, "reason", &reason, err);
	if (!rc)
		rc = gate_json_string(j, o, "expires", &expires, err);
	if (!rc)
		rc = check_waiver(j, o, &w, match, reason, expires, err);
	if (rc)
		return rc;
	w.match = gate_strdup(match);
	w.reason = gate_strdup(reason);
	snprintf(w.expires, sizeof w.expires, "%s", expires);
	GATE_PUSH(ret->items, ret->n, ret->cap, w);
	return GATE_OK;
}

int gate_waivers_parse(const char *path, const char *text, size_t len,
		       struct gate_waivers *ret, struct gate_error *err)
{
	struct gate_waivers w = {0};
	struct gate_json j;
	const cJSON *kid;
	int rc;

	rc = gate_json_parse(path, text, len, GATE_ECONFIG, &j, err);
	if (rc)
		return rc;
	if (!cJSON_IsArray(j.root))
		rc = gate_json_error(&j, j.root, GATE_ECONFIG, err,
				     "must be an array of waivers");
	for (kid = rc ? NULL : j.root->child; kid && !rc; kid = kid->next) {
		if (w.n >= WAIVERS_MAX)
			rc = gate_json_error(&j, kid, GATE_ECONFIG, err,
					     "more than %d waivers",
					     WAIVERS_MAX);
		else
			rc = read_waiver(&j, kid, &w, err);
	}
	gate_json_done(&j);
	if (rc)
		gate_waivers_done(&w);
	else
		*ret = w;
	return rc;
}

void gate_waivers_today(char day[GATE_DAY_MAX])
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t t = time(NULL);
	uint64_t seconds;
	struct tm tm;

	/* The end of the year 9999: a year of five digits would not compare. */
	if (epoch && gate_num_u64(epoch, strlen(epoch), &seconds) &&
	    seconds <= 253402300799)
		t = (time_t)seconds;
	gmtime_r(&t, &tm);
	strftime(day, GATE_DAY_MAX, "%Y-%m-%d", &tm);
}

/* Applying */

/* What one waiver did. */
struct use {
	size_t accepted; /* rows, groups and the suite */
	size_t beyond;   /* slower than it accepts */
	double worst;    /* the largest slowdown among both */
	bool missing;
	char *first; /* name of the first one; owned */
};

struct waiving {
	const struct gate_waivers *w;
	const char *today;
	struct gate_result *r;
	struct use *uses;
	bool **matches; /* [waiver][row] */
};

static bool expired(const struct waiving *v, size_t i)
{
	return strcmp(v->today, v->w->items[i].expires) > 0;
}

/* What is waived: a row, a group or the suite. */
struct target {
	enum gate_verdict *verdict;
	char **reason;
	struct gate_waived **waived;
	double slowdown;
	const char *name; /* for diagnostics */
	/* The rows that a waiver must match: all for which covers() is true. */
	bool (*covers)(const struct gate_row *row, const void *of);
	const void *of;
};

static bool is_row(const struct gate_row *row, const void *of)
{
	return row == of;
}

static bool matches_all(const struct waiving *v, size_t i,
			const struct target *t)
{
	const struct gate_row *rows = v->r->rows;
	bool any = false;
	size_t k;

	if (t->covers == is_row)
		return v->matches[i][(const struct gate_row *)t->of - rows];
	for (k = 0; k < v->r->n_rows; k++) {
		if (!t->covers(&rows[k], t->of))
			continue;
		if (!v->matches[i][k])
			return false;
		any = true;
	}
	return any;
}

static void note_use(struct waiving *v, size_t i, const struct target *t,
		     bool accepted)
{
	struct use *u = &v->uses[i];

	if (!u->first) {
		u->first = gate_strdup(t->name);
		u->worst = t->slowdown;
	}
	u->accepted += accepted;
	u->beyond += !accepted;
	u->missing |= *t->verdict == GATE_V_MISSING;
	if (isnan(u->worst) || t->slowdown > u->worst)
		u->worst = t->slowdown;
}

static bool accepts(const struct gate_waiver *w, const struct target *t)
{
	if (*t->verdict == GATE_V_MISSING)
		return w->missing;
	/* A bound that is no number accepts nothing. */
	return t->slowdown <= w->max_slowdown;
}

static void waive(struct waiving *v, size_t i, struct target *t)
{
	const struct gate_waiver *w = &v->w->items[i];
	struct gate_waived *waived = gate_alloc(sizeof *waived);
	char *reason;

	*waived = (struct gate_waived){.match = gate_strdup(w->match),
				       .max_slowdown = w->max_slowdown,
				       .reason = gate_strdup(w->reason),
				       .expires = gate_strdup(w->expires),
				       .from = *t->verdict};
	if (*t->verdict == GATE_V_MISSING)
		reason = gate_asprintf(
			"waived until %s: %s (was %s: %s)", w->expires,
			w->reason, gate_verdict_name(*t->verdict), *t->reason);
	else
		reason = gate_asprintf(
			"waived up to %+.4g %% until %s: %s "
			"(was %s: %s)",
			100 * w->max_slowdown, w->expires, w->reason,
			gate_verdict_name(*t->verdict), *t->reason);
	gate_waived_free(*t->waived);
	*t->waived = waived;
	*t->verdict = GATE_V_PASS;
	free(*t->reason);
	*t->reason = reason;
}

static void refuse(struct waiving *v, size_t i, const struct target *t)
{
	gate_diags_add(&v->r->diags, GATE_DIAG_ERROR, "waiver.expired",
		       "the waiver \"%s\" has expired on %s, so %s blocks: %s",
		       v->w->items[i].match, v->w->items[i].expires, t->name,
		       v->w->items[i].reason);
}

static void apply_to(struct waiving *v, struct target *t)
{
	size_t late = v->w->n, i;

	if (*t->verdict != GATE_V_REGRESSION && *t->verdict != GATE_V_MISSING)
		return;
	for (i = v->w->n; i-- > 0;) {
		if (!matches_all(v, i, t))
			continue;
		if (!expired(v, i))
			break;
		if (late == v->w->n)
			late = i;
	}
	if (i < v->w->n) {
		bool ok = accepts(&v->w->items[i], t);

		note_use(v, i, t, ok);
		if (ok)
			waive(v, i, t);
	} else if (late < v->w->n) {
		note_use(v, late, t, false);
		refuse(v, late, t);
	}
}

static bool has_both(const struct gate_row *row)
{
	return row->base.n && row->candidate.n && !row->limits.ignore;
}

static bool in_group(const struct gate_row *row, const void *of)
{
	const struct gate_group *g = of;

	return has_both(row) && row->clock == g->clock &&
	       !strcmp(row->job, g->job) && !strcmp(row->group, g->group);
}

static bool in_suite(const struct gate_row *row, const void *of)
{
	(void)of;
	return has_both(row) && row->clock == GATE_CLOCK_WALL;
}

static void apply_to_rows(struct waiving *v)
{
	struct gate_row *row;
	struct target t;
	char *name;
	size_t i;

	for (i = 0; i < v->r->n_rows; i++) {
		row = &v->r->rows[i];
		name = gate_asprintf("%s/%s", row->bench, row->row);
		t = (struct target){&row->verdict,
				    &row->reason,
				    &row->waived,
				    row->slowdown,
				    name,
				    is_row,
				    row};
		apply_to(v, &t);
		free(name);
	}
}

static void apply_to_means(struct waiving *v)
{
	struct gate_suite *s = &v->r->suite;
	struct target t = {&s->verdict, &s->reason, &s->waived, s->slowdown,
			   "the suite", in_suite,   NULL};
	struct gate_group *g;
	struct target group;
	size_t i;

	for (i = 0; i < v->r->n_groups; i++) {
		g = &v->r->groups[i];
		group = (struct target){
			&g->verdict, &g->reason, &g->waived, g->slowdown,
			g->group,    in_group,   g};
		apply_to(v, &group);
	}
	if (s->present)
		apply_to(v, &t);
}

static void report(const struct waiving *v, size_t i)
{
	const struct gate_waiver *w = &v->w->items[i];
	const struct use *u = &v->uses[i];
	char worst[64] = "";

	if (u->first && !isnan(u->worst))
		snprintf(worst, sizeof worst, ", at most %+.2f %%",
			 100 * u->worst);
	if (expired(v, i)) {
		if (!u->first)
			gate_diags_add(&v->r->diags, GATE_DIAG_NOTE,
				       "waiver.expired",
				       "the waiver \"%s\" has expired on %s "
				       "and nothing needs it: remove it",
				       w->match, w->expires);
		return;
	}
	if (u->accepted)
		gate_diags_add(&v->r->diags, GATE_DIAG_WARNING, "waiver.used",
			       "\"%s\" until %s: %zu accepted%s%s, first %s: "
			       "%s",
			       w->match, w->expires, u->accepted, worst,
			       u->missing ? ", some missing" : "", u->first,
			       w->reason);
	if (u->beyond && isnan(w->max_slowdown))
		gate_diags_add(&v->r->diags, GATE_DIAG_WARNING, "waiver.beyond",
			       "\"%s\" accepts missing rows only: %zu are "
			       "slower%s",
			       w->match, u->beyond, worst);
	else if (u->beyond)
		gate_diags_add(&v->r->diags, GATE_DIAG_WARNING, "waiver.beyond",
			       "\"%s\" accepts %.4g %%: %zu beyond it%s",
			       w->match, 100 * w->max_slowdown, u->beyond,
			       worst);
	if (!u->first)
		gate_diags_add(&v->r->diags, GATE_DIAG_NOTE, "waiver.unused",
			       "nothing needs the waiver \"%s\" (until %s)",
			       w->match, w->expires);
}

static void find_matches(struct waiving *v)
{
	const struct gate_row *row;
	char *name;
	size_t i, k;

	for (i = 0; i < v->w->n; i++)
		v->matches[i] = gate_calloc(v->r->n_rows + 1, sizeof(bool));
	for (k = 0; k < v->r->n_rows; k++) {
		row = &v->r->rows[k];
		name = gate_asprintf("%s/%s", row->bench, row->row);
		for (i = 0; i < v->w->n; i++)
			v->matches[i][k] =
				!fnmatch(v->w->items[i].match, name, 0);
		free(name);
	}
}

void gate_waivers_apply(const struct gate_waivers *w, const char *today,
			struct gate_result *r)
{
	struct waiving v = {.w = w, .today = today, .r = r};
	size_t i;

	gate_diags_drop(&r->diags, "waiver.");
	if (!w->n)
		return;
	v.uses = gate_calloc(w->n, sizeof *v.uses);
	v.matches = gate_calloc(w->n, sizeof *v.matches);
	find_matches(&v);
	apply_to_rows(&v);
	apply_to_means(&v);
	for (i = 0; i < w->n; i++) {
		report(&v, i);
		free(v.uses[i].first);
		free(v.matches[i]);
	}
	free(v.uses);
	free(v.matches);
}
