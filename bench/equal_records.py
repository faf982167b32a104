#!/usr/bin/env python3
"""What it costs a federation that equal records of an owner train the same tree: its error on sets of which few columns are left.

Five owners, epsilon 1; categories only, two classes. The more records are equal, the less do rounds share them out evenly. One line a
set and number of rounds: mean and standard error over the runs. HEDGEROW_DATA names the folder of sets (see sets.py).
usage: equal_records.py [--hedgerow PROGRAM] [--runs N] [--only SET]"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile

import sets

ALL = ['parents', 'has_nurs', 'form', 'children', 'housing', 'finance', 'social', 'health']
# name: set, columns, label, the class that is told from the others
TABLES = {
    'nursery, all 8 columns': ('nursery', ALL, 'class', 'priority'),
    'nursery, 3 columns': ('nursery', ['parents', 'has_nurs', 'health'], 'class', 'priority'),
    'mushroom, 3 columns': ('mushroom', ['cap-color', 'bruises', 'gill-size'], 'class', 'e'),
    'adult, 4 columns': ('adult', ['marital-status', 'education-num', 'occupation', 'sex'], 'income', '>50K'),
    'adult, 2 columns': ('adult', ['relationship', 'education-num'], 'income', '>50K'),
}
ROUNDS = [2, 3]


def narrowed(folder, name, into):
    """Writes train.csv, test.csv and schema.yaml with those columns; the numbers of records, and of different ones, of train.csv."""
    _, columns, label, positive = TABLES[name]
    values, rows = {c: set() for c in columns}, {}
    for part in ('test', 'train'):
        with open(os.path.join(folder, part + '.csv'), newline='', encoding='utf-8') as f:
            read = list(csv.DictReader(f))
        rows[part] = [tuple(r[c] for c in columns) + ('yes' if r[label] == positive else 'no',) for r in read]
        for r in read:
            for c in columns:
                values[c].add(r[c])
        with open(os.path.join(into, part + '.csv'), 'w', newline='', encoding='utf-8') as f:
            csv.writer(f, lineterminator='\n').writerows([[*columns, 'y'], *rows[part]])
    with open(os.path.join(into, 'schema.yaml'), 'w', encoding='utf-8') as f:
        f.write('hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: ["no", "yes"]}\nfeatures:\n')
        for c in columns:
            f.write('  - {name: %s, kind: category, values: %s}\n' % (json.dumps(c), json.dumps(sorted(values[c]))))
    return len(rows['train']), len(set(rows['train']))


def error_of(program, folder):
    model = os.path.join(folder, 'model.json')
    subprocess.run([program, 'simulate', os.path.join(folder, 'job.yaml'), '--data', os.path.join(folder, 'train.csv'), '--owners', '5',
                    '--model', model, '--threads', '1', '--quiet', '--force'], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([program, 'evaluate', '--model', model, '--data', os.path.join(folder, 'test.csv'), '--json'],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return 100 * json.loads(said)['error']


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--hedgerow', default=os.path.join(here, '..', 'build', 'hedgerow'))
    parser.add_argument('--runs', type=int, default=40)
    parser.add_argument('--only', choices=TABLES)
    args = parser.parse_args()
    source = os.environ.get('HEDGEROW_DATA', os.path.join(here, '..', '..', 'shared', 'data'))
    print('| set | records | different | rounds | error, % |\n|---|---|---|---|---|')
    for name in [args.only] if args.only else TABLES:
        with tempfile.TemporaryDirectory() as folder:
            records, different = narrowed(sets.prepared(source, os.path.join(folder, 'sets'), TABLES[name][0], 0), name, folder)
            for rounds in ROUNDS:
                with open(os.path.join(folder, 'job.yaml'), 'w', encoding='utf-8') as f:
                    f.write('hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 1\nrounds: %d\n' % rounds)
                errors = [error_of(args.hedgerow, folder) for _ in range(args.runs)]
                print('| %s | %d | %d | %d | %.2f ± %.2f |' % (name, records, different, rounds, statistics.mean(errors),
                                                              statistics.stdev(errors) / args.runs ** .5), flush=True)


if __name__ == '__main__':
    main()
