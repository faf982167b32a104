#!/usr/bin/env python3
"""The numbers that a text shows are the program's: every console block is run, and every number of its output is compared with the one shown.
usage: figures.py HEDGEROW TEXT...     TEXT: .md or .1, as run.py reads them

What no noise reaches must be the same, digit for digit; times are left out, and so is output of which the text shows a part ('...', whose words run.py compares), and the number of trees may differ by two. A number with noise must lie in the band of its kind, which is 8
standard deviations around the mean of 40 runs. Of normal noise 4.9 would give a false alarm once in a million runs; the rest allows for a
deviation that was estimated 35 % too small, and for tails. The number that the text shows must lie in the band, too.

A table that begins `| | error | AUC |` is trained and measured row by row: `METHOD`, epsilon E; `METHOD`, without privacy. It shows
means, which must lie within one standard deviation of those here.

A page's lines after `make`, up to the first console block, must make the commands of that block work as they are typed."""
import os
import re
import subprocess
import sys
import tempfile

import run

NUMBER = re.compile(r'(?<![\w.-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])')
TIME = re.compile(r'\d{4}-\d\d-\d\dT[\d:]+Z')

# The number of rounds follows the noisy number of records: of 20,000, it is 102 or 103.
TREES = re.compile(r'(\d+) trees')

BAND, TREES_BAND = 8, 2

# (method, epsilon): measure: mean and standard deviation of 40 runs, trained on 20,000 records of the hospital and measured on 5,000.
NOISY = {
    ('dpboost', '1'): {'error': (.1272, .0037), 'auc': (.8965, .0058)},
    ('hedge', '0.1'): {'error': (.1229, .0033), 'auc': (.9076, .0052)},
    ('hedge', '1'): {'error': (.1053, .0019), 'auc': (.9352, .0016), 'logloss': (.2517, .0038), 'ece': (.0154, .0033)},
    ('hedge', '8'): {'error': (.0986, .0015), 'auc': (.9447, .0010)},
}


def numbers_of(lines):
    return NUMBER.findall(TIME.sub('', '\n'.join(lines)))


def trees_of(lines):
    """0: the output names no model."""
    found = TREES.search('\n'.join(lines))
    return int(found.group(1)) if found else 0


def in_band(method, epsilon, measure, value, width=BAND):
    mean, deviation = NOISY[method, epsilon][measure]
    return abs(float(value) - mean) <= width * deviation


def noisy_measures(lines):
    """The output of `evaluate`, without the line that says whom it is for."""
    return dict(line.split() for line in lines if not line.startswith('exact '))


def compare_evaluation(wanted, got):
    """The model of the text is trained as the text says: hedge, epsilon 1."""
    wanted, got = noisy_measures(wanted), noisy_measures(got)
    problems = [] if wanted.keys() == got.keys() else ['other measures: %s' % ' '.join(got)]
    problems += ['rows: %s, not %s' % (got['rows'], wanted['rows'])] if got['rows'] != wanted['rows'] else []
    return problems + ['%s: %s is %s its band' % (name, value, 'outside' if table is got else 'shown outside') for table in (wanted, got)
                       for name, value in table.items() if name != 'rows' and not in_band('hedge', '1', name, value)]


def compare_step(step, result):
    out = result[0]
    if result[2] != step.code:
        return ['exit code %d' % result[2]] + result[1]
    if not step.out or '...' in step.out:
        return []
    if step.command.startswith('hedgerow evaluate'):
        return compare_evaluation(step.out, out)
    if abs(trees_of(step.out) - trees_of(out)) > TREES_BAND:
        return ['%d trees, not %d' % (trees_of(out), trees_of(step.out))]
    wanted, got = (numbers_of([TREES.sub('', line) for line in lines]) for lines in (step.out, out))
    return [] if wanted == got else ['shown %s' % ' '.join(wanted), 'is    %s' % ' '.join(got)]


def check_rows(text, directory, environment):
    """The tables of one owner's error and AUC; every row is trained once."""
    problems, table = [], re.search(r'^\| \| error \| AUC \|\n\|[-|]*\n((?:\|.*\n)*)', text, re.M)
    for name, error, auc in re.findall(r'^\| (.*) \| ([\d.]+) \| ([\d.]+) \|$', table.group(1) if table else '', re.M):
        method = re.match(r'`([\w-]+)`, (?:epsilon ([\d.]+)|without privacy)$', name)
        if not method:
            continue  # what needs no training
        budget = '--epsilon %s' % method.group(2) if method.group(2) else ''
        command = ('hedgerow train --data train.csv --schema schema.yaml --method %s %s --model row.json --force --quiet && '
                   'hedgerow evaluate --model row.json --data test.csv' % (method.group(1), budget))
        got = noisy_measures(run.run(run.Step(0, command), directory, environment)[0])
        for measure, shown in (('error', error), ('auc', auc)):
            if not budget and '%.3f' % float(got[measure]) != shown:
                problems.append('%s: %s %s is shown, %s is true' % (name, measure, shown, got[measure]))
            for value, width in ((shown, 1), (got[measure], BAND)) if budget else ():
                if not in_band(method.group(1), method.group(2), measure, value, width):
                    problems.append('%s: %s %s is outside its band' % (name, measure, value))
    return problems


def check_first_lines(text, program, steps):
    """`make` puts the tool where the text says; the lines after it make the first command work."""
    block = re.search(r'^    make\b.*\n((?:    .*\n)+)', text, re.M)
    if not block:
        return ['no block that begins with make']
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if 'ln -sfn cli/hedgerow $(BUILD)/hedgerow' not in open(os.path.join(root, 'Makefile'), encoding='utf-8').read().split('\ncheck:')[0]:
        return ['make does not put the tool at build/hedgerow']
    lines = [line[4:] for line in block.group(1).split('\n') if line and not line.startswith('    make')]
    with tempfile.TemporaryDirectory() as source:
        os.mkdir(os.path.join(source, 'build'))
        os.symlink(os.path.abspath(program), os.path.join(source, 'build', 'hedgerow'))
        typed = '\n'.join(lines + [steps[0].command])
        done = subprocess.run(['sh', '-e', '-c', typed], cwd=source, env={'PATH': '/usr/bin:/bin'}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ['%r fails: %s' % (typed, done.stdout.decode())] if done.returncode else []


def check_file(path, program):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    is_manual = path.endswith('.1')
    steps = run.read_steps((run.lines_of_manual if is_manual else run.lines_of_markdown)(text))
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ['PATH'], LC_ALL='C')
    problems = [] if is_manual else check_first_lines(text, program, steps)
    with tempfile.TemporaryDirectory() as directory:
        for step in steps:
            problems += ['line %d: %s\n    %s' % (step.line, step.command, problem)
                         for problem in compare_step(step, run.run(step, directory, environment))]
        problems += check_rows(text, directory, environment)
    return problems


def main():
    program, paths, failed = sys.argv[1], sys.argv[2:], False
    for path in paths:
        problems = check_file(path, program)
        failed |= bool(problems)
        print('\n'.join('%s: %s' % (path, problem) for problem in problems) or '%s: its numbers are the program\'s' % path)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
