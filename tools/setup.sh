#!/bin/sh
# Installs the Debian packages that a target of the Makefile needs and that are not there yet. Looks first, so that a second
# run is instant and needs no network. Without root it says what to run instead.
# usage: tools/setup.sh GROUP...           groups: build wheel arm64 mpi zeromq test clang format proofs coverage bench accuracy python site browser
#        tools/setup.sh --print GROUP...   prints the command that installs all of them
set -eu

packages() {
    case $1 in
    build) echo gcc libc6-dev python3 meson ninja-build pkg-config libsodium-dev libsqlite3-dev libyaml-dev libxxhash-dev libnats-dev libprotobuf-c-dev \
        libssl-dev protobuf-c-compiler zlib1g-dev libzstd-dev liblzma-dev libpq-dev ;;
    wheel) echo gcc libc6-dev python3-dev pkg-config libsodium-dev libsqlite3-dev libyaml-dev libxxhash-dev libprotobuf-c-dev protobuf-c-compiler \
        zlib1g-dev libzstd-dev liblzma-dev ;;
    arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static ;;
    mpi) echo libopenmpi-dev openmpi-bin ;;
    zeromq) echo libzmq3-dev ;;
    test) echo g++ libcmocka-dev nats-server postgresql ;;
    clang) echo clang libclang-rt-14-dev llvm ;;
    format) echo clang-format-14 ;;
    proofs) echo coq ;;
    python) echo python3-dev python3-venv ;;
    browser) echo chromium ;;
    site) echo doxygen python3-venv ;;
    coverage) echo gcovr ;;
    bench) echo python3-matplotlib python3-numpy python3-sklearn python3-venv ;;
    accuracy) echo python3-matplotlib python3-numpy python3-sklearn ;;
    *) echo "setup.sh: no group '$1'" >&2; exit 2 ;;
    esac
}

if [ "$1" = --print ]; then
    shift
    echo "apt-get install -y --no-install-recommends$(for group; do printf ' %s' $(packages "$group"); done)"
    exit 0
fi

# On other systems meson itself says which library it does not find.
command -v dpkg-query > /dev/null || exit 0

missing=
for group; do
    for package in $(packages "$group"); do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
    echo "Some packages are missing. This installs them:" >&2
    echo "  sudo $install" >&2
    exit 1
fi
echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && $install; } > "$log" 2>&1; then
    cat "$log" >&2
    echo "setup.sh: could not install:$missing" >&2
    exit 1
fi
