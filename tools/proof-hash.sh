#!/bin/sh
# Prints the line that ends a proof, for a person who has just read the proof and the source again, side by side.
set -eu
[ $# -gt 0 ] || { echo "usage: tools/proof-hash.sh src/privacy/FILE.c..." >&2; exit 2; }
for file; do
    hash=$(sha256sum < "$file")
    case $file in
    src/privacy/*) name=${file##*/} ;;
    *) name=$file ;;
    esac
    echo "Source: $name sha256 ${hash%% *}"
done
