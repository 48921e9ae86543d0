/*
 * Does the verdict keep what it promises? Rounds whose truth is known go
 * through the verdict stage of the program; each check counts how often it
 * says what it should not, or fails to say what it should, and holds the rate
 * against its bound.
 *
 *   gate_sim          the whole table, some ten minutes
 *   gate_sim short    the same with few runs: a bound is broken when the count
 *                     would come up less than once in 1000 times were the rate
 *                     at the bound; also told by the exit code
 *   gate_sim speed    10000 rows of 30 rounds, timed
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/stats.h"
#include "gate/util/mem.h"
#include "gate/verdict.h"
#include "peers.h"
#include "procedure.h"

enum { SEED = 20260101, MANY = 1000, FEW = 30, PEER_ROUNDS = 10 };

static bool is_short;
static unsigned broken;
static struct sim_data data;

/* ---- bounds ---- */

/* P(X >= k) for X of n tries at p. */
static double binomial_tail(double k, double n, double p)
{
	double sum = 0;
	double i;

	for (i = k; i <= n; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) +
			   i * log(p) + (n - i) * log1p(-p));
	return sum;
}

static bool within(double count, double n, double least, double most)
{
	const double slack = 1e-3;

	if (!is_short)
		return count >= least * n && count <= most * n;
	if (most < 1 && most > 0 && binomial_tail(count, n, most) < slack)
		return false;
	if (most <= 0 && count > 0)
		return false;
	return least <= 0 || binomial_tail(n - count, n, 1 - least) >= slack;
}

/* A row of the table: what was counted, out of how many. */
static void check(const char *noise, const char *what, double count, double n,
		  double least, double most)
{
	bool ok = within(count, n, least, most);
	char bound[64];

	if (least > 0 && most < 1)
		snprintf(bound, sizeof bound, "%.3g to %.3g", least, most);
	else if (least > 0)
		snprintf(bound, sizeof bound, "at least %.3g", least);
	else
		snprintf(bound, sizeof bound, "at most %.3g", most);
	printf("| %s | %s | %.4f | %.0f | %s | %s |\n", noise, what, count / n,
	       n, bound, ok ? "yes" : "**NO**");
	fflush(stdout);
	broken += !ok;
}

static void check_mean(const char *noise, const char *what, double mean,
		       double n, double most)
{
	bool ok = mean <= most;

	printf("| %s | %s | %.1f | %.0f | at most %.3g | %s |\n", noise, what,
	       mean, n, most, ok ? "yes" : "**NO**");
	broken += !ok;
}

/* ---- the whole procedure ---- */

/* Which rows are slower: "one" of them, a group ("grp"), ten in ten groups, or
 * "all". */
struct scenario {
	const char *what;
	double percent;
};

static void make_effects(const struct scenario *s, double *effect)
{
	double d = log1p(s->percent / 100);
	size_t i;

	for (i = 0; i < SIM_ROWS; i++) {
		effect[i] = 0;
		if (!strcmp(s->what, "all") ||
		    (!strcmp(s->what, "grp") && i < SIM_GROUP_ROWS) ||
		    (!strcmp(s->what, "ten") && i % 30 == 0) ||
		    (!strcmp(s->what, "one") && i == 7))
			effect[i] = d;
	}
}

struct tally {
	unsigned n;
	unsigned blocked, rows, groups, suite;
	/* Found slower though the truth is no more than tolerated. */
	unsigned false_rows, false_groups, false_suite;
	double slow, missed; /* rows at the threshold or beyond; passed ones */
	double rounds, row_rounds;
};

static double mean_effect(const double *effect, size_t n)
{
	return gate_stats_mean(effect, n);
}

static void judge_truth(const struct gate_result *r, const double *effect,
			struct tally *t)
{
	const double e = 1e-9;
	bool row = false, group = false;
	size_t i, g;

