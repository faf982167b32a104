#!/bin/sh
# Builds the wheel (tools/wheel.sh FOLDER), installs it in a new virtual environment, FOLDER/venv, and runs its tests there; then those that need a
# broker, or ZeroMQ where it is installed, with a build that has them, FOLDER/broker.
# usage: tools/python.sh FOLDER [PACKAGE...]     PACKAGE: shap, whose tests run where it is installed
set -eu
tools/wheel.sh "$1"
folder=$(cd "$1" && pwd)
shift

python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip --quiet --disable-pip-version-check install "$(ls "$folder"/dist/*.whl)[test]" "$@"
"$folder/venv/bin/hedgerow" --version
"$folder/venv/bin/mypy" python/hedgerow
"$folder/venv/bin/python" -m pytest -q -n auto python/tests

"$folder/venv/bin/python" -m pip --quiet --disable-pip-version-check install --no-deps --upgrade --target "$folder/broker" -Csetup-args=-Dnats=enabled .
if pkg-config --exists libzmq; then export HEDGEROW_ZEROMQ=1; fi # then tests over ranks fail, and are not skipped, where the build lost it
HEDGEROW_BROKER=1 PYTHONPATH="$folder/broker" "$folder/venv/bin/python" -m pytest -q -n auto python/tests/test_owner.py python/tests/test_coordinator.py python/tests/test_cluster.py

# The engine whose tests take seconds; tools/engines.sh has the others.
[ -n "${HEDGEROW_ZEROMQ:-}" ] || exit 0
# shellcheck disable=SC2046
"$folder/venv/bin/python" -m pip --quiet --disable-pip-version-check install $(tools/engines.sh --packages dask)
PYTHONPATH="$folder/broker" "$folder/venv/bin/python" -m pytest -q python/tests/test_dask.py
