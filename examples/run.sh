#!/bin/sh
# Runs the example on invented records and looks at what it prints. usage: run.sh HEDGEROW EXAMPLE
set -eu
hedgerow=$(realpath "$1") example=$(realpath "$2")
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
"$hedgerow" generate hospital --rows 2000 --seed 1 -o train.csv --schema schema.yaml
"$hedgerow" generate hospital --rows 10 --seed 2 -o test.csv
"$example" train.csv schema.yaml test.csv > out.txt
cat out.txt
[ "$(grep -c '^record [1-5]: [01][.0-9]* [01][.0-9]*$' out.txt)" = 5 ]
grep -q epsilon out.txt
code=0
"$example" train.csv nothing.yaml test.csv 2> err.txt || code=$?
[ "$code" = 1 ] && grep -q nothing.yaml err.txt
