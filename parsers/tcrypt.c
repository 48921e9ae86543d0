/*
 * tcrypt: the speed tests of crypto/tcrypt.c (Linux 3.6 to 7.3 read).
 *
 *   testing speed of [sync|async|multibuffer] ALG (DRIVER) [en|de]cryption
 *   test N (BITS bit key, BYTES byte blocks): RESULT
 *   test N (BYTES byte blocks, BYTES bytes per update, N updates): RESULT
 *
 * Each may stand behind "tcrypt: ", and RESULT may stand on a line of its own:
 * up to 6.1 the kernel prints it by a separate printk for aead cycles and for
 * hashes with one update, and any other message breaks a continued line. The
 * number N shifts when sizes are added, so it identifies nothing.
 */
#include "parsers/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/util/mem.h"
#include "parsers/scan.h"

enum {
	NAME_ROOM = 256, /* the kernel cuts names at 127 */
	ROW_ROOM = 512,
	PART_ROOM = 1024,
	VOICES = 8, /* depths of mail quoting told apart */
	BLOCK_MAX = 1000000000
};

/* An encryption and a decryption title differ from a hash's by a last word. */
enum operation { HASH, ENCRYPT, DECRYPT };

struct title {
	bool known;
	enum operation op;
	bool multibuffer;
	const char *mode;
	bool has_driver;
	char alg[NAME_ROOM];
	char driver[NAME_ROOM];
	char row[ROW_ROOM]; /* "multibuffer/ALG/encrypt/" */
	size_t row_len;
};

/* The sizes of a test whose result is still to come. */
struct head {
	bool open;
	bool hash;
	uint64_t key;
	uint64_t block;
	uint64_t update;
	uint64_t line;
};

struct result {
	enum gate_unit unit;
	double value;
	double resolution;
	uint64_t operations; /* printed, 0 where the line has no count */
	uint64_t bytes;      /* printed, 0 when absent or overflowed */
};

enum match { NO, PARTIAL, YES };
enum part { NOTHING, TITLE, HEAD, RESULT };

/*
 * One speaker: a mail and each log that it quotes have their own titles. A
 * sentence in a reply that repeats a title must not rename the rows quoted
 * around it.
 */
struct voice {
	struct title title;
	struct head head;
	/* A title, head or result that ended early, for the line after it:
	 * mailers wrap. */
	enum part part;
	size_t part_len;
	uint64_t part_line;
	char part_text[PART_ROOM];
};

struct tcrypt {
	const struct gate_sink *sink;
	struct voice voices[VOICES];
};

static void *open_tcrypt(const struct gate_sink *sink)
{
	struct tcrypt *t = gate_alloc(sizeof *t);

	t->sink = sink;
	return t;
}

/* --- results -------------------------------------------------------------- */

static enum match ended(const struct gate_scan *s)
{
	return s->ended ? PARTIAL : NO;
}

/* " (8930640 bytes)"; some excerpts lack it, and 32 bit kernels of old print
 * it negative. */
static void scan_bytes(struct gate_scan *s, struct result *r)
{
	r->bytes = 0;
	gate_scan_blanks(s);
	if (gate_scan_lit(s, "(") && gate_scan_u64(s, &r->bytes) &&
	    !gate_scan_lit(s, " bytes)"))
		r->bytes = 0;
}

/* Behind "N operations in ". */
static enum match scan_seconds(struct gate_scan *s, uint64_t n,
			       struct result *r)
{
	uint64_t seconds;

	if (!gate_scan_u64(s, &seconds) || !gate_scan_lit(s, " seconds"))
		return ended(s);
	if (!seconds)
		return NO;
	r->unit = GATE_UNIT_OP_PER_S;
	r->value = (double)n / (double)seconds;
	r->resolution = 1 / (double)seconds;
	r->operations = n;
	scan_bytes(s, r);
	return YES;
}

/* Behind "1 operation in ". "nsecs": a proposed change of April 2026. */
static enum match scan_cycles(struct gate_scan *s, struct result *r)
{
	uint64_t n;

