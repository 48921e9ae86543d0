#include "gate/runners/guest.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/runners/console.h"
#include "gate/runners/initramfs.h"
#include "gate/runners/kmod.h"
#include "gate/runners/modes.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

/* guest/insmod1.c, linked in by ci/cmake/GateGuest.cmake. */
extern const unsigned char gate_guest_insmod1[];
extern const unsigned char gate_guest_insmod1_end[];

enum {
	BUSYBOX_BYTES_MAX = 16 << 20,
	/* insmod1 --spin executes two instructions a turn, and under
	 * -icount shift=0 one instruction is one nanosecond. */
	SPIN_PER_ROUND = 1370 * 1000 / 2
};

/* ---- is it a job for a guest? ---- */

static void ignore_component(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
}

static int check_tcrypt(const struct gate_job *job, struct gate_error *err)
{
	size_t i;

	if (job->n_modes == 0)
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: bench tcrypt needs \"modes\"",
				      job->name);
	for (i = 0; i < job->n_modes && !job->load; i++)
		if (!gate_modes_components(job->modes[i], ignore_component,
					   NULL))
			return gate_error_set(
				err, GATE_ECONFIG,
				"job %s: tcrypt mode %u is not a speed test "
				"that gate knows; list the modules that it "
				"needs in \"load\"",
				job->name, job->modes[i]);
	/* It becomes part of a script and of a list of module parameters. */
	if (job->alg && (!*job->alg || strpbrk(job->alg, " \t\r\n'\"\\")))
		return gate_error_set(
			err, GATE_ECONFIG,
			"job %s: \"alg\" is empty or holds blanks or quotes",
			job->name);
	return GATE_OK;
}

int gate_guest_check(const struct gate_job *job, struct gate_error *err)
{
	if (job->command)
		return gate_error_set(
			err, GATE_ECONFIG,
			"job %s: the qemu runner runs benches "
			"(tcrypt, xor) and no commands; the local "
			"runner does",
			job->name);
	if (!job->bench)
		return gate_error_set(err, GATE_ECONFIG,
				      "job %s: the qemu runner needs a "
				      "\"bench\": tcrypt or xor",
				      job->name);
	if (strcmp(job->bench, "tcrypt") == 0)
		return check_tcrypt(job, err);
	if (strcmp(job->bench, "xor") == 0)
		return GATE_OK;
	return gate_error_set(err, GATE_ECONFIG,
			      "job %s: the qemu runner does not know bench "
			      "\"%s\", only tcrypt and xor",
			      job->name, job->bench);
}

/* ---- busybox ---- */

/* An ELF file without a program interpreter. */
static bool is_static(const char *image, size_t len)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	unsigned i;

	if (len < sizeof h || memcmp(image, ELFMAG, SELFMAG) != 0)
		return false;
	memcpy(&h, image, sizeof h);
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phoff > len ||
	    h.e_phentsize != sizeof p ||
	    (len - h.e_phoff) / sizeof p < h.e_phnum)
		return false;
	for (i = 0; i < h.e_phnum; i++) {
		memcpy(&p, image + h.e_phoff + i * sizeof p, sizeof p);
		if (p.p_type == PT_INTERP)
			return false;
	}
	return true;
}

int gate_guest_busybox(char **ret, struct gate_error *err)
{
	static const char *const paths[] = {"/bin/busybox", "/usr/bin/busybox",
					    "/usr/bin/busybox.static",
					    "/usr/local/bin/busybox", NULL};
	struct gate_error ignored;
	char *image;
	size_t i, len;
	bool good;

	for (i = 0; paths[i]; i++) {
		if (gate_fs_read(paths[i], BUSYBOX_BYTES_MAX, &image, &len,
				 &ignored))
			continue;
		good = is_static(image, len);
		free(image);
		if (good) {
			*ret = gate_strdup(paths[i]);
			return GATE_OK;
		}
	}
	return gate_error_set(err, GATE_ERUN,
			      "no statically linked busybox in /bin or "
			      "/usr/bin: install the package busybox-static");
}

/* ---- modules ---- */

struct selection {
	struct gate_kmods *kmods;
	struct gate_kmod_list first; /* loaded before the measurement */
	struct gate_kmod_list bench; /* loading them is the measurement */
	struct gate_error *err;
	int rc;
};

