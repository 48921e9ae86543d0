/*
 * The rules of other tools, on the same rounds.
 *
 * Each says of one row whether it calls the candidate slower, as the tool does
 * by default and row by row: none of them corrects for the number of rows.
 * Values are logarithms of time; the tools that compare one new value with
 * others take the first round's.
 */
#ifndef GATE_SIM_PEERS_H
#define GATE_SIM_PEERS_H

#include <stdbool.h>
#include <stddef.h>

struct sim_peer {
	const char *name;
	const char *rule;
	bool (*slower)(const double *base, const double *candidate, size_t n);
};

enum { SIM_PEERS = 6 };
extern const struct sim_peer sim_peers[SIM_PEERS];

#endif