	if (!gate_scan_u64(s, &n))
		return ended(s);
	if (gate_scan_lit(s, " cycles"))
		r->unit = GATE_UNIT_CYCLES_PER_OP;
	else if (gate_scan_lit(s, " nsecs"))
		r->unit = GATE_UNIT_NS_PER_OP;
	else
		return ended(s);
	r->value = (double)n;
	r->resolution = 1;
	r->operations = 1;
	scan_bytes(s, r);
	return YES;
}

/* Hashes: "N opers/sec, N bytes/sec", "N cycles/operation, N cycles/byte". The
 * second number is the first one divided, in whole numbers. */
static enum match scan_hash(struct gate_scan *s, uint64_t n, struct result *r)
{
	if (gate_scan_lit(s, " opers/sec"))
		r->unit = GATE_UNIT_OP_PER_S;
	else if (gate_scan_lit(s, " cycles/operation"))
		r->unit = GATE_UNIT_CYCLES_PER_OP;
	else if (gate_scan_lit(s, " nsecs/operation"))
		r->unit = GATE_UNIT_NS_PER_OP;
	else
		return ended(s);
	r->value = (double)n;
	r->resolution = 1;
	return YES;
}

static enum match scan_result(struct gate_scan s, struct result *r)
{
	uint64_t n;

	*r = (struct result){0};
	if (!gate_scan_u64(&s, &n))
		return NO;
	if (gate_scan_lit(&s, " operation")) {
		if (gate_scan_lit(&s, "s in "))
			return scan_seconds(&s, n, r);
		if (s.ended || s.p == s.end)
			return PARTIAL;
		if (!gate_scan_lit(&s, " in "))
			return ended(&s);
		return n == 1 ? scan_cycles(&s, r) : NO;
	}
	if (s.ended)
		return PARTIAL;
	return scan_hash(&s, n, r);
}

/*
 * A result that was joined to its head over other lines must fit it: the
 * kernel prints operations times block size. Modulo 2^32, since old kernels
 * count in a long; not for multibuffer, where some counted one buffer only.
 */
static bool fits(const struct title *t, const struct head *h,
		 const struct result *r)
{
	if (!r->bytes || !r->operations || t->multibuffer)
		return true;
	return (uint32_t)r->bytes == (uint32_t)(r->operations * h->block);
}

/* --- samples -------------------------------------------------------------- */

