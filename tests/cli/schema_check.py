#!/usr/bin/python3
"""Validate JSON files against a JSON Schema (Debian: python3-jsonschema).

schema_check.py [--comments] SCHEMA FILE...

With --comments the files may hold // and /* */ comments, as gate.json does.

Exits 0 when every file is valid, 1 when one is not, 2 on wrong usage. No
file at all is wrong usage: a test that checks nothing must not pass.
"""

import json
import re
import sys

import jsonschema


def refuse_constant(name):
    """Python's reader takes NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not JSON")


def strip_comments(text):
    """Strings stay, whatever is inside them."""
    return re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/',
                  lambda m: m.group(1) or "", text, flags=re.S)


def load(path, comments=False):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return json.loads(strip_comments(text) if comments else text,
                      parse_constant=refuse_constant)


def main(argv):
    comments = argv[1:2] == ["--comments"]
    if comments:
        del argv[1]
    if len(argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    schema = load(argv[1])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = False
    for path in argv[2:]:
        try:
            errors = list(validator.iter_errors(load(path, comments)))
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            bad = True
            continue
        for error in errors:
            place = "/".join(str(p) for p in error.absolute_path) or "."
            print(f"{path}: {place}: {error.message[:400]}", file=sys.stderr)
        bad = bad or bool(errors)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
