#include "unit/parsing.h"

#define MEASURING "[    1.0] xor: measuring software checksum speed\n"

static void expect_value(const char *log, const char *bench, const char *row,
			 double value, double resolution)
{
	struct parsed p = parse_text("xor", log);
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 1, "%zu samples of\n%s", p.set->n, log);
	s = row_at(&p, bench, row, 0);
	cr_expect_eq(s->status, GATE_SAMPLE_OK);
	cr_expect_eq(s->value, value, "%.17g of\n%s", s->value, log);
	cr_expect_eq(s->resolution, resolution);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(s->better, GATE_HIGHER);
	cr_expect_eq(s->iter, -1);
	cr_expect_null(s->driver);
	parsed_done(&p);
}

static void expect_incomplete(const char *log, const char *bench,
			      const char *row)
{
	struct parsed p = parse_text("xor", log);

	cr_expect_eq(p.set->n, 1, "%zu samples of\n%s", p.set->n, log);
	cr_expect_eq(row_at(&p, bench, row, 0)->status, GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
}

static void expect_failed(const char *log, const char *bench, const char *row,
			  const char *message)
{
	struct parsed p = parse_text("xor", log);

	cr_expect_eq(p.set->n, 1, "%zu samples of\n%s", p.set->n, log);
	cr_expect_eq(row_at(&p, bench, row, 0)->status, GATE_SAMPLE_FAILED);
	cr_expect_str_eq(row_at(&p, bench, row, 0)->message, message);
	parsed_done(&p);
}

static void expect_nothing(const char *log)
{
	struct parsed p = parse_text("xor", log);

	cr_expect_eq(p.set->n, 0, "%zu samples of\n%s", p.set->n, log);
	parsed_done(&p);
}

Test(xor, reads_megabytes_since_5_10)
{
	expect_value(MEASURING "[    1.1]    8regs           :  2797 MB/sec\n"
			       "[    1.2] xor: using function: 8regs (2797 "
			       "MB/sec)\n",
		     "xor", "8regs", 2797e6, 1e6);
}

Test(xor, reads_thousands_of_kibibytes_before_5_10)
{
	struct parsed p = parse_text(
		"xor", MEASURING "[    1.1]    8regs     :   916.800 MB/sec\n");
	const struct gate_sample *s = row_at(&p, "xor", "8regs", 0);

	cr_expect_eq(s->value, 916800.0 * 1024);
	cr_expect_eq(s->resolution, 1024);
	cr_expect_str_eq(s->method, "jiffies");
	parsed_done(&p);
}

Test(xor, reads_2_6_under_the_name_of_raid5)
{
	expect_value("raid5: automatically using best checksumming function: "
		     "pIII_sse\n"
		     "   pIII_sse  :  5040.000 MB/sec\n"
		     "raid5: using function: pIII_sse (5040.000 MB/sec)\n",
		     "xor", "pIII_sse", 5040000.0 * 1024, 1024);
}

Test(xor, reads_names_that_fill_their_field)
{
	expect_value(MEASURING "[    1.1]    8regs_prefetch:  2552 MB/sec\n",
		     "xor", "8regs_prefetch", 2552e6, 1e6);
	expect_value(MEASURING "[    1.1] 8regs : 2552 MB/sec\n", "xor",
		     "8regs", 2552e6, 1e6);
}

Test(xor, counts_templates_only_after_their_announcement)
{
	expect_nothing("[    1.1]    8regs           :  2797 MB/sec\n"
		       "[    1.2] xor: using function: 8regs (2797 MB/sec)\n"
		       "   hdparm : 130 MB/sec\n");
	expect_nothing(MEASURING "xor: using function: avx (1 MB/sec)\n"
				 "   hdparm : 130 MB/sec\n");
	/* Quoted, and then a number in the answer. */
	expect_nothing("> " MEASURING "   8regs : 130 MB/sec\n");
}

Test(xor, forgets_an_announcement_that_led_to_nothing)
{
	struct gate_str log = {0};
	size_t i;

	gate_str_puts(&log, MEASURING);
	for (i = 0; i < 300; i++)
		gate_str_puts(&log, "[    2.0] something else\n");
	gate_str_puts(&log, "   hdparm : 130 MB/sec\n");
	expect_nothing(gate_str_text(&log));
	gate_str_done(&log);
}

Test(xor, reads_templates_between_other_messages)
{
	expect_value(MEASURING "[    1.1] usb 1-1: new device\n"
			       "random: 7\n"
			       "Disk speed: 12 GB\n"
			       "[    1.2]    avx             : 42616 MB/sec\n",
		     "xor", "avx", 42616e6, 1e6);
}

Test(xor, notes_a_choice_without_a_measurement)
{
	struct parsed p = parse_text(
		"auto", "[    1.0] xor: automatically using best checksumming "
			"function   avx       \n"
			"[    1.0] raid6: skipped pq benchmark and selected "
			"sse2x4\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 0);
	cr_expect_eq(p.diags.n, 2);
	cr_expect_eq(p.diags.items[0].level, GATE_DIAG_NOTE);
	cr_expect_str_eq(remark(&p, "xor.no-data"),
			 "xor chose avx without measuring anything");
	cr_expect_str_eq(remark(&p, "raid6.no-data"),
			 "raid6 chose sse2x4 without measuring anything");
	parsed_done(&p);
}

Test(xor, makes_no_value_of_a_cut_speed)
{
	expect_incomplete(MEASURING "   8regs  :  279", "xor", "8regs");
	expect_incomplete(MEASURING "   8regs  :  2797 MB/se", "xor", "8regs");
	expect_incomplete(MEASURING "   8regs  :  2797.0", "xor", "8regs");
	expect_incomplete("raid6: avx2x4   gen() 253", "raid6", "avx2x4/gen");
	expect_nothing("raid6: using algorithm sse2x2 (272");
}

Test(xor, fails_a_template_whose_speed_cannot_be)
{
	expect_failed(MEASURING "   8regs  : -1018167296 MB/sec\n", "xor",
		      "8regs", "the kernel printed a negative speed");
	expect_failed(MEASURING "   8regs  : 10000000 MB/sec\n", "xor", "8regs",
		      "the kernel printed an absurd speed");
	expect_failed("raid6: avx2x4   gen() -5 MB/s\n", "raid6", "avx2x4/gen",
		      "the kernel printed a negative speed");
	expect_failed("raid6: avx2x4   gen() 99999999 MB/s\n", "raid6",
		      "avx2x4/gen", "the kernel printed an absurd speed");
	expect_value(MEASURING "   8regs  : 9999999 MB/sec\n", "xor", "8regs",
		     9999999e6, 1e6);
}

/* --- which template the kernel takes -------------------------------------- */

/* What is said of a choice, "" when nothing is. */
static void expect_choice(const char *lines, const char *said)
{
	char log[1024];
	struct parsed p;
	const char *text;

	snprintf(log, sizeof log, "%s%s", MEASURING, lines);
	p = parse_text("xor", log);
	text = remark(&p, "xor.choice");
	if (*said)
		cr_expect_not_null(strstr(text, said), "\"%s\" of\n%s", text,
				   log);
	else
		cr_expect_str_eq(text, "", "of\n%s", log);
	parsed_done(&p);
}

Test(xor, says_which_template_the_kernel_uses)
{
	struct parsed p = parse_fixture("xor_arm64_boot_utf8.log");

	cr_expect_not_null(
		strstr(remark(&p, "xor.selected"), "xor uses 32regs"));
	cr_expect_str_eq(remark(&p, "xor.choice"), "");
	parsed_done(&p);
	p = parse_text("xor", "raid6: using algorithm avx2x4 gen() 25330 MB/s\n"
			      "raid6: using avx2x2 recovery algorithm\n");
	cr_expect_not_null(
		strstr(remark(&p, "raid6.selected"), "raid6 uses avx2x4"));
	parsed_done(&p);
}

Test(xor, accepts_the_fastest_template)
{
	expect_choice("   a : 12000 MB/sec\n   b : 11999 MB/sec\n"
		      "xor: using function: a (12000 MB/sec)\n",
		      "");
	/* One step of a clock that is finer than the print. */
	expect_choice("   a : 11999 MB/sec\n   b : 12000 MB/sec\n"
		      "xor: using function: a (11999 MB/sec)\n",
		      "");
	expect_choice("   a : 12050.000 MB/sec\n   b : 10169.000 MB/sec\n"
		      "xor: using function: a (12050.000 MB/sec)\n",
		      "");
}

Test(xor, reports_a_choice_that_is_not_the_fastest)
{
	expect_choice("   a : 12000 MB/sec\n   b : 12500 MB/sec\n"
		      "xor: using function: a (12000 MB/sec)\n",
		      "xor uses a, but measured faster was b");
	expect_choice("   a : 10169.000 MB/sec\n   b : 12050.000 MB/sec\n"
		      "xor: using function: a (10169.000 MB/sec)\n",
		      "xor uses a, but measured faster was b");
	expect_choice("   a : 12000 MB/sec\n"
		      "xor: using function: avx (12000 MB/sec)\n",
		      "xor uses avx, which was not measured");
}

/* 800 * 4096 bytes in 10 and in 11 ticks of 31250 ns: 10485 and 9532 MB/s. */
Test(xor, reports_a_choice_that_its_clock_cannot_make)
{
	expect_choice("   a : 10485 MB/sec\n   b : 9532 MB/sec\n"
		      "xor: using function: a (10485 MB/sec)\n",
		      "xor uses a, but its clock cannot tell it from b");
	/* Two ticks apart. */
	expect_choice("   a : 10485 MB/sec\n   b : 8738 MB/sec\n"
		      "xor: using function: a (10485 MB/sec)\n",
		      "");
	/* The same ratio by a clock that is no multiple of a tick. */
	expect_choice("   a : 10400 MB/sec\n   b : 9455 MB/sec\n"
		      "xor: using function: a (10400 MB/sec)\n",
		      "");
	/* A count of jiffies: one step of 4.000 MB/s. */
	expect_choice("   a : 10488.000 MB/sec\n   b : 10484.000 MB/sec\n"
		      "xor: using function: a (10488.000 MB/sec)\n",
		      "xor uses a, but its clock cannot tell it from b");
}

Test(xor, judges_each_calibration_by_its_own_templates)
{
	struct parsed p = parse_fixture("xor_thunderx2_before_after.log");

	cr_expect_str_eq(remark(&p, "xor.choice"), "");
	parsed_done(&p);
	expect_choice("   a : 12500 MB/sec\n"
		      "xor: using function: a (12500 MB/sec)\n" MEASURING
		      "   b : 10 MB/sec\nxor: using function: b (10 MB/sec)\n",
		      "");
}

Test(xor, keeps_an_explicit_zero)
{
	expect_value(MEASURING "   8regs  :     0 MB/sec\n", "xor", "8regs", 0,
		     1e6);
}

Test(xor, counts_lines_that_it_does_not_understand)
{
	struct parsed p = parse_text("xor", MEASURING
				     "   8regs  :  27.97 MB/sec\n"
				     "raid6: avx2x4   gen() fast MB/s\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 2);
	parsed_done(&p);
}

Test(raid6, reads_gen_and_xor_in_mebibytes)
{
	expect_value("[    1.0] raid6: sse2x4   gen()  1384 MB/s\n", "raid6",
		     "sse2x4/gen", 1384.0 * 1048576, 1048576);
	expect_value("[    1.0] raid6: sse2x4   xor()    80 MB/s\n", "raid6",
		     "sse2x4/xor", 80.0 * 1048576, 1048576);
}

Test(raid6, reads_the_form_of_2_6_as_gen)
{
	expect_value("raid6: int32x1    906 MB/s\n", "raid6", "int32x1/gen",
		     906.0 * 1048576, 1048576);
}

Test(raid6, takes_no_sample_from_its_summaries)
{
	expect_nothing("raid6: using algorithm avx2x4 gen() 25330 MB/s\n"
		       "raid6: using algorithm sse2x2 (2390 MB/s)\n"
		       "raid6: .... xor() 10427 MB/s, rmw enabled\n"
		       "raid6: using avx2x2 recovery algorithm\n"
		       "md: raid6 personality registered for level 6\n");
}

Test(raid6, warns_when_the_kernel_gave_up)
{
	struct parsed p =
		parse_text("xor", "raid6: Yikes! No algorithm found!\n"
				  "xor: Yikes!  No memory available.\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_str_eq(remark(&p, "parse.failed"),
			 "a.log:1: raid6: Yikes! No algorithm found!");
	parsed_done(&p);
}
