#!/usr/bin/env python3
"""R, Python and the command make the same model of the same data, schema and reproducible noise, byte for byte; and their predictions are the same.
usage: same_model.py COMMAND [PYTHON]     PYTHON: an interpreter that has the package hedgerow; without it R and the command are compared"""
import os
import subprocess
import sys
import tempfile

SEED = '7'
# name -> table, label, method, epsilon, options as the command has them
CASES = {
    'hedge': ('one', 'readmitted', 'hedge', '1', {}),
    'pure': ('one', 'readmitted', 'hedge', '0.5', {'delta': '0', 'bins': '16'}),
    'additive': ('one', 'readmitted', 'hedge', '1', {'interactions': 'none'}),
    'dpboost': ('one', 'readmitted', 'dpboost', '2', {'trees': '5', 'depth': '3'}),
    'forest': ('one', 'readmitted', 'rf', '1', {'trees': '10', 'depth': '6'}),
    'persons': ('visits', 'readmitted', 'hedge', '1', {}),
    'times': ('times', 'followed', 'hedge', '1', {}),
}
R_PROGRAM = '''
library(hedgerow)
data <- read.csv("{table}.csv", na.strings = "")
model <- suppressWarnings(hedgerow({label} ~ ., data, epsilon = {epsilon}, schema = "{table}.yaml", method = "{method}", seed = {seed}{options}))
hedgerow_write(model, "r.json")
'''
PYTHON_PROGRAM = '''
import sys, warnings
import numpy as np, pandas as pd
import hedgerow
warnings.simplefilter('ignore')
schema = hedgerow.Schema.read('{table}.yaml')
data = pd.read_csv('{table}.csv')
kind, y = hedgerow.HedgerowClassifier, data['{label}']
if schema.label.event:
    kind, y = hedgerow.HedgerowSurvival, data[[schema.label.event, '{label}']].to_numpy()
model = kind('{method}', epsilon={epsilon}, delta={delta}, schema=schema, random_state={seed}, options={options}, interactions={interactions!r})
model.fit(data, y)
model.model_.write('python.json')
'''


def run(folder, *words, **more):
    done = subprocess.run(words, cwd=folder, text=True, capture_output=True, **more)
    if done.returncode:
        sys.exit('%s ended with %d:\n%s%s' % (words[0], done.returncode, done.stdout, done.stderr))
    return done.stdout


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as f:
        return f.read()


def literal(value):
    try:
        float(value)
        return value
    except ValueError:
        return '"%s"' % value


def models(folder, command, python, case):
    """The bytes of the model by each of them."""
    table, label, method, epsilon, options = case
    words = [word for name, value in options.items() for word in ('--' + name, value)]
    budget = [] if method == 'rf' else ['--epsilon', epsilon]
    run(folder, command, 'train', '--data', table + '.csv', '--schema', table + '.yaml', '--method', method, *budget, *words,
        '--unsafe-reproducible-noise', '--seed', SEED, '--model', 'command.json', '--force')
    facts = {'table': table, 'label': label, 'method': method, 'epsilon': epsilon, 'seed': SEED}
    run(folder, 'Rscript', '-e', R_PROGRAM.format(options=''.join(', %s = %s' % (n.replace('-', '_'), literal(v)) for n, v in options.items()), **facts))
    found = {'command': read(folder, 'command.json'), 'R': read(folder, 'r.json')}
    if python:
        of_python = {name: float(value) if literal(value) == value and '.' in value else value for name, value in options.items()
                     if name not in ('delta', 'interactions')}
        run(folder, python, '-c', PYTHON_PROGRAM.format(options=of_python, delta=options.get('delta'), interactions=options.get('interactions'), **facts))
        found['Python'] = read(folder, 'python.json')
    return found


def main():
    command, python = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        for table, more in {'one': [], 'visits': ['--visits', '3'], 'times': ['--times']}.items():
            run(folder, command, 'generate', 'hospital', '--rows', '2000', '--seed', '1', *more, '-o', table + '.csv', '--schema', table + '.yaml')
        for name, case in CASES.items():
            found = models(folder, command, python, case)
            others = [one for one, model in found.items() if model != found['command']]
            if others:
                sys.exit('same_model.py: %s: the model of %s is another one than that of the command' % (name, ' and '.join(others)))
            print('same model: %s, by %s, %d bytes' % (name, ', '.join(found), len(found['command'])))


main()
