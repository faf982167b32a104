#!/bin/sh
# Builds the documentation site in a virtual environment of its own, which stays for the next run. Every warning is an error. Then the pages of Python
# and the pages of the command that need no broker are run, with a wheel of this source, and fail the build where they print something else.
# FOLDER/html/VERSION is the site, and FOLDER/html/latest the same; other versions that are there stay, and FOLDER/html/versions.html lists all.
# usage: tools/site.sh FOLDER PYTHON     PYTHON: the folder of tools/wheel.sh, whose wheel is made again where the source is newer
set -eu
mkdir -p "$1"
SITE=$(cd "$1" && pwd)
export SITE
bin="$SITE/venv/bin"
version=$(sed -n "s/^project('hedgerow', version: '\([^']*\)'.*/\1/p" meson.build)
[ -n "$version" ] || { echo "site.sh: meson.build names no version" >&2; exit 1; }
pages="$SITE/html/$version"
rm -rf "$pages" "$SITE/html/latest" "$SITE/source" "$SITE/doxygen"

# A run without network keeps what is installed.
needs='sphinx>=8.1 myst-parser>=4 furo>=2024.8 breathe>=4.36 matplotlib>=3.9'
if [ "$(cat "$SITE/venv/needs" 2> /dev/null)" != "$needs" ]; then
    python3 -m venv --clear "$SITE/venv"
    "$bin/python" -m pip --quiet --disable-pip-version-check install $needs
    echo "$needs" > "$SITE/venv/needs"
fi

# What is read: a copy of the pages and of what they link to, as they lie here, and the reference.
mkdir -p "$SITE/source/reference" "$SITE/source/tests"
cp -a README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs examples include packaging src "$SITE/source"
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
HEDGEROW_VERSION=$version "$bin/sphinx-build" --fail-on-warning --keep-going --quiet -c docs/site -d "$SITE/doctrees" "$SITE/source" "$pages"
python3 docs/site/versions.py "$SITE/html" "$version"

wheel=$(ls "$2"/dist/*.whl 2> /dev/null || true)
if [ -z "$wheel" ] || [ -n "$(find meson.build pyproject.toml src cli include man python/declare.py python/meson.build python/hedgerow* -type f -newer "$wheel" ! -name '*.pyc' -print -quit)" ]; then
    tools/wheel.sh "$2"
    wheel=$(ls "$2"/dist/*.whl)
fi
"$bin/python" -m pip --quiet --disable-pip-version-check install "$wheel[report]" pandas pytest onnxruntime
"$bin/python" -m pip --quiet --disable-pip-version-check install --force-reinstall --no-deps "$wheel"
"$bin/python" -m pytest -q -p no:cacheprovider python/tests/test_docs.py
for page in docs/tutorial/first-model.md docs/how-to/own-table.md docs/how-to/ledger.md; do
    python3 tests/cli/run.py "$bin/hedgerow" "$page"
done
echo "$SITE/html/index.html"