	for (i = 0; i < SIM_ROWS; i++) {
		row |= r->rows[i].verdict == GATE_V_REGRESSION &&
		       effect[i] <= log1p(0.015) + e;
		if (effect[i] < log1p(0.03) - e)
			continue;
		t->slow++;
		t->missed += r->rows[i].verdict == GATE_V_PASS;
	}
	for (i = 0; i < r->n_groups; i++) {
		g = (size_t)strtoul(r->groups[i].group + 5, NULL, 10);
		group |= r->groups[i].verdict == GATE_V_REGRESSION &&
			 mean_effect(effect + g * SIM_GROUP_ROWS,
				     SIM_GROUP_ROWS) <= log1p(0.0075) + e;
	}
	t->false_rows += row;
	t->false_groups += group;
	t->false_suite += r->suite.present &&
			  r->suite.verdict == GATE_V_REGRESSION &&
			  mean_effect(effect, SIM_ROWS) <= log1p(0.005) + e;
}

static struct tally simulate(const struct sim_family *f,
			     const struct scenario *s, unsigned runs,
			     bool job_a_group)
{
	struct gate_result *r = sim_result_new(job_a_group);
	struct sim_random random;
	struct sim_outcome out;
	double effect[SIM_ROWS];
	struct tally t = {0};

	sim_random_seed(&random, SEED);
	make_effects(s, effect);
	for (; t.n < runs; t.n++) {
		sim_family_measure(f, effect, 0, &random, &data);
		sim_run(r, &data, &out);
		t.blocked += out.rows || out.groups || out.suite;
		t.rows += out.rows;
		t.groups += out.groups;
		t.suite += out.suite;
		t.rounds += out.rounds;
		t.row_rounds += out.row_rounds;
		judge_truth(r, effect, &t);
	}
	gate_result_free(r);
	return t;
}

static unsigned runs(unsigned many)
{
	return is_short ? FEW : many;
}

static const struct sim_family *const families[] = {
	&sim_quiet, &sim_clean, &sim_contaminated, &sim_noisy};
enum { FAMILIES = sizeof families / sizeof *families };

static void print_scenarios(void)
{
	static const struct scenario all[] = {
		{"null", 0},  {"all", 0.5}, {"all", 0.75}, {"all", 1},
		{"all", 1.5}, {"all", 2},   {"grp", 1.5},  {"grp", 2},
		{"grp", 3},   {"one", 3},   {"one", 4},    {"one", 5},
		{"one", 10},  {"ten", 4},   {"ten", 5},    {"ten", 10},
	};
	struct tally t;
	double n;
	size_t f, i;

	printf("\n## The procedure, by scenario\n\n"
	       "| noise | slower | blocks | false row | false group | false "
	       "suite | by row/group/suite | passed although 3 %% | rounds |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (f = 0; f < FAMILIES; f++)
		for (i = 0; i < sizeof all / sizeof *all; i++) {
			t = simulate(families[f], &all[i], 300, false);
			n = t.n;
			printf("| %s | %s %g %% | %.3f | %.4f | %.4f | %.4f | "
			       "%.2f/%.2f/%.2f | %.3f | %.1f |\n",
			       families[f]->name, all[i].what, all[i].percent,
			       t.blocked / n, t.false_rows / n,
			       t.false_groups / n, t.false_suite / n,
			       t.rows / n, t.groups / n, t.suite / n,
			       t.slow > 0 ? t.missed / t.slow : 0,
			       t.rounds / n);
			fflush(stdout);
		}
}

struct power {
	const struct sim_family *family;
	struct scenario scenario;
	double least, most;
};

static void check_power(void)
{
	static const struct power all[] = {
		{&sim_clean, {"one", 5}, 0.97, 1},
		{&sim_contaminated, {"one", 5}, 0.93, 1},
		{&sim_clean, {"one", 10}, 0.99, 1},
		{&sim_contaminated, {"one", 10}, 0.99, 1},
		{&sim_noisy, {"one", 10}, 0.95, 1},
		{&sim_clean, {"one", 4}, 0.93, 1},
		{&sim_contaminated, {"one", 4}, 0.85, 1},
		{&sim_clean, {"grp", 2}, 0.97, 1},
		{&sim_contaminated, {"grp", 2}, 0.97, 1},
		{&sim_noisy, {"grp", 2}, 0.90, 1},
		{&sim_clean, {"one", 3}, 0.45, 0.65},
	};
	char what[64];
	struct tally t;
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		t = simulate(all[i].family, &all[i].scenario, runs(MANY),
			     false);
		snprintf(what, sizeof what, "%s %g %%: blocks",
			 all[i].scenario.what, all[i].scenario.percent);
		check(all[i].family->name, what, t.blocked, t.n, all[i].least,
		      all[i].most);
	}
}

