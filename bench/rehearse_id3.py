#!/usr/bin/env python3
"""Runs id3.py at tiny size, so that it does not rot: a made-up set, two splits, two epsilons of which one means no noise. Where there is
scikit-learn, id3 is also compared with it: on the made-up set and, if HEDGEROW_DATA names the folder of sets, on some of these.

usage: rehearse_id3.py HEDGEROW"""
import importlib.util
import os
import subprocess
import sys
import tempfile

import id3
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
    args = parser.parse_args()
    with open(os.path.join(args.folder, 'schema.yaml'), 'w') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: kind\n  kind: classes\n  values: ["apple", "pear", "plum"]\nfeatures:\n')
        for name in ('colour', 'size', 'shape'):
            out.write('  - name: %s\n    kind: category\n    values: ["a", "b", "c"]\n' % name)
    draw = random.Random(args.seed)
    for part, rows in (('train', 900), ('test', 300)):
        with open(os.path.join(args.folder, part + '.csv'), 'w') as out:
            out.write('kind,colour,size,shape\n')
            for _ in range(rows):
                kind = draw.randrange(3)
                cells = ['abc'[kind if draw.random() < sure else draw.randrange(3)] for sure in (.2, .7, .5)]
                out.write('%s,%s\n' % (('apple', 'pear', 'plum')[kind], ','.join(cells)))
if __name__ == '__main__':
    main()
'''


def run(hedgerow, data, cache, *more):
    done = subprocess.run([sys.executable, os.path.join(HERE, 'id3.py'), '--hedgerow', hedgerow, '--data', data, '--cache', cache, '--seeds', '2', *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, 'id3.py failed:\n%s%s' % (done.stdout, done.stderr))
    return done.stdout


def check_tables(hedgerow, work):
    page, cache = os.path.join(work, 'page.txt'), os.path.join(work, 'cache')
    write(page, ''.join('<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part) for part in ('id3', 'id3-splits')))
    for part in ('id3', 'id3-splits'):
        said = run(hedgerow, work, cache, '--sets', 'fruit', '--epsilons', '1,10000', '--only', part, '--into', page)
        expect(part_of(read(page), part).strip() in said, 'the page does not say what was printed')
    text = read(page)
    for title in id3.METHODS:
        expect(len([row for row in text.split('\n') if '| %s |' % title in row]) == 1, '%s has no row:\n%s' % (title, text))
    for mode in id3.MODES:
        expect('| fruit | %s |' % mode in text, 'splits, %s: no row:\n%s' % (mode, text))
    expect(text.count('100 / 100 / 100 |') >= 1, 'without noise the splits are not those without noise:\n' + text)


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        check_tables(hedgerow, work)
        if not importlib.util.find_spec('sklearn'):
            return
        run(hedgerow, work, os.path.join(work, 'cache'), '--sets', 'fruit', '--only', 'id3-plain')
        if os.environ.get('HEDGEROW_DATA'):
            run(hedgerow, os.environ['HEDGEROW_DATA'], os.path.join(work, 'real'), '--sets', 'car,votes', '--only', 'id3-plain')


if __name__ == '__main__':
    main()
