#!/usr/bin/env python3
"""Runs inprivate.py and chain.py at tiny size, so that neither rots: made-up sets, one split, three owners.

usage: rehearse_inprivate.py HEDGEROW BUILD"""
import os
import subprocess
import sys
import tempfile

import chain
import inprivate
from pages import part_of, read, rows_of, write
from rehearse import HERE, PREPARE, expect, seeded

PAGE = os.path.join(HERE, '..', 'docs', 'reference', 'results.md')
PARTS = list(inprivate.points_of(1))


def run(script, *arguments):
    done = subprocess.run([sys.executable, os.path.join(HERE, script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, '%s failed:\n%s' % (script, done.stderr))
    return done.stdout


def check_figures(work, hedgerow):
    page = os.path.join(work, 'page.txt')
    write(page, 'before\n<!-- begin inprivate-epsilon -->\nold\n<!-- end inprivate-epsilon -->\nafter\n')
    said = run('inprivate.py', '--hedgerow', hedgerow, '--data', work, '--cache', os.path.join(work, 'cache'), '--sets', 'coin,length', '--seeds', '1',
               '--records', '20', '--alone', '1', '--options', 'depth: 1, bins: 3', '--only', 'inprivate-epsilon', '--into', page)
    text = read(page)
    expect(text.startswith('before\n') and text.endswith('after\n') and 'old' not in text, 'the page around the part changed:\n' + text)
    expect(part_of(text, 'inprivate-epsilon').strip() in said, 'the page does not say what was printed')
    for first in ('coin, accuracy, %', 'length, MAE'):
        cells = {row[0]: row[1:] for row in rows_of(text, first)}
        expect(list(cells) == inprivate.KINDS and all(len(row) == 7 for row in cells.values()), 'rows of %s:\n%s' % (first, text))
        expect(len(set(cells['no noise'])) == 1, 'what has no noise depends on the budget:\n' + text)
    # A federation's coins have no seed. Of small trees they decide little: of 12 runs the means are 71.5 and .443, the deviations 1.5 and .011.
    quiet = float(rows_of(text, 'coin, accuracy, % | no noise')[0][0].split('±')[0])
    expect(55 < quiet <= 100, 'a coin that says the half of x in 75 %% of cases, without noise: %g' % quiet)
    told = float(rows_of(text, 'length, MAE | no noise')[0][0].split('±')[0])
    expect(.1 < told < .6, 'lengths in [-1, 1], without noise, are off by %g' % told)


def check_rules():
    """Nothing is trained twice; figures are of what they say."""
    point = inprivate.Point(20, 1000, 1, .5)
    expect(inprivate.of_kind('no noise', point).epsilon == inprivate.NO_NOISE, 'without noise, every budget is the same')
    expect(inprivate.of_kind('an owner alone', point) == inprivate.Point(1, 1000, 1, .5), 'alone, other owners play no part')
    expect(inprivate.of_kind('sound', point) == point, 'a sound federation depends on all')
    expect(inprivate.is_better([2], [1], True) and inprivate.is_better([1], [2], False), 'better is the wrong way round')
    sizes = {part: [point.owners * point.records for _, point in points] for part, (_, points) in inprivate.points_of(1000).items()}
    expect(all(max(of_part) <= 20000 for of_part in sizes.values()), 'more records than there are: %s' % sizes)


def check_chain(build):
    """A fit finds what made up the points; three owners' trees go out."""
    made = (.003, .5, .02)
    for constants in (chain.PUBLISHED, chain.WITH_PACKETS):
        points = [(factors(n), chain.told(factors(n), made[:constants])) for factors in chain.ORDERS.values() for n in (2, 5, 30)]
        found = chain.fitted(points, constants)
        expect(all(abs(a - b) < 1e-9 for a, b in zip(found, made)) and len(found) == constants, 'the fit finds %s' % found)
    said = run('chain.py', '--build', build, '--rows', '300', '--features', '3', '--owners', '2,3,4', 'edges=public')
    expect([len(row) for order in chain.ORDERS for row in rows_of(said, order)] == [11] * 6, said)
    expect('c3 = ' in said and 'edges=public' in said, said)


def check_committed():
    expect(all(part_of(read(PAGE), name).strip() for name in (*PARTS, 'chain')), 'docs/reference/results.md lacks a part')


def main():
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        check_rules()
        check_figures(work, seeded(work, sys.argv[1]))
        check_chain(sys.argv[2])
        check_committed()


if __name__ == '__main__':
    main()
