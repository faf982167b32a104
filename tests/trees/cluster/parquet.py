#!/usr/bin/env python3
"""A table of one Parquet file is cut between row groups: the model is that of one process on the same table as CSV, and what is wrong is
told as one process tells it. usage: parquet.py HEDGEROW FOLDER      FOLDER: of groups.parquet and groups.csv"""
import os
import shutil

import cluster

SCHEMA = '''hedgerow-schema: 1
label: {name: y, kind: classes, values: [a, b]}
features: [{name: x, kind: number, low: 0, high: 100}, {name: z, kind: category, values: [u, v]}]
'''
GBDT = ['--schema', 'schema.yaml', '--method', 'gbdt', '--option', 'edges=public', '--trees', '3', '--depth', '3']
HEDGE = ['--schema', 'schema.yaml', '--method', 'hedge', '--epsilon', '2']


def train(c, ranks, model, method, *files):
    data = [word for file in files for word in ('--data', file)]
    code, out, err = c.train(ranks, *data, *method, *cluster.REPRODUCIBLE, '--force', '--model', model)
    assert (code, out) == (0, ''), (files, ranks, code, out, err)
    return c.read(model)


def check_models(c):
    for method in (GBDT, HEDGE):
        for files in (('groups',),):
            c.must('train', *[word for file in files for word in ('--data', file + '.csv')], *method, *cluster.REPRODUCIBLE, '--force', '--model', 'csv.json')
            for ranks in (3, 5):
                assert train(c, ranks, 'ranks.json', method, *[file + '.parquet' for file in files]) == c.read('csv.json'), (method, files, ranks)


def check_parts(c):
    """Each rank reads row groups of its own: a table that one rank alone cannot read is refused, and one that no rank needs to read whole is not copied."""
    with open(c.path('groups.parquet'), 'rb') as file:
        bytes_ = bytearray(file.read())
    bytes_[900] ^= 0x55
    with open(c.path('damaged.parquet'), 'wb') as file:
        file.write(bytes_)
    words = ['train', '--data', 'damaged.parquet', *GBDT[:4], '--option', 'edges=public', '--quiet', '--model', 'none.json']
    words = [w.replace('schema.yaml', 'note.yaml') for w in words]
    alone = c.run(*words)
    assert alone.returncode == 1 and "damaged.parquet: field 'note': " in alone.stderr and 'row group 2: ' in alone.stderr, alone.stderr
    for ranks in (3,):
        code, out, err = c.launch(c.command(ranks, *words))
        assert (code, out, err) == (1, '', alone.stderr), (ranks, code, out, err, alone.stderr)


def check_promises(c):
    """A footer that promises other rows than there are is told as one process tells it."""
    for name in ('negative.parquet', 'many.parquet'):
        words = ['train', '--data', name, *GBDT, '--quiet', '--model', 'none.json']
        words = [w.replace('schema.yaml', 'x.yaml') for w in words]
        alone = c.run(*words)
        assert alone.returncode == 1 and 'row group 1: ' in alone.stderr, alone.stderr
        code, out, err = c.launch(c.command(2, *words))
        assert (code, out, err) == (1, '', alone.stderr), (code, out, err, alone.stderr)


def check_equal_files(c):
    """Equal are those whose cells are, also if the bytes differ."""
    words = ['train', '--data', 'groups.parquet', '--data', 'groups_gzip.parquet', *GBDT, '--quiet', '--model', 'none.json']
    for ranks in (3, 2, 1):
        code, _, err = c.launch(c.command(ranks, *words))
        assert code == 2 and "'groups.parquet' and 'groups_gzip.parquet' have the same content" in err, (ranks, code, err)


def check_several(c):
    data = ['--data', 'groups.parquet', '--data', 'groups_gzip.parquet', '--allow-equal-files', *GBDT, *cluster.REPRODUCIBLE, '--force']
    c.must('train', *data, '--model', 'alone.json')
    code, _, err = c.train(3, *data, '--model', 'ranks.json')
    assert code == 0 and c.read('ranks.json') == c.read('alone.json'), (code, err)


def test(c, words):
    folder, = words
    for name in ('groups.parquet', 'groups.csv', 'groups_gzip.parquet', 'negative.parquet', 'many.parquet'):
        shutil.copy(os.path.join(folder, name), c.path(name))
    with open(c.path('schema.yaml'), 'w') as file:
        file.write(SCHEMA)
    with open(c.path('x.yaml'), 'w') as file:
        file.write(SCHEMA.replace(', {name: z, kind: category, values: [u, v]}', ''))
    with open(c.path('note.yaml'), 'w') as file:
        file.write(SCHEMA.replace('values: [u, v]}', "values: [u, v]}, {name: note, kind: category, values: ['1']}"))
    check_models(c)
    check_parts(c)
    check_promises(c)
    check_equal_files(c)
    check_several(c)
    assert not os.path.exists(c.path('none.json'))


cluster.main(test)
