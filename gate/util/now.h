/*
 * The monotonic clock, for deadlines and for how long something took.
 */
#ifndef GATE_UTIL_NOW_H
#define GATE_UTIL_NOW_H

/* Seconds since some fixed moment. */
double gate_now_s(void);

#endif
