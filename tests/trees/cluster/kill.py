#!/usr/bin/env python3
"""A rank that is killed ends them all, with an exit code that is not 0; what rank 0 had reserved stays reserved, and there is no model.
usage: kill.py HEDGEROW"""
import contextlib
import os
import signal
import sqlite3
import time

import cluster

TRAIN = ['train', '--data', 'train.csv', '--schema', 'schema.yaml', '--method', 'seq', '--trees', '20000', '--epsilon', '10000', '--model', 'model.json',
         '--quiet']


def await_reservation(ledger_file, process):
    """Until the entry is there; it is made when everything was read and checked, and the trees take minutes."""
    end = time.monotonic() + cluster.SECONDS
    with contextlib.closing(sqlite3.connect('file:%s?mode=ro' % ledger_file, uri=True)) as ledger:
        while not ledger.execute('SELECT 1 FROM entries').fetchall():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, 'nothing was reserved'


def process_of_rank(launcher, rank):
    wanted = b'OMPI_COMM_WORLD_RANK=%d' % rank
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/stat' % pid, encoding='utf-8') as file:
                parent = int(file.read().rsplit(')', 1)[1].split()[1])
            if parent != launcher:
                continue
            with open('/proc/%s/environ' % pid, 'rb') as file:
                if wanted in file.read().split(b'\0'):
                    return int(pid)
        except OSError:  # it has ended
            continue
    raise AssertionError('no rank %d' % rank)


def check_killed(c, rank):
    ledger = 'budget%d.db' % rank
    c.must('ledger', 'create', ledger, '--epsilon', '10000')
    process = c.start([*cluster.LAUNCH, '-n', '3', c.tool, *TRAIN, '--ledger', ledger])
    try:
        await_reservation(c.path(ledger), process)
        os.kill(process_of_rank(process.pid, rank), signal.SIGKILL)
        process.communicate(timeout=cluster.SECONDS)
    finally:
        process.kill()
    assert process.returncode not in (0, None), process.returncode
    assert ' reserved ' in c.must('ledger', 'show', ledger)
    assert not os.path.exists(c.path('model.json'))


def test(c, words):
    assert not words
    c.must('generate', 'hospital', '--rows', '2000', '--seed', '1', '-o', 'train.csv', '--schema', 'schema.yaml')
    for rank in (2, 0):
        check_killed(c, rank)


cluster.main(test)
