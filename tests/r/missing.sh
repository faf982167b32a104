#!/bin/sh
# Where the library is missing, the package names it and the remedy, and is not built. usage: missing.sh FOLDER
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$1/." "$copy"
cd "$copy"
rm -f src/Makevars
if said=$(PKG_CONFIG_PATH=/nonexistent PKG_CONFIG_LIBDIR=/nonexistent ./configure 2>&1); then
    echo "configure found a library where there is none" >&2
    exit 1
fi
case $said in
*"make install"*PKG_CONFIG_PATH*) ;;
*) echo "configure does not say what to do: $said" >&2; exit 1 ;;
esac
if [ -e src/Makevars ]; then
    echo "configure left src/Makevars" >&2
    exit 1
fi
