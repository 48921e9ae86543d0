#include "parsers/decimal.h"

#include "gate/util/num.h"

enum { DECIMALS_MAX = 15 };

static size_t digits(struct gate_scan *s)
{
	const char *start = s->p;

	while (s->p < s->end && gate_scan_digit(*s->p))
		s->p++;
	return (size_t)(s->p - start);
}

bool gate_decimal_scan(struct gate_scan *s, struct gate_decimal *ret)
{
	struct gate_scan t = *s;
	size_t decimals = 0;
	const char *start;
	double scale = 1;

	gate_scan_blanks(&t);
	start = t.p;
	if (t.p < t.end && *t.p == '-')
		t.p++;
	if (!digits(&t)) {
		s->ended |= t.p == t.end;
		return false;
	}
	if (t.p + 1 < t.end && *t.p == '.' && gate_scan_digit(t.p[1])) {
		t.p++;
		decimals = digits(&t);
	}
	if (decimals > DECIMALS_MAX ||
	    !gate_num_double(start, (size_t)(t.p - start), &ret->value))
		return false;
	while (decimals--)
		scale *= 10;
	ret->scale = scale;
	ret->step = 1 / scale;
	s->p = t.p;
	return true;
}

/* UTF-8, Latin-1, or what people type. */
static bool plus_minus(struct gate_scan *s)
{
	return gate_scan_lit(s, "\xc2\xb1") || gate_scan_lit(s, "\xb1") ||
	       gate_scan_lit(s, "+-") || gate_scan_lit(s, "+/-");
}

bool gate_decimal_mean(struct gate_scan *s, struct gate_decimal *ret)
{
	struct gate_decimal deviation;
	struct gate_scan t = *s;

	if (!gate_decimal_scan(&t, ret)) {
		s->ended |= t.ended;
		return false;
	}
	*s = t;
	gate_scan_blanks(&t);
	if (!plus_minus(&t)) {
		t.ended = false;
		return true;
	}
	if (!gate_decimal_scan(&t, &deviation)) {
		s->ended |= t.ended;
		return false;
	}
	*s = t;
	return true;
}
