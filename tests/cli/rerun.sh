#!/bin/bash
# A run directory that holds rounds of the same test goes on; one of another
# test is refused, and says what differs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/repo.sh"
commit 0 0.004 1
commit 0 0.004 2
configure ''
run() {
	local want=$1
	shift
	expect "$want" "$GATE" run --repo repo --base HEAD~1 --config gate.json \
		--run-dir run "$@"
}
values() {
	python3 - "$1" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
for x in r["rows"]:
    print(x["row"], x["verdict"], x["base"]["values"], x["candidate"]["values"])
print(r["looks"], r["outcome"])
PY
}

expect 2 "$GATE" run --repo repo --base HEAD~1 --config gate.json --resume
says err 'needs --run-dir'
run 2 --resume
says err 'holds no run to go on with'
[ ! -e run ] || fail "something was left of a refused run"

run 0
says err 'looks after 6, 10, 15, 20, 30 rounds'
[ "$(grep -c '^round ' run/journal)" -eq 12 ] || fail "not 12 rounds"
says run/journal '^gate-journal 1$'
says run/journal '^round candidate j 6$'
says run/journal '^look wall 6$'
says run/base/j/round-001.log '^# gate-round .* cpu=0\.[0-9]+ .*host\.kernel='
values run/result.json >whole

# The same again measures nothing anew and says the same.
cp run/journal before
run 0 --resume
says err 'going on with run, which holds 12 rounds'
says_not err 'round 1 of'
cmp -s before run/journal || fail "the journal changed"
values run/result.json >again
cmp -s whole again || fail "another result of the same rounds"

# Ended at any moment: the torn line counts for nothing, half a pair is
# measured anew, the rest is kept.
grep -v '^look' before | head -n -2 >run/journal
printf 'round base j' >>run/journal
rm run/result.json
stat -c %Y:%i run/base/j/round-001.log >kept
run 0 --resume
stat -c %Y:%i run/base/j/round-001.log | cmp -s - kept ||
	fail "a finished round was measured again"
values run/result.json >again
cmp -s whole again || fail "another result after an interruption"
sort before >a
sort run/journal >b
cmp -s a b || fail "the journal does not say the same"

# Killed in the middle of a round, for real.
cp whole want
rm -rf run
touch slow
"$GATE" run --repo repo --base HEAD~1 --config gate.json --run-dir run \
	>out 2>err &
gate=$!
for _ in $(seq 600); do
	[ "$(grep -c '^round' run/journal 2>/dev/null)" -ge 3 ] 2>/dev/null && break
	sleep 0.05
done
kill -KILL $gate
wait $gate 2>/dev/null
rm slow
[ ! -e run/result.json ] || fail "it was killed too late to show anything"
run 0 --resume
says err 'going on with run, which holds [3-9] rounds'
values run/result.json >again
cmp -s want again || fail "another result after kill -9"

# Cut after two rounds, as by a budget, then finished: one test, each look at
# its place.
rm -rf run
commit 0 0.02 1
commit 0.004 0.02 2
configure '"policy": {"threshold": 0.005},'
run 3 --rounds 30
grep -E '^(gate-journal|fact|round .* [12]$)' run/journal >shorter
echo 'look wall 2' >>shorter
mv shorter run/journal
run 3
grep -c '^look wall' run/journal | grep -qx 6 || fail "looks: $(grep look run/journal)"
python3 - <<'PY' || fail "the looks do not share one error"
import json
r = json.load(open("run/result.json"))
looks = r["looks"]
assert [l["rounds"] for l in looks] == [2, 6, 10, 15, 20, 30], looks
assert abs(sum(l["alpha"] for l in looks) - 0.01) < 1e-12, looks
PY
run 3
says_not err 'round 1 of'

# Another test is refused, the field named, and nothing of it touched.
cp -r run copy
refused() {
	run 2 "$@"
	lines err 1
	diff -r run copy >changes || fail "a refused run changed: $(cat changes)"
}
refused --rounds 40
says err 'rounds by wall clock is "6 to 30" there, "6 to 40" now'
configure '"policy": {"threshold": 0.001},'
refused
says err "the configuration's hash is"
sed -i 's/"command": \["sh"/"command": ["sh", "-e"/' gate.json
refused
says err 'job j is "clock=wall runner=local command='
refused --candidate HEAD~1
says err 'candidate is "[0-9a-f]{40}" there'
echo 'gate-journal 2' >run/journal
run 4
says err 'not a journal'
printf 'gate-journal 1\nnonsense\n' >run/journal
run 4
says err 'run/journal:2: not understood'
# A folder with other things in it is nobody's run directory.
mkdir -p mine/base && echo precious >mine/base/file
expect 2 "$GATE" run --repo repo --base HEAD~1 --config gate.json --run-dir mine
says err 'mine holds other things than a run'
[ "$(cat mine/base/file)" = precious ] || fail "a file of the user's is gone"
[ "$(find mine | wc -l)" -eq 3 ] || fail "something was written there"
expect 2 "$GATE" run --repo repo --base HEAD~1 --config gate.json --run-dir ''
says err '--run-dir is empty'
finish
