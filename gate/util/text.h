/*
 * Untrusted text made fit for where it is shown.
 *
 * Names of rows and drivers, console lines and commit subjects come from the
 * tree under test. Each function appends a form that cannot act in its place:
 * no control characters, no bytes that are not UTF-8 (U+FFFD instead).
 */
#ifndef GATE_UTIL_TEXT_H
#define GATE_UTIL_TEXT_H

#include <stddef.h>

#include "gate/util/str.h"

/* Plain text of one line: control characters and bad bytes become U+FFFD. */
void gate_text_plain(struct gate_str *out, const char *s, size_t len);
/* As GitHub and GitLab read Markdown: a code span that nothing inside can end,
 * with pipes escaped for tables; the empty string is an empty span. */
void gate_text_markdown_code(struct gate_str *out, const char *s);
/* Running text in Markdown: every character that could start markup, a
 * mention, a reference or a quick action is escaped. */
void gate_text_markdown(struct gate_str *out, const char *s);
/* Number of terminal columns of UTF-8 text, one a code point. */
size_t gate_text_columns(const char *s);
/* Length in bytes of the UTF-8 sequence at s (1..4), 0 when it is none. */
size_t gate_text_utf8(const char *s, size_t len);

#endif
