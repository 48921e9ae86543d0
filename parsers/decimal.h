/*
 * Decimal numbers as benchmarks print them.
 *
 * Consumes blanks and then "[-]DIGITS[.DIGITS]", or nothing. `step` is the
 * last printed digit. "inf" and "nan" are no numbers. A number that ends the
 * text is taken; whether the text was cut there is the caller's to know.
 */
#ifndef GATE_PARSERS_DECIMAL_H
#define GATE_PARSERS_DECIMAL_H

#include "parsers/scan.h"

struct gate_decimal {
	double value;
	double step;
	double scale; /* 1 / step: 1000 for three decimals */
};

/* The number, or its step, in another unit: exact where that is exact, as
 * 8.268 times 10^6 is not when done in that order. */
static inline double gate_decimal_times(const struct gate_decimal *d,
					double factor)
{
	return __builtin_round(d->value * d->scale) * factor / d->scale;
}

static inline double gate_decimal_step(const struct gate_decimal *d,
				       double factor)
{
	return factor / d->scale;
}

bool gate_decimal_scan(struct gate_scan *s, struct gate_decimal *ret);
/* The same with what follows a mean: "5.092 ± 0.228". The deviation is read
 * and dropped: it says nothing of single values. */
bool gate_decimal_mean(struct gate_scan *s, struct gate_decimal *ret);

#endif
