#!/bin/sh
# Installs the packages that a target of the Makefile needs and that are not there yet. Looks first, so that a second run is
# instant and needs no network. Without root, and on other systems than Debian (tools/packages.txt has their names), it says
# what to run instead: one command for all that is missing.
# usage: tools/setup.sh GROUP...           groups: build wheel deb rpm image arm64 mpi zeromq test clang format proofs coverage bench accuracy python r spark site browser
#        tools/setup.sh --print GROUP...   prints the command that installs all of them
set -eu

packages() {
    case $1 in
    build) echo gcc libc6-dev python3 meson ninja-build pkg-config libsodium-dev libsqlite3-dev libyaml-dev libxxhash-dev libnats-dev libprotobuf-c-dev \
        libssl-dev protobuf-c-compiler zlib1g-dev libzstd-dev liblzma-dev libpq-dev ;;
    wheel) echo gcc libc6-dev python3-dev pkg-config libsodium-dev libsqlite3-dev libyaml-dev libxxhash-dev libprotobuf-c-dev protobuf-c-compiler \
        zlib1g-dev libzstd-dev liblzma-dev ;;
    deb) echo debhelper dh-python dpkg-dev debootstrap fakeroot lintian liblzma-dev libzmq3-dev python3-cffi python3-dev ;;
    image) echo buildah crun debootstrap ;;
    rpm) echo rpm rpmlint libzmq3-dev python3-cffi python3-dev ;;
    arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static ;;
    mpi) echo libopenmpi-dev openmpi-bin ;;
    zeromq) echo libzmq3-dev ;;
    test) echo g++ libcmocka-dev nats-server postgresql zsh fish ;;
    clang) echo clang libclang-rt-dev llvm ;;
    # Where PyPI's is on the path, Debian's is not needed; later Debians have none.
    format) clang-format --version 2> /dev/null | grep -q ' 14\.' || echo clang-format-14 ;;
    proofs) echo coq ;;
    python) echo python3-dev python3-venv ;;
    r) echo r-base-core r-cran-testthat r-cran-knitr r-cran-rmarkdown pandoc devscripts qpdf ;;
    browser) echo chromium ;;
    spark) echo openjdk-17-jre-headless ;;
    site) echo doxygen python3-venv ;;
    coverage) echo gcovr ;;
    bench) echo python3-matplotlib python3-numpy python3-sklearn python3-venv ;;
    accuracy) echo python3-matplotlib python3-numpy python3-sklearn ;;
    *) echo "setup.sh: no group '$1'" >&2; return 2 ;;
    esac
}

# The package manager of the system at hand: of the names that os-release gives it, itself first, the first one that is known.
manager() {
    if [ -r "$release" ]; then
        for name in $(sed -n -e 's/^ID=//p' "$release" | tr -d '"') $(sed -n -e 's/^ID_LIKE=//p' "$release" | tr -d '"'); do
            case $name in
            debian | ubuntu) echo apt; return ;;
            fedora | rhel | centos) echo dnf; return ;;
            alpine) echo apk; return ;;
            *suse*) echo zypper; return ;;
            arch) echo pacman; return ;;
            esac
        done
    elif command -v brew > /dev/null; then
        echo brew
        return
    fi
    echo unknown
}

command_of() {
    case $1 in
    dnf) echo dnf install -y ;;
    apk) echo apk add ;;
    brew) echo brew install ;;
    zypper) echo zypper install -y ;;
    pacman) echo pacman -S --needed ;;
    apt) echo apt-get install -y --no-install-recommends ;;
    esac
}

# The line of tools/packages.txt for a Debian package: what is looked for, and the name for the manager.
elsewhere() {
    awk -v package="$1" -v manager="$2" '
        $0 == "" || $1 == "#" && $2 != "Debian" { next }
        $2 == "Debian" { for (i = 5; i <= NF; i++) column[$i] = i - 2; next }
        $1 == package { print $2, $(column[manager]); found = 1 }
        END { if (!found) print ".", "-" }' "$here/packages.txt"
}

is_there() {
    case $1 in
    pc:*) command -v pkg-config > /dev/null && pkg-config --exists "${1#pc:}" ;;
    cmd:*) command -v "${1#cmd:}" > /dev/null ;;
    *) return 0 ;;
    esac
}

# The command that installs GROUP... on a system that is not Debian, and in a second line what that system does not have. With
# --missing, of what is not there alone; nothing where no command helps: meson says then what can be left out.
install_elsewhere() {
    system=$1 which=$2
    shift 2
    install= lacking=
    for package in $(for group; do packages "$group"; done); do
        set -- $(elsewhere "$package" "$system")
        if [ "$which" = --missing ] && is_there "$1"; then continue; fi
        case $2 in
        .) ;;
        -) lacking="$lacking $package" ;;
        *) case "$install " in *" $2 "*) ;; *) install="$install $2" ;; esac ;;
        esac
    done
    [ -n "$install" ] || return 0
    echo "$(command_of "$system")$install"
    [ -z "$lacking" ] || echo "no package of this system is known for:$lacking (names of Debian)"
}

here=$(dirname "$0")
release=${OS_RELEASE:-/etc/os-release}
system=$(manager)

print=
if [ "${1:-}" = --print ]; then
    print=yes
    shift
fi
if [ $# = 0 ]; then
    sed -n -e 's/^# usage/usage/p' -e 's/^#        /       /p' "$0" >&2
    exit 2
fi
# Before anything is installed or printed: a group that is not known would be left out of a command that looks whole.
for group; do packages "$group" > /dev/null || exit 2; done

if [ "$print" ]; then
    case $system in
    apt | unknown) echo "$(command_of apt)$(for group; do printf ' %s' $(packages "$group"); done)" ;;
    *) install_elsewhere "$system" --all "$@" ;;
    esac
    [ "$system" != unknown ] || echo "(the names of Debian and Ubuntu: those of this system are not known)"
    exit 0
fi

if [ "$system" != apt ]; then
    # Where the system is unknown, meson names the libraries that it does not find.
    [ "$system" != unknown ] || exit 0
    needed=$(install_elsewhere "$system" --missing "$@")
    [ -n "$needed" ] || exit 0
    case $system-$(id -u) in
    brew-* | *-0) sudo= ;;
    *) sudo='sudo ' ;;
    esac
    echo "Some packages are missing. This installs them:" >&2
    echo "$needed" | sed -e "/^no package/!s/^/  $sudo/" >&2
    exit 1
fi

missing=
for group; do
    for package in $(packages "$group"); do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

install="$(command_of apt)$missing"
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
