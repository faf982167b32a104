#!/usr/bin/env python3
"""Runs dp_simfl.py at tiny size, so that it does not rot: a made-up set of two classes, two splits. usage: rehearse_dp_simfl.py HEDGEROW"""
import os
import subprocess
import sys
import tempfile

import dp_simfl
from pages import part_of, read, rows_of, write
from rehearse import HERE, expect, seeded

PREPARE = r'''
import argparse, os, random
SETS = {'fruit': {}}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int)
    parser.add_argument('--rows', type=int)
    args = parser.parse_args()
    with open(os.path.join(args.folder, 'schema.yaml'), 'w') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: kind\n  kind: classes\n  values: ["0", "1"]\nfeatures:\n')
        for name in ('noise', 'size'):
            out.write('  - name: %s\n    kind: number\n    low: 0\n    high: 1\n' % name)
    draw = random.Random(args.seed)
    for part, rows in (('train', 600), ('test', 200)):
        with open(os.path.join(args.folder, part + '.csv'), 'w') as out:
            out.write('kind,noise,size\n')
            for _ in range(rows):
                size = draw.random()
                out.write('%d,%.3f,%.3f\n' % (size > .5, draw.random(), size))
if __name__ == '__main__':
    main()
'''


def main():
    with tempfile.TemporaryDirectory() as work:
        hedgerow = seeded(work, sys.argv[1])
        write(os.path.join(work, 'prepare.py'), PREPARE)
        page = os.path.join(work, 'page.txt')
        write(page, '<!-- begin %s -->\nold\n<!-- end %s -->\n' % (dp_simfl.PART, dp_simfl.PART))
        cache = os.path.join(work, 'cache')
        done = subprocess.run([sys.executable, os.path.join(HERE, 'dp_simfl.py'), '--hedgerow', hedgerow, '--data', work, '--cache', cache,
                               '--sets', 'fruit', '--splits', '2', '--into', page], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 0, 'dp_simfl.py failed:\n%s%s' % (done.stdout, done.stderr))
        text = part_of(read(page), dp_simfl.PART)
        rows = rows_of(text, 'fruit')
        wanted = [[skew, '%g' % theta, epsilon] for skew, theta, epsilon in dp_simfl.CELLS]
        expect([row[:3] for row in rows] == wanted, 'not every cell has its row:\n' + text)
        expect(all(len(row) == 3 + len(dp_simfl.TITLES) for row in rows), 'a row lacks figures:\n' + text)
        expect(all((row[-1] == '-') == (row[2] == '1000') for row in rows), 'hedge is measured at epsilon 1 and 4 alone:\n' + text)
        best = [float(row[4].split('±')[0]) for row in rows if row[2] == '1000']
        expect(all(error < 20 for error in best), 'owners learn nothing at epsilon 1000:\n' + text)
        feature = dp_simfl.columns_that_tell(os.path.join(cache, 'fruit-0-%d' % dp_simfl.ROWS))[0]
        expect(feature == 2, 'the feature that tells most is the second, not number %d' % feature)


if __name__ == '__main__':
    main()
