#!/usr/bin/env python3
"""R, Python and the command make the same model of the same data, schema and reproducible noise, byte for byte.
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
TABLES = {'one': [], 'visits': ['--visits', '3'], 'times': ['--times']}
OF_R = '''
data <- read.csv("{table}.csv", na.strings = "")
model <- suppressWarnings(hedgerow({label} ~ ., data, epsilon = {epsilon}, schema = "{table}.yaml", method = "{method}", seed = {seed}{options}))
hedgerow_write(model, "{name}.r.json")
'''
OF_PYTHON = '''
data, schema = pd.read_csv('{table}.csv'), hedgerow.Schema.read('{table}.yaml')
of_times = schema.label.event is not None
kind = hedgerow.HedgerowSurvival if of_times else hedgerow.HedgerowClassifier
y = data[[schema.label.event, '{label}']].to_numpy() if of_times else data['{label}']
model = kind('{method}', epsilon={epsilon}, delta={delta}, schema=schema, random_state={seed}, options={options}, interactions={interactions!r})
model.fit(data, y).model_.write('{name}.python.json')
'''


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, text=True, capture_output=True)
    if done.returncode:
        sys.exit('%s ended with %d:\n%s%s' % (words[0], done.returncode, done.stdout, done.stderr))


def number(text):
    """Whether an option is one."""
    return text.replace('.', '').isdigit()


def facts_of(name, case):
    return dict(zip(('name', 'table', 'label', 'method', 'epsilon', 'seed'), (name, *case[:4], SEED)))


def of_command(folder, command, name, case):
    table, _, method, epsilon, options = case
    words = [word for option, value in options.items() for word in ('--' + option, value)]
    budget = [] if method == 'rf' else ['--epsilon', epsilon]
    run(folder, command, 'train', '--data', table + '.csv', '--schema', table + '.yaml', '--method', method, *budget, *words,
        '--unsafe-reproducible-noise', '--seed', SEED, '--model', name + '.command.json')


def of_r(name, case):
    options = ''.join(', %s = %s' % (option, value if number(value) else '"%s"' % value) for option, value in case[4].items())
    return OF_R.format(options=options, **facts_of(name, case))


def of_python(name, case):
    options = {option: int(value) for option, value in case[4].items() if option not in ('delta', 'interactions')}
    return OF_PYTHON.format(options=options, delta=case[4].get('delta'), interactions=case[4].get('interactions'), **facts_of(name, case))


def make_models(folder, command, python):
    """All cases, by each of the three; their names."""
    for table, more in TABLES.items():
        run(folder, command, 'generate', 'hospital', '--rows', '2000', '--seed', '1', *more, '-o', table + '.csv', '--schema', table + '.yaml')
    for name, case in CASES.items():
        of_command(folder, command, name, case)
    run(folder, 'Rscript', '-e', 'library(hedgerow)\n' + ''.join(of_r(name, case) for name, case in CASES.items()))
    if python:
        begin = 'import hedgerow, warnings\nimport pandas as pd\nwarnings.simplefilter("ignore")\n'
        run(folder, python, '-c', begin + ''.join(of_python(name, case) for name, case in CASES.items()))
    return ['command', 'r'] + (['python'] if python else [])


def main():
    command, python = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        makers = make_models(folder, command, python)
        for name in CASES:
            models = []
            for maker in makers:
                with open(os.path.join(folder, '%s.%s.json' % (name, maker)), 'rb') as f:
                    models.append(f.read())
            others = [maker for maker, model in zip(makers, models) if model != models[0]]
            if others:
                sys.exit('same_model.py: %s: the model of %s is another one than that of the command' % (name, ' and '.join(others)))
        print('the same %d models by %s' % (len(CASES), ', '.join(makers)))


main()
