#include "gate/parse.h"

#include "parsers/builtin.h"

const struct gate_parser *const gate_parsers[] = {
	&gate_parser_tcrypt,
	&gate_parser_xor,
	&gate_parser_jsonl,
	NULL,
};
