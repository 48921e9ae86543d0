#include "unit/parsing.h"

#define TITLE "[    1.0] tcrypt: testing speed of "
#define ECB   TITLE "async ecb(aes) (ecb-aes-aesni) encryption\n"

static void expect_value(const char *log, const char *row, double value,
			 enum gate_unit unit, double resolution)
{
	struct parsed p = parse_text("tcrypt", log);
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 1, "%zu samples of\n%s", p.set->n, log);
	s = row_at(&p, "tcrypt", row, 0);
	cr_expect_eq(s->status, GATE_SAMPLE_OK);
	cr_expect_eq(s->value, value, "%.17g of\n%s", s->value, log);
	cr_expect_eq(s->unit, unit);
	cr_expect_eq(s->better, gate_unit_better(unit));
	cr_expect_eq(s->resolution, resolution);
	cr_expect_eq(s->iter, -1);
	parsed_done(&p);
}

static void expect_only(const char *log, const char *row,
			enum gate_sample_status status)
{
	struct parsed p = parse_text("tcrypt", log);

	cr_expect_eq(p.set->n, 1, "%zu samples of\n%s", p.set->n, log);
	cr_expect_eq(row_at(&p, "tcrypt", row, 0)->status, status);
	parsed_done(&p);
}

static void expect_nothing(const char *log)
{
	struct parsed p = parse_text("tcrypt", log);

	cr_expect_eq(p.set->n, 0, "%zu samples of\n%s", p.set->n, log);
	parsed_done(&p);
}

Test(tcrypt, reads_cycles_of_a_cipher)
{
	expect_value(ECB "[    2.0] tcrypt: test 0 (128 bit key, 16 byte "
			 "blocks): 1 operation in 6637 cycles (16 bytes)\n",
		     "ecb(aes)/encrypt/key=128/block=16", 6637,
		     GATE_UNIT_CYCLES_PER_OP, 1);
}

Test(tcrypt, divides_operations_by_the_printed_seconds)
{
	expect_value(TITLE "async cbc(aes) (cbc-aes-aesni) decryption\n"
			   "[    2.0] tcrypt: test 3 (256 bit key, 64 byte "
			   "blocks): 4823 operations in 10 seconds "
			   "(308672 bytes)\n",
		     "cbc(aes)/decrypt/key=256/block=64", 482.3,
		     GATE_UNIT_OP_PER_S, 0.1);
}

Test(tcrypt, reads_nanoseconds_as_their_own_unit)
{
	expect_value(ECB "[    2.0] tcrypt: test 0 (128 bit key, 16 byte "
			 "blocks): 1 operation in 663 nsecs (16 bytes)\n",
		     "ecb(aes)/encrypt/key=128/block=16", 663,
		     GATE_UNIT_NS_PER_OP, 1);
}

Test(tcrypt, reads_all_forms_of_a_hash)
{
	static const char head[] =
		TITLE "async sha256 (sha256-generic)\n"
		      "[    2.0] tcrypt: test  1 (   64 byte blocks,   16 "
		      "bytes per update,   4 updates): ";
	static const struct {
		const char *result;
		double value;
		enum gate_unit unit;
	} forms[] = {
		{"363004 opers/sec,  23232256 bytes/sec", 363004,
		 GATE_UNIT_OP_PER_S},
		{"  2305 cycles/operation,   36 cycles/byte", 2305,
		 GATE_UNIT_CYCLES_PER_OP},
		{"   905 nsecs/operation,   14 nsecs/byte", 905,
		 GATE_UNIT_NS_PER_OP},
		{"1 operation in 17970 cycles (64 bytes)", 17970,
		 GATE_UNIT_CYCLES_PER_OP},
		{"70 operations in 2 seconds (4480 bytes)", 35,
		 GATE_UNIT_OP_PER_S},
	};
	char log[512];
	size_t i;

	for (i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		snprintf(log, sizeof log, "%s%s\n", head, forms[i].result);
		expect_value(log, "sha256/hash/block=64/update=16",
			     forms[i].value, forms[i].unit, i == 4 ? 0.5 : 1);
	}
}

