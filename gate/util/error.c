#include "gate/util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clean(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

static void __attribute__((format(printf, 2, 0)))
format(struct gate_error *err, const char *fmt, va_list ap)
{
	if (vsnprintf(err->message, sizeof err->message, fmt, ap) < 0)
		err->message[0] = '\0';
	clean(err->message);
}

int gate_error_set(struct gate_error *err, enum gate_status status,
		   const char *fmt, ...)
{
	va_list ap;

	err->status = status;
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	return status;
}

int gate_error_sys(struct gate_error *err, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	err->status = GATE_ESYS;
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	n = strlen(err->message);
	snprintf(err->message + n, sizeof err->message - n, ": %s",
		 strerror(errnum));
	return err->status;
}

int gate_error_prefix(struct gate_error *err, const char *fmt, ...)
{
	char old[GATE_ERROR_MAX];
	va_list ap;
	size_t n;

	memcpy(old, err->message, sizeof old);
	va_start(ap, fmt);
	format(err, fmt, ap);
	va_end(ap);
	n = strlen(err->message);
	snprintf(err->message + n, sizeof err->message - n, "%s", old);
	return err->status;
}

int gate_error_exit_code(enum gate_status status)
{
	switch (status) {
	case GATE_OK:
		return 0;
	case GATE_EUSAGE:
	case GATE_ECONFIG:
		return 2;
	case GATE_ESYS:
	case GATE_EREPO:
	case GATE_EBUILD:
	case GATE_ERUN:
	case GATE_ETIMEOUT:
	case GATE_ESYNTAX:
	case GATE_ENODATA:
	case GATE_EPLUGIN:
	case GATE_ENET:
	case GATE_EINTR:
	case GATE_EHOST:
		return 4;
	}
	return 4;
}
