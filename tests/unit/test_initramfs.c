#include <criterion/criterion.h>

#include <archive.h>
#include <archive_entry.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/runners/initramfs.h"
#include "gate/util/fs.h"

static char *dir, *path;
static struct gate_error err;

static void set_up(void)
{
	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
	path = gate_fs_join(dir, "initramfs.cpio");
}

static void tear_down(void)
{
	cr_assert_eq(gate_fs_remove(dir, &err), 0, "%s", err.message);
	free(path);
	free(dir);
}

TestSuite(initramfs, .init = set_up, .fini = tear_down);

static const char program[] = "#!/bin/sh\0with a NUL";

static void compose(void)
{
	struct gate_initramfs *i;

	cr_assert_eq(gate_initramfs_open(path, &i, &err), 0, "%s", err.message);
	gate_initramfs_folder(i, "bin");
	gate_initramfs_folder(i, "dev");
	gate_initramfs_device(i, "dev/console", 5, 1);
	gate_initramfs_file(i, "bin/program", program, sizeof program);
	gate_initramfs_link(i, "bin/sh", "program");
	gate_initramfs_file(i, "empty", "", 0);
	cr_assert_eq(gate_initramfs_close(i, &err), 0, "%s", err.message);
}

static struct archive *open_archive(void)
{
	struct archive *a = archive_read_new();

	archive_read_support_format_cpio(a);
	cr_assert_eq(archive_read_open_filename(a, path, 10240), ARCHIVE_OK);
	return a;
}

Test(initramfs, holds_what_was_put_in_in_the_order_of_putting)
{
	static const struct {
		const char *name;
		unsigned mode;
	} expected[] = {{"bin", S_IFDIR | 0755},
			{"dev", S_IFDIR | 0755},
			{"dev/console", S_IFCHR | 0600},
			{"bin/program", S_IFREG | 0755},
			{"bin/sh", S_IFLNK | 0777},
			{"empty", S_IFREG | 0755}};
	struct archive *a;
	struct archive_entry *e;
	char data[64];
	size_t i;

	compose();
	a = open_archive();
	for (i = 0; i < sizeof expected / sizeof *expected; i++) {
		cr_assert_eq(archive_read_next_header(a, &e), ARCHIVE_OK);
		cr_assert_str_eq(archive_entry_pathname(e), expected[i].name);
		cr_assert_eq(archive_entry_mode(e), expected[i].mode);
		if (i == 2) {
			cr_assert_eq(archive_entry_rdevmajor(e), 5);
			cr_assert_eq(archive_entry_rdevminor(e), 1);
		} else if (i == 3) {
			cr_assert_eq(archive_read_data(a, data, sizeof data),
				     (la_ssize_t)sizeof program);
			cr_assert_eq(memcmp(data, program, sizeof program), 0);
		} else if (i == 4) {
			cr_assert_str_eq(archive_entry_symlink(e), "program");
		}
	}
	cr_assert_eq(archive_read_next_header(a, &e), ARCHIVE_EOF);
	archive_read_free(a);
}

Test(initramfs, names_no_time_and_no_owner)
{
	struct archive *a;
	struct archive_entry *e;

	compose();
	a = open_archive();
	while (archive_read_next_header(a, &e) == ARCHIVE_OK) {
		cr_assert_eq(archive_entry_mtime(e), 0);
		cr_assert_eq(archive_entry_uid(e), 0);
		cr_assert_eq(archive_entry_gid(e), 0);
	}
	archive_read_free(a);
}

Test(initramfs, comes_out_the_same_a_second_later)
{
	char *first, *second;
	size_t n, m;

	compose();
	cr_assert_eq(gate_fs_read(path, 1 << 20, &first, &n, &err), 0);
	sleep(1);
	compose();
	cr_assert_eq(gate_fs_read(path, 1 << 20, &second, &m, &err), 0);
	cr_assert_eq(n, m);
	cr_assert_eq(memcmp(first, second, n), 0);
	cr_assert_eq(memcmp(first, "070701", 6), 0, "not newc");
	free(first);
	free(second);
}

Test(initramfs, tells_why_it_cannot_be_written)
{
	struct gate_initramfs *i;
	char *nowhere = gate_fs_join(dir, "no/such/folder/x.cpio");

	cr_assert_eq(gate_initramfs_open(nowhere, &i, &err), GATE_ESYS);
	cr_assert(strstr(err.message, nowhere), "%s", err.message);
	free(nowhere);
}

Test(initramfs, leaves_no_half_of_a_file_behind)
{
	static char big[1 << 16];
	struct rlimit limit = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
	struct gate_initramfs *i;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(gate_initramfs_open(path, &i, &err), 0);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	gate_initramfs_file(i, "big", big, sizeof big);
	gate_initramfs_file(i, "more", big, sizeof big);
	cr_assert_eq(gate_initramfs_close(i, &err), GATE_ESYS);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert(strstr(err.message, path), "%s", err.message);
	cr_assert_not(gate_fs_exists(path));
}
