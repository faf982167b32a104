#!/bin/sh
# A short tour: three hospitals and a coordinator, who train a model together that none of them could train alone, and none has to trust another.
# usage: tools/demo.sh [--nats] [HEDGEROW]   the tool's path; the one in the build directory BUILD unless given. Leaves nothing behind.
# With --nats they talk over a real broker on this machine, each in a process of its own; else in one process.
set -eu

broker=no
if [ "${1:-}" = --nats ]; then broker=yes; shift; fi
tool=${1:-$(dirname "$0")/../${BUILD:-build}/cli/hedgerow}
PATH=$(cd "$(dirname "$tool")" && pwd):$PATH
directory=$(mktemp -d)
children=
leave() {
    [ -z "$children" ] || kill $children 2> /dev/null || true
    rm -rf "$directory"
}
trap leave EXIT
trap 'exit 1' INT TERM
cd "$directory"
hospitals='north south west'

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

row() {
    printf '  %-44s %-8s %s\n' "$@"
}

# A port for the broker. Linux gives it to nobody else while this child lives, but lets the broker listen there: both reuse addresses.
keep_port() {
    mkfifo kept
    python3 -c 'if True:
        import signal, socket, sys
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("localhost", 0))
        print(s.getsockname()[1], flush=True)
        if sys.platform != "linux":
            s.close()
        signal.pause()' > kept &
    children="$children $!"
    read -r port < kept
}

owner_file() {
    cat << END
hedgerow-owner: 1
name: $1
federation: fed/$1/federation.yaml
key: fed/$1/$1.key
certificate: fed/$1/tls.pem
certificate-key: fed/$1/tls-key.pem
data: $1.csv
schema: schema.yaml
ledger: $1.db
policy:
  coordinators: [coordinator]
  methods: [hedge, inprivate]
  epsilon: 1
  delta: 1e-6
  owners: 3
END
}

say "1. Three hospitals have 5,000 invented patients each."
seed=0
for name in $hospitals; do
    seed=$((seed + 1))
    hedgerow generate hospital --rows 5000 --seed $seed -o $name.csv
done
hedgerow generate hospital --rows 10000 --seed 9 -o test.csv --schema schema.yaml
printf 'north.csv begins:\n'
head -n 3 north.csv | sed 's/^/  /'

say "2. They set up a federation: its members and their public keys."
port=4222
[ $broker = no ] || keep_port
run hedgerow federation init fed --name demo --url tls://localhost:$port --member coordinator --member north --member south --member west 2> /dev/null

say "3. Each hospital creates a ledger with a budget for its records, and writes its policy into an owner file:"
for name in $hospitals; do
    hedgerow ledger create $name.db --epsilon 2 --delta 1e-5
    owner_file $name > $name.yaml
done
sed 's/^/  /' north.yaml

say "4. A coordinator, which has no records, writes the job file:"
cat > job.yaml << END
hedgerow-job: 1
schema: schema.yaml
method: hedge
epsilon: 1
name: coordinator
federation: fed/coordinator/federation.yaml
key: fed/coordinator/coordinator.key
certificate: fed/coordinator/tls.pem
certificate-key: fed/coordinator/tls-key.pem
journal: coordinator.db
owners: [north, south, west]
END
sed 's/^/  /' job.yaml

if [ $broker = yes ]; then
    say "5. A broker carries the sealed packets; every hospital serves its records, and the coordinator starts the job."
    (cd fed/broker && exec nats-server -c nats.conf > nats.log 2>&1) &
    server=$!
    children="$children $server"
    tries=0
    until hedgerow federation open fed 2> open.log; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] && kill -0 $server || { cat fed/broker/nats.log open.log >&2; exit 1; }
        sleep 0.1
    done
    serving=
    for name in $hospitals; do
        printf '$ hedgerow serve %s.yaml --jobs 1 &\n' $name
        hedgerow serve $name.yaml --jobs 1 2> $name.log &
        serving="$serving $!"
        children="$children $!"
    done
    run hedgerow coordinate job.yaml --model together.json
    for child in $serving; do wait $child; done
    printf 'north told meanwhile:\n'
    sed 's/^/  /' north.log
else
    say "5. All members run in one process, with the same messages as over a broker:"
    run hedgerow simulate job.yaml --owner north.yaml --owner south.yaml --owner west.yaml --model together.json
fi

say "6. For comparison: each hospital alone with the same budget; the average of such models; together by passing trees on (inprivate); and all records in one place, which is not allowed."
for name in $hospitals; do
    hedgerow train --data $name.csv --schema schema.yaml --epsilon 1 --model $name.json --quiet
done
printf 'hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 1\n' > inprivate.yaml
hedgerow simulate inprivate.yaml --data north.csv --data south.csv --data west.csv --model inprivate.json --quiet > /dev/null
printf 'hedgerow-job: 1\nschema: schema.yaml\nmethod: average\nepsilon: 1\n' > average.yaml
hedgerow simulate average.yaml --data north.csv --data south.csv --data west.csv --model average.json --quiet > /dev/null
{ cat north.csv; tail -n +2 south.csv; tail -n +2 west.csv; } > pooled.csv
hedgerow train --data pooled.csv --schema schema.yaml --epsilon 1 --model pooled.json --quiet
hedgerow train --data pooled.csv --schema schema.yaml --method gbdt --model exact.json --quiet
row 'on 10,000 other patients' error auc
for name in $hospitals; do row "$name alone, epsilon 1" "$(measure $name.json error)" "$(measure $name.json auc)"; done
row 'average of models trained alone, epsilon 1' "$(measure average.json error)" "$(measure average.json auc)"
row 'together with inprivate, epsilon 1' "$(measure inprivate.json error)" "$(measure inprivate.json auc)"
row 'together with hedge, epsilon 1' "$(measure together.json error)" "$(measure together.json auc)"
row 'pooled, epsilon 1' "$(measure pooled.json error)" "$(measure pooled.json auc)"
row 'pooled, no privacy' "$(measure exact.json error)" "$(measure exact.json auc)"

say "7. The spent budgets:"
for name in $hospitals; do
    printf '%s ' $name
    hedgerow ledger show $name.db | grep epsilon.*spent
done

say "'hedgerow --help' lists the commands; docs/how-to/federation.md explains how to run this over a network."
