#!/usr/bin/env python3
"""What hedge learns, or heeds, and what goes with it: one row each, and one column for each surface. Every cell is run for real, at a small size, or is
refused with words that stand here (REFUSED); rows need no other list, so a new one is tested with every column. Cells of Python are run by
python/tests/test_objectives.py, all others here. usage: objectives.py --table | --check | HEDGEROW [ROW]
--table writes the table into docs/reference/methods.md, --check says whether it stands there."""
import concurrent.futures
import dataclasses
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import cells
import features
import pages

PROCESSES = 2
SKIPPED = 77
RECORDS = 400
RANKS = ('rank0.csv', 'rank1.csv')  # halves of the table, neither of which has a part of a person
PAGE = os.path.join(features.ROOT, 'docs', 'reference', 'methods.md')
TABLE = ('<!-- objectives: written by tests/matrix/objectives.py --table -->', '<!-- end of objectives -->')

NUMBER = '{name: y, kind: number, low: 0, high: 10}'
AGE = '{name: age, kind: number, low: 0, high: 1}'


@dataclasses.dataclass
class Row:
    name: str
    how: str            # what says so, for people
    label: str          # as the schema has it
    task: str           # of hr_task
    age: str = AGE      # the first feature
    unit: str = 'record'
    weight: str = ''
    option: tuple = ()  # of the method: (name, value)


ROWS = [
    Row('two classes', '`kind: classes`, two values', '{name: y, kind: classes, values: ["no", "yes"]}', 'BINARY'),
    Row('more classes', '`kind: classes`, more values', '{name: y, kind: classes, values: [low, middle, high]}', 'MULTICLASS'),
    Row('a number', '`kind: number`, square loss', NUMBER, 'REGRESSION'),
    Row('counts', '`kind: count`', '{name: y, kind: count, high: 10}', 'COUNT'),
    Row('quantiles', '`quantiles` of a number', NUMBER.replace('}', ', quantiles: [0.1, 0.5, 0.9]}'), 'QUANTILES'),
    Row('times', '`kind: time`', '{kind: time, time: days, event: died, intervals: [2, 5, 9]}', 'SURVIVAL'),
    Row('monotone features', '`monotone` of a feature, here of a number', NUMBER, 'REGRESSION', age=AGE.replace('}', ', monotone: increasing}')),
    Row('interactions', '`--interactions`, here of two classes', '{name: y, kind: classes, values: ["no", "yes"]}', 'BINARY', option=('interactions', '[[age, dose]]')),
    Row('exposures', '`exposure` of a count', '{name: y, kind: count, high: 10, exposure: {column: w, high: 2}}', 'COUNT'),
    Row('corrected intervals', '`--conformal`, of quantiles', NUMBER.replace('}', ', quantiles: [0.1, 0.5, 0.9]}'), 'QUANTILES', option=('conformal', '0.8')),
    Row('cuts as quantiles', '`intervals: {quantiles: 3, high: 9}` of times', '{kind: time, time: days, event: died, intervals: {quantiles: 3, high: 9}}', 'SURVIVAL'),
    Row('record weights', '`weight` in the schema, here of a number', NUMBER, 'REGRESSION', weight='{column: w, high: 2}'),
    Row('persons', '`unit` names a column, here of two classes', '{name: y, kind: classes, values: ["no", "yes"]}', 'BINARY', unit='who'),
]

COLUMNS = ['CLI', 'Python', 'persons', 'ranks', 'owners', 'start', 'tune', 'average', 'figures with noise', 'ONNX', 'XGBoost', 'LightGBM', 'SHAP', 'report']
OF_PYTHON = ('Python', 'SHAP', 'report')
FORMATS = {'ONNX': 'onnx', 'XGBoost': 'xgboost', 'LightGBM': 'lightgbm'}

