#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "parsers/lines.h"

/* Every message as "NUMBER QUOTED k|u j|- TIME text|", so that one string
 * shows all of them. */
static int record(void *ctx, const struct gate_line *line)
{
	struct gate_str *s = ctx;

	cr_assert_eq(line->size, sizeof *line);
	cr_assert_eq(line->text[line->len], '\0');
	gate_str_addf(s, "%llu %u %c%c %lld ", (unsigned long long)line->number,
		      line->quoted, line->kernel ? 'k' : 'u',
		      line->joined ? 'j' : '-', (long long)line->time_us);
	gate_str_add(s, line->text, line->len);
	gate_str_puts(s, line->cut ? "|cut|" : "|");
	return 0;
}

static char *read_in_pieces(const char *text, size_t len, size_t piece)
{
	struct gate_str s = {0};
	struct gate_lines *l = gate_lines_new(record, &s);
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < piece ? len - i : piece;
		cr_assert_eq(gate_lines_feed(l, text + i, n), 0);
	}
	cr_assert_eq(gate_lines_end(l), 0);
	gate_lines_free(l);
	return gate_str_steal(&s);
}

static void expect(const char *text, const char *expected)
{
	char *got = read_in_pieces(text, strlen(text), strlen(text) + 1);

	cr_expect_str_eq(got, expected, "\n     got: %s\nexpected: %s", got,
			 expected);
	free(got);
}

/* The text alone, of a single line. */
static void expect_text(const char *line, const char *text)
{
	char *in = gate_asprintf("first\n%s\n", line);
	char *got = read_in_pieces(in, strlen(in), 7);
	char *at = strstr(got, "|2 ");
	int i;

	cr_assert_not_null(at);
	for (i = 0; i < 4; i++)
		at = strchr(at, ' ') + 1;
	cr_expect(!strncmp(at, text, strlen(text)) &&
			  !strcmp(at + strlen(text), "|"),
		  "%s: \"%s\", expected \"%s\"", line, at, text);
	free(got);
	free(in);
}

Test(lines, takes_every_style_of_dmesg_off)
{
	static const char *const styles[] = {
		"xor: m",
		"[   12.118196] xor: m",
		"[72625.956765] xor: m",
		"[   12.118196][  T374] xor: m",
		"[   12.118196][    C3] xor: m",
		"<6>[   12.118196] xor: m",
		"<6>xor: m",
		"kern  :info  : [   12.118196] xor: m",
		"[Mon Nov 30 14:40:10 2026] xor: m",
		"2026-11-30T14:40:10,118196+00:00 xor: m",
		"[<    0.000386>] xor: m",
		"[   12.118196 <    0.000386>] xor: m",
		"[Nov30 14:40] xor: m",
		"[  +0.000386] xor: m",
		"[...] xor: m",
		"    [   12.118196] xor: m",
		"\t[   12.118196] xor: m",
	};
	size_t i;

	for (i = 0; i < sizeof styles / sizeof styles[0]; i++)
		expect_text(styles[i], "xor: m");
}

Test(lines, takes_syslog_and_journald_off)
{
	static const char *const styles[] = {
		"Jan 21 02:26:48 host kernel: xor: m",
		"Jun  9 00:48:01 host kernel: [   21.2] xor: m",
		"Jan  1 00:00:10 host kern.info kernel: [   21.2] xor: m",
		"Nov 30 14:40:10 host modprobe[123]: xor: m",
		"2026-11-30T14:40:10+0000 host kernel: xor: m",
		"2026-11-30T14:40:10.118196+00:00 host kernel: [  1.5] xor: m",
		"2026-11-30T14:40:10.1181960Z [   12.118196] xor: m",
		"2026-11-30 14:40:10.118 host logger[1]: xor: m",
		"[2026-11-30T14:40:10.118Z] [   12.118196] xor: m",
	};
	size_t i;

	for (i = 0; i < sizeof styles / sizeof styles[0]; i++)
		expect_text(styles[i], "xor: m");
}

Test(lines, keeps_the_blanks_of_the_message)
{
	expect_text("[    1.290521]    8regs : 1", "   8regs : 1");
	expect_text("Feb 03 00:24:02 host kernel:    8regs : 1",
		    "   8regs : 1");
	expect_text("    # Subtest: sha256", "    # Subtest: sha256");
	expect_text("xor: avx      ", "xor: avx");
}

Test(lines, leaves_what_only_looks_like_a_prefix)
{
	expect_text("[drm] Initialized", "[drm] Initialized");
	expect_text("raid6: using x: y", "raid6: using x: y");
	expect_text("tcrypt:test", "tcrypt:test");
	expect_text("Maybe 12 12:00 no", "Maybe 12 12:00 no");
	expect_text("see [1], [2.5] and <b>", "see [1], [2.5] and <b>");
	expect_text("2026-11-30 was a Monday", "2026-11-30 was a Monday");
	expect_text("<>", "<>");
	expect_text("[", "[");
	expect_text("[ 12.", "[ 12.");
	expect_text("+1 and -1", "+1 and -1");
	expect_text("- [x] done", "- [x] done");
}