static char *put_text(char *p, const char *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

static char *put_number(char *p, uint64_t v)
{
	char digits[20];
	size_t n = sizeof digits;

	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	return put_text(p, digits + n, sizeof digits - n);
}

/* snprintf() would be half of the time that a log takes. */
static void sizes(char *p, const struct head *h)
{
	if (!h->hash) {
		p = put_text(p, "key=", 4);
		p = put_number(p, h->key);
		*p++ = '/';
	}
	p = put_text(p, "block=", 6);
	p = put_number(p, h->block);
	if (h->hash) {
		p = put_text(p, "/update=", 8);
		p = put_number(p, h->update);
	}
	*p = '\0';
}

/* A title that names a hash has no rows with keys, and the reverse. */
static bool title_fits(const struct title *t, const struct head *h)
{
	return t->known && (t->op == HASH) == h->hash;
}

static int emit(struct tcrypt *t, struct voice *v, struct gate_sample *s)
{
	char row[ROW_ROOM + 128];
	const struct title *title = &v->title;

	s->size = sizeof *s;
	s->bench = "tcrypt";
	s->row = row;
	s->iter = -1;
	if (title_fits(title, &v->head)) {
		sizes(put_text(row, title->row, title->row_len), &v->head);
		s->driver = title->has_driver ? title->driver : NULL;
		s->mode = title->mode;
	} else {
		sizes(v->head.hash ? put_text(row, "?/hash/", 7)
				   : put_text(row, "?/", 2),
		      &v->head);
	}
	v->head.open = false;
	return t->sink->emit(t->sink->ctx, s);
}

static int emit_value(struct tcrypt *t, struct voice *v, uint64_t line,
		      const struct result *r)
{
	struct gate_sample s = {
		.unit = r->unit,
		.better = r->unit == GATE_UNIT_OP_PER_S ? GATE_HIGHER
							: GATE_LOWER,
		.value = r->value,
		.resolution = r->resolution,
		.line = line,
		.status = title_fits(&v->title, &v->head) ? GATE_SAMPLE_OK
							  : GATE_SAMPLE_ORPHAN,
	};

	return emit(t, v, &s);
}

/* The open head gets no value. Without a title it is no row of anything. */
static int emit_nothing(struct tcrypt *t, struct voice *v,
			enum gate_sample_status status, uint64_t line,
			const char *message)
{
	struct gate_sample s = {
		.status = status,
		.line = line,
		.message = message,
	};

	if (!title_fits(&v->title, &v->head)) {
		v->head.open = false;
		t->sink->warn(t->sink->ctx, "parse.incomplete", line, message);
		return 0;
	}
	return emit(t, v, &s);
}

static int close_head(struct tcrypt *t, struct voice *v)
{
	if (!v->head.open)
		return 0;
	return emit_nothing(t, v, GATE_SAMPLE_INCOMPLETE, v->head.line,
			    "the result is missing or cut");
}

static void unparsed(struct tcrypt *t, uint64_t line, const char *text)
{
	t->sink->warn(t->sink->ctx, "parse.unparsed", line, text);
}

/* --- lines that end early ------------------------------------------------- */

static void keep_part(struct voice *v, enum part part, const char *text,
		      size_t len, uint64_t line)
{
	if (len >= sizeof v->part_text)
		return;
	memcpy(v->part_text, text, len);
	v->part_len = len;
	v->part_line = line;
	v->part = part;
}

/* --- titles --------------------------------------------------------------- */

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       gate_scan_digit(c) || memchr("()_-,.+/", c, 8);
}

/* Algorithm names hold no blank; what else prose may say is no title. */
static bool scan_alg(struct gate_scan *s, struct title *t)
{
	const char *name;
	size_t len, i;

	gate_scan_blanks(s);
	if (!gate_scan_word(s, '\0', &name, &len) || len >= sizeof t->alg)
		return false;
	for (i = 0; i < len; i++)
		if (!name_char(name[i]))
			return false;
	memcpy(t->alg, name, len);
	t->alg[len] = '\0';
	return true;
}

/* Cuts " encryption" or " decryption" off the end. */
static void scan_direction(struct gate_scan *s, struct title *t)
{
	static const char words[2][12] = {" encryption", " decryption"};
	size_t i, n = sizeof words[0] - 1;

	t->op = HASH;
	for (i = 0; i < 2; i++) {
		if (gate_scan_left(s) < n ||
		    memcmp(s->end - n, words[i], n) != 0)
			continue;
		t->op = i ? DECRYPT : ENCRYPT;
		s->end -= n;
		break;
	}
	while (s->end > s->p && gate_scan_blank(s->end[-1]))
		s->end--;
}

/*
 * "(DRIVER)", which is not always balanced inside. Kernels up to 3.18 print
 * none.
 */
static enum match scan_driver(struct gate_scan *s, struct title *t)
{
	size_t len;

	gate_scan_blanks(s);
	t->has_driver = s->p < s->end;
	if (!t->has_driver)
		return YES;
	len = gate_scan_left(s);
	if (*s->p != '(')
		return NO;
	if (s->end[-1] != ')')
		return memchr(s->p, ' ', len) ? NO : PARTIAL;
	len -= 2;
	if (!len || len >= sizeof t->driver || memchr(s->p, ' ', len))
		return NO;
	memcpy(t->driver, s->p + 1, len);
	t->driver[len] = '\0';
	return YES;
}

static void name_row(struct title *t)
{
	static const char *const words[] = {"hash", "encrypt", "decrypt"};

	t->row_len = (size_t)snprintf(t->row, sizeof t->row, "%s%s/%s/",
				      t->multibuffer ? "multibuffer/" : "",
				      t->alg, words[t->op]);
}

