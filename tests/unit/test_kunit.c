#include <math.h>

#include "unit/parsing.h"

#define HEAD                                                                   \
	"KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: sha256\n"    \
	"    # module: sha256_kunit\n    1..2\n    ok 1 test_hash\n"
#define LEN16 "    # benchmark_hash: len=16: 119 MB/s\n"
#define LEN64 "    # benchmark_hash: len=64: 280 MB/s\n"
#define TAIL  "    ok 2 benchmark_hash\nok 1 sha256\n"

static void expect_row(const struct parsed *p, const char *row, double value)
{
	const struct gate_sample *s = row_at(p, "kunit", row, 0);

	cr_expect_eq(s->status, GATE_SAMPLE_OK, "%s", row);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S, "%s", row);
	cr_expect_eq(s->better, GATE_HIGHER);
	cr_expect_eq(s->value, value * 1e6, "%s is %.17g", row, s->value);
	cr_expect_eq(s->resolution, 1e6);
}

static void expect_status(const struct parsed *p, const char *row,
			  enum gate_sample_status status, const char *message)
{
	const struct gate_sample *s = row_at(p, "kunit", row, 0);

	cr_expect_eq(s->status, status, "%s", row);
	if (message)
		cr_expect_str_eq(s->message, message);
}

static struct parsed parse_instructions(const char *log)
{
	struct parsed p =
		parse_bytes("kunit", log, strlen(log), GATE_CLOCK_INSTRUCTIONS);

	cr_assert_eq(p.rc, 0, "%s", p.err.message);
	return p;
}

/* --- captures ------------------------------------------------------------- */

Test(kunit, reads_a_full_run)
{
	struct parsed p = parse_fixture("local_kunit_72_uml_full_run1.log");
	const struct gate_sample *s;
	size_t i, j, repeats = 0;

	cr_expect_eq(p.stats.complete, 290);
	cr_expect_eq(count_status(&p, "kunit", GATE_SAMPLE_OK), 290);
	expect_row(&p, "sha256/benchmark_hash/len=16384", 310);
	expect_row(&p, "sha256/benchmark_hash/len=1", 2);
	expect_row(&p, "poly1305/benchmark_hash/len=16384", 1525);
	expect_row(&p, "crc/crc16_benchmark/len=4096", 290);
	s = row_at(&p, "kunit", "curve25519/benchmark_curve25519", 0);
	cr_expect_eq(s->value, 9370);
	cr_expect_eq(s->unit, GATE_UNIT_OP_PER_S);
	cr_expect_eq(s->resolution, 1);
	cr_expect_eq(row_at(&p, "kunit", "mldsa/benchmark_mldsa65", 0)->value,
		     6679);
	for (i = 0; i < p.set->n; i++)
		for (j = 0; j < i; j++)
			repeats += !strcmp(p.set->items[i].s.row,
					   p.set->items[j].s.row);
	cr_expect_eq(repeats, 0);
	cr_expect_eq(p.diags.n, 0);
	parsed_done(&p);
}

Test(kunit, reads_one_side_of_a_diff)
{
	struct parsed p =
		parse_fixture("kunit_poly1305_diff_base_vs_optimized.log");

	cr_expect_eq(p.set->n, 13);
	expect_row(&p, "poly1305/benchmark_hash/len=1", 2);
	expect_row(&p, "poly1305/benchmark_hash/len=16384", 1216);
	parsed_done(&p);
}

