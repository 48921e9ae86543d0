#include "gate/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "gate/roundlog.h"
#include "gate/util/fs.h"
#include "gate/util/mem.h"
#include "gate/util/num.h"
#include "gate/util/str.h"

enum { JOURNAL_MAX = 1 << 28, WORDS_MAX = 5 };

static const char name[] = "journal";
static const char magic[] = "gate-journal 1\n";

struct round {
	enum gate_side side;
	char *job;
	unsigned round;
};

struct look {
	enum gate_clock clock;
	unsigned rounds;
};

struct gate_journal {
	char *dir, *path;
	int fd;
	struct gate_fact *facts; /* keys with their class */
	size_t n_facts, cap_facts;
	struct round *rounds;
	size_t n_rounds, cap_rounds;
	struct look *looks;
	size_t n_looks, cap_looks;
};

bool gate_journal_exists(const char *run_dir)
{
	char *path = gate_fs_join(run_dir, name);
	bool there = gate_fs_exists(path);

	free(path);
	return there;
}

void gate_journal_free(struct gate_journal *j)
{
	size_t i;

	if (!j)
		return;
	for (i = 0; i < j->n_facts; i++) {
		free(j->facts[i].key);
		free(j->facts[i].value);
	}
	for (i = 0; i < j->n_rounds; i++)
		free(j->rounds[i].job);
	free(j->facts);
	free(j->rounds);
	free(j->looks);
	if (j->fd >= 0)
		close(j->fd);
	free(j->dir);
	free(j->path);
	free(j);
}

/* Reading */

static bool read_side(const char *s, enum gate_side *ret)
{
	*ret = strcmp(s, gate_side_name(GATE_BASE)) ? GATE_CANDIDATE
						    : GATE_BASE;
	return !strcmp(s, gate_side_name(*ret));
}

static bool read_count(const char *s, unsigned *ret)
{
	uint64_t v;

	if (!gate_num_u64(s, strlen(s), &v) || !v || v > 1000000)
		return false;
	*ret = (unsigned)v;
	return true;
}

static bool take_fact(struct gate_journal *j, char *const *w)
{
	GATE_PUSH(j->facts, j->n_facts, j->cap_facts,
		  (struct gate_fact){.key = gate_strdup(w[1]),
				     .value = gate_strdup(w[2])});
	return true;
}

static bool take_round(struct gate_journal *j, char *const *w)
{
	struct round r;

	if (!read_side(w[1], &r.side) || !read_count(w[3], &r.round))
		return false;
	r.job = gate_strdup(w[2]);
	GATE_PUSH(j->rounds, j->n_rounds, j->cap_rounds, r);
	return true;
}

static bool take_look(struct gate_journal *j, char *const *w)
{
	struct look l;

	if (!gate_clock_parse(w[1], &l.clock) || !read_count(w[2], &l.rounds))
		return false;
	GATE_PUSH(j->looks, j->n_looks, j->cap_looks, l);
	return true;
}

static bool take_words(struct gate_journal *j, char *const *w, size_t n)
{
	if (n == 3 && !strcmp(w[0], "fact"))
		return take_fact(j, w);
	if (n == 4 && !strcmp(w[0], "round"))
		return take_round(j, w);
	if (n == 3 && !strcmp(w[0], "look"))
		return take_look(j, w);
	return false;
}

static bool take_line(struct gate_journal *j, const char *s, size_t len)
{
	char *words[WORDS_MAX];
	const char *end = s + len, *blank;
	size_t n = 0, i;
	bool ok;

	for (; s <= end && n < WORDS_MAX; s = blank + 1) {
		blank = memchr(s, ' ', (size_t)(end - s));
		if (!blank)
			blank = end;
		words[n++] = gate_roundlog_decode(s, (size_t)(blank - s));
	}
	ok = take_words(j, words, n);
	for (i = 0; i < n; i++)
		free(words[i]);
	return ok;
}

