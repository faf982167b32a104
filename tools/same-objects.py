#!/usr/bin/env python3
"""Whether the objects of the library in two build directories have the same instructions, though their sources may stand in other
folders. usage: same-objects.py BEFORE AFTER"""
import glob
import os
import subprocess
import sys


def objects(build):
    """{name of the source: sorted disassemblies of the objects of that name}."""
    found = {}
    for path in glob.glob(os.path.join(build, 'src', '**', '*.o'), recursive=True):
        text = subprocess.run(['objdump', '-dr', '--no-show-raw-insn', path], check=True, stdout=subprocess.PIPE, text=True).stdout
        source = subprocess.run(['readelf', '-sW', path], check=True, stdout=subprocess.PIPE, text=True).stdout
        name = next(line.split()[-1] for line in source.splitlines() if ' FILE ' in line)
        found.setdefault(name, []).append(text.split('\n', 3)[3])
    return {name: sorted(texts) for name, texts in found.items()}


def main():
    before, after = (objects(build) for build in sys.argv[1:3])
    other = sorted(name for name in set(before) | set(after) if before.get(name) != after.get(name))
    for name in other:
        print('%s: %d objects before, %d after' % (name, len(before.get(name, [])), len(after.get(name, []))))
    print('%d of %d objects have other instructions' % (len(other), sum(map(len, before.values()))))
    sys.exit(1 if other else 0)


main()
