#include "gate/runners/kmod.h"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"

/* Far above real trees (Debian's full kernel has about 4000 modules, the
 * largest of 5 MB), far below what would hurt. */
enum {
	MODULES_MAX = 65536,
	MODULE_BYTES_MAX = 64 << 20,
	BUILTIN_BYTES_MAX = 4 << 20,
	NAME_LEN_MAX = 128,
	DEPTH_MAX = 64
};

struct gate_kmods {
	char *dir;
	struct gate_kmod *items; /* sorted by name, then path */
	size_t n, cap;
	char *builtin; /* text of modules.builtin; NULL: there is none */
};

static void words_add(struct gate_kmod_words *w, const char *s, size_t len)
{
	GATE_PUSH(w->items, w->n, w->cap, gate_strndup(s, len));
}

static void words_done(struct gate_kmod_words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		free(w->items[i]);
	free(w->items);
}

static void normalise(char *name)
{
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

void gate_kmod_list_done(struct gate_kmod_list *l)
{
	free(l->items);
	*l = (struct gate_kmod_list){0};
}

void gate_kmod_done(struct gate_kmod *m)
{
	free(m->name);
	free(m->path);
	words_done(&m->depends);
	words_done(&m->pre);
	words_done(&m->aliases);
	*m = (struct gate_kmod){0};
}

/* ---- what a file holds ---- */

static int decompress(const char *path, char **ret, size_t *len,
		      struct gate_error *err)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	struct gate_str s = {0};
	char buf[65536];
	la_ssize_t n = 0;
	int rc = GATE_OK;

	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	if (archive_read_open_filename(a, path, sizeof buf) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		n = -1;
	while (n >= 0 && (n = archive_read_data(a, buf, sizeof buf)) > 0) {
		if (s.len + (size_t)n > MODULE_BYTES_MAX) {
			rc = gate_error_set(err, GATE_ESYNTAX,
					    "%s: larger than %d bytes", path,
					    MODULE_BYTES_MAX);
			goto out;
		}
		gate_str_add(&s, buf, (size_t)n);
	}
	if (n < 0) {
		const char *why = archive_error_string(a);

		rc = gate_error_set(err, GATE_ESYNTAX,
				    "%s: cannot decompress: %s", path,
				    why ? why : "empty or damaged");
		goto out;
	}
	*len = s.len;
	*ret = gate_str_steal(&s);
out:
	gate_str_done(&s);
	archive_read_free(a);
	return rc;
}

int gate_kmod_load(const char *path, char **ret, size_t *len,
		   struct gate_error *err)
{
	size_t n = strlen(path);

	if (n >= 3 && strcmp(path + n - 3, ".ko") == 0)
		return gate_fs_read_regular(path, MODULE_BYTES_MAX, ret, len,
					    err);
	if (gate_fs_check_regular(path, err))
		return err->status;
	return decompress(path, ret, len, err);
}

/* ---- .modinfo ---- */

static bool has_prefix(const char *s, size_t len, const char *prefix,
		       const char **rest, size_t *rest_len)
{
	size_t n = strlen(prefix);

	if (len < n || memcmp(s, prefix, n) != 0)
		return false;
	*rest = s + n;
	*rest_len = len - n;
	return true;
}

/* Adds the non-empty words of s, separated by `sep`, to w. */
static void split(struct gate_kmod_words *w, const char *s, size_t len,
		  char sep)
{
	size_t i, start = 0;

	for (i = 0; i <= len; i++) {
		if (i < len && s[i] != sep)
			continue;
		if (i > start) {
			words_add(w, s + start, i - start);
			normalise(w->items[w->n - 1]);
		}
		start = i + 1;
	}
}

/* "pre: a b post: c": what comes before "post:" and is a name. */
static void split_softdep(struct gate_kmod_words *w, const char *s, size_t len)
{
	struct gate_kmod_words all = {0};
	bool pre = false;
	size_t i;

	split(&all, s, len, ' ');
	for (i = 0; i < all.n; i++) {
		const char *word = all.items[i];

		if (strcmp(word, "pre:") == 0)
			pre = true;
		else if (strcmp(word, "post:") == 0)
			pre = false;
		else if (pre)
			words_add(w, word, strlen(word));
	}
	words_done(&all);
}

static void read_modinfo(struct gate_kmod *m, const char *s, size_t len)
{
	const char *end, *value;
	size_t n, value_len;

	while (len > 0) {
		end = memchr(s, '\0', len);
		n = end ? (size_t)(end - s) : len;
		if (has_prefix(s, n, "depends=", &value, &value_len))
			split(&m->depends, value, value_len, ',');
		else if (has_prefix(s, n, "softdep=", &value, &value_len))
			split_softdep(&m->pre, value, value_len);
		else if (has_prefix(s, n, "alias=", &value, &value_len))
			words_add(&m->aliases, value, value_len);
		if (n == len)
			break;
		s += n + 1;
		len -= n + 1;
	}
}

/* Is offset..offset+size inside len bytes? */
static bool inside(uint64_t offset, uint64_t size, size_t len)
{
	return offset <= len && size <= len - offset;
}

static bool section_named(const char *image, const Elf64_Shdr *names,
			  const Elf64_Shdr *s, const char *name)
{
	size_t n = strlen(name) + 1;

	return inside(s->sh_name, n, names->sh_size) &&
	       memcmp(image + names->sh_offset + s->sh_name, name, n) == 0;
}

/* The section header, copied, since the image need not be aligned. */
static bool section(const char *image, size_t len, const Elf64_Ehdr *h,
		    unsigned index, Elf64_Shdr *ret)
{
	uint64_t offset = (uint64_t)index * sizeof *ret;

	if (index >= h->e_shnum || h->e_shoff > len ||
	    !inside(h->e_shoff + offset, sizeof *ret, len))
		return false;
	memcpy(ret, image + h->e_shoff + offset, sizeof *ret);
	return ret->sh_type == SHT_NOBITS ||
	       inside(ret->sh_offset, ret->sh_size, len);
}

int gate_kmod_parse(const char *path, const char *image, size_t len,
		    struct gate_kmod *m, struct gate_error *err)
{
	Elf64_Shdr names, s;
	Elf64_Ehdr h;
	unsigned i;

	if (len < sizeof h || memcmp(image, ELFMAG, SELFMAG) != 0)
		return gate_error_set(err, GATE_ESYNTAX, "%s: no ELF file",
				      path);
	memcpy(&h, image, sizeof h);
	if (h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL ||
	    h.e_shentsize != sizeof s)
		return gate_error_set(
			err, GATE_ESYNTAX,
			"%s: no module of a 64-bit little-endian kernel", path);
	if (!section(image, len, &h, h.e_shstrndx, &names) ||
	    names.sh_type != SHT_STRTAB)
		return gate_error_set(err, GATE_ESYNTAX,
				      "%s: damaged section table", path);
	for (i = 0; i < h.e_shnum; i++) {
		if (!section(image, len, &h, i, &s))
			return gate_error_set(err, GATE_ESYNTAX,
					      "%s: section %u lies outside "
					      "the file",
					      path, i);
		if (s.sh_type == SHT_NOBITS ||
		    !section_named(image, &names, &s, ".modinfo"))
			continue;
		read_modinfo(m, image + s.sh_offset, (size_t)s.sh_size);
		m->read = true;
		return GATE_OK;
	}
	return gate_error_set(err, GATE_ESYNTAX,
			      "%s: no .modinfo section, so no kernel module",
			      path);
}

static int read_module(struct gate_kmod *m, struct gate_error *err)
{
	char *image = NULL;
	size_t len = 0;
	int rc;

	if (m->read)
		return GATE_OK;
	rc = gate_kmod_load(m->path, &image, &len, err);
	if (rc)
		return rc;
	rc = gate_kmod_parse(m->path, image, len, m, err);
	free(image);
	return rc;
}

/* ---- the folder ---- */

/* The length of NAME in NAME.ko[.gz|.xz|.zst], or 0. Only names that are safe
 * in a path and in a script of the guest count. */
static size_t module_name_len(const char *file)
{
	static const char *const ends[] = {".ko", ".ko.gz", ".ko.xz", ".ko.zst",
					   NULL};
	size_t n = strspn(file, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	size_t i;

	if (n == 0 || n > NAME_LEN_MAX || file[0] == '-')
		return 0;
	for (i = 0; ends[i]; i++)
		if (strcmp(file + n, ends[i]) == 0)
			return n;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct gate_kmod *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : strcmp(x->path, y->path);
}

static int walk(struct gate_kmods *k, struct gate_error *err)
{
	char *paths[] = {k->dir, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
			    NULL);
	FTSENT *e;
	int rc = GATE_OK;

	if (!fts)
		return gate_error_sys(err, errno, "%s", k->dir);
	while (!rc && (errno = 0, e = fts_read(fts))) {
		size_t n =
			e->fts_info == FTS_F ? module_name_len(e->fts_name) : 0;
		struct gate_kmod m = {0};

		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR) {
			rc = gate_error_sys(err, e->fts_errno, "%s",
					    e->fts_path);
			break;
		}
		if (n == 0)
			continue;
		if (k->n == MODULES_MAX) {
			rc = gate_error_set(err, GATE_ERUN,
					    "%s: more than %d modules", k->dir,
					    MODULES_MAX);
			break;
		}
		m.name = gate_strndup(e->fts_name, n);
		normalise(m.name);
		m.path = gate_strdup(e->fts_path);
		GATE_PUSH(k->items, k->n, k->cap, m);
	}
	if (!rc && errno)
		rc = gate_error_sys(err, errno, "%s", k->dir);
	fts_close(fts);
	return rc;
}

static int read_builtin(struct gate_kmods *k, struct gate_error *err)
{
	char *path = gate_fs_join(k->dir, "modules.builtin");
	int rc = GATE_OK;

	if (gate_fs_exists(path))
		rc = gate_fs_read_regular(path, BUILTIN_BYTES_MAX, &k->builtin,
					  NULL, err);
	free(path);
	return rc;
}

int gate_kmods_open(const char *dir, struct gate_kmods **ret,
		    struct gate_error *err)
{
	struct gate_kmods *k = gate_alloc(sizeof *k);
	int rc;

	k->dir = gate_strdup(dir);
	rc = walk(k, err);
	if (!rc)
		rc = read_builtin(k, err);
	if (!rc && k->n == 0)
		rc = gate_error_set(err, GATE_ERUN,
				    "%s: no kernel modules (NAME.ko) in it",
				    dir);
	if (rc) {
		gate_kmods_free(k);
		return rc;
	}
	qsort(k->items, k->n, sizeof *k->items, by_name);
	*ret = k;
	return GATE_OK;
}

void gate_kmods_free(struct gate_kmods *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->n; i++)
		gate_kmod_done(&k->items[i]);
	free(k->items);
	free(k->builtin);
	free(k->dir);
	free(k);
}

