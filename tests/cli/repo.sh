# shellcheck shell=bash
# A git repository of two commits and a benchmark of eight rows whose values
# are a pure function of the round and of what the commit says: "slow" is how
# much slower than 1000 ns/op, "noise" how far rounds lie apart.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org
export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org

cat >bench.sh <<'B'
set -u
read -r slow noise seed <"$GATE_SOURCE/state"
# Two runs of one commit differ by how often it ran, where a test wants that.
count=${0%/*}/count
if [ -e "$count" ]; then
	seed=$(($(cat "$count") + 1))
	echo "$seed" >"$count"
fi
[ ! -e "${0%/*}/slow" ] || sleep 0.2
awk -v slow="$slow" -v noise="$noise" -v seed="$seed" -v round="$GATE_ROUND" '
	BEGIN {
		srand(1000 * seed + round)
		for (i = 1; i <= 8; i++)
			printf "{\"bench\":\"b\",\"row\":\"g/x=%d\"," \
				"\"driver\":\"d\",\"unit\":\"ns/op\"," \
				"\"better\":\"lower\",\"value\":%.3f," \
				"\"resolution\":0.001,\"line\":%d}\n", i,
				1000 * (1 + slow) * (1 + noise * (rand() - 0.5)), i
	}'
B

# commit SLOW NOISE SEED
commit() {
	echo "$*" >repo/state
	git -C repo add -A
	git -C repo commit -q --allow-empty -m "$*"
}

# configure JSON: rounds, policy and the like, before the one job.
configure() {
	cat >gate.json <<C
{$1 "jobs": [{"name": "j", "runner": "local", "parser": "jsonl",
	"command": ["sh", "${work:?}/bench.sh"]}]}
C
}

git init -q -b main repo
