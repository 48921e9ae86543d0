/* The host of the parsers: who gets a line, programs, samples on their way. */
#include "parsing.h"

#include <stdlib.h>

#include "gate/util/mem.h"
#include "gate/util/pool.h"
#include "gate/util/subprocess.h"
#include "parsers/likely.h"

/* --- auto ----------------------------------------------------------------- */

Test(host, reads_every_benchmark_of_one_log)
{
	struct parsed p = parse_text(
		"auto",
		"xor: measuring software checksum speed\n"
		"   8regs           :  2797 MB/sec\n"
		"xor: using function: 8regs (2797 MB/sec)\n"
		"raid6: sse2x4   gen()  1384 MB/s\n"
		"tcrypt: testing speed of sync ecb(aes) (ecb-aes) encryption\n"
		"tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in "
		"462 cycles (16 bytes)\n"
		"{\"bench\":\"mine\",\"row\":\"r\",\"unit\":\"s\",\"value\":"
		"2}\n");

	cr_expect_eq(p.set->n, 4);
	cr_expect_eq(row_at(&p, "xor", "8regs", 0)->line, 2);
	cr_expect_eq(row_at(&p, "raid6", "sse2x4/gen", 0)->line, 4);
	cr_expect_eq(
		row_at(&p, "tcrypt", "ecb(aes)/encrypt/key=128/block=16", 0)
			->value,
		462);
	cr_expect_eq(row_at(&p, "mine", "r", 0)->value, 2);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(host, counts_and_shows_results_that_no_parser_knows)
{
	struct parsed p = parse_text("auto", "a boot message\n"
					     "frobnicate: 812.5 MB/s\n"
					     "blorp: 14 cycles/op\n");

	cr_expect_eq(p.set->n, 0);
	cr_expect_eq(p.stats.unparsed, 2);
	cr_expect_str_eq(remark(&p, "parse.unparsed"),
			 "a.log:2: looks like a result but was not understood "
			 "(2 such lines): frobnicate: 812.5 MB/s");
	parsed_done(&p);
}

Test(host, leaves_results_of_others_alone_when_one_parser_is_named)
{
	struct parsed p = parse_text("tcrypt", "frobnicate: 812.5 MB/s\n");

	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(host, knows_what_looks_like_a_result)
{
	static const char *const yes[] = {
		"speed: 14 MB/s",          "41 MB/sec (of all)",  "x 2.1GiB/s",
		"took 14 cycles/op",       "a  12.5 ns/op  b",    "3 ops/sec.",
		"1 operation in 8 cycles", "12010 operations in",
	};
	static const char *const no[] = {
		"",
		"PCIe bandwidth, limited by 2.5 GT/s",
		"31.504 Gb/s available",
		"md: not more than 200000 KB/sec) for resync",
		"minimum speed: 1000 MB/sec/disk",
		"read/write error",
		"and/or 3",
		"MB/s",
		"/",
		" operation",
		"this operation in",
		"B/s2 3 B/s2",
	};
	size_t i;

	for (i = 0; i < sizeof yes / sizeof yes[0]; i++)
		cr_expect(gate_result_like(yes[i], strlen(yes[i])), "%s",
			  yes[i]);
	for (i = 0; i < sizeof no / sizeof no[0]; i++)
		cr_expect(!gate_result_like(no[i], strlen(no[i])), "%s", no[i]);
}

/* --- what programs write -------------------------------------------------- */

static struct parsed read_output(const char *text)
{
	struct gate_parse_opts opts = {.job = "j", .path = "a.log"};
	struct parsed p = {.set = gate_sample_set_new()};

	p.rc = gate_parse_samples(&opts, "./mine", text, strlen(text), p.set,
				  &p.diags, &p.stats, &p.err);
	return p;
}

Test(host, takes_samples_and_empty_lines_from_a_program)
{
	struct parsed p = read_output(
		"\n{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"value\":1}\n"
		"\n");

	cr_expect_eq(p.rc, 0, "%s", p.err.message);
	cr_expect_eq(p.set->n, 1);
	parsed_done(&p);
}

Test(host, refuses_anything_else_from_a_program)
{
	static const char *const bad[] = {
		"reading...\n",
		"{\"bench\":\"b\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\"}\n",
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"val",
		("tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in "
		 "462 cycles (16 bytes)\n"),
	};
	struct parsed p;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		p = read_output(bad[i]);
		cr_expect_eq(p.rc, GATE_EPLUGIN, "%s", bad[i]);
		cr_expect(strstr(p.err.message, "parser ./mine wrote a line "
						"that is no sample (its line "
						"1): "),
			  "%s", p.err.message);
		parsed_done(&p);
	}
}

Test(host, checks_the_values_of_a_program)
{
	struct parsed p = read_output("{\"bench\":\"b\",\"row\":\"r\",\"unit\":"
				      "\"s\",\"value\":-1}\n");

	cr_expect_eq(p.rc, 0);
	cr_expect_eq(p.set->n, 0);
	cr_expect(strstr(remark(&p, "parse.refused"), "a negative value"));
	parsed_done(&p);
}

/* --- samples on their way ------------------------------------------------- */

struct passed {
	size_t n;
	double sum;
};

static void pass(void *ctx, const struct gate_measured *m)
{
	struct passed *passed = ctx;

	cr_expect_str_eq(m->s.row, "r");
	passed->n++;
	passed->sum += m->s.value;
}

Test(host, hands_on_samples_and_keeps_the_last_one_only)
{
	static const char text[] =
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"value\":1}\n"
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"value\":2}\n"
		"{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"value\":4}\n";
	struct passed passed = {0};
	struct gate_parse_opts opts = {
		.job = "", .each = pass, .each_ctx = &passed};
	struct parsed p = {.set = gate_sample_set_new()};

	p.rc = gate_parse_buffer(&opts, text, sizeof text - 1, p.set, &p.diags,
				 &p.stats, &p.err);
	cr_expect_eq(p.rc, 0);
	cr_expect_eq(passed.n, 3);
	cr_expect_eq(passed.sum, 7);
	cr_expect_eq(p.stats.samples, 3);
	cr_expect_eq(p.set->n, 1);
	cr_expect_eq(p.set->items[0].s.value, 4);
	parsed_done(&p);
}

Test(host, is_asked_to_stop_between_pieces)
{
	struct parsed p;

	gate_interrupt_raise();
	p = parse_bytes("auto", "x\n", 2, GATE_CLOCK_WALL);
	gate_interrupt_clear();
	cr_expect_eq(p.rc, GATE_EINTR);
	parsed_done(&p);
}

/* --- the pool of names ---------------------------------------------------- */

Test(host, keeps_equal_strings_once_whatever_their_length)
{
	struct gate_pool *pool = gate_pool_new();
	const char *kept[200];
	char text[256] = "";
	size_t i, bytes;

	for (i = 0; i < 200; i++) {
		kept[i] = gate_pool_add(pool, text);
		cr_assert_str_eq(kept[i], text);
		text[i] = (char)('a' + i % 26);
	}
	bytes = gate_pool_bytes(pool);
	memset(text, 0, sizeof text);
	for (i = 0; i < 200; i++) {
		cr_assert_eq(gate_pool_add(pool, text), kept[i], "%zu", i);
		text[i] = (char)('a' + i % 26);
	}
	cr_expect_eq(gate_pool_bytes(pool), bytes);
	cr_expect_null(gate_pool_add(pool, NULL));
	gate_pool_free(pool);
}

/* --- what runs programs --------------------------------------------------- */

static int run_shell(struct gate_proc p, const char *script,
		     struct gate_proc_result *res)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	struct gate_error err;
	int rc;

	p.argv = argv;
	rc = gate_proc_run(&p, res, &err);
	cr_expect_eq(rc, 0, "%s", err.message);
	return rc;
}

