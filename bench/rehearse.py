#!/usr/bin/env python3
"""Runs accuracy.py at tiny size, and checks that the pictures of docs show its page: made-up sets, two splits, and marks that nobody can miss or reach.

gbdt's part is left out where there is no scikit-learn. usage: rehearse.py HEDGEROW"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import accuracy
import plot
from pages import part_of, read, rows_of, write

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, '..', 'docs', 'reference', 'results.md')
SETS = ['coin', 'dice', 'length']
PREPARE = r'''
import argparse, os, random, sys
SETS = {'coin': {'kinds': 2}, 'dice': {'kinds': 3}, 'length': {'y': (0, 3)}}
def main():
    if sys.argv[1:] == ['--list']:
        sys.exit(print('\n'.join(SETS)))
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int)
    parser.add_argument('--rows', type=int)
    parser.add_argument('--test', type=float, default=.2)
    args = parser.parse_args()
    rows = min(args.rows or 500, 500)
    kinds = SETS[args.name].get('kinds')
    label = 'kind: classes\n  values: [%s]' % ', '.join('"%d"' % k for k in range(kinds)) if kinds else \
        'kind: number\n  low: %r\n  high: %r' % tuple(SETS[args.name]['y'])
    with open(os.path.join(args.folder, 'schema.yaml'), 'w') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: y\n  %s\nfeatures:\n  - name: x\n    kind: number\n    low: 0\n    high: 1\n' % label)
    draw = random.Random(args.seed)
    left = int(rows * args.test)
    for part, n in (('test', left), ('train', rows - left)):
        with open(os.path.join(args.folder, part + '.csv'), 'w') as out:
            out.write('x,y\n')
            for _ in range(n):
                x = draw.random()
                told = x if draw.random() < .75 else 1 - x
                out.write('%r,%r\n' % (x, int(kinds * told) if kinds else 3 * told))
if __name__ == '__main__':
    main()
'''
PARTS = ['hedge', 'pure', 'private', 'plain', 'forests']


def expect(holds, what):
    if not holds:
        sys.exit('%s: %s' % (os.path.basename(sys.argv[0]), what))


def seeded(work, hedgerow):
    """hedgerow, but all noise of its fits is from one seed: what is measured is the same in every run."""
    path = os.path.join(work, 'hedgerow')
    write(path, '#!/bin/sh\n[ "$1" != train ] || set -- "$@" --unsafe-reproducible-noise --seed 1\nexec %s "$@"\n' % shlex.quote(os.path.abspath(hedgerow)))
    os.chmod(path, 0o700)
    return path


def marks():
    """coin passes its marks, length misses them, dice has none."""
    return {'source': 'made up', 'epsilon': [.1, .25, .5, 1, 2, 4, 8],
            'sets': {'coin': {'error': [200] * 7, 'auc': [-1] * 7}, 'length': {'rmse': [-1] * 7}}}


def reference():
    """One budget is enough for the published methods."""
    return {'source': 'made up', 'epsilon': [8], 'sets': {'coin': {'constant': [50, 1], 'rows': {'SEQ sound': [[1, 1]]}}, 'length': {'rows': {}}}}


def run(work, hedgerow, *more):
    return subprocess.run([sys.executable, os.path.join(HERE, 'accuracy.py'), '--hedgerow', hedgerow, '--data', work,
                           '--cache', os.path.join(work, 'cache'), '--reference', os.path.join(work, 'reference.json'),
                           '--marks', os.path.join(work, 'marks.json'), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(text, name):
    """{metric: cells} of a set."""
    return {cells[0]: cells[1:] for cells in rows_of(text, name)}


def check_hedge(work, hedgerow):
    page = os.path.join(work, 'page.txt')
    write(page, 'before\n' + '\n'.join('<!-- begin %s -->\nold\n<!-- end %s -->\nafter %s' % (p, p, p) for p in PARTS) + '\n')
    done = run(work, hedgerow, '--only', 'hedge', '--sets', ','.join(SETS + ['absent']), '--seeds', '2', '--rows', '400', '--into', page)
    expect(done.returncode == 0, 'accuracy.py --only hedge failed:\n' + done.stderr)
    text = read(page)
    expect(text.startswith('before\n<!-- begin hedge -->\n') and all('\nafter %s\n' % p in text for p in PARTS), 'the page around the parts changed')
    expect(text.count('old') == 3, 'hedge and pure should be new, and the other parts should be old:\n' + text)
    hedge, pure = part_of(text, 'hedge'), part_of(text, 'pure')
    expect(hedge.strip() in done.stdout and pure.strip() in done.stdout, 'the page does not say what was printed')
    expect(all('does not have them: absent.' in t for t in (hedge, pure)), 'the set that is not there is not named')
    coin, dice, length = (rows(hedge, name) for name in SETS)
    expect(list(coin) == ['error, %', 'prototype', 'AUC'] and list(length) == ['RMSE', 'prototype'] and list(dice) == ['error, %'], hedge)
    expect(all(len(cells) == 7 for of_set in (coin, dice, length) for cells in of_set.values()), 'a row has not one cell a budget:\n' + hedge)
    expect('▼' not in ''.join(coin['error, %'] + coin['AUC'] + dice['error, %']), 'a mark that is passed counts as missed:\n' + hedge)
    expect(all(cell.endswith('▼') for cell in length['RMSE']), 'a mark that is missed does not show:\n' + hedge)
    counts = 'Of the 21 figures that have a mark, 14 are better than it by more than one standard deviation, 0 level, 7 worse.'
    expect(done.stdout.rstrip().endswith(counts), 'the last line counts wrongly:\n' + done.stdout)
    expect(list(rows(pure, 'coin')) == ['error, %'] and list(rows(pure, 'length')) == ['RMSE'], pure)
    mean = float(coin['error, %'][-1].split('±')[0])
    expect(5 < mean < 45, 'a coin that says the half of x in 75 %% of cases has the error %g %% at epsilon 8' % mean)
    expect(len(read(os.path.join(work, 'cache', 'coin-1-400', 'train.csv')).split('\n')) == 322, '--rows does not cut a set')


def check_verdicts():
    """Beyond one standard deviation (here 1, of AUC 0.001) is better or worse; so much is level; figures count as shown."""
    error, auc = accuracy.METRICS['error'], accuracy.METRICS['auc']
    cases = [([9, 10, 11], 11.5, error, 'better'), ([9, 10, 11], 11, error, 'level'), ([9, 10, 11], 9, error, 'level'),
             ([9, 10, 11], 8.5, error, 'worse'), ([.890, .891, .892], .889, auc, 'better'), ([.890, .891, .892], .892, auc, 'level'),
             ([.890, .891, .892], .893, auc, 'worse'), ([.9996, .9997, .9998], 1, auc, 'level'), ([9, 10], None, error, None),
             ([10], 5, error, None)]
    for values, mark, metric, wanted in cases:
        said = accuracy.verdict(values, mark, metric)
        expect(said == wanted, '%s beside the mark %s is %s, not %s' % (values, mark, said, wanted))


def check_refusals(work, hedgerow):
    """A page that has no place for the tables, before any work."""
    page = os.path.join(work, 'bare.txt')
    write(page, 'nothing\n')
    done = run(work, hedgerow, '--only', 'hedge', '--sets', 'coin', '--into', page)
    refused = done.returncode == 1 and 'no one place for the part' in done.stderr and done.stdout == ''
    expect(refused, 'a page without a place passes:\n' + done.stdout)
    expect(read(page) == 'nothing\n', 'a page that was refused changed')


def check_others(work, hedgerow):
    done = run(work, hedgerow, '--only', 'private', '--seeds', '1')
    expect(done.returncode == 0, 'accuracy.py --only private failed:\n' + done.stderr)
    for title in ('### coin', '### length', 'constant 50.00 ± 1.00', '| **DPBoost sound** |', '| SEQ sound (prototype) | 1.00 ± 1.00 |'):
        expect(title in done.stdout, 'there is no %s in\n%s' % (title, done.stdout))
    done = run(work, hedgerow, '--only', 'plain', '--seeds', '1')
    if 'no scikit-learn' in done.stderr:
        print('no scikit-learn: gbdt and forests were not compared')
        return
    expect(done.returncode == 0, 'accuracy.py --only plain failed:\n' + done.stderr)
    expect(re.search(r'^\| coin \| 0\.1 \| \d+\.\d\d ± 0\.00 \| \d+\.\d\d ± 0\.00 \| [+-]\d', done.stdout, re.M), done.stdout)
    check_forests(run(work, hedgerow, '--only', 'forests', '--sets', ','.join(SETS), '--seeds', '2'))


def check_forests(done):
    """Both sides learn what there is; median has no peer."""
    expect(done.returncode == 0, 'accuracy.py --only forests failed:\n' + done.stderr)
    for name, low, high in (('coin', 20, 45), ('dice', 20, 60), ('length', .5, 1.3)):
        found = {cells[0]: cells[1:] for cells in rows_of(done.stdout, name)}
        expect(list(found) == ['rf', 'ert', 'median'], done.stdout)
        expect(all(low < float(cell.split('±')[0]) < high for method in ('rf', 'ert') for cell in found[method][:2]), done.stdout)
        expect(found['rf'][2][0] in '+-' and found['median'][1:] == ['', ''], done.stdout)


def check_committed():
    """The page has every part, the pictures are drawn from it, and the prototype's rows have a figure a budget."""
    docs = os.path.dirname(PAGE)
    for page, pictures in (('results.md', plot.PICTURES), ('performance.md', plot.OF_PERFORMANCE)):
        for name, picture_of in pictures.items():
            same = plot.digest(picture_of(read(os.path.join(docs, page)))) in read(os.path.join(docs, name))
            expect(same, 'docs/reference/%s does not show the figures of docs/reference/%s; run bench/plot.py' % (name, page))
    expect(all(part_of(read(PAGE), name).strip() for name in PARTS), 'docs/reference/results.md lacks a part')
    prototype = json.loads(read(os.path.join(HERE, 'hedge.json')))
    expect(prototype['epsilon'] == accuracy.HEDGE_EPSILONS, 'hedge.json is of other budgets than the table')
    for name, of_set in prototype['sets'].items():
        for metric, figures in of_set.items():
            expect(len(figures) == len(prototype['epsilon']), 'hedge.json: %s has %d figures of %s' % (name, len(figures), metric))


def main():
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        write(os.path.join(work, 'marks.json'), json.dumps(marks()))
        write(os.path.join(work, 'reference.json'), json.dumps(reference()))
        hedgerow = seeded(work, sys.argv[1])
        check_hedge(work, hedgerow)
        check_verdicts()
        check_refusals(work, hedgerow)
        check_others(work, hedgerow)
        check_committed()


if __name__ == '__main__':
    main()
