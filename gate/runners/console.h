/*
 * The end of a log, for messages: what a runner shows of output that it does
 * not otherwise read.
 */
#ifndef GATE_RUNNERS_CONSOLE_H
#define GATE_RUNNERS_CONSOLE_H

#include <stddef.h>

/*
 * The last five lines that hold anything, without escape sequences and control
 * characters, each cut to a readable length, as one line. Caller frees.
 */
char *gate_console_last_lines(const char *log, size_t len);

#endif
