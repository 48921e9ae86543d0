#include "gate/util/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "gate/util/mem.h"

struct slot {
	char *s; /* NULL: free */
	size_t len;
	uint64_t hash;
};

struct gate_pool {
	struct slot *slots; /* open addressing, `size` a power of two */
	size_t size;
	size_t used;
	size_t bytes; /* of the strings */
	uint64_t seed;
};

__extension__ typedef unsigned __int128 wide;

/* Both halves of a product depend on all bits of both factors. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	wide v = (wide)a * b;

	return (uint64_t)v ^ (uint64_t)(v >> 64);
}

/*
 * Eight bytes at a time. Seeded, since the strings come from logs that may be
 * hostile: nobody outside can make them collide.
 */
static uint64_t hash(const struct gate_pool *p, const char *s, size_t len)
{
	const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = p->seed ^ len, v;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&v, s, 8);
		h = mix(h ^ v, k);
	}
	v = 0;
	memcpy(&v, s, len);
	return mix(h ^ v, k ^ p->seed);
}

static struct slot *find(const struct gate_pool *p, const char *s, size_t len,
			 uint64_t h)
{
	size_t i = (size_t)h & (p->size - 1);

	while (p->slots[i].s &&
	       (p->slots[i].hash != h || p->slots[i].len != len ||
		memcmp(p->slots[i].s, s, len) != 0))
		i = (i + 1) & (p->size - 1);
	return &p->slots[i];
}

static void enlarge(struct gate_pool *p)
{
	struct slot *old = p->slots;
	size_t n = p->size, i;

	p->size = n ? 2 * n : 64;
	p->slots = gate_calloc(p->size, sizeof *p->slots);
	for (i = 0; i < n; i++)
		if (old[i].s)
			*find(p, old[i].s, old[i].len, old[i].hash) = old[i];
	free(old);
}

struct gate_pool *gate_pool_new(void)
{
	struct gate_pool *p = gate_alloc(sizeof *p);
	/* Sixteen bytes that the kernel drew for this process. */
	union {
		unsigned long address;
		const void *bytes;
	} drawn = {.address = getauxval(AT_RANDOM)};

	if (drawn.bytes)
		memcpy(&p->seed, drawn.bytes, sizeof p->seed);
	return p;
}

void gate_pool_free(struct gate_pool *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->size; i++)
		free(p->slots[i].s);
	free(p->slots);
	free(p);
}

const char *gate_pool_add(struct gate_pool *p, const char *s)
{
	struct slot *at;
	uint64_t h;
	size_t len;

	if (!s)
		return NULL;
	if (2 * (p->used + 1) > p->size)
		enlarge(p);
	len = strlen(s);
	h = hash(p, s, len);
	at = find(p, s, len, h);
	if (!at->s) {
		*at = (struct slot){gate_strndup(s, len), len, h};
		p->used++;
		/* With what malloc() adds. */
		p->bytes += len + 1 + 16;
	}
	return at->s;
}

size_t gate_pool_bytes(const struct gate_pool *p)
{
	return p->bytes + p->size * sizeof *p->slots;
}
