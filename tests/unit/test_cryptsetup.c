#include "unit/parsing.h"

static const struct gate_sample *row(const struct parsed *p, const char *name)
{
	return row_at(p, "cryptsetup", name, 0);
}

Test(cryptsetup, reads_both_directions_and_key_derivation)
{
	struct parsed p = parse_fixture(
		"cryptsetup_benchmark_argon_collapsed_spaces.log");
	const struct gate_sample *s;

	cr_expect_eq(p.set->n, 29);
	s = row(&p, "PBKDF2-sha1/hash");
	cr_expect_eq(s->value, 384375);
	cr_expect_eq(s->unit, GATE_UNIT_OP_PER_S);
	cr_expect_eq(s->resolution, 1);
	s = row(&p, "aes-xts/encrypt/key=512");
	cr_expect_eq(s->value, 349.5 * 1048576);
	cr_expect_eq(s->unit, GATE_UNIT_B_PER_S);
	cr_expect_eq(s->resolution, 104857.6);
	cr_expect_eq(s->better, GATE_HIGHER);
	cr_expect_eq(row(&p, "aes-xts/decrypt/key=512")->value,
		     356.6 * 1048576);
	cr_expect_eq(p.stats.unparsed, 0);
	parsed_done(&p);
}

Test(cryptsetup, skips_what_the_kernel_lacks)
{
	struct parsed p =
		parse_text("cryptsetup", "PBKDF2-whirlpool          N/A\n"
					 "    serpent-xts        512b         "
					 "N/A         N/A\n");

	cr_expect_eq(p.set->n, 3);
	cr_expect_eq(count_status(&p, "cryptsetup", GATE_SAMPLE_SKIPPED), 3);
	cr_expect_str_eq(row(&p, "serpent-xts/decrypt/key=512")->message,
			 "not available");
	parsed_done(&p);
}

Test(cryptsetup, makes_no_value_of_a_cut_number)
{
	struct parsed p =
		parse_text("cryptsetup", "aes-xts 512b 349.5 MiB/s 35");

	cr_expect_eq(p.set->n, 2);
	cr_expect_eq(row(&p, "aes-xts/decrypt/key=512")->status,
		     GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
	p = parse_text("cryptsetup", "PBKDF2-sha1 3843");
	cr_expect_eq(row(&p, "PBKDF2-sha1/hash")->status,
		     GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
}

Test(cryptsetup, takes_nothing_from_prose)
{
	struct parsed p = parse_text("cryptsetup",
				     "# aes-xts 512b 349.5 MiB/s 356.6 MiB/s\n"
				     "PBKDF2-sha1 is slow\n"
				     "dm-crypt 5.10 was 350 MiB/s\n"
				     "aes-xts 512bits 1 MiB/s 2 MiB/s\n"
				     "argon2i 4 iterations, 748334 memory\n");

	cr_expect_eq(p.set->n, 0);
	parsed_done(&p);
}
