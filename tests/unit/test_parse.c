#include <stdlib.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "unit/parsing.h"

#define ECB                                                                    \
	"tcrypt: testing speed of async ecb(aes) (ecb-aes-aesni) encryption\n"
#define TEST0                                                                  \
	"tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 338 "    \
	"cycles (16 bytes)\n"

/* --- every capture -------------------------------------------------------- */

enum { SPOTS = 8 };

/* One value, as "bench/row"; `nth` counts repeats from 0. */
struct spot {
	const char *name;
	double value;
	size_t nth;
	const char *driver;
};

struct capture {
	const char *file;
	/* Complete values, orphans among them. */
	size_t tcrypt, xor, raid6, kunit;
	size_t failed, skipped, incomplete, orphans, unparsed;
	struct spot spots[SPOTS];
};

#define MIB     1048576.0
#define JIFFIES 1024000.0 /* one "MB" of xor before 5.10 */

static const struct capture captures[] = {
	{"tcrypt_odroidc2_mode200_secs.log", .tcrypt = 6,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 1922107, 0,
		    "ecb(aes-arm64)"},
		   {"tcrypt/ecb(aes)/encrypt/key=128/block=8192", 6199, 0,
		    NULL}}},
	{"tcrypt_async_ecb_neonbs_mailwrap_prcont_split.log", .tcrypt = 25,
	 .failed = 2,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=192/block=64", 482103, 0,
		    "ecb-aes-neonbs"},
		   {"tcrypt/ecb(aes)/encrypt/key=128/block=1472", 56456, 0,
		    "ecb-aes-neonbs"},
		   {"tcrypt/ecb(aes)/encrypt/key=256/block=8192", 7788, 0,
		    NULL},
		   {"tcrypt/ecb(aes)/decrypt/key=128/block=16", 505838, 0,
		    NULL},
		   {"tcrypt/xts(aes)/encrypt/key=256/block=64", 628670, 0,
		    "xts-aes-neonbs"},
		   {"tcrypt/cts(cbc(aes))/encrypt/key=128/block=64", 558509, 0,
		    "cts-cbc-aes-neon"}}},
	{"tcrypt_cts_aesni_notimestamp.log", .tcrypt = 11,
	 .spots = {{"tcrypt/cts(cbc(aes))/encrypt/key=128/block=16", 11002728,
		    0, "cts(cbc-aes-aesni)"},
		   {"tcrypt/cts(cbc(aes))/encrypt/key=192/block=1424", 702795,
		    0, NULL}}},
	{"tcrypt_rfc4106_58_result_on_next_line.log", .tcrypt = 8,
	 .incomplete = 1,
	 .spots = {{"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=16", 723747,
		    0, "rfc4106-gcm-aesni"},
		   {"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=8192",
		    47446, 0, NULL}}},
	{"tcrypt_sa2ul_rst_indented.log", .tcrypt = 9,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=8192", 22556, 0,
		    "ecb-aes-sa2ul"},
		   {"tcrypt/ecb(aes)/encrypt/key=192/block=16", 80305, 0,
		    NULL}}},
	{"tcrypt_camellia_xts_512.log", .tcrypt = 11,
	 .spots = {{"tcrypt/xts(camellia)/encrypt/key=256/block=16", 4295101, 0,
		    "xts-camellia-aesni-avx2"},
		   {"tcrypt/xts(camellia)/encrypt/key=512/block=1424", 366645,
		    0, NULL}}},
	{"tcrypt_aria_mb_no_bytes_suffix.log", .tcrypt = 14, .incomplete = 1,
	 .spots = {{"tcrypt/multibuffer/ecb(aria)/encrypt/key=128/block=16",
		    534, 0, "ecb(aria-generic)"},
		   {"tcrypt/multibuffer/ecb(aria)/encrypt/key=256/block=4096",
		    69794, 0, NULL},
		   {"tcrypt/multibuffer/ecb(aria)/decrypt/key=128/block=16",
		    545, 0, NULL}}},
	{"tcrypt_banner_newline_before_after.log", .tcrypt = 2,
	 .spots = {{"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=16", 2320,
		    0, NULL},
		   {"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=16", 2320,
		    1, NULL}}},
	{"tcrypt_nuvoton_ecb_console.log", .tcrypt = 7,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 6948, 0,
		    "Nuvoton-ecb-aes"},
		   {"tcrypt/ecb(aes)/encrypt/key=128/block=4096", 31718, 0,
		    NULL}}},
	{"tcrypt_gxl_dma_timeout_failed.log", .failed = 2, .incomplete = 1},
	{"tcrypt_xts_aesni_before_section.log", .tcrypt = 6,
	 .spots = {{"tcrypt/xts(aes)/encrypt/key=256/block=16", 8030565, 0,
		    "xts-aes-aesni"},
		   {"tcrypt/xts(aes)/encrypt/key=256/block=4096", 568192, 0,
		    NULL}}},
	{"tcrypt_cbc_generic_head_truncated.log", .tcrypt = 11, .incomplete = 1,
	 .orphans = 8,
	 .spots = {{"tcrypt/?/key=192/block=256", 40266, 0, NULL},
		   {"tcrypt/?/key=256/block=8192", 1129, 0, NULL},
		   {"tcrypt/cbc(aes)/decrypt/key=128/block=16", 485566, 0,
		    "cbc(aes-generic)"}}},
	{"tcrypt_cmac_hash_cycles_3drivers_quoted.log", .tcrypt = 21,
	 .spots = {{"tcrypt/cmac(aes)/hash/block=16/update=16", 753, 0,
		    "cmac(aes-aesni)"},
		   {"tcrypt/cmac(cbc(aes-aesni))/hash/block=16/update=16", 959,
		    0, "cmac(cbc(aes-aesni))"},
		   {"tcrypt/cmac(aes)/hash/block=16/update=16", 1026, 1,
		    "cmac(cbc-aes-aesni)"},
		   {"tcrypt/cmac(aes)/hash/block=8192/update=8192", 42464, 1,
		    NULL}}},
	{"tcrypt_crc64_iso3309_hash_opers.log", .tcrypt = 5,
	 .spots = {{"tcrypt/crc64-iso3309/hash/block=16/update=16", 789148, 0,
		    "mcrc64"},
		   {"tcrypt/crc64-iso3309/hash/block=256/update=64", 346712, 0,
		    NULL}}},
	{"tcrypt_sha1_nuvoton_hash_cycles.log", .tcrypt = 5, .incomplete = 1,
	 .spots = {{"tcrypt/sha1/hash/block=16/update=16", 782, 0,
		    "nuvoton_sha"},
		   {"tcrypt/sha1/hash/block=256/update=64", 3796, 0, NULL}}},
	{"tcrypt_sha256_multibuffer_hash.log", .tcrypt = 5,
	 .spots = {{"tcrypt/multibuffer/sha256/hash/block=16/update=16", 284, 0,
		    "sha256-ni-mb"},
		   {"tcrypt/multibuffer/sha256/hash/block=2048/update=2048",
		    36107, 0, NULL}}},
	{"negative_octeon_ratio_table.log", .unparsed = 7},
	{"xor_thunderx2_before_after.log", .xor = 6,
	 .spots = {{"xor/8regs", 10169 * JIFFIES, 0, NULL},
		   {"xor/8regs", 10556e6, 1, NULL},
		   {"xor/32regs", 12050 * JIFFIES, 0, NULL},
		   {"xor/32regs", 12538e6, 1, NULL}}},
	{"xor_arm64_boot_utf8.log", .xor = 3,
	 .spots = {{"xor/8regs", 2797e6, 0, NULL},
		   {"xor/32regs", 2802e6, 0, NULL},
		   {"xor/arm64_neon", 2631e6, 0, NULL}}},
	{"xor_armv7_quoted_qp.log", .xor = 3,
	 .spots = {{"xor/arm4regs", 1200 * JIFFIES, 0, NULL},
		   {"xor/8regs", 916800.0 * 1024, 0, NULL},
		   {"xor/32regs", 968400.0 * 1024, 0, NULL}}},
	{"xor_rpi3_prefetch_name_overflow.log", .xor = 4,
	 .spots = {{"xor/8regs", 2864 * JIFFIES, 0, NULL},
		   {"xor/8regs_prefetch", 2552 * JIFFIES, 0, NULL},
		   {"xor/32regs", 3384 * JIFFIES, 0, NULL},
		   {"xor/32regs_prefetch", 2872 * JIFFIES, 0, NULL}}},
	{"derived_nonutf8_nul_in_dmesg.log", .xor = 4,
	 .spots = {{"xor/8regs", 2864 * JIFFIES, 0, NULL},
		   {"xor/32regs_prefetch", 2872 * JIFFIES, 0, NULL}}},
	{"raid6_xor_riscv_unmatched.log", .xor = 4, .raid6 = 8,
	 .spots = {{"raid6/int64x4/gen", 1141 * MIB, 0, NULL},
		   {"raid6/int64x4/xor", 642 * MIB, 0, NULL},
		   {"xor/32regs", 2793e6, 0, NULL}}},
	{"xor_x86_prefetch64_boot.log", .xor = 2,
	 .spots = {{"xor/prefetch64-sse", 11886 * JIFFIES, 0, NULL},
		   {"xor/generic_sse", 10480 * JIFFIES, 0, NULL}}},
	{"raid6_xor_ubuntu_mailwrapped_neighbours.log", .xor = 2, .raid6 = 3,
	 .spots = {{"raid6/sse2x2/gen", 11878 * MIB, 0, NULL},
		   {"xor/prefetch64-sse", 13382e6, 0, NULL}}},
	{"raid6_avx2_xor_auto.log", .raid6 = 12,
	 .spots = {{"raid6/avx2x4/gen", 25330 * MIB, 0, NULL},
		   {"raid6/avx2x4/xor", 10427 * MIB, 0, NULL},
		   {"raid6/sse2x1/xor", 7982 * MIB, 0, NULL}}},
	{"xor_synology_apollolake_a.log", .xor = 2,
	 .spots = {{"xor/prefetch64-sse", 7288 * JIFFIES, 0, NULL},
		   {"xor/generic_sse", 6540 * JIFFIES, 0, NULL}}},
	{"raid6_skipped_xor_busybox_console.log", .xor = 2,
	 .spots = {{"xor/prefetch64-sse", 42616e6, 0, NULL},
		   {"xor/generic_sse", 41320e6, 0, NULL}}},
	{"raid6_ip27_mips_quoted.log", .raid6 = 8,
	 .spots = {{"raid6/int64x8/gen", 251 * MIB, 0, NULL},
		   {"raid6/int64x8/xor", 175 * MIB, 0, NULL}}},
	{"raid6_neon_rockchip.log", .raid6 = 10,
	 .spots = {{"raid6/int64x8/gen", 386 * MIB, 0, NULL},
		   {"raid6/neonx8/gen", 763 * MIB, 0, NULL},
		   {"raid6/neonx8/xor", 575 * MIB, 0, NULL}}},
	{"xor_altivec_journald.log", .xor = 5,
	 .spots = {{"xor/altivec", 8512e6, 0, NULL},
		   {"xor/32regs_prefetch", 6388e6, 0, NULL}}},
	{"raid6_skip_only_no_numbers.log", .raid6 = 0},
	{"raid6_riscv_gen_only.log", .raid6 = 4,
	 .spots = {{"raid6/int64x2/gen", 4389 * MIB, 0, NULL}}},
	{"raid6_26_sse1_interleaved_input.log", .raid6 = 8,
	 .spots = {{"raid6/sse1x2/gen", 386 * MIB, 0, NULL}}},
	{"raid6_xen_quoted_glued_loglevel.log", .raid6 = 10,
	 .spots = {{"raid6/sse2x2/gen", 4746 * MIB, 0, NULL}}},
	{"xor_raid6_3x_pIII_auto_with_speed.log", .xor = 1, .raid6 = 10,
	 .spots = {{"xor/pIII_sse", 4807 * JIFFIES, 0, NULL},
		   {"raid6/sse2x2/gen", 2728 * MIB, 0, NULL}}},
	{"local_tcrypt_510_rfc4106_cycles_crlf.log", .tcrypt = 24,
	 .spots = {{"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=16", 11203,
		    0, "rfc4106-gcm-aesni"},
		   {"tcrypt/gcm(aes)/encrypt/key=192/block=8192", 9000573, 0,
		    "generic-gcm-aesni"}}},
	{"local_tcrypt_510_mb_sha256_crlf.log", .tcrypt = 7,
	 .spots = {{"tcrypt/multibuffer/sha256/hash/block=16/update=16", 10667,
		    0, "sha256-avx2"},
		   {"tcrypt/multibuffer/sha256/hash/block=8192/update=8192",
		    5648329, 0, NULL}}},
	{"local_tcrypt_612_mode215_mb_crlf.log", .tcrypt = 57,
	 .spots = {{"tcrypt/multibuffer/rfc4106(gcm(aes))/encrypt/key=160/"
		    "block=16",
		    5722, 0, "rfc4106-gcm-aesni-avx"},
		   {"tcrypt/multibuffer/rfc4106(gcm(aes))/decrypt/key=224/"
		    "block=16",
		    5598, 0, NULL}}},
	{"local_tcrypt_61_mode211_unprefixed_crlf.log", .tcrypt = 40,
	 .spots = {{"tcrypt/rfc4106(gcm(aes))/encrypt/key=160/block=16", 11856,
		    0, "rfc4106-gcm-aesni"},
		   {"tcrypt/gcm(aes)/encrypt/key=128/block=16", 7839, 0,
		    "generic-gcm-aesni"},
		   {"tcrypt/rfc4106(gcm(aes))/decrypt/key=160/block=16", 14781,
		    0, NULL}}},
	{"local_xor_raid6_72_boot_crlf.log", .tcrypt = 4, .raid6 = 3,
	 .spots = {{"raid6/avx2x1/gen", 1380 * MIB, 0, NULL},
		   {"raid6/avx2x2/gen", 830 * MIB, 0, NULL},
		   {"raid6/avx2x4/gen", 1286 * MIB, 0, NULL}}},
	{"local_dmesg_raw_level_prefix.log", .tcrypt = 15, .raid6 = 3,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 6637, 0, NULL},
		   {"tcrypt/ecb(aes)/encrypt/key=256/block=16", 1420, 0, NULL},
		   {"raid6/avx2x1/gen", 1380 * MIB, 0, NULL}}},
	{"local_dmesg_color_ansi.log", .tcrypt = 15, .raid6 = 3,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 6637, 0, NULL},
		   {"tcrypt/ecb(aes)/encrypt/key=256/block=16", 1420, 0, NULL},
		   {"raid6/avx2x1/gen", 1380 * MIB, 0, NULL}}},
	{"local_dmesg_ctime_T.log", .tcrypt = 15, .raid6 = 3,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 6637, 0, NULL},
		   {"tcrypt/ecb(aes)/encrypt/key=256/block=16", 1420, 0, NULL},
		   {"raid6/avx2x1/gen", 1380 * MIB, 0, NULL}}},
	{"round_uml_612.log", .tcrypt = 7, .xor = 2, .raid6 = 4,
	 .spots = {{"tcrypt/chacha20/encrypt/key=256/block=16", 6381466, 0,
		    "chacha20-generic"},
		   {"tcrypt/chacha20/encrypt/key=256/block=4096", 136360, 0,
		    NULL},
		   {"xor/prefetch64-sse", 33815e6, 0, NULL},
		   {"raid6/int64x8/gen", 5646 * MIB, 0, NULL}}},
	{"round_icount_612.log", .tcrypt = 279, .xor = 2, .raid6 = 3,
	 .failed = 4,
	 .spots = {{"tcrypt/gcm(aes)/decrypt/key=256/block=8192", 641089, 0,
		    "gcm_base(ctr(aes-generic),ghash-generic)"},
		   {"tcrypt/rfc4106(gcm(aes))/decrypt/key=160/block=16", 5162,
		    0, NULL},
		   {"xor/generic_sse", 3555e6, 0, NULL},
		   {"raid6/sse2x2/gen", 1400 * MIB, 0, NULL}}},
	{"round_tcg_61_cycles.log", .tcrypt = 373,
	 .spots = {{"tcrypt/gcm(aes)/decrypt/key=256/block=8192", 19868, 0,
		    "generic-gcm-aesni"},
		   {"tcrypt/sha256/hash/block=16/update=16", 2664, 0,
		    "sha256-avx2"},
		   {"tcrypt/lrw(aes)/encrypt/key=256/block=16", 1371, 0,
		    "lrw(ecb(aes-aesni))"}}},
	{"round_tcg_61_seconds.log", .tcrypt = 93,
	 .spots = {{"tcrypt/sha256/hash/block=16/update=16", 162657, 0,
		    "sha256-avx2"},
		   {"tcrypt/sha256/hash/block=64/update=16", 68234, 0, NULL},
		   {"tcrypt/sha256/hash/block=64/update=64", 73836, 0, NULL},
		   {"tcrypt/gcm(aes)/decrypt/key=256/block=8192", 2017, 0,
		    NULL}}},
	{"round_icount_73.log", .tcrypt = 292, .kunit = 153, .failed = 2,
	 .skipped = 1,
	 .spots = {{"tcrypt/ecb(aes)/encrypt/key=128/block=16", 338, 0,
		    "ecb-aes-aesni"},
		   {"tcrypt/ecb(aes)/decrypt/key=128/block=4096", 5322, 0,
		    NULL}}},
};

