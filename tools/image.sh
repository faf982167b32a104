#!/bin/sh
# Builds the image of packaging/Containerfile by buildah, without a daemon and without a registry: debootstrap makes the base that the file names. Then the
# image makes a key and a ledger, as its own user. Needs debootstrap and a mirror, and buildah. FOLDER has the images.
# usage: tools/image.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
oci() {
    command=$1
    shift
    buildah --root "$folder/root" --runroot "$folder/run" "$command" "$@"
}

suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim$/\1/p' packaging/Containerfile)
if ! oci inspect --type image "debian:$suite-slim" > /dev/null 2>&1; then
    rm -rf "$folder/base"
    debootstrap --variant=minbase "$suite" "$folder/base" > "$folder/log"
    base=$(oci from scratch)
    tar -C "$folder/base" --exclude='./var/cache/apt/archives/*.deb' -cf "$folder/base.tar" .
    oci add --quiet "$base" "$folder/base.tar" /
    oci commit --quiet "$base" "debian:$suite-slim"
    oci rm "$base"
    rm -rf "$folder/base" "$folder/base.tar"
fi

rm -rf "$folder/source"
mkdir "$folder/source"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$folder/source"
oci bud --format docker --pull-never --quiet -f packaging/Containerfile -t hedgerow "$folder/source" > "$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }
tried=$(oci from --pull-never hedgerow)
oci run "$tried" -- sh -ec '[ "$(id -un)" = hedgerow ] && hedgerow --version && hedgerow keygen north.key > north.pub && hedgerow ledger create north.db --epsilon 1 && hedgerow ledger show north.db'
oci rm "$tried" > "$folder/log"
oci images hedgerow
