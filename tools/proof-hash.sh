#!/bin/sh
# Prints the line that ends a proof beside FILE, for a person who has just read the two again, side by side.
set -eu
[ $# -gt 0 ] || { echo "usage: tools/proof-hash.sh FILE..." >&2; exit 2; }
for file; do
    hash=$(sha256sum < "$file")
    echo "Source: ${file##*/} sha256 ${hash%% *}"
done
