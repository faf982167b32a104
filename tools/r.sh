#!/bin/sh
# Installs the library of BUILD below FOLDER/root, checks the R package with it as CRAN would (without the manual as PDF, and without asking a
# server), installs the package in FOLDER/library, and compares its models with those of the command. FOLDER/environment is what R needs to run it.
# usage: tools/r.sh FOLDER BUILD [PYTHON]     PYTHON: one that has the package hedgerow, whose models are compared, too
set -eu
source=$(pwd) build=$2 python=
[ $# -lt 3 ] || python=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
rm -rf "$1"
mkdir -p "$1/library"
folder=$(cd "$1" && pwd)

meson install -C "$build" --no-rebuild --quiet --destdir "$folder/root"
config=$(dirname "$(find "$folder/root" -name hedgerow.pc)")
cat > "$folder/environment" << EOF
export PKG_CONFIG_SYSROOT_DIR='$folder/root' PKG_CONFIG_PATH='$config' LD_LIBRARY_PATH='$(dirname "$config")'
export R_LIBS='$folder/library' LC_ALL=C.UTF-8 _R_CHECK_CRAN_INCOMING_=FALSE _R_CHECK_SYSTEM_CLOCK_=FALSE
EOF
. "$folder/environment"

cd "$folder"
quietly() {
    "$@" > log 2>&1 || { cat log >&2; exit 1; }
}
quietly R CMD build "$source/r"
package=$(echo hedgerow_*.tar.gz)
quietly R CMD check --as-cran --no-manual "$package"
grep '^Status' hedgerow.Rcheck/00check.log
if grep -q '^Status:.*\(ERROR\|WARNING\)' hedgerow.Rcheck/00check.log; then
    cat hedgerow.Rcheck/00check.log >&2
    exit 1
fi
quietly R CMD INSTALL --no-test-load --library="$folder/library" "$package"

cd "$source"
tests/r/missing.sh r
tests/r/docs.py . "$build/cli/hedgerow"
tests/r/same_model.py "$build/cli/hedgerow" $python