static void check_level(void)
{
	static const struct scenario null = {"null", 0}, worst = {"all", 1.5};
	static const double most[FAMILIES] = {8, 18, 30, 30};
	struct tally t;
	size_t i;

	for (i = 0; i < FAMILIES; i++) {
		t = simulate(families[i], &null, runs(MANY), false);
		check(families[i]->name, "no change: blocks", t.blocked, t.n, 0,
		      0.01);
		if (most[i] < SIM_ROUNDS)
			check_mean(families[i]->name, "no change: rounds",
				   t.rounds / t.n, t.n, most[i]);
		t = simulate(families[i], &null, runs(MANY / 2), true);
		check(families[i]->name,
		      "no change, jobs that are done dropped: blocks",
		      t.blocked, t.n, 0, 0.01);
		printf("| %s | the same: rounds of a row | %.1f | %u | | |\n",
		       families[i]->name, t.row_rounds / t.n, t.n);
		t = simulate(families[i], &worst, runs(MANY), false);
		check(families[i]->name, "all 1.5 %: a false row blocks",
		      t.false_rows, t.n, 0, 0.015);
	}
}

static void check_misses(void)
{
	static const struct scenario three = {"ten", 3};
	struct tally t;
	size_t i;

	for (i = 0; i < FAMILIES; i++) {
		t = simulate(families[i], &three, runs(300), false);
		check(families[i]->name, "rows 3 % slower: passed", t.missed,
		      t.slow, 0, 0.05);
	}
}

/* ---- single rows ---- */

/* H0 is no change at all here, so that the p of a row is what is tested. */
static void check_drift(void)
{
	struct gate_look_spec look = {.spend = 1, .last = true};
	struct gate_result *r = sim_result_new(false);
	double base[PEER_ROUNDS], candidate[PEER_ROUNDS];
	unsigned sets = is_short ? 10 : 40;
	struct sim_random random;
	double found;
	unsigned k, set;
	size_t i;

	for (i = 0; i < SIM_ROWS; i++)
		r->rows[i].limits.tolerated = 0;
	for (k = 0; k < SIM_KINDS; k++) {
		sim_random_seed(&random, SEED + k);
		found = 0;
		for (set = 0; set < sets; set++) {
			for (i = 0; i < SIM_ROWS; i++) {
				sim_kind_measure((enum sim_kind)k, PEER_ROUNDS,
						 &random, base, candidate);
				sim_result_fill(r, i, base, candidate,
						PEER_ROUNDS);
			}
			gate_decide(r, GATE_CLOCK_WALL, &look);
			for (i = 0; i < SIM_ROWS; i++)
				found += r->rows[i].p <= 0.025;
		}
		/* The bound is stated for drift; 0.035 is what bimodal noise
		 * is known to come to. */
		check(sim_kind_name((enum sim_kind)k),
		      "a row's p at most 0.025, 10 rounds", found,
		      (double)sets * SIM_ROWS, 0,
		      k == SIM_BIMODAL ? 0.036 : 0.032);
	}
	gate_result_free(r);
}

