/*
 * The built-in parsers, one object a file; parsers/table.c lists them.
 */
#ifndef GATE_PARSERS_BUILTIN_H
#define GATE_PARSERS_BUILTIN_H

#include "gate/include/gate/parser.h"

extern const struct gate_parser gate_parser_tcrypt;
extern const struct gate_parser gate_parser_xor;
extern const struct gate_parser gate_parser_jsonl;

#endif
