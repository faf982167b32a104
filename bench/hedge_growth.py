#!/usr/bin/env python3
"""How time and memory of hedge grow with records and with features, as markdown: whole fits at the defaults, but for delta, on tables of bench_table,
the best of some repetitions (plot.py draws them). Seconds are those that threads were on a processor: other work on the machine stretches them less.
usage: hedge_growth.py [--help]"""
import argparse
import json
import math
import os
import subprocess
import tempfile

import pages

PART = 'hedge-growth'
DELTA = 'delta=1e-8' # it must be below one in as many records as there are
COLUMNS = ['records', 'features', 'rounds', 'processor, s', 'ns a record and round', 'ns a record and feature', 'MB above the table', 'MB of bins']


def fit(args, folder, rows, features):
    """The line of the repetition that took least."""
    path = os.path.join(folder, 'table')
    subprocess.run([os.path.join(args.build, 'bench', 'bench_table'), path, str(rows), str(features)], check=True)
    words = [os.path.join(args.build, 'bench', 'bench_hedge'), path, str(rows), str(features), str(args.threads), DELTA]
    found = [json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
             for _ in range(1 if rows * features > args.once else args.repeat)]
    os.remove(path)
    return min(found, key=lambda line: line['processor'])


def line_of(rows, features, found):
    seconds = found['processor']
    return pages.line(['%d' % rows, '%d' % features, '%d' % found['rounds'], '%.3g' % seconds, '%.3g' % (1e9 * seconds / rows / found['rounds']),
                       '%.3g' % (1e9 * seconds / rows / features), '%.1f' % (found['grown'] / 1e6), '%.1f' % (rows * features / 1e6)])


def slope(places, values):
    """Between the last two, in logarithms. A fit that takes no more than reading its table raises no peak."""
    values = [max(value, 1e-9) for value in values]
    return math.log(values[-1] / values[-2]) / math.log(places[-1] / places[-2])


def lines_of(args):
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        yield from pages.header(COLUMNS)[1:]
        for sizes in ([(rows, args.usual[1]) for rows in args.records], [(args.usual[0], features) for features in args.features]):
            found = []
            for size in sizes:
                found.append(fit(args, folder, *size))
                yield line_of(*size, found[-1])
            if len(sizes) > 1:
                places = [rows * features for rows, features in sizes]
                args.slopes.append([slope(places, [line[key] for line in found]) for key in ('processor', 'grown')])


def counts(text):
    return [int(word) for word in text.split(',')]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build', help='the build directory (build)')
    parser.add_argument('--threads', type=int, default=1, help='of a fit (1)')
    parser.add_argument('--repeat', type=int, default=3, help='repetitions of every fit (3)')
    parser.add_argument('--once', type=int, default=50000000, metavar='CELLS', help='larger tables are fitted once (50000000)')
    parser.add_argument('--records', type=counts, default='10000,100000,1000000,10000000', help='with the usual features (10000 to 10000000)')
    parser.add_argument('--features', type=counts, default='10,100,1000,5000', help='with the usual records (10,100,1000,5000)')
    parser.add_argument('--usual', type=counts, default='10000,28', metavar='RECORDS,FEATURES', help='(10000,28)')
    parser.add_argument('--work', help='where tables are written, one at a time: a folder')
    parser.add_argument('--into', metavar='FOLDER', help='put the table in this folder, too (docs/reference/results)')
    args = parser.parse_args()
    args.slopes = []
    if args.into:
        pages.check(args.into, [PART])
    lines = []
    for line in lines_of(args):
        print(line, flush=True)
        lines.append(line)
    for what, (time, memory) in zip(('records', 'features'), args.slopes):
        lines.append('')
        lines.append('Between the two largest numbers of %s time grows as their power of %.2f, memory of %.2f.' % (what, time, memory))
        print('\n' + lines[-1])
    if args.into:
        pages.put(args.into, PART, lines)


if __name__ == '__main__':
    main()