/* A row that knows its tick, alone in its family. */
static void check_ticks(void)
{
	static const double ticks[] = {20, 40};
	static const double percents[] = {0, 0.2, 0.5, 1};
	struct gate_look_spec look = {.spend = 1, .last = true};
	struct gate_result *r = sim_result_new(false);
	unsigned n = is_short ? 500 : 4000, found = 0, i;
	double value[2][PEER_ROUNDS], t;
	struct sim_random random;
	size_t k, p, round;

	sim_random_seed(&random, SEED);
	r->n_rows = 1;
	for (k = 0; k < 2; k++)
		for (p = 0; p < 4; p++)
			for (i = 0; i < n; i++) {
				t = ticks[k] *
				    (0.9 + 0.2 * sim_random_uniform(&random));
				for (round = 0; round < PEER_ROUNDS; round++) {
					value[0][round] =
						log(sim_ticks(t, &random));
					value[1][round] = log(sim_ticks(
						t * (1 + percents[p] / 100),
						&random));
				}
				sim_result_fill(r, 0, value[0], value[1],
						PEER_ROUNDS);
				r->rows[0].base.resolution = 1000;
				r->rows[0].candidate.resolution = 1000;
				gate_decide(r, GATE_CLOCK_WALL, &look);
				found +=
					r->rows[0].verdict == GATE_V_REGRESSION;
			}
	r->n_rows = SIM_ROWS;
	check("20-40 ticks", "at most 1 % slower: a regression", found, 8.0 * n,
	      0, 0);
	gate_result_free(r);
}

/* ---- what the run says of itself ---- */

static void check_refusals(void)
{
	static const char *const what[] = {
		"all of one side first: blocks",
		"five boots a side: blocks",
		"a quarter of the rounds contaminated: blocks",
		"five rounds: blocks",
	};
	struct gate_look_spec look = {.spend = 1, .last = true};
	struct gate_result *r = sim_result_new(false);
	struct gate_job_info job = {.name = gate_strdup("job"),
				    .rounds = {12, 12}};
	double effect[SIM_ROWS];
	struct scenario s = {"all", 10};
	struct sim_random random;
	unsigned n = is_short ? 5 : 50, i, blocks;
	size_t k, row;

	GATE_PUSH(r->jobs, r->n_jobs, r->cap_jobs, job);
	sim_random_seed(&random, SEED);
	make_effects(&s, effect);
	for (k = 0; k < 4; k++) {
		r->jobs[0].blocked_order = k == 0;
		r->jobs[0].boots[0] = k == 1 ? 5 : 12;
		r->jobs[0].contaminated[1] = k == 2 ? 3 : 0;
		for (i = blocks = 0; i < n; i++) {
			sim_family_measure(&sim_quiet, effect, 0, &random,
					   &data);
			for (row = 0; row < SIM_ROWS; row++)
				sim_result_fill(r, row, data.value[0][row],
						data.value[1][row],
						k == 3 ? 5 : 12);
			gate_decide(r, GATE_CLOCK_WALL, &look);
			gate_conclude(r);
			blocks += r->exit_code != 3;
		}
		check("quiet", what[k], blocks, n, 0, 0);
	}
	gate_result_free(r);
}

/* One boot a side for all rounds: what the verdict cannot see. */
static void print_boots(void)
{
	static const double sds[] = {0.002, 0.005, 0.01};
	struct gate_result *r = sim_result_new(false);
	double effect[SIM_ROWS] = {0};
	struct sim_random random;
	struct sim_outcome out;
	unsigned n = is_short ? FEW : 100, i, blocks;
	size_t k;

	for (k = 0; k < 3; k++) {
		sim_random_seed(&random, SEED);
		for (i = blocks = 0; i < n; i++) {
			sim_family_measure(&sim_clean, effect, sds[k], &random,
					   &data);
			sim_run(r, &data, &out);
			blocks += out.rows || out.groups || out.suite;
		}
		printf("| clean | no change, one boot a side, boots differ by "
		       "%.1f %%: blocks | %.4f | %u | (why it is refused) | "
		       "|\n",
		       100 * sds[k], (double)blocks / n, n);
	}
	gate_result_free(r);
}

