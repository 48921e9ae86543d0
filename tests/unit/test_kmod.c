#include <archive.h>
#include <archive_entry.h>

#include "fake_module.h"
#include "gate/runners/kmod.h"
#include "gate/util/mem.h"

static char *dir;
static struct gate_kmods *kmods;
static struct gate_kmod_list list;
static struct gate_error err;

static void set_up(void)
{
	cr_assert_eq(gate_fs_mkdtemp("gate-test", &dir, &err), 0);
}

static void tear_down(void)
{
	gate_kmod_list_done(&list);
	gate_kmods_free(kmods);
	cr_assert_eq(gate_fs_remove(dir, &err), 0, "%s", err.message);
	free(dir);
}

TestSuite(kmod, .init = set_up, .fini = tear_down);

static void open_modules(void)
{
	cr_assert_eq(gate_kmods_open(dir, &kmods, &err), 0, "%s", err.message);
}

/* The names of the list, separated by blanks. */
static void assert_list(const char *expected)
{
	struct gate_str s = {0};
	size_t i;

	for (i = 0; i < list.n; i++)
		gate_str_addf(&s, "%s%s", i ? " " : "", list.items[i]->name);
	cr_assert_str_eq(gate_str_text(&s), expected);
	gate_str_done(&s);
}

Test(kmod, loads_what_a_module_depends_on_before_it)
{
	put_module(dir, "kernel/c/aesni-intel.ko",
		   "license=GPL\0depends=crypto-simd\0alias=crypto-aes");
	put_module(dir, "kernel/c/crypto_simd.ko", "depends=cryptd");
	put_module(dir, "kernel/c/cryptd.ko", "depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "aesni_intel", &list, &err), 0, "%s",
		     err.message);
	assert_list("cryptd crypto_simd aesni_intel");
}

Test(kmod, lists_a_module_once)
{
	put_module(dir, "kernel/c/a.ko", "depends=c");
	put_module(dir, "kernel/c/b.ko", "depends=c,a");
	put_module(dir, "kernel/c/c.ko", "depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "a", &list, &err), 0);
	cr_assert_eq(gate_kmods_add(kmods, "b", &list, &err), 0);
	cr_assert_eq(gate_kmods_add(kmods, "b", &list, &err), 0);
	assert_list("c a b");
}

Test(kmod, takes_dash_and_underscore_as_one)
{
	put_module(dir, "kernel/c/ghash-clmulni-intel.ko", "depends=");
	open_modules();
	cr_assert(gate_kmods_has(kmods, "ghash_clmulni-intel"));
	cr_assert_not(gate_kmods_has(kmods, "ghash_clmulni"));
	cr_assert_not(gate_kmods_has(kmods, "ghash_clmulni_intel_"));
}

Test(kmod, loads_an_optional_dependency_before_when_there_is_one)
{
	put_module(dir, "kernel/c/xts.ko",
		   "softdep=pre: ecb gone post: later\0depends=");
	put_module(dir, "kernel/c/ecb.ko", "depends=");
	put_module(dir, "kernel/c/later.ko", "depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "xts", &list, &err), 0, "%s",
		     err.message);
	assert_list("ecb xts");
}

Test(kmod, does_not_miss_what_is_built_in)
{
	put_module(dir, "kernel/c/gcm.ko", "depends=crypto_null");
	put_text(dir, "modules.builtin",
		 "kernel/crypto/crypto-null.ko\nkernel/crypto/ctr.ko\n");
	open_modules();
	cr_assert(gate_kmods_builtin(kmods, "crypto_null"));
	cr_assert_not(gate_kmods_builtin(kmods, "null"));
	cr_assert_not(gate_kmods_builtin(kmods, "ct"));
	cr_assert_eq(gate_kmods_add(kmods, "gcm", &list, &err), 0, "%s",
		     err.message);
	cr_assert_eq(gate_kmods_add(kmods, "ctr", &list, &err), 0);
	assert_list("gcm");
}

Test(kmod, names_the_nearest_module)
{
	put_module(dir, "kernel/c/chacha_generic.ko", "depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "chacha_genric", &list, &err),
		     GATE_ERUN);
	cr_assert(strstr(err.message, "did you mean \"chacha_generic\"?"), "%s",
		  err.message);
}

Test(kmod, says_which_module_lacks_a_dependency)
{
	put_module(dir, "kernel/c/lrw.ko", "depends=gf128mul");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "lrw", &list, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "module lrw: no module \"gf128mul\""),
		  "%s", err.message);
}

