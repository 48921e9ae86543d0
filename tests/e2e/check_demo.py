"""What is true of Debian's 6.1 and 6.12 cloud kernels under QEMU's -cpu max:
row counts, drivers, and the direction of the changes."""
import json
import sys

result = json.load(open(sys.argv[1]))
assert result["exit_code"] == 1 and result["outcome"] == "regression"
rows = [r for r in result["rows"] if r["bench"] == "tcrypt"]
assert all(r["clock"] == "instructions" for r in rows)

base = [r for r in rows if r["base"]["n"]]
candidate = [r for r in rows if r["candidate"]["n"]]
assert len(base) >= 247, len(base)
assert len(candidate) >= 279, len(candidate)

# What only one side has is there by name.
only_base = [r for r in rows if not r["candidate"]["n"]]
only_candidate = [r for r in rows if not r["base"]["n"]]
assert all(r["verdict"] in ("missing", "failed") for r in only_base)
assert all(r["verdict"] == "new" for r in only_candidate)
assert only_candidate, "6.12 has rows that 6.1 has not"

# GCM got AVX drivers; AES in CBC mode is another driver too.
changed = {(r["driver"]["base"], r["driver"]["candidate"])
           for r in rows if r["driver_changed"]}
assert any(new and "gcm" in new and "avx" in new for old, new in changed), \
    changed
assert any(old and old.startswith("cbc") for old, new in changed), changed

cbc = [r for r in rows if r["row"].startswith("cbc(aes)/encrypt/")]
assert len(cbc) == 21, len(cbc)
for r in cbc:
    assert r["verdict"] == "regression", (r["row"], r["verdict"])
    assert 0.2 < r["slowdown"] < 0.45, (r["row"], r["slowdown"])
sha = [g for g in result["groups"] if g["group"] == "tcrypt/sha256/hash"]
assert len(sha) == 1 and -0.15 < sha[0]["geomean_slowdown"] < -0.01, sha
fewer = [r for r in rows if r["row"].startswith("sha256/hash/")
         and r["slowdown"] is not None and r["slowdown"] < 0]
assert len(fewer) > 11, len(fewer)  # of 22
print(f"{len(base)} rows of 6.1, {len(candidate)} of 6.12, "
      f"{len(changed)} driver changes")
