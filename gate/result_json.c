/*
 * A result as JSON and back.
 *
 * One table a structure says which key holds which member, of what type and
 * within what range; the writer and the reader walk the same tables, so what
 * one writes the other reads. gate/result.schema.json states it for others.
 */
#include "gate/result.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/json.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

#define SCHEMA "gate-result/1"

enum {
	FILE_MAX = 1 << 30,
	ROWS_MAX = 1000000,
	LIST_MAX = 100000,
	HOST_MAX = 1000,
	/* Bytes of one string: written, and read (a byte that is no UTF-8
	 * becomes three). */
	TEXT_WRITE_MAX = 16384,
	TEXT_READ_MAX = 3 * TEXT_WRITE_MAX
};
#define COUNT_MAX 1e9
#define NO_CAP    SIZE_MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))

enum kind {
	TEXT,      /* char *; NULL is written as "" */
	TEXT_NULL, /* char *; null when NULL */
	TEXT_OPT,  /* char *; left out when NULL */
	NUMBER,    /* double, null when GATE_NAN; so are the next four */
	POSITIVE,  /* at least 0 */
	SLOWDOWN,  /* at least -1 */
	CHANCE,    /* 0 to 1 */
	LIMIT_OPT, /* at least 0; left out when NAN */
	SIZE,      /* size_t */
	UINT,      /* unsigned or int, never negative */
	BOOL,
	WORD,     /* an enum, by its name */
	UNIT,     /* enum gate_unit; null when NONE */
	INTERVAL, /* double[2]; null when either is NAN */
	OBJECT,
	LIST,
	CUSTOM
};

struct reader {
	const struct gate_json *json;
	struct gate_error *err;
};

struct words {
	const char *(*name)(unsigned v);
	unsigned n;
};

struct custom {
	/* Adds `key` to `o`, or leaves it out. */
	void (*write)(cJSON *o, const char *key, const void *at);
	/* `item` is never NULL. */
	int (*read)(const struct reader *rd, const cJSON *item, void *at);
	/* What it means that the key is not there; NULL: it must be. */
	void (*absent)(void *at);
};

struct field {
	const char *key; /* NULL ends a table */
	enum kind kind;
	size_t at;
	const void *more; /* words, list, custom, or the fields of an object */
};

struct list {
	size_t n_at, cap_at; /* from the start of the structure */
	size_t size;         /* of an element */
	size_t max;
	const struct field *fields;
};

static_assert(sizeof(enum gate_verdict) == sizeof(unsigned) &&
		      sizeof(enum gate_clock) == sizeof(unsigned) &&
		      sizeof(enum gate_unit) == sizeof(unsigned),
	      "enums are read and written as unsigned");

/* Writing */

static void add_text(cJSON *o, const char *key, const char *s)
{
	char *clipped;

	if (s && strlen(s) > TEXT_WRITE_MAX) {
		clipped = gate_strndup(s, TEXT_WRITE_MAX);
		gate_json_add_string(o, key, clipped);
		free(clipped);
	} else {
		gate_json_add_string(o, key, s);
	}
}

static cJSON *number(double v)
{
	return isfinite(v) ? cJSON_CreateNumber(v) : cJSON_CreateNull();
}

static unsigned get_unsigned(const void *p)
{
	unsigned v;

	memcpy(&v, p, sizeof v);
	return v;
}

static void *get_pointer(const void *p)
{
	void *v;

	memcpy(&v, p, sizeof v);
	return v;
}

static void write_interval(cJSON *o, const char *key, const double *ci)
{
	cJSON *a;

	if (!isfinite(ci[0]) || !isfinite(ci[1])) {
		cJSON_AddNullToObject(o, key);
		return;
	}
	a = cJSON_AddArrayToObject(o, key);
	cJSON_AddItemToArray(a, cJSON_CreateNumber(ci[0]));
	cJSON_AddItemToArray(a, cJSON_CreateNumber(ci[1]));
}

static void write_fields(cJSON *o, const struct field *f, const void *of);

static void write_list(cJSON *o, const struct field *f, const char *of)
{
	const struct list *l = f->more;
	const char *items = get_pointer(of + f->at);
	cJSON *a = cJSON_AddArrayToObject(o, f->key), *item;
	size_t n, i;

	memcpy(&n, of + l->n_at, sizeof n);
	for (i = 0; i < n; i++) {
		item = cJSON_CreateObject();
		write_fields(item, l->fields, items + i * l->size);
		cJSON_AddItemToArray(a, item);
	}
}

static void write_unit(cJSON *o, const char *key, unsigned unit)
{
	gate_json_add_string(
		o, key, unit ? gate_unit_name((enum gate_unit)unit) : NULL);
}

static void write_field(cJSON *o, const struct field *f, const char *of)
{
	const void *p = of + f->at;
	const struct words *words;
	const struct custom *custom;
	const char *s;

	switch (f->kind) {
	case TEXT:
		s = get_pointer(p);
		add_text(o, f->key, s ? s : "");
		break;
	case TEXT_NULL:
		add_text(o, f->key, get_pointer(p));
		break;
	case TEXT_OPT:
		if (get_pointer(p))
			add_text(o, f->key, get_pointer(p));
		break;
	case LIMIT_OPT:
		if (isnan(*(const double *)p))
			break;
		/* fallthrough */
	case NUMBER:
	case POSITIVE:
	case SLOWDOWN:
	case CHANCE:
		gate_json_add_number(o, f->key, *(const double *)p);
		break;
	case SIZE:
		gate_json_add_number(o, f->key, (double)*(const size_t *)p);
		break;
	case UINT:
		gate_json_add_number(o, f->key, get_unsigned(p));
		break;
	case BOOL:
		cJSON_AddBoolToObject(o, f->key, *(const bool *)p);
		break;
	case WORD:
		words = f->more;
		gate_json_add_string(o, f->key, words->name(get_unsigned(p)));
		break;
	case UNIT:
		write_unit(o, f->key, get_unsigned(p));
		break;
	case INTERVAL:
		write_interval(o, f->key, p);
		break;
	case OBJECT:
		write_fields(cJSON_AddObjectToObject(o, f->key), f->more, p);
		break;
	case LIST:
		write_list(o, f, of);
		break;
	case CUSTOM:
		custom = f->more;
		custom->write(o, f->key, p);
		break;
	}
}

