/*
 * Progress on standard error while rounds run: one line that is rewritten on a
 * terminal, plain lines otherwise. It never touches standard output.
 *
 * Safe to call from several threads.
 */
#ifndef GATE_PROGRESS_H
#define GATE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct gate_progress;

/* `quiet`: nothing at all; `plain`: never rewrite a line. */
struct gate_progress *gate_progress_new(bool quiet, bool plain);
void gate_progress_free(struct gate_progress *p); /* NULL is fine */

/* A step that began ("building abcdef0..."), on a line of its own. */
void gate_progress_step(struct gate_progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* `n` more rounds of both sides together are to be measured. */
void gate_progress_expect(struct gate_progress *p, size_t n);
/* One of them is done; `cached` ones say nothing of the time left. */
void gate_progress_round(struct gate_progress *p, const char *job, bool cached);
/* A look decided so many of so many rows. */
void gate_progress_decided(struct gate_progress *p, size_t decided,
			   size_t rows);

#endif