Test(tcrypt, names_rows_drivers_and_modes)
{
	struct parsed p = parse_text(
		"tcrypt",
		TITLE "multibuffer rfc4106(gcm(aes)) (rfc4106-gcm-aesni-avx) "
		      "encryption\n"
		      "tcrypt: test 0 (160 bit key, 16 byte blocks): "
		      "1 operation in 5722 cycles (16 bytes)\n" TITLE
		      "rfc7539esp(chacha20,poly1305) (rfc7539esp("
		      "chacha20-generic,poly1305-generic)) decryption\n"
		      "tcrypt: test 0 (288 bit key, 16 byte blocks): "
		      "1 operation in 9 cycles (16 bytes)\n" TITLE
		      "sync xts(aes) (pcrypt(xts(aes-generic) encryption\n"
		      "tcrypt: test 0 (512 bit key, 16 byte blocks): "
		      "1 operation in 8 cycles (16 bytes)\n" TITLE
		      "multibuffer sha256 (sha256-avx2)\n"
		      "tcrypt: test  0 (   16 byte blocks,   16 bytes per "
		      "update,   1 updates): 1 operation in 7 cycles "
		      "(16 bytes)\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 4);
	s = row_at(&p, "tcrypt",
		   "multibuffer/rfc4106(gcm(aes))/encrypt/key=160/block=16", 0);
	cr_expect_str_eq(s->driver, "rfc4106-gcm-aesni-avx");
	cr_expect_null(s->mode);
	s = row_at(&p, "tcrypt",
		   "rfc7539esp(chacha20,poly1305)/decrypt/key=288/block=16", 0);
	cr_expect_str_eq(s->driver,
			 "rfc7539esp(chacha20-generic,poly1305-generic)");
	s = row_at(&p, "tcrypt", "xts(aes)/encrypt/key=512/block=16", 0);
	/* The kernel had cut this name: its parentheses do not balance. */
	cr_expect_str_eq(s->driver, "pcrypt(xts(aes-generic");
	cr_expect_str_eq(s->mode, "sync");
	s = row_at(&p, "tcrypt", "multibuffer/sha256/hash/block=16/update=16",
		   0);
	cr_expect_str_eq(s->driver, "sha256-avx2");
	parsed_done(&p);
}

Test(tcrypt, reads_titles_without_a_driver)
{
	struct parsed p = parse_text(
		"tcrypt", "\ntesting speed of ecb(aes) encryption\n"
			  "test 0 (128 bit key, 16 byte blocks): "
			  "8 operations in 1 seconds (128 bytes)\n"
			  "\ntesting speed of md5\n"
			  "test  0 (   16 byte blocks,   16 bytes per update, "
			  "  1 updates):    782 cycles/operation,   48 "
			  "cycles/byte\n");

	cr_expect_null(
		row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=16", 0)
			->driver);
	cr_expect_null(
		row_at(&p, "tcrypt", "md5/hash/block=16/update=16", 0)->driver);
	parsed_done(&p);
}

/* Linux 6.1 on a serial console: crypto/tcrypt.c before the 6.2 series. */
Test(tcrypt, reads_a_serial_console_of_6_1)
{
	struct parsed p = parse_text(
		"tcrypt",
		"[    5.1] tcrypt: \r\n"
		"[    5.1] testing speed of async ecb(aes) (ecb-aes-aesni) "
		"encryption\r\n"
		"[    5.2] tcrypt: test 0 (128 bit key, 16 byte blocks): "
		"1 operation in 338 cycles (16 bytes)\r\n"
		"[    5.3] \r\n"
		"[    5.3] testing speed of gcm(aes) (generic-gcm-aesni) "
		"encryption\r\n"
		"[    5.4] test 0 (128 bit key, 16 byte blocks): \r\n"
		"[    5.5] 1 operation in 7839 cycles (16 bytes)\r\n"
		"[    5.6] test 1 (128 bit key, 64 byte blocks): \r\n"
		"[    5.7] clocksource: tsc: mask: 0xffffffffffffffff\r\n"
		"[    5.8] 1 operation in 10160 cycles (64 bytes)\r\n"
		"[    5.9] \r\n"
		"[    5.9] testing speed of async sha256 (sha256-avx2)\r\n"
		"[    6.0] tcrypt: test  0 (   16 byte blocks,   16 bytes per "
		"update,   1 updates): \r\n"
		"[    6.1] 926486 opers/sec,  14823776 bytes/sec\r\n"
		"[    6.2] tcrypt: test  1 (   64 byte blocks,   16 bytes per "
		"update,   4 updates): 363004 opers/sec,  23232256 bytes/sec"
		"\r\n"
		"modprobe: can't load module tcrypt: Resource temporarily "
		"unavailable\r\n");

	cr_expect_eq(p.set->n, 5);
	cr_expect_eq(p.stats.unparsed, 0);
	cr_expect_eq(
		row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=16", 0)
			->value,
		338);
	cr_expect_eq(
		row_at(&p, "tcrypt", "gcm(aes)/encrypt/key=128/block=16", 0)
			->line,
		7);
	cr_expect_eq(
		row_at(&p, "tcrypt", "gcm(aes)/encrypt/key=128/block=64", 0)
			->value,
		10160);
	cr_expect_eq(row_at(&p, "tcrypt", "sha256/hash/block=16/update=16", 0)
			     ->value,
		     926486);
	cr_expect_eq(row_at(&p, "tcrypt", "sha256/hash/block=64/update=16", 0)
			     ->value,
		     363004);
	parsed_done(&p);
}

Test(tcrypt, counts_a_repeated_row_as_another_sample)
{
	struct parsed p = parse_text(
		"tcrypt", ECB
		"tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in "
		"338 cycles (16 bytes)\n" ECB
		"tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in "
		"340 cycles (16 bytes)\n");

	cr_expect_eq(p.set->n, 2);
	cr_expect_eq(
		row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=16", 1)
			->value,
		340);
	parsed_done(&p);
}

Test(tcrypt, never_makes_a_value_of_a_cut_number)
{
	static const char log[] =
		ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation "
		    "in 6637 cycles (16 bytes)";
	size_t cycles = (size_t)(strstr(log, " cycles") - log) + 7, n;

	for (n = sizeof ECB; n < sizeof log; n++) {
		struct parsed p =
			parse_bytes("tcrypt", log, n, GATE_CLOCK_WALL);

		cr_assert_eq(p.rc, 0);
		cr_expect_eq(p.stats.complete, n >= cycles, "after %zu bytes",
			     n);
		if (p.stats.complete)
			cr_expect_eq(p.set->items[0].s.value, 6637);
		parsed_done(&p);
	}
}

Test(tcrypt, keeps_points_before_a_truncated_line)
{
	struct parsed p = parse_text(
		"tcrypt", ECB
		"tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in "
		"338 cycles (16 bytes)\n"
		"tcrypt: test 1 (128 bit key, 64 byte blocks): 1 operation in "
		"38");

	cr_expect_eq(p.stats.complete, 1);
	cr_expect_eq(
		row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=64", 0)
			->status,
		GATE_SAMPLE_INCOMPLETE);
	cr_expect_str_eq(remark(&p, "parse.incomplete"),
			 "a.log:3: incomplete: "
			 "ecb(aes)/encrypt/key=128/block=64");
	parsed_done(&p);
}

Test(tcrypt, marks_a_row_without_a_result_as_incomplete)
{
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): \n"
			"[    3.0] reboot: Power down\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
}

