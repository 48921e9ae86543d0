/*
 * Rows of one clock at work, inside the verdict stage.
 *
 * Effects are natural logarithms of ratios, positive when the candidate is
 * slower, whatever the unit; they become fractions where they enter the
 * result. What the whole of it comes to is left to gate/verdict.c.
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include "gate/result.h"
#include "gate/stats.h"
#include "gate/verdict.h"

/* Fewer pairs, and by wall clock nothing is judged; fewer rows, and there is
 * no group. */
enum { GATE_MIN_PAIRS = 6, GATE_MIN_GROUP = 5 };

/* Level of the two-sided intervals shown. */
#define GATE_INTERVAL 0.95

/* A row that both sides have. */
struct gate_judged {
	struct gate_row *row;
	size_t index;     /* of the row in the result */
	double *d;        /* its effect in each round that is usable on both */
	unsigned *rounds; /* sides, and the ids of these rounds */
	size_t n;
	size_t next; /* where a walk through the rounds stands */
	/* Wall clock: takes part in the family. Instruction clock: exact on
	 * both sides and finer than its print. */
	bool tested;
	bool apart;       /* its base differs from itself by the threshold */
	bool barred;      /* so it may not block, or no single row may */
	double threshold; /* wall clock: a fraction, the floor included */
	double median;
	double least_var;
	struct gate_stats_estimate e;
	double p_faster, p_faster_holm;
};

struct gate_judging {
	struct gate_result *result;
	const struct gate_look_spec *spec;
	enum gate_clock clock;
	struct gate_judged *rows;
	size_t n;
	struct gate_judged **family; /* those that are tested */
	size_t m;
	size_t size;     /* of the family: m, or more when a look tested more */
	double *scratch; /* as long as the family and the longest row */
	char **unsound;  /* a job of the result; NULL before the check */
};

/* A group; members[0] is the row of it that stands first. */
struct gate_judged_group {
	struct gate_judged **members; /* into gate_judged_groups.sorted */
	size_t n;
	struct gate_judged **complete; /* those that go into the mean */
	size_t k;
	double h; /* the largest of its rows */
	double at;
	/* wall clock */
	unsigned *rounds;
	double *d; /* the group's effect in each of these rounds */
	size_t n_rounds;
	double p, p_holm;
};

struct gate_judged_groups {
	struct gate_judged **sorted; /* all judged rows by group */
	struct gate_judged_group *items;
	size_t n, cap;
};

/* gate/judge.c: what both clocks share */
void gate_judge_init(struct gate_judging *w, struct gate_result *r,
		     enum gate_clock clock, const struct gate_look_spec *spec);
void gate_judge_done(struct gate_judging *w);

/* Finite and positive. */
bool gate_judge_usable(double v);
bool gate_judge_printed_zero(const struct gate_row_side *side);
double gate_judge_effect(enum gate_better better, double base,
			 double candidate);
/* In percent and without "-0.00", for print. */
double gate_judge_percent(double fraction);
/* Takes `reason`. */
void gate_judge_settle(struct gate_row *row, enum gate_verdict v, char *reason);
void gate_judge_settle_ignored(struct gate_row *row);

/* The groups, by the first of their rows. */
void gate_judge_find_groups(const struct gate_judging *w,
			    struct gate_judged_groups *ret);
/* Drops the groups that `ready` does not make ready for a test. */
void gate_judge_keep_groups(struct gate_judged_groups *gs,
			    bool (*ready)(struct gate_judged_group *));
void gate_judge_groups_done(struct gate_judged_groups *gs);
/* Adds it to the result as passed, without its test. Borrowed. */
struct gate_group *gate_judge_add_group(struct gate_judging *w,
					const struct gate_judged_group *g);

/* gate/past.c: true when an earlier look passed the row. */
bool gate_judge_past(const struct gate_past *p, const struct gate_row *row,
		     enum gate_verdict *verdict, unsigned *at);
size_t gate_judge_past_family(const struct gate_past *p);

/* gate/judge_check.c: fills result->check, from the rows that are tested. */
void gate_judge_check(struct gate_judging *w);
/* After it: why the rounds of this job cannot carry a verdict, or NULL. */
const char *gate_judge_unsound(const struct gate_judging *w, const char *job);

/* One look at all rows of a clock, with its groups. */
void gate_judge_wall(struct gate_judging *w);
void gate_judge_instructions(struct gate_judging *w);
/* gate/judge_groups.c: the second half of gate_judge_wall(). */
void gate_judge_groups(struct gate_judging *w);

#endif
