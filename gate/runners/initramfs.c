#include "gate/runners/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/util/mem.h"

struct gate_initramfs {
	struct archive *a;
	char *path;
	unsigned inode;
	bool failed; /* the archive holds the reason */
};

int gate_initramfs_open(const char *path, struct gate_initramfs **ret,
			struct gate_error *err)
{
	struct gate_initramfs *i = gate_alloc(sizeof *i);

	i->path = gate_strdup(path);
	i->a = archive_write_new();
	archive_write_set_format_cpio_newc(i->a);
	archive_write_add_filter_none(i->a);
	/* Without it the last block is filled up to 10 KiB. */
	archive_write_set_bytes_in_last_block(i->a, 1);
	if (archive_write_open_filename(i->a, path) != ARCHIVE_OK) {
		i->failed = true;
		return gate_initramfs_close(i, err);
	}
	*ret = i;
	return GATE_OK;
}

static struct archive_entry *entry_new(struct gate_initramfs *i,
				       const char *name, unsigned type,
				       unsigned permissions)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, permissions);
	archive_entry_set_mtime(e, 0, 0);
	archive_entry_set_uid(e, 0);
	archive_entry_set_gid(e, 0);
	archive_entry_set_nlink(e, 1);
	archive_entry_set_ino(e, ++i->inode);
	archive_entry_set_size(e, 0);
	return e;
}

/* Writes the entry with its data and frees it. */
static void put(struct gate_initramfs *i, struct archive_entry *e,
		const void *data, size_t len)
{
	if (!i->failed && (archive_write_header(i->a, e) != ARCHIVE_OK ||
			   (len > 0 && archive_write_data(i->a, data, len) !=
					       (la_ssize_t)len)))
		i->failed = true;
	archive_entry_free(e);
}

void gate_initramfs_folder(struct gate_initramfs *i, const char *name)
{
	put(i, entry_new(i, name, S_IFDIR, 0755), NULL, 0);
}

void gate_initramfs_file(struct gate_initramfs *i, const char *name,
			 const void *data, size_t len)
{
	struct archive_entry *e = entry_new(i, name, S_IFREG, 0755);

	archive_entry_set_size(e, (la_int64_t)len);
	put(i, e, data, len);
}

void gate_initramfs_link(struct gate_initramfs *i, const char *name,
			 const char *target)
{
	struct archive_entry *e = entry_new(i, name, S_IFLNK, 0777);

	archive_entry_set_symlink(e, target);
	put(i, e, NULL, 0);
}

void gate_initramfs_device(struct gate_initramfs *i, const char *name,
			   unsigned major, unsigned minor)
{
	struct archive_entry *e = entry_new(i, name, S_IFCHR, 0600);

	archive_entry_set_rdevmajor(e, major);
	archive_entry_set_rdevminor(e, minor);
	put(i, e, NULL, 0);
}

int gate_initramfs_close(struct gate_initramfs *i, struct gate_error *err)
{
	const char *why;
	int rc = GATE_OK;

	if (!i->failed && archive_write_close(i->a) != ARCHIVE_OK)
		i->failed = true;
	if (i->failed) {
		why = archive_error_string(i->a);
		rc = gate_error_set(err, GATE_ESYS, "%s: %s", i->path,
				    why ? why : "cannot be written");
		unlink(i->path);
	}
	archive_write_free(i->a);
	free(i->path);
	free(i);
	return rc;
}
