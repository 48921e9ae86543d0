#include "gate/checkout.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <git2.h>

#include "gate/checkout_git.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

enum {
	REV_MAX = 1024,
	/* Names of branches and tags searched for the nearest. */
	NAMES_MAX = 1 << 20,
	ABSENT = 1 /* beside enum gate_status: no such thing, and no error */
};

/* ---- opening ---- */

/* Git before 2.38 says "unsafe repository ('PATH' is owned by ...)". */
static bool owner_refused(const char *out)
{
	return strstr(out, "dubious ownership") ||
	       strstr(out, "unsafe repository");
}

static int owner_error(const char *dir, const char *out, bool trust,
		       struct gate_error *err)
{
	const char *start = strchr(out, '\''), *end;
	char *path, *quoted;
	int rc;

	end = start ? strchr(start + 1, '\'') : NULL;
	path = end ? gate_strndup(start + 1, (size_t)(end - start - 1))
		   : gate_strdup(dir);
	quoted = gate_proc_quote((const char *const[]){path, NULL});
	rc = gate_error_set(err, GATE_EREPO,
			    "%s is owned by another user, so git does not "
			    "open it: run `git config --global --add "
			    "safe.directory %s`%s",
			    path, quoted,
			    trust ? " (this git is too old for --trust-repo)"
				  : " or give --trust-repo");
	free(quoted);
	free(path);
	return rc;
}

static int open_error(const char *dir, const char *out, bool trust,
		      struct gate_error *err)
{
	char *text;
	int rc;

	if (owner_refused(out))
		return owner_error(dir, out, trust, err);
	if (strstr(out, "not a git repository (or any"))
		return gate_error_set(err, GATE_EREPO,
				      "no git repository in %s or above it: "
				      "give --repo DIR",
				      dir);
	text = gate_git_complaint(out);
	rc = gate_error_set(err, GATE_EREPO, "git cannot open %s: %s", dir,
			    text);
	free(text);
	return rc;
}

/* One answer of rev-parse, which must come. */
static int ask(const struct gate_git *g, const char *const *args, char **ret,
	       struct gate_error *err)
{
	char *text = NULL;
	int rc = gate_git_text(g, args, &text, err);

	if (rc)
		return rc;
	if (!text) {
		/* Once more, for its words. */
		rc = gate_git_do(g, args, err);
		if (rc)
			return rc;
		gate_error_set(err, GATE_EREPO, "git %s failed once", args[0]);
		return GATE_EREPO;
	}
	*ret = text;
	return GATE_OK;
}

/* The words of `git rev-parse --is-... --show-object-format`. */
static void read_facts(struct gate_repo *r, const char *text)
{
	const char *line[3] = {text, "", ""};
	size_t i;

	for (i = 1; i < 3; i++) {
		line[i] = strchrnul(line[i - 1], '\n');
		line[i] += *line[i] == '\n';
	}
	r->has_work_tree = gate_str_starts(line[0], "true");
	r->shallow = gate_str_starts(line[1], "true");
	r->hex_len = gate_str_starts(line[2], "sha256") ? 64 : 40;
}

static int find_objects(struct gate_repo *r, const struct gate_git *g,
			struct gate_error *err)
{
	static const char *const args[] = {"rev-parse", "--git-path", "objects",
					   NULL};
	char *text = NULL, *full;
	int rc = ask(g, args, &text, err);

	if (rc)
		return rc;
	full = gate_fs_join(g->cwd, text);
	free(text);
	r->objects = realpath(full, NULL);
	if (!r->objects)
		rc = gate_error_sys(err, errno, "%s", full);
	free(full);
	return rc;
}

static int find_path(struct gate_repo *r, const struct gate_git *g,
		     struct gate_error *err)
{
	static const char *const args[] = {"rev-parse", "--show-toplevel",
					   NULL};

	if (r->has_work_tree)
		return ask(g, args, &r->path, err);
	r->path = gate_strdup(r->git_dir);
	return GATE_OK;
}

/* Format 1 means extensions. libgit2 1.5 refuses most of them, and leaks when
 * it looks for those it knows. */
