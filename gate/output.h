/*
 * Output: --report FORMAT[=FILE], rendered and written.
 *
 * A reporter only makes bytes; where they go is decided here.
 */
#ifndef GATE_OUTPUT_H
#define GATE_OUTPUT_H

#include "gate/cli.h"
#include "gate/result.h"

/* Checks all --report values of a command line; GATE_EUSAGE. */
int gate_output_check(const struct gate_cli *cli, struct gate_error *err);
/* Writes every report that was asked for; without any, text to standard
 * output. All are tried; the first fault is returned. */
int gate_output_write(const struct gate_cli *cli, const struct gate_result *r,
		      struct gate_error *err);

#endif