# (row, column): what the refusal says. All other cells work.
TUNE = 'settings are compared by a loss with noise, and models of %s have none'
OF_EXPOSURES = 'other programs know no exposures'
OF_INTERVALS = 'no format of other programs has a corrected interval'
EXPORT = 'no format of other programs has survival of times to an event'
REFUSED = {
    ('counts', 'average'): 'models of a count are not averaged',
    ('quantiles', 'average'): 'models of quantiles are not averaged',
    ('times', 'average'): 'models of times of events are not averaged',
    ('monotone features', 'average'): 'average does not train models that are monotone in a feature',
    ('record weights', 'average'): 'a job of method average cannot weigh records',
    ('persons', 'average'): 'a job of method average cannot protect persons',
    ('quantiles', 'tune'): TUNE % 'quantiles', ('times', 'tune'): TUNE % 'times of events',
    ('persons', 'figures with noise'): 'the model protects persons, but these figures would protect single records only',
    ('quantiles', 'XGBoost'): 'XGBoost cannot put several quantiles in their order',
    ('quantiles', 'LightGBM'): 'LightGBM cannot put several quantiles in their order',
    ('times', 'ONNX'): EXPORT, ('times', 'XGBoost'): EXPORT, ('times', 'LightGBM'): EXPORT,
    ('record weights', 'start'): 'a fit that continues a model cannot weigh records',
    ('persons', 'start'): 'a fit that continues a model cannot protect persons',
    ('exposures', 'start'): 'a fit that continues a model cannot take exposures',
    ('exposures', 'average'): 'models of a count are not averaged',
    ('exposures', 'ONNX'): OF_EXPOSURES, ('exposures', 'XGBoost'): OF_EXPOSURES, ('exposures', 'LightGBM'): OF_EXPOSURES,
    ('corrected intervals', 'start'): 'the start may have seen the records that are held out',
    ('corrected intervals', 'tune'): TUNE % 'quantiles',
    ('corrected intervals', 'average'): 'models of quantiles are not averaged',
    ('corrected intervals', 'ONNX'): OF_INTERVALS, ('corrected intervals', 'XGBoost'): OF_INTERVALS, ('corrected intervals', 'LightGBM'): OF_INTERVALS,
    ('cuts as quantiles', 'start'): 'the start has another schema: column days, intervals: cuts in the start',
    ('cuts as quantiles', 'tune'): TUNE % 'times of events',
    ('cuts as quantiles', 'average'): 'models of times of events are not averaged',
    ('cuts as quantiles', 'ONNX'): EXPORT, ('cuts as quantiles', 'XGBoost'): EXPORT, ('cuts as quantiles', 'LightGBM'): EXPORT,
}


