#include "gate/progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gate/util/mem.h"
#include "gate/util/now.h"

struct gate_progress {
	pthread_mutex_t lock;
	bool quiet, rewrite, dirty;
	size_t done, expected, decided, rows;
	size_t timed; /* rounds that were really measured */
	double started;
};

struct gate_progress *gate_progress_new(bool quiet, bool plain)
{
	struct gate_progress *p = gate_alloc(sizeof *p);

	pthread_mutex_init(&p->lock, NULL);
	p->quiet = quiet;
	p->rewrite = !plain && isatty(STDERR_FILENO);
	return p;
}

/* Takes the rewritten line away, so that others can print. */
static void clear_line(struct gate_progress *p)
{
	if (p->dirty)
		fputs("\r\033[K", stderr);
	p->dirty = false;
}

void gate_progress_free(struct gate_progress *p)
{
	if (!p)
		return;
	clear_line(p);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void gate_progress_step(struct gate_progress *p, const char *fmt, ...)
{
	va_list ap;

	if (p->quiet)
		return;
	pthread_mutex_lock(&p->lock);
	clear_line(p);
	fputs("gate: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	pthread_mutex_unlock(&p->lock);
}

static void print_state(struct gate_progress *p, const char *job)
{
	double left = p->timed
			      ? (gate_now_s() - p->started) / (double)p->timed *
					(double)(p->expected - p->done)
			      : -1;

	clear_line(p);
	fprintf(stderr, "gate: round %zu of %zu", p->done, p->expected);
	if (job)
		fprintf(stderr, " (%s)", job);
	if (p->rows)
		fprintf(stderr, ", %zu of %zu rows decided", p->decided,
			p->rows);
	if (left >= 0 && p->done < p->expected)
		fprintf(stderr, ", about %d:%02d left", (int)left / 60,
			(int)left % 60);
	if (!p->rewrite)
		fputc('\n', stderr);
	p->dirty = p->rewrite;
	fflush(stderr);
}

void gate_progress_expect(struct gate_progress *p, size_t n)
{
	pthread_mutex_lock(&p->lock);
	if (!p->timed)
		p->started = gate_now_s();
	p->expected += n;
	pthread_mutex_unlock(&p->lock);
}

void gate_progress_round(struct gate_progress *p, const char *job, bool cached)
{
	pthread_mutex_lock(&p->lock);
	p->done++;
	p->timed += !cached;
	if (!p->quiet)
		print_state(p, job);
	pthread_mutex_unlock(&p->lock);
}

void gate_progress_decided(struct gate_progress *p, size_t decided, size_t rows)
{
	pthread_mutex_lock(&p->lock);
	p->decided = decided;
	p->rows = rows;
	if (!p->quiet)
		print_state(p, NULL);
	pthread_mutex_unlock(&p->lock);
}
