#include "unit/parsing.h"

#define TYPE "type             16 bytes     64 bytes   1024 bytes\n"

static void expect_row(const struct parsed *p, const char *row,
		       enum gate_unit unit, double value, double resolution)
{
	const struct gate_sample *s = row_at(p, "openssl", row, 0);

	cr_expect_eq(s->status, GATE_SAMPLE_OK);
	cr_expect_eq(s->unit, unit);
	cr_expect_eq(s->better, GATE_HIGHER);
	cr_expect_eq(s->value, value, "%s is %.17g", row, s->value);
	cr_expect_eq(s->resolution, resolution);
}

Test(openssl, reads_a_table_in_thousands_of_bytes)
{
	struct parsed p = parse_fixture("local_openssl_speed_evp_gcm.log");

	cr_expect_eq(p.set->n, 1);
	expect_row(&p, "AES-256-GCM/block=1024", GATE_UNIT_B_PER_S, 1721465600,
		   10);
	parsed_done(&p);
	p = parse_text("openssl",
		       TYPE "sha256  273751.41k 654760.75k 1297437.27k\n"
			    "aes-128 cbc   1.00k   2.00k  3.00k\n");
	cr_expect_eq(p.set->n, 6);
	expect_row(&p, "sha256/block=64", GATE_UNIT_B_PER_S, 654760750, 10);
	expect_row(&p, "aes-128 cbc/block=1024", GATE_UNIT_B_PER_S, 3000, 10);
	parsed_done(&p);
}

Test(openssl, reads_public_keys_of_every_kind)
{
	struct parsed p = parse_fixture("local_openssl_speed_keys.log");

	cr_expect_eq(p.set->n, 8);
	expect_row(&p, "rsa 2048 bits/sign", GATE_UNIT_OP_PER_S, 3944, 0.1);
	expect_row(&p, "rsa 2048 bits/verify", GATE_UNIT_OP_PER_S, 61636, 0.1);
	expect_row(&p, "256 bits ecdsa (nistp256)/verify", GATE_UNIT_OP_PER_S,
		   16895.8, 0.1);
	expect_row(&p, "253 bits ecdh (X25519)/op", GATE_UNIT_OP_PER_S, 31336.4,
		   0.1);
	expect_row(&p, "2048 bits ffdh/op", GATE_UNIT_OP_PER_S, 3634.6, 0.1);
	parsed_done(&p);
	/* 3.2 and later */
	p = parse_text(
		"openssl",
		"                               keygen    encaps    decaps "
		"keygens/s  encaps/s  decaps/s\n"
		"                     X25519 0.000018s 0.000061s 0.000043s   "
		"55555.1   16393.2   23255.3\n");
	cr_expect_eq(p.set->n, 3);
	expect_row(&p, "X25519/encaps", GATE_UNIT_OP_PER_S, 16393.2, 0.1);
	parsed_done(&p);
}

Test(openssl, reads_machine_readable_output)
{
	struct parsed p = parse_fixture("local_openssl_speed_mr.log");

	cr_expect_eq(p.set->n, 8);
	expect_row(&p, "AES-128-GCM/block=1024", GATE_UNIT_B_PER_S, 1781526400,
		   0.01);
	expect_row(&p, "rsa 2048 bits/sign", GATE_UNIT_OP_PER_S, 4003.448276,
		   1e-6);
	expect_row(&p, "EdDSA 253 bits (Ed25519)/verify", GATE_UNIT_OP_PER_S,
		   9386.956522, 1e-6);
	parsed_done(&p);
	p = parse_text("openssl", "+H:16:64\n+F:25:AES-128-GCM:5.5:7.25\n");
	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "AES-128-GCM/block=64", GATE_UNIT_B_PER_S, 7.25, 0.01);
	parsed_done(&p);
}

Test(openssl, makes_no_value_of_a_cut_row)
{
	struct parsed p = parse_text("openssl", TYPE "sha256  273751.41k 6547");

	cr_expect_eq(p.set->n, 2);
	expect_row(&p, "sha256/block=16", GATE_UNIT_B_PER_S, 273751410, 10);
	cr_expect_eq(row_at(&p, "openssl", "sha256/block=64", 0)->status,
		     GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
	p = parse_text("openssl", "sign verify sign/s verify/s\n"
				  "rsa 2048 bits 0.1s 0.1s 4131.4 604");
	cr_expect_eq(row_at(&p, "openssl", "rsa 2048 bits/verify", 0)->status,
		     GATE_SAMPLE_INCOMPLETE);
	parsed_done(&p);
	p = parse_text("openssl", "+H:16:64\n+F:25:AES-128-GCM:5.5:7.2");
	cr_expect_eq(p.stats.complete, 1);
	parsed_done(&p);
}

Test(openssl, takes_nothing_from_elsewhere)
{
	struct parsed p = parse_text(
		"openssl",
		"sha256  273751.41k 654760.75k 1297437.27k\n"
		"type this command\nDoing sha256 for 3s on 16 size blocks: "
		"51328389 sha256's in 3.00s\n" TYPE "we saw 10k and 20k\n"
		"+foo\n+F:1:a:5\n+F2:1:2048:0.000242:0.000017\n");

	cr_expect_eq(p.set->n, 0);
	/* The seconds of 1.0 are told, not guessed. */
	cr_expect_eq(p.stats.unparsed, 1);
	parsed_done(&p);
}
