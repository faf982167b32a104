#!/bin/sh
# Builds the package with ZeroMQ, installs it and engines in a virtual environment, and runs the tests of fits over their workers there.
# usage: tools/engines.sh FOLDER [ENGINE...]     FOLDER: where the environment goes; ENGINE: dask, ray, spark; all of them if none is named
#        tools/engines.sh --packages ENGINE   prints what pip is to install for it
set -eu
packages() {
    case $1 in
    dask) echo 'dask[dataframe]==2026.8.0' distributed==2026.8.0 ;;
    ray) echo 'ray[data]==2.60.0' ;;
    spark) echo pyspark==4.3.0 'pandas<3' ;;
    *) echo "engines.sh: no engine '$1'" >&2; exit 2 ;;
    esac
}

if [ "$1" = --packages ]; then
    packages "$2"
    exit
fi
folder=$1
shift
[ $# -gt 0 ] || set -- dask ray spark
for engine; do packages "$engine" > /dev/null; done
python3 -m venv "$folder/on-engines"
python="$folder/on-engines/bin/python"
"$python" -m pip --quiet --disable-pip-version-check install -Csetup-args=-Dzeromq=enabled ".[test]"
for engine; do
    # shellcheck disable=SC2046
    "$python" -m pip --quiet --disable-pip-version-check install $(packages "$engine")
    HEDGEROW_ZEROMQ=1 "$python" -m pytest -q python/tests/test_cluster.py "python/tests/test_$engine.py"
done
