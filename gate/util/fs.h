/*
 * Files and folders: whole reads with a ceiling, atomic writes, trees.
 */
#ifndef GATE_UTIL_FS_H
#define GATE_UTIL_FS_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/util/error.h"

/* dir/name, or name when it is absolute or dir is empty. Caller frees. */
char *gate_fs_join(const char *dir, const char *name);
bool gate_fs_exists(const char *path);
bool gate_fs_is_dir(const char *path);
/* Nothing is there, or an empty folder. */
bool gate_fs_vacant(const char *path);

/*
 * The whole file, NUL-terminated; "-" is standard input. More than `max` bytes
 * is GATE_ESYNTAX, a file that cannot be read GATE_ESYS. *ret is the caller's
 * to free; *len may be NULL.
 */
int gate_fs_read(const char *path, size_t max, char **ret, size_t *len,
		 struct gate_error *err);
/* The same of a regular file only, not through a symbolic link: for files in
 * places where programs under test can put something else, like a FIFO that
 * would be waited for without end. Anything else is GATE_ESYNTAX. */
int gate_fs_read_regular(const char *path, size_t max, char **ret, size_t *len,
			 struct gate_error *err);
/* GATE_ESYNTAX when path, or what it links to, is no regular file. */
int gate_fs_check_regular(const char *path, struct gate_error *err);
/* At most the first `max` bytes of a file; caller frees *ret. */
int gate_fs_read_head(const char *path, size_t max, char **ret, size_t *len,
		      struct gate_error *err);
/* Through a temporary file beside it, synced and renamed: readers see the old
 * bytes or the new ones. "-" writes to standard output; a device or a pipe is
 * written to as it is. */
int gate_fs_write(const char *path, const char *data, size_t len,
		  struct gate_error *err);

int gate_fs_mkdirs(const char *path, struct gate_error *err);
/* Removes a file or a whole tree without following symbolic links; a path
 * that does not exist is no error. */
int gate_fs_remove(const char *path, struct gate_error *err);
/* A new private folder below $TMPDIR or /tmp. Caller frees and removes. */
int gate_fs_mkdtemp(const char *prefix, char **ret, struct gate_error *err);

/*
 * Where gate keeps what it may lose: $GATE_CACHE, else $XDG_CACHE_HOME/gate,
 * else ~/.cache/gate. Caller frees.
 */
char *gate_fs_cache_dir(void);

/* Removes everything below `dir` that matches `pattern` (glob(3)). */
int gate_fs_remove_glob(const char *dir, const char *pattern,
			struct gate_error *err);
/*
 * The one path below `dir` that matches `pattern` (glob(3)). None, or several,
 * is GATE_ERUN with the pattern and what was found. Caller frees *ret.
 */
int gate_fs_glob_one(const char *dir, const char *pattern, char **ret,
		     struct gate_error *err);

#endif
