#!/usr/bin/env python3
"""The model does not depend on how many ranks trained it, nor on how the table is divided among them: every method that ranks train,
on every kind of label, of 1, 2 and 4 ranks, from one file and from five, gives the bytes of one process. usage: models.py HEDGEROW"""
import cluster

TABLES = {'hospital': ['hospital', '--rows', '2000', '--seed', '1'],
          'classes': ['classification', '--rows', '1500', '--seed', '2', '--classes', '3', '--features', '6'],
          'numbers': ['friedman1', '--rows', '1500', '--seed', '3'],
         'quantiles': ['friedman1', '--rows', '1500', '--seed', '6'],
          'many': ['classification', '--rows', '140000', '--seed', '4', '--features', '2', '--informative', '2']}
GBDT = ['--method', 'gbdt', '--option', 'edges=public', '--trees', '3', '--depth', '4']
# (table, arguments, ranks that start from one file, ranks that start from five)
CASES = [('hospital', GBDT, (1, 2), (4,)),
         ('classes', GBDT, (2,), ()),
         ('numbers', GBDT, (2,), (4,)),
         ('hospital', ['--method', 'dpboost', '--option', 'edges=public'], (2,), (4,)),
         ('classes', ['--method', 'dpboost'], (2,), ()),
         ('numbers', ['--method', 'dpboost', '--delta', '1e-6', '--option', 'bounding=filter'], (2,), ()),
         ('hospital', ['--method', 'hedge'], (4,), (2,)),
         ('classes', ['--method', 'hedge', '--epsilon', '4'], (2,), ()),
         ('numbers', ['--method', 'hedge', '--delta', '0'], (2,), ()),
         ('quantiles', ['--method', 'hedge'], (2,), (4,)),
         ('quantiles', ['--method', 'hedge', '--delta', '0'], (2,), ()),
         ('quantiles', ['--method', 'hedge', '--conformal', '0.8'], (2,), (4,)),
         ('quantiles', ['--method', 'hedge', '--delta', '0', '--conformal', '0.8'], (2,), ()),
         ('ranges', ['--method', 'hedge', '--conformal', '0.8'], (2,), (4,)),
         ('ordered', ['--method', 'hedge'], (2,), (4,)),
         ('classes', ['--method', 'hedge', '--interactions', 'none'], (2,), ()),
         ('many', ['--method', 'hedge', '--delta', '0'], (2,), ()),  # choices on one of two blocks of the records
         ('weighed', ['--method', 'hedge'], (2,), (4,)),
         ('weighed', ['--method', 'hedge', '--delta', '0'], (2,), ()),
         ('weighed', ['--method', 'dpboost'], (2,), ()),
         ('weighed', ['--method', 'diprime'], (2,), ()),
         ('weighed', ['--method', 'dp-ert'], (2,), (4,)),
         ('weighed', ['--method', 'dp-df'], (4,), ()),
         ('counts', ['--method', 'hedge'], (2,), (4,)),
         ('counts', ['--method', 'hedge', '--delta', '0'], (2,), ()),
         ('exposed', ['--method', 'hedge'], (2,), (4,)),
         ('times', ['--method', 'hedge'], (2,), (4,)),
         ('times', ['--method', 'survival-curve'], (2,), (4,)),
         ('times', ['--method', 'survival-curve', '--group', 'ward'], (2,), (4,)),
         ('found', ['--method', 'hedge'], (2,), (4,)),
         ('found', ['--method', 'hedge', '--delta', '0'], (2,), ()),
         ('found', ['--method', 'survival-curve', '--group', 'ward'], (4,), (2,)),
         ('found', ['--method', 'hedge', '--private-bounds', 'a', '--epsilon', '3'], (2,), (4,)),
         ('lasting', ['--method', 'hedge'], (2,), (4,)),  # cuts of times whose records weigh
         ('classes', ['--method', 'hedge', '--class-weight', '0=3', '--class-weight', '2=.5'], (2,), (4,)),
         ('hospital', ['--method', 'dpboost', '--class-weight', 'yes=2'], (2,), ()),
         ('hospital', ['--method', 'dp-ert', '--class-weight', 'yes=7'], (2,), ()),
         ('numbers', ['--method', 'hedge', '--private-bounds', 'y', '--private-bounds', 'x1', '--epsilon', '3'], (2,), (4,)),
         ('numbers', ['--method', 'dpboost', '--private-bounds', 'x3', '--epsilon', '3'], (2,), ()),
         ('hospital', ['--method', 'hedge', '--start', 'hospital.json', '--start-is-public'], (2,), (4,)),
         ('numbers', ['--method', 'dpboost', '--start', 'numbers.json', '--start-is-public'], (2,), ()),
         ('numbers', [*GBDT, '--start', 'numbers.json', '--start-is-public'], (2,), ()),
         ('hospital', ['--method', 'para'], (2,), ()),
         ('hospital', ['--method', 'seq', '--trees', '3'], (2,), ()),
         ('hospital', ['--method', 'diprime'], (2,), ()),
         ('hospital', ['--method', 'dp-ert'], (2,), ()),
         ('hospital', ['--method', 'dp-df'], (2,), ()),
         ('hospital', ['--method', 'id3'], (2,), ())]