/* Reads all whole lines; *whole is where they end. */
static int read_lines(struct gate_journal *j, const char *text, size_t len,
		      size_t *whole, struct gate_error *err)
{
	const size_t head = sizeof magic - 1;
	const char *end;
	size_t at = head, line = 2;

	if (len < head || memcmp(text, magic, head) != 0)
		return gate_error_set(err, GATE_ESYNTAX,
				      "%s: not a journal of this gate",
				      j->path);
	while ((end = memchr(text + at, '\n', len - at))) {
		if (!take_line(j, text + at, (size_t)(end - text) - at))
			return gate_error_set(err, GATE_ESYNTAX,
					      "%s:%zu: not understood", j->path,
					      line);
		at = (size_t)(end - text) + 1;
		line++;
	}
	*whole = at;
	return GATE_OK;
}

static int read_journal(struct gate_journal *j, size_t *whole,
			struct gate_error *err)
{
	char *text = NULL;
	size_t len;
	int rc;

	rc = gate_fs_read(j->path, JOURNAL_MAX, &text, &len, err);
	if (!rc)
		rc = read_lines(j, text, len, whole, err);
	free(text);
	return rc;
}

int gate_journal_open(const char *run_dir, struct gate_journal **ret,
		      struct gate_error *err)
{
	struct gate_journal *j = gate_alloc(sizeof *j);
	size_t whole = sizeof magic - 1;
	int rc = GATE_OK;

	j->fd = -1;
	j->dir = gate_strdup(run_dir);
	j->path = gate_fs_join(run_dir, name);
	if (!gate_fs_exists(j->path))
		rc = gate_fs_write(j->path, magic, whole, err);
	if (!rc) {
		j->fd = open(j->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (j->fd < 0)
			rc = gate_error_sys(err, errno, "%s", j->path);
	}
	/* Held until the journal is freed: two runs would mix their rounds. */
	if (!rc && flock(j->fd, LOCK_EX | LOCK_NB))
		rc = gate_error_set(err, GATE_ERUN,
				    "another gate measures into %s", run_dir);
	if (!rc)
		rc = read_journal(j, &whole, err);
	/* What was cut must not become the start of the next line. */
	if (!rc && ftruncate(j->fd, (off_t)whole))
		rc = gate_error_sys(err, errno, "%s", j->path);
	if (rc)
		gate_journal_free(j);
	else
		*ret = j;
	return rc;
}

/* Writing */

static int append(struct gate_journal *j, const struct gate_str *s,
		  struct gate_error *err)
{
	size_t done = 0;
	ssize_t n;

	while (done < s->len) {
		n = write(j->fd, s->data + done, s->len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gate_error_sys(err, errno, "%s", j->path);
		done += (size_t)n;
	}
	if (fdatasync(j->fd))
		return gate_error_sys(err, errno, "%s", j->path);
	return GATE_OK;
}

/* Facts */

static bool of_class(const char *key, const char *class_name)
{
	size_t n = strlen(class_name);

	return !strncmp(key, class_name, n) && key[n] == '.';
}

static const char *find_fact(const struct gate_journal *j,
			     const char *class_name, const char *key)
{
	size_t i;

	for (i = 0; i < j->n_facts; i++)
		if (of_class(j->facts[i].key, class_name) &&
		    !strcmp(j->facts[i].key + strlen(class_name) + 1, key))
			return j->facts[i].value;
	return NULL;
}

static int refuse(const struct gate_journal *j, const char *key,
		  const char *there, const char *now, struct gate_error *err)
{
	return gate_error_set(err, GATE_EUSAGE,
			      "%s holds rounds of another test: %s is \"%s\" "
			      "there, \"%s\" now; give another --run-dir, or "
			      "an empty one",
			      j->dir, key, there, now);
}

static int check_class(const struct gate_journal *j, const char *class_name,
		       const struct gate_fact *facts, size_t n,
		       struct gate_error *err)
{
	const char *there, *key;
	size_t i, k;