static int find_extensions(struct gate_repo *r, const struct gate_git *g,
			   struct gate_error *err)
{
	static const char *const args[] = {
		"config", "--get-regexp",
		"^(core\\.repositoryformatversion|extensions\\.partialclone|"
		"remote\\..*\\.promisor)$",
		NULL};
	char *text = NULL, *line, *rest;
	int rc = gate_git_text(g, args, &text, err);

	for (line = strtok_r(text ? text : (char[]){""}, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (!gate_str_starts(line, "core."))
			r->partial = true;
		else if (strcmp(line, "core.repositoryformatversion 0") != 0)
			r->extended = true;
	free(text);
	return rc;
}

/* Git looks for the repository, since only git knows all of safe.directory,
 * every extension and every object format. */
static int discover(struct gate_repo *r, const char *dir, bool trust,
		    struct gate_error *err)
{
	static const char *const git_dir[] = {"rev-parse", "--absolute-git-dir",
					      NULL};
	static const char *const facts[] = {
		"rev-parse", "--is-inside-work-tree", "--is-shallow-repository",
		"--show-object-format", NULL};
	struct gate_git g = {.cwd = dir, .trust = trust, .env = r->env};
	struct gate_proc_result res;
	char *text = NULL;
	int rc;

	rc = gate_git_text(&g, git_dir, &r->git_dir, err);
	if (rc)
		return rc;
	if (!r->git_dir) {
		rc = gate_git_run(&g, git_dir, true, 0, &res, err);
		if (!rc) {
			rc = open_error(dir, gate_str_text(&res.out), trust,
					err);
			gate_str_done(&res.out);
		}
		return rc;
	}
	rc = ask(&g, facts, &text, err);
	if (rc)
		return rc;
	read_facts(r, text);
	free(text);
	rc = find_path(r, &g, err);
	if (!rc)
		rc = find_objects(r, &g, err);
	return rc ? rc : find_extensions(r, &g, err);
}

static git_repository *open_without_owner(const char *path)
{
	git_repository *lg = NULL;
#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 5
	int before = 1;

	git_libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &before);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
#endif
	if (git_repository_open_ext(&lg, path, GIT_REPOSITORY_OPEN_NO_SEARCH,
				    NULL))
		lg = NULL;
#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 5
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, before);
#endif
	return lg;
}

/*
 * Without libgit2 everything still works, by git. It is asked to ignore the
 * owner because git has just agreed to open this repository (or was told to).
 */
static void open_libgit2(struct gate_repo *r)
{
	char *real;

	if (r->extended || git_libgit2_init() < 0)
		return;
	r->lg_started = true;
	r->lg = open_without_owner(r->path);
	if (!r->lg)
		return;
	/* The two must not mean different repositories. */
	real = realpath(git_repository_path(r->lg), NULL);
	if (!real || strcmp(real, r->git_dir) != 0) {
		git_repository_free(r->lg);
		r->lg = NULL;
	}
	free(real);
}

int gate_repo_open(const struct gate_repo_opts *opts, struct gate_repo **ret,
		   struct gate_error *err)
{
	struct gate_repo *r;
	char *dir;
	int rc;

	dir = realpath(opts->dir, NULL);
	if (!dir)
		return gate_error_set(err, GATE_EREPO, "%s: %s", opts->dir,
				      strerror(errno));
	r = gate_alloc(sizeof *r);
	r->env = gate_git_env_user();
	if (!gate_fs_is_dir(dir))
		rc = gate_error_set(err, GATE_EREPO, "%s: not a folder", dir);
	else if (!gate_proc_in_path("git"))
		rc = gate_error_set(err, GATE_EREPO,
				    "the git program is not in PATH");
	else
		rc = discover(r, dir, opts->trust_repo, err);
	free(dir);
	if (rc) {
		gate_repo_free(r);
		return rc;
	}
	open_libgit2(r);
	*ret = r;
	return GATE_OK;
}

void gate_repo_free(struct gate_repo *repo)
{
	if (!repo)
		return;
	git_repository_free(repo->lg);
	if (repo->lg_started)
		git_libgit2_shutdown();
	free(repo->path);
	free(repo->git_dir);
	free(repo->objects);
	gate_proc_env_free(repo->env);
	free(repo);
}

