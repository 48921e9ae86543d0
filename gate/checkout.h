/*
 * Checkout: revisions to commits, and commits to trees on disk.
 *
 * libgit2 answers what is asked of a repository (revisions, merge base, blobs
 * of a commit); the git program does what libgit2 cannot (shallow, sparse and
 * SHA-256 repositories, a fast worktree of a kernel-sized tree). The user's
 * index, work tree, references and configuration are not touched. The only
 * module that sees libgit2.
 */
#ifndef GATE_CHECKOUT_H
#define GATE_CHECKOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/util/error.h"

struct gate_repo;

struct gate_repo_opts {
	const char *dir; /* where to look for the repository; upwards too */
	bool trust_repo; /* open it although somebody else owns it */
};

/* GATE_EREPO with the way out when there is none, or it is not ours. */
int gate_repo_open(const struct gate_repo_opts *opts, struct gate_repo **ret,
		   struct gate_error *err);
void gate_repo_free(struct gate_repo *repo); /* NULL is fine */
/* Top of the work tree, or the git directory of a bare one. Borrowed. */
const char *gate_repo_path(const struct gate_repo *repo);

/* Any revision that git knows, as a full hex commit id. Caller frees *ret.
 * In a shallow clone whose history ends before it, says which depth to fetch.
 */
int gate_repo_resolve(struct gate_repo *repo, const char *rev, char **ret,
		      struct gate_error *err);
/*
 * The default base for `candidate`: its merge base with the first that exists
 * of the candidate's upstream, origin/HEAD, origin/main, origin/master.
 * *how says in words how it was found. Caller frees both.
 */
int gate_repo_default_base(struct gate_repo *repo, const char *candidate_rev,
			   const char *candidate, char **ret, char **how,
			   struct gate_error *err);
/* One file of a commit. *ret is NULL when the commit has none of that name.
 * Larger than `max` is an error. Caller frees. */
int gate_repo_read(struct gate_repo *repo, const char *commit, const char *path,
		   size_t max, char **ret, size_t *len, struct gate_error *err);
/* Uncommitted changes to tracked files: they are not part of any commit, so
 * the run says that it leaves them out. */
int gate_repo_dirty(struct gate_repo *repo, bool *ret, struct gate_error *err);

/*
 * Two persistent trees for this repository below `dir`, reused and switched
 * incrementally (a file that did not change keeps its time stamp), each with a
 * build folder beside it that is never emptied. The paths are of equal length
 * and do not say which side they hold. A lock keeps a second gate out.
 */
struct gate_trees {
	char *source[2]; /* [GATE_BASE], [GATE_CANDIDATE] */
	char *build[2];
	int lock_fd;
};
int gate_trees_lay_out(struct gate_repo *repo, const char *dir,
		       const char *base, const char *candidate,
		       struct gate_trees *ret, struct gate_error *err);
/* Gives the lock back and frees; the trees stay for the next run. */
void gate_trees_done(struct gate_trees *t);

#endif