/* ---- questions ---- */

/* Equal when '-' and '_' are the same. */
static bool same_name(const char *a, const char *b, size_t b_len)
{
	size_t i;

	for (i = 0; i < b_len; i++) {
		char x = a[i] == '-' ? '_' : a[i];
		char y = b[i] == '-' ? '_' : b[i];

		if (x != y || x == '\0')
			return false;
	}
	return a[b_len] == '\0';
}

bool gate_kmods_builtin(const struct gate_kmods *k, const char *name)
{
	const char *line = k->builtin, *end, *base;

	for (; line && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		base = memrchr(line, '/', (size_t)(end - line));
		base = base ? base + 1 : line;
		if (end - base > 3 && memcmp(end - 3, ".ko", 3) == 0 &&
		    same_name(name, base, (size_t)(end - base) - 3))
			return true;
	}
	return false;
}

static struct gate_kmod *find(const struct gate_kmods *k, const char *name)
{
	size_t i;

	/* A linear search: a job asks for some thirty of some thousand. */
	for (i = 0; i < k->n; i++)
		if (same_name(name, k->items[i].name, strlen(k->items[i].name)))
			return &k->items[i];
	return NULL;
}

bool gate_kmods_has(const struct gate_kmods *k, const char *name)
{
	return find(k, name) != NULL;
}

