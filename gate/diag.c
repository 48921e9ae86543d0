#include "gate/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"

/* A log can repeat a fault without end; a report cannot. */
enum { DIAGS_MAX = 1000 };

const char *gate_diag_level_name(enum gate_diag_level level)
{
	switch (level) {
	case GATE_DIAG_NOTE:
		return "note";
	case GATE_DIAG_WARNING:
		return "warning";
	case GATE_DIAG_ERROR:
		return "error";
	}
	return "note";
}

void gate_diags_add(struct gate_diags *d, enum gate_diag_level level,
		    const char *code, const char *fmt, ...)
{
	struct gate_str s = {0};
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	gate_str_addv(&s, fmt, ap);
	va_end(ap);
	for (i = 0; i < d->n; i++)
		if (!strcmp(d->items[i].code, code) &&
		    !strcmp(d->items[i].message, gate_str_text(&s)))
			break;
	if (i == d->n && d->n < DIAGS_MAX)
		GATE_PUSH(d->items, d->n, d->cap,
			  (struct gate_diag){
				  .level = level,
				  .code = gate_strdup(code),
				  .message = gate_strdup(gate_str_text(&s))});
	gate_str_done(&s);
}

static void diag_done(struct gate_diag *d)
{
	free(d->code);
	free(d->message);
}

void gate_diags_drop(struct gate_diags *d, const char *prefix)
{
	size_t i, kept = 0;

	for (i = 0; i < d->n; i++)
		/* A result that was read half-way has halves in it. */
		if (d->items[i].code &&
		    gate_str_starts(d->items[i].code, prefix))
			diag_done(&d->items[i]);
		else
			d->items[kept++] = d->items[i];
	d->n = kept;
}

void gate_diags_done(struct gate_diags *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		diag_done(&d->items[i]);
	free(d->items);
	*d = (struct gate_diags){0};
}
