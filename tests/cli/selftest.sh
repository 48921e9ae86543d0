#!/bin/bash
# gate selftest: base against base through the same pipeline.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/repo.sh"
selftest() {
	local want=$1
	shift
	expect "$want" "$GATE" selftest --repo repo --config gate.json \
		--run-dir run --report json=r.json "$@"
	cat run/*/j/*.log >/dev/null || fail "no logs"
}
rate() {
	python3 -c 'import json
r = json.load(open("r.json")); s = r["selftest"]
print(s["splits"], s["blocked"], r["command"], r["outcome"])'
}

# Quiet: nothing blocks, and 10 rounds are enough for 3 %.
echo 0 >count
commit 0 0.004 1
configure ''
selftest 0
says out '^selftest: 0 of 200 random splits of equal sides would have blocked$'
says out '10 rounds find a slowdown of the threshold in every row'
[ "$(rate)" = "200 0 selftest pass" ] || fail "$(rate)"
cp out first
cp r.json first.json
expect 0 "$SOURCE/tests/cli/schema_check.py" "$SOURCE/gate/result.schema.json" \
	r.json
selftest 0
cmp -s first out || fail "the same rounds say something else"
for f in first.json r.json; do
	grep -vE '"(started|seconds)":' $f >$f.less
done
cmp -s first.json.less r.json.less || fail "the result differs"

# Noisy: it says what the noise hides, and how many rounds it takes.
rm -rf run
commit 0 0.1 1
got=0
"$GATE" selftest --repo repo --config gate.json --run-dir run >out 2>err || got=$?
[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || fail "exit $got"
says out 'half of the rows need [0-9]+ rounds'
says out '^ +\+[0-9.]+ % +[0-9]+ +b/g/x=[1-8]$'
awk 'length > 80 { exit 1 }' out || fail "wider than 80 columns"

# Few rounds: said, and inconclusive.
rm -rf run
selftest 3 --rounds 3
says out 'fewer than 6 rounds never block'
[ "$(rate)" = "8 0 selftest inconclusive" ] || fail "$(rate)"

# Replayed: the rounds of two equal kernels, and of two that differ, where a
# machine on which "equal" sides differ like that is not fit to gate by.
replay() {
	echo "{\"jobs\": [{\"name\": \"j\", \"runner\": \"replay\",
		\"clock\": \"wall\", \"logs\": {\"base\": \"$1\",
		\"candidate\": \"$2\"}}]}" >gate.json
	rm -rf run
}
replay "$FIXTURES/rounds/uml/base" "$FIXTURES/rounds/uml/same"
got=0
"$GATE" selftest --repo repo --config gate.json --run-dir run \
	--report json=r.json >out 2>err || got=$?
[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || fail "equal kernels: exit $got"
says out 'of 200 random splits'
read -r _ blocked _ <<<"$(rate)"
[ "$blocked" -le 2 ] || fail "$blocked of 200 splits of equal kernels block"

expect 2 "$GATE" selftest --repo repo --config gate.json --rounds 0
expect 2 "$GATE" selftest --base HEAD
finish