static void select_component(void *ctx, const char *name)
{
	struct selection *s = ctx;
	char *alias = gate_asprintf("crypto-%s", name);

	if (!s->rc)
		s->rc = gate_kmods_add_alias(s->kmods, alias, &s->first,
					     s->err);
	free(alias);
}

static int select_tcrypt(struct selection *s, const struct gate_job *job)
{
	size_t i;

	for (i = 0; i < job->n_modes; i++) {
		unsigned mode = job->modes[i];

		/* With alg= these measure that algorithm and nothing else. */
		if (job->alg && (mode == 300 || mode == 400 || mode == 600))
			continue;
		gate_modes_components(mode, select_component, s);
	}
	if (job->alg)
		gate_modes_alg_components(job->alg, select_component, s);
	if (s->rc)
		return s->rc;
	if (!gate_kmods_has(s->kmods, "tcrypt"))
		return gate_error_set(
			s->err, GATE_ERUN,
			gate_kmods_builtin(s->kmods, "tcrypt")
				? "tcrypt is built into this kernel, so it "
				  "runs once at boot and cannot be told a "
				  "mode: build it as a module "
				  "(CONFIG_CRYPTO_TEST=m, CRYPTO_BENCHMARK=m "
				  "since 7.x)"
				: "this kernel has no module tcrypt: build it "
				  "with CONFIG_CRYPTO_TEST=m "
				  "(CRYPTO_BENCHMARK=m since 7.x)");
	return gate_kmods_add(s->kmods, "tcrypt", &s->bench, s->err);
}

/* xor and raid6_pq calibrate when they are loaded; either may be absent. */
static int select_xor(struct selection *s, bool *at_boot)
{
	static const char *const names[] = {"xor", "raid6_pq", NULL};
	size_t i;
	int rc = GATE_OK;

	for (i = 0; !rc && names[i]; i++) {
		if (gate_kmods_has(s->kmods, names[i]))
			rc = gate_kmods_add(s->kmods, names[i], &s->bench,
					    s->err);
		else if (gate_kmods_builtin(s->kmods, names[i]))
			*at_boot = true;
	}
	if (!rc && !s->bench.n && !*at_boot)
		return gate_error_set(s->err, GATE_ERUN,
				      "this kernel has neither xor nor "
				      "raid6_pq (CONFIG_XOR_BLOCKS, "
				      "CONFIG_RAID6_PQ)");
	return rc;
}

static int select_modules(struct selection *s, const struct gate_job *job,
			  bool *at_boot)
{
	size_t i;
	int rc = GATE_OK;

	*at_boot = false;
	for (i = 0; !rc && job->load && job->load[i]; i++)
		rc = gate_kmods_add(s->kmods, job->load[i], &s->first, s->err);
	if (rc)
		return rc;
	return strcmp(job->bench, "xor") == 0 ? select_xor(s, at_boot)
					      : select_tcrypt(s, job);
}

/* ---- init ---- */

static const char init_head[] =
	"#!/bin/busybox sh\n"
	"set -f\n"
	"b=/bin/busybox\n"
	"$b mount -t proc proc /proc\n"
	"$b mount -t sysfs sysfs /sys\n"
	"$b mount -t devtmpfs dev /dev\n"
	/* Level 3, which a quiet console still shows. */
	"say() { echo \"<3>gate: $*\" >/dev/kmsg; }\n"
	/* With -no-reboot this ends QEMU, and needs no ACPI. */
	"finish() { say 'guest done'; $b reboot -f; }\n"
	"spin=0 fifo=\n"
	"for word in $($b cat /proc/cmdline); do\n"
	"\tcase $word in\n"
	"\tgate.spin=*) spin=${word#*=} fifo=--fifo ;;\n"
	"\t" GATE_GUEST_PROBE ") finish ;;\n"
	"\tesac\n"
	"done\n";

/* What an earlier pcrypt left registered would be measured instead of the
 * algorithm asked for, and older lines would be read as results. */
static const char init_clean[] = "$b grep -q '^pcrypt ' /proc/modules && "
				 "$b rmmod pcrypt\n"
				 "$b dmesg -c >/dev/null\n"
				 "$b dmesg -n 7\n";