static size_t complete(const struct parsed *p, const char *bench)
{
	return count_status(p, bench, GATE_SAMPLE_OK) +
	       count_status(p, bench, GATE_SAMPLE_ORPHAN);
}

static void check_spot(const struct capture *c, const struct parsed *p,
		       const struct spot *spot)
{
	const char *slash = strchr(spot->name, '/');
	char *bench = gate_strndup(spot->name, (size_t)(slash - spot->name));
	const struct gate_sample *s = find_row(p, bench, slash + 1, spot->nth);

	cr_assert_not_null(s, "%s: no %s", c->file, spot->name);
	cr_expect_eq(s->value, spot->value, "%s: %s is %.17g, not %.17g",
		     c->file, spot->name, s->value, spot->value);
	if (spot->driver)
		cr_expect_str_eq(s->driver, spot->driver);
	free(bench);
}

static void check_capture(const struct capture *c)
{
	struct parsed p = parse_fixture(c->file);
	size_t i, unit_errors = 0;

	cr_expect_eq(complete(&p, "tcrypt"), c->tcrypt, "%s: %zu tcrypt rows",
		     c->file, complete(&p, "tcrypt"));
	cr_expect_eq(complete(&p, "xor"), c->xor, "%s: %zu xor rows", c->file,
		     complete(&p, "xor"));
	cr_expect_eq(complete(&p, "raid6"), c->raid6, "%s: %zu raid6 rows",
		     c->file, complete(&p, "raid6"));
	cr_expect_eq(count_status(&p, "tcrypt", GATE_SAMPLE_FAILED), c->failed,
		     "%s", c->file);
	cr_expect_eq(count_status(&p, "tcrypt", GATE_SAMPLE_INCOMPLETE),
		     c->incomplete, "%s", c->file);
	cr_expect_eq(count_status(&p, "tcrypt", GATE_SAMPLE_ORPHAN), c->orphans,
		     "%s", c->file);
	cr_expect_eq(p.stats.unparsed, c->unparsed, "%s: %zu unparsed", c->file,
		     p.stats.unparsed);
	cr_expect_eq(p.set->n, p.stats.samples);
	cr_expect_eq(p.stats.complete, c->tcrypt + c->xor +c->raid6 + c->kunit);
	cr_expect_eq(p.set->n,
		     p.stats.complete + c->failed + c->incomplete + c->skipped,
		     "%s", c->file);
	for (i = 0; i < p.set->n; i++)
		unit_errors += p.set->items[i].s.status == GATE_SAMPLE_OK &&
			       p.set->items[i].s.better !=
				       gate_unit_better(p.set->items[i].s.unit);
	cr_expect_eq(unit_errors, 0);
	for (i = 0; i < SPOTS && c->spots[i].name; i++)
		check_spot(c, &p, &c->spots[i]);
	parsed_done(&p);
}

