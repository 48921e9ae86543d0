#!/bin/bash
# Help, version and lists.
. "$(dirname "$0")/lib.sh"
expect 0 "$GATE" --help
says out 'exit codes: 0 no regression, 1 regression'
expect 0 "$GATE" --version
says out '^gate [0-9]+\.[0-9]+\.[0-9]+$'
for command in run compare selftest explain parse report list; do
	expect 0 "$GATE" "$command" --help
	says out "^gate $command: "
	says out '--no-progress'
	expect 0 "$GATE" "$command" --version
done
expect 0 "$GATE" list parsers
for parser in tcrypt xor jsonl; do
	says out "^$parser "
done
expect 0 "$GATE" list runners
for runner in qemu local replay; do
	says out "^$runner "
done
expect 0 "$GATE" list reporters
for reporter in text markdown junit json; do
	says out "^$reporter "
done
expect 2 "$GATE" list wishes
finish