static void write_fields(cJSON *o, const struct field *f, const void *of)
{
	for (; f->key; f++)
		write_field(o, f, of);
}

/* Reading */

static int fault(const struct reader *rd, const cJSON *item, const char *what)
{
	if (item->string)
		return gate_json_error(rd->json, item, GATE_ESYNTAX, rd->err,
				       "\"%s\" must be %s", item->string, what);
	return gate_json_error(rd->json, item, GATE_ESYNTAX, rd->err,
			       "must be %s", what);
}

static int read_text(const struct reader *rd, const cJSON *item, char **ret)
{
	if (!cJSON_IsString(item))
		return fault(rd, item, "a string");
	if (strlen(item->valuestring) > TEXT_READ_MAX)
		return fault(rd, item, "a shorter string (at most 48 KiB)");
	free(*ret);
	*ret = gate_strdup(item->valuestring);
	return GATE_OK;
}

static int read_double(const struct reader *rd, const cJSON *item, double min,
		       double max, double *ret)
{
	char what[128], lo[GATE_NUM_MAX], hi[GATE_NUM_MAX];

	/* What is too large for a double was read as infinite: no bound is. */
	if (cJSON_IsNumber(item) && item->valuedouble >= min &&
	    item->valuedouble <= max) {
		*ret = item->valuedouble;
		return GATE_OK;
	}
	if (min == -DBL_MAX)
		return fault(rd, item, "a number");
	if (max == DBL_MAX)
		snprintf(what, sizeof what, "a number of at least %s",
			 gate_num_print(min, lo));
	else
		snprintf(what, sizeof what, "a number from %s to %s",
			 gate_num_print(min, lo), gate_num_print(max, hi));
	return fault(rd, item, what);
}

static int read_count(const struct reader *rd, const cJSON *item, double min,
		      double max, double *ret)
{
	double v = 0;
	int rc;

	rc = read_double(rd, item, min, max, &v);
	if (!rc && v != floor(v))
		rc = fault(rd, item, "a whole number");
	if (!rc)
		*ret = v;
	return rc;
}

static int read_word(const struct reader *rd, const cJSON *item,
		     const struct words *words, unsigned *ret)
{
	unsigned i;

	if (!cJSON_IsString(item))
		return fault(rd, item, "a string");
	for (i = 0; i < words->n; i++)
		if (!strcmp(words->name(i), item->valuestring)) {
			*ret = i;
			return GATE_OK;
		}
	return gate_json_error(rd->json, item, GATE_ESYNTAX, rd->err,
			       "\"%s\" does not know \"%.64s\"", item->string,
			       item->valuestring);
}

static int read_unit(const struct reader *rd, const cJSON *item, unsigned *ret)
{
	enum gate_unit u = GATE_UNIT_NONE;

	if (cJSON_IsString(item))
		u = gate_unit_parse(item->valuestring);
	if (u == GATE_UNIT_NONE && !cJSON_IsNull(item))
		return fault(rd, item, "a unit that gate knows, or null");
	*ret = u;
	return GATE_OK;
}

static int read_interval(const struct reader *rd, const cJSON *item, double *ci)
{
	int rc;

	ci[0] = GATE_NAN;
	ci[1] = GATE_NAN;
	if (cJSON_IsNull(item))
		return GATE_OK;
	if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
		return fault(rd, item, "null or an array of two numbers");
	rc = read_double(rd, item->child, -1, DBL_MAX, &ci[0]);
	if (!rc)
		rc = read_double(rd, item->child->next, ci[0], DBL_MAX, &ci[1]);
	return rc;
}

static int read_fields(const struct reader *rd, const cJSON *o,
		       const struct field *f, void *of);

/* Allocates at once and counts as it goes, so that what was read of a faulty
 * list is freed. */
static int read_list(const struct reader *rd, const cJSON *item,
		     const struct field *f, char *of)
{
	const struct list *l = f->more;
	const cJSON *kid;
	size_t n = 0, total;
	char *items;
	int rc = GATE_OK;

	if (!cJSON_IsArray(item))
		return fault(rd, item, "an array");
	total = (size_t)cJSON_GetArraySize(item);
	if (total > l->max)
		return fault(rd, item, "a shorter array");
	if (!total)
		return GATE_OK;
	items = gate_calloc(total, l->size);
	memcpy(of + f->at, &items, sizeof items);
	if (l->cap_at != NO_CAP)
		memcpy(of + l->cap_at, &total, sizeof total);
	for (kid = item->child; kid && !rc; kid = kid->next) {
		n++;
		memcpy(of + l->n_at, &n, sizeof n);
		rc = read_fields(rd, kid, l->fields, items + (n - 1) * l->size);
	}
	return rc;
}

static int read_number(const struct reader *rd, const cJSON *item,
		       enum kind kind, double *ret)
{
	double min = kind == NUMBER ? -DBL_MAX : kind == SLOWDOWN ? -1 : 0;

	if (cJSON_IsNull(item) && kind != LIMIT_OPT) {
		*ret = GATE_NAN;
		return GATE_OK;
	}
	return read_double(rd, item, min, kind == CHANCE ? 1 : DBL_MAX, ret);
}

static int read_whole(const struct reader *rd, const cJSON *item,
		      enum kind kind, void *p)
{
	double v = 0;
	unsigned u;
	size_t z;
	int rc;

	rc = read_count(rd, item, 0, COUNT_MAX, &v);
	if (rc)
		return rc;
	u = (unsigned)v;
	z = (size_t)v;
	if (kind == UINT)
		memcpy(p, &u, sizeof u);
	else
		memcpy(p, &z, sizeof z);
	return GATE_OK;
}

static int read_string(const struct reader *rd, const cJSON *item,
		       const struct field *f, void *p)
{
	char *s = NULL;
	int rc = GATE_OK;

	if (f->kind != TEXT_NULL || !cJSON_IsNull(item))
		rc = read_text(rd, item, &s);
	if (!rc) {
		free(get_pointer(p));
		memcpy(p, &s, sizeof s);
	}
	return rc;
}

