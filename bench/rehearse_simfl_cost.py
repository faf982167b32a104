#!/usr/bin/env python3
"""Runs simfl_cost.py at tiny size, so that it does not rot. usage: rehearse_simfl_cost.py HEDGEROW BUILD"""
import os
import subprocess
import sys
import tempfile

import plot
from pages import part_of, read, rows_of, write
from rehearse import HERE, expect
from rehearse_simfl import PREPARE, blank_page


def check_table(text):
    """Hashes of two numbers are one; nine owners get 2 bytes of each record, and headers."""
    records, *seconds, prepared, _, tree, formula = map(float, rows_of(text, 'fruit | measured')[0])
    expect(records == 300 and all(s >= 0 for s in seconds), 'what is measured cannot be:\n' + text)
    expect(9 * 30 * 2 < 1e6 * prepared < 50000, 'an owner cannot send so many bytes:\n' + text)
    expect(0 < tree < 10 * formula, 'a tree cannot take so many bytes:\n' + text)


def check_growth(page):
    text = part_of(read(page), 'simfl-growth')
    sent = {of: float(rows_of(text, of)[0][3]) for of in ('200 | 2', '400 | 2', '200 | 3')}
    expect(sent['400 | 2'] > 1.2 * sent['200 | 2'], 'twice as many records do not take more bytes:\n' + text)
    expect([len(panel.curves) for panel in plot.simfl_growth(read(page)).pictures] == [3, 3, 2, 2], 'not a curve a column')


def main():
    hedgerow, build = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        page = blank_page(work, ['simfl-cost', 'simfl-growth'])
        done = subprocess.run([sys.executable, os.path.join(HERE, 'simfl_cost.py'), '--hedgerow', hedgerow, '--build', build, '--data', work,
                               '--cache', os.path.join(work, 'cache'), '--sets', 'fruit', '--trees', '4', '--alone', '1', '--few', '3',
                               '--records', '200,400', '--owners', '2,3', '--usual', '200,2', '--into', page],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 0, 'simfl_cost.py failed:\n%s%s' % (done.stdout, done.stderr))
        check_table(part_of(read(page), 'simfl-cost'))
        check_growth(page)


if __name__ == '__main__':
    main()
