#!/usr/bin/env python3
"""What it costs to protect patients with all their visits, and not single visits: AUC of a method on the generated hospital.

A patient has 1 to V visits. All tables have as many records; the test records are those of other patients. "record": the schema names no
unit, so that epsilon is for one visit. "weights": a patient's visits count 1 together. "m": at most m visits of each patient are trained
on (--records-per-person m). One line a V: mean and standard error over the runs, each with a table of its own.
usage: persons.py [--hedgerow PROGRAM] [--method NAME] [--runs N] [--rows N] [--epsilon E]"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

VISITS = [1, 5, 10, 20, 50]
MOST = [1, 2, 5, 10]


def told(program, arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def generate(program, folder, visits, rows, seed):
    """Writes train.csv, test.csv, schema.yaml and records.yaml, the same without its unit."""
    at = {name: os.path.join(folder, name) for name in ('train.csv', 'test.csv', 'schema.yaml', 'records.yaml')}
    common = ['generate', 'hospital', '--visits', str(visits)]
    told(program, [*common, '--rows', str(rows), '--seed', str(2 * seed), '-o', at['train.csv'], '--schema', at['schema.yaml']])
    told(program, [*common, '--rows', '20000', '--seed', str(2 * seed + 1), '-o', at['test.csv']])
    with open(at['schema.yaml'], encoding='utf-8') as f, open(at['records.yaml'], 'w', encoding='utf-8') as out:
        out.writelines(line for line in f if not line.startswith('unit:'))
    return at


def auc(program, at, epsilon, schema, options):
    model = at['train.csv'] + '.json'
    told(program, ['train', '--data', at['train.csv'], '--schema', at[schema], '--epsilon', str(epsilon), '--delta', '1e-6', '--threads', '1',
                   '--quiet', '--force', '--model', model, *options])
    return json.loads(told(program, ['evaluate', '--model', model, '--data', at['test.csv'], '--json']))['auc']


def measure(program, method, visits, rows, epsilon, seed):
    """The AUC of each column."""
    chosen = ['--method', method]
    with tempfile.TemporaryDirectory() as folder:
        at = generate(program, folder, visits, rows, seed)
        found = [auc(program, at, epsilon, 'records.yaml', chosen), auc(program, at, epsilon, 'schema.yaml', chosen)]
        return found + [auc(program, at, epsilon, 'schema.yaml', [*chosen, '--records-per-person', str(m)]) for m in MOST]


def cell(values):
    return '%.3f ± %.3f' % (statistics.mean(values), statistics.stdev(values) / len(values) ** .5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hedgerow', default='build/cli/hedgerow')
    parser.add_argument('--method', default='hedge')
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--rows', type=int, default=20000)
    parser.add_argument('--epsilon', type=float, default=1)
    args = parser.parse_args()
    print('| visits | record | weights | %s |' % ' | '.join('m = %d' % m for m in MOST))
    print('|---|---|---|%s' % ('---|' * len(MOST)))
    for visits in VISITS:
        runs = [measure(args.hedgerow, args.method, visits, args.rows, args.epsilon, seed) for seed in range(1, args.runs + 1)]
        print('| 1 to %d | %s |' % (visits, ' | '.join(cell(column) for column in zip(*runs))), flush=True)


if __name__ == '__main__':
    main()