static void result_done(struct gate_proc_result *res)
{
	gate_str_done(&res->out);
	gate_str_done(&res->err);
}

Test(host, gives_a_program_a_file_to_read)
{
	struct gate_proc_result res;

	run_shell((struct gate_proc){.in_path = GATE_FIXTURES
				     "/logs/negative_octeon_ratio_table.log"},
		  "wc -c", &res);
	cr_expect_gt(atoi(gate_str_text(&res.out)), 100);
	result_done(&res);
	run_shell((struct gate_proc){0}, "wc -c", &res);
	cr_expect_str_eq(gate_str_text(&res.out), "0\n");
	result_done(&res);
}

Test(host, keeps_standard_error_apart_and_bounded)
{
	struct gate_proc_result res;

	run_shell((struct gate_proc){.keep_stderr = true},
		  "echo out; echo err >&2; head -c 1000000 /dev/zero >&2",
		  &res);
	cr_expect_str_eq(gate_str_text(&res.out), "out\n");
	cr_expect_eq(res.err.len, 65536);
	cr_expect_str_eq(gate_str_text(&res.err), "err\n");
	cr_expect_eq(res.exit_code, 0);
	result_done(&res);
}

Test(host, ends_a_program_that_writes_too_much)
{
	struct gate_proc_result res;

	run_shell((struct gate_proc){.output_max = 100000,
				     .capture_max = 1000,
				     .timeout_ms = 60000},
		  "exec yes", &res);
	cr_expect(res.too_much && !res.timed_out);
	cr_expect_eq(res.out.len, 1000);
	result_done(&res);
}

Test(host, bounds_the_memory_of_a_program)
{
	struct gate_proc_result res;

	run_shell(
		(struct gate_proc){.memory_max = 64 << 20, .drop_stderr = true},
		"head -c 200000000 /dev/zero | tr '\\0' x | "
		"awk '{ print length }'",
		&res);
	cr_expect_str_eq(gate_str_text(&res.out), "");
	result_done(&res);
}

Test(host, says_which_input_of_a_program_cannot_be_read)
{
	const char *const argv[] = {"cat", NULL};
	struct gate_proc p = {.argv = argv, .in_path = "/nonexistent/log"};
	struct gate_proc_result res;
	struct gate_error err;

	cr_expect_eq(gate_proc_run(&p, &res, &err), GATE_ESYS);
	cr_expect_str_eq(err.message,
			 "/nonexistent/log: No such file or directory");
	result_done(&res);
}
