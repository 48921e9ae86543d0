/*
 * The built-in parsers, one object a file; parsers/table.c lists them.
 */
#ifndef GATE_PARSERS_BUILTIN_H
#define GATE_PARSERS_BUILTIN_H

#include "gate/include/gate/parser.h"

extern const struct gate_parser gate_parser_tcrypt;
extern const struct gate_parser gate_parser_xor;
extern const struct gate_parser gate_parser_bpf;
extern const struct gate_parser gate_parser_kunit;
extern const struct gate_parser gate_parser_openssl;
extern const struct gate_parser gate_parser_cryptsetup;
extern const struct gate_parser gate_parser_googlebench;
extern const struct gate_parser gate_parser_hyperfine;
extern const struct gate_parser gate_parser_gobench;
extern const struct gate_parser gate_parser_perfstat;
extern const struct gate_parser gate_parser_perfbench;
extern const struct gate_parser gate_parser_fio;
extern const struct gate_parser gate_parser_jsonl;

#endif
