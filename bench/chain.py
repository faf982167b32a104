#!/usr/bin/env python3
"""Equations 18 and 19 of InPrivate Digging's paper: seconds of a job by the number of owners, chain and broadcast, on a clock for each party
(bench_chain.c), beside two least squares fits: of the equations as published, with c1, the residuals of one tree, and c2, the training of
one; and with c3 besides, what a packet costs its sender. And seconds of `simulate`, beside those of the same trees in a row.

usage: chain.py [--help]"""
import argparse
import json
import os
import subprocess
import tempfile

import pages

# Equations 18 and 19: factors of c1 and c2; the third is the packets with trees that are sent one after the other.
ORDERS = {'chain': lambda n: ((n * n - n) / 2, n, n), 'broadcast': lambda n: (n - 1, n, n * n - n)}
PUBLISHED, WITH_PACKETS = 2, 3


def solved(matrix, right):
    """x of matrix x = right, by elimination; the matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i, pivot in enumerate(rows):
        for k, row in enumerate(rows):
            if k != i:
                rows[k] = [cell - row[i] / pivot[i] * over for cell, over in zip(row, pivot)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fitted(points, constants):
    """The first so many constants of [(their factors, seconds)], by least squares of the part that a fit is off."""
    rows = [[factor / t for factor in factors[:constants]] for factors, t in points]
    columns = list(zip(*rows))
    return solved([[sum(x * y for x, y in zip(a, b)) for b in columns] for a in columns], [sum(a) for a in columns])


def told(factors, constants):
    return sum(factor * c for factor, c in zip(factors, constants))


def measured(args, table, owners, order):
    """The median of the runs."""
    runs = [json.loads(subprocess.run([os.path.join(args.build, 'bench', 'bench_chain'), table, str(args.rows), str(args.features), str(owners), order, '1',
                                       *args.settings], check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(args.repeat)]
    return sorted(runs, key=lambda run: run['seconds'])[len(runs) // 2]


def lines_of(args):
    with tempfile.TemporaryDirectory() as work:
        table = os.path.join(work, 'table')
        subprocess.run([os.path.join(args.build, 'bench', 'bench_table'), table, str(args.rows), str(args.features)], check=True)
        found = {(order, n): measured(args, table, n, order) for order in ORDERS for n in args.owners}
    points = [(ORDERS[order](n), run['seconds']) for (order, n), run in found.items()]
    published, with_packets = fitted(points, PUBLISHED), fitted(points, WITH_PACKETS)
    yield '%d records x %d features an owner, median of %d runs%s.' % (args.rows, args.features, args.repeat,
                                                                       ', ' + ', '.join(args.settings) if args.settings else '')
    yield from pages.header(['order', 'owners', 'seconds', 'as published', 'with packets', 'processor, s', 'packets', 'MB sent', 'MB of memory', 'simulate, s',
                             'trees in a row, s', 'simulate / row'])
    for (order, n), run in found.items():
        yield pages.line([order, '%d' % n, '%.2f' % run['seconds'], '%.2f' % told(ORDERS[order](n), published), '%.2f' % told(ORDERS[order](n), with_packets),
                          '%.2f' % run['processor'], '%d' % run['packets'], '%.1f' % (run['bytes'] / 1e6), '%.0f' % (run['grown'] / 1e6),
                          '%.2f' % run['simulate'], '%.2f' % run['row'], 'x%.2f' % (run['simulate'] / run['row'])])
    n = args.owners[-1]
    work = {order: found[order, n]['training'] for order in ORDERS}
    residuals = (work['chain'] - work['broadcast']) / (ORDERS['chain'](n)[0] - ORDERS['broadcast'](n)[0])
    yield from ['', 'As published: c1 = %.2f ms, c2 = %.1f ms. With packets: c1 = %.2f ms, c2 = %.1f ms, c3 = %.2f ms. By the time that %d owners spent on it '
                'when their turn came: c1 = %.2f ms, c2 = %.1f ms.' % (*(1e3 * c for c in (*published, *with_packets)), n, 1e3 * residuals,
                                                                      1e3 * (work['broadcast'] / n - residuals))]


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--rows', type=int, default=20000, help='of an owner (20000)')
    parser.add_argument('--features', type=int, default=20)
    parser.add_argument('--owners', type=lambda text: [int(n) for n in text.split(',')], default=[2, 5, 10, 20, 30, 40, 50])
    parser.add_argument('--repeat', type=int, default=1)
    parser.add_argument('--into', metavar='FOLDER', help='put the table in this folder, too (docs/reference/results)')
    parser.add_argument('settings', nargs='*', metavar='OPTION=VALUE', help='of the method')
    return parser.parse_args()


def main():
    args = arguments_of()
    if args.into:
        pages.check(args.into, ['chain'])
    lines = list(lines_of(args))
    print('\n'.join(lines))
    if args.into:
        pages.put(args.into, 'chain', lines)


if __name__ == '__main__':
    main()