Test(kmod, refuses_modules_that_depend_on_each_other)
{
	put_module(dir, "kernel/c/a.ko", "depends=b");
	put_module(dir, "kernel/c/b.ko", "depends=a");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "a", &list, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "depends on itself"), "%s", err.message);
}

Test(kmod, refuses_a_chain_without_end)
{
	char name[32], info[32];
	int i;

	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "kernel/c/m%d.ko", i);
		snprintf(info, sizeof info, "depends=m%d", i + 1);
		put_module_(dir, name, info, strlen(info) + 1);
	}
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "m0", &list, &err), GATE_ERUN);
}

Test(kmod, finds_every_software_module_behind_an_alias)
{
	put_module(dir, "kernel/arch/x86/crypto/aesni-intel.ko",
		   "alias=crypto-aes\0alias=aes\0depends=");
	put_module(dir, "kernel/crypto/aes_generic.ko",
		   "alias=crypto-aes-generic\0alias=crypto-aes\0depends=");
	put_module(dir, "kernel/crypto/aes_other.ko",
		   "alias=crypto-aes-other\0depends=");
	put_module(dir, "kernel/drivers/crypto/padlock-aes.ko",
		   "alias=crypto-aes\0depends=");
	put_module(dir, "kernel/net/odd.ko", "alias=crypto-aes\0depends=");
	put_module(dir, "extra/mine.ko", "alias=crypto-aes\0depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add_alias(kmods, "crypto-aes", &list, &err), 0,
		     "%s", err.message);
	assert_list("aes_generic aesni_intel mine");
}

Test(kmod, finds_nothing_behind_an_unknown_alias_without_complaint)
{
	put_module(dir, "kernel/crypto/a.ko", "alias=crypto-a\0depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add_alias(kmods, "crypto-b", &list, &err), 0);
	assert_list("");
}

Test(kmod, refuses_a_folder_without_modules)
{
	put_text(dir, "modules.order", "");
	cr_assert_eq(gate_kmods_open(dir, &kmods, &err), GATE_ERUN);
	cr_assert(strstr(err.message, "no kernel modules"), "%s", err.message);
}

Test(kmod, leaves_out_files_whose_name_would_not_be_safe_in_a_script)
{
	put_module(dir, "kernel/c/a b.ko", "depends=");
	put_module(dir, "kernel/c/$(x).ko", "depends=");
	put_module(dir, "kernel/c/-n.ko", "depends=");
	put_module(dir, "kernel/c/good.ko", "depends=");
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "a b", &list, &err), GATE_ERUN);
	cr_assert_eq(gate_kmods_add(kmods, "-n", &list, &err), GATE_ERUN);
	cr_assert_eq(gate_kmods_add(kmods, "good", &list, &err), 0);
}

/* Writes `data` to dir/name through one of libarchive's compressors. */
static void put_compressed(const char *name, int (*filter)(struct archive *),
			   const struct gate_str *data)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	char *path = gate_fs_join(dir, name);

	cr_assert_eq(filter(a), ARCHIVE_OK);
	cr_assert_eq(archive_write_set_format_raw(a), ARCHIVE_OK);
	cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
	archive_entry_set_pathname(e, "m");
	archive_entry_set_filetype(e, AE_IFREG);
	cr_assert_eq(archive_write_header(a, e), ARCHIVE_OK);
	cr_assert_eq(archive_write_data(a, data->data, data->len),
		     (la_ssize_t)data->len);
	cr_assert_eq(archive_write_close(a), ARCHIVE_OK);
	archive_entry_free(e);
	archive_write_free(a);
	free(path);
}

