#!/usr/bin/env python3
"""Class weights beside a threshold at prediction, on credit (22 % of the clients default) and w8a (3 % of the records are positive): AUC, and
balanced accuracy (the mean of the parts of both classes that are found) of hedge with even weights and a threshold of 1/2, with the threshold that
makes up for the ratio of the classes, and with class weights of that ratio. The ratio is a round public number.

HEDGEROW_DATA names the folder of sets; without it, ../shared/data beside the project.
usage: class_weights.py [--hedgerow PROGRAM] [--runs N] [--epsilon E]"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile

import sets

RATIOS = {'credit': 4, 'w8a': 30}


def told(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def rare_class(folder):
    """The second class of the schema."""
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        line = next(line for line in f if line.strip().startswith('values:'))
    return [word.strip(' "\'') for word in line.split('[')[1].split(']')[0].split(',')][1]


def balanced(truth, predicted, rare):
    found = {True: [0, 0], False: [0, 0]}
    for true, said in zip(truth, predicted):
        cell = found[true == rare]
        cell[0] += (said == rare) == (true == rare)
        cell[1] += 1
    return statistics.mean(cell[0] / cell[1] for cell in found.values())


def labels(path):
    if path.endswith('.libsvm'):
        with open(path, encoding='utf-8') as f:
            return [line.split(None, 1)[0] for line in f]
    with open(path, encoding='utf-8', newline='') as f:
        return [row[-1] for row in csv.reader(f)][1:]


def measure(args, folder, ratio):
    """(AUC, balanced accuracy) of the three."""
    test, rare = sets.path_of(folder, 'test'), rare_class(folder)
    truth, out = labels(test), []
    with tempfile.TemporaryDirectory() as place:
        model, said = os.path.join(place, 'model.json'), os.path.join(place, 'said.csv')
        for weights, threshold in ([], 1 / 2), ([], 1 / (1 + ratio)), (['--class-weight', '%s=%d' % (rare, ratio)], 1 / 2):
            told(args.hedgerow, 'train', '--data', sets.path_of(folder, 'train'), '--schema', os.path.join(folder, 'schema.yaml'), '--epsilon', str(args.epsilon),
                 '--delta', '1e-6', '--threads', '1', '--quiet', '--force', '--model', model, *weights)
            auc = json.loads(told(args.hedgerow, 'evaluate', '--model', model, '--data', test, '--json'))['auc']
            told(args.hedgerow, 'predict', '--model', model, '--data', test, '--threshold', '%.6f' % threshold, '--force', '-o', said)
            with open(said, encoding='utf-8', newline='') as f:
                out.append((auc, balanced(truth, [row[0] for row in csv.reader(f)][1:], rare)))
    return out


def cell(values):
    return '%.3f ± %.3f' % (statistics.mean(values), statistics.stdev(values) / len(values) ** .5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hedgerow', default='build/cli/hedgerow')
    parser.add_argument('--runs', type=int, default=10)
    parser.add_argument('--epsilon', type=float, default=1)
    args = parser.parse_args()
    data = os.environ.get('HEDGEROW_DATA', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'shared', 'data'))
    print('| set | ratio | AUC, even | AUC, class weights | balanced accuracy, even, 1/2 | even, threshold | class weights, 1/2 |')
    print('|---|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as cache:
        for name, ratio in RATIOS.items():
            folder = sets.prepared(data, cache, name, 0, test=.25)
            even, moved, weighed = zip(*(measure(args, folder, ratio) for _ in range(args.runs)))
            print('| %s | %d | %s | %s | %s | %s | %s |' %
                  (name, ratio, cell([a for a, _ in even]), cell([a for a, _ in weighed]), *(cell([b for _, b in found]) for found in (even, moved, weighed))),
                  flush=True)


if __name__ == '__main__':
    main()
