#include "gate/roundlog.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "gate/util/num.h"

static const char magic[] = "# gate-round ";

/* Facts of a host, in one line. */
enum { HOST_MAX = 100 };

void gate_roundlog_encode(const char *s, struct gate_str *out)
{
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == '%' || *s == 0x7f)
			gate_str_addf(out, "%%%02X", (unsigned char)*s);
		else
			gate_str_putc(out, *s);
}

static void add_value(struct gate_str *out, const char *key, const char *s)
{
	gate_str_addf(out, " %s=", key);
	gate_roundlog_encode(s, out);
}

static void add_host(struct gate_str *out, const struct gate_fact *f)
{
	const char *s = f->key;

	gate_str_puts(out, " host.");
	for (; *s; s++)
		if (*s == '=')
			gate_str_puts(out, "%3D");
		else
			gate_roundlog_encode((const char[]){*s, '\0'}, out);
	gate_str_putc(out, '=');
	gate_roundlog_encode(f->value, out);
}

void gate_roundlog_line(const struct gate_roundlog *r, struct gate_str *out)
{
	size_t i;

	gate_str_addf(out, "# gate-round side=%s round=%u clock=%s",
		      gate_side_name(r->side), r->round,
		      gate_clock_name(r->clock));
	add_value(out, "job", r->job);
	if (r->slot)
		gate_str_addf(out, " slot=%u", r->slot);
	if (r->params)
		add_value(out, "params", r->params);
	if (r->cpu > 0)
		gate_str_addf(out, " cpu=%.3f", r->cpu);
	if (r->cpu_least > 0)
		gate_str_addf(out, " cpu-least=%.3f", r->cpu_least);
	for (i = 0; i < r->n_host; i++)
		add_host(out, &r->host[i]);
	gate_str_putc(out, '\n');
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

char *gate_roundlog_decode(const char *s, size_t len)
{
	struct gate_str out = {0};
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] == '%' && i + 2 < len && hex(s[i + 1]) >= 0 &&
		    hex(s[i + 2]) >= 0) {
			gate_str_putc(&out, (char)(hex(s[i + 1]) * 16 +
						   hex(s[i + 2])));
			i += 2;
		} else {
			gate_str_putc(&out, s[i]);
		}
	return gate_str_steal(&out);
}

static bool read_uint(const char *s, unsigned *ret)
{
	uint64_t v;

	if (!gate_num_u64(s, strlen(s), &v) || !v || v > 1000000)
		return false;
	*ret = (unsigned)v;
	return true;
}

static bool take(struct gate_roundlog *r, const char *key, const char *value)
{
	if (!strcmp(key, "side")) {
		r->side = strcmp(value, "base") ? GATE_CANDIDATE : GATE_BASE;
		return !strcmp(value, gate_side_name(r->side));
	}
	if (!strcmp(key, "round"))
		return read_uint(value, &r->round);
	if (!strcmp(key, "slot"))
		return read_uint(value, &r->slot);
	if (!strcmp(key, "clock"))
		return gate_clock_parse(value, &r->clock);
	if (!strcmp(key, "job")) {
		free(r->job);
		r->job = gate_strdup(value);
	} else if (!strcmp(key, "params")) {
		free(r->params);
		r->params = gate_strdup(value);
	} else if (!strcmp(key, "cpu")) {
		return gate_num_double(value, strlen(value), &r->cpu) &&
		       r->cpu >= 0;
	} else if (!strcmp(key, "cpu-least")) {
		return gate_num_double(value, strlen(value), &r->cpu_least) &&
		       r->cpu_least >= 0;
	} else if (gate_str_starts(key, "host.") && r->n_host < HOST_MAX) {
		GATE_PUSH(r->host, r->n_host, r->cap_host,
			  (struct gate_fact){.key = gate_strdup(key + 5),
					     .value = gate_strdup(value)});
	}
	return true; /* a later gate may say more */
}

bool gate_roundlog_parse(const char *data, size_t len, struct gate_roundlog *r,
			 size_t *body)
{
	const char *end = memchr(data, '\n', len), *p, *word, *eq;
	bool side = false, ok = true;
	char *key, *value;

	*r = (struct gate_roundlog){0};
	if (!end || len < sizeof magic - 1 ||
	    memcmp(data, magic, sizeof magic - 1) != 0)
		return false;
	for (p = data + sizeof magic - 1; ok && p < end; p = word + 1) {
		word = memchr(p, ' ', (size_t)(end - p));
		if (!word)
			word = end;
		eq = memchr(p, '=', (size_t)(word - p));
		if (!eq)
			continue;
		key = gate_roundlog_decode(p, (size_t)(eq - p));
		value = gate_roundlog_decode(eq + 1, (size_t)(word - eq - 1));
		side |= !strcmp(key, "side");
		ok = take(r, key, value);
		free(key);
		free(value);
	}
	if (!ok || !side || !r->round || !r->job) {
		gate_roundlog_done(r);
		return false;
	}
	r->contaminated = r->cpu > 0 && r->cpu < r->cpu_least;
	*body = (size_t)(end - data) + 1;
	return true;
}

void gate_roundlog_done(struct gate_roundlog *r)
{
	size_t i;

	for (i = 0; i < r->n_host; i++) {
		free(r->host[i].key);
		free(r->host[i].value);
	}
	free(r->host);
	free(r->job);
	free(r->params);
	*r = (struct gate_roundlog){0};
}
