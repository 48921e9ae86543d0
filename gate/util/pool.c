#include "gate/util/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"

struct gate_pool {
	char **slots; /* open addressing, `size` a power of two */
	size_t size;
	size_t used;
};

/* FNV-1a, 64 bit. */
static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037U;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211U;
	return h;
}

static char **slot(struct gate_pool *p, const char *s)
{
	size_t i = (size_t)hash(s) & (p->size - 1);

	while (p->slots[i] && strcmp(p->slots[i], s) != 0)
		i = (i + 1) & (p->size - 1);
	return &p->slots[i];
}

static void enlarge(struct gate_pool *p)
{
	char **old = p->slots;
	size_t n = p->size, i;

	p->size = n ? 2 * n : 64;
	p->slots = gate_calloc(p->size, sizeof *p->slots);
	for (i = 0; i < n; i++)
		if (old[i])
			*slot(p, old[i]) = old[i];
	free(old);
}

struct gate_pool *gate_pool_new(void)
{
	return gate_alloc(sizeof(struct gate_pool));
}

void gate_pool_free(struct gate_pool *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->size; i++)
		free(p->slots[i]);
	free(p->slots);
	free(p);
}

const char *gate_pool_add(struct gate_pool *p, const char *s)
{
	char **at;

	if (!s)
		return NULL;
	if (2 * (p->used + 1) > p->size)
		enlarge(p);
	at = slot(p, s);
	if (!*at) {
		*at = gate_strdup(s);
		p->used++;
	}
	return *at;
}
