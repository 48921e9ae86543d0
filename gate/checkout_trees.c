/*
 * The two trees. Git lays them out from a repository of gate's own in the
 * cache, which borrows the objects of the user's (objects/info/alternates) and
 * has nothing else of it: no configuration, filters, hooks, sparse patterns or
 * references come in, and nothing is written back.
 *
 *	DIR/lock	held while the trees are used
 *	DIR/git		the repository, rewritten at each start
 *	DIR/w0 DIR/w1	the trees		DIR/b0 DIR/b1	their builds
 *	DIR/i0 DIR/i1	their indexes		DIR/n0 DIR/n1	their notes
 *
 * A note is the commit and a hash of the index, since git trusts an index that
 * was cut or tampered with. While a tree changes its note names no commit; a
 * tree found so was interrupted.
 */
#include "gate/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/checkout_git.h"
#include "gate/util/fs.h"
#include "gate/util/hash.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"

enum {
	NOTE_MAX = 256,
	LOCK_STEP_MS = 50,
	LOCK_WAIT_MS = 2000,
	/* What git returns when it cannot work at all; 1 is its "no". */
	GIT_FATAL = 128
};

struct slot {
	char *source, *build, *index, *index_lock, *note;
	char *held;               /* the commit that is noted, or NULL */
	char hash[GATE_HASH_HEX]; /* of the index; "" when there is none */
};

/* ---- the lock ---- */

static int lock_taken(const char *dir, int fd, struct gate_error *err)
{
	char pid[32];
	ssize_t n = read(fd, pid, sizeof pid - 1);

	pid[n > 0 ? n : 0] = '\0';
	pid[strspn(pid, "0123456789")] = '\0';
	return gate_error_set(err, GATE_EREPO,
			      "another gate%s%s is using %s: wait for it to "
			      "end",
			      *pid ? " with process id " : "", pid, dir);
}

/* 0 or errno. Of a gate that was killed a git may live a moment longer. */
static int wait_for_lock(int fd)
{
	int waited;

	for (waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += LOCK_STEP_MS) {
		if (errno != EWOULDBLOCK || waited >= LOCK_WAIT_MS ||
		    gate_interrupt_requested())
			return errno;
		usleep(LOCK_STEP_MS * 1000);
	}
	return 0;
}

static int take_lock(const char *dir, int *ret, struct gate_error *err)
{
	char *path = gate_fs_join(dir, "lock");
	int fd, e, rc = GATE_OK;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	e = fd < 0 ? errno : wait_for_lock(fd);
	/* The number is a courtesy to who finds the lock taken. */
	if (!e &&
	    (ftruncate(fd, 0) || dprintf(fd, "%ld\n", (long)getpid()) < 0))
		e = errno;
	if (e)
		rc = e == EWOULDBLOCK ? lock_taken(dir, fd, err)
				      : gate_error_sys(err, e, "%s", path);
	free(path);
	if (!rc)
		*ret = fd;
	else if (fd >= 0)
		close(fd);
	return rc;
}

/*
 * While git writes the trees it holds the lock with us, so that nobody else
 * begins as long as it lives, even when we are killed. What else runs (builds,
 * a daemon that keeps credentials) must not hold it.
 */
static int lend_lock(int fd, bool lend, struct gate_error *err)
{
	if (fcntl(fd, F_SETFD, lend ? 0 : FD_CLOEXEC))
		return gate_error_sys(err, errno, "lock");
	return GATE_OK;
}

/* A folder of ours, and not a link to another one, which a build may have put
 * in its place: trees are written and cleaned. */
static int own_folder(const char *path, struct gate_error *err)
{
	struct stat st;
	int rc = GATE_OK;

	if (!lstat(path, &st) && !S_ISDIR(st.st_mode))
		rc = gate_fs_remove(path, err);
	return rc ? rc : gate_fs_mkdirs(path, err);
}

/* ---- the repository between ---- */

static int write_text(const char *dir, const char *name, const char *text,
		      struct gate_error *err)
{
	char *path = gate_fs_join(dir, name);
	int rc = gate_fs_write(path, text, strlen(text), err);

	free(path);
	return rc;
}

/* By hand rather than by `git init`: no templates, and the same four files
 * each time, whatever a build may have done to them. */
static int write_repository(const struct gate_repo *repo, const char *git,
			    struct gate_error *err)
{
	static const char *const folders[] = {"objects/info", "objects/pack",
					      "refs"};
	char *config, *alternates, *path;
	size_t i;
	int rc;

