/*
 * Every capture through all parsers at once: each gives what its benchmarks
 * printed, and no parser takes anything from another's lines or from prose.
 */
#include <dirent.h>

#include "unit/parsing.h"

enum { BENCHES = 13 };

/* Complete values of each, in this order. */
static const char *const benches[BENCHES] = {
	"tcrypt",   "xor",        "raid6",       "bpf",       "kunit",
	"openssl",  "cryptsetup", "googlebench", "hyperfine", "gobench",
	"perfstat", "perfbench",  "fio"};

struct expected {
	const char *file;
	size_t tcrypt, xor, raid6, bpf, kunit, openssl, cryptsetup, googlebench,
		hyperfine, gobench, perfstat, perfbench, fio;
	/* Of all; orphans are complete. */
	size_t orphans, failed, skipped, incomplete, unparsed;
};

static const struct expected logs[] = {
	{"bpf_crypto_decrypt_all_zero_p4.log", .failed = 3},
	{"bpf_crypto_decrypt_clean_before.log", .bpf = 7},
	{"bpf_crypto_decrypt_quoted_printable.log", .bpf = 7},
	{"bpf_htab_mem_run_bench.log", .bpf = 11},
	{"bpf_local_storage_run_bench.log", .bpf = 6, .incomplete = 1},
	{"bpf_lpm_trie_noop.log", .bpf = 9},
	{"cryptsetup_benchmark_argon_collapsed_spaces.log", .cryptsetup = 29},
	{"derived_nonutf8_nul_in_dmesg.log", .xor = 4},
	{"kunit_aes_rfc_other_testnames.log", .kunit = 6},
	{"kunit_aes_v2_min_of_100.log", .kunit = 6},
	{"kunit_crc64_nvme_before_after.log", .kunit = 14, .orphans = 14},
	{"kunit_poly1305_diff_base_vs_optimized.log", .kunit = 13},
	{"kunit_sha1_zhaoxin_qp.log", .kunit = 13},
	{"kunit_sha256_zhaoxin_skip.log", .kunit = 13, .skipped = 1},
	{"kunit_sha3_journald_quoted_wrapped.log", .kunit = 11, .orphans = 11},
	{"local_dmesg_color_ansi.log", .tcrypt = 15, .raid6 = 3},
	{"local_dmesg_ctime_T.log", .tcrypt = 15, .raid6 = 3},
	{"local_dmesg_raw_level_prefix.log", .tcrypt = 15, .raid6 = 3},
	{"local_fio.log", .fio = 6},
	{"local_googlebench.log", .googlebench = 14, .failed = 1},
	{"local_kunit_72_uml_benchmark_disabled_skip.log", .skipped = 3},
	{"local_kunit_72_uml_full_run1.log", .kunit = 290, .skipped = 1},
	{"local_neighbour_hyperfine.json.log", .hyperfine = 5},
	{"local_neighbour_perf_stat_csv.log", .perfstat = 2},
	{"local_openssl_speed_evp_gcm.log", .openssl = 1},
	{"local_openssl_speed_keys.log", .openssl = 8},
	{"local_openssl_speed_mr.log", .openssl = 8},
	{"local_perf_bench.log", .perfbench = 10},
	{"local_perf_stat_csv_single.log", .perfstat = 4, .skipped = 4},
	{"local_perf_stat_json.log", .perfstat = 4, .skipped = 4},
	{"local_tcrypt_510_mb_sha256_crlf.log", .tcrypt = 7},
	{"local_tcrypt_510_rfc4106_cycles_crlf.log", .tcrypt = 24},
	{"local_tcrypt_612_mode215_mb_crlf.log", .tcrypt = 57},
	{"local_tcrypt_61_mode211_unprefixed_crlf.log", .tcrypt = 40},
	{"local_xor_raid6_72_boot_crlf.log", .tcrypt = 4, .raid6 = 3},
	{"negative_octeon_ratio_table.log", .unparsed = 7},
	{"raid6_26_sse1_interleaved_input.log", .raid6 = 8},
	{"raid6_avx2_xor_auto.log", .raid6 = 12},
	{"raid6_ip27_mips_quoted.log", .raid6 = 8},
	{"raid6_neon_rockchip.log", .raid6 = 10},
	{"raid6_riscv_gen_only.log", .raid6 = 4},
	{"raid6_skip_only_no_numbers.log", .raid6 = 0},
	{"raid6_skipped_xor_busybox_console.log", .xor = 2},
	{"raid6_xen_quoted_glued_loglevel.log", .raid6 = 10},
	{"raid6_xor_riscv_unmatched.log", .xor = 4, .raid6 = 8},
	{"raid6_xor_ubuntu_mailwrapped_neighbours.log", .xor = 2, .raid6 = 3},
	{"round_icount_612.log", .tcrypt = 279, .xor = 2, .raid6 = 3,
	 .failed = 4},
	{"round_icount_73.log", .tcrypt = 292, .kunit = 153, .failed = 2,
	 .skipped = 1},
	{"round_tcg_61_cycles.log", .tcrypt = 373},
	{"round_tcg_61_seconds.log", .tcrypt = 93},
	{"round_uml_612.log", .tcrypt = 7, .xor = 2, .raid6 = 4},
	{"tcrypt_aria_mb_no_bytes_suffix.log", .tcrypt = 14, .incomplete = 1},
	{"tcrypt_async_ecb_neonbs_mailwrap_prcont_split.log", .tcrypt = 25,
	 .failed = 2},
	{"tcrypt_banner_newline_before_after.log", .tcrypt = 2},
	{"tcrypt_camellia_xts_512.log", .tcrypt = 11},
	{"tcrypt_cbc_generic_head_truncated.log", .tcrypt = 11, .orphans = 8,
	 .incomplete = 1},
	{"tcrypt_cmac_hash_cycles_3drivers_quoted.log", .tcrypt = 21},
	{"tcrypt_crc64_iso3309_hash_opers.log", .tcrypt = 5},
	{"tcrypt_cts_aesni_notimestamp.log", .tcrypt = 11},
	{"tcrypt_gxl_dma_timeout_failed.log", .failed = 2, .incomplete = 1},
	{"tcrypt_nuvoton_ecb_console.log", .tcrypt = 7},
	{"tcrypt_odroidc2_mode200_secs.log", .tcrypt = 6},
	{"tcrypt_rfc4106_58_result_on_next_line.log", .tcrypt = 8,
	 .incomplete = 1},
	{"tcrypt_sa2ul_rst_indented.log", .tcrypt = 9},
	{"tcrypt_sha1_nuvoton_hash_cycles.log", .tcrypt = 5, .incomplete = 1},
	{"tcrypt_sha256_multibuffer_hash.log", .tcrypt = 5},
	{"tcrypt_xts_aesni_before_section.log", .tcrypt = 6},
	{"xor_altivec_journald.log", .xor = 5},
	{"xor_arm64_boot_utf8.log", .xor = 3},
	{"xor_armv7_quoted_qp.log", .xor = 3},
	{"xor_raid6_3x_pIII_auto_with_speed.log", .xor = 1, .raid6 = 10},
	{"xor_rpi3_prefetch_name_overflow.log", .xor = 4},
	{"xor_synology_apollolake_a.log", .xor = 2},
	{"xor_thunderx2_before_after.log", .xor = 6},
	{"xor_x86_prefetch64_boot.log", .xor = 2},
};

