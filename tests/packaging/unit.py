#!/usr/bin/env python3
"""The systemd unit: it is understood, and leaves little to a program that was taken over. usage: unit.py UNIT HEDGEROW"""
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


def main():
    if not shutil.which('systemd-analyze'):
        print('there is no systemd-analyze; install it (Debian: apt install systemd)')
        sys.exit(SKIPPED)
    with open(sys.argv[1]) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'hedgerow@north.service')
        with open(path, 'w') as file:
            file.write(text.replace('/usr/bin/hedgerow', os.path.abspath(sys.argv[2])))
        verified = analyze('verify', '--man=no', path)
        assert verified.returncode == 0 and not verified.stdout, verified.stdout
        counted = analyze('security', '--offline=true', path).stdout
        level = re.search(r'Overall exposure level for .*: ([0-9.]+)', counted)
        assert level, counted
        print(level.group(0))
        assert float(level.group(1)) <= EXPOSURE_MAX, counted


main()
