#include "gate/rename.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"

void gate_renames_done(struct gate_renames *r)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		free(r->items[i].from);
		free(r->items[i].to);
	}
	free(r->items);
	*r = (struct gate_renames){0};
}

char *gate_rename_text(const char *from, const char *to, const char *text)
{
	const char *star = strchr(from, '*'), *to_star = strchr(to, '*');
	size_t head, tail, len = strlen(text);

	if (!star)
		return strcmp(from, text) ? NULL : gate_strdup(to);
	head = (size_t)(star - from);
	tail = strlen(star + 1);
	if (len < head + tail || strncmp(from, text, head) != 0 ||
	    strcmp(star + 1, text + len - tail) != 0)
		return NULL;
	if (!to_star)
		return gate_strdup(to);
	return gate_asprintf("%.*s%.*s%s", (int)(to_star - to), to,
			     (int)(len - head - tail), text + head,
			     to_star + 1);
}

static void rename_driver(struct gate_renames *r, struct gate_sample_set *set,
			  size_t index)
{
	const struct gate_sample *s = &set->items[index].s;
	char *name = NULL;
	size_t i;

	for (i = 0; i < r->n && s->driver && !name; i++) {
		if (!r->items[i].drivers)
			continue;
		name = gate_rename_text(r->items[i].from, r->items[i].to,
					s->driver);
		r->items[i].samples += name != NULL;
	}
	if (name)
		gate_sample_set_rename(set, index, s->bench, s->row, name);
	free(name);
}

static void rename_row(struct gate_renames *r, struct gate_sample_set *set,
		       size_t index)
{
	const struct gate_sample *s = &set->items[index].s;
	char *full = gate_asprintf("%s/%s", s->bench, s->row);
	char *name = NULL, *slash;
	size_t i;

	for (i = 0; i < r->n && !name; i++) {
		if (r->items[i].drivers)
			continue;
		name = gate_rename_text(r->items[i].from, r->items[i].to, full);
		r->items[i].samples += name != NULL;
	}
	slash = name ? strchr(name, '/') : NULL;
	if (slash) {
		*slash = '\0';
		gate_sample_set_rename(set, index, name, slash + 1, s->driver);
	}
	free(name);
	free(full);
}

void gate_renames_apply(struct gate_renames *r, struct gate_sample_set *set,
			size_t first)
{
	size_t i;

	for (i = first; r->n && i < set->n; i++) {
		if (set->items[i].side != GATE_BASE)
			continue;
		rename_driver(r, set, i);
		rename_row(r, set, i);
	}
}

void gate_renames_report(const struct gate_renames *r, struct gate_diags *d)
{
	const struct gate_rename *rule;
	const char *what;
	size_t i;

	for (i = 0; i < r->n; i++) {
		rule = &r->items[i];
		what = rule->drivers ? "drivers" : "rows";
		if (rule->samples)
			gate_diags_add(d, GATE_DIAG_NOTE, "rename",
				       "%s \"%s\" of the base are compared as "
				       "\"%s\": %zu sample%s",
				       what, rule->from, rule->to,
				       rule->samples,
				       rule->samples == 1 ? "" : "s");
		else
			gate_diags_add(d, GATE_DIAG_WARNING, "rename.unused",
				       "the base has no %s \"%s\" to rename",
				       what, rule->from);
	}
}