static int read_named(const struct reader *rd, const cJSON *item,
		      const struct field *f, void *p)
{
	unsigned v = 0;
	int rc;

	if (f->kind == UNIT)
		rc = read_unit(rd, item, &v);
	else
		rc = read_word(rd, item, f->more, &v);
	if (!rc)
		memcpy(p, &v, sizeof v);
	return rc;
}

static int read_field(const struct reader *rd, const cJSON *item,
		      const struct field *f, char *of)
{
	void *p = of + f->at;
	const struct custom *custom;

	switch (f->kind) {
	case TEXT:
	case TEXT_NULL:
	case TEXT_OPT:
		return read_string(rd, item, f, p);
	case NUMBER:
	case POSITIVE:
	case SLOWDOWN:
	case CHANCE:
	case LIMIT_OPT:
		return read_number(rd, item, f->kind, p);
	case SIZE:
	case UINT:
		return read_whole(rd, item, f->kind, p);
	case BOOL:
		if (!cJSON_IsBool(item))
			return fault(rd, item, "true or false");
		*(bool *)p = cJSON_IsTrue(item);
		return GATE_OK;
	case WORD:
	case UNIT:
		return read_named(rd, item, f, p);
	case INTERVAL:
		return read_interval(rd, item, p);
	case OBJECT:
		return read_fields(rd, item, f->more, p);
	case LIST:
		return read_list(rd, item, f, of);
	case CUSTOM:
		custom = f->more;
		return custom->read(rd, item, p);
	}
	return GATE_OK;
}

static int read_absent(const struct reader *rd, const cJSON *o,
		       const struct field *f, char *of)
{
	const struct custom *custom = f->kind == CUSTOM ? f->more : NULL;

	if (custom && custom->absent) {
		custom->absent(of + f->at);
		return GATE_OK;
	}
	if (f->kind == LIMIT_OPT) {
		*(double *)(void *)(of + f->at) = GATE_NAN;
		return GATE_OK;
	}
	if (f->kind == TEXT_OPT)
		return GATE_OK;
	return gate_json_error(rd->json, o, GATE_ESYNTAX, rd->err,
			       "\"%s\" is missing", f->key);
}

/* Keys that are not in the table are skipped: a later gate may write more. */
static int read_fields(const struct reader *rd, const cJSON *o,
		       const struct field *f, void *of)
{
	const cJSON *item;
	int rc = GATE_OK;

	if (!cJSON_IsObject(o))
		return fault(rd, o, "an object");
	for (; f->key && !rc; f++) {
		item = cJSON_GetObjectItemCaseSensitive(o, f->key);
		if (item)
			rc = read_field(rd, item, f, of);
		else
			rc = read_absent(rd, o, f, of);
	}
	return rc;
}

/* Names of enums */

static const char *clock_word(unsigned v)
{
	return gate_clock_name((enum gate_clock)v);
}

static const char *better_word(unsigned v)
{
	return gate_better_name((enum gate_better)v);
}

static const char *verdict_word(unsigned v)
{
	return gate_verdict_name((enum gate_verdict)v);
}

static const char *level_word(unsigned v)
{
	return gate_diag_level_name((enum gate_diag_level)v);
}

static const char *action_word(unsigned v)
{
	return v == GATE_FAIL ? "fail" : "report";
}

static const struct words clocks = {clock_word, 2};
static const struct words betters = {better_word, 2};
static const struct words verdict_words = {verdict_word, GATE_VERDICTS};
static const struct words levels = {level_word, 3};
static const struct words actions = {action_word, 2};

/* Floors: "2 insn/op", as in the configuration */

static void write_floor(cJSON *o, const char *key, double v,
			enum gate_unit unit)
{
	char num[GATE_NUM_MAX], text[GATE_NUM_MAX + 32];

	snprintf(text, sizeof text, "%s %s", gate_num_print(v, num),
		 gate_unit_name(unit));
	gate_json_add_string(o, key, text);
}

static int read_floor(const struct reader *rd, const cJSON *item, double *ret,
		      enum gate_unit *unit)
{
	const char *s, *blank;
	enum gate_unit u;
	double v = 0;

	s = cJSON_IsString(item) ? item->valuestring : "";
	blank = strchr(s, ' ');
	u = blank ? gate_unit_parse(blank + 1) : GATE_UNIT_NONE;
	if (!u || !gate_num_double(s, (size_t)(blank - s), &v) || v < 0)
		return fault(rd, item, "a number, a blank and a unit");
	*ret = v;
	*unit = u;
	return GATE_OK;
}

static void write_insn_floor(cJSON *o, const char *key, const void *at)
{
	const struct gate_policy *p = at;

	write_floor(o, key, p->insn_floor, GATE_UNIT_INSN_PER_OP);
}

static int read_insn_floor(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_policy *p = at;
	enum gate_unit unit = GATE_UNIT_NONE;
	int rc;

	rc = read_floor(rd, item, &p->insn_floor, &unit);
	if (!rc && unit != GATE_UNIT_INSN_PER_OP)
		rc = fault(rd, item, "in insn/op");
	return rc;
}

static const struct custom insn_floor = {write_insn_floor, read_insn_floor,
					 NULL};

static void write_limit_floor(cJSON *o, const char *key, const void *at)
{
	const struct gate_limits *l = at;

	if (l->floor_unit == GATE_UNIT_NONE)
		cJSON_AddNullToObject(o, key);
	else
		write_floor(o, key, l->floor, l->floor_unit);
}

static int read_limit_floor(const struct reader *rd, const cJSON *item,
			    void *at)
{
	struct gate_limits *l = at;

	if (cJSON_IsNull(item))
		return GATE_OK;
	return read_floor(rd, item, &l->floor, &l->floor_unit);
}

static const struct custom limit_floor = {write_limit_floor, read_limit_floor,
					  NULL};

static void write_rule_floor(cJSON *o, const char *key, const void *at)
{
	const struct gate_rule *r = at;

	if (r->floor_unit != GATE_UNIT_NONE)
		write_floor(o, key, r->floor, r->floor_unit);
}

static int read_rule_floor(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_rule *r = at;

	return read_floor(rd, item, &r->floor, &r->floor_unit);
}