Test(parse, reads_every_capture)
{
	size_t i;

	for (i = 0; i < sizeof captures / sizeof captures[0]; i++)
		check_capture(&captures[i]);
}

/* --- the host ------------------------------------------------------------- */

Test(parse, finds_parsers_by_name)
{
	struct gate_parse_opts opts = {.parser = "tcript", .path = "a.log"};
	struct parsed p = {.set = gate_sample_set_new()};

	cr_expect_eq(gate_parser_find("tcrypt"), gate_parsers[0]);
	cr_expect_null(gate_parser_find("auto"));
	p.rc = gate_parse_buffer(&opts, "", 0, p.set, &p.diags, &p.stats,
				 &p.err);
	cr_expect_eq(p.rc, GATE_EUSAGE);
	cr_expect_str_eq(p.err.message, "no parser is called \"tcript\"; did "
					"you mean \"tcrypt\"?");
	parsed_done(&p);
}

Test(parse, lets_one_named_parser_see_the_log_alone)
{
	struct parsed p =
		parse_text("xor", ECB TEST0 "raid6: sse2x4   gen() 1 MB/s\n");

	cr_expect_eq(p.set->n, 1);
	cr_expect_str_eq(p.set->items[0].s.bench, "raid6");
	parsed_done(&p);
}