/*
 * Before each measurement and not once: the end of a module's load waits for
 * a grace period, which ends on a tick, so the next one would start at the same
 * distance from a tick in every round.
 */
static const char init_spin[] = "/bin/insmod1 --spin $spin\n";

static void init_load(struct gate_str *s, const struct gate_kmod_list *list)
{
	size_t i;

	if (list->n == 0)
		return;
	gate_str_puts(s, "for name in");
	for (i = 0; i < list->n; i++)
		gate_str_addf(s, " %s", list->items[i]->name);
	gate_str_puts(s, "; do\n"
			 "\t/bin/insmod1 /modules/$name.ko\n"
			 "\tsay \"module $name rc=$?\"\n"
			 "done\n");
}

static void init_tcrypt(struct gate_str *s, const struct gate_job *job)
{
	size_t i;

	for (i = 0; i < job->n_modes; i++) {
		unsigned mode = job->modes[i];

		gate_str_addf(s,
			      "say 'begin mode=%u'\n%s"
			      "/bin/insmod1 $fifo /modules/tcrypt.ko mode=%u "
			      "sec=%u",
			      mode, init_spin, mode, job->sec);
		if (job->num_mb)
			gate_str_addf(s, " num_mb=%u", job->num_mb);
		if (job->klen)
			gate_str_addf(s, " klen=%u", job->klen);
		if (job->type >= 0)
			gate_str_addf(s, " type=%ld", job->type);
		if (job->mask >= 0)
			gate_str_addf(s, " mask=%ld", job->mask);
		if (job->alg)
			gate_str_addf(s, " 'alg=%s'", job->alg);
		gate_str_addf(s, "\nsay \"end mode=%u rc=$?\"\n", mode);
	}
}

static void init_xor(struct gate_str *s, const struct gate_kmod_list *bench)
{
	size_t i;

	for (i = 0; i < bench->n; i++)
		gate_str_addf(s,
			      "say 'begin module=%s'\n%s"
			      "/bin/insmod1 $fifo /modules/%s.ko\n"
			      "say \"end module=%s rc=$?\"\n",
			      bench->items[i]->name, init_spin,
			      bench->items[i]->name, bench->items[i]->name);
}

static void write_init(struct gate_str *s, const struct gate_job *job,
		       const struct selection *sel)
{
	gate_str_puts(s, init_head);
	init_load(s, &sel->first);
	gate_str_puts(s, init_clean);
	if (strcmp(job->bench, "xor") == 0)
		init_xor(s, &sel->bench);
	else
		init_tcrypt(s, job);
	gate_str_puts(s, "finish\n");
}

/* ---- the initramfs ---- */

static int put_modules(struct gate_initramfs *i,
		       const struct gate_kmod_list *list,
		       struct gate_error *err)
{
	size_t k, len;
	char *name, *image;
	int rc;

	for (k = 0; k < list->n; k++) {
		rc = gate_kmod_load(list->items[k]->path, &image, &len, err);
		if (rc)
			return rc;
		name = gate_asprintf("modules/%s.ko", list->items[k]->name);
		gate_initramfs_file(i, name, image, len);
		free(name);
		free(image);
	}
	return GATE_OK;
}

static int put_programs(struct gate_initramfs *i, struct gate_error *err)
{
	char *path, *image;
	size_t len;
	int rc;

	rc = gate_guest_busybox(&path, err);
	if (rc)
		return rc;
	rc = gate_fs_read(path, BUSYBOX_BYTES_MAX, &image, &len, err);
	free(path);
	if (rc)
		return rc;
	gate_initramfs_file(i, "bin/busybox", image, len);
	free(image);
	gate_initramfs_file(
		i, "bin/insmod1", gate_guest_insmod1,
		(size_t)(gate_guest_insmod1_end - gate_guest_insmod1));
	return GATE_OK;
}

