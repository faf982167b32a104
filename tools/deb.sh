#!/bin/sh
# Builds Debian's packages from the files that git knows: FOLDER has the .deb files. lintian must have nothing to say about them.
# The packaging is in packaging/debian, and becomes debian/ in the copy that is built: a distribution that has a debian/ of its own meets no other.
# usage: tools/deb.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -n "s/^project('hedgerow', version: '\([^']*\)'.*/\1/p" meson.build)
copy=$folder/hedgerow-$version
rm -rf "$copy" "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$copy"
cp -R packaging/debian "$copy/debian"
if [ "$(cd "$copy" && dpkg-parsechangelog -S Version)" != "$version" ]; then
    echo "deb.sh: packaging/debian/changelog is not of version $version" >&2
    exit 1
fi
(cd "$copy" && dpkg-buildpackage -us -uc -b) > "$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }
rm -rf "$copy"
lintian --allow-root --fail-on error,warning "$folder"/*.changes
ls -l "$folder"/*.deb