Test(lines, tells_time_number_and_origin)
{
	expect("[    1.5] a\r\nb\r\n\r\nc",
	       "1 0 k- 1500000 a|2 0 uj -1 b|3 0 uj -1 |4 0 u- -1 c|cut|");
	expect("[   12.118196] tcrypt: \n[   12.118196] testing\n[   13.0] x\n",
	       "1 0 k- 12118196 tcrypt:|2 0 kj 12118196 testing|"
	       "3 0 k- 13000000 x|");
}

Test(lines, takes_line_ends_of_consoles_off)
{
	expect_text("a\r", "a");
	expect_text("a\r\r", "a");
	expect_text("\ra", "a");
	expect_text("10 %\r20 %\r[    1.5] a", "a");
}

Test(lines, takes_colours_off)
{
	expect_text("\033[32m[   11.331344] \033[0m\033[33mxor: \033[0mm",
		    "xor: m");
	expect_text("\033c\033[?7l\033[2J\033[0mSeaBIOS", "SeaBIOS");
	expect_text("\033]0;title\007a\033(B", "a");
	expect_text("a\033", "a");
	expect_text("a\033[", "a");
}

Test(lines, takes_quoting_of_mails_off)
{
	expect("> [    1.5] a\n>> b\n> >     >       > c\n>\nd\n",
	       "1 1 k- 1500000 a|2 2 u- -1 b|3 4 u- -1 c|4 1 u- -1 |"
	       "5 0 u- -1 d|");
}

Test(lines, decodes_quoted_printable_on_evidence_only)
{
	expect_text("benchmark_hash: len=3D16: 2 MB/s",
		    "benchmark_hash: len=16: 2 MB/s");
	expect_text("hits 5.0 =C2=B1 0.2", "hits 5.0 \xc2\xb1 0.2");
	expect_text("a=C2=A0b=A0c", "a b c");
	expect_text("a=20", "a");
	/* None of these was coded. */
	expect_text("benchmark_hash: len=64: 2 MB/s",
		    "benchmark_hash: len=64: 2 MB/s");
	expect_text("data_len=80 salt_len=3D", "data_len=80 salt_len=3D");
	expect_text("key=20 flow=1", "key=20 flow=1");
	expect_text("key=20 flow", "key=20 flow");
	expect_text("flags=", "flags=");
}

Test(lines, joins_soft_line_breaks)
{
	expect("> [    1.176262] random: get_random_u32 called from "
	       "bucket_table_alloc+0x1d=\n0/0x210 with crng_init=3D0\nx=\ny\n",
	       "1 1 k- 1176262 random: get_random_u32 called from "
	       "bucket_table_alloc+0x1d0/0x210 with crng_init=0|"
	       "3 0 u- -1 xy|");
}

Test(lines, splits_at_coded_line_ends)
{
	expect("[    1.5] a=0A[    1.6] b\n",
	       "1 0 k- 1500000 a|1 0 k- 1600000 b|");
}

Test(lines, takes_the_marks_of_a_diff_off)
{
	expect("-[    1.5] a\n+[    1.6] b\n@@ -1,2 +1,2 @@\n-c\n+d\n e\nf\n"
	       "-g\n",
	       "1 0 k- 1500000 a|2 0 k- 1600000 b|3 0 uj -1 @@ -1,2 +1,2 @@|"
	       "4 0 uj -1 c|5 0 uj -1 d|6 0 uj -1 e|7 0 uj -1 f|"
	       "8 0 uj -1 -g|");
}

Test(lines, splits_messages_that_were_glued_together)
{
	expect("ROM..[    0.000000] a\n"
	       "[    1.000000] b [    2.000000] c\n"
	       "xvdb:<6>mice: d\n"
	       "# <4>[    3.000000] e\n"
	       "  | -[    4.000000] f\n",
	       "1 0 u- -1 ROM..|1 0 k- 0 a|"
	       "2 0 k- 1000000 b|2 0 k- 2000000 c|"
	       "3 0 uj -1 xvdb:|3 0 k- -1 mice: d|"
	       "4 0 uj -1 #|4 0 k- 3000000 e|"
	       "5 0 uj -1   | -|5 0 k- 4000000 f|");
}

Test(lines, accepts_a_first_line_that_lost_its_start)
{
	expect("125] raid6: a\n125] b\n",
	       "1 0 k- -1 raid6: a|2 0 uj -1 125] b|");
}

Test(lines, drops_the_byte_order_mark)
{
	expect("\xef\xbb\xbf[    1.5] a\n", "1 0 k- 1500000 a|");
}

