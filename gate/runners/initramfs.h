/*
 * Initramfs: a cpio archive (format newc) for the kernel to unpack.
 *
 * The same entries in the same order give the same bytes: no time stamps, no
 * owner, inodes counted. Not compressed, so that every kernel reads it
 * whatever decompressors it has, the bytes do not depend on a compressor's
 * version, and a guest whose every instruction is emulated need not unpack it.
 * What goes in is guest.h's.
 */
#ifndef GATE_RUNNERS_INITRAMFS_H
#define GATE_RUNNERS_INITRAMFS_H

#include <stddef.h>

#include "gate/util/error.h"

struct gate_initramfs;

int gate_initramfs_open(const char *path, struct gate_initramfs **ret,
			struct gate_error *err);

/* Names have no leading slash; a folder comes before what is in it. The first
 * failure is kept and told by _close(). */
void gate_initramfs_folder(struct gate_initramfs *i, const char *name);
void gate_initramfs_file(struct gate_initramfs *i, const char *name,
			 const void *data, size_t len); /* mode 0755 */
void gate_initramfs_link(struct gate_initramfs *i, const char *name,
			 const char *target);
void gate_initramfs_device(struct gate_initramfs *i, const char *name,
			   unsigned major, unsigned minor);

/* Finishes the file and frees `i`; on failure no file is left. */
int gate_initramfs_close(struct gate_initramfs *i, struct gate_error *err);

#endif
