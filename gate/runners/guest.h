/*
 * The guest of a job: which modules it loads, what its init does, and the
 * initramfs that holds both.
 *
 * One initramfs serves all rounds of a side; what differs between rounds comes
 * on the kernel's command line, and nothing in either says which side it is.
 * How a machine is started is qemu.c's.
 *
 * The guest marks its way in the kernel's own ring buffer, so that the marks
 * keep their place among the kernel's lines: "gate: module NAME rc=N",
 * "gate: begin WHAT", "gate: end WHAT rc=N", and "gate: guest done" last.
 */
#ifndef GATE_RUNNERS_GUEST_H
#define GATE_RUNNERS_GUEST_H

#include <stdbool.h>

#include "gate/config.h"
#include "gate/util/error.h"

/* The last line of a guest that did everything that it was asked. */
#define GATE_GUEST_DONE "gate: guest done"
/* On the command line: stop at once, as a sign of life. */
#define GATE_GUEST_PROBE "gate.probe"

/* Can the guest run this job? GATE_ECONFIG otherwise. */
int gate_guest_check(const struct gate_job *job, struct gate_error *err);

/* A busybox that runs where there are no shared libraries. GATE_ERUN with the
 * package to install when there is none. Caller frees *ret. */
int gate_guest_busybox(char **ret, struct gate_error *err);

/*
 * Writes the initramfs for `job` to `path`, with modules from `modules` (a
 * lib/modules/VERSION). *at_boot says that the benchmark is a part of the
 * kernel image and prints before init starts, so that the console must not be
 * quiet.
 */
int gate_guest_compose(const struct gate_job *job, const char *modules,
		       const char *path, bool *at_boot, struct gate_error *err);

/*
 * "gate.spin=N", which delays the benchmark's start by about 1370 microseconds
 * for each round under the instruction clock. A timer tick adds instructions to
 * what it falls into; 1370 is no simple fraction of a tick of 100, 250, 300 or
 * 1000 Hz, so the ticks of the rounds fall into different places. Caller frees.
 */
char *gate_guest_phase(unsigned round);

/*
 * Reads a console log after the guest's end: GATE_OK when it is complete,
 * GATE_ERUN with the reason and the last console lines otherwise.
 */
int gate_guest_verify(const char *log, size_t len, struct gate_error *err);

#endif
