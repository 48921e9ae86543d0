#!/bin/bash
# Every result.json is what gate/result.schema.json says, whatever was compared.
. "$(dirname "$0")/lib.sh"
check=$SOURCE/tests/cli/schema_check.py
schema=$SOURCE/gate/result.schema.json

expect 0 "$check" "$schema" "$FIXTURES"/reports/*.json

expect 1 "$GATE" compare --clock instructions \
	--base "$FIXTURES"/rounds/icount/base/*.log \
	--candidate "$FIXTURES"/rounds/icount/slow/*.log \
	--report json=instructions.json
expect 1 "$GATE" compare --base "$FIXTURES"/rounds/uml/base/*.log \
	--candidate "$FIXTURES"/rounds/uml/slow/*.log --report json=wall.json
expect 3 "$GATE" compare "$FIXTURES"/seed/base.log "$FIXTURES"/seed/new.log \
	--report json=single.json
expect 0 "$check" "$schema" instructions.json wall.json single.json

# The check itself can fail.
sed 's/"slowdown"/"speedup"/' single.json >renamed.json
expect 1 "$check" "$schema" renamed.json
says err "speedup"
sed 's/"exit_code": 3/"exit_code": 0/' single.json >green.json
expect 1 "$check" "$schema" green.json
echo '{' >cut.json
expect 1 "$check" "$schema" cut.json
expect 2 "$check" "$schema"
finish
