#!/bin/bash
# Rename rules: rows and drivers that have another name on the candidate.
. "$(dirname "$0")/lib.sh"
sample() {
	echo "{\"bench\":\"b\",\"row\":\"$2\",\"driver\":\"$3\",\"unit\":\"ns/op\",\"better\":\"lower\",\"value\":$1,\"resolution\":1,\"line\":1}"
}
for i in 1 2 3 4 5 6; do
	{ sample 1000 old/x=1 a-generic; sample 500 old/x=2 a-generic; } >base-$i.jsonl
	{ sample 1000 new/x=1 a-lib; sample 500 new/x=2 a-lib; } >cand-$i.jsonl
done
compare() {
	local want=$1
	shift
	expect "$want" "$GATE" compare --base base-*.jsonl \
		--candidate cand-*.jsonl --report json=r.json --report text "$@"
}
configure() {
	echo "{\"rename\": $1, \"jobs\": [{\"name\": \"j\",
		\"runner\": \"local\", \"command\": [\"true\"]}]}" >gate.json
}
compare 4
says err 'no row in common'
configure '[{"rows": "b/old/*", "to": "b/new/*"},
	{"drivers": "*-generic", "to": "*-lib"}, {"rows": "b/never", "to": "b/x"}]'
compare 0 --config gate.json
says out 'rows "b/old/\*" of the base are compared as "b/new/\*": 12 samples'
says out 'drivers "\*-generic" of the base are compared as "\*-lib": 12 samples'
says out 'no rows "b/never" to rename'
python3 - <<'PY' || fail "not two rows of one driver"
import json
rows = json.load(open("r.json"))["rows"]
assert [r["row"] for r in rows] == ["new/x=1", "new/x=2"], rows
assert all(r["driver"] == {"base": "a-lib", "candidate": "a-lib"} for r in rows)
assert not any(r["driver_changed"] for r in rows)
PY
refused() {
	configure "$1"
	compare 2 --config gate.json
	says err "$2"
}
refused '[{"rows": "a", "drivers": "b", "to": "c"}]' 'needs "rows" or "drivers"'
refused '[{"rows": "a"}]' 'needs "rows" or "drivers", and "to"'
refused '[{"rows": "a*b*", "to": "c"}]' 'one \* at most'
refused '[{"rows": "a", "to": "c*"}]' 'stands for nothing'
refused '[{"row": "a", "to": "c"}]' 'did you mean "rows"'
finish
