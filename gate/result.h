/*
 * The result: everything that a report says, as data.
 *
 * Verdict writes it, reporters read it, result.json is its written form. A
 * number that does not exist is NAN here and null there. All strings are owned
 * by the result (gate_result_free()).
 */
#ifndef GATE_RESULT_H
#define GATE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/diag.h"
#include "gate/policy.h"
#include "gate/sample_set.h"

enum gate_verdict {
	GATE_V_REGRESSION,
	GATE_V_PASS,
	GATE_V_IMPROVEMENT,
	GATE_V_PARKED,
	GATE_V_INCONCLUSIVE,
	GATE_V_INSUFFICIENT,
	GATE_V_UNRESOLVABLE,
	GATE_V_MISSING,
	GATE_V_NEW,
	GATE_V_FAILED,
	GATE_V_INCOMPARABLE
};
enum { GATE_VERDICTS = GATE_V_INCOMPARABLE + 1 };

const char *gate_verdict_name(enum gate_verdict v); /* "regression" ... */
bool gate_verdict_parse(const char *s, enum gate_verdict *ret);

/* What one side measured for one row: one value a round, in round order. */
struct gate_row_side {
	char *driver;     /* NULL when the benchmark names none */
	unsigned *rounds; /* ids of the rounds, ascending */
	double *values;   /* raw, collapsed over repeats; NAN: unusable */
	size_t n;         /* rounds with this row */
	size_t usable;    /* finite and positive values among them */
	double median, min, max; /* over usable values; NAN when none */
	double resolution;       /* largest printed step, in the row's unit */
	/* Instruction clock: the best value and the rounds that reached it. */
	double best;
	size_t best_rounds;
};

/* A slowdown that somebody has accepted, and what it was before. */
struct gate_waived {
	char *match;         /* the waiver's pattern */
	double max_slowdown; /* NAN: it accepts that the row is missing */
	char *reason;
	char *expires;          /* the last day it holds, YYYY-MM-DD */
	enum gate_verdict from; /* the verdict without it */
};

struct gate_row {
	char *job;
	enum gate_clock clock;
	char *bench;
	char *row;   /* without the bench */
	char *group; /* with the bench */
	enum gate_unit unit;
	enum gate_better better;
	struct gate_row_side base, candidate;
	bool driver_changed; /* paired by name although the driver differs */
	struct gate_limits limits;
	size_t pairs;    /* rounds usable on both sides */
	size_t dropped;  /* rounds of both sides with an unusable value */
	double slowdown; /* fraction, positive when slower */
	double ci[2];    /* 95 %, fractions */
	double p, p_holm, q_bh;
	double mde; /* smallest effect found with 90 % power */
	double h;   /* resolution as |error of the log ratio| */
	/* Tests that need no model of the noise, two-sided; shown beside the
	 * verdict, which does not hang on them: Mann and Whitney's of the
	 * sides, Wilcoxon's signed rank of the pairs. */
	double p_mw, p_sr;
	double hl, hl_ci[2]; /* Hodges and Lehmann's shift, 95 %, fractions */
	/* By wall clock: the rounds at the look that decided it; 0: none. */
	unsigned decided_at;
	enum gate_verdict verdict;
	char *reason;               /* one sentence */
	struct gate_waived *waived; /* NULL: by nobody; the verdict is pass */
};

struct gate_group {
	char *job;
	enum gate_clock clock;
	char *group;
	size_t rows;     /* that went into the mean */
	size_t of;       /* rows of the group that both sides have */
	double slowdown; /* geometric mean, fraction */
	double ci[2];
	double p, p_holm;
	double threshold;
	enum gate_verdict verdict;
	char *reason;
	struct gate_waived *waived;
};

/* The whole wall-clock suite; `present` false: too few groups for one. */
struct gate_suite {
	bool present;
	size_t groups;
	double slowdown;
	double ci[2];
	double p;
	enum gate_verdict verdict;
	char *reason;
	struct gate_waived *waived;
};

struct gate_commit {
	char *rev;    /* as the user said it; NULL for compare */
	char *commit; /* full hex id; NULL for compare */
	char *how;    /* how it was chosen */
};