Test(parse, places_every_sample)
{
	struct parsed p = parse_bytes("auto", ECB TEST0, sizeof ECB TEST0 - 1,
				      GATE_CLOCK_INSTRUCTIONS);

	cr_assert_eq(p.set->n, 1);
	cr_expect_eq(p.set->items[0].side, GATE_CANDIDATE);
	cr_expect_eq(p.set->items[0].round, 3);
	cr_expect_eq(p.set->items[0].clock, GATE_CLOCK_INSTRUCTIONS);
	cr_expect_str_eq(p.set->items[0].job, "aes");
	parsed_done(&p);
}

Test(parse, calls_cycles_instructions_under_their_clock)
{
	static const char log[] =
		ECB TEST0 "xor: measuring software checksum speed\n"
			  "   8regs : 5 MB/sec\n";
	struct parsed p =
		parse_bytes(NULL, log, sizeof log - 1, GATE_CLOCK_INSTRUCTIONS);

	cr_assert_eq(p.set->n, 2);
	cr_expect_eq(p.set->items[0].s.unit, GATE_UNIT_INSN_PER_OP);
	cr_expect_eq(p.set->items[0].s.value, 338);
	cr_expect_eq(p.set->items[1].s.unit, GATE_UNIT_B_PER_S);
	parsed_done(&p);
}

