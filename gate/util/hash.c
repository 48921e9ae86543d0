#include "gate/util/hash.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha256.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"

struct gate_hash {
	SHA2_CTX ctx;
};

struct gate_hash *gate_hash_new(void)
{
	struct gate_hash *h = gate_alloc(sizeof *h);

	SHA256Init(&h->ctx);
	return h;
}

void gate_hash_add(struct gate_hash *h, const void *data, size_t len)
{
	uint64_t n = len;

	SHA256Update(&h->ctx, (const uint8_t *)&n, sizeof n);
	SHA256Update(&h->ctx, data, len);
}

void gate_hash_text(struct gate_hash *h, const char *s)
{
	gate_hash_add(h, s, strlen(s));
}

int gate_hash_file(struct gate_hash *h, const char *path,
		   struct gate_error *err)
{
	char digest[GATE_HASH_HEX];

	if (gate_fs_check_regular(path, err))
		return err->status;
	if (!SHA256File(path, digest))
		return gate_error_sys(err, errno, "%s", path);
	gate_hash_text(h, digest);
	return GATE_OK;
}

void gate_hash_end(struct gate_hash *h, char hex[GATE_HASH_HEX])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	size_t i;

	SHA256Final(digest, &h->ctx);
	for (i = 0; i < sizeof digest; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	free(h);
}