/* Elements of lists are zeroed: no clock, no floor. */
static void unsaid(void *at)
{
	(void)at;
}

static const struct custom rule_floor = {write_rule_floor, read_rule_floor,
					 unsaid};

/* What a rule may leave unsaid */

static void write_rule_clock(cJSON *o, const char *key, const void *at)
{
	const struct gate_rule *r = at;

	if (r->has_clock)
		gate_json_add_string(o, key, gate_clock_name(r->clock));
}

static int read_rule_clock(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_rule *r = at;
	unsigned v = 0;
	int rc;

	rc = read_word(rd, item, &clocks, &v);
	if (!rc) {
		r->has_clock = true;
		r->clock = (enum gate_clock)v;
	}
	return rc;
}

static const struct custom rule_clock = {write_rule_clock, read_rule_clock,
					 unsaid};

static void write_rule_ignore(cJSON *o, const char *key, const void *at)
{
	const struct gate_rule *r = at;

	if (r->ignore >= 0)
		cJSON_AddBoolToObject(o, key, r->ignore > 0);
}

static int read_rule_ignore(const struct reader *rd, const cJSON *item,
			    void *at)
{
	struct gate_rule *r = at;

	if (!cJSON_IsBool(item))
		return fault(rd, item, "true or false");
	r->ignore = cJSON_IsTrue(item);
	return GATE_OK;
}

static void absent_rule_ignore(void *at)
{
	struct gate_rule *r = at;

	r->ignore = -1;
}

static const struct custom rule_ignore = {write_rule_ignore, read_rule_ignore,
					  absent_rule_ignore};

/* Values and the rounds they came from */

static void write_rounds(cJSON *o, const char *key, const void *at)
{
	const struct gate_row_side *s = at;
	cJSON *a = cJSON_AddArrayToObject(o, key);
	size_t i;

	for (i = 0; i < s->n; i++)
		cJSON_AddItemToArray(a, cJSON_CreateNumber(s->rounds[i]));
}

static int check_length(const struct reader *rd, const cJSON *item, size_t n)
{
	if (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != n)
		return fault(rd, item, "an array of \"n\" elements");
	return GATE_OK;
}

static int read_rounds(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_row_side *s = at;
	double v, least = 0;
	const cJSON *kid;
	size_t i = 0;
	int rc;

	rc = check_length(rd, item, s->n);
	if (rc)
		return rc;
	s->rounds = gate_calloc(s->n, sizeof *s->rounds);
	for (kid = item->child; kid && !rc; kid = kid->next) {
		v = 0;
		rc = read_count(rd, kid, least, COUNT_MAX, &v);
		s->rounds[i++] = (unsigned)v;
		least = v + 1;
	}
	return rc;
}

static const struct custom rounds = {write_rounds, read_rounds, NULL};

static void write_values(cJSON *o, const char *key, const void *at)
{
	const struct gate_row_side *s = at;
	cJSON *a = cJSON_AddArrayToObject(o, key);
	size_t i;

	for (i = 0; i < s->n; i++)
		cJSON_AddItemToArray(a, number(s->values[i]));
}

static int read_values(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_row_side *s = at;
	const cJSON *kid;
	size_t i = 0;
	int rc;

	rc = check_length(rd, item, s->n);
	if (rc)
		return rc;
	s->values = gate_calloc(s->n, sizeof *s->values);
	for (kid = item->child; kid && !rc; kid = kid->next, i++) {
		s->values[i] = GATE_NAN;
		if (!cJSON_IsNull(kid))
			rc = read_double(rd, kid, -DBL_MAX, DBL_MAX,
					 &s->values[i]);
	}
	return rc;
}

static const struct custom values = {write_values, read_values, NULL};

/* Tables */

#define AT(type, member) offsetof(struct gate_##type, member)

/* A waiver: an object where there is one, else nothing */

static const struct field waived_fields[] = {
	{"match", TEXT, AT(waived, match), NULL},
	{"max_slowdown", POSITIVE, AT(waived, max_slowdown), NULL},
	{"reason", TEXT, AT(waived, reason), NULL},
	{"expires", TEXT, AT(waived, expires), NULL},
	{"from", WORD, AT(waived, from), &verdict_words},
	{0},
};

static void write_waived(cJSON *o, const char *key, const void *at)
{
	const struct gate_waived *w = get_pointer(at);

	if (w)
		write_fields(cJSON_AddObjectToObject(o, key), waived_fields, w);
}

static int read_waived(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_waived *w = gate_alloc(sizeof *w);

	gate_waived_free(get_pointer(at));
	memcpy(at, &w, sizeof w);
	return read_fields(rd, item, waived_fields, w);
}

static const struct custom waived = {write_waived, read_waived, unsaid};

static const struct field side_fields[] = {
	{"n", SIZE, AT(row_side, n), NULL},
	{"usable", SIZE, AT(row_side, usable), NULL},
	{"median", NUMBER, AT(row_side, median), NULL},
	{"min", NUMBER, AT(row_side, min), NULL},
	{"max", NUMBER, AT(row_side, max), NULL},
	{"resolution", POSITIVE, AT(row_side, resolution), NULL},
	{"best", NUMBER, AT(row_side, best), NULL},
	{"best_rounds", SIZE, AT(row_side, best_rounds), NULL},
	{"rounds", CUSTOM, 0, &rounds},
	{"values", CUSTOM, 0, &values},
	{0},
};

static const struct field driver_fields[] = {
	{"base", TEXT_NULL, AT(row, base.driver), NULL},
	{"candidate", TEXT_NULL, AT(row, candidate.driver), NULL},
	{0},
};

static const struct field limit_fields[] = {
	{"threshold", POSITIVE, AT(limits, threshold), NULL},
	{"tolerated", POSITIVE, AT(limits, tolerated), NULL},
	{"floor", CUSTOM, 0, &limit_floor},
	{"ignore", BOOL, AT(limits, ignore), NULL},
	{"rule", SIZE, AT(limits, rule), NULL},
	{0},
};

/* Rank statistics, where there are some */

static const struct field ranks_fields[] = {
	{"p_mw", CHANCE, AT(row, p_mw), NULL},
	{"p_sr", CHANCE, AT(row, p_sr), NULL},
	{"hl", SLOWDOWN, AT(row, hl), NULL},
	{"hl_ci", INTERVAL, AT(row, hl_ci), NULL},
	{0},
};

