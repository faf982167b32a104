#!/usr/bin/env python3
"""Runs simfl.py and simfl_peer.py at tiny size, so that they do not rot: a made-up set of two classes and a few made-up news, two runs, few trees.

simfl_peer.py is left out where there is no xgboost. usage: rehearse_simfl.py HEDGEROW"""
import lzma
import os
import random
import subprocess
import sys
import tempfile

import plot
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


def write_news(work):
    """Word 1 is of every news, word 2 of those of the topic, word 3 of one."""
    os.mkdir(os.path.join(work, 'reuters'))
    draw = random.Random(1)
    with lzma.open(os.path.join(work, 'reuters', 'reuters.libsvm.xz'), 'wt') as out:
        for k in range(200):
            topic = draw.random() < .3
            out.write('%s 1:%.3f%s%s\n' % ('+1' if topic else '-1', draw.random(), ' 2:0.5' if topic else '', ' 3:0.25' if k == 7 else ''))


def blank_page(work, parts):
    page = os.path.join(work, 'page.txt')
    write(page, ''.join('<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part) for part in parts))
    return page


def run(script, work, hedgerow, *more):
    return subprocess.run([sys.executable, os.path.join(HERE, script), '--hedgerow', hedgerow, '--data', work, '--cache', os.path.join(work, 'cache'), *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def cells_of(text, first):
    """The numbers of the one row that begins so."""
    found = [line.split('|')[3:-1] for line in text.split('\n') if line.startswith('| %s |' % first)]
    expect(len(found) == 1, 'not one row of %s:\n%s' % (first, text))
    return [float(cell.split('±')[0]) for cell in found[0]]


def check_tables(page):
    for part in simfl.TABLES:
        text = part_of(read(page), part)
        for name in ('fruit', 'reuters'):
            cells = cells_of(text, name + ' | measured')
            expect(len(cells) == len(simfl.COLUMNS), 'not a number a column:\n' + text)
            mean, least, largest, *_, together = cells
            expect(least <= mean <= largest and together < 20, 'what is measured cannot be:\n' + text)
        expect(simfl.TABLES[part][1]['real-sim'] == tuple(cells_of(text, 'reuters | paper, real-sim')), 'the paper does not say so:\n' + text)


def check_figures(page):
    for part in simfl.SAID:
        text = part_of(read(page), part)
        points = simfl.points_of([2, 3])[part]
        found = {kind: cells_of(text, 'fruit | ' + kind) for kind in simfl.KINDS}
        expect(all(len(cells) == len(points) for cells in found.values()), 'not a number a point:\n' + text)
        expect(all(best <= mean for best, mean in zip(found['solo, best'], found['solo, mean'])), 'the best is above the mean:\n' + text)
        picture = plot.simfl_errors(read(page), part, 'errors')
        expect([panel.title for panel in picture.pictures] == ['fruit', 'reuters'], 'not a panel a set')
        expect([len(curve.points) for curve in picture.pictures[0].curves] == [len(points)] * len(simfl.KINDS), 'not a curve a method')


def check_news(work):
    """As in the file: the weights of a word, 0 where it is not, and both classes."""
    lines = [line.split(',') for part in ('train', 'test') for line in read(os.path.join(work, 'cache', 'reuters-0', part + '.csv')).split()]
    expect(lines[0] == ['w1', 'w2', 'w3', 'label'] and len(lines) == 202, 'not all words and news are there')
    rows = [row for row in lines if row[0] != 'w1']
    expect(all((row[1] == '0.5') == (row[3] == '1') and row[3] in ('1', '-1') for row in rows), 'a label is not that of its words')
    expect([row[2] for row in rows if row[2] != '0'] == ['0.25'], 'the word of one is not of one')


def check_peer(work, hedgerow):
    page = blank_page(work, ['simfl-settings', 'simfl-again'])
    done = run('simfl_peer.py', work, hedgerow, '--sets', 'fruit', '--trees', '12', '--into', page)
    if 'no xgboost' in done.stderr:
        print('no xgboost: simfl_peer.py was not run')
        return
    expect(done.returncode == 0, 'simfl_peer.py failed:\n%s%s' % (done.stdout, done.stderr))
    for first in ('fruit | 0.8', 'fruit | even'):
        *_, together = cells_of(part_of(read(page), 'simfl-again').replace('| xgboost |', '|'), first)
        expect(together < 20, 'what is measured cannot be:\n' + done.stdout)


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        write_news(work)
        page = blank_page(work, [*simfl.TABLES, *simfl.SAID])
        done = run('simfl.py', work, hedgerow, '--sets', 'fruit,reuters', '--runs', '2', '--figure-runs', '2', '--owners', '2,3', '--trees', '6',
                   '--option', 'lsh-width=0.5', '--into', page)
        expect(done.returncode == 0, 'simfl.py failed:\n%s%s' % (done.stdout, done.stderr))
        check_tables(page)
        check_figures(page)
        check_news(work)
        refused = run('simfl.py', work, hedgerow, '--only', 'simfl-even,nothing')
        expect(refused.returncode == 2 and 'there is no part nothing' in refused.stderr, 'a part that is not there passes:\n' + refused.stderr)
        check_peer(work, hedgerow)


if __name__ == '__main__':
    main()
