#include "gate/util/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/util/mem.h"
#include "gate/util/str.h"

char *gate_fs_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (!n || name[0] == '/')
		return gate_strdup(name);
	return gate_asprintf("%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
}

bool gate_fs_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool gate_fs_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool gate_fs_vacant(const char *path)
{
	struct dirent *e;
	bool vacant = true;
	DIR *d = opendir(path);

	if (!d)
		return errno == ENOENT;
	while (vacant && (e = readdir(d)))
		vacant = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(d);
	return vacant;
}

static int read_all(int fd, const char *path, size_t max, struct gate_str *s,
		    struct gate_error *err)
{
	char buf[65536];
	ssize_t n;

	for (;;) {
		n = read(fd, buf, sizeof buf);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gate_error_sys(err, errno, "%s", path);
		if (n == 0)
			return GATE_OK;
		if (s->len + (size_t)n > max)
			return gate_error_set(err, GATE_ESYNTAX,
					      "%s: larger than %zu bytes", path,
					      max);
		gate_str_add(s, buf, (size_t)n);
	}
}

int gate_fs_read(const char *path, size_t max, char **ret, size_t *len,
		 struct gate_error *err)
{
	struct gate_str s = {0};
	bool standard = strcmp(path, "-") == 0;
	int fd, rc;

	fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return gate_error_sys(err, errno, "%s", path);
	rc = read_all(fd, standard ? "standard input" : path, max, &s, err);
	if (!standard)
		close(fd);
	if (rc) {
		gate_str_done(&s);
		return rc;
	}
	if (len)
		*len = s.len;
	*ret = gate_str_steal(&s);
	return GATE_OK;
}

int gate_fs_read_regular(const char *path, size_t max, char **ret, size_t *len,
			 struct gate_error *err)
{
	/* O_NONBLOCK: to open a FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct gate_str s = {0};
	struct stat st;
	int rc;

	if (fd < 0)
		return gate_error_sys(err, errno, "%s", path);
	if (fstat(fd, &st))
		rc = gate_error_sys(err, errno, "%s", path);
	else if (!S_ISREG(st.st_mode))
		rc = gate_error_set(err, GATE_ESYNTAX, "%s: not a regular file",
				    path);
	else
		rc = read_all(fd, path, max, &s, err);
	close(fd);
	if (rc) {
		gate_str_done(&s);
		return rc;
	}
	if (len)
		*len = s.len;
	*ret = gate_str_steal(&s);
	return GATE_OK;
}

int gate_fs_check_regular(const char *path, struct gate_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return gate_error_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return gate_error_set(err, GATE_ESYNTAX,
				      "%s: not a regular file", path);
	return GATE_OK;
}

int gate_fs_read_head(const char *path, size_t max, char **ret, size_t *len,
		      struct gate_error *err)
{
	FILE *f = fopen(path, "re");
	int rc = GATE_OK;
	char *data;

	if (!f)
		return gate_error_sys(err, errno, "%s", path);
	data = gate_calloc(max, 1);
	*len = fread(data, 1, max, f);
	if (ferror(f))
		rc = gate_error_sys(err, errno, "%s", path);
	fclose(f);
	if (rc)
		free(data);
	else
		*ret = data;
	return rc;
}

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A device or a pipe is written to; a rename would put a file in its place. */
static int write_in_place(const char *path, const char *data, size_t len,
			  struct gate_error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), e;

	if (fd < 0)
		return gate_error_sys(err, errno, "%s", path);
	e = write_all(fd, data, len);
	if (close(fd) && !e)
		e = errno;
	return e ? gate_error_sys(err, e, "%s", path) : GATE_OK;
}

int gate_fs_write(const char *path, const char *data, size_t len,
		  struct gate_error *err)
{
	struct stat st;
	char *tmp;
	int fd, e;

