#include "procedure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/looks.h"
#include "gate/stats.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"

static struct gate_row new_row(size_t i, bool job_a_group)
{
	size_t group = i / SIM_GROUP_ROWS;
	struct gate_row row = {
		.job = job_a_group ? gate_asprintf("job%zu", group)
				   : gate_strdup("job"),
		.clock = GATE_CLOCK_WALL,
		.bench = gate_strdup("sim"),
		.row = gate_asprintf("g%zu/row=%zu", group, i),
		.group = gate_asprintf("sim/g%zu", group),
		.unit = GATE_UNIT_NS_PER_OP,
		.better = GATE_LOWER,
		.verdict = GATE_V_INCONCLUSIVE,
	};
	struct gate_row_side *sides[] = {&row.base, &row.candidate};
	size_t s, k;

	for (s = 0; s < 2; s++) {
		sides[s]->rounds =
			gate_calloc(SIM_ROUNDS, sizeof *sides[s]->rounds);
		sides[s]->values =
			gate_calloc(SIM_ROUNDS, sizeof *sides[s]->values);
		for (k = 0; k < SIM_ROUNDS; k++)
			sides[s]->rounds[k] = (unsigned)k + 1;
	}
	return row;
}

struct gate_result *sim_result_new(bool job_a_group)
{
	struct gate_result *r = gate_result_new();
	struct gate_row row;
	size_t i;

	for (i = 0; i < SIM_ROWS; i++) {
		row = new_row(i, job_a_group);
		row.limits = gate_policy_limits(&r->policy, row.row, row.clock,
						row.unit);
		GATE_PUSH(r->rows, r->n_rows, r->cap_rows, row);
	}
	return r;
}

static void fill_side(struct gate_row_side *s, const double *log_value,
		      size_t rounds)
{
	double sorted[SIM_ROUNDS];
	size_t i;

	for (i = 0; i < rounds; i++)
		sorted[i] = s->values[i] = 1000 * exp(log_value[i]);
	gate_stats_sort(sorted, rounds);
	s->n = s->usable = rounds;
	s->median = gate_stats_median(sorted, rounds);
	s->min = sorted[0];
	s->max = sorted[rounds - 1];
}

void sim_result_fill(struct gate_result *r, size_t i, const double *base,
		     const double *candidate, size_t rounds)
{
	struct gate_row *row = &r->rows[i];

	fill_side(&row->base, base, rounds);
	fill_side(&row->candidate, candidate, rounds);
	row->pairs = rounds;
	row->verdict = GATE_V_INCONCLUSIVE;
}

static bool job_open(const struct gate_result *r, const char *job)
{
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		if (!strcmp(r->rows[i].job, job) && gate_row_open(&r->rows[i]))
			return true;
	return false;
}

/* Only jobs with an open row have been run again. */
static void measure(struct gate_result *r, const struct sim_data *data,
		    unsigned rounds, bool first, double *total)
{
	bool active[SIM_ROWS];
	size_t i;

	for (i = 0; i < SIM_ROWS; i++)
		active[i] = first ||
			    (i && !strcmp(r->rows[i].job, r->rows[i - 1].job)
				     ? active[i - 1]
				     : job_open(r, r->rows[i].job));
	for (i = 0; i < SIM_ROWS; i++) {
		if (!active[i])
			continue;
		*total += rounds - (first ? 0 : (double)r->rows[i].pairs);
		sim_result_fill(r, i, data->value[0][i], data->value[1][i],
				rounds);
	}
}

static void tell(const struct gate_result *r, struct sim_outcome *ret)
{
	size_t i;

	for (i = 0; i < r->n_rows; i++)
		ret->rows |= r->rows[i].verdict == GATE_V_REGRESSION;
	for (i = 0; i < r->n_groups; i++)
		ret->groups |= r->groups[i].verdict == GATE_V_REGRESSION;
	ret->suite = r->suite.present && r->suite.verdict == GATE_V_REGRESSION;
}

void sim_run(struct gate_result *r, const struct sim_data *data,
	     struct sim_outcome *ret)
{
	struct gate_looks looks;
	double total = 0;
	bool more = true;
	unsigned rounds;

	*ret = (struct sim_outcome){.result = r};
	r->n_looks = 0;
	gate_looks_init(&looks, GATE_CLOCK_WALL, 6, SIM_ROUNDS);
	for (rounds = 0; more && rounds < SIM_ROUNDS;) {
		bool first = rounds == 0;

		rounds = gate_looks_next(&looks);
		measure(r, data, rounds, first, &total);
		gate_looks_decide(&looks, r, rounds, rounds == SIM_ROUNDS);
		more = gate_looks_record(&looks, r, 0);
	}
	gate_looks_done(&looks);
	ret->rounds = rounds;
	ret->row_rounds = total / SIM_ROWS;
	tell(r, ret);
}