	if (strchr(repo->objects, '\n'))
		return gate_error_set(err, GATE_EREPO,
				      "%s: a line break in the path",
				      repo->objects);
	rc = own_folder(git, err);
	for (i = 0; !rc && i < sizeof folders / sizeof folders[0]; i++) {
		path = gate_fs_join(git, folders[i]);
		rc = gate_fs_mkdirs(path, err);
		free(path);
	}
	config = gate_asprintf("[core]\n\trepositoryFormatVersion = %d\n"
			       "\tbare = false\n\tsymlinks = true\n"
			       "%s",
			       repo->hex_len == 64,
			       repo->hex_len == 64 ? "[extensions]\n"
						     "\tobjectFormat = sha256\n"
						   : "");
	alternates = gate_asprintf("%s\n", repo->objects);
	if (!rc)
		rc = write_text(git, "HEAD", "ref: refs/heads/none\n", err);
	if (!rc)
		rc = write_text(git, "config", config, err);
	if (!rc)
		rc = write_text(git, "objects/info/alternates", alternates,
				err);
	free(alternates);
	free(config);
	return rc;
}

/* ---- slots ---- */

static void slot_init(struct slot *s, const char *dir, int n)
{
	s->source = gate_asprintf("%s/w%d", dir, n);
	s->build = gate_asprintf("%s/b%d", dir, n);
	s->index = gate_asprintf("%s/i%d", dir, n);
	s->index_lock = gate_asprintf("%s/i%d.lock", dir, n);
	s->note = gate_asprintf("%s/n%d", dir, n);
}

static void slot_done(struct slot *s)
{
	free(s->source);
	free(s->build);
	free(s->index);
	free(s->index_lock);
	free(s->note);
	free(s->held);
}

static int remove_file(const char *path, struct gate_error *err)
{
	if (unlink(path) && errno != ENOENT)
		return gate_error_sys(err, errno, "%s", path);
	return GATE_OK;
}

static int hash_index(struct slot *s, struct gate_error *err)
{
	struct gate_hash *h = gate_hash_new();
	int rc = gate_hash_file(h, s->index, err);

	gate_hash_end(h, s->hash);
	if (rc)
		s->hash[0] = '\0';
	return rc;
}

/* Whether the note is about the index that is there; it is dropped if not. */
static int slot_read(struct slot *s, struct gate_error *err)
{
	struct gate_error none;
	char *text = NULL, *hash;

	if (hash_index(s, &none) ||
	    gate_fs_read(s->note, NOTE_MAX, &text, NULL, &none))
		goto unknown;
	text[strcspn(text, "\n")] = '\0';
	hash = strchr(text, ' ');
	if (!hash || strcmp(hash + 1, s->hash) != 0)
		goto unknown;
	*hash = '\0';
	if (gate_git_is_id(text) && gate_fs_is_dir(s->source))
		s->held = gate_strdup(text);
	free(text);
	return GATE_OK;
unknown:
	free(text);
	s->hash[0] = '\0';
	return remove_file(s->index, err);
}

static int slot_note(const struct slot *s, const char *commit,
		     struct gate_error *err)
{
	char *text = gate_asprintf("%s %s\n", commit, s->hash);
	int rc = gate_fs_write(s->note, text, strlen(text), err);

	free(text);
	return rc;
}

static bool holds(const struct slot *s, const char *commit)
{
	return s->held && strcmp(s->held, commit) == 0;
}

/* The slot for the base: where a commit is laid out already it stays, and
 * otherwise the base is in 0. */
static int base_slot(const struct slot s[2], const char *base,
		     const char *candidate)
{
	if (holds(&s[0], base))
		return 0;
	return holds(&s[1], base) || holds(&s[0], candidate);
}

/* ---- laying out ---- */