const char *gate_repo_path(const struct gate_repo *repo)
{
	return repo->path;
}

/* ---- revisions ---- */

static int check_rev(const char *rev, struct gate_error *err)
{
	const char *c;

	if (!*rev)
		return gate_error_set(err, GATE_EREPO, "an empty revision");
	if (*rev == '-')
		return gate_error_set(err, GATE_EREPO,
				      "revision '%.200s' begins with '-'", rev);
	if (strlen(rev) > REV_MAX)
		return gate_error_set(err, GATE_EREPO,
				      "revision '%.80s...' is longer than %d "
				      "bytes",
				      rev, REV_MAX);
	for (c = rev; *c; c++)
		if (iscntrl((unsigned char)*c))
			return gate_error_set(err, GATE_EREPO,
					      "revision '%s' holds a control "
					      "character",
					      rev);
	return GATE_OK;
}

/* A whole id means that object, whatever a branch may be called. */
static bool is_id_here(const struct gate_repo *repo, const char *rev)
{
	return gate_git_is_id(rev) && strlen(rev) == repo->hex_len;
}

static char *id_text(const git_oid *oid)
{
	char hex[41];

	return gate_strdup(git_oid_tostr(hex, sizeof hex, oid));
}

/*
 * Whole ids and the names of references. All other syntax is left to git:
 * git_revparse_single() of libgit2 1.5 knows less of it, and leaks whenever
 * its pattern for `git describe` does not match.
 */
static git_object *lg_object(const struct gate_repo *repo, const char *rev)
{
	git_reference *ref = NULL;
	git_object *obj = NULL;
	git_oid oid;

	if (!is_id_here(repo, rev)) {
		if (!git_reference_dwim(&ref, repo->lg, rev) &&
		    git_reference_peel(&obj, ref, GIT_OBJECT_COMMIT))
			obj = NULL;
		git_reference_free(ref);
		return obj;
	}
	if (git_oid_fromstr(&oid, rev) ||
	    git_object_lookup(&obj, repo->lg, &oid, GIT_OBJECT_ANY))
		return NULL;
	return obj;
}

/* NULL when libgit2 cannot tell; then git is asked. */
static char *lg_commit(const struct gate_repo *repo, const char *rev)
{
	git_object *obj, *commit = NULL;
	char *hex = NULL;

	obj = repo->lg ? lg_object(repo, rev) : NULL;
	if (obj && !git_object_peel(&commit, obj, GIT_OBJECT_COMMIT))
		hex = id_text(git_object_id(commit));
	git_object_free(commit);
	git_object_free(obj);
	return hex;
}

/* *ret is NULL when there is no such commit. */
static int lookup(struct gate_repo *repo, const char *rev, char **ret,
		  struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	char *spec;
	int rc;

	*ret = lg_commit(repo, rev);
	if (*ret)
		return GATE_OK;
	/* What follows ":/" is a pattern to its end. */
	spec = gate_asprintf("%s%s", rev,
			     gate_str_starts(rev, ":/") ? "" : "^{commit}");
	rc = gate_git_text(&g,
			   (const char *const[]){"rev-parse", "--verify",
						 "--quiet", "--end-of-options",
						 spec, NULL},
			   ret, err);
	free(spec);
	if (!rc && *ret && !gate_git_is_id(*ret)) {
		free(*ret);
		*ret = NULL;
	}
	return rc;
}

/*
 * A commit that is known by its id and lies on origin can be had: what a CI
 * system's shallow clone lacks. A complete clone must not become a shallow
 * one, so only a shallow one is fetched into with a depth. No reference is
 * written. Failure is no error here: the caller says what is missing.
 */
static int fetch_id(struct gate_repo *repo, const char *id, bool *tried,
		    struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	struct gate_proc_result res;
	const char *args[] = {"fetch",
			      "--quiet",
			      "--no-tags",
			      "--no-write-fetch-head",
			      "--no-recurse-submodules",
			      "--refmap=",
			      repo->shallow ? "--depth=1" : "--no-prune",
			      "--end-of-options",
			      "origin",
			      id,
			      NULL};
	char *url = NULL;
	int rc;

	rc = gate_git_text(
		&g, (const char *const[]){"config", "remote.origin.url", NULL},
		&url, err);
	if (rc || !url)
		return rc;
	free(url);
	*tried = true;
	rc = gate_git_run(&g, args, false, 0, &res, err);
	if (!rc)
		gate_str_done(&res.out);
	return rc;
}