static int unknown(const struct gate_kmods *k, const char *name,
		   struct gate_error *err)
{
	const char **names = gate_calloc(k->n + 1, sizeof *names);
	const char *near;
	size_t i;
	int rc;

	for (i = 0; i < k->n; i++)
		names[i] = k->items[i].name;
	near = gate_str_nearest(name, names);
	rc = gate_error_set(err, GATE_ERUN, "no module \"%s\" below %s%s%s%s",
			    name, k->dir, near ? "; did you mean \"" : "",
			    near ? near : "", near ? "\"?" : "");
	free(names);
	return rc;
}

static bool listed(const struct gate_kmod_list *list, const struct gate_kmod *m)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->items[i] == m)
			return true;
	return false;
}

static int add(struct gate_kmods *k, struct gate_kmod *m, unsigned depth,
	       struct gate_kmod_list *list, struct gate_error *err);

/* What must be loaded before m. */
static int add_needs(struct gate_kmods *k, struct gate_kmod *m, unsigned depth,
		     struct gate_kmod_list *list, struct gate_error *err)
{
	struct gate_kmod *d;
	size_t i;
	int rc = GATE_OK;

	for (i = 0; !rc && i < m->pre.n; i++) {
		d = find(k, m->pre.items[i]);
		if (d && !d->open)
			rc = add(k, d, depth + 1, list, err);
	}
	for (i = 0; !rc && i < m->depends.n; i++) {
		d = find(k, m->depends.items[i]);
		if (d)
			rc = add(k, d, depth + 1, list, err);
		else if (!gate_kmods_builtin(k, m->depends.items[i]))
			rc = unknown(k, m->depends.items[i], err);
	}
	return rc;
}

