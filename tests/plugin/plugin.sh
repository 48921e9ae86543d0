#!/bin/bash
# Parsers from outside, both ways: what works, and what is refused by name.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../cli/lib.sh"
here=$SOURCE/tests/plugin
log=$here/dd.log

# The installed headers are all that a plug-in needs.
mkdir -p include/gate
cp "$SOURCE"/gate/include/gate/*.h include/gate/
object() {
	"${CC:-cc}" -std=c17 -Wall -Wextra -Werror -shared -fPIC -I include \
		-o "$@" || fail "does not compile: $*"
}

# As a shared object.
object dd.so "$here/dd.c"
expect 0 "$GATE" parse --parser "$work/dd.so" "$log"
lines out 3
says out '^\{"bench":"dd","row":"copy/bytes=32000","driver":null,"unit":"B/s","better":"higher","value":2092091.2413292625,"resolution":13.67[0-9]*,"line":3\}$'
cp out object.jsonl
expect 4 "$GATE" parse "$log"
says err 'looks like a result but was not understood \(3 such lines\)'
"$GATE" parse --parser "$work/dd.so" - <"$log" >standard.jsonl 2>err
cmp -s standard.jsonl object.jsonl || fail "standard input reads otherwise"
# A cut line is no value.
head -c 78 "$log" >cut.log
expect 4 "$GATE" parse --parser "$work/dd.so" cut.log
says err 'cut.log:3: looks like a result but was not understood \(1 such'

# Two sides.
sed 's/0\.0152957/0.0252957/' "$log" >slow.log
expect 3 "$GATE" compare --parser "$work/dd.so" "$log" slow.log
says out 'dd/copy/bytes=32000'

# Refused, with path and name.
refused() {
	local case=$1 want=$2
	object wrong.so -DCASE="$case" "$here/wrong.c"
	expect 4 "$GATE" parse --parser "$work/wrong.so" "$log"
	says err "wrong.so: $want"
	lines out 0
	expect 4 "$GATE" compare --parser "$work/wrong.so" "$log" "$log"
	says err "wrong.so: $want"
}
refused 1 'parser wrong is built for plug-in ABI 2, but this gate has ABI 1'
refused 2 'parser wrong says that its table has 16 bytes, but ABI 1 has [0-9]+'
refused 3 "a parser's name must be of a-z"
refused 4 'parser wrong leaves a slot of its table empty'
refused 5 'no parser plug-in: it does not export gate_parser_plugin'
refused 6 'its list of parsers is empty'
object wrong.so -DCASE=7 "$here/wrong.c"
expect 4 "$GATE" parse --parser "$work/wrong.so" "$log"
says err 'parser wrong did not open'
expect 4 "$GATE" parse --parser ./dd.so "$log"
says err 'a parser plug-in is named by its absolute path'
expect 4 "$GATE" parse --parser "$work/none.so" "$log"
says err 'none.so: cannot open shared object file'
echo "no object" >text.so
expect 4 "$GATE" parse --parser "$work/text.so" "$log"
says err 'text.so: '

# What it emits is checked like everything else.
object hostile.so "$here/hostile.c"
echo go >go.log
expect 0 "$GATE" parse --parser "$work/hostile.so" go.log
lines out 1
says out '"row":"row","driver":"bell..escape.\[31m".*"value":1,'
for what in 'no number' 'negative value' 'resolution that is none' \
	'unknown unit' 'unknown status' 'without a name' 'longer than 512'; do
	says err "refused: .*$what"
done

# Several parsers: a line goes to the first that understands it, and a doubt is
# forgotten when another does.
object pair.so "$here/pair.c"
printf 'ab\na\nz\nq\n' >pair.log
expect 0 "$GATE" parse --format csv --parser "$work/pair.so" pair.log
says out '^pair,doubt,,s,lower,1,0,1,'
says out '^pair,sure,,s,lower,1,0,2,'
lines out 3
says err 'pair.log:3: looks like a result but was not understood \(1 such lines\): z'

# As a program: the same samples.
"$here/dd-parser" <"$log" >program.jsonl
expect 0 "$GATE" parse --parser jsonl program.jsonl
sed 's/"resolution":[^,]*,//' out >a
sed 's/"resolution":[^,]*,//' object.jsonl >b
cmp -s a b || fail "program and object differ"

# In the configuration, found beside it.
mkdir -p conf/tools elsewhere
cp "$here/dd-parser" conf/tools/
config() {
	cat >conf/gate.json <<-JSON
		{"jobs": [{"name": "dd", "runner": "replay",
		  "logs": {"base": "b", "candidate": "c"},
		  "parser": {"command": $1, "timeout": "2s"}}]}
	JSON
}
round() {
	echo "# gate-round side=$1 round=1 clock=wall job=dd"
	cat "$2"
}
round base "$log" >base.log
round candidate slow.log >candidate.log
# shellcheck disable=SC2317 # called by expect
compare() {
	(cd elsewhere && "$GATE" compare --config ../conf/gate.json \
		../base.log ../candidate.log)
}
config '["tools/dd-parser"]'
expect 3 compare
says out 'dd/copy/bytes=32000'
cp out by-program.txt

# By path, in the configuration.
sed "s|{\"command.*}}|\"$work/dd.so\"}|" conf/gate.json >conf/object.json
expect 3 "$GATE" compare --config conf/object.json base.log candidate.log
cmp -s <(grep 'dd/' out) <(grep 'dd/' by-program.txt) ||
	fail "configured object and program differ"

# What a program does wrong is said, with its name.
broken() {
	local want=$1 script=$2
	printf '#!/bin/sh\n%s\n' "$script" >conf/tools/broken
	chmod +x conf/tools/broken
	config '["tools/broken"]'
	expect 4 compare
	says err "parser tools/broken:? $want"
}
broken 'exited with code 3: no such benchmark$' \
	'echo first >&2; echo "no such benchmark" >&2; exit 3'
broken 'was ended by signal 9' 'kill -9 $$'
broken 'did not end within 2 s' 'exec sleep 100'
broken 'wrote more than 64 MiB' 'exec yes "{\"bench\":\"b\"}"'
broken 'wrote a line that is no sample \(its line 1\): hello' 'echo hello'
broken 'wrote a line that is no sample \(its line 1\): \{"bench":"b",' \
	'printf "{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"s\",\"val"'
broken 'wrote a line that is no sample \(its line 1\): \{"bench":"b"' \
	'echo "{\"bench\":\"b\",\"row\":\"r\",\"unit\":\"furlongs\",\"value\":1}"'
broken 'exited with code' 'exec python3 -c "x = bytearray(3 << 30)"'
config '["tools/none"]'
expect 4 compare
says err 'parser tools/none: cannot run'
# Its standard input is the log, its environment holds no secrets, and what it
# does not read does no harm.
export GATE_TEST_TOKEN=secret
# shellcheck disable=SC2016 # for the script
broken 'exited with code 5: # gate-round side=base' \
	'head -n 1 >&2; exit ${GATE_TEST_TOKEN:+1}5'
config '["tools/dd-parser"], "tiemout": "2s"'
expect 2 compare
says err 'tiemout'

# In a commit: the base's program reads both sides, whatever the candidate made
# of it.
git init -q repo
commit() {
	git -C repo add -A
	git -C repo -c user.name=t -c user.email=t@t commit -q -m "$1"
}
cp "$here/dd-parser" "$log" repo/
cat >repo/gate.json <<'JSON'
{"jobs": [{"name": "dd", "runner": "local", "command": ["cat", "dd.log"],
           "parser": {"command": ["./dd-parser"]}}]}
JSON
commit base
printf '#!/bin/sh\nexit 7\n' >repo/dd-parser
cp slow.log repo/dd.log
commit candidate
expect 3 "$GATE" run --repo repo --base HEAD~1 --candidate HEAD --rounds 1 \
	--run-dir run --report json=run.json
grep -q '"row": "copy/bytes=32000"' run.json || fail "run read no sample"

# The page for newcomers shows these very files.
python3 - "$SOURCE" <<'PY' || fail "parsers/README.md and tests/plugin differ"
import re, sys
page = open(sys.argv[1] + "/parsers/README.md").read()
for name, lang in ("dd.c", "c"), ("dd-parser", "awk"):
    code = open(sys.argv[1] + "/tests/plugin/" + name).read()
    assert "```%s\n%s```" % (lang, code) in page, name
PY
finish
