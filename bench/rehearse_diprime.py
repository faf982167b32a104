#!/usr/bin/env python3
"""Runs diprime.py and balance.py at tiny size, so that neither rots: made-up sets, two splits, and figures that nobody can miss or reach.

usage: rehearse_diprime.py HEDGEROW"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import balance
import diprime
import measure
from pages import part_of, read, rows_of, write
from rehearse import HERE, PREPARE, expect, seeded

PAGE = os.path.join(HERE, '..', 'docs', 'reference', 'results.md')


def run(work, script, hedgerow, *more):
    done = subprocess.run([sys.executable, os.path.join(HERE, script), '--hedgerow', hedgerow, '--data', work, '--cache',
                           os.path.join(work, 'cache'), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, '%s failed:\n%s' % (script, done.stderr))
    return done.stdout


def published():
    """Figures that nobody meets, but perhaps a forest without privacy on coin. Lengths count over twice their range."""
    rows = {'Random Forest': .25, 'DiPriMe': 9}
    settings = {'trees': 5, 'features': 3, 'epsilon': 1000}
    length = {'unit': 1, 'shown': 'as it is', 'depth': 1, 'changes': {'y': [0, 6]}, 'paper': {**rows, 'Random Forest': 5}}
    coin = {'unit': 1e-2, 'shown': '%', 'depth': 1, 'changes': {}, 'paper': rows}
    return {'source': 'made up', 'tables': {'regression': {'title': 'Lengths', 'sets': {'length': length}, **settings},
                                            'classification': {'title': 'Coins', 'sets': {'coin': coin}, **settings}}}


def check_tables(work, hedgerow):
    page = os.path.join(work, 'page.txt')
    write(page, 'before\n<!-- begin diprime -->\nold\n<!-- end diprime -->\nafter\n')
    write(os.path.join(work, 'published.json'), json.dumps(published()))
    said = run(work, 'diprime.py', hedgerow, '--published', os.path.join(work, 'published.json'), '--seeds', '3', '--into', page)
    text = read(page)
    expect(text.startswith('before\n') and text.endswith('after\n') and 'old' not in text, 'the page around the part changed:\n' + text)
    expect(part_of(text, 'diprime').strip() in said, 'the page does not say what was printed')
    there = measure.methods(hedgerow)
    for row in diprime.ROWS:
        wanted = (2 if row.told == 'error' else 1) * (row.method[0] in there)
        expect(len(rows_of(text, row.title)) == wanted, '%s should have %d rows:\n%s' % (row.title, wanted, text))
    length, coin = rows_of(text, 'DiPriMe as published, Algorithm 1')
    expect(length[0] == '9.00' and length[1].endswith(' ≠'), 'a figure that is off does not show:\n%s' % length)
    expect(coin[0] == '900.00' and coin[1].endswith(' ≠'), 'a figure that is off does not show:\n%s' % coin)
    # In [0, 3] they have the variance .75, of which one split of x tells .14; over 6^2, what is left is .017.
    error = float(length[1].split('±')[0])
    expect(.005 < error < .03, 'lengths over 6 have the mean squared error %g' % error)
    expect(15 < float(coin[1].split('±')[0]) < 40, 'a coin that says the half of x in 75 %% of cases: %s' % coin)
    doubt = [cells for row in diprime.ROWS if row.told == 'doubt' for cells in rows_of(text, row.title)]
    expect(all(20 < float(cells[1].split('±')[0]) < 50 for cells in doubt), 'who errs in a quarter of all cases doubts %s' % doubt)
    expect('high: 6' in read(os.path.join(work, 'cache', 'diprime', 'length-1', 'schema.yaml')), 'the changes of a set went missing')
    expect(len(read(os.path.join(work, 'cache', 'diprime', 'coin-1', 'test.csv')).split('\n')) == 52, 'a tenth of 500 records is not for the test')


def check_rules():
    """Without privacy a tenth of the paper's figure is near, with privacy two standard deviations (here 1)."""
    for private, figure, wanted in [(True, 12, False), (True, 12.1, True), (True, 7.9, True), (False, 9.1, False), (False, 11.2, True), (False, 9, True)]:
        said = diprime.is_off(private, figure, [9, 10, 11])
        expect(said == wanted, '%g beside 9, 10, 11 is %s' % (figure, 'off' if said else 'near'))
    row = next(row for row in diprime.ROWS if row.title == 'DiPriMe sound')
    said = diprime.command(row, {'trees': 7, 'features': 4, 'epsilon': .5}, {'depth': 3})
    expect(said[-8:] == ['--trees', '7', '--depth', '3', '--option', 'max-features=4', '--epsilon', '0.5'], 'the settings went missing: %s' % said)


