/*
 * qemu: a round is a boot of the built kernel in a virtual machine.
 *
 * By wall clock the guest runs under KVM where that works, else under TCG.
 * Under the instruction clock it runs under TCG with -icount, where the guest's
 * time stamp counter counts executed instructions: two boots of the same round
 * print the same numbers, so rounds run side by side and are kept in the cache.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/runners/cache.h"
#include "gate/runners/console.h"
#include "gate/runners/guest.h"
#include "gate/runners/runner.h"
#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"

static const char qemu[] = "qemu-system-x86_64";

enum {
	LOG_BYTES_MAX = 64 << 20,
	PROBE_MS = 20 * 1000,
	TIMEOUT_MS = 10 * 60 * 1000,
	APPEND_MAX = 2047 /* COMMAND_LINE_SIZE of x86, less its NUL */
};

/*
 * What every guest is told. "quiet" before the benchmark, since each character
 * on the emulated serial line costs; init turns the console up. Marks that init
 * writes to /dev/kmsg would be dropped beyond ten in five seconds.
 */
static const char append_common[] = "console=ttyS0 panic=-1 printk.devkmsg=on";

/*
 * What makes a boot repeat to the digit, and what keeps it short: the local
 * APIC timer's calibration is a loop of RDTSC, each of which ends a translation
 * block under -icount (2.6 of 7 seconds of a boot of Debian's 6.1), so the tick
 * comes from HPET or PIT. One instruction is one nanosecond, hence the TSC
 * frequency. The offset of the kernel stack that is drawn for each system call
 * would move data between cache lines and pages.
 */
static const char append_instructions[] =
	"nokaslr tsc=reliable tsc_early_khz=1000000 nolapic_timer "
	"no_timer_check nowatchdog randomize_kstack_offset=off";

struct gate_prepared {
	const struct gate_job *job;
	char *image;
	char *initramfs;
	char *version;
	char *append;      /* without what belongs to a round */
	const char *accel; /* "kvm" or "tcg" */
	char image_hash[GATE_HASH_HEX];
	char initramfs_hash[GATE_HASH_HEX];
};

static bool by_instructions(const struct gate_job *job)
{
	return job->clock == GATE_CLOCK_INSTRUCTIONS;
}

/* ---- the command line ---- */

struct args {
	char **items;
	size_t n, cap;
};

static void arg(struct args *a, const char *s)
{
	GATE_PUSH(a->items, a->n, a->cap, gate_strdup(s));
}

static void args_done(struct args *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		free(a->items[i]);
	free(a->items);
	*a = (struct args){0};
}

/*
 * The machine holds nothing that the benchmark does not need. A seed for the
 * guest's RDRAND and a clock that starts at a fixed date and follows the
 * guest's own time leave no source of chance to the instruction clock.
 */
static void machine_args(struct args *a, const struct gate_job *job,
			 const char *accel)
{
	static const char *const fixed[] = {"-no-user-config",
					    "-nodefaults",
					    "-display",
					    "none",
					    "-monitor",
					    "none",
					    "-serial",
					    "stdio",
					    "-net",
					    "none",
					    "-smp",
					    "1",
					    "-no-reboot",
					    NULL};
	static const char *const instructions[] = {
		"-icount", "shift=0,sleep=off",        "-seed", "1",
		"-rtc",    "base=2026-01-01,clock=vm", NULL};
	const char *const *s;
	char *memory;

	arg(a, qemu);
	arg(a, "-accel");
	arg(a, accel);
	for (s = instructions; by_instructions(job) && *s; s++)
		arg(a, *s);
	for (s = fixed; *s; s++)
		arg(a, *s);
	memory = gate_asprintf("%uM", job->memory_mb ? job->memory_mb : 512);
	arg(a, "-m");
	arg(a, memory);
	free(memory);
	arg(a, "-cpu");
	arg(a, job->cpu ? job->cpu : "max");
}

static void boot_args(struct args *a, const struct gate_job *job,
		      const char *accel, const char *image,
		      const char *initramfs, const char *append)
{
	machine_args(a, job, accel);
	arg(a, "-kernel");
	arg(a, image);
	arg(a, "-initrd");
	arg(a, initramfs);
	arg(a, "-append");
	arg(a, append);
	GATE_PUSH(a->items, a->n, a->cap, NULL);
}

static int compose_append(struct gate_prepared *p, bool at_boot,
			  struct gate_error *err)
{
	struct gate_str s = {0};
	size_t i;

	gate_str_puts(&s, append_common);
	gate_str_puts(&s, at_boot ? " loglevel=7" : " quiet");
	if (by_instructions(p->job))
		gate_str_addf(&s, " %s", append_instructions);
	for (i = 0; p->job->append && p->job->append[i]; i++)
		gate_str_addf(&s, " %s", p->job->append[i]);
	p->append = gate_str_steal(&s);
	/* A round's own words are shorter than 40 bytes. */
	if (strlen(p->append) + 40 > APPEND_MAX)
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: \"append\" makes a kernel "
				      "command line of more than %d bytes",
				      p->job->name, APPEND_MAX);
	return GATE_OK;
}