static void write_ranks(cJSON *o, const char *key, const void *at)
{
	const struct gate_row *row = at;

	if (isfinite(row->p_mw) || isfinite(row->p_sr))
		write_fields(cJSON_AddObjectToObject(o, key), ranks_fields,
			     row);
}

static int read_ranks(const struct reader *rd, const cJSON *item, void *at)
{
	return read_fields(rd, item, ranks_fields, at);
}

static void absent_ranks(void *at)
{
	struct gate_row *row = at;

	row->p_mw = row->p_sr = GATE_NAN;
	row->hl = row->hl_ci[0] = row->hl_ci[1] = GATE_NAN;
}

static const struct custom ranks = {write_ranks, read_ranks, absent_ranks};

/* A number of rounds that is left out when there is none */

static void write_decided(cJSON *o, const char *key, const void *at)
{
	unsigned v = get_unsigned(at);

	if (v)
		gate_json_add_number(o, key, v);
}

static int read_decided(const struct reader *rd, const cJSON *item, void *at)
{
	return read_whole(rd, item, UINT, at);
}

static const struct custom decided = {write_decided, read_decided, unsaid};

static const struct field row_fields[] = {
	{"job", TEXT, AT(row, job), NULL},
	{"clock", WORD, AT(row, clock), &clocks},
	{"bench", TEXT, AT(row, bench), NULL},
	{"row", TEXT, AT(row, row), NULL},
	{"group", TEXT, AT(row, group), NULL},
	{"driver", OBJECT, 0, driver_fields},
	{"driver_changed", BOOL, AT(row, driver_changed), NULL},
	{"unit", UNIT, AT(row, unit), NULL},
	{"better", WORD, AT(row, better), &betters},
	{"base", OBJECT, AT(row, base), side_fields},
	{"candidate", OBJECT, AT(row, candidate), side_fields},
	{"pairs", SIZE, AT(row, pairs), NULL},
	{"dropped", SIZE, AT(row, dropped), NULL},
	{"slowdown", SLOWDOWN, AT(row, slowdown), NULL},
	{"ci", INTERVAL, AT(row, ci), NULL},
	{"p", CHANCE, AT(row, p), NULL},
	{"p_holm", CHANCE, AT(row, p_holm), NULL},
	{"q_bh", CHANCE, AT(row, q_bh), NULL},
	{"mde", POSITIVE, AT(row, mde), NULL},
	{"h", POSITIVE, AT(row, h), NULL},
	{"ranks", CUSTOM, 0, &ranks},
	{"decided_at", CUSTOM, AT(row, decided_at), &decided},
	{"limits", OBJECT, AT(row, limits), limit_fields},
	{"verdict", WORD, AT(row, verdict), &verdict_words},
	{"reason", TEXT, AT(row, reason), NULL},
	{"waiver", CUSTOM, AT(row, waived), &waived},
	{0},
};

static const struct field group_fields[] = {
	{"job", TEXT, AT(group, job), NULL},
	{"clock", WORD, AT(group, clock), &clocks},
	{"group", TEXT, AT(group, group), NULL},
	{"rows", SIZE, AT(group, rows), NULL},
	{"of", SIZE, AT(group, of), NULL},
	{"geomean_slowdown", SLOWDOWN, AT(group, slowdown), NULL},
	{"ci", INTERVAL, AT(group, ci), NULL},
	{"p", CHANCE, AT(group, p), NULL},
	{"p_holm", CHANCE, AT(group, p_holm), NULL},
	{"threshold", POSITIVE, AT(group, threshold), NULL},
	{"verdict", WORD, AT(group, verdict), &verdict_words},
	{"reason", TEXT, AT(group, reason), NULL},
	{"waiver", CUSTOM, AT(group, waived), &waived},
	{0},
};

static const struct field suite_fields[] = {
	{"groups", SIZE, AT(suite, groups), NULL},
	{"geomean_slowdown", SLOWDOWN, AT(suite, slowdown), NULL},
	{"ci", INTERVAL, AT(suite, ci), NULL},
	{"p", CHANCE, AT(suite, p), NULL},
	{"verdict", WORD, AT(suite, verdict), &verdict_words},
	{"reason", TEXT, AT(suite, reason), NULL},
	{"waiver", CUSTOM, AT(suite, waived), &waived},
	{0},
};

static void write_suite(cJSON *o, const char *key, const void *at)
{
	const struct gate_suite *s = at;

	if (s->present)
		write_fields(cJSON_AddObjectToObject(o, key), suite_fields, s);
	else
		cJSON_AddNullToObject(o, key);
}

static int read_suite(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_suite *s = at;

	if (cJSON_IsNull(item))
		return GATE_OK;
	s->present = true;
	return read_fields(rd, item, suite_fields, s);
}

static const struct custom suite = {write_suite, read_suite, NULL};

static const struct field check_fields[] = {
	{"rows", SIZE, AT(check, rows), NULL},
	{"apart", SIZE, AT(check, apart), NULL},
	{"rows_barred", BOOL, AT(check, rows_barred), NULL},
	{"unsound", TEXT_NULL, AT(check, unsound), NULL},
	{0},
};

static void write_check(cJSON *o, const char *key, const void *at)
{
	const struct gate_check *c = at;

	if (c->present)
		write_fields(cJSON_AddObjectToObject(o, key), check_fields, c);
}

static int read_check(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_check *c = at;

	c->present = true;
	return read_fields(rd, item, check_fields, c);
}

static const struct custom check = {write_check, read_check, unsaid};

static const struct field plan_fields[] = {
	{"rounds", UINT, AT(plan, rounds), NULL},
	{"rows", SIZE, AT(plan, rows), NULL},
	{"enough", SIZE, AT(plan, enough), NULL},
	{"half", UINT, AT(plan, half), NULL},
	{"most", UINT, AT(plan, most), NULL},
	{"too_coarse", SIZE, AT(plan, too_coarse), NULL},
	{0},
};

static void write_plan(cJSON *o, const char *key, const void *at)
{
	const struct gate_plan *p = at;

	if (p->present)
		write_fields(cJSON_AddObjectToObject(o, key), plan_fields, p);
}