Test(parse, makes_names_clean)
{
	struct parsed p = parse_text(
		"auto", "{\"bench\":\"b\",\"row\":\"a\xff\\u001b[31mb\","
			"\"driver\":\"d\xc3\xa9\",\"unit\":\"op/s\","
			"\"value\":1}\n");

	cr_assert_eq(p.set->n, 1);
	cr_expect_str_eq(p.set->items[0].s.row,
			 "a\xef\xbf\xbd\xef\xbf\xbd[31mb");
	cr_expect_str_eq(p.set->items[0].s.driver, "d\xc3\xa9");
	parsed_done(&p);
}

static void expect_refused(const char *line, const char *why)
{
	struct parsed p = parse_text("auto", line);

	cr_expect_eq(p.set->n, 0, "%s", line);
	cr_expect_eq(p.stats.samples, 0);
	cr_expect_str_eq(remark(&p, "parse.refused"), why);
	parsed_done(&p);
}

Test(parse, refuses_samples_that_cannot_be)
{
	char line[1024];

	expect_refused("{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		       "\"value\":-1}\n",
		       "a.log:1: refused: a negative value");
	expect_refused("{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"op/s\","
		       "\"value\":1,\"resolution\":-1}\n",
		       "a.log:1: refused: a resolution that is none");
	expect_refused("{\"bench\":\"\",\"row\":\"r\",\"unit\":\"op/s\","
		       "\"value\":1}\n",
		       "a.log:1: refused: a sample without a name");
	snprintf(line, sizeof line,
		 "{\"bench\":\"b\",\"row\":\"%0513d\",\"unit\":\"op/s\","
		 "\"value\":1}\n",
		 0);
	expect_refused(line, "a.log:1: refused: a name longer than 512 bytes");
}

