/*
 * Pairing: from the samples of both sides to rows with one value a round.
 *
 * Repeats inside a round are collapsed here (median by wall clock, best under
 * the instruction clock), rows meet by DESIGN section 2 (name, unit, driver;
 * then a changed driver; then incomparable), groups get their names. It judges
 * nothing but what needs no number: missing, new, failed, incomparable are
 * settled here as verdicts with their reason; all other rows leave it as
 * GATE_V_INCONCLUSIVE for the verdict stage.
 */
#ifndef GATE_PAIR_H
#define GATE_PAIR_H

#include "gate/result.h"
#include "gate/sample_set.h"

/*
 * Appends rows to result->rows, ordered by first appearance (base first), and
 * remarks to result->diags. Rows of different (job, clock) never meet.
 */
void gate_pair(const struct gate_sample_set *set, struct gate_result *result);

/* "tcrypt/cbc(aes)/encrypt" for ("tcrypt",
 * "cbc(aes)/encrypt/key=128/block=16"). Caller frees. */
char *gate_group_name(const char *bench, const char *row);

#endif
