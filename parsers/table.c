#include "gate/parse.h"

#include "parsers/builtin.h"

const struct gate_parser *const gate_parsers[] = {
	&gate_parser_tcrypt,      &gate_parser_xor,
	&gate_parser_bpf,         &gate_parser_kunit,
	&gate_parser_openssl,     &gate_parser_cryptsetup,
	&gate_parser_googlebench, &gate_parser_hyperfine,
	&gate_parser_gobench,     &gate_parser_perfstat,
	&gate_parser_perfbench,   &gate_parser_fio,
	&gate_parser_jsonl,       NULL,
};
