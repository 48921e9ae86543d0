/* On real repositories, made with the git program in a temporary folder. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/checkout.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/str.h"
#include "gate/util/subprocess.h"

static char *top; /* of everything a test makes; the working directory */

/* ---- helpers ---- */

/* A shell line that must succeed. */
static void __attribute__((format(printf, 1, 2))) sh(const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	cr_assert_eq(system(line), 0, "%s", line);
}

/* What a shell line prints, without the last newline. */
static char *__attribute__((format(printf, 1, 2))) out(const char *fmt, ...)
{
	struct gate_str s = {0};
	char line[4096], buf[4096];
	va_list ap;
	size_t n;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	f = popen(line, "r");
	cr_assert(f);
	while ((n = fread(buf, 1, sizeof buf, f)))
		gate_str_add(&s, buf, n);
	cr_assert_eq(pclose(f), 0, "%s", line);
	if (s.len && s.data[s.len - 1] == '\n')
		s.data[--s.len] = '\0';
	return gate_str_steal(&s);
}

/* Every name, type, mode, size, time and byte below `path`. */
static char *snapshot(const char *path)
{
	return out("cd %s && find . -printf '%%p %%y %%m %%s %%T@ %%l\\n' | "
		   "sort && find . -type f -print0 | sort -z | "
		   "xargs -0r sha256sum",
		   path);
}

static void assert_untouched(const char *path, char *before)
{
	char *after = snapshot(path);

	cr_assert_str_eq(after, before);
	free(before);
	free(after);
}

static struct gate_repo *open_repo(const char *dir)
{
	struct gate_repo_opts opts = {.dir = dir};
	struct gate_repo *repo = NULL;
	struct gate_error err = {0};

	cr_assert_eq(gate_repo_open(&opts, &repo, &err), 0, "%s", err.message);
	return repo;
}

static char *resolve(struct gate_repo *repo, const char *rev)
{
	struct gate_error err = {0};
	char *id = NULL;

	cr_assert_eq(gate_repo_resolve(repo, rev, &id, &err), 0, "%s",
		     err.message);
	return id;
}

static void assert_resolves(struct gate_repo *repo, const char *rev,
			    const char *dir, const char *same)
{
	char *got = resolve(repo, rev);
	char *want = out("git -C %s rev-parse '%s^{commit}'", dir, same);

	cr_assert_str_eq(got, want, "%s", rev);
	free(got);
	free(want);
}

/* That `rev` is refused, with each of the words (up to NULL) in the message. */
static void __attribute__((sentinel))
assert_refused(struct gate_repo *repo, const char *rev, ...)
{
	struct gate_error err = {0};
	const char *word;
	char *id = NULL;
	va_list ap;

	cr_assert_eq(gate_repo_resolve(repo, rev, &id, &err), GATE_EREPO);
	cr_assert_null(id);
	va_start(ap, rev);
	while ((word = va_arg(ap, const char *)))
		cr_assert(strstr(err.message, word), "no '%s' in: %s", word,
			  err.message);
	va_end(ap);
}

static void assert_open_fails(const char *dir, const char *word)
{
	struct gate_repo_opts opts = {.dir = dir};
	struct gate_repo *repo = NULL;
	struct gate_error err = {0};

	cr_assert_eq(gate_repo_open(&opts, &repo, &err), GATE_EREPO);
	cr_assert_null(repo);
	cr_assert(strstr(err.message, word), "%s", err.message);
}

static void assert_base(struct gate_repo *repo, const char *rev,
			const char *want, const char *want_how)
{
	char *candidate = resolve(repo, rev), *base = NULL, *how = NULL;
	struct gate_error err = {0};

	cr_assert_eq(
		gate_repo_default_base(repo, rev, candidate, &base, &how, &err),
		0, "%s", err.message);
	cr_assert_str_eq(base, want);
	cr_assert_str_eq(how, want_how);
	free(candidate);
	free(base);
	free(how);
}

static struct gate_trees lay_out(struct gate_repo *repo, const char *base,
				 const char *candidate)
{
	char *one = resolve(repo, base), *two = resolve(repo, candidate);
	struct gate_trees t = {0};
	struct gate_error err = {0};

	cr_assert_eq(gate_trees_lay_out(repo, "cache", one, two, &t, &err), 0,
		     "%s", err.message);
	free(one);
	free(two);
	return t;
}

/* That `tree` has every file of the commit as it is there, and no other. */
static void assert_tree_is(const char *dir, const char *rev, const char *tree)
{
	sh("rm -rf want && mkdir want && "
	   "git -C %s archive %s | tar -x -C want && "
	   "diff -r --no-dereference want %s",
	   dir, rev, tree);
}

static struct timespec mtime(const char *dir, const char *name)
{
	char *path = gate_fs_join(dir, name);
	struct stat st;

