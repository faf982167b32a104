#!/bin/sh
# Makes all files of a release from a tag, in a fresh clone of this repository: nothing that lies about here gets in. FOLDER, which must not be there yet, gets
# the source (meson dist), the source distribution and the wheels for Python, the list of parts (SPDX), what CHANGELOG.md says of the version, and SHA256SUMS of
# all; where KEY is given, a signature of SHA256SUMS by that SSH or minisign key. Publishes nothing.
# The tag is v and the version of meson.build, and CHANGELOG.md has a section of it with a date. Every test runs first; the slow ones build the tool
# and the libraries twice and compare them. usage: tools/release.sh [--quick] TAG FOLDER [KEY]     --quick leaves out tests and wheels
set -eu

fail() {
    echo "release.sh: $1" >&2
    exit 1
}

quick=
if [ "${1:-}" = --quick ]; then
    quick=yes
    shift
fi
[ $# = 2 ] || [ $# = 3 ] || fail 'usage: tools/release.sh [--quick] TAG FOLDER [KEY]'
tag=$1 key=${3:+$(realpath "$3")}
here=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
[ ! -e "$2" ] || fail "$2 is there already; name a new folder"
git -C "$here" rev-parse --quiet --verify "refs/tags/$tag^{commit}" > /dev/null || fail "there is no tag $tag"
[ -z "$key" ] || [ -r "$key" ] || fail "cannot read the key $key"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/source
git -c advice.detachedHead=false clone --quiet --no-local --branch "$tag" "$here" "$source"
cd "$source"
version=$(sed -n "s/^project('hedgerow', version: '\([^']*\)'.*/\1/p" meson.build)
[ "$tag" = "v$version" ] || fail "meson.build has the version $version, whose tag is v$version"
notes=$(awk -v head="## [$version]" 'index($0, "## ") == 1 { on = index($0, head) == 1; next } on' CHANGELOG.md)
grep -Eq "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md || fail "CHANGELOG.md has no section \"## [$version] - YEAR-MONTH-DAY\""
[ -n "$notes" ] || fail "the section of $version in CHANGELOG.md is empty"

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
made=$work/made
mkdir "$made"
if [ -z "$quick" ]; then
    .ci/run
    make slow
    make wheels
    cp build-python/dist/* build-arm64/dist/*.whl "$made"
fi
meson setup "$work/build" . -Dtests=false > "$work/log" 2>&1 || { cat "$work/log" >&2; fail 'meson did not set the source up'; }
meson dist -C "$work/build" --no-tests --formats gztar > "$work/log" 2>&1 || { cat "$work/log" >&2; fail 'meson dist failed'; }
cp "$work/build/meson-dist/hedgerow-$version.tar.gz" "$made/hedgerow-$version-source.tar.gz"
cp "$work/build/hedgerow.spdx.json" "$made/hedgerow-$version.spdx.json"
echo "$notes" > "$made/NOTES.txt"

cd "$made"
sha256sum -- * > "$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
if [ -n "$key" ]; then
    case $(head -n 1 "$key") in
    *minisign*) minisign -S -s "$key" -m SHA256SUMS ;;
    *) ssh-keygen -Y sign -q -f "$key" -n file SHA256SUMS ;;
    esac
fi
cd "$here"
mkdir -p "$(dirname "$2")"
mv "$made" "$2"
ls "$2"
