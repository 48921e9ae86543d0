/*
 * What the files of checkout share: the repository as it was found, and one
 * way to run the git program on it.
 *
 * Nothing here decides what a revision or a tree is; see checkout.c and
 * checkout_trees.c.
 */
#ifndef GATE_CHECKOUT_GIT_H
#define GATE_CHECKOUT_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/util/error.h"
#include "gate/util/subprocess.h"

struct git_repository; /* libgit2's */

/* Where and how git runs. */
struct gate_git {
	const char *cwd;
	const char *git_dir;   /* NULL: git looks for it from cwd, and checks
				  who owns it */
	const char *work_tree; /* NULL: none is needed */
	bool trust;            /* look for it without minding the owner */
	char **env;            /* gate_git_env_user() or _private() */
};

struct gate_repo {
	struct git_repository *lg; /* NULL when libgit2 cannot open it */
	bool lg_started;
	char *path;     /* top of the work tree, or git_dir */
	char *git_dir;  /* absolute; of a linked work tree its own */
	char *objects;  /* absolute */
	size_t hex_len; /* 40, or 64 with SHA-256 */
	bool has_work_tree;
	bool shallow;
	bool extended; /* in a format that is not libgit2's */
	bool partial;  /* objects may be fetched when they are first read */
	char **env;
};

/*
 * The environment for git on the user's repository: the user's own, since
 * configuration, credentials and proxies may come through it, but nothing that
 * points git at another repository, no prompts, no replaced objects and no
 * translated messages. Caller frees with gate_proc_env_free().
 */
char **gate_git_env_user(void);
/* The same for a repository of ours: no configuration or attributes but its
 * own, with the index at `index`. */
char **gate_git_env_private(const char *index);

/*
 * git with `args` (without "git", ending with NULL), no hooks, no pager.
 * 0 when it ran, whatever it said; gate_str_done(&res->out) is the caller's.
 * With `errors` its stderr is in res->out too. Keeps at most `max` bytes.
 */
int gate_git_run(const struct gate_git *g, const char *const *args, bool errors,
		 size_t max, struct gate_proc_result *res,
		 struct gate_error *err);
/* What git printed, without the last newline; *ret is NULL when git refused.
 * Caller frees. */
int gate_git_text(const struct gate_git *g, const char *const *args, char **ret,
		  struct gate_error *err);
/* GATE_EREPO with what git complained of when it refuses. */
int gate_git_do(const struct gate_git *g, const char *const *args,
		struct gate_error *err);
/* The first line of git's output that says what is wrong, without its
 * "fatal: ". Caller frees. */
char *gate_git_complaint(const char *out);

/* git on the user's repository. Borrows from repo. */
struct gate_git gate_repo_git(const struct gate_repo *repo);

/* Exactly 40 or 64 hex digits. */
bool gate_git_is_id(const char *s);

#endif