	cr_assert_eq(lstat(path, &st), 0, "%s", path);
	free(path);
	return st.st_mtim;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool exists_in(const char *dir, const char *name)
{
	char *path = gate_fs_join(dir, name);
	struct stat st;
	bool yes = lstat(path, &st) == 0;

	free(path);
	return yes;
}

/* Three commits; each changes `a` only. */
static void make_repo(const char *dir)
{
	sh("git init -q %s && cd %s && mkdir -p d/e && echo keep >d/keep && "
	   "echo deep >d/e/deep && printf 'a\\0b' >binary && : >empty && "
	   "ln -s d/keep link && printf '#!/bin/sh\\n' >run && chmod +x run && "
	   "for i in 1 2 3; do echo $i >a; git add -A; git commit -qm c$i; "
	   "done",
	   dir, dir);
}

static void set_up(void)
{
	struct gate_error err;
	char *real;

	cr_assert_eq(gate_fs_mkdtemp("gate-test", &top, &err), 0);
	real = realpath(top, NULL);
	free(top);
	top = real;
	cr_assert_eq(chdir(top), 0);
	setenv("HOME", top, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("GIT_CONFIG_GLOBAL");
	sh("printf '[user]\\nname = T\\nemail = t@example.com\\n"
	   "[init]\\ndefaultBranch = master\\n"
	   "[protocol \"file\"]\\nallow = always\\n"
	   "[uploadpack]\\nallowFilter = true\\nallowAnySHA1InWant = true\\n"
	   "[gc]\\nauto = 0\\n[advice]\\ndetachedHead = false\\n' "
	   ">.gitconfig");
}

static void tear_down(void)
{
	struct gate_error err;

	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(gate_fs_remove(top, &err), 0, "%s", err.message);
	free(top);
}

TestSuite(checkout, .init = set_up, .fini = tear_down);

/* ---- opening ---- */

Test(checkout, opens_the_repository_above_a_folder)
{
	struct gate_repo *repo;

	make_repo("r");
	repo = open_repo("r/d/e");
	cr_assert(strstr(gate_repo_path(repo), "/r"));
	cr_assert_str_eq(strrchr(gate_repo_path(repo), '/'), "/r");
	assert_resolves(repo, "HEAD", "r", "HEAD");
	gate_repo_free(repo);
}

Test(checkout, says_where_it_found_no_repository)
{
	sh("mkdir none");
	assert_open_fails("none", "no git repository in");
	assert_open_fails("none", "--repo");
	assert_open_fails("missing", "No such file");
	assert_open_fails(".gitconfig", "not a folder");
}

Test(checkout, says_that_git_is_missing)
{
	make_repo("r");
	setenv("PATH", "/nonexistent", 1);
	assert_open_fails("r", "git program is not in PATH");
}

Test(checkout, passes_on_why_git_refuses_a_repository)
{
	make_repo("r");
	sh("git -C r config core.repositoryformatversion 99");
	assert_open_fails("r", "repo version");
}

Test(checkout, ignores_where_the_environment_points_git)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("git init -q other && git -C other commit -q --allow-empty -m o");
	setenv("GIT_DIR", "other/.git", 1);
	setenv("GIT_INDEX_FILE", "elsewhere", 1);
	setenv("GIT_WORK_TREE", "other", 1);
	repo = open_repo("r");
	t = lay_out(repo, "HEAD", "HEAD");
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	unsetenv("GIT_WORK_TREE");
	assert_resolves(repo, "HEAD", "r", "HEAD");
	assert_tree_is("r", "HEAD", t.source[0]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, works_in_a_bare_repository)
{
	struct gate_repo *repo;
	struct gate_trees t;
	struct gate_error err;
	bool dirty = true;
	char *before;

	make_repo("r");
	sh("git clone -q --bare r b.git");
	before = snapshot("b.git");
	repo = open_repo("b.git");
	assert_resolves(repo, "HEAD~1", "r", "HEAD~1");
	cr_assert_eq(gate_repo_dirty(repo, &dirty, &err), 0);
	cr_assert_not(dirty);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD~1", t.source[0]);
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	assert_untouched("b.git", before);
}

Test(checkout, works_in_a_sha256_repository)
{
	struct gate_error err = {0};
	struct gate_repo *repo;
	struct gate_trees t;
	char *id, *data = NULL;
	size_t len = 0;

	sh("git init -q --object-format=sha256 r && cd r && "
	   "for i in 1 2; do echo $i >a; git add a; git commit -qm $i; done");
	repo = open_repo("r");
	id = resolve(repo, "HEAD");
	cr_assert_eq(strlen(id), 64);
	cr_assert_eq(gate_repo_read(repo, id, "a", 10, &data, &len, &err), 0,
		     "%s", err.message);
	cr_assert_str_eq(data, "2\n");
	assert_refused(repo, "mastr", "master", NULL);
	/* An id of the other kind is no id here. */
	assert_refused(repo, "1111111111111111111111111111111111111111",
		       "no commit", NULL);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD~1", t.source[0]);
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	free(id);
	free(data);
}

Test(checkout, works_in_a_linked_work_tree)
{
	struct gate_repo *repo;
	struct gate_trees t;
	char *before;

	make_repo("r");
	sh("git -C r worktree add -q --detach ../linked HEAD~1");
	before = snapshot("r");
	repo = open_repo("linked/d");
	assert_resolves(repo, "HEAD", "r", "HEAD~1");
	t = lay_out(repo, "HEAD", "master");
	assert_tree_is("r", "HEAD~1", t.source[0]);
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	assert_untouched("r", before);
}

Test(checkout, refuses_a_repository_of_another_user_with_the_way_out)
{
	struct gate_repo_opts opts = {.dir = "r", .trust_repo = true};
	struct gate_error err = {0};
	struct gate_repo *repo = NULL;
	struct gate_trees t;
	bool dirty = true;

	if (geteuid() != 0)
		cr_skip_test("only root can give files away");
	make_repo("r");
	sh("chown -R 12345 r");
	assert_open_fails("r", "owned by another user");
	assert_open_fails("r", "git config --global --add safe.directory /");
	assert_open_fails("r", "--trust-repo");

	cr_assert_eq(gate_repo_open(&opts, &repo, &err), 0, "%s", err.message);
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert(exists_in(t.source[0], "d/e/deep"));
	cr_assert_eq(gate_repo_dirty(repo, &dirty, &err), 0);
	cr_assert_not(dirty);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, honours_safe_directory_wherever_git_does)
{
	struct gate_repo *repo;

	if (geteuid() != 0)
		cr_skip_test("only root can give files away");
	make_repo("r");
	sh("chown -R 12345 r");
	/* As containers do, in the environment alone. */
	setenv("GIT_CONFIG_COUNT", "1", 1);
	setenv("GIT_CONFIG_KEY_0", "safe.directory", 1);
	setenv("GIT_CONFIG_VALUE_0", "*", 1);
	repo = open_repo("r");
	gate_repo_free(repo);
	unsetenv("GIT_CONFIG_COUNT");
	assert_open_fails("r", "owned by another user");
	sh("git config --global --add safe.directory '*'");
	repo = open_repo("r/d");
	gate_repo_free(repo);
}

/* ---- revisions ---- */

Test(checkout, resolves_what_git_resolves)
{
	struct gate_repo *repo;
	char *id, *abbreviated, *described;

	make_repo("r");
	sh("cd r && git tag -a -m t v1 HEAD~2 && git tag light HEAD~1 && "
	   "git branch side HEAD~1");
	id = out("git -C r rev-parse HEAD~1");
	abbreviated = gate_strndup(id, 9);
	repo = open_repo("r");
	assert_resolves(repo, "HEAD", "r", "HEAD");
	assert_resolves(repo, "@", "r", "HEAD");
	assert_resolves(repo, "master", "r", "HEAD");
	assert_resolves(repo, "refs/heads/side", "r", "HEAD~1");
	assert_resolves(repo, "v1", "r", "HEAD~2");
	assert_resolves(repo, "light^", "r", "HEAD~2");
	assert_resolves(repo, "HEAD~2", "r", "HEAD~2");
	assert_resolves(repo, "HEAD@{1}", "r", "HEAD~1");
	assert_resolves(repo, ":/c2", "r", "HEAD~1");
	assert_resolves(repo, id, "r", "HEAD~1");
	assert_resolves(repo, abbreviated, "r", "HEAD~1");
	described = gate_asprintf("light-3-g%s", abbreviated);
	assert_resolves(repo, described, "r", "HEAD~1");
	gate_repo_free(repo);
	free(id);
	free(abbreviated);
	free(described);
}

Test(checkout, takes_a_whole_id_for_the_object_not_for_a_branch)
{
	struct gate_repo *repo;
	char *id, *got;

	make_repo("r");
	id = out("git -C r rev-parse HEAD~1");
	sh("git -C r update-ref refs/heads/%s HEAD", id);
	repo = open_repo("r");
	got = resolve(repo, id);
	cr_assert_str_eq(got, id);
	gate_repo_free(repo);
	free(id);
	free(got);
}

Test(checkout, refuses_what_cannot_be_a_revision)
{
	struct gate_repo *repo;
	char longer[2000];

	make_repo("r");
	repo = open_repo("r");
	memset(longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	assert_refused(repo, "", "empty revision", NULL);
	assert_refused(repo, "--output=x", "begins with '-'", NULL);
	assert_refused(repo, "-", "begins with '-'", NULL);
	assert_refused(repo, "a\nb", "control character", NULL);
	assert_refused(repo, "a\033[31m", "control character", NULL);
	assert_refused(repo, longer, "longer than", NULL);
	assert_refused(repo, "HEAD~1..HEAD", "no commit 'HEAD~1..HEAD'", NULL);
	assert_refused(repo, "^HEAD", "no commit '^HEAD'", NULL);
	gate_repo_free(repo);
}

Test(checkout, names_what_a_revision_is_when_it_is_no_commit)
{
	struct gate_repo *repo;
	char *before;

	make_repo("r");
	repo = open_repo("r");
	before = snapshot("r");
	assert_refused(repo, "HEAD:a", "is a blob, not a commit", NULL);
	assert_refused(repo, "HEAD^{tree}", "is a tree, not a commit", NULL);
	assert_untouched("r", before);
	gate_repo_free(repo);
}

Test(checkout, names_the_nearest_branch_or_tag)
{
	struct gate_repo *repo;

	make_repo("r");
	sh("cd r && git tag v6.12 && git branch feature/aes-gcm");
	sh("git -C r update-ref refs/remotes/origin/next HEAD");
	repo = open_repo("r");
	assert_refused(repo, "mastre", "no commit 'mastre'", "'master'", NULL);
	assert_refused(repo, "mastre~1", "'master~1'", NULL);
	assert_refused(repo, "v6.13", "'v6.12'", NULL);
	assert_refused(repo, "feature/aes-gmc", "'feature/aes-gcm'", NULL);
	assert_refused(repo, "next", "did you mean 'origin/next'?", NULL);
	gate_repo_free(repo);
}

Test(checkout, suggests_no_name_that_is_only_alike_in_its_remote)
{
	struct gate_error err = {0};
	struct gate_repo *repo;
	char *id = NULL;

	make_repo("r");
	sh("git -C r update-ref refs/remotes/origin/next HEAD");
	repo = open_repo("r");
	cr_assert_eq(gate_repo_resolve(repo, "origin/aesni", &id, &err),
		     GATE_EREPO);
	cr_assert_not(strstr(err.message, "did you mean"), "%s", err.message);
	gate_repo_free(repo);
}

Test(checkout, tells_a_missing_ancestor_from_a_missing_name)
{
	struct gate_repo *repo;

	make_repo("r");
	repo = open_repo("r");
	assert_refused(repo, "master~9", "no commit 'master~9'",
		       "although it has 'master'", NULL);
	gate_repo_free(repo);
}

Test(checkout, says_that_a_repository_is_empty)
{
	struct gate_repo *repo;

	sh("git init -q r");
	repo = open_repo("r");
	assert_refused(repo, "HEAD", "has no commits yet", NULL);
	assert_refused(repo, "master", "has no commits yet", NULL);
	gate_repo_free(repo);
}

Test(checkout, says_how_deep_a_shallow_clone_must_be)
{
	struct gate_repo *repo;
	char *before;

	make_repo("up");
	sh("git clone -q --depth 1 file://%s/up r", top);
	before = snapshot("r");
	repo = open_repo("r");
	assert_resolves(repo, "HEAD", "up", "HEAD");
	assert_refused(repo, "HEAD^", "shallow", "fetch-depth: 2", NULL);
	assert_refused(repo, "HEAD~2", "git fetch --deepen=2", NULL);
	assert_refused(repo, "HEAD~2", "git fetch --unshallow", NULL);
	assert_refused(repo, "v1", "shallow", "fetch-depth: 0", NULL);
	gate_repo_free(repo);
	assert_untouched("r", before);
}

Test(checkout, walks_the_history_that_a_shallow_clone_has)
{
	struct gate_repo *repo;

	make_repo("up");
	sh("git clone -q --depth 2 file://%s/up r", top);
	repo = open_repo("r");
	assert_resolves(repo, "HEAD^1", "up", "HEAD~1");
	gate_repo_free(repo);
}

Test(checkout, fetches_a_base_that_a_shallow_clone_lacks_by_its_id)
{
	struct gate_repo *repo;
	struct gate_trees t;
	char *id, *got;

	make_repo("up");
	sh("git clone -q --depth 1 file://%s/up r", top);
	id = out("git -C up rev-parse HEAD~2");
	repo = open_repo("r");
	got = resolve(repo, id);
	cr_assert_str_eq(got, id);
	t = lay_out(repo, id, "HEAD");
	assert_tree_is("up", "HEAD~2", t.source[0]);
	assert_tree_is("up", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	sh("cd r && test \"$(git rev-list --count HEAD)\" = 1 && "
	   "test ! -e .git/FETCH_HEAD && test -z \"$(git status -s)\"");
	free(id);
	free(got);
}

Test(checkout, does_not_make_a_complete_clone_shallow)
{
	struct gate_repo *repo;
	char *id, *got, *refs, *after;

	make_repo("up");
	sh("git clone -q file://%s/up r", top);
	sh("git -C up commit -q --allow-empty -m later");
	id = out("git -C up rev-parse HEAD");
	refs = out("git -C r for-each-ref");
	repo = open_repo("r");
	got = resolve(repo, id);
	cr_assert_str_eq(got, id);
	gate_repo_free(repo);
	after = out("git -C r for-each-ref");
	cr_assert_str_eq(after, refs);
	sh("test ! -e r/.git/shallow && test ! -e r/.git/FETCH_HEAD");
	free(id);
	free(got);
	free(refs);
	free(after);
}

Test(checkout, says_that_fetching_an_id_failed)
{
	struct gate_repo *repo;

	make_repo("up");
	sh("git clone -q --depth 1 file://%s/up r", top);
	repo = open_repo("r");
	assert_refused(repo, "1111111111111111111111111111111111111111",
		       "no commit", "shallow", "git fetch origin", NULL);
	gate_repo_free(repo);
}

/* ---- the default base ---- */

/* `up` has master with three commits; `r` is a clone with a branch of one
 * commit on the second, and upstream has gone on. */
static void make_clone(void)
{
	make_repo("up");
	sh("git clone -q up r && cd r && "
	   "git checkout -q -b work HEAD~1 && echo w >w && git add w && "
	   "git commit -qm w");
}

Test(checkout, bases_a_branch_on_its_upstream)
{
	struct gate_repo *repo;
	char *want;

	make_clone();
	sh("git -C up branch side HEAD~2 && git -C r fetch -q && "
	   "git -C r branch -q -u origin/side work");
	want = out("git -C up rev-parse side");
	repo = open_repo("r");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/side");
	assert_base(repo, "work", want, "merge base of work and origin/side");
	gate_repo_free(repo);
	free(want);
}

Test(checkout, bases_what_has_no_upstream_on_the_trunk_of_origin)
{
	struct gate_repo *repo;
	char *want;

	make_clone();
	want = out("git -C up rev-parse HEAD~1");
	repo = open_repo("r");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/HEAD");
	sh("git -C r remote set-head origin -d");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/master");
	sh("git -C r update-ref refs/remotes/origin/main origin/master");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/main");
	sh("git -C r checkout -q --detach");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/main");
	gate_repo_free(repo);
	free(want);
}

Test(checkout, passes_over_an_upstream_that_is_gone)
{
	struct gate_repo *repo;
	char *want;

	make_clone();
	sh("git -C r config branch.work.remote origin && "
	   "git -C r config branch.work.merge refs/heads/deleted");
	want = out("git -C up rev-parse HEAD~1");
	repo = open_repo("r");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/HEAD");
	gate_repo_free(repo);
	free(want);
}

static void assert_no_base(const char *dir, const char *word)
{
	struct gate_repo *repo = open_repo(dir);
	char *id = resolve(repo, "HEAD"), *base = NULL, *how = NULL;
	struct gate_error err = {0};

	cr_assert_eq(
		gate_repo_default_base(repo, "HEAD", id, &base, &how, &err),
		GATE_EREPO);
	cr_assert_null(base);
	cr_assert_null(how);
	cr_assert(strstr(err.message, "--base"), "%s", err.message);
	cr_assert(strstr(err.message, word), "%s", err.message);
	gate_repo_free(repo);
	free(id);
}

Test(checkout, asks_for_a_base_when_there_is_nothing_to_choose_from)
{
	make_repo("r");
	assert_no_base("r", "no upstream");
}

Test(checkout, asks_for_a_base_when_there_is_no_common_ancestor)
{
	make_clone();
	sh("cd r && git checkout -q --orphan alone && git commit -qm alone");
	assert_no_base("r", "no common ancestor");
	sh("git clone -q --depth 1 file://%s/up s && cd s && "
	   "git checkout -q --orphan alone && git commit -qm alone",
	   top);
	assert_no_base("s", "--unshallow");
}

Test(checkout, finds_the_merge_base_in_a_shallow_clone_that_has_it)
{
	struct gate_repo *repo;
	char *want;

	make_repo("up");
	sh("git clone -q --depth 2 file://%s/up r && cd r && "
	   "git checkout -q -b work HEAD~1 && git commit -q --allow-empty "
	   "-m w",
	   top);
	want = out("git -C up rev-parse HEAD~1");
	repo = open_repo("r");
	assert_base(repo, "HEAD", want, "merge base of HEAD and origin/HEAD");
	gate_repo_free(repo);
	free(want);
}

/* ---- files of a commit ---- */

static int read_file(struct gate_repo *repo, const char *path, size_t max,
		     char **data, size_t *len, struct gate_error *err)
{
	char *id = resolve(repo, "HEAD~1");
	int rc = gate_repo_read(repo, id, path, max, data, len, err);

	free(id);
	return rc;
}

static void assert_reads(struct gate_repo *repo, const char *path,
			 const char *want, size_t want_len)
{
	struct gate_error err = {0};
	char *data = NULL;
	size_t len = 0;

	cr_assert_eq(read_file(repo, path, want_len, &data, &len, &err), 0,
		     "%s", err.message);
	cr_assert_eq(len, want_len);
	cr_assert_not_null(data);
	cr_assert_arr_eq(data, want, want_len + 1);
	free(data);
	if (!want_len)
		return;
	data = NULL;
	cr_assert_eq(read_file(repo, path, want_len - 1, &data, &len, &err),
		     GATE_EREPO);
	cr_assert(strstr(err.message, "larger than"), "%s", err.message);
	cr_assert_null(data);
}

static void assert_absent(struct gate_repo *repo, const char *path)
{
	struct gate_error err = {0};
	char *data = (char[]){"x"};
	size_t len = 1;

	cr_assert_eq(read_file(repo, path, 100, &data, &len, &err), 0, "%s",
		     err.message);
	cr_assert_null(data, "%s", path);
}

static void assert_not_read(struct gate_repo *repo, const char *path)
{
	struct gate_error err = {0};
	char *data = NULL;
	size_t len = 0;

	cr_assert_eq(read_file(repo, path, 100, &data, &len, &err), GATE_EREPO);
	cr_assert(strstr(err.message, "not a regular file"), "%s", err.message);
	cr_assert_null(data);
}

static void check_reading(const char *dir)
{
	struct gate_repo *repo = open_repo(dir);

	assert_reads(repo, "a", "2\n", 2);
	assert_reads(repo, "d/e/deep", "deep\n", 5);
	assert_reads(repo, "binary", "a\0b", 3);
	assert_reads(repo, "empty", "", 0);
	assert_reads(repo, "run", "#!/bin/sh\n", 10);
	assert_absent(repo, "gate.json");
	assert_absent(repo, "d/missing");
	assert_absent(repo, "a/b");
	assert_absent(repo, "*");
	assert_not_read(repo, "link");
	assert_not_read(repo, "d");
	gate_repo_free(repo);
}

Test(checkout, reads_files_of_a_commit)
{
	make_repo("r");
	check_reading("r");
}

Test(checkout, reads_files_of_a_commit_by_git_where_libgit2_cannot)
{
	make_repo("r");
	sh("cd r && git config core.repositoryformatversion 1 && "
	   "git config extensions.worktreeConfig true");
	check_reading("r");
}

Test(checkout, reads_files_that_a_partial_clone_lacks)
{
	make_repo("up");
	sh("git clone -q --filter=blob:none --no-checkout file://%s/up r", top);
	check_reading("r");
}

Test(checkout, says_which_commit_it_cannot_read)
{
	struct gate_error err = {0};
	struct gate_repo *repo;
	char *data = NULL;
	size_t len = 0;

	make_repo("r");
	repo = open_repo("r");
	cr_assert_eq(gate_repo_read(repo, "HEAD", "a", 9, &data, &len, &err),
		     GATE_EREPO);
	cr_assert(strstr(err.message, "'HEAD' is not a commit id"));
	cr_assert_eq(gate_repo_read(repo,
				    "1111111111111111111111111111111111111111",
				    "a", 9, &data, &len, &err),
		     GATE_EREPO);
	cr_assert_null(data);
	gate_repo_free(repo);
}

/* ---- the work tree ---- */

static bool is_dirty(const char *dir)
{
	struct gate_repo *repo = open_repo(dir);
	struct gate_error err = {0};
	bool dirty;
	char *before = snapshot(dir);

	cr_assert_eq(gate_repo_dirty(repo, &dirty, &err), 0, "%s", err.message);
	gate_repo_free(repo);
	assert_untouched(dir, before);
	return dirty;
}

Test(checkout, sees_changes_to_tracked_files_only)
{
	make_repo("r");
	cr_assert_not(is_dirty("r"));
	sh("echo new >r/untracked");
	cr_assert_not(is_dirty("r"));
	sh("touch -d @1000000000 r/d/keep");
	cr_assert_not(is_dirty("r"));
	sh("echo changed >r/a");
	cr_assert(is_dirty("r"));
	sh("git -C r add a");
	cr_assert(is_dirty("r"));
	sh("git -C r reset -q --hard && rm r/d/keep");
	cr_assert(is_dirty("r"));
}

Test(checkout, does_not_take_what_a_sparse_tree_leaves_out_for_a_change)
{
	make_repo("r");
	sh("git -C r sparse-checkout set --cone d/e && test ! -e r/d/f");
	cr_assert_not(is_dirty("r"));
	sh("echo changed >r/a");
	cr_assert(is_dirty("r"));
}

/* ---- trees ---- */

Test(checkout, lays_out_both_commits_and_leaves_the_repository_untouched)
{
	struct gate_repo *repo;
	struct gate_trees t;
	char *before;

	make_repo("r");
	sh("cd r && echo mine >a && echo staged >d/keep && git add d/keep && "
	   "echo untracked >u && git stash -q && git stash apply -q --index");
	before = snapshot("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD~1", t.source[0]);
	assert_tree_is("r", "HEAD", t.source[1]);
	cr_assert(gate_fs_is_dir(t.build[0]));
	cr_assert(gate_fs_is_dir(t.build[1]));
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	gate_trees_done(&t);
	gate_repo_free(repo);
	assert_untouched("r", before);
	sh("cd r && test \"$(git worktree list | wc -l)\" = 1");
}

Test(checkout, names_trees_so_that_they_do_not_say_their_side)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert_eq(t.source[0][0], '/');
	cr_assert_eq(strlen(t.source[0]), strlen(t.source[1]));
	cr_assert_eq(strlen(t.build[0]), strlen(t.build[1]));
	cr_assert_str_neq(t.source[0], t.source[1]);
	cr_assert_str_neq(t.build[0], t.build[1]);
	cr_assert_not(strstr(t.source[0], "base"));
	cr_assert_not(strstr(t.source[1], "candidate"));
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, rewrites_only_what_differs_between_two_commits)
{
	struct gate_repo *repo;
	struct gate_trees t;
	struct timespec keep, a;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD~1");
	keep = mtime(t.source[1], "d/keep");
	a = mtime(t.source[1], "a");
	sh("touch %s/object", t.build[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	cr_assert(same_time(mtime(t.source[1], "d/keep"), keep));
	cr_assert_not(same_time(mtime(t.source[1], "a"), a));
	cr_assert(exists_in(t.build[1], "object"));
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, keeps_a_commit_in_the_tree_that_holds_it)
{
	struct gate_repo *repo;
	struct gate_trees t;
	struct timespec when;
	char *held;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	held = gate_strdup(t.source[1]);
	when = mtime(held, "a");
	gate_trees_done(&t);
	/* The candidate was merged: it is the base now. */
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert_str_eq(t.source[0], held);
	cr_assert(same_time(mtime(t.source[0], "a"), when));
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	/* And the other way round. */
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	cr_assert_str_eq(t.source[1], held);
	cr_assert(same_time(mtime(t.source[1], "a"), when));
	gate_trees_done(&t);
	gate_repo_free(repo);
	free(held);
}

Test(checkout, keeps_time_stamps_in_a_cache_that_was_copied)
{
	struct gate_repo *repo;
	struct gate_trees t;
	struct timespec when;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	when = mtime(t.source[0], "d/keep");
	gate_trees_done(&t);
	sh("mv cache old && cp -a old cache");
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert(same_time(mtime(t.source[0], "d/keep"), when));
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, restores_tracked_files_and_keeps_the_others)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("cd %s && echo bad >a && rm binary && chmod +x d/keep && "
	   "rm -r d/e && echo file >d/e && rm empty && mkdir empty && "
	   "echo x >empty/x && rm link && ln -s /nonexistent link && "
	   "echo object >d/keep.o",
	   t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert(exists_in(t.source[1], "d/keep.o"));
	sh("rm %s/d/keep.o && test ! -x %s/d/keep", t.source[1], t.source[1]);
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, keeps_only_ignored_files_of_another_commit)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("cd r && echo '*.o' >.gitignore && git add .gitignore && "
	   "git commit -q -m ignore && echo c >>a && git commit -q -a -m c");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	sh("cd %s && echo object >a.o && echo setting >left", t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~2", "HEAD");
	cr_assert(exists_in(t.source[1], "a.o"));
	cr_assert(!exists_in(t.source[1], "left"));
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, sees_a_change_that_keeps_size_and_time_stamp)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("cd %s && touch -r d/keep ../when && echo KEEP >d/keep && "
	   "touch -r ../when d/keep",
	   t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, removes_what_the_next_commit_does_not_have)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("cd r && git rm -qr d && echo d >d && git add d && "
	   "git commit -qm 'd is a file'");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD~1");
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD~1");
	assert_tree_is("r", "HEAD", t.source[0]);
	assert_tree_is("r", "HEAD~1", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, does_not_write_through_a_link_that_a_build_left)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("mkdir outside && cd %s && rm -r d && ln -s %s/outside d",
	   t.source[1], top);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	sh("test -z \"$(ls -A outside)\"");
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, replaces_a_tree_that_became_a_link)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("mkdir outside && touch outside/mine && rm -r %s cache/n1 && "
	   "ln -s %s/outside %s",
	   t.source[1], top, t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	sh("test \"$(ls -A outside)\" = mine");
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, leaves_the_folder_of_a_submodule_empty)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	make_repo("sub");
	sh("cd r && git submodule --quiet add ../sub sub && git commit -qm s");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	sh("test -d %s/sub && test -z \"$(ls -A %s/sub)\"", t.source[1],
	   t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD~1");
	assert_tree_is("r", "HEAD", t.source[0]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, overwrites_an_untracked_file_in_the_way)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("cd r && echo new >out.o && git add -f out.o && git commit -qm out");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD~1");
	sh("echo stale >%s/out.o && mkdir %s/out.o", t.source[0], t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD~1");
	assert_tree_is("r", "HEAD", t.source[0]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, runs_no_filter_and_no_hook)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("cd r && echo '* filter=evil' >.gitattributes && "
	   "git add .gitattributes && git commit -qm attributes");
	sh("cd r && for scope in --local --global; do "
	   "git config $scope filter.evil.smudge 'touch %s/ran; cat'; "
	   "git config $scope filter.evil.process 'touch %s/ran; cat'; "
	   "git config $scope core.fsmonitor 'touch %s/ran; false'; "
	   "git config $scope filter.evil.required true; done",
	   top, top, top);
	sh("cd r/.git/hooks && printf '#!/bin/sh\\ntouch %s/ran\\n' "
	   ">post-checkout && chmod +x post-checkout && "
	   "cp post-checkout post-index-change",
	   top);
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("test ! -e ran && echo 3 | cmp - %s/a", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, forgets_configuration_that_a_build_wrote_into_the_cache)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	sh("cd r && echo '* filter=evil' >.gitattributes && "
	   "git add .gitattributes && git commit -qm attributes");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	sh("git --git-dir=cache/git config filter.evil.smudge "
	   "'touch %s/ran; cat'",
	   top);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD");
	sh("test ! -e ran && echo 3 | cmp - %s/a", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, lays_out_whole_trees_from_a_sparse_partial_clone)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("up");
	sh("git clone -q --filter=blob:none --sparse file://%s/up r && "
	   "test ! -e r/d",
	   top);
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("up", "HEAD~1", t.source[0]);
	assert_tree_is("up", "HEAD", t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~2", "HEAD~1");
	assert_tree_is("up", "HEAD~2", t.source[0]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	sh("cd r && test ! -e d && test -z \"$(git status -s)\"");
}

Test(checkout, lays_out_the_tip_of_a_shallow_clone)
{
	struct gate_repo *repo;
	struct gate_trees t;
	char *before;

	make_repo("up");
	sh("git clone -q --depth 1 file://%s/up r", top);
	before = snapshot("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD", "HEAD");
	assert_tree_is("up", "HEAD", t.source[0]);
	assert_tree_is("up", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	assert_untouched("r", before);
}

Test(checkout, borrows_objects_that_the_repository_borrows_itself)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("up");
	sh("git clone -q --shared up r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("up", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, keeps_a_second_gate_out)
{
	struct gate_error err = {0};
	struct gate_trees t, second = {0};
	struct gate_repo *repo;
	char *id, *pid;

	make_repo("r");
	repo = open_repo("r");
	id = resolve(repo, "HEAD");
	t = lay_out(repo, "HEAD~1", "HEAD");
	cr_assert_eq(gate_trees_lay_out(repo, "cache", id, id, &second, &err),
		     GATE_EREPO);
	pid = gate_asprintf(
		"another gate with process id %ld is using %s/cache",
		(long)getpid(), top);
	cr_assert(strstr(err.message, pid), "%s", err.message);
	cr_assert_null(second.source[0]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD");
	gate_trees_done(&t);
	gate_repo_free(repo);
	free(id);
	free(pid);
}

Test(checkout, gives_the_lock_back_when_laying_out_fails)
{
	static const char missing[] =
		"1111111111111111111111111111111111111111";
	struct gate_error err = {0};
	struct gate_repo *repo;
	struct gate_trees t = {0};

	make_repo("r");
	repo = open_repo("r");
	cr_assert_eq(
		gate_trees_lay_out(repo, "cache", missing, missing, &t, &err),
		GATE_EREPO);
	cr_assert(strstr(err.message, "cannot lay out commit 111111111111"),
		  "%s", err.message);
	cr_assert_null(t.source[0]);
	cr_assert_eq(
		gate_trees_lay_out(repo, "cache", "HEAD", missing, &t, &err),
		GATE_EREPO);
	t = lay_out(repo, "HEAD", "HEAD");
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, does_not_lend_the_lock_to_children)
{
	struct gate_repo *repo;
	struct gate_trees t;
	pid_t child;
	int status;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD", "HEAD");
	child = fork();
	if (child == 0) {
		execlp("sleep", "sleep", "30", (char *)NULL);
		_exit(127);
	}
	usleep(100000);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD", "HEAD");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, recovers_from_an_interrupted_layout)
{
	struct gate_repo *repo;
	struct gate_trees t;
	struct timespec when;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	when = mtime(t.source[1], "d/keep");
	/* What a git that was killed leaves: its lock, some files of a commit
	 * that the index does not know, no note. */
	sh("touch cache/i1.lock && sed -i 's/.* /interrupted /' cache/n1 && "
	   "echo half >%s/half && "
	   "mkdir %s/more && echo x >%s/more/x && echo wrong >%s/a",
	   t.source[1], t.source[1], t.source[1], t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	cr_assert(same_time(mtime(t.source[1], "d/keep"), when));
	gate_trees_done(&t);
	gate_repo_free(repo);
}

/* Git itself takes some indexes that were cut for whole ones. */
Test(checkout, recovers_from_an_index_that_was_cut)
{
	struct gate_repo *repo;
	struct gate_trees t;
	unsigned size;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	for (size = 0; size < 400; size += 80) {
		sh("head -c %u cache/i0 >x && cp x cache/i0 && "
		   "echo left >%s/left && echo bad >%s/d/keep",
		   size, t.source[0], t.source[0]);
		gate_trees_done(&t);
		t = lay_out(repo, "HEAD~1", "HEAD");
		assert_tree_is("r", "HEAD~1", t.source[0]);
	}
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, does_not_trust_an_index_that_a_build_changed)
{
	struct gate_repo *repo;
	struct gate_trees t;

	make_repo("r");
	repo = open_repo("r");
	t = lay_out(repo, "HEAD~1", "HEAD");
	sh("cd %s && GIT_INDEX_FILE=../i1 git --git-dir=../git --work-tree=. "
	   "update-index --assume-unchanged a && echo bad >a",
	   t.source[1]);
	gate_trees_done(&t);
	t = lay_out(repo, "HEAD~1", "HEAD");
	assert_tree_is("r", "HEAD", t.source[1]);
	gate_trees_done(&t);
	gate_repo_free(repo);
}

Test(checkout, stops_when_it_is_asked_to)
{
	struct gate_error err = {0};
	struct gate_repo *repo;
	struct gate_trees t = {0};
	char *id;

	make_repo("r");
	repo = open_repo("r");
	id = resolve(repo, "HEAD");
	gate_interrupt_raise();
	cr_assert_eq(gate_trees_lay_out(repo, "cache", id, id, &t, &err),
		     GATE_EINTR);
	gate_interrupt_clear();
	t = lay_out(repo, "HEAD", "HEAD");
	assert_tree_is("r", "HEAD", t.source[0]);
	gate_trees_done(&t);
	gate_repo_free(repo);
	free(id);
}

/* Lays out in a process that is killed after some time. */
static void lay_out_and_die(struct gate_repo *repo, const char *base,
			    const char *candidate, unsigned after_us)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct gate_error err;
		struct gate_trees t = {0};

		gate_trees_lay_out(repo, "cache", base, candidate, &t, &err);
		_exit(0);
	}
	usleep(after_us);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

Test(checkout, survives_being_killed_at_any_moment)
{
	struct gate_repo *repo;
	struct gate_trees t;
	char *old, *new;
	unsigned i;

	sh("git init -q r && cd r && mkdir d && "
	   "for i in $(seq 1500); do echo $i >d/f$i; done && git add . && "
	   "git commit -qm many && git rm -qr d && mkdir e && "
	   "for i in $(seq 1500); do echo $i >e/f$i; done && git add . && "
	   "git commit -qm other");
	repo = open_repo("r");
	old = resolve(repo, "HEAD~1");
	new = resolve(repo, "HEAD");
	for (i = 1; i <= 8; i++) {
		lay_out_and_die(repo, i % 2 ? old : new, new, i * i * 2000);
		t = lay_out(repo, "HEAD~1", "HEAD");
		assert_tree_is("r", "HEAD~1", t.source[0]);
		assert_tree_is("r", "HEAD", t.source[1]);
		gate_trees_done(&t);
	}
	gate_repo_free(repo);
	free(old);
	free(new);
}
