/*
 * Errors: a status that callers branch on and one line that people read.
 *
 * The bottom states the fact (path, line, value, errno); each level up may
 * prefix what it was doing; only main.c prints. A struct gate_error lives on
 * the caller's stack and owns nothing. Running out of memory is not here: see
 * util/mem.h.
 */
#ifndef GATE_UTIL_ERROR_H
#define GATE_UTIL_ERROR_H

enum gate_status {
	GATE_OK = 0,
	GATE_ESYS = -1,     /* a system call failed */
	GATE_EUSAGE = -2,   /* wrong command line */
	GATE_ECONFIG = -3,  /* wrong configuration */
	GATE_EREPO = -4,    /* repository, revision or checkout */
	GATE_EBUILD = -5,   /* a build command failed */
	GATE_ERUN = -6,     /* a runner could not measure */
	GATE_ETIMEOUT = -7, /* a deadline passed */
	GATE_ESYNTAX = -8,  /* a file is not what it should be */
	GATE_ENODATA = -9,  /* well-formed, but without a measurement */
	GATE_EPLUGIN = -10, /* a parser plug-in broke its contract */
	GATE_ENET = -11,    /* a forge could not be reached or refused */
	GATE_EINTR = -12,   /* the user or the CI system asked us to stop */
	GATE_EHOST = -13    /* the sides are not comparable */
};

enum { GATE_ERROR_MAX = 2048 };

struct gate_error {
	enum gate_status status;
	char message[GATE_ERROR_MAX]; /* one line, no final newline */
};

/*
 * Each returns the status, so that `return gate_error_set(err, ...)` reads as
 * one thought. Control characters in the formatted text are replaced, since
 * parts of it may come from a hostile log or file name. A message that is too
 * long is cut at the end. err may not be NULL.
 */
int gate_error_set(struct gate_error *err, enum gate_status status,
		   const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Like gate_error_set() with GATE_ESYS, adding ": " and strerror(errnum). */
int gate_error_sys(struct gate_error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts text before the message; keeps and returns the status. */
int gate_error_prefix(struct gate_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit code of DESIGN section 1 that a status means: 0, 2 or 4. */
int gate_error_exit_code(enum gate_status status);

#endif
