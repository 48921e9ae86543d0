#include "gate/util/subprocess.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool requested;

static void on_signal(int signo)
{
	(void)signo;
	atomic_store(&requested, true);
}

void gate_interrupt_install(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};
	size_t i;

	sigemptyset(&sa.sa_mask);
	/* The second signal of the same kind ends gate as usual. */
	sa.sa_flags = (int)SA_RESETHAND;
	for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	/* A reader that went away is a failed write, not our end. */
	sa = (struct sigaction){.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &sa, NULL);
}

bool gate_interrupt_requested(void)
{
	return atomic_load(&requested);
}

void gate_interrupt_raise(void)
{
	atomic_store(&requested, true);
}

void gate_interrupt_clear(void)
{
	atomic_store(&requested, false);
}
