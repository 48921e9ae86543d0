#!/bin/bash
# Bad input: one clear line, the right exit code, nothing taken for a verdict.
. "$(dirname "$0")/lib.sh"
good=$FIXTURES/rounds/uml/base/round-01.log
: >empty.log
head -c 100000000 /dev/urandom >noise.log
printf 'nothing to see here\nmove along\n' >prose.log
cp "$(command -v ls)" program
cp "$FIXTURES/seed/base.log" tcrypt.log
grep -aE 'raid6: |MB/sec' "$FIXTURES"/rounds/icount/base/round-01.log |
	grep -a raid6 >raid6.log

# bad CODE PATTERN COMMAND...
bad() {
	local code=$1 pattern=$2
	shift 2
	expect "$code" "$@"
	lines err 1
	lines out 0
	says err "^gate: .*$pattern"
}

bad 4 'missing.log: No such file' "$GATE" compare missing.log "$good"
bad 4 'missing.log: No such file' "$GATE" compare "$good" missing.log
bad 4 'empty.log: no benchmark result' "$GATE" compare "$good" empty.log
bad 4 'prose.log: no benchmark result in 2 lines' \
	"$GATE" compare prose.log "$good"
bad 4 'not a text' "$GATE" compare program "$good"
bad 4 'not a text' "$GATE" compare "$good" noise.log
bad 4 'no row in common' "$GATE" compare tcrypt.log raid6.log
bad 4 'no benchmark result' \
	"$GATE" compare --parser xor tcrypt.log tcrypt.log
bad 4 'Is a directory' "$GATE" compare . "$good"
bad 4 'empty.log' "$GATE" parse empty.log
bad 4 'missing.log' "$GATE" parse missing.log

# Wrong usage: nothing was read.
bad 2 'no command' "$GATE"
bad 2 'unknown command "comapre"; did you mean "compare"' "$GATE" comapre a b
bad 2 'did you mean --candidate' "$GATE" compare --base a --candidat b
bad 2 '--base needs FILE' "$GATE" compare --base
bad 2 'one word too many' "$GATE" compare a b c
bad 2 'needs logs of both sides' "$GATE" compare a
bad 2 'needs logs of both sides' "$GATE" compare --base a
bad 2 'either two logs, or' "$GATE" compare --base a --candidate b -- c
bad 2 'no parser is called "tcript"; did you mean "tcrypt"' "$GATE" compare --parser tcript a b
bad 2 'must be wall or instructions' "$GATE" compare --clock cycles a b
bad 2 'did you mean "markdown"' "$GATE" compare --report markdwon=x a b
bad 2 'no file after' "$GATE" compare --report json= a b
bad 2 'must be jsonl' "$GATE" parse --format xml "$good"
bad 2 'must be auto, always or never' "$GATE" parse --color red "$good"
bad 2 'takes no value' "$GATE" parse --quiet=yes "$good"
bad 2 'whole number between 1 and 1000' "$GATE" run --rounds 0
bad 2 'whole number between 1 and 1000' "$GATE" run --rounds many
bad 2 'duration' "$GATE" run --budget soon

# A configuration of the wrong type.
echo '{"jobs": "all"}' >gate.json
bad 2 'gate.json:1:2: "jobs" must be an array' \
	"$GATE" compare --config gate.json "$good" "$good"
echo '{"jobs": [{"name": "x", "runer": "qemu"}]}' >gate.json
bad 2 'gate.json:1:25: unknown key "runer"; did you mean "runner"' \
	"$GATE" compare --config gate.json "$good" "$good"
printf '{\n "jobs": [\n' >gate.json
bad 2 'gate.json:3:1: the JSON ends too early' \
	"$GATE" compare --config gate.json "$good" "$good"
bad 2 'missing.json' "$GATE" compare --config missing.json "$good" "$good"

# Results are hostile input too.
bad 4 'prose.log:1:1' "$GATE" report prose.log
echo '{"schema": "gate-result/1", "rows": 5}' >result.json
bad 4 'result.json:1' "$GATE" report result.json
bad 4 'missing.json' "$GATE" report missing.json

# No place to write to.
expect 4 "$GATE" compare --report json=/nowhere/x.json "$good" "$good"
says err '/nowhere/x.json'
if [ -w /dev/full ]; then
	got=0
	"$GATE" parse "$good" >/dev/full 2>err || got=$?
	[ "$got" -eq 4 ] || fail "a full disk exits $got, not 4"
fi

# Names that try to be more than names.
printf '[ 1.0] tcrypt: testing speed of sync a\033[31m(b) (d\033]0;x\007) encryption\n' >evil.log
printf '[ 1.0] tcrypt: test 0 (128 bit key, 16 byte blocks): 5 operations in 1 seconds (80 bytes)\n' >>evil.log
"$GATE" compare evil.log evil.log >out 2>err
LC_ALL=C grep -q "$(printf '\033')" out err && fail "an escape reached the terminal"
finish
