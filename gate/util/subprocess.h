/*
 * Running other programs: argv without a shell, in a process group of their
 * own, with a deadline, an exact environment and output to a file or a bounded
 * buffer. When gate is asked to stop (gate_interrupt_*), or the deadline
 * passes, the whole group is ended: SIGTERM, then SIGKILL two seconds later.
 *
 * Safe to call from several threads.
 */
#ifndef GATE_UTIL_SUBPROCESS_H
#define GATE_UTIL_SUBPROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/util/error.h"
#include "gate/util/str.h"

struct gate_proc {
	const char *const *argv; /* ends with NULL; argv[0] is looked up in
				    PATH when it holds no slash */
	const char *const *env;  /* ends with NULL; NULL: the allow-list of
				    gate_proc_env() */
	const char *cwd;         /* NULL: as it is */
	const char *out_path;    /* stdout and stderr are appended here; NULL:
				    stdout is captured, stderr joins it unless
				    drop_stderr */
	bool drop_stderr;
	bool keep_stderr;    /* captured by itself, its first 64 KiB */
	const char *in_path; /* stdin; NULL: /dev/null */
	uint64_t memory_max; /* bytes of address space; 0: no limit */
	uint64_t timeout_ms; /* 0: none */
	size_t capture_max;  /* captured bytes kept; 0: 1 MiB. The rest is
				read and counted, never kept */
	uint64_t output_max; /* the child is ended when it wrote more than
				this; 0: 1 GiB to a file, else any */
	/* Called about every 100 ms while the child runs, in the calling
	 * thread; returning true ends the child as if its work were done
	 * (proc_result.stopped). May be NULL. */
	bool (*tick)(void *ctx);
	void *tick_ctx;
};

struct gate_proc_result {
	int exit_code;  /* as a shell has it: 128 + N for signal N */
	bool timed_out; /* ended by timeout_ms */
	bool too_much;  /* ended by output_max */
	bool stopped;   /* ended by tick */
	double wall_s;
	double cpu_s;        /* user and system, children included */
	struct gate_str out; /* captured; gate_str_done() is the caller's */
	struct gate_str err; /* with keep_stderr; the same */
};

/*
 * Runs to the end. 0 when the program ran, whatever its exit code or end;
 * GATE_ESYS when it could not be started (errno text and argv[0] in err),
 * GATE_EINTR when gate was asked to stop meanwhile.
 */
int gate_proc_run(const struct gate_proc *p, struct gate_proc_result *res,
		  struct gate_error *err);

/*
 * What a child sees when nothing else is said: PATH, HOME, USER, LANG=C.UTF-8,
 * TMPDIR, TERM=dumb, SOURCE_DATE_EPOCH, CCACHE_*, and MAKEFLAGS: no token and
 * nothing else. `extra` is a NULL-terminated list of "NAME=value" that wins.
 * Caller frees with gate_proc_env_free().
 */
char **gate_proc_env(const char *const *extra);
void gate_proc_env_free(char **env);

/* argv as one line that a shell would read back, for messages. */
char *gate_proc_quote(const char *const *argv);

/* True when `name` is an executable in PATH (or is a path to one). */
bool gate_proc_in_path(const char *name);

/*
 * SIGINT, SIGTERM and SIGHUP set a flag that long work looks at. _install is
 * called once by main; _requested is async-signal-safe and thread-safe.
 */
void gate_interrupt_install(void);
bool gate_interrupt_requested(void);
void gate_interrupt_raise(void); /* as if a signal had come (tests) */
void gate_interrupt_clear(void); /* (tests) */

#endif
