#!/usr/bin/env python3
"""From a raw file to a private model: tables as people have them, each with 400 invented visits, through `schema init`, one edit a column (a
person agrees that it is public, and says where that is published) and `train`. Fails if one needs more than that, or if the model is not private.

Prints the outcome as a table. PostgreSQL is tested in tests/tables/source. usage: raw_files.py HEDGEROW"""
import argparse
import collections
import gzip
import json
import lzma
import os
import random
import re
import sqlite3
import subprocess
import tempfile

ROWS = 400
# files: name -> bytes. init, train: arguments of the two commands beside schema, model and budget
Kind = collections.namedtuple('Kind', 'name files init train')


def visits():
    """(patient, age, weight, ward, smoker, when, paid, late) of invented visits."""
    draw = random.Random(1)
    for i in range(ROWS):
        age, weight = draw.randrange(18, 100), draw.uniform(45, 130)
        late = draw.random() < (.2 if age < 60 else .8)
        when = '%04d-%02d-%02d %02d:%02d' % (2024, draw.randrange(1, 13), draw.randrange(1, 29), draw.randrange(24), draw.randrange(60))
        yield 'P%05d' % i, age, weight, draw.choice(['east', 'west']), draw.random() < .3, when, draw.uniform(10, 30000), late


def table(separator=',', weight='%.1f', paid=None, smoker=None, when=False, patient=False, unlabelled=0):
    """A CSV table; arguments say how cells are written, and which columns there are."""
    names = ['patient_id'] * patient + ['age', 'weight', 'ward'] + ['smoker'] * bool(smoker) + ['admitted'] * when + ['paid'] * bool(paid) + ['late']
    lines = [separator.join(names)]
    for i, (person, age, heavy, ward, smokes, time, amount, late) in enumerate(visits()):
        cells = [person] * patient + ['%d' % age, (weight % heavy if isinstance(weight, str) else weight(heavy)), ward]
        cells += [smoker[smokes]] if smoker else []
        cells += [time] * when + ([paid(amount)] if paid else [])
        lines.append(separator.join(cells + ['' if i < unlabelled else 'yes' if late else 'no']))
    return ('\n'.join(lines) + '\n').encode()


def comma(number):
    return ('%.1f' % number).replace('.', ',')


def euros(number):
    return '{:,.2f} EUR'.format(number).replace(',', ' ').replace('.', ',').replace(' ', '.', 1) if number >= 1000 else \
        '{:.2f} EUR'.format(number).replace('.', ',')


def database():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'visits.sqlite')
        with sqlite3.connect(path) as db:
            db.execute('create table visits (age integer, weight real, ward text, late text)')
            db.executemany('insert into visits values (?, ?, ?, ?)', [(v[1], v[2], v[3], 'yes' if v[7] else 'no') for v in visits()])
        db.close()
        with open(path, 'rb') as f:
            return f.read()


def parts():
    whole = table().splitlines(keepends=True)
    return {'may.csv': b''.join(whole[:200]), 'june.csv': whole[0] + b''.join(whole[200:])}


