/*
 * Waivers: slowdowns that the project has accepted, with a bound, a reason and
 * an end.
 *
 * gate-waivers.json is an array of {"match": "tcrypt/cts*", "max_slowdown":
 * 0.05, "reason": "...", "expires": "2027-01-31"}; "missing": true accepts that
 * a row is gone. A waiver turns no measurement into another: the row keeps its
 * numbers, and its verdict becomes pass with the waiver beside it.
 */
#ifndef GATE_WAIVER_H
#define GATE_WAIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/result.h"
#include "gate/util/error.h"

/* YYYY-MM-DD and its end. */
enum { GATE_DAY_MAX = 16 };

struct gate_waiver {
	char *match;         /* fnmatch on "bench/row", as in the policy */
	double max_slowdown; /* NAN: none accepted */
	bool missing;
	char *reason;
	char expires[GATE_DAY_MAX]; /* the last day that it holds */
};

struct gate_waivers {
	struct gate_waiver *items;
	size_t n, cap;
};

/* Faults are GATE_ECONFIG with their place. `path` is for messages. */
int gate_waivers_parse(const char *path, const char *text, size_t len,
		       struct gate_waivers *ret, struct gate_error *err);
void gate_waivers_done(struct gate_waivers *w);

/* Today in UTC, or the day of $SOURCE_DATE_EPOCH. */
void gate_waivers_today(char day[GATE_DAY_MAX]);

/*
 * Applies them to a decided result, before gate_conclude(). The last waiver
 * that matches a row and has not expired holds for it; for a group (or the
 * suite), the last that matches every row that both sides have of it. What each
 * waiver did, that it has expired or that nothing needs it is a diagnostic.
 */
void gate_waivers_apply(const struct gate_waivers *w, const char *today,
			struct gate_result *r);

#endif
