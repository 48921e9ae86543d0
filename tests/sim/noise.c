#include "noise.h"

#include <math.h>
#include <stdbool.h>

const struct sim_family sim_quiet = {.name = "quiet",
				     .common_sd = 0.001,
				     .group_sd = 0.001,
				     .row_sd = 0.003,
				     .spread = 0.5};
const struct sim_family sim_clean = {.name = "clean",
				     .common_sd = 0.003,
				     .group_sd = 0.003,
				     .row_sd = 0.007,
				     .spread = 0.5};
const struct sim_family sim_contaminated = {.name = "contaminated",
					    .common_sd = 0.003,
					    .group_sd = 0.003,
					    .row_sd = 0.007,
					    .spread = 0.5,
					    .hit = 0.05,
					    .hit_from = 0.05,
					    .hit_to = 0.5};
const struct sim_family sim_noisy = {.name = "noisy",
				     .common_sd = 0.005,
				     .group_sd = 0.005,
				     .row_sd = 0.02,
				     .spread = 0.5};
const struct sim_family sim_bimodal = {.name = "bimodal",
				       .common_sd = 0.003,
				       .group_sd = 0.003,
				       .row_sd = 0.005,
				       .spread = 0.5,
				       .hit = 0.3,
				       .hit_from = 0.04,
				       .hit_to = 0.04};

static double hit(double share, double from, double to, struct sim_random *r)
{
	if (share <= 0 || sim_random_uniform(r) >= share)
		return 0;
	return log1p(from + (to - from) * sim_random_uniform(r));
}

static void measure_round(const struct sim_family *f, const double *sd,
			  size_t round, struct sim_random *r,
			  struct sim_data *ret)
{
	double common, group = 0, v;
	size_t i;
	int side;

	for (side = 0; side < 2; side++) {
		common = f->common_sd * sim_random_normal(r);
		for (i = 0; i < SIM_ROWS; i++) {
			if (i % SIM_GROUP_ROWS == 0)
				group = f->group_sd * sim_random_normal(r);
			v = common + group + sd[i] * sim_random_normal(r);
			v += hit(f->hit, f->hit_from, f->hit_to, r);
			ret->value[side][i][round] = v;
		}
	}
}

void sim_family_measure(const struct sim_family *f, const double *effect,
			double boot_sd, struct sim_random *r,
			struct sim_data *ret)
{
	double sd[SIM_ROWS], boot[2];
	size_t i, k;

	for (i = 0; i < SIM_ROWS; i++)
		sd[i] = f->row_sd * exp(f->spread * sim_random_normal(r));
	for (k = 0; k < SIM_ROUNDS; k++)
		measure_round(f, sd, k, r, ret);
	for (i = 0; i < SIM_ROWS; i++) {
		boot[0] = boot[1] = 0;
		if (boot_sd > 0) {
			boot[0] = boot_sd * sim_random_normal(r);
			boot[1] = boot_sd * sim_random_normal(r);
		}
		for (k = 0; k < SIM_ROUNDS; k++) {
			ret->value[0][i][k] += boot[0];
			ret->value[1][i][k] += boot[1] + effect[i];
		}
	}
}

const char *sim_kind_name(enum sim_kind k)
{
	static const char *const names[SIM_KINDS] = {
		[SIM_LOGNORMAL] = "lognormal, 1 %",
		[SIM_CONTAMINATED] = "7.5 % of values 5-50 % slower",
		[SIM_BIMODAL] = "30 % of values 4 % slower",
		[SIM_AR1] = "AR(1) drift, 2 %",
		[SIM_LINEAR] = "linear drift, 3 %",
		[SIM_STEP] = "one step of 5 %",
		[SIM_HEAVY] = "t(3) tails",
		[SIM_BOOT] = "boots differ by 1 %",
	};

	return names[k];
}

/* What a value has of its own. */
static double own(enum sim_kind k, struct sim_random *r)
{
	double z;

	if (k == SIM_HEAVY)
		return 0.007 * sim_random_t3(r);
	z = sim_random_normal(r);
	switch (k) {
	case SIM_LOGNORMAL:
		return 0.01 * z;
	case SIM_CONTAMINATED:
		return 0.007 * z + hit(0.075, 0.05, 0.5, r);
	case SIM_BIMODAL:
		return 0.005 * z + (sim_random_uniform(r) < 0.3 ? 0.04 : 0);
	case SIM_BOOT:
		return 0.007 * z + 0.01 * sim_random_normal(r);
	case SIM_AR1:
	case SIM_LINEAR:
	case SIM_STEP:
	case SIM_HEAVY:
	case SIM_KINDS:
	default:
		return 0.007 * z;
	}
}

/* The state of the machine over all runs of both sides. */
static void drift(enum sim_kind k, size_t runs, struct sim_random *r,
		  double *ret)
{
	const double rho = 0.9, sd = 0.02;
	size_t step = runs, i;

	if (k == SIM_STEP)
		step = 1 + sim_random_below(r, (unsigned)runs - 1);
	for (i = 0; i < runs; i++) {
		ret[i] = i >= step ? 0.05 : 0;
		if (k == SIM_LINEAR)
			ret[i] = 0.03 * (double)i / (double)(runs - 1);
		if (k == SIM_AR1 && i == 0)
			ret[i] = sd * sim_random_normal(r);
		else if (k == SIM_AR1)
			ret[i] =
				rho * ret[i - 1] +
				sd * sqrt(1 - rho * rho) * sim_random_normal(r);
	}
}

void sim_kind_measure(enum sim_kind k, size_t rounds, struct sim_random *r,
		      double *base, double *candidate)
{
	double machine[2 * SIM_ROUNDS];
	size_t i, first;

	drift(k, 2 * rounds, r, machine);
	for (i = 0; i < rounds; i++) {
		first = i % 2;
		base[i] = machine[2 * i + first] + own(k, r);
		candidate[i] = machine[2 * i + 1 - first] + own(k, r);
	}
}

double sim_ticks(double ticks, struct sim_random *r)
{
	double least = (double)INFINITY;
	double phase;
	int i;

	for (i = 0; i < 5; i++) {
		phase = sim_random_uniform(r);
		least = fmin(
			least,
			floor(ticks * exp(0.002 * fabs(sim_random_normal(r))) +
			      phase));
	}
	return least;
}