Test(parse, accepts_names_up_to_the_limit)
{
	char line[1024];
	struct parsed p;

	snprintf(line, sizeof line,
		 "{\"bench\":\"b\",\"row\":\"%0512d\",\"unit\":\"op/s\","
		 "\"value\":1}\n",
		 0);
	p = parse_text("auto", line);
	cr_expect_eq(p.set->n, 1);
	parsed_done(&p);
}

Test(parse, cuts_messages_between_characters)
{
	struct gate_str log = {0};
	struct parsed p;
	size_t i;

	gate_str_puts(&log, "tcrypt: failed to load transform for xy: ");
	for (i = 0; i < 300; i++)
		gate_str_puts(&log, "\xc3\xa9");
	p = parse_text("auto", gate_str_text(&log));
	cr_assert_eq(p.set->n, 1);
	i = strlen(p.set->items[0].s.message);
	cr_expect_leq(i, 515);
	cr_expect_str_eq(p.set->items[0].s.message + i - 5, "\xc3\xa9...");
	gate_str_done(&log);
	parsed_done(&p);
}

Test(parse, does_not_flood_the_report)
{
	struct gate_str log = {0};
	struct parsed p;
	size_t i;

	for (i = 0; i < 500; i++)
		gate_str_puts(&log, ECB "tcrypt: test 0 (128 bit key, 16 byte "
					"blocks): \n1.5 operations\n");
	p = parse_text("auto", gate_str_text(&log));
	cr_expect_eq(p.stats.samples, 500);
	cr_expect_eq(p.stats.complete, 0);
	cr_expect_leq(p.diags.n, 10);
	gate_str_done(&log);
	parsed_done(&p);
}

