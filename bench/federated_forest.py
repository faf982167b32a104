#!/usr/bin/env python3
"""A federated random forest - the average of forests dp-ert that owners train alone - beside hedge over the same owners: errors on a test table.

HEDGEROW_DATA names the folder of sets (see sets.py).
usage: federated_forest.py HEDGEROW OUTPUT.json [--splits N]"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import pages

OWNERS, EPSILONS = 10, ['1', '4']
JOBS = {'federated random forest (average of dp-ert)': 'method: average\ntrain: dp-ert', 'average of hedge': 'method: average\ntrain: hedge', 'hedge over owners': 'method: hedge'}
COMMAND = 'bench/federated_forest.py build/cli/hedgerow docs/reference/results/federated-forest.json'


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def measured(hedgerow, folder, job, epsilon):
    path, model = os.path.join(folder, 'job.yaml'), os.path.join(folder, 'model.json')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('hedgerow-job: 1\nschema: %s/schema.yaml\n%s\nepsilon: %s\n' % (folder, job, epsilon))
    run(hedgerow, 'simulate', path, '--data', folder + '/train.csv', '--owners', str(OWNERS), '--model', model, '--force', '--quiet')
    figures = json.loads(run(hedgerow, 'evaluate', '--json', '--model', model, '--data', folder + '/test.csv'))
    return 100 * figures['error'], figures['auc']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--splits', type=int, default=3)
    args = parser.parse_args()
    found = {}
    for seed in range(1, args.splits + 1):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(os.environ['HEDGEROW_DATA'], 'prepare.py'), 'adult', folder, '--seed', str(seed)], check=True, stdout=subprocess.DEVNULL)
            for epsilon in EPSILONS:
                for name, job in JOBS.items():
                    found.setdefault((epsilon, name), []).append(measured(args.hedgerow, folder, job, epsilon))
                    print(seed, epsilon, name, found[epsilon, name][-1], flush=True)
    rows = []
    for (epsilon, name), figures in found.items():
        errors, areas = zip(*figures)
        rows.append([name, float(epsilon), [float('%.2f' % statistics.mean(errors)), float('%.2f' % statistics.stdev(errors))],
                     [float('%.3f' % statistics.mean(areas)), float('%.3f' % statistics.stdev(areas))]])
    text = ['adult, %d owners, each with a tenth of the records; means over %d splits, and standard deviations.' % (OWNERS, args.splits),
            'Settings: those of each method, delta as a job has it, shares of records by chance.']
    found = {'command': COMMAND, 'tables': [{'text': text, 'columns': ['job', 'epsilon', 'error, %', 'AUC'], 'rows': rows}]}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    pages.write(args.output, pages.as_json({'command': shown['command'], **pages.record(pages.markdown(shown))}))


main()
