#!/usr/bin/env python3
"""Persons whose records are each at one rank: models of persons, and of m records of each, have the bytes of one process, whatever the ranks; where a person has
records at two ranks, all of them refuse the table and tell how many such persons there are. usage: persons.py HEDGEROW"""
import functools
import gzip
import os
import random

import cluster

TREES = ['--epsilon', '3']
# (table, arguments, ranks)
CASES = [('visits', ['--method', 'hedge'], (2, 5)),
         ('visits', ['--method', 'hedge', '--delta', '0'], (3,)),
         ('visits', ['--method', 'hedge', '--class-weight', 'yes=3'], (2,)),
         ('visits', ['--method', 'dpboost'], (2,)),
         ('visits', ['--method', 'dpboost', '--option', 'ensemble=4', *TREES], (3,)),
         ('visits', ['--method', 'diprime', *TREES], (2,)),
         ('visits', ['--method', 'dp-ert', *TREES], (3,)),
         ('visits', ['--method', 'dp-ert', '--option', 'part=true', *TREES], (3,)),
         ('visits', ['--method', 'dp-df', *TREES], (5,)),
         ('stays', ['--method', 'survival-curve'], (3,)),
         ('cut', ['--method', 'hedge', *TREES], (2,)),
         ('cut', ['--method', 'survival-curve', '--delta', '0'], (3,)),
         ('many', ['--method', 'hedge', '--delta', '0'], (2,)),
         ('visits', ['--method', 'hedge', '--records-per-person', '2'], (2, 5)),
         ('visits', ['--method', 'dpboost', '--option', 'ensemble=4', '--records-per-person', '3', *TREES], (3,)),
         ('visits', ['--method', 'id3', '--records-per-person', '1', *TREES], (2,)),
         ('visits', ['--method', 'gbdt', '--option', 'edges=public', '--trees', '3', '--records-per-person', '2'], (5,)),
         ('found', ['--method', 'hedge', '--records-per-person', '1', *TREES], (3,)),
         ('many', ['--method', 'hedge', '--delta', '0', '--records-per-person', '3'], (2,))]


def write(c, name, lines):
    with open(c.path(name), 'w', encoding='utf-8') as file:
        file.writelines(lines)
    return name


def visits(c, law):
    """Parts of a table of uneven lengths, each with all records of its persons, in any order."""
    c.must('generate', 'hospital', '--rows', '1500', '--seed', '1', '-o', 'hospital.csv', '--schema', 'hospital.yaml')
    lines = c.read('hospital.csv').decode().splitlines(keepends=True)
    schema = c.read('hospital.yaml').decode()
    write(c, 'visits.yaml', [schema.replace('hedgerow-schema: 1\n', 'hedgerow-schema: 1\nunit: who\n').replace('unit: record\n', '')])
    parts = [[] for _ in range(5)]
    for row, line in enumerate(lines[1:]):
        part = min(law.randrange(9), 4)
        parts[part].append('"%d\n%d",%s' % (part, law.randrange(1, 40) if row % 5 else 0, line))
    return [write(c, 'visits%d.csv' % i, ['who,' + lines[0], *part]) for i, part in enumerate(parts)]


def stays(c, law):
    """The label is a time; two other schemas of these have cuts that the fit finds, one of them weights as well."""
    write(c, 'stays.yaml', ['hedgerow-schema: 1\nunit: who\nlabel: {kind: time, time: days, event: died, intervals: [8, 12, 16]}\n'
                            'features: [{name: a, kind: number, low: 0, high: 1}]\n'])
    write(c, 'found.yaml', [c.read('stays.yaml').decode().replace('[8, 12, 16]', '{quantiles: 3, high: 16}')])
    write(c, 'cut.yaml', [c.read('found.yaml').decode(), 'weight: {column: w, high: 2}\n'])
    return [write(c, 'stays%d.csv' % i, ['who,a,days,died,w\n', *('%d-%d,%.3f,%.3f,%d,%.1f\n' % (i, law.randrange(40), law.random(), law.uniform(0, 20), law.random() < .6, law.random())
                                                              for _ in range(200))]) for i in range(3)]


