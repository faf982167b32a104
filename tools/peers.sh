#!/bin/sh
# Makes a virtual environment with the newest releases of the libraries that bench/run.py measures beside (needs PyPI), on the newest CPython that PATH,
# pyenv or uv has: older ones do not get the newest releases. Prints what it got beside the newest that the index has for any Python. What cannot be
# installed is named, and left out. PEERS_CPYTHON names an interpreter to take instead. usage: tools/peers.sh FOLDER
set -eu
folder=$1
packages="numpy pandas polars pyarrow scikit-learn xgboost-cpu lightgbm lleaves hessboost interpret-core scikit-learn-intelex"

# One interpreter a line.
interpreters() {
    for place in $(echo "$PATH" | tr ':' ' '); do ls "$place"/python3 "$place"/python3.[0-9]* 2>/dev/null || true; done
    ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 2>/dev/null || true
    if command -v uv >/dev/null; then uv python list --only-installed --output-format json | sed -n 's/.*"path": *"\([^"]*\)".*/\1/p'; fi
}

# Finished releases of CPython that can make an environment, each as "MAJOR MINOR PATCH INTERPRETER".
usable() {
    interpreters | grep -v -e -config | while read -r python; do
        "$python" -c "import ensurepip, sys, venv
if sys.implementation.name == 'cpython' and sys.version_info.releaselevel == 'final' and getattr(sys, '_is_gil_enabled', lambda: True)():
    print(*sys.version_info[:3], sys.argv[1])" "$python" 2>/dev/null || true
    done
}

pip() { "$folder/bin/python" -m pip --disable-pip-version-check "$@"; }
newest() { pip index versions "$@" 2>/dev/null | sed -n '1s/.*(\(.*\)).*/\1/p'; }

if [ ! -x "$folder/bin/python" ]; then
    found=${PEERS_CPYTHON:-$(usable | sort -n -k1,1 -k2,2 -k3,3 | tail -n 1 | cut -d ' ' -f 4-)}
    [ -n "$found" ] || { echo "peers.sh: no CPython 3 with venv is in PATH, pyenv or uv; PEERS_CPYTHON names one" >&2; exit 1; }
    "$found" -m venv "$folder"
fi
for package in $packages; do
    # lleaves calls PassManagerBuilder, which llvmlite has up to 0.44.
    [ "$package" = lleaves ] && beside='llvmlite<0.45' || beside=
    pip install --quiet --upgrade --upgrade-strategy eager "$package" $beside || echo "peers.sh: left out: $package" >&2
done

printf '%s: %s\n%-24s%-16s%s\n' "$("$folder/bin/python" --version)" "$folder" package installed 'newest in the index'
for package in $packages; do
    got=$(pip show "$package" 2>/dev/null | sed -n 's/^Version: //p')
    there=$(newest "$package" --ignore-requires-python || true)
    printf '%-24s%-16s%s%s\n' "$package" "${got:--}" "${there:--}" "$([ "$got" = "$there" ] || echo ' *')"
done
