#!/bin/bash
# gate parse: every format, standard input, and the exit code.
. "$(dirname "$0")/lib.sh"
log=$FIXTURES/rounds/uml/base/round-01.log

expect 0 "$GATE" parse "$log"
says out '^\{"bench":"tcrypt","row":"chacha20/encrypt/key=256/block=16","driver":"chacha20-generic","unit":"op/s","better":"higher","value":[0-9]+,"resolution":1,"line":[0-9]+'
n=$(wc -l <out)
cp out file.jsonl

# What it printed is itself a log that gate reads.
expect 0 "$GATE" parse --parser jsonl file.jsonl
[ "$(wc -l <out)" -eq "$n" ] || fail "jsonl does not read back"
sed 's/,"line":[0-9]*//' file.jsonl >a
sed 's/,"line":[0-9]*//' out >b
cmp -s a b || fail "jsonl reads back with other values"

"$GATE" parse - <"$log" >standard.jsonl 2>/dev/null
cmp -s standard.jsonl file.jsonl || fail "standard input reads otherwise"

expect 0 "$GATE" parse --format json "$log"
python3 -c 'import json; assert len(json.load(open("out"))) == '"$n" ||
	fail "json is not an array of $n"
expect 0 "$GATE" parse --format csv "$log"
python3 - "$n" <<'PY' || fail "csv does not read back"
import csv, sys
rows = list(csv.DictReader(open("out")))
assert len(rows) == int(sys.argv[1])
assert any(r["unit"] == "op/s" and float(r["value"]) > 0 for r in rows)
PY
expect 0 "$GATE" parse --format benchfmt "$log"
says out '^BenchmarkTcrypt/chacha20/encrypt/key=256/block=16 1 [0-9]+ op/s$'

# Under the instruction clock cycles are instructions.
expect 0 "$GATE" parse --clock instructions \
	"$FIXTURES/rounds/icount/base/round-01.log"
says out '"unit":"insn/op"'
says_not out '"unit":"cycles/op"'
finish
