/*
 * Rename rules: what the base calls one thing and the candidate another.
 *
 * They are applied to the base's samples before pairing, so that whatever
 * comes later knows one name only. Rows that lost their name without a rule are
 * missing, not guessed.
 */
#ifndef GATE_RENAME_H
#define GATE_RENAME_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/diag.h"
#include "gate/sample_set.h"

struct gate_rename {
	bool drivers;   /* else rows, by "bench/row" */
	char *from;     /* one '*' stands for any text */
	char *to;       /* where '*' is the same text */
	size_t samples; /* that were renamed */
};

struct gate_renames {
	struct gate_rename *items;
	size_t n, cap;
};

void gate_renames_done(struct gate_renames *r);

/* `text` renamed from `from` to `to`; NULL when `from` does not match it.
 * Caller frees. */
char *gate_rename_text(const char *from, const char *to, const char *text);
/* Renames the base's samples of `set` from index `first` on. The first rule
 * that matches holds, for the row and for the driver each. */
void gate_renames_apply(struct gate_renames *r, struct gate_sample_set *set,
			size_t first);
/* Says what each rule did. */
void gate_renames_report(const struct gate_renames *r, struct gate_diags *d);

#endif
