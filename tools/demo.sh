#!/bin/sh
# A short tour: a hospital trains on its records with and without privacy, compares, and tries to spend more than it granted.
# usage: tools/demo.sh [HEDGEROW]   the tool's path; the one in the build directory BUILD unless given. Leaves nothing behind.
set -eu

tool=${1:-$(dirname "$0")/../${BUILD:-build}/cli/hedgerow}
PATH=$(cd "$(dirname "$tool")" && pwd):$PATH
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

say() {
    printf '\n%s\n' "$*"
}

# Shows a command, then runs it.
run() {
    printf '$ %s\n' "$*"
    "$@"
}

# What one measure of a model is on the test records.
measure() {
    hedgerow evaluate --model "$1" --data test.csv | awk -v name="$2" '$1 == name { print $2 }'
}

# The share of test records that the commonest label of the training records does not fit.
trivial_error() {
    awk -F, -v label="$1" '
        FNR == 1 { for (i = 1; i <= NF; i++) if ($i == label) column = i; file++; next }
        file == 1 { count[$column]++; next }
        { rows++; right[$column]++ }
        END {
            for (value in count) if (count[value] > count[best]) best = value
            printf "%.4g\n", 1 - right[best] / rows
        }' train.csv test.csv
}

row() {
    printf '  %-34s %-8s %-8s %s\n' "$@"
}

say "1. A hospital has the records of 20,000 patients. (These are invented.)"
run hedgerow generate hospital --rows 20000 --seed 1 -o train.csv --schema schema.yaml
run hedgerow generate hospital --rows 5000 --seed 2 -o test.csv
printf 'train.csv begins:\n'
head -n 4 train.csv | sed 's/^/  /'

say "2. What would epsilon 1 mean, and is it enough? A plan touches no record:"
run hedgerow train --plan --epsilon 1 --rows 20000 --schema schema.yaml

say "3. It grants a budget once, and trains: with epsilon 1 and 0.1, and, to compare, with a published method and without privacy."
run hedgerow ledger open budget.db --epsilon 2.5 --delta 1e-5
run hedgerow train --data train.csv --schema schema.yaml --method gbdt --model open.json --quiet
run hedgerow train --data train.csv --schema schema.yaml --epsilon 1 --ledger budget.db --model private.json --quiet
run hedgerow train --data train.csv --schema schema.yaml --epsilon 0.1 --ledger budget.db --model small.json --quiet
run hedgerow train --data train.csv --schema schema.yaml --method dpboost --epsilon 1 --ledger budget.db --model dpboost.json --quiet

say "4. On 5,000 other patients:"
row '' error auc 'what the model tells of a patient'
row 'the commonest answer for everybody' "$(trivial_error readmitted)" 0.5 'next to nothing'
row 'hedge, epsilon 0.1' "$(measure small.json error)" "$(measure small.json auc)" 'no more than its guarantee allows'
row 'hedge, epsilon 1' "$(measure private.json error)" "$(measure private.json auc)" 'no more than its guarantee allows'
row 'dpboost, epsilon 1' "$(measure dpboost.json error)" "$(measure dpboost.json auc)" 'no more than its guarantee allows'
row 'gbdt' "$(measure open.json error)" "$(measure open.json auc)" 'whatever can be read from it'

say "5. What the private model says of itself:"
printf '$ hedgerow show private.json\n'
hedgerow show private.json | sed '/^Settings/,$d'

say "6. The budget holds: another run at epsilon 1 would exceed it, and is refused."
code=0
run hedgerow train --data train.csv --schema schema.yaml --epsilon 1 --ledger budget.db --model again.json || code=$?
[ "$code" = 3 ] || { echo "demo.sh: expected a refusal (3), got $code" >&2; exit 1; }
run hedgerow ledger show budget.db

say "'hedgerow --help' lists the commands; 'hedgerow methods' lists what can be trained, and what it proves."
