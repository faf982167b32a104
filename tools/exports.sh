#!/bin/sh
# Makes a virtual environment with the engines that models are exported to, and compares their predictions with the model's.
# usage: tools/exports.sh FOLDER HEDGEROW [SET...]     FOLDER: where the environment goes; SET: the folder of a prepared set
set -eu
folder=$1 hedgerow=$2
shift 2
python3 -m venv "$folder/engines"
"$folder/engines/bin/python" -m pip --quiet --disable-pip-version-check install numpy xgboost-cpu lightgbm treelite onnxruntime
exec "$folder/engines/bin/python" "$(dirname "$0")/../tests/models/export/engines.py" "$hedgerow" "$@"
