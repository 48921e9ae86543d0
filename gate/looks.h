/*
 * Looks: one test over a growing number of rounds.
 *
 * By wall clock there are up to five looks, and each may spend its share of
 * the error, so that all of them together spend no more than one look at all
 * rounds would (the union bound: it needs no joint distribution, and holds
 * however many looks are taken). Measuring ends with the first look that finds
 * something slower, or that leaves nothing open. Exact rows have looks too,
 * and no error to spend.
 *
 * It knows numbers of rounds, not how they are measured; what a look decides
 * is left to gate/verdict.h.
 */
#ifndef GATE_LOOKS_H
#define GATE_LOOKS_H

#include "gate/verdict.h"

struct gate_looks {
	enum gate_clock clock;
	unsigned min, max; /* rounds before the first look, and at the last */
	/* private */
	unsigned rounds; /* at the latest look */
	struct gate_look_spec spec;
	struct gate_past *before; /* the latest look */
	struct gate_past *after;  /* it */
};

void gate_looks_init(struct gate_looks *l, enum gate_clock clock, unsigned min,
		     unsigned max);
void gate_looks_done(struct gate_looks *l);

/* After how many rounds to look next; `max` when no look is left. */
unsigned gate_looks_next(const struct gate_looks *l);

/*
 * Judges the rows of the clock in `r`, freshly paired, at `rounds` rounds.
 * `last`: no more rounds will come. What it left may then be changed (by
 * waivers), before gate_looks_record() takes it down.
 */
void gate_looks_decide(struct gate_looks *l, struct gate_result *r,
		       unsigned rounds, bool last);
/*
 * Adds the latest look to r->looks and remembers what passed. `runs` is what
 * was measured for it (struct gate_look). True when more rounds are wanted:
 * something is open, and nothing is slower.
 */
bool gate_looks_record(struct gate_looks *l, struct gate_result *r,
		       unsigned runs);
/* The latest look once more, on freshly paired rows. */
void gate_looks_repeat(const struct gate_looks *l, struct gate_result *r);

#endif
