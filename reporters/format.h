/*
 * What the reports share: the order of rows, and how names, numbers and
 * sentences are written, so that two reports never say a thing in two ways.
 *
 * It knows no format: the text that it appends is plain, of one line, and not
 * yet escaped where it holds names (gate/util/text.h does that).
 */
#ifndef GATE_REPORTERS_FORMAT_H
#define GATE_REPORTERS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/result.h"
#include "gate/util/str.h"

/* Verdicts by how much they want attention. What was lost stands before what
 * got slower: nothing else is known about it. */
extern const enum gate_verdict gate_format_order[GATE_VERDICTS];
/* "slower than the policy allows": what the verdict says of its rows. */
const char *gate_format_meaning(enum gate_verdict v);
/* Does the row alone make the exit code 1? Missing rows and changed drivers do
 * so by policy. */
bool gate_format_blocks(const struct gate_result *r,
			const struct gate_row *row);

/*
 * All rows in the order above, the slowest first within a verdict, then as the
 * result has them. r->n_rows pointers; the caller frees the array.
 */
const struct gate_row **gate_format_sorted(const struct gate_result *r);

/* All groups alike, the worst first; r->n_groups pointers, the array is the
 * caller's to free. */
const struct gate_group **gate_format_groups(const struct gate_result *r);
/* Does the verdict of a group or the suite ask for nothing? */
bool gate_format_calm(enum gate_verdict v);

/* Rows of one group that went from one driver to one other. */
struct gate_format_change {
	const struct gate_row *row; /* the first of them */
	size_t rows;
	double least, most; /* slowdown; NAN when none has one */
};
/* In the order of the result. The caller frees the array. */
struct gate_format_change *gate_format_changes(const struct gate_result *r,
					       size_t *n);

/* "regression", "pass", "inconclusive", "could not measure". */
const char *gate_format_outcome(const struct gate_result *r);
/* The sentence of the result; counts when it has none. */
void gate_format_reason(const struct gate_result *r, struct gate_str *out);
/* "7 regression, 2 missing, 247 pass", in the order above. */
void gate_format_counts(const struct gate_result *r, struct gate_str *out);
/* "instructions, not time" or "wall clock". */
const char *gate_format_clock(enum gate_clock clock);
/* "qemu, 6 rounds a side, instructions, not time; PARAMS". */
void gate_format_job(const struct gate_job_info *job, struct gate_str *out);
/* The thresholds of the policy for one clock. */
void gate_format_limits(const struct gate_policy *p, enum gate_clock clock,
			struct gate_str *out);
/* Has the result anything under this clock? */
bool gate_format_has_clock(const struct gate_result *r, enum gate_clock clock);
/*
 * The command that measures the same two commits again; nothing, and false,
 * when they are not known. Safe to paste into a shell.
 */
bool gate_format_reproduce(const struct gate_result *r, struct gate_str *out);

/* "tcrypt/cbc(aes)/encrypt/key=128/block=16" */
void gate_format_name(const struct gate_row *row, struct gate_str *out);
/* What the row's name adds to its group's: "key=128/block=16". Borrowed. */
const char *gate_format_rest(const struct gate_row *row);
/* "A", "A -> B" when it changed; nothing when there is none. */
void gate_format_driver(const struct gate_row *row, struct gate_str *out);
/* The one number that stands for a side: its median by wall clock, its best
 * value under the instruction clock; NAN when it has none. */
double gate_format_center(const struct gate_row *row,
			  const struct gate_row_side *side);

/* Four digits and a decimal prefix ("1.234 M"), or all digits of a whole
 * number where they fit; "-" for NAN. Without the unit, for tables that have
 * it in their head. */
void gate_format_value(double v, enum gate_unit unit, struct gate_str *out);
/* With its unit: "1.234 M op/s", "1.342 GB/s", "12.50 ms", "748 insn/op". */
void gate_format_quantity(double v, enum gate_unit unit, struct gate_str *out);
/* "+2.81 %"; "0 %" only when it is exactly that, else "0.00 %"; "-" for NAN. */
void gate_format_percent(double fraction, struct gate_str *out);
/* "3 %", without a sign, with as many digits as it has. */
void gate_format_share(double fraction, struct gate_str *out);
/* "+1.20 .. +3.10 %" by wall clock; "exact", or which side is not, under the
 * instruction clock. */
void gate_format_certainty(const struct gate_row *row, struct gate_str *out);
void gate_format_interval(const double ci[2], struct gate_str *out);
/* "-0.12 % .. +0.20 %", or one number when both are the same. */
void gate_format_spread(double least, double most, struct gate_str *out);

#endif