/* ---- why a revision does not exist ---- */

/* How many commits `rev` reaches back, one more than its ~ and ^ count; 0 when
 * it is not that simple. */
static unsigned depth_of(const char *suffix)
{
	uint64_t n, depth = 1;
	size_t len;
	char c;

	while ((c = *suffix)) {
		if (c != '~' && c != '^')
			return 0;
		len = strspn(++suffix, "0123456789");
		n = 1;
		if (len && (!gate_num_u64(suffix, len, &n) || n > 1000000))
			return 0;
		depth += c == '~' ? n : 1;
		suffix += len;
	}
	return depth > 1 && depth < 1000000 ? (unsigned)depth : 0;
}

static void add_shallow_hint(struct gate_str *s, const struct gate_repo *repo,
			     const char *suffix)
{
	unsigned depth = depth_of(suffix);

	if (!repo->shallow)
		return;
	gate_str_addf(s,
		      "; this is a shallow clone, whose history is cut: run "
		      "`git fetch --deepen=%u` or `git fetch --unshallow`, or "
		      "clone with more (fetch-depth: %u on GitHub, GIT_DEPTH: "
		      "%u on GitLab)",
		      depth ? depth - 1 : 100, depth, depth);
}

/* The names of branches and tags, as an array that ends with NULL; they lie in
 * *text. */
static int list_names(struct gate_repo *repo, char **text, const char ***ret,
		      struct gate_error *err)
{
	static const char *const args[] = {
		"for-each-ref", "--format=%(refname:short)",
		"refs/heads",   "refs/tags",
		"refs/remotes", NULL};
	struct gate_git g = gate_repo_git(repo);
	struct gate_proc_result res;
	const char **names = NULL;
	size_t n = 0, cap = 0;
	char *line, *end;
	int rc;

	rc = gate_git_run(&g, args, false, NAMES_MAX, &res, err);
	if (rc)
		return rc;
	*text = gate_str_steal(&res.out);
	for (line = *text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		GATE_PUSH(names, n, cap, line);
	}
	GATE_PUSH(names, n, cap, NULL);
	*ret = names;
	return GATE_OK;
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* The branch that exists on a remote only, or the nearest name. Alike because
 * both begin with "origin/" is not near. */
static const char *nearest(const char *name, const char *const *names)
{
	const char *near, *part = last_part(name), *found;
	size_t i, n = strlen(name), m;

	for (i = 0; names[i]; i++) {
		m = strlen(names[i]);
		if (m > n && names[i][m - n - 1] == '/' &&
		    strcmp(names[i] + m - n, name) == 0)
			return names[i];
	}
	near = gate_str_nearest(name, names);
	if (!near || part == name)
		return near;
	found = last_part(near);
	return strcmp(found, part) == 0 ||
			       gate_str_nearest(
				       part, (const char *const[]){found, NULL})
		       ? near
		       : NULL;
}

/* Says which name of the repository `name` may have meant. */
static int add_nearest(struct gate_repo *repo, const char *name,
		       const char *suffix, struct gate_str *s,
		       struct gate_error *err)
{
	const char **names = NULL, *near;
	char *text = NULL;
	int rc = list_names(repo, &text, &names, err);

