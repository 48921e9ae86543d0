#!/bin/bash
# gate compare on real rounds: what is true of them is in fixtures/README.md.
. "$(dirname "$0")/lib.sh"
icount=$FIXTURES/rounds/icount
uml=$FIXTURES/rounds/uml

# Instruction clock, a 2.2 to 2.8 % slower chacha20: its 7 rows, no other.
expect 1 "$GATE" compare --clock instructions --base "$icount"/base/*.log \
	--candidate "$icount"/slow/*.log --report text --report json=slow.json
says out '^REGRESSION \(exit 1\)'
says out 'instructions, not time'
python3 - <<'PY' || fail "not exactly the 7 chacha20 rows"
import json
rows = json.load(open("slow.json"))["rows"]
assert len(rows) == 284, len(rows)
bad = {r["row"]: r["slowdown"] for r in rows if r["verdict"] == "regression"}
want = {64: 2.244, 16: 2.273, 128: 2.507, 256: 2.663, 1024: 2.793,
        4096: 2.803, 1420: 2.808}
assert set(bad) == {f"chacha20/encrypt/key=256/block={b}" for b in want}, bad
for b, percent in want.items():
    got = 100 * bad[f"chacha20/encrypt/key=256/block={b}"]
    assert abs(got - percent) < 0.0006, (b, got)
others = [r for r in rows if r["verdict"] != "regression"]
assert all(r["verdict"] == "pass" for r in others)
equal = [r for r in others if r["bench"] == "tcrypt" and r["slowdown"] == 0]
assert len(equal) == 272, len(equal)
PY

# An unrelated change, and a kernel against itself: every row equal.
for other in unrelated base; do
	expect 0 "$GATE" compare --clock instructions \
		--base "$icount"/base/*.log --candidate "$icount/$other"/*.log \
		--report json=other.json
	python3 - <<'PY' || fail "$other: not every row equal"
import json
rows = json.load(open("other.json"))["rows"]
assert len(rows) == 284
assert all(r["verdict"] == "pass" for r in rows)
assert all(r["slowdown"] == 0 for r in rows if r["bench"] == "tcrypt")
PY
done

# Wall clock: the same binary twice must never block.
got=0
"$GATE" compare --base "$uml"/base/*.log --candidate "$uml"/same/*.log \
	>out 2>err || got=$?
[ "$got" -eq 0 ] || [ "$got" -eq 3 ] || fail "A/A exits $got"

# A really slower one blocks, and nothing else is named.
expect 1 "$GATE" compare --base "$uml"/base/*.log --candidate "$uml"/slow/*.log \
	--report json=uml.json
python3 - <<'PY' || fail "names something else than chacha20"
import json
r = json.load(open("uml.json"))
bad = [x["row"] for x in r["rows"] if x["verdict"] == "regression"]
bad += [x["group"] for x in r["groups"] if x["verdict"] == "regression"]
assert bad and all("chacha20" in name for name in bad), bad
PY

# The tables of the mail that the project starts from: one round a side decides
# nothing, but every difference is there.
expect 3 "$GATE" compare "$FIXTURES/seed/base.log" "$FIXTURES/seed/new.log"
says out '^INCONCLUSIVE \(exit 3\)'
[ "$(grep -c 'key=.*block=' out)" -ge 32 ] || fail "not all 32 differences"
says out 'key=288/block=1420 .* -3\.56 %'
says out 'key=152/block=512 .* \+3\.20 %'

# Five rounds are shown and never block; six may.
expect 3 "$GATE" compare --base "$uml"/base/round-0[1-5].log \
	--candidate "$uml"/slow/round-0[1-5].log
expect 3 "$GATE" compare --base "$uml"/base/round-01.log \
	--candidate "$uml"/slow/*.log
says out 'compare.unequal'

# The same input gives the same bytes, whatever the order of reports.
"$GATE" compare --base "$uml"/base/*.log --candidate "$uml"/slow/*.log \
	--report json=a.json --report junit=a.xml >/dev/null 2>&1
"$GATE" compare --report junit=b.xml --candidate "$uml"/slow/*.log \
	--report json=b.json --base "$uml"/base/*.log >/dev/null 2>&1
cmp -s a.json b.json || fail "result.json differs between two runs"
cmp -s a.xml b.xml || fail "JUnit differs between two runs"

# A stored result renders to the same report.
"$GATE" compare --base "$uml"/base/*.log --candidate "$uml"/slow/*.log >text1
expect 0 "$GATE" report a.json --report text
cmp -s text1 out || fail "gate report prints another text than gate compare"

# Stored rounds say what they are, and are believed.
facts() {
	echo "# gate-round side=$1 round=$2 clock=wall job=x slot=$3 params=$4"
	cat "$uml/$5"
}
for i in 1 2 3; do
	facts base $i $i p base/round-0$i.log >base-$i.log
	facts candidate $i $((i + 3)) p slow/round-0$i.log >blocked-$i.log
	facts candidate $i $((2 * i)) q slow/round-0$i.log >other-$i.log
	facts candidate $i $((2 * i)) p slow/round-0$i.log >good-$i.log
done
expect 4 "$GATE" compare --base base-?.log --candidate blocked-?.log
says err 'before all of the other'
lines err 1
expect 4 "$GATE" compare --base base-?.log --candidate other-?.log
says err 'run differently: "p" in base-1.log, "q" in other-1.log'
expect 2 "$GATE" compare --clock instructions --base base-?.log \
	--candidate good-?.log
says err 'measured by the wall clock'
expect 3 "$GATE" compare --base base-?.log --candidate good-?.log

# In turn, host and share of the processor as they say.
turn() {
	local first=$((2 * $2 - 1)) second=$((2 * $2))
	[ $(($2 % 2)) -eq 1 ] || { second=$first; first=$((2 * $2)); }
	[ "$1" = base ] || first=$second
	echo "# gate-round side=$1 round=$2 clock=wall job=x slot=$first" \
		"params=sec=1%20modes=[1%202] $3"
	cat "$uml/$4"
}
for i in 1 2 3; do
	turn base $i "cpu=0.$((84 + 5 * i)) cpu-least=0.9 host.kernel=6.1" \
		base/round-0$i.log >b-$i.log
	turn candidate $i "host.kernel=6.1" slow/round-0$i.log >c-$i.log
done
expect 3 "$GATE" compare --base b-?.log --candidate c-?.log --report json=t.json
says t.json '"order": "ABBA"'
says_not t.json 'compare.order'
python3 -c 'import json; j = json.load(open("t.json"))["jobs"][0]
assert j["contaminated"] == {"share": 0.9, "base": 1, "candidate": 0}, j' ||
	fail "the contaminated round is not counted"
sed -i '1s/host.kernel=6.1/host.kernel=6.2/' c-2.log
expect 4 "$GATE" compare --base b-?.log --candidate c-?.log
says err 'different hosts: kernel is "6.1" in b-1.log, "6.2" in c-2.log'
sed -i '1s/6.2/6.1/; 1s/sec=1/sec=2/' c-2.log
expect 4 "$GATE" compare --base b-?.log --candidate c-?.log
says err 'run differently: "sec=1" in b-1.log, "sec=2" in c-2.log'
sed -i '1s/sec=2/klen=3%20sec=1/' c-2.log
expect 4 "$GATE" compare --base b-?.log --candidate c-?.log
says err 'run differently: "" in b-1.log, "klen=3" in c-2.log'
# Logs that say which side they are, given as the other; the same log twice;
# the same round twice.
expect 4 "$GATE" compare --base c-1.log c-3.log --candidate b-1.log b-3.log
says err 'say that they are the candidate'
expect 2 "$GATE" compare --base "$uml"/base/round-01.log \
	"$uml"/base/round-01.log --candidate "$uml"/slow/*.log
says err 'round-01.log is given twice as the base'
cp b-1.log b-copy.log
expect 2 "$GATE" compare --base b-1.log b-copy.log --candidate c-1.log c-3.log
says err 'are the same round 1'

# Pipes give what they hold once, and are read whole.
expect 1 "$GATE" compare \
	--base <(cat "$uml"/base/round-01.log) <(cat "$uml"/base/round-02.log) \
	"$uml"/base/round-0[3-9].log "$uml"/base/round-10.log \
	--candidate "$uml"/slow/*.log --report json=pipe.json
python3 - <<'PY' || fail "a pipe gives other values than its file"
import json
a = [(r["row"], r["base"]["values"]) for r in json.load(open("uml.json"))["rows"]]
b = [(r["row"], r["base"]["values"]) for r in json.load(open("pipe.json"))["rows"]]
assert a == b
PY

# A policy alone is enough here.
echo '{"policy": {"group": {"threshold": 0.5}, "threshold": 0.5}}' >policy.json
got=0
"$GATE" compare --config policy.json --base "$uml"/base/*.log \
	--candidate "$uml"/slow/*.log >out 2>err || got=$?
[ "$got" -ne 1 ] && [ "$got" -ne 2 ] || fail "the policy is not taken: $got"
finish
