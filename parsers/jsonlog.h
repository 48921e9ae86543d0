/*
 * Kernel messages out of JSON: what `dmesg --json` (util-linux 2.38) and
 * `journalctl -o json` print, one message a line of the file.
 *
 *            "msg": "tcrypt: test 0 (128 bit key, 16 byte blocks): ..."
 *   { ..., "MESSAGE" : "tcrypt: test 0 ...", ... }
 *
 * The file need not be whole: a string is enough, and one without its end says
 * so, since a number at its end may be cut.
 */
#ifndef GATE_PARSERS_JSONLOG_H
#define GATE_PARSERS_JSONLOG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * When the line is such a one, decodes its message in place, makes *s and *n
 * the message, and says in *cut whether the string ended with the line.
 */
bool gate_jsonlog_message(char **s, size_t *n, bool *cut);

#endif
