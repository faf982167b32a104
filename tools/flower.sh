#!/bin/sh
# Makes a virtual environment with Flower and the package, and runs a job of a federation there, without a broker.
# usage: tools/flower.sh FOLDER HEDGEROW     FOLDER: with the wheel in dist/, where the environment goes; HEDGEROW: the command, with the broker's part
set -eu
python3 -m venv "$1/flower"
"$1/flower/bin/python" -m pip --quiet --disable-pip-version-check install "$(ls "$1"/dist/*.whl)" 'flwr[simulation]==1.42.0'
exec "$1/flower/bin/python" "$(dirname "$0")/../tests/flower/flower.py" "$2" "$1/flower"