def kinds():
    def one(name, data, *args):
        return Kind(name, {'visits.csv': data}, ['--data', 'visits.csv', *args], ['--data', 'visits.csv', *args])

    both, query = ['--data', 'may.csv', '--data', 'june.csv'], ['--data', 'visits.sqlite', '--query', 'visits.sql']
    packed = {'gzip': ('visits.csv.gz', gzip.compress), 'xz': ('visits.csv.xz', lzma.compress)}
    yield one('comma', table())
    yield one('semicolon', table(';'))
    yield one('tab', table('\t'))
    yield one('pipe', table('|'))
    yield one('semicolon, decimal comma', table(';', comma))
    yield one('semicolon, decimal comma, thousands and EUR', table(';', comma, euros))
    yield one('percent signs', table(paid=lambda amount: '%.1f%%' % (amount / 300)))
    yield one('dollars and thousands', table('|', paid='${:,.2f}'.format))
    yield one('booleans as yes and no', table(smoker=['no', 'yes']))
    yield one('booleans as true and false', table(smoker=['FALSE', 'TRUE']))
    yield one('dates and times', table(when=True))
    yield one('a column of identifiers', table(patient=True))
    yield one('a column to be left out', table(patient=True), '--drop', 'patient_id')
    for name, (file, pack) in packed.items():
        yield Kind(name, {file: pack(table())}, ['--data', file], ['--data', file])
    yield Kind('zstd', {'visits.csv': table()}, ['--data', 'visits.csv.zst'], ['--data', 'visits.csv.zst'])
    yield Kind('two files', parts(), both, both)
    yield Kind('records without a label', {'visits.csv': table(unlabelled=20)}, ['--data', 'visits.csv'],
               ['--data', 'visits.csv', '--skip-unlabelled'])
    facts = b'name,low,high,values,missing\nage,18,110,,\nweight,30,250,,\nward,,,east|west,\nlate,,,no|yes,\n'
    yield Kind('a data dictionary', {'visits.csv': table(), 'facts.csv': facts},
               ['--data', 'visits.csv', '--dictionary', 'facts.csv'], ['--data', 'visits.csv'])
    yield Kind('SQLite', {'visits.sqlite': database(), 'visits.sql': b'select age, weight, ward, late from visits\n'}, query, query)


def run(program, folder, *args):
    """What it prints on standard output, and the last line on standard error if it fails; else None."""
    done = subprocess.run([program, *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout, None if done.returncode == 0 else (done.stderr.strip().splitlines() or ['exit code %d' % done.returncode])[-1]


def write_files(kind, folder):
    """False if this machine cannot make them."""
    for name, data in kind.files.items():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
    if kind.name != 'zstd':
        return True
    try:
        subprocess.run(['zstd', '-q', '--rm', 'visits.csv'], cwd=folder, check=True)
    except FileNotFoundError:
        return False
    return True


def review(folder):
    """How many edits a person makes who finds the proposal in a publication: the source in place of each mark."""
    path = os.path.join(folder, 'schema.yaml')
    with open(path, encoding='utf-8') as f:
        proposed = f.read()
    decided, edits = re.subn(r'review: \[.*', 'source: "manual of the register, 2024"', proposed)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(decided)
    return edits


def attempt(program, kind):
    """(edits, None) if two commands come to a model; else (0, what stopped them). None if the files cannot be made here."""
    with tempfile.TemporaryDirectory() as folder:
        if not write_files(kind, folder):
            return None
        _, failed = run(program, folder, 'schema', 'init', *kind.init, '--label', 'late', '-o', 'schema.yaml')
        if failed:
            return 0, failed
        edits = review(folder)
        summary, failed = run(program, folder, 'train', *kind.train, '--schema', 'schema.yaml', '--epsilon', '1', '--model', 'model.json', '--json')
        if not failed and not json.loads(summary)['private']:
            failed = 'the model is not private'
        return (0, failed) if failed else (edits, None)


def without(kind):
    """What a person types beside --data, schema and label."""
    extra = [list(args) for args in (kind.init, kind.train)]
    for args in extra:
        while '--data' in args:
            at = args.index('--data')
            del args[at:at + 2]
    return ' '.join(dict.fromkeys(' '.join(args) for args in extra if args))


def told(outcome):
    if outcome is None:
        return 'skipped: zstd is not installed'
    return outcome[1] or '2 commands, %d edit%s' % (outcome[0], 's' * (outcome[0] != 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow', type=os.path.abspath)
    args = parser.parse_args()
    print('| table | options beside `--data` | outcome |\n|---|---|---|')
    failed = False
    for kind in kinds():
        outcome = attempt(args.hedgerow, kind)
        failed = failed or (outcome is not None and outcome[1] is not None)
        extra = without(kind)
        print('| %s | %s | %s |' % (kind.name, '`%s`' % extra if extra else '', told(outcome)))
    return 1 if failed else 0


raise SystemExit(main())
