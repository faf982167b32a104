#!/usr/bin/env python3
"""The program that docs/explanation/privacy.md gives to auditors must run, agree with models of all methods that have a sound mode, and find forged lines.
usage: hand_check.py DOCUMENT MODEL HEDGEROW"""
import json
import os
import re
import subprocess
import sys
import tempfile


def run(program, model):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
        json.dump(model, f)
        f.flush()
        return subprocess.run([sys.executable, '-c', program, f.name], capture_output=True, text=True, check=False)


def shared(line, shares):
    return line | {'mechanism': 'shared ' + line['mechanism'], 'shares': shares}


def line(mechanism, sensitivity, scale, units, group=0, part=0):
    return {'mechanism': mechanism, 'sensitivity': sensitivity, 'scale': scale, 'units': units, 'group': group, 'part': part}


def model(measure, delta, lines):
    return {'guarantee': {'privacy_measure': measure, 'delta': delta}, 'releases': lines}


def trained(hedgerow, method, delta, most=0):
    """A model of that method, of a table from a generator, in one privacy measure or the other; of at most that many records a person."""
    visits, limit = (['--visits', '4'], ['--records-per-person', str(most)]) if most else ([], [])
    if method == 'survival-curve':
        visits.append('--times')
    with tempfile.TemporaryDirectory() as folder:
        for command in (['generate', 'hospital', '--rows', '300', '--seed', '1', '-o', 'table', '--schema', 'schema'] + visits,
                        ['train', '--data', 'table', '--schema', 'schema', '--method', method, '--epsilon', '1', '--delta', delta,
                         '--model', 'model', '--quiet'] + limit):
            subprocess.run([hedgerow] + command, cwd=folder, check=True)
        with open(folder + '/model', encoding='utf-8') as f:
            return json.load(f)


def agrees(program, case):
    """A model says the epsilon that was granted, 1, and its releases use nearly all of it; the program prints nine digits."""
    done = run(program, case)
    used = float(done.stdout.split()[1]) if done.returncode == 0 else 2
    return case['guarantee']['epsilon'] == 1 and .999 < used <= 1 + 1e-9


def sound_methods(hedgerow):
    def tell(*args):
        return subprocess.run([hedgerow, 'methods', *args], capture_output=True, text=True, check=True).stdout

    listed = [text.split()[0] for text in tell().split('\n') if re.match(r'[a-z][a-z0-9-]*  ', text)]
    return [method for method in listed if '\nsound mode\n' in tell(method)]


