#!/bin/sh
# Runs every fuzzer of a build directory for a while, starting from the committed corpus. What it finds beyond that stays in
# the build directory; what makes it fail is printed with the input's path.
# usage: tools/fuzz.sh BUILD SECONDS
set -eu
build=$1 seconds=$2 failed=
for fuzzer in "$build"/fuzz/fuzz_*_live; do
    [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
    name=${fuzzer##*/fuzz_}
    name=${name%_live}
    found=$build/found/$name
    mkdir -p "$found"
    seeds=fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    echo "$name: $seconds s"
    # shellcheck disable=SC2086
    "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -artifact_prefix="$found/failing-" "$found" $seeds > "$found.log" 2>&1 ||
        { tail -n 40 "$found.log"; failed="$failed $name"; }
    grep -E '^#[0-9]+.*DONE|^Done' "$found.log" || true
done
[ -d "$build/found" ] || { echo "fuzz.sh: no fuzzers in $build/fuzz" >&2; exit 1; }
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
