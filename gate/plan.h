/*
 * Planning: how many rounds would do.
 *
 * From what the rounds measured so far say of the noise. The noise of a mean
 * falls with the square root of the rounds; how far the resolution of a clock
 * goes does not. It reads what a look has found and decides nothing.
 */
#ifndef GATE_PLAN_H
#define GATE_PLAN_H

#include "gate/result.h"

/*
 * Rounds that a row by wall clock needs until a slowdown of its threshold is
 * found 9 times in 10. 0: no number of rounds helps, or nothing is known (the
 * row was not tested).
 */
unsigned gate_plan_rounds(const struct gate_row *row);
/* No number of rounds helps this tested row. */
bool gate_plan_too_coarse(const struct gate_row *row);
/* All rows of the wall clock; fills r->plan when one was tested. */
void gate_plan(struct gate_result *r);
/* r->plan in a sentence; NULL when there is none. Caller frees. */
char *gate_plan_text(const struct gate_plan *p);

#endif