def main():
    document, path, hedgerow = sys.argv[1:]
    with open(document, encoding='utf-8') as f:
        program = re.search(r'```python\n(.*?)```', f.read(), re.S).group(1)
    with open(path, encoding='utf-8') as f:
        golden = json.load(f)
    unit = 2**40
    gaussian = [line('discrete gaussian', 3, '9/1', unit // 2, group=g, part=p) for g in range(2) for p in range(3)]
    choice = [line('exponential', 4, '1/4', unit // 8)]
    with_idle_six = [line('discrete gaussian', 3, '42/1', unit // 4, group=g, part=p) for g in range(2) for p in range(3)]
    wide_choice = [line('exponential', 4, '1/4', unit * 2 // 5)]
    cases = [
        ('the golden model', golden, 'epsilon %.9g' % golden['guarantee']['epsilon']),
        ('rho 1 at delta 1e-6', model('zcdp', 1e-6, gaussian), 'epsilon 7.766221'),
        ('rho 1/8 at delta 1e-6', model('zcdp', 1e-6, choice), 'epsilon 2.419094'),
        ('mu^2 1/2 at delta 1e-6', model('gdp', 1e-6, with_idle_six), 'epsilon 3.30760072'),
        ('mu^2 2/5 at delta 1e-6', model('gdp', 1e-6, wide_choice), 'epsilon 2.92160059'),
        ('a choice at half of its epsilon', model('gdp', 1e-6, [line('exponential', 4, '1/4', unit // 4)]), 'not justified'),
        ('a sum without the six', model('gdp', 1e-6, [line('discrete gaussian', 3, '36/1', unit // 4)]), 'not justified'),
        ('a sum of less than the six', model('gdp', 1e-6, [line('discrete gaussian', 3, '5/1', unit)]), 'not justified'),
        ('a choice that costs more', model('pure', 0, choice), 'not justified'),
        ('a choice by permute-and-flip', model('pure', 0, [line('permute-and-flip', 4, '1/4', unit)]), 'epsilon 1'),
        ('permute-and-flip that costs more', model('pure', 0, [line('permute-and-flip', 4, '1/4', unit - 1)]), 'not justified'),
        ('permute-and-flip in zCDP', model('zcdp', 1e-6, [line('permute-and-flip', 4, '1/4', unit)]), 'not justified'),
        ('permute-and-flip in GDP', model('gdp', 1e-6, [line('permute-and-flip', 4, '1/4', unit)]), 'not justified'),
        ('a sum that costs more', model('pure', 0, [line('discrete laplace', 3, '299/100', unit)]), 'not justified'),
        ('Laplace noise in shares', model('pure', 0, [shared(line('discrete laplace', 3, '3/1', unit), 5)]), 'epsilon 1'),
        ('Laplace shares that cost more', model('pure', 0, [shared(line('discrete laplace', 3, '299/100', unit), 5)]), 'not justified'),
        ('Laplace noise in no shares', model('pure', 0, [shared(line('discrete laplace', 3, '3/1', unit), 0)]), 'not justified'),
        ('mu^2 1/2 in shares', model('gdp', 1e-6, [shared(line('discrete gaussian', 8, '67/2', unit // 2), 4)]), 'epsilon 3.30760072'),
        ('shares without the six', model('gdp', 1e-6, [shared(line('discrete gaussian', 8, '32/1', unit // 2), 4)]), 'not justified'),
        ('a share too few', model('gdp', 1e-6, [shared(line('discrete gaussian', 8, '67/2', unit // 2), 3)]), 'not justified'),
        ('shares that are too small', model('gdp', 1e-6, [shared(line('discrete gaussian', 1, '11/1', unit), 4)]), 'not justified'),
        ('no noise', model('pure', 0, [line('identity', 1, '0/1', 0)]), 'not justified'),
        ('noise of the other privacy measure', model('pure', 0, gaussian), 'not justified'),
    ]
    persons = {'settings': {'records-per-person': '3'}}
    by_owner = [choice[0] | {'owner': owner, 'group': owner} for owner in (1, 2)]
    cases += [
        ('three records a person', model('pure', 0, [line('permute-and-flip', 4, '1/4', unit)]) | persons, 'epsilon 3'),
        ('three records a person in zCDP', model('zcdp', 1e-6, [line('exponential', 4, '1/12', unit // 72 + 1)]) | persons, 'epsilon 2.419094'),
        ('the costliest of two owners', model('zcdp', 1e-6, by_owner), 'epsilon 2.419094'),
        ('an owner, and lines of none', model('pure', 0, [line('permute-and-flip', 4, '1/4', unit), line('permute-and-flip', 4, '1/4', unit) | {'owner': 1}]),
         'epsilon 2'),
    ]
    wrong = 0
    for method in sound_methods(os.path.abspath(hedgerow)):
        for delta in ('0', '1e-6'):
            for most in (0, 2):
                if not agrees(program, trained(os.path.abspath(hedgerow), method, delta, most)):
                    print('%s at delta %s, records per person %d: the program says something else' % (method, delta, most))
                    wrong += 1
    for name, case, wanted in cases:
        done = run(program, case)
        if not (done.stdout + done.stderr).startswith(wanted):
            print('%s: wanted "%s", got "%s%s"' % (name, wanted, done.stdout.strip(), done.stderr.strip()))
            wrong += 1
    sys.exit(1 if wrong else 0)


main()