	for (i = 0; i < n; i++) {
		there = find_fact(j, class_name, facts[i].key);
		if (!there || strcmp(there, facts[i].value) != 0)
			return refuse(j, facts[i].key, there ? there : "none",
				      facts[i].value, err);
	}
	for (i = 0; i < j->n_facts; i++) {
		if (!of_class(j->facts[i].key, class_name))
			continue;
		key = j->facts[i].key + strlen(class_name) + 1;
		for (k = 0; k < n && strcmp(facts[k].key, key) != 0; k++)
			continue;
		if (k == n)
			return refuse(j, key, j->facts[i].value, "none", err);
	}
	return GATE_OK;
}

int gate_journal_state(struct gate_journal *j, const char *class_name,
		       const struct gate_fact *facts, size_t n,
		       struct gate_error *err)
{
	struct gate_str s = {0};
	char *key;
	size_t i;
	int rc;

	for (i = 0; i < j->n_facts; i++)
		if (of_class(j->facts[i].key, class_name))
			return check_class(j, class_name, facts, n, err);
	for (i = 0; i < n; i++) {
		key = gate_asprintf("%s.%s", class_name, facts[i].key);
		gate_str_puts(&s, "fact ");
		gate_roundlog_encode(key, &s);
		gate_str_putc(&s, ' ');
		gate_roundlog_encode(facts[i].value, &s);
		gate_str_putc(&s, '\n');
		GATE_PUSH(j->facts, j->n_facts, j->cap_facts,
			  (struct gate_fact){
				  .key = key,
				  .value = gate_strdup(facts[i].value)});
	}
	rc = append(j, &s, err);
	gate_str_done(&s);
	return rc;
}

/* Rounds and looks */

bool gate_journal_has(const struct gate_journal *j, enum gate_side side,
		      const char *job, unsigned round)
{
	size_t i;

	for (i = 0; i < j->n_rounds; i++)
		if (j->rounds[i].round == round && j->rounds[i].side == side &&
		    !strcmp(j->rounds[i].job, job))
			return true;
	return false;
}

size_t gate_journal_rounds(const struct gate_journal *j)
{
	return j->n_rounds;
}

int gate_journal_add(struct gate_journal *j, enum gate_side side,
		     const char *job, unsigned round, struct gate_error *err)
{
	struct gate_str s = {0};
	int rc;

	if (gate_journal_has(j, side, job, round))
		return GATE_OK;
	gate_str_addf(&s, "round %s ", gate_side_name(side));
	gate_roundlog_encode(job, &s);
	gate_str_addf(&s, " %u\n", round);
	rc = append(j, &s, err);
	if (!rc)
		GATE_PUSH(j->rounds, j->n_rounds, j->cap_rounds,
			  (struct round){side, gate_strdup(job), round});
	gate_str_done(&s);
	return rc;
}

unsigned gate_journal_next_look(const struct gate_journal *j,
				enum gate_clock clock, unsigned rounds)
{
	unsigned next = 0;
	size_t i;

	for (i = 0; i < j->n_looks; i++)
		if (j->looks[i].clock == clock && j->looks[i].rounds > rounds &&
		    (!next || j->looks[i].rounds < next))
			next = j->looks[i].rounds;
	return next;
}

int gate_journal_look(struct gate_journal *j, enum gate_clock clock,
		      unsigned rounds, struct gate_error *err)
{
	struct gate_str s = {0};
	int rc;

	if (!rounds || gate_journal_next_look(j, clock, rounds - 1) == rounds)
		return GATE_OK;
	gate_str_addf(&s, "look %s %u\n", gate_clock_name(clock), rounds);
	rc = append(j, &s, err);
	if (!rc)
		GATE_PUSH(j->looks, j->n_looks, j->cap_looks,
			  (struct look){clock, rounds});
	gate_str_done(&s);
	return rc;
}