def check_division():
    """By hand: x <= 2 goes left, missing right; then the category b or missing left."""
    model = {'schema': {'features': [{'name': 'x'}, {'name': 'c'}]},
             'trees': [{'subsets': [[0, 2]], 'nodes': [[1, 0, 2.0, 0], [3, 1, 0], [0], [0], [0]]}]}
    columns = {'x': [0, 1, 2, 2.5, math.nan, 1.5], 'c': [0, 1, math.nan, 1, 1, 0]}
    splits, leaves = balance.division(model, columns, 6)
    expect(sorted(splits) == [(4, 2), (6, 4)] and sorted(leaves) == [2, 2, 2], 'records went %s and %s' % (splits, leaves))
    model['trees'][0]['nodes'][0][3] = 1
    splits, leaves = balance.division(model, columns, 6)
    expect(sorted(splits) == [(5, 3), (6, 5)] and sorted(leaves) == [1, 2, 3], 'missing numbers went %s and %s' % (splits, leaves))


def check_bound():
    """Theorem 2 holds for the sums that it assumes, and those have the variance that its proof gives."""
    sums = balance.laplace_sums(1, 20000)
    variance = statistics.mean(x * x for x in sums)
    expect(abs(variance - 8 / 3) < .3, 'sums of Laplace variables have the variance %g, not 8/3' % variance)  # 5 standard deviations
    for x in range(balance.FARTHEST + 1):
        expect(balance.tail(sums, x) <= balance.bound(x, balance.DEEP), 'the bound does not hold at %d' % x)
    expect(abs(balance.bound(2, 10) - 2 / 3) < 1e-5, 'Chebyshev at 2: %g' % balance.bound(2, 10))
    expect(abs(balance.bound(20, 10) - 2 * math.exp(-8.698)) < 1e-6, 'the sub-exponential bound at 20: %g' % balance.bound(20, 10))


def check_figures(work, hedgerow):
    said = run(work, 'balance.py', hedgerow, '--set', 'length', '--trees', '2', '--records', '4', '--draws', '1000')
    rows = [rows_of(said, '%.1f to %.1f' % (k / 10, (k + 1) / 10))[0] for k in range(balance.SHARES)]
    leaves = [rows_of(said, name)[0] for _, name in balance.LEAVES]
    for table in (rows, leaves):
        for column in zip(*table):
            expect(abs(sum(map(float, column)) - 100) < .6, 'a column does not add up to 100 %%: %s' % (column,))
    expect(float(rows[4][0]) + float(rows[5][0]) > 60, 'medians at epsilon 10 do not balance splits:\n' + said)
    expect('Theorem 2 allows' in said, 'nothing is said of Theorem 2:\n' + said)
    tails = [list(map(float, rows_of(said, '%d' % x)[0])) for x in range(balance.FARTHEST + 1)]
    expect(all(cell == 1 for cell in tails[0]), 'not every leaf is 0 or more away')
    expect(all(a >= b for above, below in zip(tails, tails[1:]) for a, b in zip(above, below)), 'a tail grows:\n' + said)


def check_committed():
    expect(all(part_of(read(PAGE), name).strip() for name in ('diprime', *balance.PARTS)), 'docs/reference/results.md lacks a part')


def main():
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        hedgerow = seeded(work, sys.argv[1])
        check_rules()
        check_division()
        check_bound()
        check_tables(work, hedgerow)
        check_figures(work, hedgerow)
        check_committed()


if __name__ == '__main__':
    main()