Test(parse, refuses_what_is_no_text)
{
	char *noise = gate_calloc(300000, 1);
	struct parsed p = parse_bytes("auto", noise, 300000, GATE_CLOCK_WALL);
	uint32_t x = 1;
	size_t i;

	cr_expect_eq(p.rc, GATE_ESYNTAX);
	cr_expect_str_eq(p.err.message, "a.log: not a text log");
	parsed_done(&p);
	for (i = 0; i < 300000; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(x >> 24);
	}
	p = parse_bytes("auto", noise, 300000, GATE_CLOCK_WALL);
	cr_expect_eq(p.rc, GATE_ESYNTAX);
	/* It did not read to the end to find out. */
	cr_expect_lt(p.stats.bytes, 300000);
	parsed_done(&p);
	p = parse_bytes("auto", "\xff\xfet\0e\0s\0t\0\n\0", 12,
			GATE_CLOCK_WALL);
	cr_expect_eq(p.rc, GATE_ESYNTAX);
	parsed_done(&p);
	free(noise);
}

Test(parse, accepts_noise_in_a_few_lines)
{
	static const char log[] = "\0\1\2\3 boot\n" ECB TEST0;
	struct parsed p =
		parse_bytes("auto", log, sizeof log - 1, GATE_CLOCK_WALL);

	cr_expect_eq(p.rc, 0);
	cr_expect_eq(p.set->n, 1);
	parsed_done(&p);
}

Test(parse, finds_nothing_in_nothing)
{
	struct parsed p = parse_text("auto", "");

	cr_expect_eq(p.stats.samples, 0);
	cr_expect_eq(p.stats.lines, 0);
	cr_expect_eq(p.diags.n, 0);
	parsed_done(&p);
	p = parse_text("auto", "# gate-round side=base round=1 job=aes\n");
	cr_expect_eq(p.stats.samples, 0);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(parse, counts_lines_and_bytes)
{
	struct parsed p = parse_text("auto", "a\r\nb\n\nc");

	cr_expect_eq(p.stats.lines, 4);
	cr_expect_eq(p.stats.bytes, 7);
	parsed_done(&p);
}

Test(parse, says_which_file_it_cannot_read)
{
	struct gate_parse_opts opts = {0};
	struct parsed p = {.set = gate_sample_set_new()};

	p.rc = gate_parse_file(&opts, "/nonexistent/a.log", p.set, &p.diags,
			       &p.stats, &p.err);
	cr_expect_eq(p.rc, GATE_ESYS);
	cr_expect_str_eq(p.err.message,
			 "/nonexistent/a.log: No such file or directory");
	p.rc = gate_parse_file(&opts, "/", p.set, &p.diags, &p.stats, &p.err);
	cr_expect_eq(p.rc, GATE_ESYS);
	cr_expect_str_eq(p.err.message, "/: Is a directory");
	parsed_done(&p);
}

Test(parse, reads_a_file_as_it_reads_a_buffer)
{
	struct parsed p = parse_fixture("round_icount_612.log"), q;
	struct gate_error err;
	size_t len, i;
	char *text;

	cr_assert_eq(gate_fs_read(GATE_FIXTURES "/logs/round_icount_612.log",
				  1 << 24, &text, &len, &err),
		     0);
	q = parse_bytes("auto", text, len, GATE_CLOCK_WALL);
	cr_assert_eq(p.set->n, q.set->n);
	for (i = 0; i < p.set->n; i++) {
		cr_expect_str_eq(p.set->items[i].s.row, q.set->items[i].s.row);
		cr_expect_eq(p.set->items[i].s.value, q.set->items[i].s.value);
	}
	free(text);
	parsed_done(&p);
	parsed_done(&q);
}
