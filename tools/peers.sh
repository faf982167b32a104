#!/bin/sh
# Makes a virtual environment with the newest releases of the libraries that bench/run.py measures beside (needs PyPI). What cannot be installed is named,
# and left out. usage: tools/peers.sh FOLDER
set -eu
folder=$1
pip() { "$folder/bin/python" -m pip --quiet --disable-pip-version-check install --upgrade --upgrade-strategy eager "$@"; }

[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
# lleaves calls PassManagerBuilder, which llvmlite has up to 0.44.
for packages in numpy pandas polars pyarrow scikit-learn xgboost-cpu lightgbm 'lleaves llvmlite<0.45' hessboost interpret-core; do
    # shellcheck disable=SC2086
    pip $packages || echo "peers.sh: left out: ${packages%% *}" >&2
done