static char *round_append(const struct gate_prepared *p, unsigned round)
{
	char *phase, *append;

	if (!by_instructions(p->job))
		return gate_strdup(p->append);
	phase = gate_guest_phase(round);
	append = gate_asprintf("%s %s", p->append, phase);
	free(phase);
	return append;
}

/* ---- probe ---- */

static int read_version(char **ret, struct gate_error *err)
{
	const char *const argv[] = {qemu, "--version", NULL};
	struct gate_proc proc = {.argv = argv, .timeout_ms = PROBE_MS};
	struct gate_proc_result res = {0};
	int rc;

	if (!gate_proc_in_path(qemu))
		return gate_error_set(err, GATE_ERUN,
				      "no %s in PATH: install the package "
				      "qemu-system-x86",
				      qemu);
	rc = gate_proc_run(&proc, &res, err);
	if (!rc && (res.exit_code || res.out.len == 0))
		rc = gate_error_set(err, GATE_ERUN,
				    "%s --version exited with %d", qemu,
				    res.exit_code);
	if (!rc)
		*ret = gate_strndup(res.out.data,
				    strcspn(res.out.data, "\r\n"));
	gate_str_done(&res.out);
	return rc;
}

static int qemu_probe(const struct gate_job *job,
		      void (*fact)(void *ctx, const char *key,
				   const char *value),
		      void *ctx, struct gate_error *err)
{
	char *version = NULL, *busybox;
	int rc;

	rc = gate_guest_check(job, err);
	if (rc)
		return rc;
	if (by_instructions(job) && job->accel == GATE_ACCEL_KVM)
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: the instruction clock needs "
				      "\"accel\": \"tcg\"",
				      job->name);
	rc = gate_guest_busybox(&busybox, err);
	if (rc)
		return rc;
	free(busybox);
	rc = read_version(&version, err);
	if (rc)
		return rc;
	fact(ctx, "qemu", version);
	fact(ctx, "guest cpu", job->cpu ? job->cpu : "max");
	if (by_instructions(job) || job->accel == GATE_ACCEL_TCG)
		fact(ctx, "accel", "tcg");
	free(version);
	return GATE_OK;
}

/* ---- prepare ---- */

/*
 * Does KVM run this kernel? Opening /dev/kvm and creating a machine succeed on
 * hosts whose KVM then hangs in the firmware, so only a guest that answers
 * counts.
 */
static bool kvm_boots(const struct gate_prepared *p)
{
	char *append = gate_asprintf("%s %s", p->append, GATE_GUEST_PROBE);
	struct gate_proc_result res = {0};
	struct gate_proc proc = {.timeout_ms = PROBE_MS};
	struct gate_error ignored;
	struct args a = {0};
	bool answered;

	boot_args(&a, p->job, "kvm", p->image, p->initramfs, append);
	proc.argv = (const char *const *)a.items;
	answered = !gate_proc_run(&proc, &res, &ignored) && !res.exit_code &&
		   res.out.len > 0 &&
		   memmem(res.out.data, res.out.len, GATE_GUEST_DONE,
			  sizeof GATE_GUEST_DONE - 1);
	gate_str_done(&res.out);
	args_done(&a);
	free(append);
	return answered;
}

/*
 * Decided once in a process, so that both sides run alike: a candidate that
 * KVM cannot boot although it booted the base is a failure, no reason to
 * measure the two by different machines.
 */
static const char *choose_accel(const struct gate_prepared *p)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const char *chosen;
	const char *accel;

	if (by_instructions(p->job) || p->job->accel == GATE_ACCEL_TCG)
		return "tcg";
	if (p->job->accel == GATE_ACCEL_KVM)
		return "kvm";
	pthread_mutex_lock(&lock);
	if (!chosen)
		chosen = !access("/dev/kvm", R_OK | W_OK) && kvm_boots(p)
				 ? "kvm"
				 : "tcg";
	accel = chosen;
	pthread_mutex_unlock(&lock);
	return accel;
}

static int hash_file(const char *path, char hex[GATE_HASH_HEX],
		     struct gate_error *err)
{
	struct gate_hash *h = gate_hash_new();
	int rc = gate_hash_file(h, path, err);

	gate_hash_end(h, hex);
	return rc;
}

static void qemu_release(struct gate_prepared *p)
{
	if (!p)
		return;
	free(p->image);
	free(p->initramfs);
	free(p->version);
	free(p->append);
	free(p);
}

static int qemu_prepare(const struct gate_job *job,
			const struct gate_tree *tree, const char *work,
			struct gate_prepared **ret, struct gate_error *err)
{
	struct gate_prepared *p = gate_alloc(sizeof *p);
	char *modules = NULL;
	bool at_boot = false;
	int rc;

