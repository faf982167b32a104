#!/usr/bin/env python3
"""Ranks that reach each other by ZeroMQ (train --link): models are those of one process; a rank that dies at any call of the link ends all others
within seconds, with errors that name it; and who has no business there cannot join, and disturbs nobody.
usage: linked.py HEDGEROW LINKED_RANK"""
import contextlib
import functools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading

import cluster

SECONDS = 60  # within which everything ends, on a busy machine; on an idle one it takes less than one


class Ranks:
    """Ranks of one job: started one by one, ended together."""
    def __init__(self, c, linked_rank, ranks):
        self.c, self.linked_rank, self.ranks, self.processes = c, linked_rank, ranks, {}
        self.address = 'tcp://127.0.0.1:%d' % free_port()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.communicate()

    def start(self, name, command):
        self.processes[name] = self.c.start([str(word) for word in command])
        return self.processes[name]

    def train(self, rank, *words, key='job.key'):
        return self.start(rank, [self.c.tool, 'train', '--data', 'train.csv', '--schema', 'schema.yaml', '--model', 'linked%d.json' % rank, '--force', '--link',
                                 self.address, '--rank', rank, '--ranks', self.ranks, '--link-key', key, *(words or cluster.REPRODUCIBLE)])

    def in_c(self, rank, *words, key='job.key', name=None):
        return self.start(rank if name is None else name,
                          [self.linked_rank, self.address, key, rank, self.ranks, 'schema.yaml', 'train.csv', *words])

    def end(self, name):
        """(exit code, standard output, standard error)"""
        process = self.processes.pop(name)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise AssertionError('%s hangs: %s' % (name, process.communicate())) from error
        return process.returncode, out, err

    def end_well(self):
        for name in list(self.processes):
            code, out, err = self.end(name)
            assert code == 0, (name, code, out, err)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def check_models(c, linked_rank):
    """Of the command and in C, by ranges of rows and by files, for methods of each kind."""
    parts = c.split('train.csv', 4)
    by_files = [word for part in parts for word in ('--data', part)]
    for ranks, words, data in ((2, [], []), (4, [], by_files), (4, ['--method', 'dpboost', '--trees', '5', '--depth', '3'], []),
                               (2, ['--method', 'gbdt', '--option', 'edges=public', '--trees', '3'], by_files)):
        data = data or ['--data', 'train.csv']
        common = ['--schema', 'schema.yaml', *words, *cluster.REPRODUCIBLE]
        c.must('train', *data, *common, '--model', 'one.json', '--force')
        with Ranks(c, linked_rank, ranks) as job:
            for rank in range(ranks):
                job.start(rank, [c.tool, 'train', *data, *common, '--model', 'linked%d.json' % rank, '--force', '--link', job.address, '--rank', rank, '--ranks',
                                 ranks, '--link-key', 'job.key'])
            job.end_well()
        assert c.read('linked0.json') == c.read('one.json'), words
        assert not os.path.exists(c.path('linked1.json'))
    c.must('train', '--data', 'train.csv', '--schema', 'schema.yaml', *cluster.REPRODUCIBLE, '--model', 'one.json', '--force')
    with Ranks(c, linked_rank, 3) as job:
        job.in_c(0, 'model=c.json')
        job.train(1)
        job.in_c(2)
        job.end_well()
    assert c.read('c.json') == c.read('one.json')


def check_persons(c, linked_rank):
    """At most m records of each are trained on: ranks are sent the coins of theirs."""
    lines = c.read('train.csv').decode().splitlines(keepends=True)
    parts = [lines[1:200], lines[200:]]
    for part, rows in enumerate(parts):
        with open(c.path('visits%d.csv' % part), 'w', encoding='utf-8') as file:
            file.writelines(['who,' + lines[0], *('%d-%d,%s' % (part, row % 70, line) for row, line in enumerate(rows))])
    with open(c.path('visits.yaml'), 'w', encoding='utf-8') as file:
        file.write(c.read('schema.yaml').decode().replace('unit: record', 'unit: who'))
    words = ['train', '--data', 'visits0.csv', '--data', 'visits1.csv', '--schema', 'visits.yaml', '--records-per-person', '2', '--force', *cluster.REPRODUCIBLE]
    c.must(*words, '--model', 'visits.json')
    with Ranks(c, linked_rank, 2) as job:
        for rank in range(2):
            job.start(rank, [c.tool, *words, '--model', 'linked%d.json' % rank, '--link', job.address, '--rank', rank, '--ranks', 2, '--link-key', 'job.key'])
        job.end_well()
    assert c.read('linked0.json') == c.read('visits.json')


