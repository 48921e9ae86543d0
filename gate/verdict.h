/*
 * The verdict: from paired rows and a policy to what blocks a merge.
 *
 * Wall clock: moderated Huber, Holm, groups and suite under one alpha, and
 * what the rounds say against themselves (r->check). Instruction clock: exact
 * best values. It fills the numbers, verdicts and
 * reasons of result->rows, makes result->groups and result->suite, and the
 * outcome. It reads nothing and prints nothing.
 */
#ifndef GATE_VERDICT_H
#define GATE_VERDICT_H

#include "gate/result.h"

struct gate_look_spec {
	/* Share of alpha and beta that this look may spend: 1 for a single
	 * look, (R_l - R_{l-1}) / R_last in a sequence. */
	double spend;
	/* No more rounds will come: what is open becomes inconclusive. */
	bool last;
	/* At least this many rounds were asked for: parking is allowed. */
	bool may_park;
	unsigned rounds; /* at this look; 0: those that each row has */
	/* What earlier looks decided; NULL: there was none. */
	const struct gate_past *past;
};

/*
 * What earlier looks at the same rows decided: a pass is final unless a later
 * look finds a regression, and the family never shrinks. Rows are paired anew
 * for each look, so they are known by their names here. gate/looks.h keeps it.
 */
struct gate_past;

struct gate_past *gate_past_new(void);
void gate_past_free(struct gate_past *p); /* NULL is fine */
/* Replaces *p by what the rows of `r` say after a look that had `before`. */
void gate_past_learn(struct gate_past *p, const struct gate_past *before,
		     const struct gate_result *r, enum gate_clock clock);

/*
 * Judges all rows whose clock is `clock`. May be called again on a result with
 * more rounds (rows freshly paired). Returns the number of open rows: those
 * that more rounds could still decide (always 0 when spec->last).
 */
size_t gate_decide(struct gate_result *r, enum gate_clock clock,
		   const struct gate_look_spec *spec);

/* Is the row one that another round may change? Valid after gate_decide(). */
bool gate_row_open(const struct gate_row *row);

/*
 * The rank statistics of each row by wall clock, for show: once, when all is
 * decided, since they take longer than deciding. gate_conclude() does it.
 */
void gate_cross_check(struct gate_result *r);

/*
 * The outcome, exit code (DESIGN section 1) and the sentence for the whole,
 * from rows, groups, suite and jobs.
 */
void gate_conclude(struct gate_result *r);

#endif