	p->job = job;
	p->initramfs = gate_fs_join(work, "initramfs.cpio");
	rc = gate_fs_glob_one(tree->build, job->image, &p->image, err);
	if (rc) {
		gate_error_prefix(err, "kernel image: ");
		goto out;
	}
	rc = gate_fs_glob_one(tree->build, job->modules, &modules, err);
	if (rc) {
		gate_error_prefix(err, "kernel modules: ");
		goto out;
	}
	rc = gate_fs_mkdirs(work, err);
	if (!rc)
		rc = gate_guest_compose(job, modules, p->initramfs, &at_boot,
					err);
	if (!rc)
		rc = compose_append(p, at_boot, err);
	if (!rc)
		rc = read_version(&p->version, err);
	if (!rc)
		rc = hash_file(p->image, p->image_hash, err);
	if (!rc)
		rc = hash_file(p->initramfs, p->initramfs_hash, err);
	if (rc)
		goto out;
	p->accel = choose_accel(p);
	*ret = p;
	p = NULL;
out:
	free(modules);
	qemu_release(p);
	return rc;
}

/* ---- measure ---- */

/*
 * All that the log of a round under the instruction clock depends on. Where the
 * image and the initramfs lie is not part of it, what they hold is.
 */
static void cache_key(const struct gate_prepared *p, const char *append,
		      char hex[GATE_HASH_HEX])
{
	struct gate_hash *h = gate_hash_new();
	struct args a = {0};
	size_t i;

	boot_args(&a, p->job, p->accel, "IMAGE", "INITRAMFS", append);
	gate_hash_text(h, p->image_hash);
	gate_hash_text(h, p->initramfs_hash);
	gate_hash_text(h, p->version);
	for (i = 0; a.items[i]; i++)
		gate_hash_text(h, a.items[i]);
	gate_hash_end(h, hex);
	args_done(&a);
}

static int judge(const struct gate_prepared *p,
		 const struct gate_proc_result *res, const char *log,
		 size_t len, struct gate_error *err)
{
	uint64_t limit = p->job->timeout_ms ? p->job->timeout_ms : TIMEOUT_MS;
	char *last;

	if (res->too_much)
		return gate_error_set(err, GATE_ERUN,
				      "the guest printed more than %d bytes",
				      LOG_BYTES_MAX);
	if (!res->timed_out && !res->exit_code)
		return gate_guest_verify(log, len, err);
	last = gate_console_last_lines(log, len);
	if (res->timed_out)
		gate_error_set(err, GATE_ETIMEOUT,
			       "the guest was not done after %g s; last "
			       "console lines: %s",
			       (double)limit / 1e3, last);
	else
		gate_error_set(err, GATE_ERUN, "%s exited with %d: %s", qemu,
			       res->exit_code, last);
	free(last);
	return (int)err->status;
}

static int boot(const struct gate_prepared *p, const char *append,
		const char *log_path, struct gate_round_facts *facts,
		char **log, size_t *len, struct gate_error *err)
{
	struct gate_proc_result res = {0};
	struct gate_proc proc = {
		.out_path = log_path,
		.timeout_ms =
			p->job->timeout_ms ? p->job->timeout_ms : TIMEOUT_MS,
		.output_max = LOG_BYTES_MAX,
	};
	struct args a = {0};
	int rc;

	boot_args(&a, p->job, p->accel, p->image, p->initramfs, append);
	proc.argv = (const char *const *)a.items;
	/* Output is appended to the file: begin anew. */
	rc = gate_fs_write(log_path, "", 0, err);
	if (!rc)
		rc = gate_proc_run(&proc, &res, err);
	if (rc)
		goto out;
	facts->wall_s = res.wall_s;
	facts->cpu_s = res.cpu_s;
	/* Twice: the limit is looked at every 100 ms. */
	rc = gate_fs_read_regular(log_path, 2 * (size_t)LOG_BYTES_MAX, log, len,
				  err);
	if (!rc)
		rc = judge(p, &res, *log, *len, err);
out:
	gate_str_done(&res.out);
	args_done(&a);
	return rc;
}

static int qemu_measure(const struct gate_prepared *p,
			const struct gate_round_spec *spec,
			struct gate_round_facts *facts, struct gate_error *err)
{
	char *append = round_append(p, spec->round), *log = NULL;
	bool cacheable = by_instructions(p->job);
	char key[GATE_HASH_HEX];
	size_t len = 0;
	int rc;

	*facts = (struct gate_round_facts){.accel = p->accel};
	if (cacheable) {
		cache_key(p, append, key);
		facts->cached = gate_cache_find(key, &log, &len);
	}
	if (facts->cached) {
		rc = gate_fs_write(spec->log_path, log, len, err);
	} else {
		rc = boot(p, append, spec->log_path, facts, &log, &len, err);
		if (!rc && cacheable)
			gate_cache_store(key, log, len);
	}
	free(log);
	free(append);
	return rc;
}

static bool qemu_parallel(const struct gate_job *job)
{
	return by_instructions(job);
}

const struct gate_runner gate_runner_qemu = {
	.name = "qemu",
	.description = "a boot of the built kernel in QEMU; the only runner "
		       "with the instruction clock",
	.probe = qemu_probe,
	.prepare = qemu_prepare,
	.measure = qemu_measure,
	.parallel = qemu_parallel,
	.release = qemu_release,
};
