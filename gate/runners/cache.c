#include "gate/runners/cache.h"

#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"

/*
 * An entry is one line, "gate-round/2 SHA256", and then the log; the hash is of
 * the key and the log, so that an entry that is half-written, edited or under
 * another's name gives itself away.
 */
static const char magic[] = "gate-round/2 ";

enum {
	MAGIC_LEN = sizeof magic - 1,
	HEAD_LEN = MAGIC_LEN + GATE_HASH_HEX, /* with the newline */
	ENTRY_MAX = 128 << 20
};

static char *folder(void)
{
	char *cache = gate_fs_cache_dir();
	char *path = gate_fs_join(cache, "rounds");

	free(cache);
	return path;
}

static char *entry_path(const char *key)
{
	char *dir = folder();
	char *path = gate_fs_join(dir, key);

	free(dir);
	return path;
}

static void digest(const char *key, const char *log, size_t len,
		   char hex[GATE_HASH_HEX])
{
	struct gate_hash *h = gate_hash_new();

	gate_hash_text(h, key);
	gate_hash_add(h, log, len);
	gate_hash_end(h, hex);
}

static bool intact(const char *key, const char *entry, size_t len)
{
	char hex[GATE_HASH_HEX];

	if (len < HEAD_LEN || memcmp(entry, magic, MAGIC_LEN) != 0 ||
	    entry[HEAD_LEN - 1] != '\n')
		return false;
	digest(key, entry + HEAD_LEN, len - HEAD_LEN, hex);
	return memcmp(entry + MAGIC_LEN, hex, GATE_HASH_HEX - 1) == 0;
}

bool gate_cache_find(const char *key, char **ret, size_t *len)
{
	char *path = entry_path(key), *entry = NULL;
	struct gate_error ignored;
	size_t n;
	bool found = false;

	if (!gate_fs_exists(path) ||
	    gate_fs_read_regular(path, ENTRY_MAX, &entry, &n, &ignored) ||
	    !intact(key, entry, n)) {
		gate_fs_remove(path, &ignored);
		goto out;
	}
	found = true;
	*len = n - HEAD_LEN;
	*ret = gate_alloc(*len + 1);
	memcpy(*ret, entry + HEAD_LEN, *len);
out:
	free(entry);
	free(path);
	return found;
}

void gate_cache_store(const char *key, const char *log, size_t len)
{
	char *dir = folder(), *path = entry_path(key);
	struct gate_str entry = {0};
	struct gate_error ignored;
	char hex[GATE_HASH_HEX];

	digest(key, log, len, hex);
	gate_str_addf(&entry, "%s%s\n", magic, hex);
	gate_str_add(&entry, log, len);
	if (!gate_fs_mkdirs(dir, &ignored))
		gate_fs_write(path, entry.data, entry.len, &ignored);
	gate_str_done(&entry);
	free(path);
	free(dir);
}