Test(kmod, reads_compressed_modules)
{
	static const char modinfo[] = "alias=crypto-q\0depends=";
	struct gate_str image = {0};
	char *path, *back;
	size_t len;

	put_module(dir, "kernel/crypto/plain.ko", "depends=x,g,z");
	fake_module(&image, modinfo, sizeof modinfo);
	put_compressed("kernel/crypto/x.ko.xz", archive_write_add_filter_xz,
		       &image);
	put_compressed("kernel/crypto/g.ko.gz", archive_write_add_filter_gzip,
		       &image);
	put_compressed("kernel/crypto/z.ko.zst", archive_write_add_filter_zstd,
		       &image);
	open_modules();
	cr_assert_eq(gate_kmods_add(kmods, "plain", &list, &err), 0, "%s",
		     err.message);
	assert_list("x g z plain");
	path = gate_fs_join(dir, "kernel/crypto/x.ko.xz");
	cr_assert_eq(gate_kmod_load(path, &back, &len, &err), 0);
	cr_assert_eq(len, image.len);
	cr_assert_eq(memcmp(back, image.data, len), 0);
	free(back);
	free(path);
	gate_str_done(&image);
}

Test(kmod, refuses_a_compressed_module_that_is_cut)
{
	static const char modinfo[] = "depends=";
	struct gate_str image = {0};
	char *path, *whole, *back;
	size_t len;

	put_module(dir, "kernel/crypto/plain.ko", "depends=");
	fake_module(&image, modinfo, sizeof modinfo);
	put_compressed("kernel/crypto/x.ko.xz", archive_write_add_filter_xz,
		       &image);
	path = gate_fs_join(dir, "kernel/crypto/x.ko.xz");
	cr_assert_eq(gate_fs_read(path, 1 << 20, &whole, &len, &err), 0);
	cr_assert_eq(gate_fs_write(path, whole, len / 2, &err), 0);
	cr_assert_eq(gate_kmod_load(path, &back, &len, &err), GATE_ESYNTAX);
	cr_assert_eq(gate_fs_write(path, "", 0, &err), 0);
	cr_assert_eq(gate_kmod_load(path, &back, &len, &err), GATE_ESYNTAX);
	free(whole);
	free(path);
	gate_str_done(&image);
}

static int parse(const char *data, size_t len)
{
	/* Exactly as long as the image, so that sanitizers see an overrun. */
	char *copy = malloc(len ? len : 1);
	struct gate_kmod m = {0};
	int rc;

	memcpy(copy, data, len);
	rc = gate_kmod_parse("m.ko", copy, len, &m, &err);
	gate_kmod_done(&m);
	free(copy);
	return rc;
}

Test(kmod, survives_a_module_cut_anywhere)
{
	static const char modinfo[] =
		"depends=a,b\0alias=crypto-x\0softdep=pre:";
	struct gate_str image = {0};
	size_t i;

	fake_module(&image, modinfo, sizeof modinfo);
	cr_assert_eq(parse(image.data, image.len), 0, "%s", err.message);
	for (i = 0; i < image.len; i++)
		cr_assert_eq(parse(image.data, i), GATE_ESYNTAX, "at %zu", i);
	gate_str_done(&image);
}

Test(kmod, survives_any_byte_of_a_module_changed)
{
	static const char modinfo[] =
		"depends=a,b\0alias=crypto-x\0softdep=pre:";
	static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	struct gate_str image = {0};
	size_t i, j;
	int rc;

	fake_module(&image, modinfo, sizeof modinfo);
	for (i = 0; i < image.len; i++) {
		char was = image.data[i];

		for (j = 0; j < sizeof values; j++) {
			image.data[i] = (char)values[j];
			rc = parse(image.data, image.len);
			cr_assert(rc == 0 || rc == GATE_ESYNTAX);
		}
		image.data[i] = was;
	}
	gate_str_done(&image);
}

Test(kmod, refuses_what_is_no_module)
{
	cr_assert_eq(parse("", 0), GATE_ESYNTAX);
	cr_assert_eq(parse("version https://git-lfs", 23), GATE_ESYNTAX);
	cr_assert(strstr(err.message, "no ELF file"));
}