	if (rc)
		return rc;
	near = nearest(name, names);
	if (near)
		gate_str_addf(s, " (did you mean '%s%s'?)", near, suffix);
	free(names);
	free(text);
	return GATE_OK;
}

static int is_empty(struct gate_repo *repo, bool *ret, struct gate_error *err)
{
	static const char *const args[] = {"for-each-ref", "--count=1", NULL};
	struct gate_git g = gate_repo_git(repo);
	char *head = NULL, *refs = NULL;
	int rc = lookup(repo, "HEAD", &head, err);

	if (!rc)
		rc = ask(&g, args, &refs, err);
	*ret = !rc && !head && !*refs;
	free(head);
	free(refs);
	return rc;
}

/* What git itself knows better: another kind of object, several objects. */
static int add_reason(struct gate_repo *repo, const char *rev,
		      struct gate_str *s, struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	struct gate_proc_result res;
	char *type = NULL;
	int rc;

	rc = gate_git_text(&g,
			   (const char *const[]){"cat-file", "-t",
						 "--end-of-options", rev, NULL},
			   &type, err);
	if (rc)
		return rc;
	if (type) {
		gate_str_addf(s, "'%s' is a %s, not a commit", rev, type);
		free(type);
		return GATE_OK;
	}
	rc = gate_git_run(&g,
			  (const char *const[]){"rev-parse", "--verify",
						"--end-of-options", rev, NULL},
			  true, 0, &res, err);
	if (rc)
		return rc;
	if (strstr(gate_str_text(&res.out), "is ambiguous"))
		gate_str_addf(s,
			      "'%s' is short for several objects: give "
			      "more digits",
			      rev);
	gate_str_done(&res.out);
	return GATE_OK;
}

static int explain_absence(struct gate_repo *repo, const char *rev,
			   struct gate_str *s, struct gate_error *err)
{
	size_t n = strcspn(rev, "~^@:");
	char *name = gate_strndup(rev, n), *hex = NULL;
	const char *suffix = rev + n;
	int rc = GATE_OK;

	gate_str_addf(s, "no commit '%s' in %s", rev, repo->path);
	if (n && *suffix)
		rc = lookup(repo, name, &hex, err);
	if (hex)
		gate_str_addf(s, ", although it has '%s'", name);
	else if (!rc && n && !is_id_here(repo, rev))
		rc = add_nearest(repo, name, suffix, s, err);
	add_shallow_hint(s, repo, suffix);
	free(hex);
	free(name);
	return rc;
}

static int explain(struct gate_repo *repo, const char *rev, bool fetched,
		   struct gate_error *err)
{
	struct gate_str s = {0};
	bool empty = false;
	int rc;

	rc = is_empty(repo, &empty, err);
	if (!rc && empty)
		return gate_error_set(err, GATE_EREPO, "%s has no commits yet",
				      repo->path);
	if (!rc)
		rc = add_reason(repo, rev, &s, err);
	if (!rc && !s.len)
		rc = explain_absence(repo, rev, &s, err);
	if (fetched)
		gate_str_puts(&s, "; `git fetch origin` of it failed too");
	if (!rc)
		rc = gate_error_set(err, GATE_EREPO, "%s", gate_str_text(&s));
	gate_str_done(&s);
	return rc;
}

int gate_repo_resolve(struct gate_repo *repo, const char *rev, char **ret,
		      struct gate_error *err)
{
	bool fetched = false;
	char *hex = NULL;
	int rc;