def check_free_port(c, linked_rank):
    """Rank 0 says which port it has."""
    with Ranks(c, linked_rank, 2) as job:
        job.address = 'tcp://127.0.0.1:0'
        job.in_c(0)
        job.address = job.processes[0].stdout.readline().strip()
        assert job.address != 'tcp://127.0.0.1:0'
        job.train(1)
        job.end_well()


def count_calls(c, linked_rank, rank):
    with Ranks(c, linked_rank, 3) as job:
        for r in range(3):
            job.in_c(r) if r == rank else job.train(r)
        code, out, err = job.end(rank)
        assert code == 0, err
        job.end_well()
    return int(out.split()[-1])


def check_deaths(c, linked_rank):
    """At calls from the first to the last: while ranks join, read, make edges, choose trees, sum leaves, and end."""
    for rank in (2, 0):
        total = count_calls(c, linked_rank, rank)
        chosen = sorted({1, 2, 3, 5, 8, total - 2, total - 1, *(total * i // 6 for i in range(1, 6))})
        for at in chosen:
            with Ranks(c, linked_rank, 3) as job:
                job.in_c(rank, 'dies=%d' % at)
                for r in range(3):
                    if r != rank and r:
                        job.in_c(r, 'join=60' if rank else 'join=3', name=r)
                if rank:
                    job.in_c(0, 'join=3')
                assert job.end(rank)[0] == -signal.SIGKILL, at
                for other in list(job.processes):
                    code, _, err = job.end(other)
                    # Rank 0 ends the others when it has all that it asked for; and who died before it joined did not join.
                    named = 'rank %d ' % rank in err or (at == 1 and ('did not join' in err or 'did not begin' in err))
                    assert named and code == 1 or at >= total - 2 and code == 0, (rank, at, total, other, code, err)


def check_ledger(c, linked_rank):
    """What was drawn stays charged, and rank 0 says so."""
    c.must('ledger', 'create', 'budget.db', '--epsilon', '10000')
    os.remove(c.path('linked0.json'))
    words = ('--method', 'seq', '--trees', '20', '--epsilon', '5', '--quiet')
    with Ranks(c, linked_rank, 3) as job:
        job.train(0, *words, '--ledger', 'budget.db')
        job.train(1, *words)
        job.in_c(2, 'dies=120')
        assert job.end(2)[0] == -signal.SIGKILL
        code, _, err = job.end(0)
        assert code not in (0, None) and 'rank 2 (' in err and '127.0.0.1' in err and 'stays reserved' in err, err
        code, _, err = job.end(1)
        assert code not in (0, None) and 'rank 2 ' in err, err
    assert ' reserved ' in c.must('ledger', 'show', 'budget.db')
    assert not os.path.exists(c.path('linked0.json'))


def check_reservation_given_back(c, linked_rank):
    """A rank that dies once rank 0 has reserved, and before any draw: at the first question that it would hear, and at the first sum."""
    for at in (3, 7):
        with Ranks(c, linked_rank, 2) as job:
            job.train(0, '--epsilon', '2', '--delta', '0', '--ledger', 'budget.db', '--quiet')
            job.in_c(1, 'serving=%d' % at)
            assert job.end(1)[0] == -signal.SIGKILL, at
            code, _, err = job.end(0)
            assert code not in (0, None) and 'rank 1 (' in err and 'stays reserved' not in err, (at, err)
    states = [entry['state'] for entry in json.loads(c.must('ledger', 'show', 'budget.db', '--json'))['entries']]
    assert states == ['reserved', 'void', 'void'], states  # the first one is that of check_ledger
    assert not os.path.exists(c.path('linked0.json'))


def refused_at_rank_1(c, linked_rank, words, message):
    """Both ranks say the same, before rank 0 reserves anything."""
    before = c.must('ledger', 'show', 'budget.db')
    with Ranks(c, linked_rank, 2) as job:
        for rank, own in ((0, ['--data', 'train.csv', '--schema', 'schema.yaml', '--ledger', 'budget.db']), (1, words)):
            job.start(rank, [c.tool, 'train', *own, '--model', 'linked%d.json' % rank, '--epsilon', '1', '--quiet', '--link', job.address, '--rank', rank,
                             '--ranks', 2, '--link-key', 'job.key'])
        for rank in range(2):
            code, out, err = job.end(rank)
            assert code not in (0, None) and out == '' and message in err, (rank, words, code, out, err)
    assert c.must('ledger', 'show', 'budget.db') == before and not os.path.exists(c.path('linked0.json'))


def check_other_table(c, linked_rank):
    """A rank with another schema, other options of reading or another table: records would be coded in two ways."""
    schema, rows = c.read('schema.yaml').decode(), c.read('train.csv').decode()
    classes = next(line for line in schema[schema.index('label:'):].splitlines() if 'values: [' in line)
    words = classes.split('[')[1].split(']')[0].split(', ')
    texts = {'swap.yaml': schema.replace(classes, classes.replace(', '.join(words), ', '.join(reversed(words)))),
             'high.yaml': schema.replace('high: ', 'high: 1', 1), 'other.csv': rows}
    for name, text in texts.items():
        assert name == 'other.csv' or text != schema
        with open(c.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
    data, one = ['--data', 'train.csv'], ['--schema', 'schema.yaml']
    other_schema = 'rank 1 has another schema than rank 0; give all ranks the same schema file'
    other_options = 'rank 1 reads with other options than rank 0; give all ranks the same options of reading'
    other_files = 'rank 1 names other files than rank 0; name the same files at all ranks'
    feature = next(line.split(': ')[1].strip('" ') for line in schema[schema.index('features:'):].splitlines() if '- name: ' in line)
    cases = [([*data, '--schema', 'swap.yaml'], other_schema), ([*data, '--schema', 'high.yaml'], other_schema),
             ([*data, *one, '--drop', feature], other_options), ([*data, *one, '--skip-unlabelled'], other_options),
             (['--data', 'other.csv', *one], other_files), ([*data, *data, *one], 'is given twice')]
    cluster.all_of([functools.partial(refused_at_rank_1, c, linked_rank, *case) for case in cases])


def check_silence(c, linked_rank):
    """A rank that neither works nor ends."""
    with Ranks(c, linked_rank, 2) as job:
        job.in_c(0, 'silence=1')
        stopped = job.in_c(1, 'stops=12')
        assert stopped.stdout.readline() == 'stopped\n'
        code, _, err = job.end(0)
        assert code == 1 and 'rank 1 (' in err, err
        os.kill(stopped.pid, signal.SIGCONT)
        assert job.end(1)[0] == 1


def throw_garbage(port):
    """What scanners send, and the beginnings of ZeroMQ's own greeting, without encryption; one connection is left open."""
    greeting = b'\xff' + bytes(8) + b'\x7f\x03\x00NULL' + bytes(48)
    noise = random.Random(1)
    left = []
    for text in (b'GET / HTTP/1.1\r\n\r\n', greeting, greeting + noise.randbytes(5000), noise.randbytes(100000), b'\xff' * 64, b'', greeting[:20]):
        s = socket.create_connection(('127.0.0.1', port), timeout=SECONDS)
        try:
            s.sendall(text)
        except OSError:
            pass  # closed already
        left.append(s)
    for s in left[:-1]:
        s.close()
    return left[-1]


def check_strangers(c, linked_rank):
    """Another key, a rank that is there, another number of ranks, garbage: none gets in, and the model is what it was."""
    c.must('keygen', '--link', 'other.key')
    with Ranks(c, linked_rank, 3) as job:
        job.in_c(0, 'model=strangers.json')
        assert job.processes[0].stdout.readline().strip() == job.address
        open_connection = throw_garbage(int(job.address.rsplit(':', 1)[1]))
        job.in_c(1, 'join=2', key='other.key', name='other key')
        code, _, err = job.end('other key')
        assert code == 1 and 'another key' in err, err
        for name, rank, ranks, wanted in (('alone', 1, 2, 'another number of ranks, 2, than rank 0, 3'), ('first', 0, 3, 'cannot listen')):
            job.ranks = ranks
            job.in_c(rank, name=name)
            job.ranks = 3
            code, _, err = job.end(name)
            assert code == 1 and wanted in err, (name, err)
        job.in_c(1)
        twins = [job.in_c(2, name='twin%d' % i) for i in range(2)]
        ends = sorted(job.end('twin%d' % i)[::2] for i in range(len(twins)))
        assert ends[0][0] == 0 and ends[1][0] == 1, ends
        assert 'joined already' in ends[1][1] or 'begun without' in ends[1][1] or 'did not begin' in ends[1][1] or 'is gone' in ends[1][1], ends
        job.end_well()
        open_connection.close()
    assert c.read('strangers.json') == c.read('one.json')


class Recorder:
    """What the network sees: stands between rank 0 and one other, and passes on."""
    def __init__(self, address):
        self.target = int(address.rsplit(':', 1)[1])
        self.seen = []
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.address = 'tcp://127.0.0.1:%d' % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        near = self.listener.accept()[0]
        far = socket.create_connection(('127.0.0.1', self.target))
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    def pass_on(self, one, other):
        with contextlib.suppress(OSError):
            while text := one.recv(1 << 16):
                self.seen.append((one.getpeername()[1] == self.target, text))
                other.sendall(text)
            other.shutdown(socket.SHUT_WR)


def check_ciphertext(c, linked_rank):
    """All ranks send each other the version of the library first; the model's questions and sums follow."""
    with Ranks(c, linked_rank, 2) as job:
        job.in_c(0)
        assert job.processes[0].stdout.readline().strip() == job.address
        recorder = Recorder(job.address)
        job.address = recorder.address
        job.in_c(1)
        job.end_well()
    for of_rank_0 in (False, True):
        seen = b''.join(text for of_0, text in recorder.seen if of_0 == of_rank_0)
        assert b'CURVE' in seen and len(seen) > 10000, len(seen)
        for plain in (b'0.1.0', b'ranks 1', c.read('job.key').strip(), bytes.fromhex(c.read('job.key').decode())):
            assert plain not in seen[64:], plain


def check_missing(c, linked_rank):
    with Ranks(c, linked_rank, 3) as job:
        job.in_c(0, 'join=1')
        job.in_c(1, 'join=30')
        code, _, err = job.end(0)
        assert code == 1 and 'rank 2 did not join within 1 seconds' in err, err
        code, _, err = job.end(1)
        assert code == 1 and 'rank 2 did not join' in err, err


def check_launched(c, _):
    """mpirun starts ranks by itself."""
    if not shutil.which('mpirun'):
        return
    code, _, err = c.train(2, '--data', 'train.csv', '--schema', 'schema.yaml', '--model', 'm.json', '--link', 'tcp://127.0.0.1:1', '--rank', '0', '--ranks', '2',
                           '--link-key', 'job.key')
    assert code == 2 and 'leave --link away' in err and not os.path.exists(c.path('m.json')), (code, err)


def test(c, words):
    linked_rank = os.path.abspath(words[0])
    c.must('generate', 'hospital', '--rows', '600', '--seed', '1', '-o', 'train.csv', '--schema', 'schema.yaml')
    c.must('keygen', '--link', 'job.key')
    for check in (check_models, check_persons, check_free_port, check_strangers, check_missing, check_silence, check_ciphertext, check_ledger, check_reservation_given_back, check_other_table, check_launched, check_deaths):
        check(c, linked_rank)


cluster.main(test, launcher=None)
