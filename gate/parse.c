#include "gate/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/util/mem.h"
#include "gate/util/subprocess.h"
#include "gate/util/text.h"
#include "parsers/likely.h"
#include "parsers/lines.h"
#include "parsers/scan.h"

enum {
	PIECE = 256 * 1024,
	PARSERS_MAX = 32,
	NAME_BYTES = 512,
	MESSAGE_BYTES = 512,
	SHOWN_BYTES = 160, /* of a log line inside a remark */
	REMARKS_MAX = 8,   /* of one kind and one log */
	TEXTS = 6          /* bench, row, driver, method, mode, message */
};

/* One log on its way through the parsers. */
struct run {
	const struct gate_parse_opts *opts;
	const char *path;
	struct gate_sample_set *set;
	struct gate_diags *diags;
	struct gate_parse_stats *stats;
	struct gate_error *err;
	struct gate_sink sink;
	struct gate_lines *lines;
	const struct gate_parser *parsers[PARSERS_MAX];
	void *states[PARSERS_MAX];
	size_t n_parsers;
	bool automatic;
	struct gate_plugin *plugin;
	/* Set when the lines are what a program wrote: a line that is no
	 * sample then ends it. */
	const char *program;
	struct gate_str texts[TEXTS]; /* cleaned names */
	size_t incomplete, refused, failed, remarks;
	bool in_line;           /* inside a parser's line() */
	bool doubtful;          /* which said that it did not understand */
	uint64_t unparsed_line; /* the first one */
	char *unparsed_text;
};

/* --- remarks -------------------------------------------------------------- */

/* At most `max` bytes of s as clean text, whole characters only. */
static void shown(struct gate_str *out, const char *s, size_t max)
{
	size_t n = strlen(s);
	bool cut = n > max;

	if (cut) {
		n = max;
		while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
	}
	gate_text_plain(out, s, n);
	if (cut)
		gate_str_puts(out, "...");
}

/* A hostile or broken log must not fill the report: the first few remarks of
 * each kind stand for all. */
