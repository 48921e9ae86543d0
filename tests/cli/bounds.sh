#!/bin/bash
# Inputs without an end: memory stays small, and a message says what it was.
. "$(dirname "$0")/lib.sh"
head='tcrypt: testing speed of sync ecb(aes) (ecb-aes-generic) encryption'
row='tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 462 cycles (16 bytes)'

# small COMMAND...: runs it with at most 64 MiB of memory, as the kernel counts
# what it touched. Sanitizers keep shadows, so they are not held to it.
cat >small.py <<'PY'
import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
sanitized = b"__asan_init" in open(os.environ["GATE"], "rb").read()
if used.ru_maxrss > 64 * 1024 and not sanitized:
    print(f"gate took {used.ru_maxrss >> 10} MiB", file=sys.stderr)
    sys.exit(100)
sys.exit(os.waitstatus_to_exitcode(status))
PY
small() {
	timeout 200 python3 small.py "$@"
}

# A line of 100 MB: cut, counted, and what stands around it is read.
long_line() {
	echo "$head"
	head -c 100000000 /dev/zero | tr '\0' x
	echo
	echo "$row"
}
long_line >long.log
expect 0 small "$GATE" parse long.log
lines out 1
says out '"row":"ecb\(aes\)/encrypt/key=128/block=16".*"value":462,.*"line":3'
says err '1 lines were cut at 65536 bytes'
rm long.log

# What follows is about volume, which is no matter of sanitizers and takes them
# too long.
if ! grep -q __asan_init "$GATE"; then

# Ten million samples.
samples() {
	echo "$head"
	yes "$row" | head -n 10000000
}
many() {
	samples 2>/dev/null | small "$GATE" parse --parser tcrypt - |
		tail -n 1
	return "${PIPESTATUS[1]}"
}
expect 4 many
says err 'standard input:2000002: more than 2000000 samples in one log'

# Pipes that never end.
endless() {
	"$@" 2>/dev/null | small "$GATE" parse -
	return "${PIPESTATUS[1]}"
}
expect 4 endless yes
says err 'standard input: more than 20000000 lines: no log of a benchmark'
expect 4 endless cat /dev/zero
says err 'standard input: not a text log'
expect 4 endless bash -c 'while :; do printf "%01000000d" 0; done'
says err 'standard input: larger than 2048 MiB: no log of a benchmark'

fi

# One that says nothing, and is kept open: it ends when it is asked to.
mkfifo quiet
exec 3<>quiet
quiet() {
	timeout --preserve-status -s INT -k 20 1 "$GATE" parse - <quiet
}
expect 4 quiet
says err 'interrupted'
exec 3>&-
finish