	rc = check_rev(rev, err);
	if (!rc)
		rc = lookup(repo, rev, &hex, err);
	if (!rc && !hex && is_id_here(repo, rev)) {
		rc = fetch_id(repo, rev, &fetched, err);
		if (!rc)
			rc = lookup(repo, rev, &hex, err);
	}
	if (!rc && !hex)
		return explain(repo, rev, fetched, err);
	if (!rc)
		*ret = hex;
	return rc;
}

/* ---- the default base ---- */

/* *ret is NULL when the two have no common ancestor here. */
static int merge_base(struct gate_repo *repo, const char *a, const char *b,
		      char **ret, struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	git_oid one, two, base;
	char *end;
	int rc;

	/* libgit2 before 1.7 cannot walk a history that is cut. */
	if (repo->lg && !repo->shallow && !git_oid_fromstr(&one, a) &&
	    !git_oid_fromstr(&two, b) &&
	    !git_merge_base(&base, repo->lg, &one, &two)) {
		*ret = id_text(&base);
		return GATE_OK;
	}
	rc = gate_git_text(&g, (const char *const[]){"merge-base", a, b, NULL},
			   ret, err);
	if (rc || !*ret)
		return rc;
	end = strchrnul(*ret, '\n');
	*end = '\0';
	return GATE_OK;
}

/* The upstream of `rev` when it is a branch, by name and commit; both NULL
 * when there is none. */
static int upstream(struct gate_repo *repo, const char *rev, char **name,
		    char **commit, struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	char *spec = gate_asprintf("%s@{upstream}", rev);
	int rc;

	rc = lookup(repo, spec, commit, err);
	/* Without --end-of-options, which it would print; check_rev() has
	 * refused what could be taken for one. */
	if (!rc && *commit)
		rc = gate_git_text(&g,
				   (const char *const[]){"rev-parse",
							 "--abbrev-ref", spec,
							 NULL},
				   name, err);
	if (!rc && *commit && !*name)
		*name = gate_strdup(spec);
	free(spec);
	return rc;
}

/* The first that exists of what people branch from. */
static int find_trunk(struct gate_repo *repo, const char *rev, char **name,
		      char **commit, struct gate_error *err)
{
	static const char *const names[] = {"origin/HEAD", "origin/main",
					    "origin/master"};
	char *ref;
	size_t i;
	int rc;

	rc = upstream(repo, rev, name, commit, err);
	for (i = 0; !rc && !*commit && i < sizeof names / sizeof names[0];
	     i++) {
		ref = gate_asprintf("refs/remotes/%s", names[i]);
		rc = lookup(repo, ref, commit, err);
		free(ref);
		if (!rc && *commit)
			*name = gate_strdup(names[i]);
	}
	return rc;
}

static int no_merge_base(const struct gate_repo *repo, const char *rev,
			 const char *trunk, struct gate_error *err)
{
	struct gate_str s = {0};
	int rc;

	gate_str_addf(&s, "%s and %s have no common ancestor: give --base REV",
		      rev, trunk);
	add_shallow_hint(&s, repo, "");
	rc = gate_error_set(err, GATE_EREPO, "%s", gate_str_text(&s));
	gate_str_done(&s);
	return rc;
}

int gate_repo_default_base(struct gate_repo *repo, const char *candidate_rev,
			   const char *candidate, char **ret, char **how,
			   struct gate_error *err)
{
	char *trunk = NULL, *commit = NULL, *base = NULL;
	int rc;