/* `s` is behind "testing speed of". */
static enum match scan_title(struct gate_scan s, struct title *t)
{
	enum match match;

	*t = (struct title){0};
	gate_scan_blanks(&s);
	if (gate_scan_lit(&s, "multibuffer "))
		t->multibuffer = true;
	else if (gate_scan_lit(&s, "async "))
		t->mode = "async";
	else if (gate_scan_lit(&s, "sync "))
		t->mode = "sync";
	if (s.p == s.end)
		return PARTIAL;
	scan_direction(&s, t);
	if (!scan_alg(&s, t))
		return NO;
	match = scan_driver(&s, t);
	if (match == YES) {
		t->known = true;
		name_row(t);
	}
	return match;
}

/* `kernel`: the line is no prose. A title that cannot be read still ends the
 * one before it. */
static int line_title(struct tcrypt *t, struct voice *v, struct gate_scan text,
		      struct gate_scan rest, uint64_t line, bool kernel)
{
	struct title title;
	enum match match = scan_title(rest, &title);
	int rc;

	if (match == NO && !kernel)
		return 0;
	rc = close_head(t, v);
	if (rc)
		return rc;
	/* Also when it is whole: a mailer may have wrapped the direction. */
	if (match != NO)
		keep_part(v, TITLE, text.p, gate_scan_left(&text), line);
	v->title = title;
	return 1;
}

/* --- heads ---------------------------------------------------------------- */

/* `s` is behind "test". */
static enum match scan_head(struct gate_scan *s, struct head *h)
{
	uint64_t n;

	*h = (struct head){0};
	if (!gate_scan_u64(s, &n) || !gate_scan_lit(s, " ("))
		return NO;
	if (!gate_scan_u64(s, &n))
		return ended(s);
	if (gate_scan_lit(s, " bit key,")) {
		h->key = n;
		if (!gate_scan_u64(s, &h->block) ||
		    !gate_scan_lit(s, " byte blocks):"))
			return ended(s);
	} else if (s->ended) {
		return PARTIAL;
	} else {
		h->hash = true;
		h->block = n;
		if (!gate_scan_lit(s, " byte blocks,") ||
		    !gate_scan_u64(s, &h->update) ||
		    !gate_scan_lit(s, " bytes per update,") ||
		    !gate_scan_u64(s, &n) || !gate_scan_lit(s, " updates):"))
			return ended(s);
	}
	if (h->key > BLOCK_MAX || h->block > BLOCK_MAX || h->update > BLOCK_MAX)
		return NO;
	h->open = true;
	return YES;
}

/* The words that the kernel prints in place of a result. */
static bool is_failure(const char *s, size_t n)
{
	static const char *const words[] = {"failed", "Failed", " error ",
					    " too big", "digestsize("};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (memmem(s, n, words[i], strlen(words[i])))
			return true;
	return false;
}

static int take_result(struct tcrypt *t, struct voice *v, struct gate_scan rest,
		       uint64_t line)
{
	struct result r;

	switch (scan_result(rest, &r)) {
	case YES:
		if (fits(&v->title, &v->head, &r))
			return emit_value(t, v, line, &r);
		unparsed(t, line, rest.p);
		return emit_nothing(t, v, GATE_SAMPLE_INCOMPLETE, line,
				    "the result is of another block size");
	case PARTIAL:
		keep_part(v, RESULT, rest.p, gate_scan_left(&rest), line);
		return 0;
	case NO:
		break;
	}
	if (is_failure(rest.p, gate_scan_left(&rest)))
		return emit_nothing(t, v, GATE_SAMPLE_FAILED, line, rest.p);
	unparsed(t, line, rest.p);
	if (!title_fits(&v->title, &v->head))
		v->head.open = false;
	return 0;
}

