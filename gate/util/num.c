#include "gate/util/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gate_num_u64(const char *s, size_t len, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	if (!len || len > 20)
		return false;
	for (i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		if (__builtin_mul_overflow(v, 10U, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

static bool digits(const char *s, size_t len, size_t *i)
{
	size_t start = *i;

	while (*i < len && s[*i] >= '0' && s[*i] <= '9')
		++*i;
	return *i > start;
}

/* JSON's grammar for numbers, also with a leading zero or plus. */
static bool number_shape(const char *s, size_t len)
{
	size_t i = 0;

	if (i < len && (s[i] == '-' || s[i] == '+'))
		i++;
	if (!digits(s, len, &i))
		return false;
	if (i < len && s[i] == '.') {
		i++;
		if (!digits(s, len, &i))
			return false;
	}
	if (i < len && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		if (i < len && (s[i] == '-' || s[i] == '+'))
			i++;
		if (!digits(s, len, &i))
			return false;
	}
	return i == len;
}

bool gate_num_double(const char *s, size_t len, double *ret)
{
	char buf[64];
	double v;

	if (!len || len >= sizeof buf || !number_shape(s, len))
		return false;
	memcpy(buf, s, len);
	buf[len] = '\0';
	v = strtod(buf, NULL);
	if (!isfinite(v))
		return false;
	*ret = v;
	return true;
}

/* snprintf() takes ten times as long, and most values are whole. */
static const char *print_whole(int64_t v, char buf[GATE_NUM_MAX])
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, power;
	size_t n = v < 0 ? 2 : 1, two;

	for (power = 10; power <= u; power *= 10)
		n++;
	buf[n] = '\0';
	for (; u >= 10; u /= 100) {
		two = (size_t)(u % 100);
		buf[--n] = (char)('0' + two % 10);
		buf[--n] = (char)('0' + two / 10);
	}
	if (n > (v < 0))
		buf[--n] = (char)('0' + u);
	if (v < 0)
		buf[0] = '-';
	return buf;
}

const char *gate_num_print(double v, char buf[GATE_NUM_MAX])
{
	int precision;

	if (!isfinite(v))
		return strcpy(buf, "null");
	/* Also makes -0 a plain 0. */
	if (fabs(v) < 1e15 && v == (double)(int64_t)v)
		return print_whole((int64_t)v, buf);
	for (precision = 15; precision <= 17; precision++) {
		snprintf(buf, GATE_NUM_MAX, "%.*g", precision, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

bool gate_num_duration_ms(const char *s, uint64_t *ret)
{
	static const struct {
		const char *suffix;
		double ms;
	} units[] = {{"ms", 1},     {"s", 1e3},         {"m", 60e3},
		     {"h", 3600e3}, {"d", 24 * 3600e3}, {"", 1e3}};
	size_t n = strlen(s), m, i;
	double v;

	for (i = 0; i < sizeof units / sizeof units[0]; i++) {
		m = strlen(units[i].suffix);
		if (n <= m || strcmp(s + n - m, units[i].suffix) != 0)
			continue;
		if (!gate_num_double(s, n - m, &v))
			continue;
		v *= units[i].ms;
		if (v < 0 || v > 366.0 * 24 * 3600e3)
			return false;
		*ret = (uint64_t)(v + 0.5);
		return true;
	}
	return false;
}