/* Every file of a folder. */
static const struct expected rounds[] = {
	{"icount/base", .tcrypt = 279, .xor = 2, .raid6 = 3, .failed = 4},
	{"icount/slow", .tcrypt = 279, .xor = 2, .raid6 = 3, .failed = 4},
	{"icount/unrelated", .tcrypt = 279, .xor = 2, .raid6 = 3, .failed = 4},
	{"icount73/base", .tcrypt = 292, .kunit = 153, .failed = 2,
	 .skipped = 1},
	{"uml/base", .tcrypt = 7, .xor = 2, .raid6 = 4},
	{"uml/same", .tcrypt = 7, .xor = 2, .raid6 = 4},
	{"uml/slow", .tcrypt = 7, .xor = 2, .raid6 = 4},
};

static size_t count_all(const struct parsed *p, enum gate_sample_status status)
{
	size_t i, n = 0;

	for (i = 0; i < p->set->n; i++)
		n += p->set->items[i].s.status == status;
	return n;
}

static void check_counts(const struct parsed *p, const struct expected *e,
			 const char *file)
{
	const size_t want[BENCHES] = {
		e->tcrypt,    e->xor,     e->raid6,      e->bpf,
		e->kunit,     e->openssl, e->cryptsetup, e->googlebench,
		e->hyperfine, e->gobench, e->perfstat,   e->perfbench,
		e->fio};
	size_t i, n, sum = 0;

	for (i = 0; i < BENCHES; i++) {
		n = count_status(p, benches[i], GATE_SAMPLE_OK) +
		    count_status(p, benches[i], GATE_SAMPLE_ORPHAN);
		cr_expect_eq(n, want[i], "%s: %zu values of %s", file, n,
			     benches[i]);
		sum += n;
	}
	cr_expect_eq(p->stats.complete, sum, "%s", file);
	cr_expect_eq(count_all(p, GATE_SAMPLE_ORPHAN), e->orphans, "%s", file);
	cr_expect_eq(count_all(p, GATE_SAMPLE_FAILED), e->failed, "%s", file);
	cr_expect_eq(count_all(p, GATE_SAMPLE_SKIPPED), e->skipped, "%s", file);
	cr_expect_eq(count_all(p, GATE_SAMPLE_INCOMPLETE), e->incomplete, "%s",
		     file);
	cr_expect_eq(p->stats.unparsed, e->unparsed, "%s: %zu unparsed", file,
		     p->stats.unparsed);
}

