#include "gate/policy.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "gate/util/mem.h"

void gate_policy_init(struct gate_policy *p)
{
	*p = (struct gate_policy){
		.threshold = 0.03,
		.tolerated = 0.015,
		.group_threshold = 0.015,
		.group_tolerated = 0.0075,
		.suite_threshold = 0.01,
		.suite_tolerated = 0.005,
		.alpha = 0.01,
		.beta = 0.05,
		.insn_threshold = 0.005,
		.insn_group = 0.0025,
		.insn_floor = 2,
		.missing = GATE_FAIL,
		.driver_change = GATE_REPORT,
	};
}

void gate_policy_done(struct gate_policy *p)
{
	size_t i;

	for (i = 0; i < p->n_rules; i++)
		free(p->rules[i].match);
	free(p->rules);
	*p = (struct gate_policy){0};
}

void gate_policy_copy(struct gate_policy *to, const struct gate_policy *from)
{
	struct gate_rule rule;
	size_t i;

	gate_policy_done(to);
	*to = *from;
	to->rules = NULL;
	to->n_rules = to->cap_rules = 0;
	for (i = 0; i < from->n_rules; i++) {
		rule = from->rules[i];
		rule.match = gate_strdup(rule.match);
		GATE_PUSH(to->rules, to->n_rules, to->cap_rules, rule);
	}
}

struct gate_limits gate_policy_limits(const struct gate_policy *p,
				      const char *name, enum gate_clock clock,
				      enum gate_unit unit)
{
	bool insn = clock == GATE_CLOCK_INSTRUCTIONS;
	struct gate_limits l = {
		.threshold = insn ? p->insn_threshold : p->threshold,
		.tolerated = insn ? p->insn_threshold / 2 : p->tolerated,
	};
	const struct gate_rule *r;
	size_t i;

	if (insn && unit == GATE_UNIT_INSN_PER_OP) {
		l.floor = p->insn_floor;
		l.floor_unit = unit;
	}
	for (i = 0; i < p->n_rules; i++) {
		r = &p->rules[i];
		if ((r->has_clock && r->clock != clock) ||
		    fnmatch(r->match, name, 0) != 0)
			continue;
		l.rule = i + 1;
		if (!isnan(r->threshold)) {
			l.threshold = r->threshold;
			l.tolerated = r->threshold / 2;
		}
		if (!isnan(r->tolerated))
			l.tolerated = r->tolerated;
		if (r->floor_unit != GATE_UNIT_NONE && r->floor_unit == unit) {
			l.floor = r->floor;
			l.floor_unit = unit;
		}
		if (r->ignore >= 0)
			l.ignore = r->ignore > 0;
	}
	return l;
}