static int read_plan(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_plan *p = at;

	p->present = true;
	return read_fields(rd, item, plan_fields, p);
}

static const struct custom plan = {write_plan, read_plan, unsaid};

static void write_advice(cJSON *o, const char *key, const void *at)
{
	const struct gate_selftest *s = at;
	cJSON *a = cJSON_AddArrayToObject(o, key);
	size_t i;

	for (i = 0; i < s->n_advice; i++)
		cJSON_AddItemToArray(a, cJSON_CreateString(s->advice[i]));
}

static int read_advice(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_selftest *s = at;
	const cJSON *kid;
	char *text;
	int rc = GATE_OK;

	if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) > HOST_MAX)
		return fault(rd, item, "an array of some strings");
	for (kid = item->child; kid && !rc; kid = kid->next) {
		text = NULL;
		rc = read_text(rd, kid, &text);
		if (!rc)
			GATE_PUSH(s->advice, s->n_advice, s->cap_advice, text);
	}
	return rc;
}

static const struct custom advice = {write_advice, read_advice, NULL};

static const struct field selftest_fields[] = {
	{"splits", UINT, AT(selftest, splits), NULL},
	{"distinct", UINT, AT(selftest, distinct), NULL},
	{"blocked", UINT, AT(selftest, blocked), NULL},
	{"rate_at_most", CHANCE, AT(selftest, at_most), NULL},
	{"advice", CUSTOM, 0, &advice},
	{0},
};

static void write_selftest(cJSON *o, const char *key, const void *at)
{
	const struct gate_selftest *s = at;

	if (s->present)
		write_fields(cJSON_AddObjectToObject(o, key), selftest_fields,
			     s);
}

static int read_selftest(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_selftest *s = at;

	s->present = true;
	return read_fields(rd, item, selftest_fields, s);
}

static const struct custom selftest = {write_selftest, read_selftest, unsaid};

static const struct field commit_fields[] = {
	{"rev", TEXT_NULL, AT(commit, rev), NULL},
	{"commit", TEXT_NULL, AT(commit, commit), NULL},
	{"how", TEXT_NULL, AT(commit, how), NULL},
	{0},
};

static const struct field policy_group_fields[] = {
	{"threshold", POSITIVE, AT(policy, group_threshold), NULL},
	{"tolerated", POSITIVE, AT(policy, group_tolerated), NULL},
	{0},
};

static const struct field policy_suite_fields[] = {
	{"threshold", POSITIVE, AT(policy, suite_threshold), NULL},
	{"tolerated", POSITIVE, AT(policy, suite_tolerated), NULL},
	{0},
};

static const struct field policy_insn_fields[] = {
	{"threshold", POSITIVE, AT(policy, insn_threshold), NULL},
	{"group", POSITIVE, AT(policy, insn_group), NULL},
	{"floor", CUSTOM, 0, &insn_floor},
	{0},
};

static const struct field rule_fields[] = {
	{"match", TEXT, AT(rule, match), NULL},
	{"clock", CUSTOM, 0, &rule_clock},
	{"threshold", LIMIT_OPT, AT(rule, threshold), NULL},
	{"tolerated", LIMIT_OPT, AT(rule, tolerated), NULL},
	{"floor", CUSTOM, 0, &rule_floor},
	{"ignore", CUSTOM, 0, &rule_ignore},
	{0},
};

/* A policy is never added to: it needs no capacity. */
static const struct list rules = {AT(policy, n_rules), NO_CAP,
				  sizeof(struct gate_rule), LIST_MAX,
				  rule_fields};

static const struct field policy_fields[] = {
	{"threshold", POSITIVE, AT(policy, threshold), NULL},
	{"tolerated", POSITIVE, AT(policy, tolerated), NULL},
	{"alpha", CHANCE, AT(policy, alpha), NULL},
	{"beta", CHANCE, AT(policy, beta), NULL},
	{"missing", WORD, AT(policy, missing), &actions},
	{"driver_change", WORD, AT(policy, driver_change), &actions},
	{"group", OBJECT, 0, policy_group_fields},
	{"suite", OBJECT, 0, policy_suite_fields},
	{"instructions", OBJECT, 0, policy_insn_fields},
	{"rows", LIST, AT(policy, rules), &rules},
	{0},
};

static const struct field job_rounds_fields[] = {
	{"base", UINT, AT(job_info, rounds[GATE_BASE]), NULL},
	{"candidate", UINT, AT(job_info, rounds[GATE_CANDIDATE]), NULL},
	{0},
};

/* How the processor was shared, where somebody looked */

static const struct field cpu_fields[] = {
	{"share", POSITIVE, AT(job_info, cpu_share), NULL},
	{"base", UINT, AT(job_info, contaminated[GATE_BASE]), NULL},
	{"candidate", UINT, AT(job_info, contaminated[GATE_CANDIDATE]), NULL},
	{0},
};

static void write_cpu(cJSON *o, const char *key, const void *at)
{
	const struct gate_job_info *job = at;

	if (job->cpu_share > 0)
		write_fields(cJSON_AddObjectToObject(o, key), cpu_fields, job);
}

static int read_cpu(const struct reader *rd, const cJSON *item, void *at)
{
	return read_fields(rd, item, cpu_fields, at);
}

static const struct custom cpu = {write_cpu, read_cpu, unsaid};

/* What makes a job's rounds unfit, where it is known */

static const struct field boots_fields[] = {
	{"base", UINT, AT(job_info, boots[GATE_BASE]), NULL},
	{"candidate", UINT, AT(job_info, boots[GATE_CANDIDATE]), NULL},
	{0},
};

static void write_boots(cJSON *o, const char *key, const void *at)
{
	const struct gate_job_info *job = at;

	if (job->boots[GATE_BASE] || job->boots[GATE_CANDIDATE])
		write_fields(cJSON_AddObjectToObject(o, key), boots_fields,
			     job);
}

static int read_boots(const struct reader *rd, const cJSON *item, void *at)
{
	return read_fields(rd, item, boots_fields, at);
}

static const struct custom boots = {write_boots, read_boots, unsaid};

