#!/usr/bin/env python3
"""Fewer files than ranks are cut into ranges of bytes: whatever stands where two ranks meet, in quotation marks or not, each record is read
once, by one rank, and what is wrong is told as one process tells it. usage: ranges.py HEDGEROW"""
import functools
import gzip
import os

import cluster

SCHEMA = '''hedgerow-schema: 1
label: {name: y, kind: classes, values: [a, b]}
features: [{name: x, kind: number, low: 0, high: 100}, {name: z, kind: category, values: [u, v]}]
'''
GBDT = ['--method', 'gbdt', '--option', 'edges=public', '--trees', '3', '--depth', '3']
DPBOOST = ['--method', 'dpboost', '--option', 'edges=public', '--trees', '3']
NOTES = ['plain', '"a, b"', '"two\nlines"', '"one ""mark"" here"', '"\n\n"', '""', '"""\n"', '"; ""\n"" ;"', 'longer ' * 9, '"%s"' % ('\n' * 40)]


def records(count):
    """Lines of x, note, z, y, with a note that no schema names; sometimes an empty line behind them."""
    for i in range(count):
        yield '%d.5,%s,%s,%s\n%s' % (i % 97, NOTES[i * 7 % len(NOTES)], 'uv'[i % 3 % 2], 'ab'[i * i % 5 % 2], '\n' if i % 11 == 0 else '')


def write(c, name, text):
    with open(c.path(name), 'wb') as file:
        file.write(text.encode())
    return name


def tables(c):
    """{name: (files, more words)}"""
    head, body = 'x,note,z,y\n', ''.join(records(400))
    plain = head + body.replace('"', "'").replace("'\n\n'", '').replace('\n\n', '\n')
    unquoted = ''.join('%d.5,5" %s,u,%s\n' % (i % 97, '"' * (i % 3), 'ab'[i % 5 % 2]) for i in range(300))
    svm = ''.join('%s 1:%d%s\n' % ('ab'[i % 5 % 2], i % 97, ' # "odd' if i % 2 else '') for i in range(300))
    with gzip.open(c.path('packed.csv.gz'), 'wb') as file:
        file.write((head + body).encode())
    assert plain != head + body
    files = {'quoted': [head + body], 'windows': [('\ufeff' + head + body).replace('\n', '\r\n')], 'unended': [(head + body).rstrip('\n')],
             'few': [head + ''.join(records(3))], 'wide': ['"x",note,"z"\n,y\n'.replace('"\n,', '",') + body],
             'title': ['one " mark\nand "" more\n' + head + body], 'unquoted': [head + unquoted],
             'two': [head + ''.join(records(150)), head + ''.join(reversed(list(records(37))))],
             'uneven': [head, head + body, head + ''.join(records(1))], 'long': [head + '1,"%s",u,a\n' % ('x\n' * 20000) + body]}
    more = {'title': ['--skip-lines', '2'], 'unquoted': ['--quote', 'none']}
    made = {name: ([write(c, '%s%d.csv' % (name, i), text) for i, text in enumerate(texts)], more.get(name, [])) for name, texts in files.items()}
    if 'cannot read gzip files' not in c.run('schema', 'check', '--data', 'packed.csv.gz', '--schema', 'schema.yaml').stderr:
        made['packed'] = (['packed.csv.gz'], [])  # which is read whole
    made['svm'] = ([write(c, 'table.svm', svm)], ['--schema', 'svm.yaml'])
    return made


def check_model(c, method, ranks, name, table):
    files, more = table
    words = [word for file in files for word in ('--data', file)] + ([] if '--schema' in more else ['--schema', 'schema.yaml']) + more
    code, out, err = c.train(ranks, *words, *method, *cluster.REPRODUCIBLE, '--force', '--model', '%s-%d.json' % (name, ranks))
    assert (code, out, err) == (0, '', ''), (name, ranks, code, out, err)
    assert c.read('%s-%d.json' % (name, ranks)) == c.read(name + '.json'), (name, ranks, method)


def check_models(c, made):
    for method, counts in ((GBDT, (2, 5)), (DPBOOST, (3,))):
        for name, (files, more) in made.items():
            words = [word for file in files for word in ('--data', file)] + ([] if '--schema' in more else ['--schema', 'schema.yaml']) + more
            c.must('train', *words, *method, *cluster.REPRODUCIBLE, '--force', '--model', name + '.json')
        cluster.all_of([functools.partial(check_model, c, method, ranks, name, table) for name, table in made.items()
                        for ranks in counts if len(table[0]) < ranks])


def broken(c):
    """Tables with something wrong far behind their first rank's bytes."""
    head, rows = 'x,note,z,y\n', list(records(400))
    at = len(rows) * 4 // 5
    wrong = {'number': 'old,"\n",u,a\n', 'ragged': '1,"\n",u\n', 'label': '1,plain,u,c\n', 'mark': '1,5" of it,u,a\n', 'open': '1,"open,u,a\n',
             'behind': '1,"closed" not,u,a\n', 'return': '1,a\rb,u,a\n', 'nul': '1,\0,u,a\n'}
    made = [write(c, 'wrong-%s.csv' % name, head + ''.join(rows[:at]) + row + ''.join(rows[at:])) for name, row in wrong.items()]
    return made + [write(c, 'wrong-column.csv', 'x,note,y\n1,a,b\n'), write(c, 'wrong-empty.csv', '')]


def check_message(c, file):
    words = ['train', '--data', file, '--schema', 'schema.yaml', *GBDT, '--quiet', '--model', 'none.json']
    alone = c.run(*words)
    assert alone.returncode == 1 and file in alone.stderr, (file, alone.stderr)
    for ranks in (2, 5):
        code, out, err = c.launch(c.command(ranks, *words))
        assert (code, out, err) == (1, '', alone.stderr), (file, ranks, code, err, alone.stderr)
    assert not os.path.exists(c.path('none.json'))


def check_equal_files(c):
    """Equal contents are seen although no rank reads a file as a whole; files of one beginning are not equal."""
    text = 'x,note,z,y\n' + ''.join(records(90))
    data = [word for name, more in (('same1.csv', ''), ('same2.csv', ''), ('other.csv', '1,n,u,a\n')) for word in ('--data', write(c, name, text + more))]
    words = ['--schema', 'schema.yaml', *GBDT, '--quiet', '--model', 'none.json']
    code, _, err = c.train(5, *data[:4], *words)
    assert code == 2 and "'same1.csv' and 'same2.csv' have the same content" in err, (code, err)
    code, _, err = c.train(5, *data[2:], *words)
    assert (code, err) == (0, ''), (code, err)
    os.remove(c.path('none.json'))


def test(c, words):
    assert not words
    write(c, 'schema.yaml', SCHEMA)
    write(c, 'svm.yaml', SCHEMA.replace('{name: z, kind: category, values: [u, v]}', '{name: z, kind: number, low: 0, high: 1}'))
    check_models(c, tables(c))
    cluster.all_of([functools.partial(check_message, c, file) for file in broken(c)])
    check_equal_files(c)


cluster.main(test)
