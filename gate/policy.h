/*
 * The policy: how much slower is too much, and for which rows.
 *
 * Made by the configuration, read by the verdict, printed by reports. Fractions
 * throughout: 0.03 is 3 %.
 */
#ifndef GATE_POLICY_H
#define GATE_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/sample_set.h"

enum gate_action { GATE_REPORT = 0, GATE_FAIL = 1 };

/* What holds for one row after all rules. */
struct gate_limits {
	double threshold; /* tau: blocks from here on */
	double tolerated; /* tau0: slower than this must be shown */
	double floor;     /* absolute difference that must be reached too */
	enum gate_unit floor_unit; /* NONE: no floor */
	bool ignore;               /* measured and shown, never judged */
	size_t rule; /* 0: the defaults; k: policy.rows[k - 1] matched */
};

/* One entry of policy.rows; what was not given is NAN, or unset. */
struct gate_rule {
	char *match; /* fnmatch on "bench/row"; '*' crosses '/' */
	bool has_clock;
	enum gate_clock clock; /* only this clock, when has_clock */
	double threshold;
	double tolerated;
	double floor;
	enum gate_unit floor_unit; /* NONE: not given */
	int ignore;                /* -1: not given */
};

struct gate_policy {
	/* wall clock */
	double threshold, tolerated; /* rows */
	double group_threshold, group_tolerated;
	double suite_threshold, suite_tolerated;
	double alpha; /* family error of one gate run */
	double beta;  /* of one pass */
	/* instruction clock */
	double insn_threshold, insn_group;
	double insn_floor; /* in insn/op */
	enum gate_action missing;
	enum gate_action driver_change;
	struct gate_rule *rules;
	size_t n_rules, cap_rules;
};

/* The defaults of DESIGN section 9 and statistics section 6. */
void gate_policy_init(struct gate_policy *p);
void gate_policy_done(struct gate_policy *p);
/* Replaces *to, which was initialised, by a copy of *from. */
void gate_policy_copy(struct gate_policy *to, const struct gate_policy *from);
/*
 * What holds for the row `name` ("bench/row") under `clock` in `unit`: the
 * defaults of that clock, then every matching rule in order, each field of a
 * later match replacing an earlier one. `tolerated` is half the threshold
 * unless a rule gives it. A floor in another unit does not apply.
 */
struct gate_limits gate_policy_limits(const struct gate_policy *p,
				      const char *name, enum gate_clock clock,
				      enum gate_unit unit);

#endif