static int line_head(struct tcrypt *t, struct voice *v, struct gate_scan text,
		     const struct gate_line *line)
{
	struct gate_scan s = text;
	struct head head;
	enum match match;
	int rc;

	s.p += 4;
	match = scan_head(&s, &head);
	if (match == NO)
		return 0;
	rc = close_head(t, v);
	if (rc)
		return rc;
	if (match == PARTIAL) {
		if (line->cut)
			t->sink->warn(t->sink->ctx, "parse.incomplete",
				      line->number, line->text);
		keep_part(v, HEAD, text.p, gate_scan_left(&text), line->number);
		return 1;
	}
	head.line = line->number;
	v->head = head;
	gate_scan_blanks(&s);
	if (s.p < s.end)
		rc = take_result(t, v, s, line->number);
	return rc ? rc : 1;
}

/* --- bare results and failures -------------------------------------------- */

static int line_result(struct tcrypt *t, struct voice *v, struct gate_scan text,
		       const struct gate_line *line)
{
	struct result r;
	enum match match = scan_result(text, &r);
	int rc;

	if (match == NO)
		return 0;
	if (!v->head.open) {
		if (match == YES)
			unparsed(t, line->number, line->text);
		return match == YES;
	}
	rc = take_result(t, v, text, line->number);
	return rc ? rc : 1;
}

/* "... for ALG: -2": the algorithm whose rows will not come. */
static bool failed_alg(const char *s, size_t n, char alg[NAME_ROOM])
{
	const char *p = memmem(s, n, " for ", 5);
	size_t len;

	if (!p)
		return false;
	p += 5;
	len = strcspn(p, " :");
	if (!len || len >= NAME_ROOM || p + len > s + n)
		return false;
	memcpy(alg, p, len);
	alg[len] = '\0';
	return true;
}

static int emit_failed_alg(struct tcrypt *t, const char *alg,
			   const struct gate_line *line, const char *message)
{
	struct gate_sample s = {
		.size = sizeof s,
		.bench = "tcrypt",
		.row = alg,
		.status = GATE_SAMPLE_FAILED,
		.line = line->number,
		.message = message,
		.iter = -1,
	};

	return t->sink->emit(t->sink->ctx, &s);
}

static int line_failure(struct tcrypt *t, struct voice *v,
			struct gate_scan text, const struct gate_line *line)
{
	char alg[NAME_ROOM];
	int rc;

	if (failed_alg(text.p, gate_scan_left(&text), alg)) {
		rc = close_head(t, v);
		v->title.known = false;
		if (!rc)
			rc = emit_failed_alg(t, alg, line, text.p);
		return rc ? rc : 1;
	}
	if (v->head.open) {
		rc = emit_nothing(t, v, GATE_SAMPLE_FAILED, line->number,
				  text.p);
		return rc ? rc : 1;
	}
	if (!v->title.known || gate_scan_lit(&text, "one or more tests")) {
		t->sink->warn(t->sink->ctx, "parse.failed", line->number,
			      text.p);
		return 1;
	}
	rc = emit_failed_alg(t, v->title.alg, line, text.p);
	return rc ? rc : 1;
}

/* Failures that kernels up to 3.x print without "tcrypt: ". */
static bool bare_failure(const struct voice *v, struct gate_scan s)
{
	if (!v->head.open && !v->title.known)
		return false;
	return gate_scan_lit(&s, "encryption() failed ") ||
	       gate_scan_lit(&s, "decryption() failed ") ||
	       gate_scan_lit(&s, "setkey() failed ") ||
	       gate_scan_lit(&s, "hashing failed ret=") ||
	       gate_scan_lit(&s, "calculating auth failed (") ||
	       gate_scan_lit(&s, "failed to load transform for ");
}

/* --- one line ------------------------------------------------------------- */

