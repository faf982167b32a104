#!/usr/bin/env python3
"""Runs hedge_growth.py at tiny sizes, so that it does not rot. usage: rehearse_hedge_growth.py BUILD"""
import os
import subprocess
import sys
import tempfile

import plot
from pages import part_of, read, rows_of
from rehearse import HERE, expect
from rehearse_simfl import blank_page


def main():
    with tempfile.TemporaryDirectory() as work:
        page = blank_page(work, ['hedge-growth'])
        done = subprocess.run([sys.executable, os.path.join(HERE, 'hedge_growth.py'), '--build', os.path.abspath(sys.argv[1]), '--work', work,
                               '--records', '500,2000', '--features', '5,9', '--usual', '500,6', '--repeat', '2', '--into', page],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 0, 'hedge_growth.py failed:\n%s%s' % (done.stdout, done.stderr))
        text = part_of(read(page), 'hedge-growth')
        rounds = [float(rows_of(text, size)[0][0]) for size in ('500 | 6', '2000 | 6', '500 | 5', '500 | 9')]
        expect(rounds[0] == 25 and rounds[1] > 25 and rounds[2:] == [25, 25], 'a fit has other rounds than its schedule:\n' + text)
        expect([len(panel.curves) for panel in plot.hedge_growth(read(page)).pictures] == [1, 1, 2, 2], 'not a curve a column')


if __name__ == '__main__':
    main()