/* A fact about a job, from the configuration and from its rounds. */
struct gate_job_info {
	char *name;
	char *runner; /* NULL for compare */
	enum gate_clock clock;
	char *bench;        /* or NULL */
	char *params;       /* one line, both sides alike */
	unsigned rounds[2]; /* measured, a side */
	bool allow_empty;
	/* A round whose child got a smaller share of a processor than this is
	 * contaminated. 0: nobody looked. */
	double cpu_share;
	unsigned contaminated[2]; /* rounds, a side */
	/* Boots that the rounds of a side came from; 0: nobody looked. */
	unsigned boots[2];
	/* All rounds of one side ran before all of the other. */
	bool blocked_order;
};

/* What one look decided, over all rows of one clock. */
struct gate_look {
	enum gate_clock clock;
	unsigned rounds;
	double alpha;         /* spent at this look; NAN under instructions */
	size_t decided, open; /* rows, after it */
	size_t regressions;   /* rows, groups and suites that it found slower */
	unsigned runs;        /* of a job on a side, measured for it */
};

/*
 * What the rounds by wall clock say of themselves. A/A: the base's rounds held
 * against each other, where nothing can differ but by noise.
 */
struct gate_check {
	bool present;
	size_t rows;      /* with enough rounds for an A/A */
	size_t apart;     /* of these, rows that differ by their threshold */
	bool rows_barred; /* so many that no single row may block */
	char *unsound;    /* why nothing by wall clock may block; NULL: may */
};

/* How many rounds rows by wall clock need (gate/plan.h), as far as the rounds
 * measured so far can tell. */
struct gate_plan {
	bool present;
	unsigned rounds;   /* that it was reckoned from */
	size_t rows;       /* that were tested */
	size_t enough;     /* of these, rows for which so many rounds suffice */
	unsigned half;     /* rounds needed by half of the rows */
	unsigned most;     /* and by all that any number of rounds can help */
	size_t too_coarse; /* rows that no number of rounds can help */
};

/* What base against base came to (gate/selftest.h). */
struct gate_selftest {
	bool present;
	unsigned splits;   /* of the rounds into two halves, each judged */
	unsigned distinct; /* at most so many of them differ */
	unsigned blocked;  /* splits that would have blocked */
	double at_most;    /* upper 95 % bound of the rate */
	char **advice;     /* sentences */
	size_t n_advice, cap_advice;
};

struct gate_fact {
	char *key;
	char *value;
};

struct gate_result {
	char *version; /* of the gate that measured; NULL: unknown */
	char *command; /* "run" or "compare" */
	/* ISO 8601 UTC; the only times in a result, and `seconds`. NULL: leave
	 * them out. */
	char *started;
	double seconds;
	int exit_code;
	char *outcome; /* regression, pass, inconclusive, error */
	char *reason;  /* one sentence */
	struct gate_commit base, candidate;
	struct gate_policy policy;
	struct gate_fact *host; /* ordered */
	size_t n_host, cap_host;
	char *order; /* "ABBA", "interleaved", "phases", "unknown" */
	struct gate_job_info *jobs;
	size_t n_jobs, cap_jobs;
	struct gate_look *looks;
	size_t n_looks, cap_looks;
	struct gate_row *rows;
	size_t n_rows, cap_rows;
	struct gate_group *groups;
	size_t n_groups, cap_groups;
	struct gate_suite suite;
	struct gate_check check;
	struct gate_plan plan;
	struct gate_selftest selftest;
	struct gate_diags diags;
};

struct gate_result *gate_result_new(void);
void gate_result_free(struct gate_result *r); /* NULL is fine */
void gate_waived_free(struct gate_waived *w); /* NULL is fine */
void gate_result_add_host(struct gate_result *r, const char *key,
			  const char *value);
/* Forgets rows, groups and suite, to be made anew with more rounds. */
void gate_result_clear(struct gate_result *r);
/* Rows of one verdict. */
size_t gate_result_count(const struct gate_result *r, enum gate_verdict v);

/*
 * result.json (DESIGN section 2), always the same bytes for the same result.
 * Caller frees.
 */
char *gate_result_json(const struct gate_result *r);
/* Reads one back; hostile input is GATE_ESYNTAX with line and column. */
int gate_result_parse(const char *path, const char *text, size_t len,
		      struct gate_result **ret, struct gate_error *err);
/* The same from a file (at most 1 GiB); "-" is standard input. */
int gate_result_load(const char *path, struct gate_result **ret,
		     struct gate_error *err);

#endif