Test(kunit, reads_quoted_printable_and_wrapped_mails)
{
	struct parsed p = parse_fixture("kunit_sha1_zhaoxin_qp.log");

	cr_expect_eq(p.set->n, 13);
	expect_row(&p, "sha1/benchmark_hash/len=16384", 1073);
	parsed_done(&p);
	p = parse_fixture("kunit_sha3_journald_quoted_wrapped.log");
	cr_expect_eq(p.set->n, 11);
	expect_status(&p, "?/benchmark_hash/len=1", GATE_SAMPLE_ORPHAN, NULL);
	cr_expect_eq(row_at(&p, "kunit", "?/benchmark_hash/len=1", 0)->value,
		     14e6);
	cr_expect_eq(row_at(&p, "kunit", "?/benchmark_hash/len=3173", 0)->value,
		     12625e6);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(kunit, keeps_the_runs_of_one_case_apart)
{
	struct parsed p = parse_fixture("kunit_crc64_nvme_before_after.log");
	static const char row[] = "?/crc64_nvme_benchmark/len=1";

	cr_expect_eq(p.set->n, 14);
	cr_expect_eq(row_at(&p, "kunit", row, 0)->value, 35e6);
	cr_expect_eq(row_at(&p, "kunit", row, 1)->value, 32e6);
	parsed_done(&p);
}

Test(kunit, reads_directions)
{
	struct parsed p = parse_fixture("kunit_aes_v2_min_of_100.log");

	cr_expect_eq(p.set->n, 6);
	expect_row(&p, "aes/benchmark_aes128/encrypt/len=16", 500);
	expect_row(&p, "aes/benchmark_aes192/decrypt/len=16", 484);
	parsed_done(&p);
	p = parse_fixture("kunit_aes_rfc_other_testnames.log");
	cr_expect_eq(p.set->n, 6);
	expect_row(&p, "aes/aes128_benchmark/encrypt/len=16", 423);
	expect_row(&p, "aes/aes256_benchmark/decrypt/len=16", 399);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(kunit, reports_benchmarks_that_were_skipped)
{
	struct parsed p =
		parse_fixture("local_kunit_72_uml_benchmark_disabled_skip.log");

	cr_expect_eq(p.set->n, 3);
	expect_status(&p, "curve25519/benchmark_curve25519",
		      GATE_SAMPLE_SKIPPED, "not enabled");
	expect_status(&p, "sha256/benchmark_hash", GATE_SAMPLE_SKIPPED,
		      "not enabled");
	parsed_done(&p);
	p = parse_fixture("kunit_sha256_zhaoxin_skip.log");
	cr_expect_eq(p.set->n, 14);
	expect_row(&p, "sha256/benchmark_hash/len=16384", 899);
	expect_status(&p, "sha256/benchmark_sha256_finup_2x",
		      GATE_SAMPLE_SKIPPED, "not relevant");
	parsed_done(&p);
}

/* --- values --------------------------------------------------------------- */

Test(kunit, reads_two_values_of_a_line)
{
	struct parsed p = parse_text(
		"kunit",
		"    # Subtest: aes_gcm\n"
		"    # benchmark_aead: data_len=64: enc 35 MB/s, dec 34 MB/s\n"
		"    ok 1 benchmark_aead\n");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "aes_gcm/benchmark_aead/encrypt/data_len=64", 35);
	expect_row(&p, "aes_gcm/benchmark_aead/decrypt/data_len=64", 34);
	parsed_done(&p);
}

Test(kunit, reads_two_keys)
{
	struct parsed p = parse_text(
		"kunit", "    # Subtest: sha256\n"
			 "    # benchmark_sha256_finup_2x: data_len=4096 "
			 "salt_len=32: 1620 MB/s\n");

	cr_expect_eq(p.set->n, 1);
	expect_row(&p,
		   "sha256/benchmark_sha256_finup_2x/data_len=4096/salt_len=32",
		   1620);
	parsed_done(&p);
}

Test(kunit, reads_tables_of_disks)
{
	struct parsed p = parse_text(
		"kunit", "    # Subtest: xor\n"
			 "    # xor_benchmark:           \t 4096 bytes\t16384 "
			 "bytes\n"
			 "    # xor_benchmark:   2 disks:\t   32  GB/s\t   31  "
			 "GB/s\n"
			 "    # xor_benchmark:  16 disks:\t    8  GB/s\t    7  "
			 "GB/s\n"
			 "    ok 2 xor_benchmark\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 4);
	s = row_at(&p, "kunit", "xor/xor_benchmark/disks=2/len=4096", 0);
	cr_expect_eq(s->value, 32e9);
	cr_expect_eq(s->resolution, 1e9);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	s = row_at(&p, "kunit", "xor/xor_benchmark/disks=16/len=16384", 0);
	cr_expect_eq(s->value, 7e9);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

/* Each parameter measures another algorithm: the driver of its rows. */
Test(kunit, takes_the_parameter_of_a_case_for_its_driver)
{
	struct parsed p = parse_text(
		"kunit",
		"    # Subtest: raid6\n    1..1\n"
		"        KTAP version 1\n"
		"        # Subtest: raid6_benchmark\n"
		"    # raid6_benchmark:   \t 4096 bytes\t16384 bytes\n"
		"    # raid6_benchmark:   4 disks:\t   10  GB/s\t   11  GB/s\n"
		"        ok 1 gen=avx2x4 recov=avx2\n"
		"    # raid6_benchmark:   4 disks:\t    5  GB/s\t    6  GB/s\n"
		"        not ok 2 gen=sse2x1 recov=ssse3\n"
		"        # raid6_benchmark: pass:1 fail:1 skip:0 total:2\n"
		"    not ok 1 raid6_benchmark\n");
	static const char row[] = "raid6/raid6_benchmark/disks=4/len=4096";

	cr_expect_eq(p.set->n, 5);
	cr_expect_str_eq(row_at(&p, "kunit", row, 0)->driver,
			 "gen=avx2x4 recov=avx2");
	cr_expect_eq(row_at(&p, "kunit", row, 0)->status, GATE_SAMPLE_OK);
	cr_expect_eq(row_at(&p, "kunit", row, 1)->status, GATE_SAMPLE_FAILED);
	expect_status(&p, "raid6/raid6_benchmark", GATE_SAMPLE_FAILED,
		      "the case failed");
	parsed_done(&p);
}

Test(kunit, makes_no_value_of_a_cut_number)
{
	struct parsed p = parse_text("kunit", HEAD LEN16
				     "    # benchmark_hash: len=64: 28");

	expect_row(&p, "sha256/benchmark_hash/len=16", 119);
	expect_status(&p, "sha256/benchmark_hash", GATE_SAMPLE_INCOMPLETE,
		      "the value is cut");
	parsed_done(&p);
}

Test(kunit, counts_values_that_it_does_not_understand)
{
	struct parsed p =
		parse_text("kunit", HEAD
			   "    # benchmark_hash: for 16 bytes: 12.5 MB/s\n"
			   "    # benchmark_hash: Test should be marked slow "
			   "(runtime: 3.6s)\n" LEN16 TAIL);

	cr_expect_eq(p.stats.unparsed, 1);
	cr_expect_eq(p.stats.complete, 1);
	parsed_done(&p);
}

Test(kunit, bounds_the_values_of_a_case)
{
	struct gate_str log = {0};
	struct parsed p;
	size_t i;

	gate_str_puts(&log, "    # Subtest: s\n");
	for (i = 0; i < 3000; i++)
		gate_str_addf(&log, "    # benchmark: len=%zu: 5 MB/s\n", i);
	p = parse_text("kunit", gate_str_text(&log));
	cr_expect_eq(p.stats.complete, 1024);
	cr_expect_eq(p.stats.unparsed, 1);
	gate_str_done(&log);
	parsed_done(&p);
}

/* --- the frame ------------------------------------------------------------ */

Test(kunit, does_not_trust_the_values_of_a_failed_case)
{
	struct parsed p =
		parse_text("kunit", HEAD LEN16 LEN64
			   "    # benchmark_hash: EXPECTATION FAILED at a.c:1\n"
			   "    not ok 2 benchmark_hash\nnot ok 1 sha256\n");

	cr_expect_eq(p.stats.complete, 0);
	expect_status(&p, "sha256/benchmark_hash/len=16", GATE_SAMPLE_FAILED,
		      "the case failed");
	expect_status(&p, "sha256/benchmark_hash/len=64", GATE_SAMPLE_FAILED,
		      NULL);
	parsed_done(&p);
}

Test(kunit, fails_a_benchmark_that_printed_nothing)
{
	struct parsed p = parse_text("kunit", HEAD
				     "    not ok 2 benchmark_hash # TIMEOUT\n");

	cr_expect_eq(p.set->n, 1);
	expect_status(&p, "sha256/benchmark_hash", GATE_SAMPLE_FAILED,
		      "TIMEOUT");
	parsed_done(&p);
}

Test(kunit, warns_of_a_test_that_failed)
{
	struct parsed p = parse_text(
		"kunit", "    # Subtest: sha256\n    not ok 1 test_hash\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_not_null(strstr(remark(&p, "parse.failed"),
				  "sha256/test_hash: the case failed"));
	parsed_done(&p);
}

Test(kunit, sees_that_a_suite_ended_early)
{
	struct parsed p = parse_text("kunit", HEAD LEN16
				     "BUG: unable to handle page fault\n");

	expect_row(&p, "sha256/benchmark_hash/len=16", 119);
	expect_status(&p, "sha256", GATE_SAMPLE_INCOMPLETE,
		      "1 of 2 cases have no result");
	cr_expect_not_null(strstr(remark(&p, "parse.incomplete"), "sha256"));
	parsed_done(&p);
}

Test(kunit, goes_on_with_the_next_suite_after_a_crash)
{
	struct parsed p = parse_text("kunit", HEAD LEN16
				     "    KTAP version 1\n    # Subtest: md5\n"
				     "    1..1\n" LEN16
				     "    ok 1 benchmark_hash\nok 2 md5\n");

	cr_expect_eq(p.stats.complete, 2);
	expect_row(&p, "sha256/benchmark_hash/len=16", 119);
	expect_row(&p, "md5/benchmark_hash/len=16", 119);
	expect_status(&p, "sha256", GATE_SAMPLE_INCOMPLETE, NULL);
	parsed_done(&p);
}

Test(kunit, reads_tap_14)
{
	struct parsed p = parse_text(
		"kunit", "TAP version 14\n1..1\n    # Subtest: crc\n    1..1\n"
			 "    # crc16_benchmark: len=16: 441 MB/s\n"
			 "    ok 1 - crc16_benchmark\nok 1 - crc\n");

	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "crc/crc16_benchmark/len=16", 441);
	cr_expect_eq(p.diags.n, 0);
	parsed_done(&p);
}

Test(kunit, counts_a_suite_that_runs_twice_as_two_runs)
{
	struct parsed p = parse_text("kunit", HEAD LEN16 TAIL HEAD LEN16 TAIL);

	cr_expect_eq(p.set->n, 2);
	cr_expect_not_null(
		find_row(&p, "kunit", "sha256/benchmark_hash/len=16", 1));
	cr_expect_eq(p.diags.n, 0);
	parsed_done(&p);
}

Test(kunit, says_that_a_filter_matched_nothing)
{
	struct parsed p = parse_text("kunit", "KTAP version 1\n1..0\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_str_eq(remark(&p, "kunit.no-data"),
			 "KUnit ran no suite: the filter matches none");
	parsed_done(&p);
}

Test(kunit, takes_nothing_from_prose)
{
	struct parsed p = parse_text(
		"kunit", "# benchmark: ten percent faster\n"
			 "ok 3 people like this\nnot ok 4 others\n"
			 "# len=16: 4 MB/s\n1..2 steps\n# a b: 5 MB/s\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.diags.n, 0);
	parsed_done(&p);
}

/* --- the instruction clock ------------------------------------------------ */

Test(kunit, counts_instructions_by_time_stamps)
{
	struct parsed p = parse_instructions(
		"[    1.0]     # Subtest: crc\n"
		"[    1.100000]     # crc_benchmark: len=16: 100 MB/s\n"
		"[    1.111070]     # crc_benchmark: len=64: 301 MB/s\n"
		"[    1.121070]     # crc_benchmark: len=64: 330 MB/s\n"
		"[    1.2]     ok 1 crc_benchmark\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 3);
	s = row_at(&p, "kunit", "crc/crc_benchmark/len=16", 0);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	s = row_at(&p, "kunit", "crc/crc_benchmark/len=64", 0);
	cr_expect_eq(s->unit, GATE_UNIT_INSN);
	cr_expect_eq(s->better, GATE_LOWER);
	cr_expect_eq(s->value, 11070000);
	cr_expect_eq(s->resolution, 1000);
	/* The case again: its first line has nothing to be compared with. */
	s = row_at(&p, "kunit", "crc/crc_benchmark/len=64", 1);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_str_eq(remark(&p, "kunit.time-stamp"), "");
	parsed_done(&p);
}

Test(kunit, counts_a_pair_of_directions_once)
{
	struct parsed p =
		parse_instructions("[    1.0]     # Subtest: aes_gcm\n"
				   "[    1.000000]     # benchmark_aead: "
				   "data_len=16: enc 13 MB/s, "
				   "dec 13 MB/s\n"
				   "[    1.190467]     # benchmark_aead: "
				   "data_len=64: enc 35 MB/s, "
				   "dec 34 MB/s\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 3);
	s = row_at(&p, "kunit", "aes_gcm/benchmark_aead/data_len=64", 0);
	cr_expect_eq(s->value, 190467000);
	cr_expect_eq(s->unit, GATE_UNIT_INSN);
	cr_expect_str_eq(remark(&p, "kunit.time-stamp"), "");
	parsed_done(&p);
}

/* 8680 * 1024 bytes at 100 to 101 MB/s: 88003.2 to 88883.2 us, and up to 25 us
 * of printing; 1 us more each way for the stamps. */
Test(kunit, checks_time_stamps_by_the_printed_rate)
{
	static const struct {
		const char *stamp;
		bool fits;
	} cases[] = {{"1.088002", false}, {"1.088003", true},
		     {"1.088883", true},  {"1.088909", true},
		     {"1.088910", false}, {"1.200000", false}};
	char log[512];
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct parsed p;

		snprintf(log, sizeof log,
			 "[    1.0]     # Subtest: crc\n"
			 "[    1.000000]     # b: len=16: 100 MB/s\n"
			 "[    %s]     # b: len=1024: 100 MB/s\n",
			 cases[i].stamp);
		p = parse_instructions(log);
		cr_expect_eq(!*remark(&p, "kunit.time-stamp"), cases[i].fits,
			     "%s", cases[i].stamp);
		cr_expect_eq(row_at(&p, "kunit", "crc/b/len=1024", 0)->unit,
			     GATE_UNIT_INSN);
		parsed_done(&p);
	}
}

Test(kunit, prints_rates_where_there_are_no_time_stamps)
{
	struct parsed p = parse_instructions(HEAD LEN16 LEN64 TAIL);

	cr_expect_eq(p.set->n, 2);
	cr_expect_eq(p.set->items[1].s.unit, GATE_UNIT_B_PER_S);
	parsed_done(&p);
}

/* One kernel, three boots at three phases of the timer tick. */
Test(kunit, agrees_over_rounds_under_the_instruction_clock)
{
	struct parsed p[3];
	size_t i, k, rows = 0, apart = 0;

	for (k = 0; k < 3; k++) {
		struct gate_parse_opts opts = {.clock = GATE_CLOCK_INSTRUCTIONS,
					       .job = "kunit"};
		char path[512];

		p[k] = (struct parsed){.set = gate_sample_set_new()};
		snprintf(path, sizeof path,
			 "%s/rounds/icount73/base/round-0%zu.log",
			 GATE_FIXTURES, k + 1);
		p[k].rc = gate_parse_file(&opts, path, p[k].set, &p[k].diags,
					  &p[k].stats, &p[k].err);
		cr_assert_eq(p[k].rc, 0, "%s", p[k].err.message);
		cr_expect_str_eq(remark(&p[k], "kunit.time-stamp"), "");
	}
	for (i = 0; i < p[0].set->n; i++) {
		const struct gate_sample *s = &p[0].set->items[i].s;
		double least = s->value, most = s->value;

		if (strcmp(s->bench, "kunit") != 0 || s->unit != GATE_UNIT_INSN)
			continue;
		for (k = 1; k < 3; k++) {
			double v = row_at(&p[k], "kunit", s->row, 0)->value;

			least = fmin(least, v);
			most = fmax(most, v);
		}
		rows++;
		apart += most / least - 1 > 1e-4;
	}
	cr_expect_eq(rows, 124);
	cr_expect_eq(apart, 0);
	/* 53.046 MB/s, where the line says 53. */
	cr_expect_eq(row_at(&p[0], "kunit", "blake2s/benchmark_hash/len=128", 0)
			     ->value,
		     93911000);
	for (k = 0; k < 3; k++)
		parsed_done(&p[k]);
}