def many(c):
    """So many records that hedge deals persons to blocks."""
    c.must('generate', 'classification', '--rows', '140000', '--seed', '4', '--features', '2', '--informative', '2', '-o', 'rows.csv', '--schema', 'rows.yaml')
    lines = c.read('rows.csv').decode().splitlines(keepends=True)
    write(c, 'many.yaml', [c.read('rows.yaml').decode().replace('unit: record\n', 'unit: who\n')])
    half = len(lines) // 3
    parts = [['p%d,%s' % (i * i % 20011, line) for i, line in enumerate(lines[1:half])], ['q%d,%s' % (i // 2, line) for i, line in enumerate(lines[half:])]]
    return [write(c, 'many%d.csv' % i, ['who,' + lines[0], *part]) for i, part in enumerate(parts)]


def data_of(files):
    return [word for file in files for word in ('--data', file)]


def check_model(c, files, case):
    table, how, counts = case
    name = '-'.join([table, *how[1:]]).replace('/', '-')
    words = [*data_of(files), '--schema', table + '.yaml', *how, *cluster.REPRODUCIBLE]
    c.must('train', *words, '--model', name + '.json')
    for ranks in counts:
        code, out, err = c.train(ranks, *words, '--model', '%s-%d.json' % (name, ranks))
        assert (code, out, err) == (0, '', ''), (how, ranks, code, out, err)
        assert c.read('%s-%d.json' % (name, ranks)) == c.read(name + '.json'), (how, ranks)


def check_refusal(c, name, files, ranks, count):
    """count: of persons at several ranks; None: the table is trained on."""
    model = name + '-refused.json'
    code, out, err = c.train(ranks, *data_of(files), '--schema', 'small.yaml', '--method', 'dp-ert', '--epsilon', '9', '--ledger', 'small.db', '--quiet',
                             '--model', model)
    if count is None:
        assert (code, out, err) == (0, '', ''), (name, code, err)
        return
    text = "hedgerow train: field 'unit': %d persons have records at several ranks; sort the table by the column who" % count
    assert (code, out) == (2, '') and err.startswith(text) and err.count('hedgerow train') == 1, (name, code, err)
    assert not os.path.exists(c.path(model))


def small(c, name, persons):
    lines = ['who,x,y\n', *('%s,%d,%s\n' % (who, i % 9, 'ab'[i % 2]) for i, who in enumerate(persons))]
    return write(c, name + '.csv', lines)


def refusals(c):
    write(c, 'small.yaml', ['hedgerow-schema: 1\nunit: who\nlabel: {name: y, kind: classes, values: [a, b]}\n'
                            'features: [{name: x, kind: number, low: 0, high: 9}]\n'])
    c.must('ledger', 'create', 'small.db', '--epsilon', '100', '--delta', '1e-3')
    first, second = ['p%d' % (i % 30) for i in range(200)], ['p%d' % (i % 30 + 27) for i in range(200)]
    third = ['p29'] * 9 + ['r%d' % i for i in range(9)]
    # Of one file with sorted persons, the one whose records are where its two halves meet.
    even = ['%05d' % (i // 100) for i in range(900)]
    files = [small(c, 'first', first), small(c, 'second', second), small(c, 'third', third)]
    whole = small(c, 'even', even)
    apart = ['s%d' % (i % 7) for i in range(300)] + ['t%d' % (i % 9) for i in range(300)]
    for name, persons in (('apart', apart), ('close', even)):
        with gzip.open(c.path(name + '.csv.gz'), 'wb') as file:
            file.write(c.read(small(c, name, persons)))
    cases = [('two', files[:2], 2, 3), ('three', files, 3, 3), ('one', [whole], 2, 1), ('alone', files, 1, None)]
    if 'cannot read gzip files' not in c.run('schema', 'check', '--data', 'apart.csv.gz', '--schema', 'small.yaml').stderr:
        cases += [('rows', ['apart.csv.gz'], 2, None), ('row', ['close.csv.gz'], 2, 1)]
    return cases


def states(c):
    return c.must('ledger', 'show', 'small.db', '--json').count('"state"')


def test(c, words):
    assert not words
    tables = {'visits': visits(c, random.Random(7)), 'stays': stays(c, random.Random(8)), 'many': many(c)}
    tables['cut'] = tables['found'] = tables['stays']
    cluster.all_of([functools.partial(check_model, c, tables[case[0]], case) for case in CASES])
    cases = refusals(c)
    cluster.all_of([functools.partial(check_refusal, c, *case) for case in cases])
    assert states(c) == sum(case[3] is None for case in cases), states(c)


cluster.main(test)
