#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

/*
 * Noise only ever adds instructions, and only sometimes: a best value that two
 * rounds reached is the value. Without a second witness it is a bound, good
 * for one direction only.
 */
static bool exact(const struct gate_row_side *side)
{
	return side->best_rounds >= 2;
}

static double base_resolution(const struct gate_row *row)
{
	return log1p(row->base.resolution / row->base.best);
}

static double insn_resolution(const struct gate_row *row)
{
	return fmax(base_resolution(row),
		    log1p(row->candidate.resolution / row->candidate.best));
}

/* How much slower in the row's own unit, at least 0. */
static double difference(const struct gate_row *row)
{
	double d = row->candidate.best - row->base.best;

	return fmax(row->better == GATE_HIGHER ? -d : d, 0);
}

static enum gate_verdict insn_verdict(const struct gate_row *row, double d)
{
	const struct gate_limits *l = &row->limits;
	double limit = log1p(l->threshold);
	double least = l->floor_unit == row->unit ? l->floor : 0;
	double step = fmax(row->base.resolution, row->candidate.resolution);

	if (exact(&row->candidate) && d - row->h >= limit && d - row->h > 0 &&
	    difference(row) >= least)
		return GATE_V_REGRESSION;
	if (exact(&row->base) && d + row->h < limit)
		return exact(&row->candidate) && d + row->h <= -limit
			       ? GATE_V_IMPROVEMENT
			       : GATE_V_PASS;
	/* Only the base can excuse a row: a candidate must not make itself too
	 * coarse to be judged. */
	if (base_resolution(row) > l->threshold / 2)
		return GATE_V_UNRESOLVABLE;
	/* A floor above one step: what stays below it is no regression however
	 * large a share of the row it is. */
	if (exact(&row->base) && difference(row) + step < least)
		return GATE_V_PASS;
	return GATE_V_INCONCLUSIVE;
}

static const char *witnesses(const struct gate_row *row)
{
	bool high = row->better == GATE_HIGHER;
	bool base = exact(&row->base);
	bool candidate = exact(&row->candidate);

	if (base && candidate)
		return high ? "both maxima seen in at least two rounds"
			    : "both minima seen in at least two rounds";
	if (base)
		return high ? "the candidate's maximum seen in one round only"
			    : "the candidate's minimum seen in one round only";
	if (candidate)
		return high ? "the base's maximum seen in one round only"
			    : "the base's minimum seen in one round only";
	return high ? "both maxima seen in one round only"
		    : "both minima seen in one round only";
}

static char *insn_reason(const struct gate_judging *w,
			 const struct gate_row *row, enum gate_verdict v)
{
	char base[GATE_NUM_MAX], candidate[GATE_NUM_MAX], least[GATE_NUM_MAX];
	struct gate_str s = {0};

	gate_str_addf(&s, "%+.2f %%%s (%s -> %s %s), threshold %.4g %%; %s",
		      gate_judge_percent(row->slowdown),
		      row->unit == GATE_UNIT_INSN_PER_OP ||
				      row->unit == GATE_UNIT_INSN
			      ? " instructions"
			      : "",
		      gate_num_print(row->base.best, base),
		      gate_num_print(row->candidate.best, candidate),
		      gate_unit_name(row->unit), 100 * row->limits.threshold,
		      witnesses(row));
	if (v == GATE_V_UNRESOLVABLE)
		gate_str_addf(&s,
			      "; one printed step is %.2f %%, more than half "
			      "of the threshold",
			      gate_judge_percent(expm1(row->h)));
	if (v == GATE_V_PASS &&
	    log1p(row->slowdown) + row->h >= log1p(row->limits.threshold))
		gate_str_addf(&s, "; less than the floor of %s %s",
			      gate_num_print(row->limits.floor, least),
			      gate_unit_name(row->unit));
	if (v == GATE_V_INCONCLUSIVE)
		gate_str_puts(&s, w->spec->last ? "; no rounds are left"
						: "; more rounds can tell");
	return gate_str_steal(&s);
}

static void decide_insn_row(const struct gate_judging *w, struct gate_judged *j)
{
	struct gate_row *row = j->row;
	bool coarse = base_resolution(row) > row->limits.threshold / 2;
	bool zero = gate_judge_printed_zero(&row->base);
	bool lost = gate_judge_printed_zero(&row->candidate);
	enum gate_verdict v;

	/* What the base cannot resolve may become 0. */
	zero |= lost && coarse;
	if (!zero && row->base.usable && row->candidate.usable) {
		j->e.at = gate_judge_effect(row->better, row->base.best,
					    row->candidate.best);
		row->h = insn_resolution(row);
		row->slowdown = expm1(j->e.at);
	}
	if (row->limits.ignore) {
		gate_judge_settle_ignored(row);
	} else if (zero) {
		gate_judge_settle(
			row, GATE_V_UNRESOLVABLE,
			gate_strdup("a printed value is 0: the print is too "
				    "coarse for this row"));
	} else if (lost) {
		gate_judge_settle(
			row, GATE_V_FAILED,
			gate_strdup("the candidate printed 0, which the base "
				    "never did"));
	} else if (isnan(row->slowdown)) {
		gate_judge_settle(
			row, GATE_V_INSUFFICIENT,
			gate_asprintf("no usable value on the %s",
				      row->base.usable ? "candidate" : "base"));
	} else {
		v = insn_verdict(row, j->e.at);
		gate_judge_settle(row, v, insn_reason(w, row, v));
		j->tested = v != GATE_V_UNRESOLVABLE && exact(&row->base) &&
			    exact(&row->candidate);
	}
}

/* The mean over rows that are exact on both sides and finer than their
 * print. */
static bool insn_group_ready(struct gate_judged_group *g)
{
	double *d = gate_calloc(g->n, sizeof *d);
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->members[i]->tested) {
			d[g->k] = g->members[i]->e.at;
			g->complete[g->k++] = g->members[i];
			g->h = fmax(g->h, g->members[i]->row->h);
		}
	/* In order of size: the order of rows is nothing to the sum. */
	gate_stats_sort(d, g->k);
	g->at = g->k ? gate_stats_mean(d, g->k) : 0;
	free(d);
	return g->k >= GATE_MIN_GROUP;
}

void gate_judge_instructions(struct gate_judging *w)
{
	struct gate_group *out;
	const struct gate_judged_group *g;
	struct gate_judged_groups gs;
	size_t i;

	for (i = 0; i < w->n; i++)
		decide_insn_row(w, &w->rows[i]);
	gate_judge_find_groups(w, &gs);
	gate_judge_keep_groups(&gs, insn_group_ready);
	for (i = 0; i < gs.n; i++) {
		g = &gs.items[i];
		out = gate_judge_add_group(w, g);
		out->threshold = w->result->policy.insn_group;
		if (g->at - g->h >= log1p(out->threshold) && g->at > g->h)
			out->verdict = GATE_V_REGRESSION;
		out->reason = gate_asprintf(
			"%+.2f %% instructions over %zu of %zu rows, threshold "
			"%.4g %%; largest printed step %.2g %%",
			gate_judge_percent(out->slowdown), g->k, g->n,
			100 * out->threshold, 100 * expm1(g->h));
	}
	gate_judge_groups_done(&gs);
}