Test(tcrypt, refuses_a_result_of_another_block_size)
{
	expect_only(ECB "tcrypt: test 1 (128 bit key, 64 byte blocks): \n"
			"[    3.0] 1 operation in 338 cycles (16 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=64",
		    GATE_SAMPLE_INCOMPLETE);
}

Test(tcrypt, accepts_byte_counts_that_overflowed)
{
	expect_value(ECB "tcrypt: test 5 (128 bit key, 8192 byte blocks): "
			 "600000 operations in 1 seconds (620232704 bytes)\n",
		     "ecb(aes)/encrypt/key=128/block=8192", 600000,
		     GATE_UNIT_OP_PER_S, 1);
	expect_value(ECB "tcrypt: test 5 (128 bit key, 8192 byte blocks): "
			 "300000 operations in 1 seconds (-1837367296 bytes)\n",
		     "ecb(aes)/encrypt/key=128/block=8192", 300000,
		     GATE_UNIT_OP_PER_S, 1);
}

Test(tcrypt, keeps_an_explicit_zero)
{
	expect_value(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): "
			 "1 operation in 0 cycles (16 bytes)\n",
		     "ecb(aes)/encrypt/key=128/block=16", 0,
		     GATE_UNIT_CYCLES_PER_OP, 1);
}

Test(tcrypt, does_not_divide_by_zero_seconds)
{
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): "
			"12 operations in 0 seconds (192 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
}