static int add(struct gate_kmods *k, struct gate_kmod *m, unsigned depth,
	       struct gate_kmod_list *list, struct gate_error *err)
{
	int rc;

	if (listed(list, m))
		return GATE_OK;
	if (m->open || depth > DEPTH_MAX)
		return gate_error_set(err, GATE_ERUN,
				      "module %s depends on itself, or too "
				      "deeply",
				      m->name);
	rc = read_module(m, err);
	if (rc)
		return rc;
	m->open = true;
	rc = add_needs(k, m, depth, list, err);
	m->open = false;
	if (rc)
		return gate_error_prefix(err, "module %s: ", m->name);
	GATE_PUSH(list->items, list->n, list->cap, m);
	return GATE_OK;
}

int gate_kmods_add(struct gate_kmods *k, const char *name,
		   struct gate_kmod_list *list, struct gate_error *err)
{
	struct gate_kmod *m = find(k, name);

	if (m)
		return add(k, m, 0, list, err);
	if (gate_kmods_builtin(k, name))
		return GATE_OK;
	return unknown(k, name, err);
}

/*
 * Where software implementations of algorithms live. Reading the aliases of
 * all modules would mean decompressing a hundred megabytes for a few dozen; and
 * drivers of hardware that the guest does not have cannot be measured.
 */
static bool may_offer(const struct gate_kmods *k, const struct gate_kmod *m)
{
	const char *below = m->path + strlen(k->dir);

	below += strspn(below, "/");
	if (!gate_str_starts(below, "kernel/"))
		return true; /* extra/, updates/ */
	if (gate_str_starts(below, "kernel/drivers/"))
		return false;
	return gate_str_starts(below, "kernel/lib/") ||
	       strstr(below, "/crypto/") != NULL;
}

int gate_kmods_add_alias(struct gate_kmods *k, const char *alias,
			 struct gate_kmod_list *list, struct gate_error *err)
{
	size_t i, j;
	int rc = GATE_OK;

	for (i = 0; !rc && i < k->n; i++) {
		struct gate_kmod *m = &k->items[i];

		if (!may_offer(k, m))
			continue;
		rc = read_module(m, err);
		for (j = 0; !rc && j < m->aliases.n; j++) {
			if (strcmp(m->aliases.items[j], alias) != 0)
				continue;
			rc = add(k, m, 0, list, err);
			break;
		}
	}
	return rc;
}
