#!/usr/bin/env python3
"""No output of a command holds a record: values that one record alone has are looked for in every file, in standard output and in standard error.
usage: planted.py HEDGEROW

Every command that --help lists, and every format of `export`, is in one of the two tables: a new one fails until it is answered."""
import os
import re
import struct
import subprocess
import sys
import tempfile

DOSE, PATIENT, NAME = 73.91827364512345, 918273645546372, 'Zyxwvutsrq'
SCHEMA = '''hedgerow-schema: 1
unit: record
label: {name: late, kind: classes, values: ["no", "yes"]}
features:
  - {name: dose, kind: number, low: 0, high: 120}
  - {name: ward, kind: category, values: [internal, surgery]}
'''
TRAIN = 'train --data t.csv --schema s.yaml --method hedge --epsilon 4 --delta 1e-6 --ledger l.db'

# Commands that see the records or what was made of them, one after the other in one directory. None fails.
OUTPUTS = [
    ('generate hospital', 'generate hospital --rows 50 --seed 1 -o g.csv'),
    ('schema check', 'schema check --data t.csv --schema s.yaml'),
    ('ledger create', 'ledger create l.db --epsilon 100 --delta 1e-3'),
    ('train', TRAIN + ' --plan'),
    ('train', TRAIN + ' --model m.json'),
    ('train', TRAIN + ' --model m2.json --json'),
    ('train', TRAIN + ' --model m3.json --timings'),
    ('train', 'train --data t.csv --schema p.yaml --method hedge --epsilon 4 --delta 1e-6 --model m4.json'),
    ('train', 'train --data t.csv --schema s.yaml --method statistics --by label --epsilon 4 --delta 1e-6 --ledger l.db --model s.json'),
    ('show', 'show s.json'),
    ('show', 'show s.json --json'),
    ('tune', 'tune --data t.csv --schema s.yaml --set default --set bins=8 --epsilon 4 --delta 1e-6 --ledger l.db --model m5.json'),
    ('tune', 'tune --data t.csv --schema s.yaml --set default --set bins=8 --epsilon 4 --delta 1e-6 --ledger l.db --model m6.json --json'),
    ('bin', 'bin --data t.csv --schema s.yaml -o c.bin'),
    ('predict', 'predict --model m.json --data t.csv -o p.csv'),
    ('evaluate', 'evaluate --model m.json --data t.csv'),
    ('evaluate', 'evaluate --model m.json --data t.csv --json'),
    ('show', 'show m.json'),
    ('show', 'show m.json --tree 1'),
    ('ledger show', 'ledger show l.db'),
    ('ledger charge', 'ledger charge l.db --epsilon 1 --purpose lost'),
    ('ledger witness', 'ledger witness l.db FOLDER/witness'),
    ('ledger freeze', 'ledger freeze l.db'),
]

# Commands that are not run here, and why.
NOT_RUN = {
    'split': 'its two files are the records, for the owner',
    'schema init': 'a proposal is for the owner: tests of the schema compare proposals of neighbours',
    'schema review': 'a proposal is for the owner: what it has of records stands before, and is marked',
    'ledger verify': 'reads receipts of jobs, and no records', 'ledger restore': 'reads receipts of jobs, and no records', 'submit': 'reads no records',
    'methods': 'reads no records', 'policy check': 'reads no records', 'keygen': 'reads no records',
    'generate classification': 'reads no records', 'generate regression': 'reads no records',
    'attack simfl': 'for the owner: shows how much SimFL would tell',
}
FEDERATION = ('jobs', 'serve', 'coordinate', 'status', 'simulate', 'federation') # records of messages and of owners have tests of their own


def encodings():
    numbers = (DOSE, float(PATIENT))
    found = [repr(DOSE), '%.9g' % DOSE, '%.6f' % DOSE, str(PATIENT), NAME]
    return [text.encode() for text in found] + [struct.pack(order + form, number) for order in '<>' for form in 'df' for number in numbers] + [
        struct.pack(order + 'q', PATIENT) for order in '<>']


def write_records(folder):
    rows = ['%.3f,%s,%s,%d,somebody' % (i * 119 / 600, ('internal', 'surgery')[i % 2], 'yes' if i > 300 else 'no', i) for i in range(600)]
    rows[7] = '%r,surgery,no,%d,%s' % (DOSE, PATIENT, NAME)
    texts = {'t.csv': 'dose,ward,late,patient,name\n' + '\n'.join(rows) + '\n', 's.yaml': SCHEMA, 'p.yaml': SCHEMA.replace('unit: record', 'unit: patient')}
    for name, text in texts.items():
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text)


def found_in(data):
    return [text for text in encodings() if text in data]


def scan(folder, what):
    """What a command left behind; the table itself has the values."""
    problems = []
    for name in os.listdir(folder):
        if name != 't.csv':
            with open(os.path.join(folder, name), 'rb') as f:
                problems += ['%s: %s holds %r' % (what, name, text) for text in found_in(f.read())]
    return problems


def run(tool, folder, line):
    done = subprocess.run([tool, *line.replace('FOLDER', folder).split()], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        return ['%s: exit code %d: %s' % (line, done.returncode, done.stderr.decode())]
    return ['%s: prints %r' % (line, text) for text in found_in(done.stdout + done.stderr)] + scan(folder, line)


def help_of(tool, *command):
    return subprocess.run([tool, *command, '--help'], capture_output=True, text=True, check=True).stdout


def commands(tool):
    return re.findall(r'^  ([a-z]+(?: [a-z]+)*)  ', help_of(tool).split('\ncommands:')[1], flags=re.M)


def unanswered(tool):
    answered = {name for name, _ in OUTPUTS} | set(NOT_RUN) | {'export'}
    return ['%s: no line here says that its outputs hold no record' % name for name in commands(tool)
            if name not in answered and name.split()[0] not in FEDERATION]


def exports(tool):
    """One command for each format."""
    formats = re.search(r'--to (\S+)', help_of(tool, 'export')).group(1).split('|')
    return [('export', 'export m.json --to %s --out %s.out' % (name, name)) for name in formats]


def main():
    tool = os.path.abspath(sys.argv[1])
    problems = unanswered(tool)
    with tempfile.TemporaryDirectory() as folder:
        write_records(folder)
        with open(os.path.join(folder, 't.csv'), 'rb') as f:
            if len(found_in(f.read())) < 3:
                problems.append('the table does not have the planted values')
        for _, line in OUTPUTS + exports(tool):
            problems += run(tool, folder, line)
    sys.exit('\n'.join(problems) if problems else 0)


main()
