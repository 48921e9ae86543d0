/*
 * Random numbers for simulations: the same on every machine for a seed.
 */
#ifndef GATE_SIM_RANDOM_H
#define GATE_SIM_RANDOM_H

#include <stdint.h>

struct sim_random {
	uint64_t state[4];
};

void sim_random_seed(struct sim_random *r, uint64_t seed);
uint64_t sim_random_bits(struct sim_random *r);
/* In 0..n-1. */
unsigned sim_random_below(struct sim_random *r, unsigned n);
/* Between 0 and 1, neither of them. */
double sim_random_uniform(struct sim_random *r);
/* Of the standard normal, and of Student's t with 3 degrees of freedom. */
double sim_random_normal(struct sim_random *r);
double sim_random_t3(struct sim_random *r);

#endif