Test(tcrypt, gives_a_failed_row_its_message)
{
	struct parsed p = parse_text(
		"tcrypt", ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): \n"
			      "[    3.0] gxl-crypto: DMA timeout for flow 1\n"
			      "[    3.1] tcrypt: encryption() failed flags=0\n"
			      "tcrypt: test 0 (192 bit key, 16 byte blocks): "
			      "encryption() failed return code=-5\n");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 2);
	s = row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=16", 0);
	cr_expect_eq(s->status, GATE_SAMPLE_FAILED);
	cr_expect_eq(s->line, 4);
	cr_expect_str_eq(s->message, "encryption() failed flags=0");
	cr_expect_str_eq(s->driver, "ecb-aes-aesni");
	s = row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=192/block=16", 0);
	cr_expect_str_eq(s->message, "encryption() failed return code=-5");
	parsed_done(&p);
}

Test(tcrypt, names_an_algorithm_that_did_not_load)
{
	static const struct {
		const char *log, *row;
	} cases[] = {
		{"[ 1.0] tcrypt: failed to load transform for lrw(aes): -2\n",
		 "lrw(aes)"},
		{"tcrypt: alg: aead: Failed to load transform for gcm(sm4): "
		 "-2\n",
		 "gcm(sm4)"},
		{"tcrypt: alg: aead: Failed to setauthsize for "
		 "rfc4309(ccm(aes)): -22\n",
		 "rfc4309(ccm(aes))"},
		{"tcrypt: alg: skcipher: Failed to allocate request for "
		 "xts(aes)\n",
		 "xts(aes)"},
		{ECB "tcrypt: setkey() failed flags=200000: -22\n", "ecb(aes)"},
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_only(cases[i].log, cases[i].row, GATE_SAMPLE_FAILED);
}

Test(tcrypt, books_no_rows_under_an_algorithm_that_ended)
{
	/* The next title was lost, so that these rows are nobody's. */
	struct parsed p =
		parse_text("tcrypt", ECB
			   "tcrypt: failed to load transform for lrw(aes): -2\n"
			   "tcrypt: test 0 (256 bit key, 16 byte blocks): "
			   "1 operation in 338 cycles (16 bytes)\n");

	cr_expect_eq(row_at(&p, "tcrypt", "?/key=256/block=16", 0)->status,
		     GATE_SAMPLE_ORPHAN);
	parsed_done(&p);
}

Test(tcrypt, calls_a_row_without_its_title_an_orphan)
{
	expect_only("tcrypt: test 7 (192 bit key, 256 byte blocks): "
		    "40266 operations in 1 seconds (10308096 bytes)\n",
		    "?/key=192/block=256", GATE_SAMPLE_ORPHAN);
	expect_only("tcrypt: test  0 (   16 byte blocks,   16 bytes per "
		    "update,   1 updates):    782 cycles/operation,   48 "
		    "cycles/byte\n",
		    "?/hash/block=16/update=16", GATE_SAMPLE_ORPHAN);
	/* A hash has no key: this row's title is another one, and lost. */
	expect_only(TITLE "async sha256 (sha256-generic)\n"
			  "tcrypt: test 0 (128 bit key, 16 byte blocks): "
			  "1 operation in 338 cycles (16 bytes)\n",
		    "?/key=128/block=16", GATE_SAMPLE_ORPHAN);
}

Test(tcrypt, forgets_the_old_title_when_a_new_one_is_cut)
{
	expect_only(ECB TITLE "async cbc(aes) (cbc-ae\n"
			      "[    3.0] tcrypt: test 0 (128 bit key, 16 byte "
			      "blocks): 1 operation in 338 cycles (16 bytes)\n",
		    "?/key=128/block=16", GATE_SAMPLE_ORPHAN);
	expect_only(ECB "[    2.0] tcrypt: testing speed of \n"
			"[    3.0] tcrypt: test 0 (128 bit key, 16 byte "
			"blocks): 1 operation in 338 cycles (16 bytes)\n",
		    "?/key=128/block=16", GATE_SAMPLE_ORPHAN);
}

Test(tcrypt, repairs_lines_that_a_mailer_wrapped)
{
	static const char row[] = "cts(cbc(aes))/encrypt/key=128/block=16";
	static const char *const logs[] = {
		"> [  120.6] testing speed of async cts(cbc(aes)) (cts-neon)\n"
		"> encryption\n"
		"> [  120.7] tcrypt: test 0 (128 bit key, 16 byte blocks): 64\n"
		"> operations in 1 seconds (1024 bytes)\n",
		"> [  120.6] testing speed of async cts(cbc(aes))\n"
		"> (cts-neon) encryption\n"
		"> [  120.7] tcrypt: test 0 (128 bit key, 16 byte\n"
		"> blocks): 64 operations in 1 seconds (1024 bytes)\n",
		"> [  120.6] testing speed of async\n"
		"> cts(cbc(aes)) (cts-neon) encryption\n"
		"> [  120.7] tcrypt: test 0 (128 bit key, 16 byte blocks): 64 "
		"operations in\n"
		"> 1 seconds (1024 bytes)\n",
		"> [  120.6] testing speed of\n"
		"> async cts(cbc(aes)) (cts-neon) encryption\n"
		"> [  120.7] tcrypt: test 0 (128 bit key, 16 byte blocks):\n"
		"> 64 operations in 1 seconds (1024 bytes)\n",
	};
	size_t i;

	for (i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct parsed p = parse_text("tcrypt", logs[i]);
		const struct gate_sample *s = row_at(&p, "tcrypt", row, 0);

		cr_expect_eq(p.set->n, 1);
		cr_expect_eq(s->value, 64);
		cr_expect_str_eq(s->driver, "cts-neon");
		parsed_done(&p);
	}
}

Test(tcrypt, does_not_join_what_does_not_belong_together)
{
	/* Another message, a blank line, or another depth of quoting. */
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): 64\n"
			"\noperations in 1 seconds (1024 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): 64\n"
			"[    9.0] operations in 1 seconds (1024 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): 64\n"
			"> operations in 1 seconds (1024 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
}

