#!/bin/sh
# Installs the library of BUILD below FOLDER/root, checks the R package with it as CRAN would (without the manual as PDF, and without asking a
# server), installs the package in FOLDER/library, and runs tests/r there.
# usage: tools/r.sh FOLDER BUILD [PYTHON]     PYTHON: one that has the package hedgerow, whose models are compared, too
set -eu
source=$(pwd) build=$2 python=${3:-}
rm -rf "$1"
mkdir -p "$1/library"
folder=$(cd "$1" && pwd)

meson install -C "$build" --no-rebuild --quiet --destdir "$folder/root"
config=$(find "$folder/root" -name hedgerow.pc)
PKG_CONFIG_SYSROOT_DIR=$folder/root
PKG_CONFIG_PATH=$(dirname "$config")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH LD_LIBRARY_PATH
export R_LIBS="$folder/library" LC_ALL=C.UTF-8 _R_CHECK_CRAN_INCOMING_=FALSE _R_CHECK_SYSTEM_CLOCK_=FALSE

cd "$folder"
quietly() {
    "$@" > log 2>&1 || { cat log >&2; exit 1; }
}
quietly R CMD build "$source/r"
package=$(echo hedgerow_*.tar.gz)
quietly R CMD check --as-cran --no-manual "$package"
if grep -E '\.\.\..* (WARNING|ERROR)|^ WARNING' hedgerow.Rcheck/00check.log; then
    cat hedgerow.Rcheck/00check.log >&2
    exit 1
fi
grep '^Status' hedgerow.Rcheck/00check.log
quietly R CMD INSTALL --no-test-load --library="$folder/library" "$package"

command=$(cd "$source/$build" && pwd)/cli/hedgerow
"$source/tests/r/missing.sh" "$source/r"
Rscript "$source/tests/r/memory.R"
python3 "$source/tests/r/interrupt.py"
python3 "$source/tests/r/same_model.py" "$command" $python