def derive(c, name, label, more):
    """The table `numbers` with a column of weights, and with what label(y) makes of its labels; `more` of its schema is the label and what
    follows the features."""
    lines = c.read('numbers.csv').decode().splitlines()
    features = lines[0].split(',')[:-1]
    with open(c.path(name + '.csv'), 'w', encoding='ascii') as file:
        file.write('%s,w,y\n' % ','.join(features))
        for row, line in enumerate(lines[1:]):
            cells = line.split(',')
            file.write('%s,%g,%s\n' % (','.join(cells[:-1]), (1 + row % 7) / 2, label(float(cells[-1]))))
    with open(c.path(name + '.yaml'), 'w', encoding='ascii') as file:
        file.write('hedgerow-schema: 1\nfeatures:\n%s%s' % (''.join('  - {name: %s, kind: number, low: 0, high: 1}\n' % f for f in features), more))


def make_times(c):
    """The table of numbers, whose label is a time, and whose last feature says whether the event came then."""
    rows = [row.split(',') for row in c.read('numbers.csv').decode().splitlines()[1:]]
    with open(c.path('times.csv'), 'w', encoding='utf-8') as file:
        file.write('a,b,ward,died,days\n')
        file.writelines('%s,%s,%s,%d,%.4f\n' % (row[0], row[1], 'xyz'[i % 3], float(row[9]) > .4, abs(float(row[10]))) for i, row in enumerate(rows))
    with open(c.path('times.yaml'), 'w', encoding='utf-8') as file:
        file.write('hedgerow-schema: 1\nunit: record\nlabel: {kind: time, time: days, event: died, intervals: [8, 12, 16]}\nfeatures:\n'
                   '  - {name: a, kind: number, low: 0, high: 1}\n  - {name: b, kind: number, low: 0, high: 1}\n'
                   '  - {name: ward, kind: category, values: [x, y]}\n')


def check(ranks, table, files, words, wanted):
    data = [word for file in files for word in ('--data', file)]
    code, out, err = ranks[0].train(ranks[1], *data, '--schema', table + '.yaml', *words, *cluster.REPRODUCIBLE, '--force', '--model', 'got.json')
    assert (code, out, err) == (0, '', ''), (words, code, out, err)
    assert ranks[0].read('got.json') == wanted, (table, words, ranks[1], len(files))


def test(c, words):
    assert not words
    for table, how in TABLES.items():
        c.must('generate', *how, '-o', table + '.csv', '--schema', table + '.yaml')
    derive(c, 'weighed', str, 'label: {name: y, kind: number, low: 0, high: 32}\nweight: {column: w, high: 4}\n')
    derive(c, 'ranges', str, 'label: {name: y, kind: number, low: 0, high: 32, quantiles: [0.1, 0.9]}\nweight: {column: w, high: 4}\n')
    derive(c, 'counts', lambda y: max(int(y), 0), 'label: {name: y, kind: count, high: 32}\n')
    derive(c, 'exposed', lambda y: max(int(y), 0), 'label: {name: y, kind: count, high: 32, exposure: {column: w, high: 4}}\n')
    schema = c.read('quantiles.yaml')
    with open(c.path('quantiles.yaml'), 'wb') as file:
        file.write(schema.replace(b'  kind: number\n', b'  kind: number\n  quantiles: [0.1, 0.5, 0.9]\n', 1))
    assert c.read('quantiles.yaml') != schema
    make_times(c)
    for name, content in (('found.csv', c.read('times.csv')), ('found.yaml', c.read('times.yaml').replace(b'[8, 12, 16]', b'{quantiles: 4, high: 16}'))):
        with open(c.path(name), 'wb') as file:
            file.write(content)
    assert c.read('found.yaml') != c.read('times.yaml')
    lines = c.read('times.csv').decode().splitlines()
    with open(c.path('lasting.csv'), 'w', encoding='utf-8') as file:
        file.writelines('%s,%s\n' % (line, (row % 7) / 2 if row else 'w') for row, line in enumerate(lines))
    with open(c.path('lasting.yaml'), 'wb') as file:
        file.write(c.read('found.yaml') + b'weight: {column: w, high: 4}\n')
    label, features = c.read('numbers.yaml').split(b'features:')
    features = features.replace(b'kind: number', b'kind: number\n    monotone: increasing', 2)
    for name, content in (('ordered.csv', c.read('numbers.csv')), ('ordered.yaml', label + b'features:' + features)):
        with open(c.path(name), 'wb') as file:
            file.write(content)
    for table in ('hospital', 'numbers'):
        c.must('train', '--data', table + '.csv', '--schema', table + '.yaml', *cluster.REPRODUCIBLE, '--model', table + '.json')
    parts = {table: c.split(table + '.csv', 5) for table in [*TABLES, 'weighed', 'ranges', 'counts', 'exposed', 'times', 'found', 'lasting', 'ordered']}
    for table, how, from_one, from_five in CASES:
        c.must('train', '--data', table + '.csv', '--schema', table + '.yaml', *how, *cluster.REPRODUCIBLE, '--force', '--model', 'wanted.json')
        wanted = c.read('wanted.json')
        for count in from_one:
            check((c, count), table, [table + '.csv'], how, wanted)
        for count in from_five:
            check((c, count), table, parts[table], how, wanted)


cluster.main(test)