def write_table(row):
    """The records: a text."""
    dice = random.Random(1)
    lines = ['who,w,age,dose,ward,' + ('days,died' if row.task == 'SURVIVAL' else 'y')]
    for i in range(RECORDS):
        age, dose, ward = dice.random(), dice.random(), dice.choice('ab')
        level = 10 * min(max(.6 * age + .3 * dose * (ward == 'a') + .1 * dice.random(), 0), .999)
        label = {'BINARY': ('no', 'yes')[level > 4], 'MULTICLASS': ('low', 'middle', 'high')[int(level / 3.34)], 'COUNT': '%d' % level,
                 'SURVIVAL': '%.2f,%d' % (level, dice.random() < .7)}.get(row.task, '%.3f' % level)
        lines.append('p%d,%d,%.4f,%.4f,%s,%s' % (i // 2, 1 + i % 2, age, dose, ward, label))
    return '\n'.join(lines) + '\n'


def write_schema(row, unit=None):
    lines = ['hedgerow-schema: 1', 'unit: ' + (unit or row.unit), 'label: ' + row.label] + (['weight: ' + row.weight] if row.weight else [])
    return '\n'.join(lines + ['features:', '  - ' + row.age, '  - {name: dose, kind: number, low: 0, high: 1}', '  - {name: ward, kind: category, values: [a, b]}']) + '\n'


class Work:
    """The folder of one row, with its table, schema and model, which its cells share."""

    def __init__(self, tool, folder, row):
        self.tool, self.folder, self.row = tool, folder, row
        os.makedirs(folder)
        head, *lines = write_table(row).splitlines(keepends=True)
        self.write('table.csv', head + ''.join(lines))
        for name, part in zip(RANKS, (lines[:RECORDS // 2], lines[RECORDS // 2:])):
            self.write(name, head + ''.join(part))
        self.write('schema.yaml', write_schema(row))
        self.write('persons.yaml', write_schema(row, unit='who'))
        self.option = ['--option', '%s=%s' % row.option] if row.option else []

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def size(self, name):
        path = os.path.join(self.folder, name)
        return os.path.getsize(path) if os.path.exists(path) else 0

    def run(self, *words, launch=()):
        environment = dict(os.environ, **cells.ENVIRONMENT)
        if launch:  # MPI leaves memory behind, which is no leak of Hedgerow
            environment['ASAN_OPTIONS'] = ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'detect_leaks=0']))
        return subprocess.run([*launch, self.tool, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=cells.SECONDS, check=False)

    def train(self, model, *more, schema='schema.yaml', files=('table.csv',), launch=()):
        data = [word for file in files for word in ('--data', file)]
        return self.run('train', *data, '--schema', schema, '--epsilon', '2', '--threads', '1', '--quiet', '--model', model, *self.option, *more, launch=launch)

    def simulate(self, method, model):
        self.write('job.yaml', 'hedgerow-job: 1\nschema: schema.yaml\nmethod: %s\nepsilon: 2\n' % method + ('options: {%s: %s}\n' % self.row.option if self.row.option else ''))
        return self.run('simulate', 'job.yaml', '--data', 'table.csv', '--owners', '2', '--threads', '1', '--quiet', '--model', model)

    # ---- Cells: what is run, and what it writes ----

    def cli(self):
        done = self.run('predict', '--model', 'model.json', '--data', 'table.csv', '-o', 'cli.out')
        if done.returncode == 0:
            with open(os.path.join(self.folder, 'cli.out'), encoding='utf-8') as file:
                assert len(file.readlines()) == RECORDS + 1, 'not one prediction a record'
            done = self.run('evaluate', '--model', 'model.json', '--data', 'table.csv', *(['--schema', 'schema.yaml'] if self.row.weight else []))
        return done

    def persons(self):
        return self.train('persons.out', schema='persons.yaml')

    def ranks(self):
        return self.train('ranks.out', files=RANKS, launch=cells.LAUNCH)

    def owners(self):
        return self.simulate('hedge', 'owners.out')

    def start(self):
        return self.train('start.out', '--start', 'model.json')

    def tune(self):
        settings = ['%s=%s,bins=%d' % (*self.row.option, bins) if self.row.option else 'bins=%d' % bins for bins in (8, 16)]
        return self.run('tune', '--data', 'table.csv', '--schema', 'schema.yaml', '--epsilon', '4', '--threads', '1', '--quiet', '--model', 'tune.out',
                        '--set', settings[0], '--set', settings[1])

    def average(self):
        return self.simulate('average', 'average.out')

    def figures_with_noise(self):
        done = self.run('ledger', 'create', 'figures.db', '--epsilon', '4')
        if done.returncode == 0:
            done = self.run('evaluate', '--model', 'model.json', '--data', 'table.csv', '--epsilon', '4', '--ledger', 'figures.db')
        self.write('figures_with_noise.out', done.stdout)
        return done

    def export(self, column):
        return self.run('export', 'model.json', '--to', FORMATS[column], '-o', column.lower() + '.out')


def run_cell(work, column):
    """What is wrong; '': nothing."""
    name = column.lower().replace(' ', '_')
    done = work.export(column) if column in FORMATS else getattr(work, name)()
    wanted, said, made = REFUSED.get((work.row.name, column)), done.stderr.strip(), work.size(name + '.out')
    if wanted is None:
        return '' if done.returncode == 0 and made > 0 else 'it fails (%d): %s' % (done.returncode, said)
    if done.returncode == 0 or made > 0:
        return 'it is not refused'
    return '' if done.returncode in (1, 2, 3) and wanted in said and len(said.splitlines()) == 1 else 'the refusal (%d) has other words: %s' % (done.returncode, said)


def run_row(tool, folder, row):
    began, problems = time.monotonic(), []
    work = Work(tool, os.path.join(folder, row.name.replace(' ', '-')), row)
    done = work.train('model.json')
    if done.returncode:
        return row, ['%s: its model is not trained: %s' % (row.name, done.stderr)], 0
    for column in COLUMNS:
        if column not in OF_PYTHON and not (column == 'ranks' and not shutil.which('mpirun')):
            problem = run_cell(work, column)
            problems += ['%s x %s: %s' % (row.name, column, problem)] if problem else []
    return row, problems, time.monotonic() - began


def unlisted(tool):
    """Tasks without a row, formats without a column, and refusals of no cell."""
    with open(os.path.join(features.ROOT, 'include', 'hedgerow', 'schema.h'), encoding='utf-8') as file:
        tasks = re.findall(r'\bHR_TASK_(\w+)', re.search(r'typedef enum hr_task \{(.*?)\}', file.read(), re.S).group(1))
    formats = re.search(r'--to ([\w|-]+)', subprocess.run([tool, 'export', '--help'], stdout=subprocess.PIPE, text=True, check=True).stdout).group(1).split('|')
    found = ['labels of the task %s have no row' % task for task in tasks if task not in {row.task for row in ROWS}]
    found += ['the format %s has no column' % one for one in formats if not one.startswith(tuple(FORMATS.values()))]
    return found + ['%s x %s is no cell' % cell for cell in REFUSED if cell[0] not in {row.name for row in ROWS} or cell[1] not in COLUMNS]


# ---- The page ----

def table():
    lines = ['| | %s |' % ' | '.join(COLUMNS), '|---' * (len(COLUMNS) + 1) + '|']
    lines += ['| %s | %s |' % (row.name, ' | '.join('refused' if (row.name, column) in REFUSED else 'yes' for column in COLUMNS)) for row in ROWS]
    lines += ['', '| row | said by |', '|---|---|'] + ['| %s | %s |' % (row.name, row.how) for row in ROWS]
    said = {}
    for cell, words in REFUSED.items():
        said.setdefault(words, []).append('%s with %s' % cell)
    return '\n'.join(lines + ['', '| refused | in the words |', '|---|---|'] + ['| %s | %s |' % ('; '.join(which), words) for words, which in said.items()])


def main():
    words = sys.argv[1:]
    if words in (['--table'], ['--check']):
        if words == ['--table']:
            pages.write(PAGE, TABLE, table())
        elif not pages.is_written(PAGE, TABLE, table()):
            sys.exit('docs/reference/methods.md: the table of objectives is out of date: run tests/matrix/objectives.py --table')
        return
    tool = os.path.abspath(words[0])
    problems = unlisted(tool)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        for row, wrong, seconds in pool.map(lambda row: run_row(tool, folder, row), [row for row in ROWS if words[1:] in ([], [row.name])]):
            print('%-20s %s %.1f s' % (row.name, 'red' if wrong else 'answered', seconds), flush=True)
            problems += wrong
    for problem in problems:
        print(problem[:2000])
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