/* Every repository has it without storing it. */
static const char *empty_tree(const struct gate_repo *repo)
{
	return repo->hex_len == 64
		       ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939"
			 "dd74decc5321"
		       : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

/*
 * In a partial clone blobs are missing until somebody reads them, and our own
 * repository does not know where to get them. A diff with statistics makes git
 * fetch what it lacks in one go, into the user's objects, as any use of that
 * commit would.
 */
static int fetch_blobs(struct gate_repo *repo, const char *from, const char *to,
		       struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	const char *args[] = {"diff-tree",
			      "-r",
			      "--shortstat",
			      "--no-renames",
			      "--no-textconv",
			      "--no-ext-diff",
			      from ? from : empty_tree(repo),
			      to,
			      NULL};
	int rc = gate_git_do(&g, args, err);

	/* The commit before may be gone from the user's repository. */
	if (rc == GATE_EREPO && from)
		return fetch_blobs(repo, NULL, to, err);
	return rc;
}

/*
 * Files whose time stamp changed but not their bytes keep the stamp they have
 * (a cache that was restored from an archive). An index that git cannot read
 * is dropped, and *unknown set: what lies in the tree is then anybody's guess.
 */
static int refresh_index(const struct gate_git *g, const struct slot *s,
			 bool *unknown, struct gate_error *err)
{
	static const char *const args[] = {"update-index", "-q", "--refresh",
					   NULL};
	struct gate_proc_result res;
	int rc;

	if (!gate_fs_exists(s->index)) {
		*unknown = true;
		return GATE_OK;
	}
	rc = gate_git_run(g, args, true, 0, &res, err);
	if (rc)
		return rc;
	gate_str_done(&res.out);
	if (res.exit_code < GIT_FATAL)
		return GATE_OK;
	*unknown = true;
	return remove_file(s->index, err);
}

static int lay_out_tree(const struct gate_git *g, const struct slot *s,
			const char *commit, struct gate_error *err)
{
	const char *const read_tree[] = {"read-tree", "--reset",
					 "-u",        "--no-recurse-submodules",
					 commit,      NULL};
	static const char *const clean_all[] = {"clean", "-ffdxq", NULL};
	static const char *const clean[] = {"clean", "-ffdq", NULL};
	bool unknown = !s->held;
	int rc = refresh_index(g, s, &unknown, err);

	if (!rc)
		rc = gate_git_do(g, read_tree, err);
	/* What the tree ignores stays: it is what an incremental build in the
	 * tree lives on. Other files that are not tracked were left by another
	 * commit's build or job and would be measured with this one. */
	if (!rc && (unknown || !holds(s, commit)))
		rc = gate_git_do(g, unknown ? clean_all : clean, err);
	return rc;
}

static int lay_out(const char *git, struct slot *s, const char *commit,
		   struct gate_error *err)
{
	struct gate_git g = {.cwd = s->source,
			     .git_dir = git,
			     .work_tree = s->source,
			     .env = gate_git_env_private(s->index)};
	int rc = own_folder(s->source, err);

	if (!rc)
		rc = own_folder(s->build, err);
	/* Left by a git that was killed: nobody else can hold it now. */
	if (!rc)
		rc = remove_file(s->index_lock, err);
	if (!rc)
		rc = slot_note(s, "interrupted", err);
	if (!rc)
		rc = lay_out_tree(&g, s, commit, err);
	if (!rc)
		rc = hash_index(s, err);
	if (!rc)
		rc = slot_note(s, commit, err);
	if (rc)
		gate_error_prefix(err,
				  "cannot lay out commit %.12s in %s: ", commit,
				  s->source);
	gate_proc_env_free(g.env);
	return rc;
}

static int lay_out_both(struct gate_repo *repo, const char *dir,
			const char *const commits[2], struct gate_trees *t,
			struct gate_error *err)
{
	char *git = gate_fs_join(dir, "git");
	struct slot slots[2] = {{0}, {0}}, *s[2];
	int i, rc;

	for (i = 0; i < 2; i++)
		slot_init(&slots[i], dir, i);
	rc = write_repository(repo, git, err);
	for (i = 0; !rc && i < 2; i++)
		rc = slot_read(&slots[i], err);
	s[0] = &slots[base_slot(slots, commits[0], commits[1])];
	s[1] = s[0] == slots ? &slots[1] : slots;
	for (i = 0; !rc && repo->partial && i < 2; i++)
		rc = fetch_blobs(repo, s[i]->held, commits[i], err);
	if (!rc)
		rc = lend_lock(t->lock_fd, true, err);
	for (i = 0; !rc && i < 2; i++)
		rc = lay_out(git, s[i], commits[i], err);
	if (!rc)
		rc = lend_lock(t->lock_fd, false, err);
	for (i = 0; !rc && i < 2; i++) {
		t->source[i] = gate_strdup(s[i]->source);
		t->build[i] = gate_strdup(s[i]->build);
	}
	slot_done(&slots[0]);
	slot_done(&slots[1]);
	free(git);
	return rc;
}

int gate_trees_lay_out(struct gate_repo *repo, const char *dir,
		       const char *base, const char *candidate,
		       struct gate_trees *ret, struct gate_error *err)
{
	const char *const commits[2] = {base, candidate};
	struct gate_trees t = {.lock_fd = -1};
	char *full;
	int i, rc;

	for (i = 0; i < 2; i++)
		if (!gate_git_is_id(commits[i]))
			return gate_error_set(err, GATE_EREPO,
					      "'%.80s' is not a commit id",
					      commits[i]);
	rc = gate_fs_mkdirs(dir, err);
	if (rc)
		return rc;
	full = realpath(dir, NULL);
	if (!full)
		return gate_error_sys(err, errno, "%s", dir);
	rc = take_lock(full, &t.lock_fd, err);
	if (!rc)
		rc = lay_out_both(repo, full, commits, &t, err);
	if (rc)
		gate_trees_done(&t);
	else
		*ret = t;
	free(full);
	return rc;
}

void gate_trees_done(struct gate_trees *t)
{
	int i;

	if (!t)
		return;
	for (i = 0; i < 2; i++) {
		free(t->source[i]);
		free(t->build[i]);
	}
	/* A zeroed one holds no lock. */
	if (t->lock_fd > 0)
		close(t->lock_fd);
	*t = (struct gate_trees){.lock_fd = -1};
}
