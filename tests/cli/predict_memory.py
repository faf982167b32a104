#!/usr/bin/env python3
"""Predictions of a table ten times as long take the memory of the short one, and are its lines ten times. usage: predict_memory.py HEDGEROW"""
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROWS, TIMES = 15000, 10
# What the system gives differs by some pages, and threads may start later; the longer table itself has 150 bytes a record.
MORE = 4 * 2**20


def write_tables(folder):
    """Of each format: the header, and the records."""
    r = random.Random(1)
    names = ['x%d' % f for f in range(8)]
    rows = [[r.random() for _ in names] for _ in range(ROWS)]
    csv = ''.join('%s,%s,%d\n' % (','.join('%.6f' % x for x in row), r.choice(['red', '"a,b"', '']), row[0] > .5) for row in rows)
    libsvm = ''.join('%d %s\n' % (row[0] > .5, ' '.join('%d:%.4f' % (f + 1, x) for f, x in enumerate(row) if x > .9)) for row in rows)
    for name, header, body in (('csv', ','.join(names) + ',c,y\n', csv), ('libsvm', '', libsvm)):
        for size, times in (('short', 1), ('long', TIMES)):
            path = os.path.join(folder, size + '.' + name)
            with open(path, 'w') as file:
                file.write(header + body * times)
            if name == 'csv':
                with open(path, 'rb') as plain, gzip.open(path + '.gz', 'wb', compresslevel=1) as packed:
                    shutil.copyfileobj(plain, packed)
    features = ''.join('  - {name: %s, kind: number, low: 0, high: 1}\n' % name for name in names)
    for name, more in (('csv', '  - {name: c, kind: category, values: [red, "a,b"]}\n'), ('libsvm', '')):
        with open(os.path.join(folder, name + '.yaml'), 'w') as file:
            file.write('hedgerow-schema: 1\nunit: record\nlabel: {name: y, kind: classes, values: ["0", "1"]}\nfeatures:\n' + features + more)


# A sanitizer keeps what was freed; that is no memory of the program.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'quarantine_size_mb=0'])))
# The peak of a process begins with that of the one that started it, so that a small one starts it.
START = 'import os, sys; child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); _, status, used = os.wait4(child, 0); ' \
        'print(used.ru_maxrss, file=sys.stderr); sys.exit(os.waitstatus_to_exitcode(status))'


def predict(tool, *words, given=None):
    """The lines, and the peak of resident memory in bytes."""
    done = subprocess.run([sys.executable, '-I', '-S', '-c', START, tool, 'predict', *words], stdin=given, capture_output=True, env=ENVIRONMENT,
                          check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout, int(done.stderr) * 1024


def check(tool, name, *words, standard=False):
    model = 'libsvm.json' if 'libsvm' in name else 'csv.json'
    lines, memory = {}, {}
    for size in ('short', 'long'):
        path = size + '.' + name
        with open(path, 'rb') as file:
            lines[size], memory[size] = predict(tool, '--model', model, '--data', '-' if standard else path, *words, given=file)
    header, body = lines['short'].split(b'\n', 1) if '--json' not in words else (b'', lines['short'])
    assert body.count(b'\n') == ROWS, (name, words)
    assert lines['long'] == (header + b'\n' if header else b'') + body * TIMES, (name, words)
    print(name, words, 'standard input' if standard else '', *('%.1f MiB' % (memory[size] / 2**20) for size in ('short', 'long')))
    assert memory['long'] < memory['short'] + MORE, (name, words, memory)


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables(folder)
        for name in ('csv', 'libsvm'):
            subprocess.run([tool, 'train', '--data', 'short.' + name, '--schema', name + '.yaml', '--method', 'gbdt', '--trees', '5', '--model',
                            name + '.json', '--quiet'], check=True)
        for threads in ('1', '3'):
            check(tool, 'csv', '--threads', threads)
            check(tool, 'csv', '--threads', threads, '--keep', 'c', '--json')
        check(tool, 'csv', '--strict')
        check(tool, 'csv', standard=True)
        check(tool, 'csv.gz')
        check(tool, 'libsvm')


main(os.path.abspath(sys.argv[1]))
