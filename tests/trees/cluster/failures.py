#!/usr/bin/env python3
"""What goes wrong at any rank is told once, with the place where it is, and nothing is spent or written for it. Ranks beside rank 0 touch
neither ledger nor model. usage: failures.py HEDGEROW FAILING_RANK"""
import contextlib
import functools
import gzip
import json
import os
import signal
import time

import cluster

TRAIN = ['--schema', 'schema.yaml', '--model', 'model.json', '--quiet']


def refused(c, ranks, words, code, text):
    """One message, of rank 0, and no model."""
    got, out, err = c.train(ranks, *words)
    assert got == code and out == '', (words, got, out, err)
    assert err.count('hedgerow train: ') == 1 and text in err, (words, err)
    assert not os.path.exists(c.path('model.json'))


def usage_cases():
    data = ['--data', 'train.csv']
    return [(2, [*TRAIN, *data, '--method', 'rf'], 2,
             "field 'method': method rf is not trained over ranks; train in one process, without mpirun or --link, or with one of: hedge"),
            (2, [*TRAIN, *data, '--method', 'gbdt'], 2, "field 'edges': exact bin edges need all records in one process; add --option edges=public"),
            (2, [*TRAIN, *data, '--method', 'dpboost', '--mode', 'paper'], 2, "field 'mode': mode paper is not trained over ranks"),
            (2, [*TRAIN, *data, '--nonsense'], 2, "unknown option '--nonsense'"),
            (3, [*TRAIN, *data, '--epsilon', '-1'], 2, "field 'epsilon'"),
            (2, [*TRAIN, '--data', '-'], 2, 'only one of several ranks has a standard input'),
            (2, [*TRAIN, '--data', 'rows.db', '--query', 'query.sql'], 2, 'ranks cannot share out the rows of a query'),
            (2, [*TRAIN, *data, '--records-per-person', '2'], 2, "field 'records-per-person': the schema names no unit"),
            (2, ['--schema', 'persons.yaml', *TRAIN[2:], *data, '--conformal', '0.8'], 2, "field 'conformal': ranks hold no persons out"),
            (2, [*TRAIN, *data, '--method', 'statistics'], 2,
             "field 'method': method statistics is not trained over ranks; train in one process, without mpirun or --link, or with")]


def file_cases(c):
    """A file that only one rank reads; one that all read; one that is not there; a schema that is not there."""
    parts = c.split('train.csv', 4)
    lines = c.read(parts[2]).splitlines(keepends=True)
    lines[7] = lines[7].replace(lines[7].split(b',')[0], b'old', 1)
    with open(c.path('bad.csv'), 'wb') as file:
        file.writelines(lines)
    with open(c.path('copy.csv'), 'wb') as file:
        file.write(c.read(parts[0]))
    data = [word for part in (parts[0], parts[1], 'bad.csv', parts[3]) for word in ('--data', part)]
    return [(2, [*TRAIN, *data], 1, 'bad.csv:8:1: '), (4, [*TRAIN, *data], 1, 'bad.csv:8:1: '),
            (4, [*TRAIN, '--data', 'bad.csv'], 1, 'bad.csv:8:1: '),
            (2, [*TRAIN, '--data', parts[0], '--data', './' + parts[0]], 2, 'are one file: every record in it would count twice'),
            (3, [*TRAIN, '--data', parts[0], '--data', parts[1], '--data', parts[0]], 2, 'is given twice: every record in it would count twice'),
            (2, [*TRAIN, '--data', parts[0], '--data', 'copy.csv'], 2, "'%s' and 'copy.csv' have the same content" % parts[0]),
            (2, [*TRAIN, '--data', parts[1], '--data', parts[0], '--data', 'copy.csv'], 2, 'copy.csv: '),
            (3, [*TRAIN, '--data', parts[0], '--data', parts[1], '--data', 'copy.csv', '--data', parts[2]], 2, 'have the same content'),
            (2, [*TRAIN, '--data', parts[0], '--data', 'nowhere.csv'], 1, 'nowhere.csv: cannot open the file'),
            (2, ['--schema', 'nowhere.yaml', '--model', 'model.json', '--data', parts[0]], 1, 'nowhere.yaml: cannot open the file')]


