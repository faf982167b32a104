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
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
# After which another start may help, or that no service ends with: a full disk, a lock that another process has for seconds, a signal, and what
# only a single job has.
WORTH_A_START = {'DONE', 'FAILED', 'SUSPECT', 'BUSY', 'SIGNAL'}


def analyze(*words):
    return subprocess.run(['systemd-analyze', '--no-pager', *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def final_codes():
    """Exit codes after which another start would end the same way, by the list of all."""
    with open(os.path.join(SOURCES, 'cli/output.h')) as file:
        codes = dict(re.findall(r'EXIT_([A-Z]+) = (\d+)', file.read()))
    assert WORTH_A_START < set(codes), codes
    return sorted(int(code) for name, code in codes.items() if name not in WORTH_A_START)


def check_restarts(text, codes):
    """A unit, if it is of a hedgerow that serves, and the page about it name these codes."""
    named = re.search(r'^RestartPreventExitStatus=(.*)$', text, re.M)
    if not re.search(r'^ExecStart=/usr/bin/hedgerow ', text, re.M):
        assert not named, named
        return
    assert [int(code) for code in named[1].split()] == codes, (named[1], codes)
    with open(os.path.join(SOURCES, 'docs/how-to/federation.md')) as file:
        page = file.read()
    said = re.search(r'It is not started again after the exit codes ([\d, and]+) ', page)
    assert [int(code) for code in re.findall(r'\d+', said[1])] == codes, (said, codes)


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
    for path in sys.argv[2:]:
        with open(path) as file:
            check_restarts(file.read(), final_codes())
    if not shutil.which('systemd-analyze'):
        print('there is no systemd-analyze; install it (Debian: apt install systemd)')
        sys.exit(SKIPPED)
    for path in sys.argv[2:]:
        check(path, os.path.abspath(sys.argv[1]))


main()
