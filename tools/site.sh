#!/bin/sh
# Builds the documentation site: pages, proofs, and the references of C and Python. A dead link or a mistake in a docstring is an error.
# usage: tools/site.sh FOLDER     The site is FOLDER/html; FOLDER has a virtual environment, too.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -x "$folder/venv/bin/sphinx-build" ] || {
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip --quiet --disable-pip-version-check install \
        'sphinx >= 8' 'furo >= 2024.8' 'myst-parser >= 4' 'breathe >= 4.36' numpy 'scikit-learn >= 1.6' cffi
}
rm -rf "$folder/xml" "$folder/html"
mkdir "$folder/xml"
{
    cat docs/site/Doxyfile
    echo "OUTPUT_DIRECTORY = $folder"
} > "$folder/Doxyfile"
doxygen "$folder/Doxyfile"
"$folder/venv/bin/sphinx-build" -q -W --keep-going -j 2 -c docs/site -d "$folder/read" -D "breathe_projects.hedgerow=$folder/xml" . "$folder/html"
echo '<!doctype html><meta http-equiv="refresh" content="0; url=docs/site/index.html"><title>Hedgerow</title>' > "$folder/html/index.html"
echo "$folder/html/index.html"
