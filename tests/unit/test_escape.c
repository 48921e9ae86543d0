#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "gate/util/text.h"

#define FFFD "\xef\xbf\xbd"
#define ZWSP "&#8203;"

typedef void escape_fn(struct gate_str *out, const char *s);

static void plain(struct gate_str *out, const char *s)
{
	gate_text_plain(out, s, strlen(s));
}

static void expect(escape_fn *fn, const char *in, const char *want)
{
	struct gate_str out = {0};

	fn(&out, in);
	cr_expect_str_eq(gate_str_text(&out), want, "\"%s\" became \"%s\"", in,
			 gate_str_text(&out));
	gate_str_done(&out);
}

Test(utf8, knows_the_length_of_each_sequence)
{
	cr_expect_eq(gate_text_utf8("a", 1), 1);
	cr_expect_eq(gate_text_utf8("\xc2\xb5", 2), 2);
	cr_expect_eq(gate_text_utf8("\xe2\x82\xac", 3), 3);
	cr_expect_eq(gate_text_utf8("\xf0\x9f\x8e\x89", 4), 4);
	cr_expect_eq(gate_text_utf8("\0", 1), 1);
	cr_expect_eq(gate_text_utf8("", 0), 0);
}

Test(utf8, refuses_what_is_cut_overlong_or_out_of_range)
{
	static const char *const bad[] = {
		"\x80",
		"\xc3",
		"\xc0\xaf",
		"\xe2\x82",
		"\xe0\x80\xaf",
		"\xed\xa0\x80",
		"\xf0\x80\x80\xaf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xc3(",
		"\xff",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect_eq(gate_text_utf8(bad[i], strlen(bad[i])), 0, "%zu",
			     i);
}

Test(plain, keeps_text_of_every_script)
{
	expect(plain,
	       "cbc(aes)/key=128 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x8e\x89",
	       "cbc(aes)/key=128 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x8e\x89");
}

Test(plain, replaces_controls_of_both_sets_and_line_ends)
{
	expect(plain, "a\033[31mb", "a" FFFD "[31mb");
	expect(plain, "a\nb\r\tc\x7f", "a" FFFD "b" FFFD FFFD "c" FFFD);
	expect(plain,
	       "a\xc2\x9b"
	       "1mb",
	       "a" FFFD "1mb");
}

Test(plain, replaces_nul_bytes_within_the_length)
{
	struct gate_str out = {0};

	gate_text_plain(&out, "a\0b", 3);
	cr_expect_str_eq(gate_str_text(&out), "a" FFFD "b");
	gate_str_done(&out);
}

Test(plain, replaces_each_byte_that_is_no_utf8)
{
	expect(plain,
	       "\xff\xfe"
	       "a\xc3",
	       FFFD FFFD "a" FFFD);
}

Test(plain, replaces_what_hides_or_turns_the_text_around_it)
{
	expect(plain,
	       "a\xe2\x80\xae"
	       "b",
	       "a" FFFD "b"); /* U+202E */
	expect(plain,
	       "a\xe2\x80\x8b"
	       "b",
	       "a" FFFD "b"); /* U+200B */
	expect(plain,
	       "a\xe2\x81\xa6"
	       "b",
	       "a" FFFD "b"); /* U+2066 */
	expect(plain,
	       "a\xe2\x80\xa8"
	       "b",
	       "a" FFFD "b"); /* U+2028 */
	expect(plain,
	       "\xef\xbb\xbf"
	       "b",
	       FFFD "b"); /* U+FEFF */
	expect(plain,
	       "a\xc2\xad"
	       "b",
	       "a" FFFD "b");                /* U+00AD */
	expect(plain, "\xef\xbf\xbf", FFFD); /* U+FFFF */
}

Test(code, fences_longer_than_any_backtick_inside)
{
	expect(gate_text_markdown_code, "cbc(aes)", "`cbc(aes)`");
	expect(gate_text_markdown_code, "a`b", "``a`b``");
	expect(gate_text_markdown_code, "a``b`c", "```a``b`c```");
}

Test(code, keeps_backticks_at_the_edges_off_the_fence)
{
	expect(gate_text_markdown_code, "`a", "`` `a ``");
	expect(gate_text_markdown_code, "a`", "`` a` ``");
	expect(gate_text_markdown_code, "`", "`` ` ``");
	expect(gate_text_markdown_code, " a ", "`  a  `");
}

Test(code, escapes_pipes_for_tables)
{
	expect(gate_text_markdown_code, "a|b", "`a\\|b`");
}

Test(code, leaves_mentions_and_comments_to_the_span_that_stops_them)
{
	expect(gate_text_markdown_code, "@a #1 /merge <!-- x -->",
	       "`@a #1 /merge <!-- x -->`");
}

Test(code, makes_a_span_of_nothing)
{
	expect(gate_text_markdown_code, "", "` `");
}

Test(code, cannot_be_ended_by_a_line_end)
{
	expect(gate_text_markdown_code, "a\n\n# b", "`a" FFFD FFFD "# b`");
}

Test(markdown, leaves_ordinary_sentences_alone)
{
	static const char text[] = "7 of 279 rows slower, worst tcrypt/gcm(aes)"
				   "/encrypt/key=128/block=16: 1.5 % more";

	expect(gate_text_markdown, text, text);
}

Test(markdown, escapes_markup)
{
	expect(gate_text_markdown, "a*b_c`d", "a\\*b\\_c\\`d");
	expect(gate_text_markdown, "[x](y) ![z]", "\\[x\\](y) \\!\\[z\\]");
	expect(gate_text_markdown, "a|b ~~c~~ \\",
	       "a\\|b \\~\\~" ZWSP "c\\~\\~ \\\\");
}

Test(markdown, makes_html_and_comments_text)
{
	expect(gate_text_markdown, "<!-- x --><b>&amp;",
	       "&lt;\\!-- x \\--&gt;&lt;b&gt;&amp;" ZWSP "amp;");
}

Test(markdown, breaks_mentions_and_references_for_good)
{
	expect(gate_text_markdown, "@name", "\\@" ZWSP "name");
	expect(gate_text_markdown, "#12 a/b#3",
	       "\\#" ZWSP "12 a/b\\#" ZWSP "3");
	expect(gate_text_markdown, "!5 $6 ~bug %7",
	       "\\!" ZWSP "5 &#36;" ZWSP "6 \\~" ZWSP "bug %" ZWSP "7");
	expect(gate_text_markdown, "GH-12 gh-12 aes-128",
	       "GH-" ZWSP "12 gh-" ZWSP "12 aes-128");
	expect(gate_text_markdown, ":rocket:", "\\:" ZWSP "rocket:");
}

Test(markdown, breaks_links)
{
	expect(gate_text_markdown, "https://x.y/z", "https:" ZWSP "//x.y/z");
	expect(gate_text_markdown, "www.x.y", "www" ZWSP ".x.y");
	expect(gate_text_markdown, "a@b.c", "a\\@" ZWSP "b.c");
}

Test(markdown, takes_quick_actions_their_slash)
{
	expect(gate_text_markdown, "/merge", "\\/merge");
	expect(gate_text_markdown, "a /close", "a \\/close");
	expect(gate_text_markdown, "a\n/close", "a" FFFD "/close");
}

Test(markdown, begins_no_block)
{
	expect(gate_text_markdown, "# a", "\\# a");
	expect(gate_text_markdown, "- a", "\\- a");
	expect(gate_text_markdown, "+ a", "\\+ a");
	expect(gate_text_markdown, "    a", "a");
	expect(gate_text_markdown, "1. a", "1\\. a");
	expect(gate_text_markdown, "12) a", "12\\) a");
	expect(gate_text_markdown, "=== a", "\\=== a");
}

Test(columns, counts_code_points)
{
	cr_expect_eq(gate_text_columns(""), 0);
	cr_expect_eq(gate_text_columns("abc"), 3);
	cr_expect_eq(gate_text_columns("\xe2\x82\xac"
				       "a"),
		     2);
}
