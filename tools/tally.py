#!/usr/bin/env python3
"""Adds up what the test runs of several build directories said; the last line is "N passed, N failed".
usage: tally.py [--failed STEP]... DIRECTORY...   a step that failed, or a directory whose tests did not run, counts as one failure"""
import argparse
import json
import os
import sys

PASSED = ('OK', 'EXPECTEDFAIL')
SKIPPED = ('SKIP',)


def results(directory):
    """[(test, result)] of the last run; None if there was none."""
    try:
        with open(os.path.join(directory, 'meson-logs', 'testlog.json'), encoding='utf-8') as f:
            rows = [json.loads(line) for line in f if line.strip()]
    except FileNotFoundError:
        return None
    return [(row['name'], row['result']) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--failed', action='append', default=[])
    parser.add_argument('directories', nargs='*')
    args = parser.parse_args()
    passed, failed = 0, ['step: ' + step for step in args.failed]
    for directory in args.directories:
        rows = results(directory)
        if not rows:
            failed.append('%s: no test ran' % directory)
            continue
        passed += sum(result in PASSED for _, result in rows)
        failed += ['%s: %s %s' % (directory, name, result) for name, result in rows if result not in PASSED + SKIPPED]
        for name, result in rows:
            if result in SKIPPED:
                print('skipped %s: %s' % (directory, name))
    for line in failed:
        print('FAILED ' + line)
    print('%d passed, %d failed' % (passed, len(failed)))
    sys.exit(1 if failed else 0)


main()
