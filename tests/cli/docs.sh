#!/bin/bash
# The documents stay true: the README's report is what gate prints, its
# configuration is one that gate takes, and its commands exist.
. "$(dirname "$0")/lib.sh"
# As a reader would type it: from the top of the source.
gate() {
	(cd "$SOURCE" && "$GATE" "$@")
}

# The first console block: a command, and what it prints.
command=$(grep -m 1 '^\$ gate compare' "$SOURCE/README.md")
sed -n '/^\$ gate compare --clock/,/^```$/p' "$SOURCE/README.md" | sed '1d;$d' \
	>"$work/want"
got=0
(cd "$SOURCE" && eval "${command#\$ }") >"$work/got" 2>"$work/err" || got=$?
[ "$got" -eq 1 ] || fail "the README's command exits $got, not 1"
cmp -s "$work/want" "$work/got" || {
	fail "the README shows another report"
	diff "$work/want" "$work/got" | head -n 20
}

# The configuration, as a reader would copy it, is understood: the refusal is
# about the logs, not about a key.
block=0 inside=
while IFS= read -r line; do
	case $line in
	'```json')
		block=$((block + 1))
		inside=1
		;;
	'```') inside= ;;
	*) [ -z "$inside" ] || printf '%s\n' "$line" >>"$work/json$block" ;;
	esac
done <"$SOURCE/README.md"
mv "$work/json1" "$work/gate.json"
[ -s "$work/gate.json" ] || fail "no configuration in the README"
expect 3 gate compare --config "$work/gate.json" \
	fixtures/seed/base.log fixtures/seed/new.log
python3 "$SOURCE/tests/cli/schema_check.py" --comments \
	"$SOURCE/gate/config.schema.json" "$work/gate.json" \
	"$SOURCE/ci/jobs/demo/gate.json" || fail "config.schema.json"

# The lines that a job may print are lines that gate reads.
expect 0 gate parse "$work/json2"
[ "$(wc -l <"$work/out")" -eq "$(wc -l <"$work/json2")" ] ||
	fail "the README's sample lines are not read"
lines "$work/err" 0

# Every option that the README, the manual page or the help names exists.
for word in $(grep -oE '^\$ gate [a-z]+ [^`]*' "$SOURCE/README.md" |
	grep -oE -- '--[a-z-]+' | sort -u); do
	grep -q -- "Fl -${word#--}" "$SOURCE/gate/gate.1" ||
		fail "the manual page lacks $word"
done
for name in run compare selftest explain parse report list; do
	grep -q "^\.Cm $name" "$SOURCE/gate/gate.1" || fail "the manual page lacks $name"
	gate "$name" --help | grep -oE '^  --[a-z-]+' | sort -u |
		while read -r option; do
			grep -q -- "Fl -${option#--}" "$SOURCE/gate/gate.1" ||
				echo "$option"
		done >"$work/undocumented"
	[ ! -s "$work/undocumented" ] ||
		fail "not in the manual page: $(tr '\n' ' ' <"$work/undocumented")"
done

# Files that the documents point to are there.
(cd "$SOURCE" && grep -ohE '\]\([^)#h][^)]*\)' README.md ARCHITECTURE.md \
	CONTRIBUTING.md) |
	tr -d ']()' | sort -u | while read -r path; do
	[ -e "$SOURCE/$path" ] || echo "$path"
done >"$work/dangling"
[ ! -s "$work/dangling" ] || fail "links to nothing: $(cat "$work/dangling")"
for path in ci/demo ci/test ci/setup; do
	[ -x "$SOURCE/$path" ] || fail "$path cannot be run"
done
finish