static void check_file(const char *path, const struct expected *e)
{
	struct gate_parse_opts opts = {.parser = "auto", .job = ""};
	struct parsed p = {.set = gate_sample_set_new()};

	p.rc = gate_parse_file(&opts, path, p.set, &p.diags, &p.stats, &p.err);
	cr_assert_eq(p.rc, 0, "%s", p.err.message);
	check_counts(&p, e, path);
	parsed_done(&p);
}

static const struct expected *find(const char *file)
{
	size_t i;

	for (i = 0; i < sizeof logs / sizeof logs[0]; i++)
		if (!strcmp(logs[i].file, file))
			return &logs[i];
	return NULL;
}

/* Calls `fn` for each file of a folder of fixtures; returns their number. */
static size_t each_file(const char *folder, const struct expected *e)
{
	const struct expected *expected;
	char path[1024];
	struct dirent *d;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", GATE_FIXTURES, folder);
	dir = opendir(path);
	cr_assert_not_null(dir, "%s", path);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		n++;
		expected = e ? e : find(d->d_name);
		cr_assert_not_null(expected, "nothing is expected of %s",
				   d->d_name);
		snprintf(path, sizeof path, "%s/%s/%s", GATE_FIXTURES, folder,
			 d->d_name);
		check_file(path, expected);
	}
	closedir(dir);
	return n;
}

Test(auto, reads_every_log)
{
	cr_expect_eq(each_file("logs", NULL), sizeof logs / sizeof logs[0]);
}

Test(auto, reads_every_round)
{
	char folder[64];
	size_t i, n = 0;

	for (i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
		snprintf(folder, sizeof folder, "rounds/%s", rounds[i].file);
		n += each_file(folder, &rounds[i]);
	}
	cr_expect_eq(n, 3 * 6 + 3 + 3 * 10);
}

/* A console on which one thing ran after the other. */
Test(auto, gives_all_benchmarks_of_one_log)
{
	struct parsed p = parse_text(
		"auto",
		"[    0.5] xor: measuring software checksum speed\n"
		"[    0.6]    avx             : 42616 MB/sec\n"
		"[    0.6] xor: using function: avx (42616 MB/sec)\n"
		"[    0.7] raid6: avx2x4   gen() 25330 MB/s\n"
		"# openssl speed -evp aes-256-gcm\n"
		"type           1024 bytes\n"
		"AES-256-GCM    1721465.60k\n"
		"# modprobe tcrypt mode=200 sec=1\n"
		"[    9.1] tcrypt: testing speed of async ecb(aes) "
		"(ecb-aes-aesni) encryption\n"
		"[    9.2] tcrypt: test 0 (128 bit key, 16 byte blocks): 338 "
		"operations in 1 seconds (5408 bytes)\n"
		"# ./bench crypto-encrypt\n"
		"Benchmark 'crypto-encrypt' started.\n"
		"Iter   0 (  1.0us): hits 5.1M/s (5.1M/prod), drops 0.0M/s\n"
		"Iter   1 (  1.0us): hits 5.2M/s (5.2M/prod), drops 0.0M/s\n"
		"[   20.0]     # Subtest: sha256\n"
		"[   20.1]     # benchmark_hash: len=16: 119 MB/s\n"
		"[   20.2]     ok 1 benchmark_hash\n"
		"# cryptsetup benchmark -c aes-xts\n"
		"  aes-xts  512b  349.5 MiB/s  356.6 MiB/s\n"
		"{\"results\":[{\"command\":\"true\",\"times\":[0.5]}]}\n");

	check_counts(&p,
		     &(struct expected){.tcrypt = 1,
					.xor = 1,
					.raid6 = 1,
					.bpf = 2,
					.kunit = 1,
					.openssl = 1,
					.cryptsetup = 2,
					.hyperfine = 1},
		     "one log");
	parsed_done(&p);
}