static int dispatch(struct tcrypt *t, struct voice *v, struct gate_scan text,
		    const struct gate_line *line, bool named)
{
	struct gate_scan s = text;
	int rc = 0;

	if (s.p == s.end)
		return named;
	if (*s.p == 't' && gate_scan_lit(&s, "test")) {
		if (!gate_scan_lit(&s, "ing speed of"))
			rc = line_head(t, v, text, line);
		else if (s.p == s.end || gate_scan_blank(*s.p))
			rc = line_title(t, v, text, s, line->number,
					named || line->kernel);
		if (rc)
			return rc;
	}
	if (gate_scan_digit(*text.p))
		return line_result(t, v, text, line);
	if (named ? is_failure(text.p, gate_scan_left(&text))
		  : bare_failure(v, text))
		return line_failure(t, v, text, line);
	if (named && line->cut)
		t->sink->warn(t->sink->ctx, "parse.incomplete", line->number,
			      line->text);
	return named;
}

/* True when `text` is the rest of a title whose line was wrapped. */
static bool rest_of_title(const struct voice *v, const char *joined, size_t n)
{
	struct gate_scan s = gate_scan_at(joined, n);
	struct title title;

	if (!gate_scan_lit(&s, "testing speed of "))
		return false;
	if (scan_title(s, &title) != YES)
		return false;
	return !v->title.known || (v->title.op == HASH && title.op != HASH);
}

static bool rest_of_head(const char *joined, size_t n)
{
	struct gate_scan s = gate_scan_at(joined + 4, n - 4);
	struct head head;

	return scan_head(&s, &head) == YES;
}

static bool rest_of_result(const char *joined, size_t n)
{
	struct result r;

	return scan_result(gate_scan_at(joined, n), &r) == YES;
}

/*
 * Reads the kept part and this line as one, when that makes sense of both; 0
 * otherwise, and the line is then read for itself.
 */
static int continue_part(struct tcrypt *t, struct voice *v,
			 struct gate_scan text, const struct gate_line *line)
{
	char joined[2 * PART_ROOM + 2];
	size_t n = v->part_len, more = gate_scan_left(&text);
	struct gate_line whole = *line;
	enum part part = v->part;
	bool sense;

	v->part = NOTHING;
	if (!more || more > PART_ROOM)
		return 0;
	memcpy(joined, v->part_text, n);
	joined[n++] = ' ';
	memcpy(joined + n, text.p, more);
	n += more;
	joined[n] = '\0';
	if (part == TITLE)
		sense = rest_of_title(v, joined, n);
	else if (part == HEAD)
		sense = rest_of_head(joined, n);
	else
		sense = v->head.open && rest_of_result(joined, n);
	if (!sense)
		return 0;
	/* The value began on the line before. */
	whole.number = v->part_line;
	return dispatch(t, v, gate_scan_at(joined, n), &whole, true);
}

static int line_tcrypt(void *state, const struct gate_line *line)
{
	struct tcrypt *t = state;
	struct gate_scan text = gate_scan_at(line->text, line->len);
	struct voice *v =
		&t->voices[line->quoted < VOICES ? line->quoted : VOICES - 1];
	bool named;
	int rc;

	gate_scan_blanks(&text);
	if (text.p == text.end)
		return 0;
	named = *text.p == 't' && gate_scan_lit(&text, "tcrypt:");
	if (named)
		gate_scan_blanks(&text);
	if (v->part) {
		if (line->joined && !named) {
			rc = continue_part(t, v, text, line);
			if (rc)
				return rc;
		}
		v->part = NOTHING;
	}
	return dispatch(t, v, text, line, named);
}

static int finish_tcrypt(void *state)
{
	struct tcrypt *t = state;
	size_t i;
	int rc;

	for (i = 0; i < VOICES; i++) {
		rc = close_head(t, &t->voices[i]);
		if (rc)
			return rc;
	}
	return 0;
}

const struct gate_parser gate_parser_tcrypt = {
	.abi = GATE_PARSER_ABI,
	.size = sizeof(struct gate_parser),
	.name = "tcrypt",
	.description = "tcrypt speed tests: ciphers, AEADs, hashes",
	.open = open_tcrypt,
	.line = line_tcrypt,
	.finish = finish_tcrypt,
	.close = free,
};
