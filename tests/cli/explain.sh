#!/bin/bash
# gate explain: every number of a row, or which rows there are.
. "$(dirname "$0")/lib.sh"
icount=$FIXTURES/rounds/icount
uml=$FIXTURES/rounds/uml
row=chacha20/encrypt/key=256/block=16
cat >gate.json <<'C'
{"jobs": [{"name": "j", "runner": "local", "command": ["true"]}],
 "policy": {"rows": [{"match": "nothing"}, {"match": "tcrypt/chacha20/*",
	"threshold": 0.04, "floor": "1 op/s"}]}}
C
"$GATE" compare --base "$uml"/base/*.log --candidate "$uml"/slow/*.log \
	--config gate.json --report json=wall.json >/dev/null 2>&1
"$GATE" compare --clock instructions --base "$icount"/base/*.log \
	--candidate "$icount"/slow/*.log --report json=insn.json >/dev/null 2>&1

expect 0 "$GATE" explain wall.json $row
says out "^tcrypt/$row\$"
says out '^ +1 +6381466 +6352102 +\+0\.004612$'
says out '^  median +6381042\.5 +6032528\.5$'
[ "$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ +[+-]0\.[0-9]{6}$' out)" -eq 10 ] ||
	fail "not all ten rounds"
says out 'rule 2 of policy.rows, "tcrypt/chacha20/\*"'
says out 'threshold 4 %, tolerated 2 %'
says out 'floor +1 op/s'
for word in h estimate p ranks mde; do
	says out "^  $word  "
done
says out 'group +tcrypt/chacha20/encrypt: regression'
awk 'length > 80 { exit 1 }' out || fail "wider than 80 columns"

# With the bench, and with the driver.
cp out want
expect 0 "$GATE" explain wall.json tcrypt/$row
cmp -s want out || fail "the full name explains another row"
expect 0 "$GATE" explain wall.json $row@chacha20-generic
cmp -s want out || fail "the driver changes the row"

expect 0 "$GATE" explain insn.json $row
says out 'verdict +regression: \+2\.27 %'
says out "best was reached by 6 rounds \(exact\), the candidate's by"
says out 'floor +2 insn/op'
says out 'defaults hold'
says_not out 'Holm'

# Names that are none, with those that are near.
expect 2 "$GATE" explain wall.json chacha20/encrypt/key=256/block=15
says err 'no row "chacha20/encrypt/key=256/block=15"; nearest: chacha20/encrypt/key=256/block=16'
expect 2 "$GATE" explain wall.json block=1024
says err 'nearest: tcrypt/chacha20/encrypt/key=256/block=1024'
expect 2 "$GATE" explain wall.json $row@nobody
says err 'no row'
expect 2 "$GATE" explain wall.json wxyz
says err 'no row "wxyz" in this result$'
expect 2 "$GATE" explain wall.json $row --clock sundial
expect 2 "$GATE" explain wall.json
expect 4 "$GATE" explain /nonexistent.json x

# Several rows of one name: which, and how to ask for each.
for job in one two; do
	for side in base candidate; do
		for i in 1 2 3 4 5 6; do
			{
				echo "# gate-round side=$side round=$i clock=wall job=$job"
				cat "$uml/base/round-0$i.log"
			} >$side-$job-$i.log
		done
	done
done
"$GATE" compare --base base-*.log --candidate candidate-*.log \
	--report json=two.json >/dev/null 2>&1
expect 2 "$GATE" explain two.json $row
says err 'is 2 rows: .*--job one --clock wall; .*--job two'
expect 0 "$GATE" explain two.json $row --job two
says out 'job +two, wall clock'

# What a hostile result holds reaches no terminal.
sed 's|"chacha20/encrypt/key=256/block=16"|"x\\u001b[31m"|' wall.json >evil.json
expect 0 "$GATE" explain evil.json "$(printf 'x\033[31m')"
LC_ALL=C grep -q "$(printf '\033')" out && fail "an escape sequence got through"
finish
