#include "gate/runners/modes.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"

/* do_test() of crypto/tcrypt.c in 5.10, 6.1, 6.12 and 7.2. */
static const struct {
	unsigned mode;
	const char *algs;
} modes[] = {
	{200, "ecb(aes) cbc(aes) lrw(aes) xts(aes) cts(cbc(aes)) ctr(aes) "
	      "cfb(aes)"},
	{201, "ecb(des3_ede) cbc(des3_ede) ctr(des3_ede)"},
	{202, "ecb(twofish) cbc(twofish) ctr(twofish) lrw(twofish) "
	      "xts(twofish)"},
	{203, "ecb(blowfish) cbc(blowfish) ctr(blowfish)"},
	{204, "ecb(des) cbc(des)"},
	{205, "ecb(camellia) cbc(camellia) ctr(camellia) lrw(camellia) "
	      "xts(camellia)"},
	{206, "salsa20"},
	{207, "ecb(serpent) cbc(serpent) ctr(serpent) lrw(serpent) "
	      "xts(serpent)"},
	{208, "ecb(arc4)"},
	{209, "ecb(cast5) cbc(cast5) ctr(cast5)"},
	{210, "ecb(cast6) cbc(cast6) ctr(cast6) lrw(cast6) xts(cast6)"},
	{211, "rfc4106(gcm(aes)) gcm(aes)"},
	{212, "rfc4309(ccm(aes))"},
	{213, "rfc7539esp(chacha20,poly1305)"},
	{214, "chacha20"},
	{215, "rfc4106(gcm(aes)) gcm(aes)"},
	{216, "rfc4309(ccm(aes))"},
	{217, "rfc7539esp(chacha20,poly1305)"},
	{218, "ecb(sm4) cbc(sm4) cts(cbc(sm4)) ctr(sm4) cfb(sm4) xts(sm4)"},
	{219, "adiantum(xchacha12,aes) adiantum(xchacha20,aes)"},
	{220, "essiv(cbc(aes),sha256)"},
	{221, "aegis128"},
	{222, "gcm(sm4)"},
	{223, "rfc4309(ccm(sm4))"},
	{224, "gcm(sm4)"},
	{225, "rfc4309(ccm(sm4))"},
	{226, "hctr2(aes)"},
	{227, "ecb(aria) cbc(aria) ctr(aria) cfb(aria)"},
	{228, "gcm(aria)"},
	{229, "gcm(aria)"},
	{301, "md4"},
	{302, "md5"},
	{303, "sha1"},
	{304, "sha256"},
	{305, "sha384"},
	{306, "sha512"},
	{307, "wp256"},
	{308, "wp384"},
	{309, "wp512"},
	{310, "tgr128"},
	{311, "tgr160"},
	{312, "tgr192"},
	{313, "sha224"},
	{314, "xxhash64 rmd128"},
	{315, "rmd160"},
	{316, "rmd256"},
	{317, "blake2b-512 rmd320"},
	{318, "ghash"},
	{319, "crc32c"},
	{320, "crct10dif"},
	{321, "poly1305"},
	{322, "sha3-224"},
	{323, "sha3-256"},
	{324, "sha3-384"},
	{325, "sha3-512"},
	{326, "sm3"},
	{327, "streebog256"},
	{328, "streebog512"},
	{329, "crc64"},
	{401, "md4"},
	{402, "md5"},
	{403, "sha1"},
	{404, "sha256"},
	{405, "sha384"},
	{406, "sha512"},
	{407, "wp256"},
	{408, "wp384"},
	{409, "wp512"},
	{410, "tgr128"},
	{411, "tgr160"},
	{412, "tgr192"},
	{413, "sha224"},
	{414, "xxhash64 rmd128"},
	{415, "rmd160"},
	{416, "rmd256"},
	{417, "blake2b-512 rmd320"},
	{418, "sha3-224"},
	{419, "sha3-256"},
	{420, "sha3-384"},
	{421, "sha3-512"},
	{422, "sm3 sha1"},
	{423, "sha256"},
	{424, "sha512"},
	{425, "sm3"},
	{426, "streebog256"},
	{427, "streebog512"},
	{500, "ecb(aes) cbc(aes) lrw(aes) xts(aes) cts(cbc(aes)) ctr(aes) "
	      "cfb(aes) ofb(aes) rfc3686(ctr(aes))"},
	{501, "ecb(des3_ede) cbc(des3_ede) cfb(des3_ede) ofb(des3_ede)"},
	{502, "ecb(des) cbc(des) cfb(des) ofb(des)"},
	{503, "ecb(serpent) cbc(serpent) ctr(serpent) lrw(serpent) "
	      "xts(serpent)"},
	{504, "ecb(twofish) cbc(twofish) ctr(twofish) lrw(twofish) "
	      "xts(twofish)"},
	{505, "ecb(arc4)"},
	{506, "ecb(cast5) cbc(cast5) ctr(cast5)"},
	{507, "ecb(cast6) cbc(cast6) ctr(cast6) lrw(cast6) xts(cast6)"},
	{508, "ecb(camellia) cbc(camellia) ctr(camellia) lrw(camellia) "
	      "xts(camellia)"},
	{509, "ecb(blowfish) cbc(blowfish) ctr(blowfish)"},
	{518, "ecb(sm4) cbc(sm4) ctr(sm4) cfb(sm4) xts(sm4)"},
	{519, "ecb(aria) cbc(aria) ctr(aria) cfb(aria)"},
	{600, "ecb(aes) cbc(aes) lrw(aes) xts(aes) cts(cbc(aes)) ctr(aes) "
	      "cfb(aes) ofb(aes) rfc3686(ctr(aes))"},
	{601, "ecb(des3_ede) cbc(des3_ede) cfb(des3_ede) ofb(des3_ede)"},
	{602, "ecb(des) cbc(des) cfb(des) ofb(des)"},
	{603, "ecb(serpent) cbc(serpent) ctr(serpent) lrw(serpent) "
	      "xts(serpent)"},
	{604, "ecb(twofish) cbc(twofish) ctr(twofish) lrw(twofish) "
	      "xts(twofish)"},
	{605, "ecb(arc4)"},
	{606, "ecb(cast5) cbc(cast5) ctr(cast5)"},
	{607, "ecb(cast6) cbc(cast6) ctr(cast6) lrw(cast6) xts(cast6)"},
	{608, "ecb(camellia) cbc(camellia) ctr(camellia) lrw(camellia) "
	      "xts(camellia)"},
	{609, "ecb(blowfish) cbc(blowfish) ctr(blowfish)"},
	{610, "ecb(aria) cbc(aria) ctr(aria) cfb(aria)"},
};