static void write_blocked(cJSON *o, const char *key, const void *at)
{
	const struct gate_job_info *job = at;

	if (job->blocked_order)
		cJSON_AddTrueToObject(o, key);
}

static int read_blocked(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_job_info *job = at;

	if (!cJSON_IsBool(item))
		return fault(rd, item, "true or false");
	job->blocked_order = cJSON_IsTrue(item);
	return GATE_OK;
}

static const struct custom blocked = {write_blocked, read_blocked, unsaid};

static const struct field job_fields[] = {
	{"name", TEXT, AT(job_info, name), NULL},
	{"runner", TEXT_NULL, AT(job_info, runner), NULL},
	{"clock", WORD, AT(job_info, clock), &clocks},
	{"bench", TEXT_NULL, AT(job_info, bench), NULL},
	{"params", TEXT_NULL, AT(job_info, params), NULL},
	{"rounds", OBJECT, 0, job_rounds_fields},
	{"allow_empty", BOOL, AT(job_info, allow_empty), NULL},
	{"contaminated", CUSTOM, 0, &cpu},
	{"boots", CUSTOM, 0, &boots},
	{"blocked_order", CUSTOM, 0, &blocked},
	{0},
};

static const struct field look_fields[] = {
	{"clock", WORD, AT(look, clock), &clocks},
	{"rounds", UINT, AT(look, rounds), NULL},
	{"alpha", CHANCE, AT(look, alpha), NULL},
	{"decided", SIZE, AT(look, decided), NULL},
	{"open", SIZE, AT(look, open), NULL},
	{"regressions", SIZE, AT(look, regressions), NULL},
	{"runs", UINT, AT(look, runs), NULL},
	{0},
};

static const struct field diag_fields[] = {
	{"level", WORD, AT(diag, level), &levels},
	{"code", TEXT, AT(diag, code), NULL},
	{"message", TEXT, AT(diag, message), NULL},
	{0},
};