static int put_all(struct gate_initramfs *i, const struct gate_job *job,
		   const struct selection *sel, struct gate_error *err)
{
	static const char *const folders[] = {"bin",  "dev", "modules",
					      "proc", "sys", NULL};
	struct gate_str init = {0};
	size_t k;
	int rc;

	for (k = 0; folders[k]; k++)
		gate_initramfs_folder(i, folders[k]);
	/* For a kernel without devtmpfs. */
	gate_initramfs_device(i, "dev/console", 5, 1);
	gate_initramfs_device(i, "dev/kmsg", 1, 11);
	gate_initramfs_device(i, "dev/null", 1, 3);
	rc = put_programs(i, err);
	if (!rc)
		rc = put_modules(i, &sel->first, err);
	if (!rc)
		rc = put_modules(i, &sel->bench, err);
	write_init(&init, job, sel);
	gate_initramfs_file(i, "init", init.data, init.len);
	gate_str_done(&init);
	return rc;
}

int gate_guest_compose(const struct gate_job *job, const char *modules,
		       const char *path, bool *at_boot, struct gate_error *err)
{
	struct selection sel = {.err = err};
	struct gate_initramfs *i;
	struct gate_error ignored;
	int rc;

	rc = gate_kmods_open(modules, &sel.kmods, err);
	if (!rc)
		rc = select_modules(&sel, job, at_boot);
	if (rc)
		goto out;
	rc = gate_initramfs_open(path, &i, err);
	if (rc)
		goto out;
	rc = put_all(i, job, &sel, err);
	if (rc)
		gate_initramfs_close(i, &ignored);
	else
		rc = gate_initramfs_close(i, err);
out:
	gate_kmod_list_done(&sel.first);
	gate_kmod_list_done(&sel.bench);
	gate_kmods_free(sel.kmods);
	return rc;
}

char *gate_guest_phase(unsigned round)
{
	return gate_asprintf("gate.spin=%llu",
			     (unsigned long long)round * SPIN_PER_ROUND);
}

/* ---- after the end ---- */

static int refuse(const char *log, size_t len, struct gate_error *err,
		  const char *what)
{
	char *last = gate_console_last_lines(log, len);

	gate_error_set(err, GATE_ERUN, "%s; last console lines: %s", what,
		       last);
	free(last);
	return GATE_ERUN;
}

/* The reason in a line "gate: end mode=200 rc=8", when it is one of failure:
 * tcrypt ends by EAGAIN, or by 0 in FIPS mode; xor by 0. */
static char *failed_end(const char *line, size_t len)
{
	static const char mark[] = "gate: end ", rc_mark[] = " rc=";
	const char *what = memmem(line, len, mark, sizeof mark - 1);
	const char *rc, *number;
	size_t rest, digits = 0;
	uint64_t code;

	if (!what)
		return NULL;
	what += sizeof mark - 1;
	rest = len - (size_t)(what - line);
	rc = memmem(what, rest, rc_mark, sizeof rc_mark - 1);
	if (!rc)
		return NULL;
	rest -= (size_t)(rc - what);
	number = rc + sizeof rc_mark - 1;
	rest -= sizeof rc_mark - 1;
	while (digits < rest && number[digits] >= '0' && number[digits] <= '9')
		digits++;
	if (!gate_num_u64(number, digits, &code) || code > 4095 || code == 0 ||
	    code == EAGAIN)
		return NULL;
	return gate_asprintf("the guest could not run %.*s: %s",
			     (int)(rc - what), what, strerror((int)code));
}

int gate_guest_verify(const char *log, size_t len, struct gate_error *err)
{
	const char *done =
		memmem(log, len, GATE_GUEST_DONE, sizeof GATE_GUEST_DONE - 1);
	size_t start = 0, rest;
	int rc = GATE_OK;

	if (!done)
		return refuse(log, len, err,
			      memmem(log, len, "Kernel panic", 12)
				      ? "the guest's kernel panicked"
				      : "the guest ended before its work was "
					"done");
	/* Said too early, it would make what is missing look as if the kernel
	 * had never had it. */
	rest = len - (size_t)(done - log);
	if (memmem(done, rest, "gate: begin", 11) ||
	    memmem(done, rest, "Kernel panic", 12))
		return refuse(log, len, err,
			      "the guest said that its work was done before it "
			      "was");
	while (!rc && start < len) {
		const char *nl = memchr(log + start, '\n', len - start);
		size_t end = nl ? (size_t)(nl - log) : len;
		char *why = failed_end(log + start, end - start);

		if (why)
			rc = refuse(log, len, err, why);
		free(why);
		start = end + 1;
	}
	return rc;
}
