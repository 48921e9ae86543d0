# shellcheck shell=bash
# What the command-line tests share. $GATE is the program, $FIXTURES the
# captures; both are set by CTest. Each test gets an empty folder to work in.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/gate-cli-XXXXXX")
trap 'rm -rf "$work"' EXIT
export GATE_CACHE=$work/cache
# In patterns a dot is a character, also of more than one byte.
export LC_ALL=C.UTF-8
cd "$work" || exit 1
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it, keeps what it prints in out and err, and
# wants this exit code.
expect() {
	local want=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	# A sanitizer's exit code could pass for the one that is wanted.
	if grep -qE 'Sanitizer|runtime error:' err; then
		fail "complaint of a sanitizer: $*"
		head -n 40 err
	fi
	[ "$got" -eq "$want" ] && return
	fail "exit $got, not $want: $*"
	head -n 20 out err
}

# says FILE PATTERN: the last command's out or err holds this (grep -E).
says() {
	grep -qE -- "$2" "$1" && return
	fail "$1 does not say: $2"
	head -n 20 "$1"
}

says_not() {
	grep -qE -- "$2" "$1" || return 0
	fail "$1 must not say: $2"
	grep -E -- "$2" "$1" | head -n 5
}

# lines FILE N
lines() {
	local n
	n=$(wc -l <"$1")
	[ "$n" -eq "$2" ] || {
		fail "$1 has $n lines, not $2"
		head -n 20 "$1"
	}
}

finish() {
	[ "$failures" -eq 0 ] || exit 1
	exit 0
}
