#!/usr/bin/env python3
"""Runs the scripts of bench/ that pages name and no rehearsal runs (rehearse.py), each in its smallest form. What needs real data sets
(HEDGEROW_DATA, else ../shared/data beside the project), a module or an interpreter of its own is left out where it is not there, by name.

usage: small.py HEDGEROW"""
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCRIPT = re.compile(r'bench/(?!sets|made_up|pages|simfl_bound)(\w+\.py)')

# Of scripts that no rehearsal runs: the smallest form, and what it needs.
SMALL = {
    'class_weights.py': (['--hedgerow', '{hedgerow}', '--runs', '2'], 'data'),
    'dates.py': (['{hedgerow}', '2'], 'data'),
    'effect_bands.py': (['{table}', '{schema}', '--fits', '2'], 'hedgerow'),
    'equal_records.py': (['--hedgerow', '{hedgerow}', '--runs', '2', '--only', 'nursery, 3 columns'], 'data'),
    'federated_speed.py': (['{hedgerow}', '1', '1200', '3'], None),
    'monotone.py': (['{hedgerow}', '{cache}/monotone.json', '--seeds', '2', '--sets', 'made', '--cache', '{cache}'], 'sklearn'),
    'hedge_speed.py': (['{hedgerow}', '3', '200', '1'], None),
    'noise_bands.py': (['{hedgerow}', '--fits', '2'], None),
    'persons.py': (['--hedgerow', '{hedgerow}', '--runs', '2', '--rows', '300'], None),
    'simulate_speed.py': (['{hedgerow}', '1', '2'], None),
    'private_bounds.py': (['--hedgerow', '{hedgerow}', '--data', '{made}', '--cache', '{cache}', '--sets', 'coin,plums', '--splits', '2'], None),
}
# Of those that do not run here: why not.
NOT_HERE = {
    'interactions.py': 'wants interpret beside the sets, and fits for an hour',
    'persons_flights.py': 'fits 300,000 flights 60 times, in minutes',
    'python_fit.py': 'fits a million records',
    'python_peers.py': 'wants an interpreter of each library',
    'python_rows.py': 'trains 100 trees on the flights, in the environment of the package',
    'raw_frames.py': 'wants an interpreter of each library',
    'similar_faiss.py': 'wants faiss',
    'tune.py': 'trains a thousand models',
}


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def named():
    """{script: a page that names it}, of pages and of what they show."""
    pages = [os.path.join(where, name) for where, _, names in os.walk(os.path.join(ROOT, 'docs')) for name in names if name.endswith(('.md', '.json'))]
    return {script: os.path.relpath(page, ROOT) for page in [os.path.join(ROOT, 'README.md'), *pages] for script in SCRIPT.findall(read(page))}


def data():
    return os.environ.get('HEDGEROW_DATA', os.path.join(ROOT, '..', 'shared', 'data'))


def lacks(need):
    if need == 'data':
        return not os.path.exists(os.path.join(data(), 'prepare.py'))
    return bool(need) and importlib.util.find_spec(need) is None


def run_small(work, hedgerow):
    """Every script of SMALL, but those whose need is not there."""
    places = {name: os.path.join(work, name) for name in ('made', 'cache')}
    os.makedirs(places['made'])
    with open(os.path.join(places['made'], 'prepare.py'), 'w', encoding='utf-8') as f:
        f.write(read(os.path.join(HERE, 'made_up.py')))
    places.update(hedgerow=os.path.abspath(hedgerow), table=os.path.join(work, 'table.csv'), schema=os.path.join(work, 'schema.yaml'))
    subprocess.run([places['hedgerow'], 'generate', 'hospital', '--rows', '300', '--seed', '1', '-o', places['table'], '--schema', places['schema']], check=True)
    for script, (words, need) in SMALL.items():
        if lacks(need):
            print('left out: %s, which needs %s' % (script, need))
            continue
        done = subprocess.run([sys.executable, os.path.join(HERE, script), *(word.format(**places) for word in words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, 'HEDGEROW_DATA': data()})
        if done.returncode or not done.stdout.strip():
            sys.exit('small.py: %s failed:\n%s%s' % (script, done.stdout, done.stderr))
        print('ran: ' + script)


def main():
    run = set(re.findall(r"'(\w+\.py)'", read(os.path.join(HERE, 'rehearse.py')))) | set(SMALL) | set(NOT_HERE)
    faults = ['%s: nothing runs bench/%s; add it to rehearse.py, or its smallest form to small.py' % (page, script) for script, page in named().items() if script not in run]
    if faults:
        sys.exit('\n'.join(faults))
    for script, why in NOT_HERE.items():
        print('left out: %s, which %s' % (script, why))
    with tempfile.TemporaryDirectory() as work:
        run_small(work, sys.argv[1])


if __name__ == '__main__':
    main()
