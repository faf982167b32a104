#!/usr/bin/env python3
"""Files that earlier versions wrote can be used with this one, as docs/reference/compatibility.md promises: each model of its table is shown, each ledger
is shown and pays once more, with the entries that it had; and the table has the numbers of the source. usage: past_files.py SOURCE HEDGEROW"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

PAGE = 'docs/reference/compatibility.md'
# Where the source says which number a file has today.
NUMBERS = {
    'model': ('src/models/model/model_words.h', r'HR_MODEL_VERSION = (\d+)'),
    'ledger': ('src/privacy/ledger/store.c', r'LAYOUT_VERSION = (\d+)'),
    'journal': ('src/privacy/ledger/journal.c', r'LAYOUT_VERSION = (\d+)'),
    'messages of owners and coordinator': ('src/federation/protocol/envelope.h', r'HR_PROTOCOL_VERSION = (\d+)'),
}
OLDEST_MODEL = r'HR_MODEL_VERSION_FIRST = (\d+)'


def read(source, path):
    with open(os.path.join(source, path), encoding='utf-8') as f:
        return f.read()


def table(source):
    """{file: (number today, numbers that are read, paths)}"""
    rows = re.findall(r'^\| ([^|]+) \| (\d+) \| ([^|]+) \| ([^|]+) \|$', read(source, PAGE), re.M)
    return {name: (int(today), [int(n) for n in re.findall(r'\d+', versions)], re.findall(r'`([^`]+)`', paths)) for name, today, versions, paths in rows}


def check_numbers(source, rows):
    for name, (path, pattern) in NUMBERS.items():
        number = int(re.search(pattern, read(source, path)).group(1))
        assert rows[name][0] == number, '%s: %s has the number %d, and %d in %s' % (PAGE, name, rows[name][0], number, path)
    oldest = int(re.search(OLDEST_MODEL, read(source, NUMBERS['model'][0])).group(1))
    assert rows['model'][1] == list(range(oldest, rows['model'][0] + 1)), rows['model']
    for name, (today, versions, paths) in rows.items():
        assert versions[-1] == today, '%s: the number today, %d, is not read' % (name, today)
        assert all(os.path.exists(os.path.join(source, path)) for path in paths), paths


def of_version(paths, version):
    found = [path for path in paths if re.search(r'-%d\.\w+$' % version, path)]
    assert found, '%s names no file of version %d among %s' % (PAGE, version, paths)
    return found[0]


def run(hedgerow, *arguments):
    done = subprocess.run([hedgerow, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, '%s: %s' % (arguments, done.stderr)
    return done.stdout


def check_model(hedgerow, path, version, folder):
    with open(path, encoding='utf-8') as f:
        model = json.load(f)
    assert model['hedgerow-model'] == version, path
    assert run(hedgerow, 'show', path).strip()
    model['hedgerow-model'] = 1
    refused = os.path.join(folder, 'refused.json')
    with open(refused, 'w', encoding='utf-8') as f:
        json.dump(model, f)
    done = subprocess.run([hedgerow, 'show', refused], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and 'version 1' in done.stderr, done.stderr


def entries(path):
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as database:
        return database.execute('SELECT id, time, purpose, epsilon_units, delta_units, state FROM entries ORDER BY id').fetchall()


def check_ledger(hedgerow, path, version, folder):
    copy = os.path.join(folder, 'ledger-%d.db' % version)
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as database:
        assert database.execute('PRAGMA user_version').fetchone() == (version,), path
    before = entries(copy)
    assert before, '%s has no entry to keep' % path
    shown = run(hedgerow, 'ledger', 'show', copy)
    assert all(time in shown and purpose in shown for _, time, purpose, *_ in before), shown
    run(hedgerow, 'ledger', 'charge', copy, '--epsilon', '0.25', '--purpose', 'since')
    after = entries(copy)
    assert after[:-1] == before and after[-1][2] == 'since', (before, after)


def main():
    source, hedgerow = sys.argv[1:3]
    rows = table(source)
    check_numbers(source, rows)
    with tempfile.TemporaryDirectory() as folder:
        for name, check in {'model': check_model, 'ledger': check_ledger}.items():
            _, versions, paths = rows[name]
            for version in versions:
                check(hedgerow, os.path.join(source, of_version(paths, version)), version, folder)


main()
