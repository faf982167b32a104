#!/bin/sh
# Builds the RPM packages of packaging/hedgerow.spec from the files that git knows, and has rpmlint read the file. On a system whose packages are not RPM
# rpmbuild cannot see what is installed (--nodeps): there the build itself finds what is missing. FOLDER/RPMS has the packages.
# usage: tools/rpm.sh FOLDER
set -eu
mkdir -p "$1/SOURCES"
folder=$(cd "$1" && pwd)
version=$(sed -n "s/^project('hedgerow', version: '\([^']*\)'.*/\1/p" meson.build)
git ls-files -z --cached --others --exclude-standard | XZ_OPT=-1 tar --null --files-from=- --transform "s,^,hedgerow-$version/," -cJf "$folder/SOURCES/hedgerow-$version.tar.xz"
# It knows rules of several distributions, which contradict each other: read what it says.
! command -v rpmlint > /dev/null || rpmlint packaging/hedgerow.spec || true
rpm -qf /bin/sh > /dev/null 2>&1 && nodeps= || nodeps=--nodeps
rpmbuild -bb $nodeps --define "_topdir $folder" packaging/hedgerow.spec > "$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }
find "$folder/RPMS" -name '*.rpm' | sort
