#!/usr/bin/env python3
"""The systemd units: they are understood, and leave little to a program that was taken over.
usage: unit.py HEDGEROW UNIT...     A program that is not installed is taken as present."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
EXPOSURE_MAX = 2.0  # of 10, by systemd's own count


def analyze(*words):
    return subprocess.run(['systemd-analyze', '--no-pager', *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check(path, tool):
    """Programs that the unit names are there: what is checked is the unit."""
    with open(path) as file:
        text = file.read()
    for program in set(re.findall(r'^Exec\w+=(/usr/\S+)', text, re.M)):
        text = text.replace(program, tool)
    name = os.path.basename(path).replace('@', '@north')
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, name)
        with open(copy, 'w') as file:
            file.write(text)
        verified = analyze('verify', '--man=no', copy)
        assert verified.returncode == 0 and not verified.stdout, verified.stdout
        counted = analyze('security', '--offline=true', copy).stdout
    level = re.search(r'Overall exposure level for .*: ([0-9.]+)', counted)
    assert level, counted
    print(level.group(0))
    assert float(level.group(1)) <= EXPOSURE_MAX, counted


def main():
    if not shutil.which('systemd-analyze'):
        print('there is no systemd-analyze; install it (Debian: apt install systemd)')
        sys.exit(SKIPPED)
    for path in sys.argv[2:]:
        check(path, os.path.abspath(sys.argv[1]))


main()
