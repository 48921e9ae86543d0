/*
 * Self-test: what the machine makes of two equal sides.
 *
 * The rounds of base against base are split anew many times, in each pair of
 * rounds by the toss of a coin, and every split is paired and judged by the
 * code that judges a run. How often it would have blocked is the false alarm
 * rate that this machine achieves. The same rounds give the same numbers.
 */
#ifndef GATE_SELFTEST_H
#define GATE_SELFTEST_H

#include "gate/result.h"
#include "gate/sample_set.h"

/*
 * Fills r->selftest from samples of both sides and from the rows of the decided
 * result `r`, whose policy holds. The samples come back as they were.
 */
void gate_selftest(struct gate_sample_set *samples, struct gate_result *r);

#endif