/* What a template looks up although its name does not say so. */
static const struct {
	const char *name;
	const char *needs;
} implied[] = {
	{"gcm", "ghash ctr"},
	{"ccm", "ctr cbcmac"},
	{"xts", "ecb"},
	{"lrw", "ecb"},
	{"adiantum", "nhpoly1305"},
	{"hctr2", "xctr polyval"},
};

struct walk {
	void (*each)(void *ctx, const char *name);
	void *ctx;
	size_t n;
};

static size_t words(struct walk *w, const char *text);

static void component(struct walk *w, const char *s, size_t len)
{
	char *name = gate_strndup(s, len);
	size_t i;

	w->each(w->ctx, name);
	w->n++;
	for (i = 0; i < sizeof implied / sizeof *implied; i++)
		if (strcmp(implied[i].name, name) == 0)
			words(w, implied[i].needs);
	free(name);
}

static size_t words(struct walk *w, const char *text)
{
	static const char separators[] = " (),";
	size_t len;

	for (text += strspn(text, separators); *text;
	     text += strspn(text, separators)) {
		len = strcspn(text, separators);
		component(w, text, len);
		text += len;
	}
	return w->n;
}

/* 300 and 400 run every hash of their hundred. */
static int covers(unsigned asked, unsigned mode)
{
	if (asked == 300 || asked == 400)
		return mode > asked && mode < asked + 100;
	return mode == asked;
}

size_t gate_modes_components(unsigned mode,
			     void (*each)(void *ctx, const char *name),
			     void *ctx)
{
	struct walk w = {each, ctx, 0};
	size_t i;

	for (i = 0; i < sizeof modes / sizeof *modes; i++)
		if (covers(mode, modes[i].mode))
			words(&w, modes[i].algs);
	return w.n;
}

size_t gate_modes_alg_components(const char *alg,
				 void (*each)(void *ctx, const char *name),
				 void *ctx)
{
	struct walk w = {each, ctx, 0};

	return words(&w, alg);
}
