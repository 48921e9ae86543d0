/*
 * Kernel modules on disk: which there are, what they offer and need.
 *
 * Reads the folder that `make modules_install` fills (or that a distribution
 * ships) without depmod's indexes, since those are made where a kernel is
 * installed and a tree under test never is. It loads nothing; what a job needs
 * is guest.h's.
 */
#ifndef GATE_RUNNERS_KMOD_H
#define GATE_RUNNERS_KMOD_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/util/error.h"

/* A NULL-terminated list of strings. */
struct gate_kmod_words {
	char **items;
	size_t n, cap;
};

struct gate_kmod {
	char *name; /* as the kernel has it: '-' is written '_' */
	char *path;
	/* Below: known once the file was read. */
	bool read;
	struct gate_kmod_words depends; /* names, normalised */
	struct gate_kmod_words pre;     /* softdep "pre:", not compulsory */
	struct gate_kmod_words aliases;
	bool open; /* private: its dependencies are being added */
};

/* Modules in the order of loading; borrowed from their gate_kmods. */
struct gate_kmod_list {
	const struct gate_kmod **items;
	size_t n, cap;
};
void gate_kmod_list_done(struct gate_kmod_list *l);

struct gate_kmods;

/* `dir` is lib/modules/VERSION. A folder without modules is GATE_ERUN. */
int gate_kmods_open(const char *dir, struct gate_kmods **ret,
		    struct gate_error *err);
void gate_kmods_free(struct gate_kmods *k); /* NULL is fine */

/* Part of the kernel image, by modules.builtin? '-' and '_' are the same. */
bool gate_kmods_builtin(const struct gate_kmods *k, const char *name);
/* There is a file for it. */
bool gate_kmods_has(const struct gate_kmods *k, const char *name);

/*
 * Appends the module and, before it, what it depends on; what the list already
 * holds or the kernel has built in is left out. An unknown name is GATE_ERUN
 * with the nearest known one.
 */
int gate_kmods_add(struct gate_kmods *k, const char *name,
		   struct gate_kmod_list *list, struct gate_error *err);
/*
 * The same for every module with exactly this alias, drivers of hardware left
 * out; no module is no error, since it may be built in.
 */
int gate_kmods_add_alias(struct gate_kmods *k, const char *alias,
			 struct gate_kmod_list *list, struct gate_error *err);

/*
 * The contents of a module file, which may be compressed as its name says
 * (.ko, .ko.gz, .ko.xz, .ko.zst). Caller frees.
 */
int gate_kmod_load(const char *path, char **ret, size_t *len,
		   struct gate_error *err);
/* Reads the .modinfo section of an ELF image into `m`; `path` is for
 * messages. The image is not trusted. */
int gate_kmod_parse(const char *path, const char *image, size_t len,
		    struct gate_kmod *m, struct gate_error *err);
void gate_kmod_done(struct gate_kmod *m);

#endif