/* Shares of rows that an A/A of ten rounds finds apart, by noise of a row. */
static void check_against_itself(void)
{
	static const struct {
		double sd, least, most;
	} all[] = {{0.007, 0, 0.006}, {0.015, 0.03, 0.05}, {0.03, 0.16, 0.22}};
	struct gate_look_spec look = {.spend = 1, .last = true};
	struct gate_result *r = sim_result_new(false);
	double effect[SIM_ROWS] = {0};
	struct sim_family f = sim_clean;
	unsigned n = is_short ? 10 : 200, i;
	struct sim_random random;
	char what[64];
	double apart;
	size_t k, row;

	for (k = 0; k < 3; k++) {
		sim_random_seed(&random, SEED);
		f.row_sd = all[k].sd;
		for (i = 0, apart = 0; i < n; i++) {
			sim_family_measure(&f, effect, 0, &random, &data);
			for (row = 0; row < SIM_ROWS; row++)
				sim_result_fill(r, row, data.value[0][row],
						data.value[1][row],
						PEER_ROUNDS);
			gate_decide(r, GATE_CLOCK_WALL, &look);
			apart += (double)r->check.apart;
		}
		snprintf(what, sizeof what, "A/A, rows of %.1f %%: apart",
			 100 * all[k].sd);
		check("clean", what, apart, (double)n * SIM_ROWS, all[k].least,
		      all[k].most);
	}
	gate_result_free(r);
}

/* ---- other tools ---- */

struct duel {
	unsigned red[SIM_PEERS];   /* runs with a row called slower */
	unsigned found[SIM_PEERS]; /* and with the slow row so called */
};

static struct duel compare_peers(const struct sim_family *f,
				 const struct scenario *s, unsigned n)
{
	struct sim_random random;
	double effect[SIM_ROWS];
	struct duel d = {0};
	bool red, slower;
	size_t p, i;

	sim_random_seed(&random, SEED);
	make_effects(s, effect);
	for (; n; n--) {
		sim_family_measure(f, effect, 0, &random, &data);
		for (p = 0; p < SIM_PEERS; p++) {
			red = false;
			for (i = 0; i < SIM_ROWS; i++) {
				slower = sim_peers[p].slower(data.value[0][i],
							     data.value[1][i],
							     PEER_ROUNDS);
				red |= slower;
				d.found[p] += slower && i == 7;
			}
			d.red[p] += red;
		}
	}
	return d;
}

static void print_peers(void)
{
	static const struct scenario null = {"null", 0}, five = {"one", 5},
				     ten = {"one", 10};
	static const struct scenario *const all[] = {&null, &five, &ten};
	unsigned n = is_short ? FEW : 300;
	struct duel d[3][FAMILIES];
	struct tally t[3][FAMILIES];
	size_t s, f, p;

	for (s = 0; s < 3; s++)
		for (f = 0; f < FAMILIES; f++) {
			d[s][f] = compare_peers(families[f], all[s], n);
			t[s][f] = simulate(families[f], all[s], n, false);
		}
	printf("\n## The same rounds by the rules of others\n\n"
	       "Of %u runs of 300 rows. Others have %d rounds, gate 6 to %d.\n"
	       "Each cell: quiet / clean / contaminated / noisy.\n\n"
	       "| tool | rule | red without a change | one row 5 %% slower: "
	       "found | one row 10 %% slower: found |\n|---|---|---|---|---|\n",
	       n, PEER_ROUNDS, SIM_ROUNDS);
	printf("| **gate** | this procedure |");
	for (s = 0; s < 3; s++)
		for (f = 0; f < FAMILIES; f++)
			printf(" %s%.1f %%%s", f ? "/ " : "",
			       100.0 * (s ? t[s][f].rows : t[s][f].blocked) / n,
			       f + 1 < FAMILIES ? "" : " |");
	printf("\n");
	for (p = 0; p < SIM_PEERS; p++) {
		printf("| %s | %s |", sim_peers[p].name, sim_peers[p].rule);
		for (s = 0; s < 3; s++)
			for (f = 0; f < FAMILIES; f++)
				printf(" %s%.1f %%%s", f ? "/ " : "",
				       100.0 *
					       (s ? d[s][f].found[p]
						  : d[s][f].red[p]) /
					       n,
				       f + 1 < FAMILIES ? "" : " |");
		printf("\n");
	}
	if (is_short)
		return;
	/* The same noise as elsewhere, so the rates that others report. */
	printf("\n| check | share of runs | bound | holds |\n"
	       "|---|---|---|---|\n");
	printf("| benchstat on clean rounds without a change | %.3f | 0.87 to "
	       "0.97 | %s |\n",
	       d[0][1].red[0] / (double)n,
	       d[0][1].red[0] >= 0.87 * n && d[0][1].red[0] <= 0.97 * n
		       ? "yes"
		       : "**NO**");
	broken += d[0][1].red[0] < 0.87 * n || d[0][1].red[0] > 0.97 * n;
}

