#include "gate/util/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *p)
{
	static const char text[] = "gate: out of memory\n";

	if (!p) {
		/* The one exit outside main.c: nothing else can still work. */
		if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
			_exit(4);
		_exit(4);
	}
	return p;
}

void *gate_calloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *gate_alloc(size_t size)
{
	return gate_calloc(1, size);
}

char *gate_strndup(const char *s, size_t len)
{
	char *p;

	p = gate_calloc(len + 1, 1);
	memcpy(p, s, len);
	return p;
}

char *gate_strdup(const char *s)
{
	return s ? gate_strndup(s, strlen(s)) : NULL;
}

char *gate_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *p = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : p);
}

void gate_grow(void **array, size_t *cap, size_t need, size_t size)
{
	size_t n;
	char *p;

	if (need <= *cap)
		return;
	n = *cap + *cap / 2 + 8;
	if (n < need)
		n = need;
	if (n > SIZE_MAX / size)
		checked(NULL);
	p = checked(realloc(*array, n * size));
	memset(p + *cap * size, 0, (n - *cap) * size);
	*array = p;
	*cap = n;
}
