#!/usr/bin/env python3
"""The tests of kernels, compiled for arm64 and run under qemu: NEON gives the bytes that every other set gives.
usage: arm64.py ROOT
Skipped (77) without the cross compiler, its C library, or qemu (tools/setup.sh arm64)."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

COMPILER, RUNNER, SKIPPED = 'aarch64-linux-gnu-gcc', ('qemu-aarch64-static', 'qemu-aarch64'), 77
FLAGS = ['-std=c11', '-O3', '-ffp-contract=off', '-fno-trapping-math', '-fno-math-errno', '-D_POSIX_C_SOURCE=200809L', '-DHR_VERSION="test"', '-DHR_KERNELS_ARM64',
         '-Wall', '-Wextra', '-Werror', '-ffunction-sections', '-Isrc', '-Iinclude', '-Itests', '-Itests/base/kernels/arm64']
SOURCES = ['src/base/kernels/%s.c' % name for name in ('kernels', 'portable', 'neon', 'search')] + [
    'src/base/fail.c', 'src/base/text/number.c', 'src/tables/synth/generate.c', 'tests/support/kernel_sets.c']


def skip(reason):
    print('skipped: ' + reason)
    sys.exit(SKIPPED)


def compile_for_arm64(root, *arguments):
    subprocess.run([COMPILER, *FLAGS, *arguments], check=True, cwd=root)


def main():
    root = sys.argv[1]
    runner = next((name for name in RUNNER if shutil.which(name)), None)
    if not shutil.which(COMPILER) or not runner:
        skip('there is no %s, or no %s' % (COMPILER, RUNNER[0]))
    header = subprocess.run([COMPILER, '-E', '-'], input=b'#include <stdint.h>\n#include <math.h>\n', capture_output=True)
    if header.returncode:
        skip('%s has no C library' % COMPILER)
    tests = sorted(glob.glob(os.path.join(root, 'tests', 'base', 'kernels', 'test_*.c')))
    if not tests:
        sys.exit('no tests of kernels')
    with tempfile.TemporaryDirectory() as folder:
        objects, program = [os.path.join(folder, os.path.basename(path) + '.o') for path in SOURCES], os.path.join(folder, 'test')
        for path, made in zip(SOURCES, objects):
            compile_for_arm64(root, '-c', path, '-o', made)
        for test in tests:
            compile_for_arm64(root, test, *objects, '-o', program, '-static', '-Wl,--gc-sections', '-lm')
            said = subprocess.run([runner, program], capture_output=True, text=True)
            print('%s: %s' % (os.path.basename(test), said.stdout.strip()))
            if said.returncode or 'SKIPPED' in said.stdout:
                sys.exit('%s: exit code %d\n%s' % (test, said.returncode, said.stderr))


main()
