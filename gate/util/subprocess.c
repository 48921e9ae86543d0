#include "gate/util/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/now.h"

extern char **environ;

enum { TICK_MS = 100, TICK_BLIND_MS = 10, GRACE_MS = 2000, STDERR_MAX = 65536 };

/* What the child gets for its standard streams. */
struct ends {
	int in; /* -1: /dev/null */
	int out;
	int err; /* -1: as `out`, or /dev/null */
};

/* A name with a slash is a path, from `cwd` where the program will run. */
static char *find_program(const char *name, const char *cwd)
{
	const char *path = getenv("PATH"), *end;
	char *dir, *full;

	if (strchr(name, '/')) {
		full = gate_fs_join(cwd ? cwd : "", name);
		if (!access(full, X_OK) && !gate_fs_is_dir(full))
			return full;
		free(full);
		return NULL;
	}
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		dir = gate_strndup(path, (size_t)(end - path));
		full = gate_fs_join(*dir ? dir : ".", name);
		free(dir);
		if (!access(full, X_OK) && !gate_fs_is_dir(full))
			return full;
		free(full);
	}
	return NULL;
}

bool gate_proc_in_path(const char *name)
{
	char *full = find_program(name, NULL);

	free(full);
	return full != NULL;
}

/* In the child of a program with threads: async-signal-safe calls only. */
static void __attribute__((noreturn))
child(const struct gate_proc *p, const char *program, char *const *env,
      const struct ends *ends, int report, pid_t parent)
{
	struct rlimit memory = {p->memory_max, p->memory_max};
	sigset_t none;
	int e, null, err;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* gate may have died before it could be said. */
	if (getppid() != parent)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	err = ends->err >= 0 ? ends->err : p->drop_stderr ? null : ends->out;
	if (null < 0 ||
	    dup2(ends->in >= 0 ? ends->in : null, STDIN_FILENO) < 0 ||
	    dup2(ends->out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		goto fail;
	if (p->memory_max && setrlimit(RLIMIT_AS, &memory))
		goto fail;
	if (p->cwd && chdir(p->cwd))
		goto fail;
	{
		/* execve() does not write to its vectors; its type is older
		 * than const. */
		union {
			const char *const *in;
			char *const *out;
		} argv = {.in = p->argv};

		execve(program, argv.out, env);
	}
fail:
	e = errno;
	while (write(report, &e, sizeof e) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

struct running {
	pid_t pid;
	int out; /* our end of the output; -1 when it goes to a file */
	int err; /* our end of standard error; -1 without keep_stderr */
	uint64_t captured; /* bytes of output read, kept or not */
	const struct gate_proc *p;
	struct gate_proc_result *res;
	double start, kill_at; /* kill_at: 0 until asked to end */
	uint64_t file_start;
};

static void end_group(struct running *r)
{
	if (r->kill_at == 0) {
		kill(-r->pid, SIGTERM);
		r->kill_at = gate_now_s() + GRACE_MS / 1e3;
	} else if (gate_now_s() >= r->kill_at) {
		kill(-r->pid, SIGKILL);
	}
}

/* Reads what is there, keeps up to `max`; false at the end. */
static bool drain(int fd, struct gate_str *kept, size_t max, uint64_t *count)
{
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof buf);
	size_t keep;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	*count += (uint64_t)n;
	keep = kept->len < max ? max - kept->len : 0;
	if (keep > (size_t)n)
		keep = (size_t)n;
	if (keep)
		gate_str_add(kept, buf, keep);
	return true;
}

static bool drain_out(struct running *r)
{
	return drain(r->out, &r->res->out,
		     r->p->capture_max ? r->p->capture_max : 1U << 20,
		     &r->captured);
}

static bool drain_err(struct running *r)
{
	uint64_t ignored = 0;

	return drain(r->err, &r->res->err, STDERR_MAX, &ignored);
}

/* What is left in the pipes when the child has ended. */
static void drain_rest(struct running *r, bool out, bool err)
{
	struct pollfd fd = {.events = POLLIN};

	for (fd.fd = r->out; out; out = drain_out(r))
		if (poll(&fd, 1, TICK_MS) <= 0)
			break;
	for (fd.fd = r->err; err; err = drain_err(r))
		if (poll(&fd, 1, TICK_MS) <= 0)
			break;
}

static uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Why the child must end now, if it must. */
static void check_limits(struct running *r)
{
	const struct gate_proc *p = r->p;
	uint64_t max = p->output_max ? p->output_max : 1U << 30;

	if (r->kill_at != 0 || gate_interrupt_requested()) {
		end_group(r);
		return;
	}
	if (p->timeout_ms &&
	    (gate_now_s() - r->start) * 1e3 > (double)p->timeout_ms)
		r->res->timed_out = true;
	else if ((p->out_path &&
		  file_size(p->out_path) > r->file_start + max) ||
		 (p->output_max && r->captured > p->output_max))
		r->res->too_much = true;
	else if (p->tick && p->tick(p->tick_ctx))
		r->res->stopped = true;
	else
		return;
	end_group(r);
}

static void supervise(struct running *r)
{
	int pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	struct pollfd fds[3] = {{.fd = pidfd, .events = POLLIN},
				{.fd = r->out, .events = POLLIN},
				{.fd = r->err, .events = POLLIN}};
	/* Without pidfds (before Linux 5.3) only a tick finds the end. */
	const int tick_ms = pidfd < 0 ? TICK_BLIND_MS : TICK_MS;
	struct rusage ru;
	int status = 0;

	for (;;) {
		if (poll(fds, 3, tick_ms) < 0 && errno != EINTR)
			break;
		if (fds[1].fd >= 0 && fds[1].revents && !drain_out(r))
			fds[1].fd = -1;
		if (fds[2].fd >= 0 && fds[2].revents && !drain_err(r))
			fds[2].fd = -1;
		if (wait4(r->pid, &status, WNOHANG, &ru) == r->pid)
			goto ended;
		check_limits(r);
	}
	kill(-r->pid, SIGKILL);
	while (wait4(r->pid, &status, 0, &ru) < 0 && errno == EINTR)
		continue;
ended:
	/* What the program left running in its group goes with it. */
	kill(-r->pid, SIGKILL);
	drain_rest(r, fds[1].fd >= 0, fds[2].fd >= 0);
	if (pidfd >= 0)
		close(pidfd);
	r->res->wall_s = gate_now_s() - r->start;
	r->res->cpu_s = (double)ru.ru_utime.tv_sec +
			1e-6 * (double)ru.ru_utime.tv_usec +
			(double)ru.ru_stime.tv_sec +
			1e-6 * (double)ru.ru_stime.tv_usec;
	r->res->exit_code = WIFEXITED(status) ? WEXITSTATUS(status)
					      : 128 + WTERMSIG(status);
}

static void close_ends(struct ends *e)
{
	if (e->in >= 0)
		close(e->in);
	if (e->out >= 0)
		close(e->out);
	if (e->err >= 0)
		close(e->err);
	*e = (struct ends){-1, -1, -1};
}

/* Our end in *ours, the child's in *theirs. */
static int open_pipe(int *ours, int *theirs, struct gate_error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return gate_error_sys(err, errno, "pipe");
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ours = fds[0];
	*theirs = fds[1];
	return GATE_OK;
}

/* On failure too, *ends and *ours are the caller's to close. */
static int open_ends(const struct gate_proc *p, struct ends *ends,
		     struct ends *ours, struct gate_error *err)
{
	int rc = GATE_OK;

	if (p->in_path) {
		ends->in = open(p->in_path, O_RDONLY | O_CLOEXEC);
		if (ends->in < 0)
			return gate_error_sys(err, errno, "%s", p->in_path);
	}
	if (p->out_path) {
		ends->out =
			open(p->out_path,
			     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		if (ends->out < 0)
			return gate_error_sys(err, errno, "%s", p->out_path);
	} else {
		rc = open_pipe(&ours->out, &ends->out, err);
	}
	if (!rc && p->keep_stderr)
		rc = open_pipe(&ours->err, &ends->err, err);
	return rc;
}

/* The errno of an exec that failed, or 0. */
static int exec_errno(int fd)
{
	int e = 0;
	ssize_t n;

	do
		n = read(fd, &e, sizeof e);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof e ? e : 0;
}

static int start(struct running *r, const char *program, char *const *env,
		 struct gate_error *err)
{
	struct ends ends = {-1, -1, -1}, ours = {-1, -1, -1};
	const pid_t parent = getpid();
	int report[2], e, rc;

	rc = open_ends(r->p, &ends, &ours, err);
	if (rc)
		goto close_all;
	if (pipe2(report, O_CLOEXEC)) {
		rc = gate_error_sys(err, errno, "pipe");
		goto close_all;
	}
	r->file_start = r->p->out_path ? file_size(r->p->out_path) : 0;
	r->start = gate_now_s();
	r->pid = fork();
	if (r->pid == 0)
		child(r->p, program, env, &ends, report[1], parent);
	e = r->pid < 0 ? errno : 0;
	close(report[1]);
	if (!e) {
		setpgid(r->pid, r->pid);
		e = exec_errno(report[0]);
		if (e)
			waitpid(r->pid, NULL, 0);
	}
	close(report[0]);
	if (!e) {
		close_ends(&ends);
		r->out = ours.out;
		r->err = ours.err;
		return GATE_OK;
	}
	rc = gate_error_sys(err, e, "cannot run %s", r->p->argv[0]);
close_all:
	close_ends(&ends);
	close_ends(&ours);
	return rc;
}

int gate_proc_run(const struct gate_proc *p, struct gate_proc_result *res,
		  struct gate_error *err)
{
	struct running r = {.p = p, .res = res, .out = -1, .err = -1};
	char **own_env = NULL;
	char *program;
	int rc;

	*res = (struct gate_proc_result){0};
	if (gate_interrupt_requested())
		return gate_error_set(err, GATE_EINTR, "interrupted");
	program = find_program(p->argv[0], p->cwd);
	if (!program)
		return gate_error_set(
			err, GATE_ESYS, "cannot run %s: %s", p->argv[0],
			strchr(p->argv[0], '/') ? "no such program"
						: "not found in PATH");
	if (!p->env)
		own_env = gate_proc_env(NULL);
	{
		union {
			const char *const *in;
			char *const *out;
		} env = {.in = p->env};

		rc = start(&r, program, own_env ? own_env : env.out, err);
	}
	if (!rc) {
		supervise(&r);
		if (r.out >= 0)
			close(r.out);
		if (r.err >= 0)
			close(r.err);
		if (gate_interrupt_requested()) {
			gate_str_done(&res->out);
			gate_str_done(&res->err);
			rc = gate_error_set(err, GATE_EINTR, "interrupted");
		}
	}
	gate_proc_env_free(own_env);
	free(program);
	return rc;
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && b[n] == '=';
}

static bool allowed(const char *entry)
{
	static const char *const names[] = {
		"PATH=",     "HOME=",   "USER=",
		"TMPDIR=",   "CCACHE_", "SOURCE_DATE_EPOCH=",
		"MAKEFLAGS="};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (gate_str_starts(entry, names[i]))
			return true;
	return false;
}

char **gate_proc_env(const char *const *extra)
{
	static const char *const fixed[] = {"LANG=C.UTF-8", "LC_ALL=C.UTF-8",
					    "TERM=dumb", NULL};
	char **env = NULL;
	size_t n = 0, cap = 0, i, k;

	for (i = 0; environ[i]; i++)
		if (allowed(environ[i]))
			GATE_PUSH(env, n, cap, gate_strdup(environ[i]));
	for (i = 0; fixed[i]; i++)
		GATE_PUSH(env, n, cap, gate_strdup(fixed[i]));
	for (i = 0; extra && extra[i]; i++) {
		for (k = 0; k < n && !same_name(extra[i], env[k]); k++)
			continue;
		if (k < n) {
			free(env[k]);
			env[k] = gate_strdup(extra[i]);
		} else {
			GATE_PUSH(env, n, cap, gate_strdup(extra[i]));
		}
	}
	GATE_PUSH(env, n, cap, NULL);
	return env;
}

void gate_proc_env_free(char **env)
{
	size_t i;

	for (i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}

static bool plain_word(const char *s)
{
	return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "%+,-./:=@_")] == '\0';
}

char *gate_proc_quote(const char *const *argv)
{
	struct gate_str s = {0};
	const char *c;
	size_t i;

	for (i = 0; argv[i]; i++) {
		if (i)
			gate_str_putc(&s, ' ');
		if (plain_word(argv[i])) {
			gate_str_puts(&s, argv[i]);
			continue;
		}
		gate_str_putc(&s, '\'');
		for (c = argv[i]; *c; c++)
			if (*c == '\'')
				gate_str_puts(&s, "'\\''");
			else
				gate_str_putc(&s, *c);
		gate_str_putc(&s, '\'');
	}
	return gate_str_steal(&s);
}
