#!/bin/sh
# Builds the documentation site in a virtual environment of its own, which stays for the next run. Every warning is an error.
# The site is FOLDER/html. usage: tools/site.sh FOLDER
set -eu
mkdir -p "$1"
SITE=$(cd "$1" && pwd)
export SITE
bin="$SITE/venv/bin"
rm -rf "$SITE/html" "$SITE/source" "$SITE/doxygen"

# A run without network keeps what is installed.
needs='sphinx>=8.1 myst-parser>=4 furo>=2024.8 breathe>=4.36 matplotlib>=3.9'
if [ "$(cat "$SITE/venv/needs" 2> /dev/null)" != "$needs" ]; then
    python3 -m venv --clear "$SITE/venv"
    "$bin/python" -m pip --quiet --disable-pip-version-check install $needs
    echo "$needs" > "$SITE/venv/needs"
fi

# What is read: a copy of the pages and of what they link to, as they lie here, and the reference.
mkdir -p "$SITE/source/reference" "$SITE/source/tests"
cp -a README.md CHANGELOG.md CONTRIBUTING.md LICENSE docs examples include packaging src "$SITE/source"
cp -a tests/mutations tests/games.toml "$SITE/source/tests"
python3 docs/site/headers.py --pages "$SITE/source/reference/c"
python3 docs/site/package.py "$SITE/source/reference/python.rst"
"$bin/python" bench/plot.py "$SITE/source/docs/reference"
printf 'Proofs\n======\n\nEach lies beside the code that it is about.\n\n.. toctree::\n   :glob:\n\n   ../src/**\n' > "$SITE/source/reference/proofs.rst"

mkdir -p "$SITE/doxygen"
doxygen docs/site/Doxyfile
if [ -s "$SITE/doxygen.log" ]; then
    cat "$SITE/doxygen.log" >&2
    exit 1
fi
"$bin/sphinx-build" --fail-on-warning --keep-going --quiet -c docs/site -d "$SITE/doctrees" "$SITE/source" "$SITE/html"
# The first page is docs/index, so that its links hold in the repository, too.
echo '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html"><title>Hedgerow</title><a href="docs/index.html">Hedgerow</a>' \
    > "$SITE/html/index.html"
echo "$SITE/html/index.html"