/* ---- speed ---- */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Deciding, with groups and all that is shown. */
static int time_decision(void)
{
	enum { ROWS = 10000 };
	struct gate_look_spec look = {
		.spend = 1, .last = true, .may_park = true};
	struct gate_result *big = gate_result_new();
	struct gate_result *r = NULL;
	double effect[SIM_ROWS] = {0};
	struct sim_random random;
	double start, decided, concluded;
	size_t i;

	sim_random_seed(&random, SEED);
	while (big->n_rows < ROWS) {
		r = sim_result_new(false);
		sim_family_measure(&sim_clean, effect, 0, &random, &data);
		for (i = 0; i < SIM_ROWS; i++) {
			char *group = r->rows[i].group;

			sim_result_fill(r, i, data.value[0][i],
					data.value[1][i], SIM_ROUNDS);
			r->rows[i].group =
				gate_asprintf("%s/%zu", group, big->n_rows);
			free(group);
			if (big->n_rows < ROWS)
				GATE_PUSH(big->rows, big->n_rows, big->cap_rows,
					  r->rows[i]);
			else
				break;
		}
		/* Those that were moved are no longer its own. */
		memmove(r->rows, r->rows + i, (SIM_ROWS - i) * sizeof *r->rows);
		r->n_rows = SIM_ROWS - i;
		gate_result_free(r);
	}
	start = now();
	gate_decide(big, GATE_CLOCK_WALL, &look);
	decided = now();
	gate_conclude(big);
	concluded = now();
	printf("\n## Speed\n\n| %d rows of %d rounds | seconds of CPU |\n"
	       "|---|---|\n| to decide | %.3f |\n"
	       "| with the rank statistics and the conclusion | %.3f |\n",
	       ROWS, SIM_ROUNDS, decided - start, concluded - start);
	i = concluded - start < 1;
	gate_result_free(big);
	return i ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "speed"))
		return time_decision();
	is_short = argc > 1 && !strcmp(argv[1], "short");
	printf("## What it promises\n\nSeed %d.%s\n\n"
	       "| noise | check | measured | of | required | holds |\n"
	       "|---|---|---|---|---|---|\n",
	       SEED,
	       is_short ? " Few runs: a bound counts as broken when so many or "
			  "so few would come up less than once in 1000 times."
			: "");
	check_level();
	check_power();
	check_misses();
	check_drift();
	check_ticks();
	check_refusals();
	check_against_itself();
	print_boots();
	print_peers();
	if (!is_short) {
		print_scenarios();
		broken += time_decision() != 0;
	}
	printf("\n%u bound%s broken.\n", broken, broken == 1 ? "" : "s");
	return broken != 0;
}
