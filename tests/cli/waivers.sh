#!/bin/bash
# Waivers: accepted with a bound and an end, shown, and refused afterwards.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/repo.sh"
icount=$FIXTURES/rounds/icount
# 2026-11-30
export SOURCE_DATE_EPOCH=1796000000

# waive JSON...: the members of each waiver
waive() {
	local all='' one
	for one; do
		all="$all${all:+, }{$one}"
	done
	echo "[$all]" >w.json
}
compare() {
	expect "$1" "$GATE" compare --clock instructions \
		--base "$icount"/base/*.log --candidate "$icount"/slow/*.log \
		--waivers w.json --report json=r.json --report text \
		--report markdown=r.md
}
why='"reason": "hardening #12", "expires": "2026-12-31"'

# All of chacha20, and with all its rows its group.
waive '"match": "tcrypt/chacha20/*", "max_slowdown": 0.03, '"$why"
compare 0
says out 'hardening #12'
says out 'waiver.used'
says r.md 'hardening'
python3 - <<'PY' || fail "not 7 rows and a group waived"
import json
r = json.load(open("r.json"))
rows = [x for x in r["rows"] if "waiver" in x]
assert len(rows) == 7 and all(x["verdict"] == "pass" for x in rows)
assert all(x["waiver"]["from"] == "regression" for x in rows)
assert all(x["slowdown"] > 0.02 for x in rows), "numbers are kept"
groups = [x["group"] for x in r["groups"] if "waiver" in x]
assert groups == ["tcrypt/chacha20/encrypt"], groups
PY
expect 0 "$SOURCE/tests/cli/schema_check.py" "$SOURCE/gate/result.schema.json" \
	r.json
expect 0 "$GATE" report r.json --report json=again.json
cmp -s r.json again.json || fail "a waiver does not read back"
expect 0 "$GATE" explain r.json chacha20/encrypt/key=256/block=16
says out 'waiver +"tcrypt/chacha20/\*" accepts it until 2026-12-31'

# Beyond the bound, six of seven rows, one row short of the group.
waive '"match": "tcrypt/chacha20/*", "max_slowdown": 0.025, '"$why"
compare 1
says out 'waiver.beyond'
says out 'accepts 2.5 %'
waive '"match": "tcrypt/chacha20/*[1-8]", "max_slowdown": 0.03, '"$why"
compare 1

# The last day counts, the next does not.
waive '"match": "tcrypt/chacha20/*", "max_slowdown": 0.03,
	"reason": "x", "expires": "2026-11-30"'
compare 0
SOURCE_DATE_EPOCH=1796086400 compare 1
says out 'waiver.expired'
says out 'expired on 2026-11-30'
# A later one that holds takes its place.
waive '"match": "tcrypt/chacha20/*", "max_slowdown": 0.03, '"$why" \
	'"match": "*", "max_slowdown": 1, "reason": "old",
	"expires": "2020-01-01"' '"match": "nothing", "missing": true, '"$why"
compare 0
says out 'waiver.unused|nothing needs the waiver "nothing"'

# Faults, each with its place.
refused() {
	echo "$1" >w.json
	compare 2
	says err "$2"
}
refused '{}' 'must be an array of waivers'
refused '[{"match": "x", "max_slowdown": 1, "expires": "2027-01-01"}]' \
	'w.json:1:2: a waiver needs a "reason"'
refused '[{"match": "x", "max_slowdown": 1, "reason": "r"}]' 'needs "expires"'
refused '[{"match": "x", "max_slowdown": 1, "reason": "r",
	"expires": "2027-02-31"}]' 'needs "expires"'
refused '[{"match": "x", "reason": "r", "expires": "2027-01-01"}]' \
	'accepts nothing'
refused '[{"match": "x", "max_slowdwon": 1, "reason": "r",
	"expires": "2027-01-01"}]' 'did you mean "max_slowdown"'

# A row that is gone.
for side in base candidate; do
	for i in 1 2 3 4 5 6; do
		mkdir -p $side
		cp "$icount/base/round-0$i.log" $side/$i.log
	done
done
sed -i '/chacha20.*block *16\|test .*(256 bit key, 16 byte/d' candidate/*.log
gone() {
	expect "$1" "$GATE" compare --clock instructions --base base/*.log \
		--candidate candidate/*.log --waivers w.json
}
echo '[]' >w.json
gone 1
says out 'MISSING'
waive '"match": "*", "max_slowdown": 9, '"$why"
gone 1
waive '"match": "*", "missing": true, '"$why"
gone 0
says out 'some missing'

# gate run: the base's count; the candidate's with a notice, and never when it
# is not trusted.
unset SOURCE_DATE_EPOCH
configure ''
commit 0 0.004 1
commit 0.1 0.004 2
run() {
	expect "$@" --repo repo --config gate.json --report text
}
run 1 "$GATE" run --base HEAD~1
echo '[{"match": "b/*", "max_slowdown": 0.2, "reason": "known",
	"expires": "2999-12-31"}]' >repo/gate-waivers.json
commit 0.1 0.004 2
run 0 "$GATE" run --base HEAD~2
says out "the base has no gate-waivers.json, so the candidate's counts"
says out 'known'
run 1 "$GATE" run --base HEAD~2 --untrusted
says_not out 'known'
commit 0.2 0.004 3
run 0 "$GATE" run --base HEAD~1
says out 'known'
says_not out "the candidate's counts"
run 0 "$GATE" run --base HEAD~1 --untrusted
finish
