/*
 * The journal of a run directory: what was measured there, and of what.
 *
 * RUN/journal begins with the facts that make the test: commits, configuration,
 * jobs, host. A line is appended and synced after each round and each look, so
 * that a run which was ended at any moment, or which left rows open, goes on
 * where it stood: under the same facts, with the same looks, and so under the
 * same error budget. Under other facts it is another test and is refused. A
 * last line that was cut is as if it were not there.
 */
#ifndef GATE_JOURNAL_H
#define GATE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/result.h"
#include "gate/sample_set.h"
#include "gate/util/error.h"

struct gate_journal;

/* Is there one? */
bool gate_journal_exists(const char *run_dir);
/* Opens the one of `run_dir`, or begins one. gate_journal_free() ends it. */
int gate_journal_open(const char *run_dir, struct gate_journal **ret,
		      struct gate_error *err);
void gate_journal_free(struct gate_journal *j); /* NULL is fine */

/*
 * States facts of the test. A key is "class" or "class.name"; what the journal
 * does not hold yet of a class is written down, but when it holds facts of that
 * class already, all must be the same: GATE_EUSAGE with the first that is not.
 */
int gate_journal_state(struct gate_journal *j, const char *class_name,
		       const struct gate_fact *facts, size_t n,
		       struct gate_error *err);

/* Was this round measured? */
bool gate_journal_has(const struct gate_journal *j, enum gate_side side,
		      const char *job, unsigned round);
/* How many rounds it holds, over all. */
size_t gate_journal_rounds(const struct gate_journal *j);
int gate_journal_add(struct gate_journal *j, enum gate_side side,
		     const char *job, unsigned round, struct gate_error *err);

/* The first look of this clock after `rounds` rounds; 0: there was none. */
unsigned gate_journal_next_look(const struct gate_journal *j,
				enum gate_clock clock, unsigned rounds);
/* Adds it unless it is there. */
int gate_journal_look(struct gate_journal *j, enum gate_clock clock,
		      unsigned rounds, struct gate_error *err);

#endif
