#include "random.h"

#include <math.h>

#include "gate/stats.h"

static uint64_t rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

/* xoshiro256** 1.0 (Blackman & Vigna, ACM Trans. Math. Softw. 47, 2021). */
uint64_t sim_random_bits(struct sim_random *r)
{
	uint64_t *s = r->state;
	uint64_t bits = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return bits;
}

/* splitmix64 (Steele, Lea & Flood, OOPSLA 2014) spreads the seed. */
void sim_random_seed(struct sim_random *r, uint64_t seed)
{
	uint64_t z;
	int i;

	for (i = 0; i < 4; i++) {
		seed += 0x9e3779b97f4a7c15U;
		z = seed;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
		r->state[i] = z ^ (z >> 31);
	}
}

unsigned sim_random_below(struct sim_random *r, unsigned n)
{
	return (unsigned)(sim_random_uniform(r) * n);
}

double sim_random_uniform(struct sim_random *r)
{
	return ((double)(sim_random_bits(r) >> 12) + 0.5) / 4503599627370496.0;
}

/* By inversion: one number in, one number out. */
double sim_random_normal(struct sim_random *r)
{
	return gate_stats_normal_quantile(sim_random_uniform(r));
}

double sim_random_t3(struct sim_random *r)
{
	double z = sim_random_normal(r);
	double sum = 0;
	double x;
	int i;

	for (i = 0; i < 3; i++) {
		x = sim_random_normal(r);
		sum += x * x;
	}
	return z / sqrt(sum / 3);
}