Test(tcrypt, is_not_renamed_by_the_prose_around_a_quoted_log)
{
	expect_only("> [    1.0] testing speed of async ecb(aes) (neonbs) "
		    "encryption\n\nThis line should read\n\n"
		    "  testing speed of async cbc(aes) (gxl) encryption\n\n"
		    "> [    1.1] tcrypt: test 0 (128 bit key, 16 byte "
		    "blocks): 1 operation in 5 cycles (16 bytes)\n",
		    "ecb(aes)/encrypt/key=128/block=16", GATE_SAMPLE_OK);
}

Test(tcrypt, takes_nothing_from_prose_and_commands)
{
	expect_nothing("# modprobe tcrypt mode=200 sec=1\n"
		       "tcrypt\n"
		       "The test (128 bit key, 16 byte blocks) was run.\n"
		       "test 0 was slow\n"
		       "testing speed of the new driver on my board\n"
		       "testing speed of everything\n"
		       "In 1 second we saw 723747 operations in 1 seconds.\n"
		       "pr_info(\"tcrypt: test %u (%d bit key, %d byte "
		       "blocks): \"\n"
		       "1 operation costs 5 cycles\n"
		       "tcrypt: testing\n"
		       "[    1.0] 8021q: 802.1Q VLAN Support v1.8\n");
}

Test(tcrypt, counts_results_that_it_does_not_understand)
{
	struct parsed p = parse_text(
		"tcrypt",
		"[    2.0] 482103 operations in 1 seconds (30854592 bytes)\n"
		"test  0 (   16 byte blocks,   16 bytes per update,   1 "
		"updates): 1.25x faster\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 2);
	cr_expect_str_eq(remark(&p, "parse.unparsed"),
			 "a.log:1: looks like a result but was not understood "
			 "(2 such lines): 482103 operations in 1 seconds "
			 "(30854592 bytes)");
	parsed_done(&p);
}

Test(tcrypt, survives_names_and_numbers_beyond_all_bounds)
{
	char log[4096];

	snprintf(log, sizeof log,
		 ECB TITLE "async %0300d (%0300d) encryption\n"
			   "tcrypt: test 0 (128 bit key, 16 byte blocks): "
			   "1 operation in 338 cycles (16 bytes)\n",
		 1, 1);
	expect_only(log, "?/key=128/block=16", GATE_SAMPLE_ORPHAN);
	expect_nothing(ECB "tcrypt: test 0 (99999999999999999999 bit key, 16 "
			   "byte blocks): 1 operation in 1 cycles (16 bytes)\n"
			   "tcrypt: test 0 (128 bit key, 9999999999 byte "
			   "blocks): 1 operation in 1 cycles (16 bytes)\n");
	expect_only(ECB "tcrypt: test 0 (128 bit key, 16 byte blocks): "
			"1 operation in 99999999999999999999999 cycles\n",
		    "ecb(aes)/encrypt/key=128/block=16",
		    GATE_SAMPLE_INCOMPLETE);
}