#define LIST_OF(member, fields, limit)                                         \
	{                                                                      \
		AT(result, n_##member), AT(result, cap_##member),              \
			sizeof *((struct gate_result *)0)->member, limit,      \
			fields                                                 \
	}

static const struct list jobs = LIST_OF(jobs, job_fields, LIST_MAX);
static const struct list looks = LIST_OF(looks, look_fields, LIST_MAX);
static const struct list rows = LIST_OF(rows, row_fields, ROWS_MAX);
static const struct list groups = LIST_OF(groups, group_fields, ROWS_MAX);
static const struct list diags = {AT(result, diags.n), AT(result, diags.cap),
				  sizeof(struct gate_diag), LIST_MAX,
				  diag_fields};

/* The times of a result stand together or not at all. */
static void write_seconds(cJSON *o, const char *key, const void *at)
{
	const struct gate_result *r = at;

	if (r->started)
		gate_json_add_number(o, key, r->seconds);
}

static int read_seconds(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_result *r = at;

	return read_double(rd, item, 0, DBL_MAX, &r->seconds);
}

static const struct custom seconds = {write_seconds, read_seconds, unsaid};

static void write_host(cJSON *o, const char *key, const void *at)
{
	const struct gate_result *r = at;
	cJSON *host = cJSON_AddObjectToObject(o, key);
	size_t i;

	for (i = 0; i < r->n_host; i++)
		add_text(host, r->host[i].key, r->host[i].value);
}

static int read_host(const struct reader *rd, const cJSON *item, void *at)
{
	struct gate_result *r = at;
	const cJSON *kid;
	char *value;
	int rc = GATE_OK;

	if (!cJSON_IsObject(item))
		return fault(rd, item, "an object");
	if (cJSON_GetArraySize(item) > HOST_MAX)
		return fault(rd, item, "an object with fewer keys");
	for (kid = item->child; kid && !rc; kid = kid->next) {
		value = NULL;
		rc = read_text(rd, kid, &value);
		if (!rc)
			gate_result_add_host(r, kid->string, value);
		free(value);
	}
	return rc;
}

static const struct custom host = {write_host, read_host, NULL};

/* How the rounds were laid out, in short; "jobs" and "looks" have the whole,
 * so that all but the order is skipped when read. */
static void write_design(cJSON *o, const char *key, const void *at)
{
	const struct gate_result *r = at;
	cJSON *design = cJSON_AddObjectToObject(o, key), *a;
	unsigned most = 0, last = 0;
	size_t i;

	for (i = 0; i < r->n_jobs; i++) {
		most = MAX(most, r->jobs[i].rounds[GATE_BASE]);
		most = MAX(most, r->jobs[i].rounds[GATE_CANDIDATE]);
	}
	add_text(design, "order", r->order);
	gate_json_add_number(design, "rounds", most);
	a = cJSON_AddArrayToObject(design, "looks");
	for (i = 0; i < r->n_looks; i++) {
		if (r->looks[i].rounds <= last)
			continue;
		last = r->looks[i].rounds;
		cJSON_AddItemToArray(a, cJSON_CreateNumber(last));
	}
}

static const struct field design_fields[] = {
	{"order", TEXT_NULL, AT(result, order), NULL},
	{0},
};

static int read_design(const struct reader *rd, const cJSON *item, void *at)
{
	return read_fields(rd, item, design_fields, at);
}

static const struct custom design = {write_design, read_design, NULL};

static void write_tool(cJSON *o, const char *key, const void *at)
{
	const struct gate_result *r = at;
	cJSON *tool = cJSON_AddObjectToObject(o, key);

	cJSON_AddStringToObject(tool, "name", "gate");
	add_text(tool, "version", r->version);
}

static const struct field tool_fields[] = {
	{"version", TEXT_NULL, AT(result, version), NULL},
	{0},
};

static int read_tool(const struct reader *rd, const cJSON *item, void *at)
{
	return read_fields(rd, item, tool_fields, at);
}

static const struct custom tool = {write_tool, read_tool, NULL};

static void write_schema(cJSON *o, const char *key, const void *at)
{
	(void)at;
	cJSON_AddStringToObject(o, key, SCHEMA);
}

static int read_schema(const struct reader *rd, const cJSON *item, void *at)
{
	(void)at;
	if (cJSON_IsString(item) && !strcmp(item->valuestring, SCHEMA))
		return GATE_OK;
	return fault(rd, item, "\"" SCHEMA "\", the form that this gate reads");
}

static const struct custom schema = {write_schema, read_schema, NULL};

static const struct field result_fields[] = {
	{"schema", CUSTOM, 0, &schema},
	{"tool", CUSTOM, 0, &tool},
	{"command", TEXT, AT(result, command), NULL},
	{"started", TEXT_OPT, AT(result, started), NULL},
	{"seconds", CUSTOM, 0, &seconds},
	{"outcome", TEXT, AT(result, outcome), NULL},
	{"exit_code", UINT, AT(result, exit_code), NULL},
	{"reason", TEXT, AT(result, reason), NULL},
	{"base", OBJECT, AT(result, base), commit_fields},
	{"candidate", OBJECT, AT(result, candidate), commit_fields},
	{"policy", OBJECT, AT(result, policy), policy_fields},
	{"host", CUSTOM, 0, &host},
	{"design", CUSTOM, 0, &design},
	{"jobs", LIST, AT(result, jobs), &jobs},
	{"looks", LIST, AT(result, looks), &looks},
	{"rows", LIST, AT(result, rows), &rows},
	{"groups", LIST, AT(result, groups), &groups},
	{"suite", CUSTOM, AT(result, suite), &suite},
	{"check", CUSTOM, AT(result, check), &check},
	{"plan", CUSTOM, AT(result, plan), &plan},
	{"selftest", CUSTOM, AT(result, selftest), &selftest},
	{"diagnostics", LIST, AT(result, diags.items), &diags},
	{0},
};

char *gate_result_json(const struct gate_result *r)
{
	cJSON *o = cJSON_CreateObject();
	char *text;

	write_fields(o, result_fields, r);
	text = gate_json_print(o, true);
	cJSON_Delete(o);
	return text;
}

/* What one table cannot say: members that must agree. */

static int check_commit(const struct reader *rd, const char *key,
			const struct gate_commit *c)
{
	const cJSON *item;
	size_t n;

	if (!c->commit)
		return GATE_OK;
	n = strspn(c->commit, "0123456789abcdef");
	if (!c->commit[n] && (n == 40 || n == 64))
		return GATE_OK;
	item = cJSON_GetObjectItemCaseSensitive(rd->json->root, key);
	item = cJSON_GetObjectItemCaseSensitive(item, "commit");
	return fault(rd, item, "a whole commit id in lower case, or null");
}

static int check_outcome(const struct reader *rd, const struct gate_result *r)
{
	static const char *const outcomes[] = {"pass", "regression", NULL,
					       "inconclusive", "error"};
	const size_t n = sizeof outcomes / sizeof outcomes[0];
	const size_t code = (size_t)r->exit_code;

	if (code < n && outcomes[code] && !strcmp(outcomes[code], r->outcome))
		return GATE_OK;
	return fault(
		rd,
		cJSON_GetObjectItemCaseSensitive(rd->json->root, "exit_code"),
		"the code of the outcome (pass 0, regression 1, "
		"inconclusive 3, error 4)");
}

/* A row, group or job without a name could not be told from another. */
static int check_names(const struct reader *rd, const struct gate_result *r)
{
	const cJSON *root = rd->json->root;
	const char *key = NULL;
	size_t i;

	for (i = 0; i < r->n_jobs; i++)
		if (!*r->jobs[i].name)
			key = "jobs";
	for (i = 0; i < r->n_rows; i++)
		if (!*r->rows[i].job || !*r->rows[i].bench ||
		    !*r->rows[i].row || !*r->rows[i].group)
			key = "rows";
	for (i = 0; i < r->n_groups; i++)
		if (!*r->groups[i].job || !*r->groups[i].group)
			key = "groups";
	if (!key)
		return GATE_OK;
	return fault(rd, cJSON_GetObjectItemCaseSensitive(root, key),
		     "an array of things that have names");
}

static int check_rows(const struct reader *rd, const struct gate_result *r)
{
	const cJSON *item =
		cJSON_GetObjectItemCaseSensitive(rd->json->root, "rows");
	const struct gate_row *row;
	size_t i;

	item = item->child;
	for (i = 0; i < r->n_rows; i++, item = item->next) {
		row = &r->rows[i];
		if (row->limits.rule > r->policy.n_rules)
			return gate_json_error(rd->json, item, GATE_ESYNTAX,
					       rd->err,
					       "\"rule\" is no rule of the "
					       "policy");
		if (row->base.usable > row->base.n ||
		    row->candidate.usable > row->candidate.n ||
		    row->base.best_rounds > row->base.n ||
		    row->candidate.best_rounds > row->candidate.n)
			return gate_json_error(rd->json, item, GATE_ESYNTAX,
					       rd->err,
					       "counts more rounds than the "
					       "row has");
	}
	return GATE_OK;
}

static int check_all(const struct reader *rd, const struct gate_result *r)
{
	int rc;

	rc = check_outcome(rd, r);
	if (!rc)
		rc = check_commit(rd, "base", &r->base);
	if (!rc)
		rc = check_commit(rd, "candidate", &r->candidate);
	if (!rc)
		rc = check_names(rd, r);
	if (!rc)
		rc = check_rows(rd, r);
	return rc;
}

int gate_result_parse(const char *path, const char *text, size_t len,
		      struct gate_result **ret, struct gate_error *err)
{
	struct gate_result *r;
	struct gate_json json = {0};
	struct reader rd = {&json, err};
	int rc;

	rc = gate_json_parse(path, text, len, GATE_ESYNTAX, &json, err);
	if (rc)
		return rc;
	r = gate_result_new();
	rc = read_fields(&rd, json.root, result_fields, r);
	if (!rc)
		rc = check_all(&rd, r);
	gate_json_done(&json);
	if (rc)
		gate_result_free(r);
	else
		*ret = r;
	return rc;
}

int gate_result_load(const char *path, struct gate_result **ret,
		     struct gate_error *err)
{
	char *text;
	size_t len;
	int rc;

	rc = gate_fs_read(path, FILE_MAX, &text, &len, err);
	if (rc)
		return rc;
	rc = gate_result_parse(path, text, len, ret, err);
	free(text);
	return rc;
}
