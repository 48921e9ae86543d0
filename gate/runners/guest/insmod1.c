/*
 * What the guest needs besides busybox.
 *
 * insmod1 [--fifo] FILE [PARAMETER...]   load a module by one system call
 * insmod1 --spin COUNT                   execute a fixed number of instructions
 *
 * tcrypt answers EAGAIN on purpose once its measurement is done. An insmod that
 * takes that for a reason to try again by init_module(2), as busybox's does,
 * runs the whole benchmark a second time. Exit code 0 is a loaded module, 11
 * (EAGAIN) is tcrypt's normal end, anything else is the errno of the refusal.
 *
 * With --fifo the module's initialisation runs at real-time priority. Otherwise
 * a task that wakes up while it runs leaves the flag "reschedule" set until the
 * benchmark sleeps, and each preempt_enable() on the way executes one
 * instruction more: in tcrypt's rows, one or more a block.
 *
 * The delay is a counted loop and no sleep, since a sleep ends on a timer tick
 * where the kernel has no high-resolution timers: every delay would then begin
 * the measurement at the same distance from the tick.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PARAMS_MAX = 1024 };

/* Joins argv[0..] by blanks; 0 when it does not fit. */
static int join(char **argv, char buf[PARAMS_MAX])
{
	size_t used = 0;

	buf[0] = '\0';
	for (; *argv != NULL; argv++) {
		size_t len = strlen(*argv);

		if (used + len + 2 > PARAMS_MAX)
			return 0;
		if (used > 0)
			buf[used++] = ' ';
		memcpy(buf + used, *argv, len + 1);
		used += len;
	}
	return 1;
}

static int spin(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	/* The empty statement keeps the compiler from removing the loop; what
	 * remains is a decrement and a branch. */
	if (n > 0)
		do
			__asm__ volatile("" : "+r"(n));
		while (--n > 0);
	return 0;
}

/* Best effort: a kernel that refuses measures as well, only less evenly. */
static void become_realtime(void)
{
	struct sched_param param = {.sched_priority = 50};

	sched_setscheduler(0, SCHED_FIFO, &param);
}

int main(int argc, char **argv)
{
	char params[PARAMS_MAX];
	int fd;

	if (argc == 3 && strcmp(argv[1], "--spin") == 0)
		return spin(argv[2]);
	if (argc > 1 && strcmp(argv[1], "--fifo") == 0) {
		become_realtime();
		argv++;
		argc--;
	}
	if (argc < 2 || !join(argv + 2, params))
		return EINVAL;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	return syscall(SYS_finit_module, fd, params, 0) == 0 ? 0 : errno;
}
