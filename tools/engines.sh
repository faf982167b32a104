#!/bin/sh
# Builds the package with ZeroMQ, installs it and engines in a virtual environment, and runs the tests of fits over their workers there.
# usage: tools/engines.sh FOLDER [ENGINE...]     FOLDER: where the environment goes; ENGINE: dask, ray, spark; all of them if none is named
set -eu
folder=$1
shift
[ $# -gt 0 ] || set -- dask ray spark
python3 -m venv "$folder/on-engines"
python="$folder/on-engines/bin/python"
"$python" -m pip --quiet --disable-pip-version-check install -Csetup-args=-Dzeromq=enabled ".[test]"
for engine; do
    case $engine in
    dask) packages='dask[dataframe]==2026.8.0 distributed==2026.8.0' ;;
    ray) packages='ray[data]==2.60.0' ;;
    spark) packages='pyspark==4.3.0 pandas<3' ;;
    *) echo "engines.sh: no engine '$engine'" >&2; exit 2 ;;
    esac
    # shellcheck disable=SC2086
    "$python" -m pip --quiet --disable-pip-version-check install $packages
    HEDGEROW_ZEROMQ=1 "$python" -m pytest -q python/tests/test_cluster.py "python/tests/test_$engine.py"
done