	rc = check_rev(candidate_rev, err);
	if (!rc)
		rc = find_trunk(repo, candidate_rev, &trunk, &commit, err);
	if (!rc && !commit)
		rc = gate_error_set(err, GATE_EREPO,
				    "no base to compare with: %s has no "
				    "upstream, and there is no origin/HEAD, "
				    "origin/main or origin/master; give "
				    "--base REV",
				    candidate_rev);
	if (!rc)
		rc = merge_base(repo, candidate, commit, &base, err);
	if (!rc && !base)
		rc = no_merge_base(repo, candidate_rev, trunk, err);
	if (!rc) {
		*ret = base;
		*how = gate_asprintf("merge base of %s and %s", candidate_rev,
				     trunk);
	}
	free(trunk);
	free(commit);
	return rc;
}

/* ---- files of a commit, and the work tree ---- */

static int not_a_file(const char *commit, const char *path,
		      struct gate_error *err)
{
	return gate_error_set(err, GATE_EREPO,
			      "%s in commit %.12s is not a regular file", path,
			      commit);
}

static int too_large(const char *commit, const char *path, size_t max,
		     struct gate_error *err)
{
	return gate_error_set(err, GATE_EREPO,
			      "%s in commit %.12s is larger than %zu bytes",
			      path, commit, max);
}

static git_tree *lg_tree(const struct gate_repo *repo, const char *commit)
{
	git_commit *c = NULL;
	git_tree *tree = NULL;
	git_oid oid;

	if (!repo->lg || git_oid_fromstr(&oid, commit) ||
	    git_commit_lookup(&c, repo->lg, &oid))
		return NULL;
	if (git_commit_tree(&tree, c))
		tree = NULL;
	git_commit_free(c);
	return tree;
}

static bool is_regular(git_filemode_t mode)
{
	return mode == GIT_FILEMODE_BLOB ||
	       mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

/* ABSENT when libgit2 cannot tell, so that git is asked. */
static int lg_read(const struct gate_repo *repo, const char *commit,
		   const char *path, size_t max, char **ret, size_t *len,
		   struct gate_error *err)
{
	git_tree *tree = lg_tree(repo, commit);
	git_tree_entry *entry = NULL;
	git_blob *blob = NULL;
	int rc = ABSENT;

	if (!tree || git_tree_entry_bypath(&entry, tree, path))
		goto out;
	if (!is_regular(git_tree_entry_filemode(entry))) {
		rc = not_a_file(commit, path, err);
		goto out;
	}
	if (git_blob_lookup(&blob, repo->lg, git_tree_entry_id(entry)))
		goto out;
	*len = (size_t)git_blob_rawsize(blob);
	rc = *len > max ? too_large(commit, path, max, err) : GATE_OK;
	if (!rc)
		*ret = *len ? gate_strndup(git_blob_rawcontent(blob), *len)
			    : gate_strdup("");
out:
	git_blob_free(blob);
	git_tree_entry_free(entry);
	git_tree_free(tree);
	return rc;
}

/* The id of the regular file `path`; ABSENT when there is none. */
static int git_file_id(struct gate_repo *repo, const char *commit,
		       const char *path, char **ret, struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	const char *args[] = {"ls-tree", "--full-tree", "-z", commit,
			      "--",      path,          NULL};
	char *line = NULL, *tab;
	int rc = ask(&g, args, &line, err);

	if (rc)
		return rc;
	/* "100644 blob ID\tPATH" */
	tab = strchr(line, '\t');
	if (!tab || strcmp(tab + 1, path) != 0) {
		rc = ABSENT;
	} else {
		*tab = '\0';
		if (gate_str_starts(line, "100") &&
		    (size_t)(tab - line) > repo->hex_len &&
		    gate_git_is_id(tab - repo->hex_len))
			*ret = gate_strdup(tab - repo->hex_len);
		else
			rc = not_a_file(commit, path, err);
	}
	free(line);
	return rc;
}

static int git_read(struct gate_repo *repo, const char *commit,
		    const char *path, size_t max, char **ret, size_t *len,
		    struct gate_error *err)
{
	struct gate_git g = gate_repo_git(repo);
	struct gate_proc_result res;
	char *id = NULL;
	int rc = git_file_id(repo, commit, path, &id, err);

	if (rc)
		return rc;
	rc = gate_git_run(&g,
			  (const char *const[]){"cat-file", "blob", id, NULL},
			  false, max + 1, &res, err);
	free(id);
	if (rc)
		return rc;
	if (res.exit_code)
		rc = gate_error_set(err, GATE_EREPO,
				    "git cannot read %s of commit %.12s", path,
				    commit);
	else if (res.out.len > max)
		rc = too_large(commit, path, max, err);
	if (rc) {
		gate_str_done(&res.out);
		return rc;
	}
	*len = res.out.len;
	*ret = gate_str_steal(&res.out);
	return GATE_OK;
}

int gate_repo_read(struct gate_repo *repo, const char *commit, const char *path,
		   size_t max, char **ret, size_t *len, struct gate_error *err)
{
	char *data = NULL;
	size_t n = 0;
	int rc;

	if (!gate_git_is_id(commit))
		return gate_error_set(err, GATE_EREPO,
				      "'%.80s' is not a commit id", commit);
	rc = lg_read(repo, commit, path, max, &data, &n, err);
	if (rc == ABSENT)
		rc = git_read(repo, commit, path, max, &data, &n, err);
	if (rc && rc != ABSENT)
		return rc;
	*ret = data;
	*len = n;
	return GATE_OK;
}

/* By git: in a sparse tree libgit2 1.5 calls every file that is left out a
 * change. */
int gate_repo_dirty(struct gate_repo *repo, bool *ret, struct gate_error *err)
{
	static const char *const args[] = {"status", "--porcelain",
					   "--untracked-files=no",
					   "--ignore-submodules=dirty", NULL};
	struct gate_git g = gate_repo_git(repo);
	char *text = NULL;
	int rc;

	if (!repo->has_work_tree) {
		*ret = false;
		return GATE_OK;
	}
	rc = ask(&g, args, &text, err);
	if (rc)
		return rc;
	*ret = *text != '\0';
	free(text);
	return GATE_OK;
}
