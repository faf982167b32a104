#!/usr/bin/env python3
"""Runs simfl_attack.py at tiny size, so that it does not rot: a made-up set of numbers and categories, two seeds. Where there is numpy,
"hedgerow attack simfl" is also compared with it.

usage: rehearse_simfl_attack.py HEDGEROW"""
import importlib.util
import os
import subprocess
import sys
import tempfile

import simfl_attack
from pages import part_of, read, rows_of, write
from rehearse import HERE, expect

PREPARE = r'''
import argparse, os, random
SETS = {'credit': {}}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int)
    args = parser.parse_args()
    with open(os.path.join(args.folder, 'schema.yaml'), 'w') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: kind\n  kind: classes\n  values: ["no", "yes"]\nfeatures:\n')
        for name in ('weight', 'height', 'width'):
            out.write('  - name: %s\n    kind: number\n    low: -3\n    high: 3\n' % name)
        out.write('  - name: colour\n    kind: category\n    values: ["red", "green", "blue"]\n')
        out.write('  - name: ripe\n    kind: category\n    values: ["no", "yes"]\n')
    draw = random.Random(args.seed)
    for part, rows in (('train', 1200), ('test', 10)):
        with open(os.path.join(args.folder, part + '.csv'), 'w') as out:
            out.write('kind,weight,height,width,colour,ripe\n')
            for _ in range(rows):
                size = draw.gauss(0, 1)
                numbers = ['%.4f' % (size + draw.gauss(0, .5)) for _ in range(3)]
                out.write(','.join([draw.choice(['no', 'yes']), *numbers, draw.choice(['red', 'green', 'blue']), draw.choice(['no', 'yes'])]) + '\n')
if __name__ == '__main__':
    main()
'''


def check_part(hedgerow, work, part):
    page = os.path.join(work, part + '.txt')
    write(page, '<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part))
    done = subprocess.run([sys.executable, os.path.join(HERE, 'simfl_attack.py'), '--hedgerow', hedgerow, '--data', work, '--cache',
                           os.path.join(work, 'cache'), '--sets', 'credit', '--seeds', '2', '--only', part, '--into', page],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, 'simfl_attack.py failed:\n%s%s' % (done.stdout, done.stderr))
    text = part_of(read(page), part)
    expect(text.strip() in done.stdout, 'the page does not say what was printed')
    return rows_of(text, 'credit')


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        rows = check_part(hedgerow, work, 'simfl-width')
        expect([row[0] for row in rows] == ['%d' % width for width in simfl_attack.WIDTHS], 'not every width has a row: %s' % rows)
        expect(float(rows[0][1]) > float(rows[-1][1]) and abs(float(rows[-1][1])) < .01, 'wide cells hide nothing: %s' % rows)
        if importlib.util.find_spec('numpy'):
            rows = check_part(hedgerow, work, 'simfl-attack')
            expect([row[:2] for row in rows] == [[scale, by] for scale in simfl_attack.SCALES for by in ('hedgerow', 'numpy')],
                   'not every scale has its rows: %s' % rows)


if __name__ == '__main__':
    main()
