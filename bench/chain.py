#!/usr/bin/env python3
"""Equations 18 and 19 of InPrivate Digging's paper: seconds of a job by the number of owners, chain and broadcast, on a clock for each party
(bench_chain.c), beside the least squares fit of c1, the residuals of one tree, and c2, the training of one.

usage: chain.py [--help]"""
import argparse
import json
import os
import subprocess
import tempfile

import pages

ORDERS = {'chain': lambda n: ((n * n - n) / 2, n), 'broadcast': lambda n: (n - 1, n)}  # equations 18 and 19: factors of c1 and c2


def fitted(points):
    """c1 and c2 of [((factor of c1, factor of c2), seconds)], by least squares of the part that a fit is off."""
    rows = [(a / t, b / t) for (a, b), t in points]
    aa, ab, bb = (sum(r[i] * r[j] for r in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(r[i] for r in rows) for i in range(2))
    det = aa * bb - ab * ab
    return (a * bb - b * ab) / det, (b * aa - a * ab) / det


def measured(args, table, owners, order):
    """The median of the runs."""
    runs = [json.loads(subprocess.run([os.path.join(args.build, 'bench', 'bench_chain'), table, str(args.rows), str(args.features), str(owners), order, '1',
                                       *args.settings], check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(args.repeat)]
    return sorted(runs, key=lambda run: run['seconds'])[len(runs) // 2]


def lines_of(args):
    with tempfile.TemporaryDirectory() as work:
        table = os.path.join(work, 'table')
        subprocess.run([os.path.join(args.build, 'bench', 'bench_table'), table, str(args.rows), str(args.features)], check=True)
        found = {(n, order): measured(args, table, n, order) for n in args.owners for order in ORDERS}
    c1, c2 = fitted([(factors(n), found[n, order]['seconds']) for order, factors in ORDERS.items() for n in args.owners])
    yield '%d records x %d features an owner, median of %d runs%s.' % (args.rows, args.features, args.repeat,
                                                                       ', ' + ', '.join(args.settings) if args.settings else '')
    yield from pages.header(['owners', *(cell for order in ORDERS for cell in (order + ', s', 'fit', 'processor, s', 'parcels', 'MB sent', 'MB of memory')),
                             'trees in a row, s'])
    for n in args.owners:
        cells = []
        for order, factors in ORDERS.items():
            run = found[n, order]
            cells += ['%.2f' % run['seconds'], '%.2f' % (factors(n)[0] * c1 + factors(n)[1] * c2), '%.2f' % run['processor'], '%d' % run['parcels'],
                      '%.1f' % (run['bytes'] / 1e6), '%.0f' % (run['grown'] / 1e6)]
        yield pages.line(['%d' % n, *cells, '%.2f' % found[n, 'chain']['row']])
    n = args.owners[-1]
    work = {order: found[n, order]['training'] for order in ORDERS}
    residuals = (work['chain'] - work['broadcast']) / (ORDERS['chain'](n)[0] - ORDERS['broadcast'](n)[0])
    yield from ['', 'One fit of both equations: c1 = %.2f ms, c2 = %.1f ms. By the time that %d owners spent on it when their turn came: c1 = %.2f ms, '
                'c2 = %.1f ms.' % (1e3 * c1, 1e3 * c2, n, 1e3 * residuals, 1e3 * (work['broadcast'] / n - residuals))]


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build')
    parser.add_argument('--rows', type=int, default=20000, help='of an owner (20000)')
    parser.add_argument('--features', type=int, default=20)
    parser.add_argument('--owners', type=lambda text: [int(n) for n in text.split(',')], default=[2, 5, 10, 20, 30, 40, 50])
    parser.add_argument('--repeat', type=int, default=1)
    parser.add_argument('--into', metavar='PAGE', help='put the table between its marks in this page, too')
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