static void remark(struct run *r, size_t *count, const char *code,
		   uint64_t line, const char *what, const char *text)
{
	struct gate_str s = {0};

	if (++*count > REMARKS_MAX)
		return;
	shown(&s, text, SHOWN_BYTES);
	gate_diags_add(r->diags, GATE_DIAG_WARNING, code,
		       "%s:%" PRIu64 ": %s%s", r->path, line, what,
		       gate_str_text(&s));
	gate_str_done(&s);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* The first one stands for all. Until the line was offered to all parsers, it
 * may still be taken back. */
static void show_unparsed(struct run *r, uint64_t line, const char *text)
{
	struct gate_str s = {0};

	if (r->stats->unparsed)
		return;
	free(r->unparsed_text);
	shown(&s, text, SHOWN_BYTES);
	r->unparsed_text = gate_str_steal(&s);
	r->unparsed_line = line;
}

static void sink_warn(void *ctx, const char *code, uint64_t line,
		      const char *text)
{
	struct run *r = ctx;
	struct gate_str s = {0};

	if (!strcmp(code, "parse.unparsed") ||
	    (r->program && !strcmp(code, "parse.incomplete"))) {
		show_unparsed(r, line, text);
		r->doubtful = true;
		if (!r->in_line)
			r->stats->unparsed++;
		return;
	}
	if (ends_with(code, ".no-data") || ends_with(code, ".selected") ||
	    ends_with(code, ".choice")) {
		/* Without a place, so that all rounds make one note. */
		shown(&s, text, SHOWN_BYTES);
		gate_diags_add(r->diags, GATE_DIAG_NOTE, code, "%s",
			       gate_str_text(&s));
		gate_str_done(&s);
		return;
	}
	if (!strcmp(code, "parse.incomplete"))
		remark(r, &r->incomplete, code, line, "incomplete: ", text);
	else if (!strcmp(code, "parse.failed"))
		remark(r, &r->failed, code, line, "", text);
	else
		remark(r, &r->remarks, code, line, "", text);
}

static void final_remarks(struct run *r)
{
	uint64_t dropped = gate_lines_stats(r->lines)->dropped;

	if (r->stats->unparsed)
		gate_diags_add(r->diags, GATE_DIAG_WARNING, "parse.unparsed",
			       "%s:%" PRIu64 ": looks like a result but was "
			       "not understood (%zu such lines): %s",
			       r->path, r->unparsed_line, r->stats->unparsed,
			       r->unparsed_text);
	if (r->incomplete > REMARKS_MAX)
		gate_diags_add(r->diags, GATE_DIAG_WARNING, "parse.incomplete",
			       "%s: %zu results are incomplete", r->path,
			       r->incomplete);
	if (r->refused > REMARKS_MAX)
		gate_diags_add(r->diags, GATE_DIAG_WARNING, "parse.refused",
			       "%s: %zu samples were refused", r->path,
			       r->refused);
	if (dropped)
		gate_diags_add(r->diags, GATE_DIAG_WARNING, "parse.long-line",
			       "%s: %" PRIu64 " lines were cut at %d bytes",
			       r->path, dropped, GATE_LINE_MAX);
}

/* --- the sink: every sample is checked here ------------------------------- */

/* Replaces *s by clean text; false when it is longer than `max`. `before` is
 * what the sample before had there, cleaned. */
static bool clean(struct gate_str *buf, const char **s, size_t max,
		  const char *before)
{
	size_t len;

	if (!*s)
		return true;
	if (before && !strcmp(*s, before)) {
		*s = before;
		return true;
	}
	len = strlen(*s);
	if (len > max)
		return false;
	if (gate_scan_plain(*s, len))
		return true;
	buf->len = 0;
	gate_text_plain(buf, *s, len);
	*s = gate_str_text(buf);
	return true;
}

static void clean_message(struct gate_str *buf, const char **s)
{
	if (!*s)
		return;
	buf->len = 0;
	shown(buf, *s, MESSAGE_BYTES);
	*s = gate_str_text(buf);
}

/* NULL when all names are fit, else what is wrong. */
static const char *check_names(struct run *r, struct gate_sample *s)
{
	static const struct gate_sample none;
	const struct gate_sample *last =
		r->set->n ? &r->set->items[r->set->n - 1].s : &none;

	if (!s->bench || !*s->bench || !s->row || !*s->row)
		return "a sample without a name";
	if (!clean(&r->texts[0], &s->bench, NAME_BYTES, last->bench) ||
	    !clean(&r->texts[1], &s->row, NAME_BYTES, NULL) ||
	    !clean(&r->texts[2], &s->driver, NAME_BYTES, last->driver) ||
	    !clean(&r->texts[3], &s->method, NAME_BYTES, last->method) ||
	    !clean(&r->texts[4], &s->mode, NAME_BYTES, last->mode))
		return "a name longer than 512 bytes";
	clean_message(&r->texts[5], &s->message);
	return NULL;
}

static const char *check_value(struct gate_sample *s)
{
	if ((unsigned)s->status > GATE_SAMPLE_ORPHAN)
		return "a sample of unknown status";
	if ((unsigned)s->unit > GATE_UNIT_ONE ||
	    (unsigned)s->better > GATE_LOWER)
		return "a sample of unknown unit";
	if (s->status != GATE_SAMPLE_OK && s->status != GATE_SAMPLE_ORPHAN) {
		s->value = 0;
		s->resolution = 0;
		return NULL;
	}
	if (s->unit == GATE_UNIT_NONE)
		return "a value without a unit";
	if (!isfinite(s->value))
		return "a value that is no number";
	if (s->value < 0)
		return "a negative value";
	if (!isfinite(s->resolution) || s->resolution < 0)
		return "a resolution that is none";
	return NULL;
}

static int add_sample(struct run *r, struct gate_sample *s)
{
	struct gate_measured m = {
		.side = r->opts->side,
		.clock = r->opts->clock,
		.round = r->opts->round,
		.job = r->opts->job ? r->opts->job : "",
	};

	if (r->stats->samples >= GATE_PARSE_SAMPLES_MAX)
		return gate_error_set(r->err, GATE_ESYNTAX,
				      "%s:%" PRIu64 ": more than %d samples in "
				      "one log",
				      r->path, s->line, GATE_PARSE_SAMPLES_MAX);
	if (gate_sample_set_bytes(r->set) >> 20 >= GATE_PARSE_SET_MIB)
		return gate_error_set(r->err, GATE_ESYNTAX,
				      "%s:%" PRIu64 ": the samples up to here "
				      "take more than %d MiB",
				      r->path, s->line, GATE_PARSE_SET_MIB);
	/* The kernel asks for cycles; what this clock counts for it are
	 * instructions. */
	if (r->opts->clock == GATE_CLOCK_INSTRUCTIONS &&
	    s->unit == GATE_UNIT_CYCLES_PER_OP)
		s->unit = GATE_UNIT_INSN_PER_OP;
	m.s = *s;
	gate_sample_set_add(r->set, &m);
	if (r->opts->each) {
		gate_sample_set_keep_last(r->set);
		r->opts->each(r->opts->each_ctx, r->set->items);
	}
	r->stats->samples++;
	if (s->status == GATE_SAMPLE_OK || s->status == GATE_SAMPLE_ORPHAN)
		r->stats->complete++;
	if (s->status == GATE_SAMPLE_INCOMPLETE)
		remark(r, &r->incomplete, "parse.incomplete", s->line,
		       "incomplete: ", s->row);
	return 0;
}

static int sink_emit(void *ctx, const struct gate_sample *given)
{
	struct gate_sample s = {.iter = -1};
	struct run *r = ctx;
	const char *why;

	/* A plug-in may have been built against an older, shorter struct. */
	memcpy(&s, given, given->size < sizeof s ? given->size : sizeof s);
	s.size = sizeof s;
	why = check_names(r, &s);
	if (!why)
		why = check_value(&s);
	if (why) {
		remark(r, &r->refused, "parse.refused", s.line,
		       "refused: ", why);
		return 0;
	}
	return add_sample(r, &s);
}

/* --- the parsers ---------------------------------------------------------- */

const struct gate_parser *gate_parser_find(const char *name)
{
	size_t i;

	for (i = 0; gate_parsers[i]; i++)
		if (!strcmp(gate_parsers[i]->name, name))
			return gate_parsers[i];
	return NULL;
}

static int unknown_parser(const char *name, struct gate_error *err)
{
	const char *names[PARSERS_MAX + 2] = {"auto"}, *near;
	size_t i;

	for (i = 0; gate_parsers[i] && i < PARSERS_MAX; i++)
		names[i + 1] = gate_parsers[i]->name;
	near = gate_str_nearest(name, names);
	if (near)
		return gate_error_set(err, GATE_EUSAGE,
				      "no parser is called \"%s\"; did you "
				      "mean \"%s\"?",
				      name, near);
	return gate_error_set(err, GATE_EUSAGE, "no parser is called \"%s\"",
			      name);
}

static bool is_auto(const char *name)
{
	return !name || !strcmp(name, "auto");
}

int gate_parser_check(const char *name, struct gate_error *err)
{
	struct gate_plugin *plugin;
	int rc;

	if (is_auto(name) || gate_parser_find(name))
		return GATE_OK;
	if (!gate_plugin_is_path(name))
		return unknown_parser(name, err);
	rc = gate_plugin_open(name, &plugin, err);
	if (!rc)
		gate_plugin_close(plugin);
	return rc;
}

static int choose_parsers(struct run *r)
{
	const struct gate_parser *const *from = gate_parsers;
	const char *name = r->opts->parser;
	size_t i;
	int rc;

	r->automatic = is_auto(name);
	if (!r->automatic && !gate_plugin_is_path(name)) {
		r->parsers[0] = gate_parser_find(name);
		r->n_parsers = 1;
		return r->parsers[0] ? 0 : unknown_parser(name, r->err);
	}
	if (!r->automatic) {
		rc = gate_plugin_open(name, &r->plugin, r->err);
		if (rc)
			return rc;
		from = gate_plugin_parsers(r->plugin);
	}
	for (i = 0; from[i] && i < PARSERS_MAX; i++)
		r->parsers[i] = from[i];
	r->n_parsers = i;
	return 0;
}

/* What a callback returned, with a message when only a plug-in knows why. */
static int stopped(struct run *r, size_t i, uint64_t line, int rc)
{
	if (rc >= 0 || r->err->status == rc)
		return rc < 0 ? rc : 0;
	return gate_error_set(r->err, GATE_EPLUGIN,
			      "%s:%" PRIu64 ": parser %s stopped (%d)", r->path,
			      line, r->parsers[i]->name, rc);
}

/* What a program wrote besides samples. */
static int not_a_sample(struct run *r, const struct gate_line *line)
{
	struct gate_str s = {0};
	int rc;

	shown(&s, line->text, SHOWN_BYTES);
	rc = gate_error_set(r->err, GATE_EPLUGIN,
			    "parser %s wrote a line that is no sample (its "
			    "line %" PRIu64 "): %s",
			    r->program, line->number, gate_str_text(&s));
	gate_str_done(&s);
	return rc;
}

/* No parser understood it: does it look as if one should have? */
static int unclaimed(struct run *r, const struct gate_line *line, bool doubted)
{
	if (r->program)
		return line->len || doubted ? not_a_sample(r, line) : 0;
	if (r->automatic && !doubted &&
	    gate_result_like(line->text, line->len)) {
		show_unparsed(r, line->number, line->text);
		doubted = true;
	}
	r->stats->unparsed += doubted;
	return 0;
}

static int each_line(void *ctx, const struct gate_line *line)
{
	struct run *r = ctx;
	bool doubted = false;
	size_t i;
	int rc;

	for (i = 0; i < r->n_parsers; i++) {
		r->doubtful = false;
		r->in_line = true;
		rc = r->parsers[i]->line(r->states[i], line);
		r->in_line = false;
		if (rc < 0)
			return stopped(r, i, line->number, rc);
		if (rc > 0 && !r->doubtful)
			return 0;
		doubted |= r->doubtful;
	}
	return unclaimed(r, line, doubted);
}

static int finish(struct run *r)
{
	size_t i;
	int rc;

	for (i = 0; i < r->n_parsers; i++) {
		rc = r->parsers[i]->finish(r->states[i]);
		if (rc < 0)
			return stopped(r, i, r->stats->lines, rc);
	}
	return 0;
}

/* --- one log -------------------------------------------------------------- */

static int begin(struct run *r)
{
	size_t i;
	int rc;

	*r->stats = (struct gate_parse_stats){0};
	r->err->status = GATE_OK;
	r->sink = (struct gate_sink){
		.size = sizeof r->sink,
		.ctx = r,
		.emit = sink_emit,
		.warn = sink_warn,
		.instructions = r->opts->clock == GATE_CLOCK_INSTRUCTIONS,
	};
	rc = choose_parsers(r);
	if (rc) {
		r->n_parsers = 0;
		return rc;
	}
	for (i = 0; i < r->n_parsers; i++) {
		r->states[i] = r->parsers[i]->open(&r->sink);
		if (!r->states[i])
			return gate_error_set(r->err, GATE_EPLUGIN,
					      "parser %s did not open",
					      r->parsers[i]->name);
	}
	r->lines = gate_lines_new(each_line, r);
	return 0;
}

/* Control bytes in most lines: an image, a core, UTF-16. */
static int check_text(struct run *r)
{
	const struct gate_lines_stats *s = gate_lines_stats(r->lines);

	if (2 * s->binary <= s->lines)
		return 0;
	return gate_error_set(r->err, GATE_ESYNTAX, "%s: not a text log",
			      r->path);
}

static int check_size(struct run *r)
{
	const struct gate_lines_stats *s = gate_lines_stats(r->lines);

	if (s->bytes >> 20 >= GATE_PARSE_LOG_MIB)
		return gate_error_set(r->err, GATE_ESYNTAX,
				      "%s: larger than %d MiB: no log of a "
				      "benchmark",
				      r->path, GATE_PARSE_LOG_MIB);
	if (s->lines > GATE_PARSE_LINES_MAX)
		return gate_error_set(r->err, GATE_ESYNTAX,
				      "%s: more than %d lines: no log of a "
				      "benchmark",
				      r->path, GATE_PARSE_LINES_MAX);
	return 0;
}

static int feed(struct run *r, const char *data, size_t len)
{
	int rc = gate_lines_feed(r->lines, data, len);

	if (!rc)
		rc = check_text(r);
	if (!rc)
		rc = check_size(r);
	if (!rc && gate_interrupt_requested())
		rc = gate_error_set(r->err, GATE_EINTR, "interrupted");
	return rc;
}

static int end(struct run *r)
{
	int rc = gate_lines_end(r->lines);

	if (!rc)
		rc = check_text(r);
	if (!rc)
		rc = finish(r);
	return rc;
}

static void done(struct run *r)
{
	size_t i;

	if (r->lines) {
		r->stats->lines = gate_lines_stats(r->lines)->lines;
		r->stats->bytes = gate_lines_stats(r->lines)->bytes;
		final_remarks(r);
	}
	for (i = 0; i < r->n_parsers; i++)
		if (r->states[i])
			r->parsers[i]->close(r->states[i]);
	for (i = 0; i < TEXTS; i++)
		gate_str_done(&r->texts[i]);
	gate_plugin_close(r->plugin);
	gate_lines_free(r->lines);
	free(r->unparsed_text);
}

static int parse_buffer(struct run *r, const char *data, size_t len)
{
	size_t n;
	int rc;

	rc = begin(r);
	while (!rc && len) {
		n = len < PIECE ? len : PIECE;
		rc = feed(r, data, n);
		data += n;
		len -= n;
	}
	if (!rc)
		rc = end(r);
	done(r);
	return rc;
}

int gate_parse_buffer(const struct gate_parse_opts *opts, const char *data,
		      size_t len, struct gate_sample_set *set,
		      struct gate_diags *diags, struct gate_parse_stats *stats,
		      struct gate_error *err)
{
	struct run r = {
		.opts = opts,
		.path = opts->path ? opts->path : "log",
		.set = set,
		.diags = diags,
		.stats = stats,
		.err = err,
	};

	return parse_buffer(&r, data, len);
}

int gate_parse_samples(const struct gate_parse_opts *opts, const char *program,
		       const char *data, size_t len,
		       struct gate_sample_set *set, struct gate_diags *diags,
		       struct gate_parse_stats *stats, struct gate_error *err)
{
	struct gate_parse_opts as_jsonl = *opts;
	struct run r = {
		.opts = &as_jsonl,
		.path = opts->path ? opts->path : "log",
		.program = program,
		.set = set,
		.diags = diags,
		.stats = stats,
		.err = err,
	};

	as_jsonl.parser = "jsonl";
	return parse_buffer(&r, data, len);
}

static int parse_by_program(const struct gate_parse_opts *opts, const char *log,
			    struct gate_sample_set *set,
			    struct gate_diags *diags,
			    struct gate_parse_stats *stats,
			    struct gate_error *err)
{
	struct gate_str out = {0};
	int rc;

	*stats = (struct gate_parse_stats){0};
	rc = gate_program_run(opts->program, log, &out, err);
	if (!rc)
		rc = gate_parse_samples(opts, opts->program->argv[0],
					gate_str_text(&out), out.len, set,
					diags, stats, err);
	gate_str_done(&out);
	return rc;
}

static int feed_fd(struct run *r, int fd)
{
	char *piece = gate_alloc(PIECE);
	ssize_t n;
	int rc = 0;

	while (!rc) {
		n = read(fd, piece, PIECE);
		if (n == 0)
			break;
		if (n > 0)
			rc = feed(r, piece, (size_t)n);
		else if (errno != EINTR)
			rc = gate_error_sys(r->err, errno, "%s", r->path);
		else if (gate_interrupt_requested())
			rc = gate_error_set(r->err, GATE_EINTR, "interrupted");
	}
	free(piece);
	return rc;
}

int gate_parse_file(const struct gate_parse_opts *opts, const char *path,
		    struct gate_sample_set *set, struct gate_diags *diags,
		    struct gate_parse_stats *stats, struct gate_error *err)
{
	bool standard_input = !strcmp(path, "-");
	struct run r = {
		.opts = opts,
		.path = opts->path       ? opts->path
			: standard_input ? "standard input"
					 : path,
		.set = set,
		.diags = diags,
		.stats = stats,
		.err = err,
	};
	int fd, rc;

	if (opts->program)
		return parse_by_program(opts, path, set, diags, stats, err);
	fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		*stats = (struct gate_parse_stats){0};
		return gate_error_sys(err, errno, "%s", r.path);
	}
	rc = begin(&r);
	if (!rc)
		rc = feed_fd(&r, fd);
	if (!rc)
		rc = end(&r);
	done(&r);
	if (!standard_input)
		close(fd);
	return rc;
}