/* As dmesg --json of util-linux 2.38.1 prints. */
Test(lines, takes_messages_out_of_json_of_dmesg)
{
	expect("{\n"
	       "   \"dmesg\": [\n"
	       "      {\n"
	       "         \"pri\": 6,\n"
	       "         \"time\":    11.537515,\n"
	       "         \"msg\": \"raid6: a \\\"b\\\" \\u00e4\\\\\"\n"
	       "      },{\n"
	       "         \"msg\": \"one\\ntwo\"\n",
	       "1 0 u- -1 {|2 0 uj -1    \"dmesg\": [|3 0 uj -1       {|"
	       "4 0 uj -1          \"pri\": 6,|"
	       "5 0 uj -1          \"time\":    11.537515,|"
	       "6 0 k- 11537515 raid6: a \"b\" \xc3\xa4\\|"
	       "7 0 uj -1       },{|8 0 k- -1 one|8 0 k- -1 two|");
}

Test(lines, takes_messages_out_of_json_of_journald)
{
	expect_text("{\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"xor: m\","
		    "\"PRIORITY\":\"6\"}",
		    "xor: m");
	expect_text("{ \"MESSAGE\" : \"   8regs : 1\" }", "   8regs : 1");
}

Test(lines, calls_a_json_string_without_its_end_cut)
{
	expect("\"msg\": \"xor: 12\n", "1 0 k- -1 xor: 12|cut|");
	expect("\"msg\": \"xor: 12\\", "1 0 k- -1 xor: 12|cut|");
	expect("\"msg\": \"xor: \\u00", "1 0 k- -1 xor: u00|cut|");
	expect("\"msg\": \"xor: 12\"", "1 0 k- -1 xor: 12|");
}

Test(lines, leaves_json_alone)
{
	expect("{\"m\":\"[    1.000000] x<6>y\",\"a\":\"=3D\"}\r\n",
	       "1 0 u- -1 {\"m\":\"[    1.000000] x<6>y\",\"a\":\"=3D\"}|");
}

Test(lines, counts_lines_with_bytes_that_no_text_has)
{
	static const char text[] = "a\0b\nplain\n\001\ntab\t\xff\xfe\n\x7f\n";
	struct gate_str s = {0};
	struct gate_lines *l = gate_lines_new(record, &s);

	cr_assert_eq(gate_lines_feed(l, text, sizeof text - 1), 0);
	cr_expect_eq(gate_lines_stats(l)->lines, 5);
	cr_expect_eq(gate_lines_stats(l)->binary, 3);
	cr_expect_eq(gate_lines_stats(l)->bytes, sizeof text - 1);
	/* The NUL stays inside the length. */
	cr_expect_eq(memcmp(s.data, "1 0 u- -1 a\0b|", 14), 0);
	gate_lines_free(l);
	gate_str_done(&s);
}

Test(lines, cuts_and_counts_a_line_without_end)
{
	size_t n = 3 * (size_t)GATE_LINE_MAX, piece;
	char *text = gate_calloc(n + 9, 1);

	memset(text, 'x', n);
	memcpy(text + n, "\nnext\n", 6);
	for (piece = 1000; piece <= n + 6; piece += n + 5000) {
		struct gate_str s = {0};
		struct gate_lines *l = gate_lines_new(record, &s);
		size_t i, k;

		for (i = 0; i < n + 6; i += k) {
			k = n + 6 - i < piece ? n + 6 - i : piece;
			cr_assert_eq(gate_lines_feed(l, text + i, k), 0);
		}
		cr_assert_eq(gate_lines_end(l), 0);
		cr_expect_eq(gate_lines_stats(l)->dropped, 1);
		cr_expect_eq(gate_lines_stats(l)->lines, 2);
		cr_expect_lt(s.len, GATE_LINE_MAX + 100);
		cr_expect_not_null(strstr(s.data, "x|cut|2 0 uj -1 next|"));
		gate_lines_free(l);
		gate_str_done(&s);
	}
	free(text);
}

static int stop_at_second(void *ctx, const struct gate_line *line)
{
	(void)ctx;
	return line->number == 2 ? -7 : 0;
}

Test(lines, stops_when_told_to)
{
	struct gate_lines *l = gate_lines_new(stop_at_second, NULL);

	cr_expect_eq(gate_lines_feed(l, "a\nb", 3), 0);
	cr_expect_eq(gate_lines_feed(l, "b\nc\n", 4), -7);
	gate_lines_free(l);
}

Test(lines, gives_the_same_for_any_pieces)
{
	static const size_t pieces[] = {1, 2, 3, 61, 4096};
	glob_t files;
	size_t i, k, len;

	cr_assert_eq(glob(GATE_FIXTURES "/logs/*.log", 0, NULL, &files), 0);
	cr_assert_gt(files.gl_pathc, 40);
	for (i = 0; i < files.gl_pathc; i++) {
		struct gate_error err;
		char *text, *whole, *got;

		cr_assert_eq(gate_fs_read(files.gl_pathv[i], 1 << 24, &text,
					  &len, &err),
			     0);
		whole = read_in_pieces(text, len, len + 1);
		for (k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
			got = read_in_pieces(text, len, pieces[k]);
			cr_expect(!strcmp(got, whole), "%s in pieces of %zu",
				  files.gl_pathv[i], pieces[k]);
			free(got);
		}
		free(whole);
		free(text);
	}
	globfree(&files);
}