	if (strcmp(path, "-") == 0) {
		e = write_all(STDOUT_FILENO, data, len);
		return e ? gate_error_sys(err, e, "standard output") : GATE_OK;
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return write_in_place(path, data, len, err);
	tmp = gate_asprintf("%s.XXXXXX", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		e = errno;
		free(tmp);
		return gate_error_sys(err, e, "%s", path);
	}
	e = write_all(fd, data, len);
	if (!e && (fchmod(fd, 0644) || fsync(fd)))
		e = errno;
	if (close(fd) && !e)
		e = errno;
	if (!e && rename(tmp, path))
		e = errno;
	if (e)
		unlink(tmp);
	free(tmp);
	return e ? gate_error_sys(err, e, "%s", path) : GATE_OK;
}

int gate_fs_mkdirs(const char *path, struct gate_error *err)
{
	char *p = gate_strdup(path), *s;
	int rc = GATE_OK;

	for (s = p + (p[0] == '/'); rc == GATE_OK; s++) {
		char c = *s;

		if (c != '/' && c != '\0')
			continue;
		*s = '\0';
		if (p[0] && mkdir(p, 0755) && errno != EEXIST)
			rc = gate_error_sys(err, errno, "%s", p);
		*s = c;
		if (!c)
			break;
	}
	if (!rc && !gate_fs_is_dir(path))
		rc = gate_error_set(err, GATE_ESYS, "%s: not a folder", path);
	free(p);
	return rc;
}

/* Removes what is in the folder `fd` (closed here); 0 or errno. */
static int empty_folder(int fd)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	int rc = 0, sub;

	if (!d) {
		rc = errno;
		close(fd);
		return rc;
	}
	while (!rc && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(d), e->d_name, 0))
			continue;
		if (errno != EISDIR && errno != EPERM) {
			rc = errno;
			break;
		}
		sub = openat(dirfd(d), e->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		rc = sub < 0 ? errno : empty_folder(sub);
		if (!rc && unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR))
			rc = errno;
	}
	closedir(d);
	return rc;
}

int gate_fs_remove(const char *path, struct gate_error *err)
{
	struct stat st;
	int fd, e;

	if (lstat(path, &st))
		return errno == ENOENT ? GATE_OK
				       : gate_error_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return unlink(path) ? gate_error_sys(err, errno, "%s", path)
				    : GATE_OK;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return gate_error_sys(err, errno, "%s", path);
	e = empty_folder(fd);
	if (!e && rmdir(path))
		e = errno;
	return e ? gate_error_sys(err, e, "cannot remove %s", path) : GATE_OK;
}

int gate_fs_mkdtemp(const char *prefix, char **ret, struct gate_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char *path;

	path = gate_asprintf("%s/%s-XXXXXX", tmp && *tmp ? tmp : "/tmp",
			     prefix);
	if (!mkdtemp(path)) {
		int rc = gate_error_sys(err, errno, "%s", path);

		free(path);
		return rc;
	}
	*ret = path;
	return GATE_OK;
}

char *gate_fs_cache_dir(void)
{
	const char *s;

	s = getenv("GATE_CACHE");
	if (s && *s)
		return gate_strdup(s);
	s = getenv("XDG_CACHE_HOME");
	if (s && *s)
		return gate_fs_join(s, "gate");
	s = getenv("HOME");
	return gate_fs_join(s && *s ? s : "/tmp", ".cache/gate");
}

int gate_fs_remove_glob(const char *dir, const char *pattern,
			struct gate_error *err)
{
	char *full = gate_fs_join(dir, pattern);
	glob_t g = {0};
	int rc = GATE_OK;
	size_t i;

	if (glob(full, GLOB_NOSORT, NULL, &g) == 0)
		for (i = 0; i < g.gl_pathc && !rc; i++)
			rc = gate_fs_remove(g.gl_pathv[i], err);
	globfree(&g);
	free(full);
	return rc;
}

int gate_fs_glob_one(const char *dir, const char *pattern, char **ret,
		     struct gate_error *err)
{
	char *full = gate_fs_join(dir, pattern);
	struct gate_str names = {0};
	glob_t g = {0};
	size_t i;
	int rc;

	rc = glob(full, GLOB_ERR | GLOB_NOSORT, NULL, &g);
	if (rc == 0 && g.gl_pathc == 1) {
		*ret = gate_strdup(g.gl_pathv[0]);
		rc = GATE_OK;
	} else if (rc == 0) {
		for (i = 0; i < g.gl_pathc && i < 5; i++)
			gate_str_addf(&names, "%s%s", i ? ", " : "",
				      g.gl_pathv[i]);
		rc = gate_error_set(err, GATE_ERUN,
				    "\"%s\" matches %zu paths, not one: %s%s",
				    pattern, g.gl_pathc, gate_str_text(&names),
				    g.gl_pathc > 5 ? ", ..." : "");
	} else {
		rc = gate_error_set(err, GATE_ERUN,
				    "\"%s\" matches nothing below %s", pattern,
				    dir);
	}
	gate_str_done(&names);
	globfree(&g);
	free(full);
	return rc;
}