def check_tables_differ(c):
    """Ranks that see different files under one name, each in a folder of its own: cut, of other lengths; read whole, with as many records."""
    for folder, rows, seed in (('first', 50, 1), ('second', 60, 2)):
        os.mkdir(c.path(folder))
        c.must('generate', 'hospital', '--rows', str(rows), '-o', folder + '/rows.csv')
        c.must('generate', 'hospital', '--rows', '50', '--seed', str(seed), '-o', folder + '/whole.csv')
        with gzip.open(c.path(folder + '/whole.csv.gz'), 'wb') as file:
            file.write(c.read(folder + '/whole.csv'))
    for name, message in (('rows.csv', 'ranks found different tables'), ('whole.csv.gz', 'rank 1 found another table than rank 0')):
        words = ['train', '--data', name, '--schema', '../schema.yaml', '--model', '../model.json', '--quiet']
        command = [*cluster.LAUNCH, '-n', '1', '--wdir', c.path('first'), c.tool, *words, ':', '-n', '1', '--wdir', c.path('second'), c.tool, *words]
        code, out, err = c.launch(command)
        assert code == 1 and out == '' and err.count(message) == 1, (name, code, out, err)


def check_strict(c):
    """Shares of cells are those of the whole table, whichever rank has the cells."""
    lines = c.read('train.csv').splitlines(keepends=True)
    names = lines[0].rstrip().split(b',')
    at = names.index(b'hba1c')
    rows = [line.rstrip(b'\n').split(b',') for line in lines[1:]]
    for row in rows[len(rows) // 3:]:
        row[at] = b'1e9'
    with open(c.path('odd.csv'), 'wb') as file:
        file.writelines([lines[0], *(b','.join(row) + b'\n' for row in rows)])
    words = ['train', '--data', 'odd.csv', *TRAIN, '--strict']
    alone = c.run(*words)
    assert alone.returncode == 1 and "field 'hba1c'" in alone.stderr, alone.stderr
    code, _, err = c.launch(c.command(2, *words))
    assert (code, err) == (1, alone.stderr), (code, err)
    parts = c.split('odd.csv', 3)
    code, _, err = c.launch(c.command(3, 'train', *[word for part in parts for word in ('--data', part)], *TRAIN, '--strict'))
    assert code == 1 and err == alone.stderr.replace('odd.csv', 'the files of --data'), (err, alone.stderr)


def states_of(c):
    return [entry['state'] for entry in json.loads(c.must('ledger', 'show', 'budget.db', '--json'))['entries']]


def check_ledger(c):
    """One entry, of rank 0: the others name a ledger and a model that nobody could open."""
    c.must('ledger', 'create', 'budget.db', '--epsilon', '3', '--delta', '1e-5')
    common = ['train', '--data', 'train.csv', '--schema', 'schema.yaml', '--quiet']
    leader = [*common, '--epsilon', '1', '--ledger', 'budget.db', '--model', 'model.json']
    others = [*common, '--ledger', 'nowhere/budget.db', '--model', 'nowhere/model.json']
    code, out, err = c.launch([*cluster.LAUNCH, '-n', '1', c.tool, *leader, ':', '-n', '2', c.tool, *others])
    assert (code, out, err) == (0, '', ''), (code, out, err)
    assert states_of(c) == ['committed'], states_of(c)
    os.remove(c.path('model.json'))
    refused(c, 2, [*common[1:], '--epsilon', '2.5', '--ledger', 'budget.db', '--model', 'model.json'], 3, 'budget.db: the budget of epsilon is too small')
    assert states_of(c) == ['committed'], states_of(c)


def check_failing_rank(c, failing):
    """Memory that is short at another rank, before anything is drawn: rank 0 says so, and gives the reservation back."""
    leader = [c.tool, 'train', '--data', 'train.csv', *TRAIN, '--ledger', 'budget.db', '--method', 'dpboost', '--option', 'edges=private', '--epsilon', '1']
    code, out, err = c.launch([*cluster.LAUNCH, '-n', '1', *leader, ':', '-n', '2', failing, 'schema.yaml', 'train.csv'])
    assert code == 1 and out == '' and err.count('hedgerow train: out of memory') == 1, (code, out, err)
    assert states_of(c) == ['committed', 'void'], states_of(c)
    assert not os.path.exists(c.path('model.json'))


def check_rank_without_exposures(c, failing):
    """Of a schema that names one: the rank is refused by name before it makes anything of its records, and nothing is drawn."""
    with open(c.path('counts.yaml'), 'w', encoding='utf-8') as file:
        file.write('hedgerow-schema: 1\nunit: record\nlabel: {name: y, kind: count, high: 9, exposure: {column: days, high: 365}}\n'
                   'features:\n  - {name: x, kind: number, low: 0, high: 1}\n')
    with open(c.path('counts.csv'), 'w', encoding='utf-8') as file:
        file.write('y,days,x\n' + ''.join('%d,%d,%.2f\n' % (i % 5, 30 + i, i % 100 / 100) for i in range(300)))
    leader = [c.tool, 'train', '--data', 'counts.csv', '--schema', 'counts.yaml', *TRAIN[2:], '--ledger', 'budget.db', '--epsilon', '1']
    code, out, err = c.launch([*cluster.LAUNCH, '-n', '1', *leader, ':', '-n', '2', failing, 'counts.yaml', 'counts.csv', 'exposures'])
    assert code == 1 and out == '' and err.count('the data have no exposures, which the schema names') == 1, (code, out, err)
    assert states_of(c) == ['committed', 'void', 'void'], states_of(c)
    assert not os.path.exists(c.path('model.json'))


def joins(process):
    """MPI has threads of its own, and begins when the rank has decided what signals do."""
    return len(os.listdir('/proc/%d/task' % process)) > 1


def await_rank_1(c, launcher):
    """Its process, which it writes into a file, once it joins."""
    end = time.monotonic() + cluster.SECONDS
    while time.monotonic() < end:
        assert launcher.poll() is None, launcher.communicate()
        text = c.read('rank1') if os.path.exists(c.path('rank1')) else b''
        if text.endswith(b'\n') and joins(int(text)):
            return int(text)
    raise AssertionError('rank 1 did not join')


def start_rank_0_late(c, *words):
    """Rank 1 joins; rank 0 waits until 'gate' is written to."""
    tool = [c.tool, 'train', *TRAIN, '--data', 'train.csv', *words]
    late, noted = ['sh', '-c', 'read line < gate && exec "$0" "$@"'], ['sh', '-c', 'echo $$ > rank1 && exec "$0" "$@"']
    for name in ('gate', 'rank1'):
        if os.path.exists(c.path(name)):
            os.unlink(c.path(name))
    os.mkfifo(c.path('gate'))
    return c.start([*cluster.LAUNCH, '-n', '1', *late, *tool, ':', '-n', '1', *noted, *tool])


def check_signal_at_another_rank(c):
    """The launcher ends other ranks by a signal when rank 0 fails: they print nothing. Rank 0 begins after that signal."""
    launcher = start_rank_0_late(c, '--nonsense')
    os.kill(await_rank_1(c, launcher), signal.SIGTERM)
    with open(c.path('gate'), 'w', encoding='utf-8') as gate:
        gate.write('go\n')
    out, err = launcher.communicate(timeout=cluster.SECONDS)
    assert (launcher.returncode, out) == (2, '') and err.count('hedgerow train: ') == 1 and "unknown option '--nonsense'" in err, (out, err)


def check_two_signals_at_another_rank(c):
    """The second, such as the launcher's after a person's, ends it at once."""
    launcher = start_rank_0_late(c)
    rank_1 = await_rank_1(c, launcher)
    while launcher.poll() is None and os.path.exists('/proc/%d' % rank_1):
        with contextlib.suppress(ProcessLookupError):
            os.kill(rank_1, signal.SIGTERM)
    out, err = launcher.communicate(timeout=cluster.SECONDS)
    assert launcher.returncode != 0 and out == '' and 'hedgerow train: ' not in err, (launcher.returncode, out, err)


def test(c, words):
    c.must('generate', 'hospital', '--rows', '300', '--seed', '1', '-o', 'train.csv', '--schema', 'schema.yaml')
    with open(c.path('persons.yaml'), 'w', encoding='utf-8') as file:
        file.write(c.read('schema.yaml').decode().replace('unit: record', 'unit: patient', 1))
    cluster.all_of([functools.partial(refused, c, *case) for case in usage_cases() + file_cases(c)])
    check_tables_differ(c)
    check_strict(c)
    check_signal_at_another_rank(c)
    check_two_signals_at_another_rank(c)
    check_ledger(c)
    check_failing_rank(c, os.path.abspath(words[0]))
    check_rank_without_exposures(c, os.path.abspath(words[0]))


cluster.main(test)
