#!/usr/bin/env python3
"""Runs simfl.py at tiny size, so that it does not rot: a made-up set of two classes, two runs, few trees. usage: rehearse_simfl.py HEDGEROW"""
import os
import subprocess
import sys
import tempfile

import simfl
from pages import part_of, read, write
from rehearse import HERE, expect

PREPARE = r'''
import argparse, os, random
SETS = {'fruit': {}}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int)
    parser.add_argument('--test', type=float)
    args = parser.parse_args()
    with open(os.path.join(args.folder, 'schema.yaml'), 'w') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: kind\n  kind: classes\n  values: ["apple", "pear"]\nfeatures:\n')
        for name in ('size', 'weight'):
            out.write('  - name: %s\n    kind: number\n    low: 0\n    high: 1\n' % name)
    draw = random.Random(args.seed)
    for part, rows in (('train', 300), ('test', int(400 * args.test))):
        with open(os.path.join(args.folder, part + '.csv'), 'w') as out:
            out.write('kind,size,weight\n')
            for _ in range(rows):
                size, weight = draw.random(), draw.random()
                out.write('%s,%.3f,%.3f\n' % ('apple' if size > weight else 'pear', size, weight))
if __name__ == '__main__':
    main()
'''


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        page = os.path.join(work, 'page.txt')
        write(page, ''.join('<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part) for part in simfl.TABLES))
        done = subprocess.run([sys.executable, os.path.join(HERE, 'simfl.py'), '--hedgerow', hedgerow, '--data', work, '--cache', os.path.join(work, 'cache'),
                               '--sets', 'fruit', '--runs', '2', '--trees', '6', '--option', 'lsh-width=0.5', '--into', page],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 0, 'simfl.py failed:\n%s%s' % (done.stdout, done.stderr))
        for part in simfl.TABLES:
            text = part_of(read(page), part)
            rows = [row.split('|') for row in text.split('\n') if row.startswith('| fruit | measured |')]
            expect(len(rows) == 1 and len(rows[0]) == len(simfl.COLUMNS) + 4, 'no row of the set:\n' + text)
            mean, least, largest, *_, together = map(float, rows[0][3:-1])
            expect(least <= mean <= largest and together < 20, 'what is measured cannot be:\n' + text)


if __name__ == '__main__':
    main()
