#!/usr/bin/env python3
"""The exact number of records is a fact about them that no release pays for: wherever a command prints it, it says so.

Runs every command that has --json, as JSON and as text, on tables of ROWS records, and looks for that number. In JSON it stands under a key
`exact_..._rows` and nowhere else; in text, its line says `exact`, or the whole output is not to be published. Noisy figures are passed over: they
may be that number by chance. usage: exact_rows.py HEDGEROW"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROWS = 1237
NUMBER = re.compile(r'(?<![\d.])%d(?!\.?\d)' % ROWS)
KEY = re.compile(r'exact_([a-z]+_)?rows')
WHOLE = re.compile(r'^exact  |^Do not publish this', re.M)
TRAIN = 'train --data a.csv --schema schema.yaml --force --model m.json'
PRIVATE = ' --epsilon 1 --unsafe-reproducible-noise --seed 1'
OWNER = ('hedgerow-owner: 1\nname: north\nfederation: fed/north/federation.yaml\nkey: fed/north/north.key\ndata: a.csv\nschema: schema.yaml\nledger: north.db\n'
         'policy: {coordinators: [coordinator], methods: [inprivate], epsilon: 1, owners: 1}\n')
JOB = 'hedgerow-job: 1\nschema: schema.yaml\nmethod: inprivate\nepsilon: 0.5\n'
REAL = ('name: coordinator\nfederation: fed/coordinator/federation.yaml\nkey: fed/coordinator/coordinator.key\njournal: coordinator.db\nowners: [north]\n')
# Each command, in an order in which they can follow each other. {}: a number that makes names new.
COMMANDS = ['schema check --data a.csv --schema schema.yaml', 'methods', 'keygen k{}.key', TRAIN + ' --method gbdt', TRAIN + PRIVATE + ' --method dpboost', TRAIN + PRIVATE + ' --method statistics', 'show m.json', TRAIN + PRIVATE,
            'train --plan --rows 500 --schema schema.yaml', 'show m.json', 'predict --model m.json --data one.csv',
            'evaluate --model m.json --data a.csv', 'evaluate --model m.json --data a.csv --confusion', 'evaluate --model m.json --data a.csv --epsilon 0.1 --ledger b.db',
            'tune --data a.csv --schema schema.yaml --force --model m.json --method dp-ert --set trees=1 --set trees=2', 'ledger show b.db', 'attack simfl --data twice.csv --schema schema.yaml', 'simulate job.yaml --data a.csv --data b.csv --force --model j.json',
            'simulate job.yaml --data a.csv --owners 2 --force --model j.json', 'policy check north.yaml real.yaml',
            'simulate real.yaml --owner north.yaml --model real{}.json', 'jobs north.yaml', 'status north.yaml', 'status real.yaml', 'coordinate hedge.yaml --plan --rows 500', 'submit desk real.yaml --name job{}', 'jobs desk']
# They need a broker, a job that is open, or receipts of jobs, and read no table.
ELSEWHERE = {'federation show', 'jobs cancel', 'jobs reconcile', 'ledger verify', 'ledger restore'}
DESK = ('hedgerow-coordinator: 1\nname: coordinator\nfederation: ../fed/coordinator/federation.yaml\nkey: ../fed/coordinator/coordinator.key\n')


class Bench:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.count = tool, folder, 0

    def run(self, line, *codes):
        self.count += 1
        done = subprocess.run([self.tool, *line.replace('{}', str(self.count)).split()], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode in (codes or (0,)), (line, done.returncode, done.stderr)
        return done.stdout, done.stderr

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def prepare(self):
        self.run('generate hospital --rows %d --seed 1 -o a.csv --schema schema.yaml' % ROWS)
        self.run('generate hospital --rows %d --seed 2 -o b.csv' % ROWS)
        self.run('generate hospital --rows %d --seed 3 -o twice.csv' % (2 * ROWS))
        self.run('generate hospital --rows 1 --seed 4 -o one.csv')
        self.run('federation init fed --name demo --url tls://localhost:1 --member coordinator --member north')
        self.run('ledger create b.db --epsilon 3')
        self.run('ledger create north.db --epsilon 3')
        self.write('north.yaml', OWNER)
        self.write('job.yaml', JOB)
        self.write('real.yaml', JOB + REAL)
        os.mkdir(os.path.join(self.folder, 'desk'))
        self.write('desk/coordinator.yaml', DESK)
        self.write('hedge.yaml', JOB.replace('inprivate', 'hedge') + REAL)


def unlabelled(value, key, path):
    """Paths of the number of records that its key does not call exact."""
    if isinstance(value, dict):
        if 'noise' in value:
            return []
        return [found for name, inner in value.items() for found in unlabelled(inner, name, path + '.' + name)]
    if isinstance(value, list):
        return [found for inner in value for found in unlabelled(inner, key, path)]
    labelled = isinstance(value, int) and KEY.fullmatch(key)
    holds = NUMBER.search(value) if isinstance(value, str) else value == ROWS
    return [path] if holds and not labelled else []


def unlabelled_lines(text):
    if WHOLE.search(text):
        return []
    return [line for line in text.split('\n') if NUMBER.search(line) and 'exact' not in line]


def has_noisy_figures(text):
    return '95 % interval' in text


def check(bench, command):
    """How often the number was found under its name."""
    out, err = bench.run(command + ' --json')
    found, labels = unlabelled_lines(err), 0
    for line in filter(None, out.split('\n')):
        told = json.loads(line)
        found += unlabelled(told, '', '')
        labels += sum(1 for key, value in told.items() if KEY.fullmatch(key) and value == ROWS)
        found += [key for key in told if key == 'rows']
    out, err = bench.run(command)
    found += ([] if has_noisy_figures(out) else unlabelled_lines(out)) + unlabelled_lines(err)
    assert not found, (command, found)
    return labels


def commands_with_json(bench):
    """By what the tool says of itself, so that a new command is not forgotten."""
    names = re.findall(r'^  ([a-z]+(?: [a-z0-9]+)?)(?: +\S|$)', bench.run('--help')[0].split('\ncommands:')[1].split('\nexample:')[0], re.M)
    return {name for name in names if re.search(r'^ +--json\b', bench.run(name + ' --help', 0, 2)[0], re.M)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)
        bench.prepare()
        known = {name for name in commands_with_json(bench) if name not in ELSEWHERE}
        untested = {name for name in known if not any((line + ' ').startswith(name + ' ') for line in COMMANDS)}
        assert len(known) > 8 and not untested, (known, untested)
        labels = {command: check(bench, command) for command in COMMANDS}
        for command in COMMANDS:
            expected = {'schema': 1, 'evaluate': 0 if '--epsilon' in command else 1, 'attack': 2, 'tune': 1, 'train': 0 if '--plan' in command else 1}
            assert labels[command] == expected.get(command.split()[0], 0), (command, labels[command])
    print('%d outputs looked at' % (2 * len(COMMANDS)))


main()
