#!/usr/bin/env python3
"""`hedgerow status` of parties that wait, that lost their broker, that were killed and that are done: what it says, and that it changes no file.
usage: status.py HEDGEROW"""
import json
import os
import time

import federation
from federation import SECONDS, Federation


def files(fed):
    """What a look may not change: names and contents but SQLite's index of its log."""
    found = {}
    for name in os.listdir(fed.folder):
        path = os.path.join(fed.folder, name)
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                found[name] = b'' if name.endswith('-shm') else file.read()
    return found


def look(fed, name):
    return json.loads(fed.run('status', name, '--json'))


def await_status(fed, name, wanted):
    """The first status that `wanted` holds of: a party notes once a second what is new."""
    end = time.monotonic() + SECONDS
    while True:
        status = look(fed, name)
        if wanted(status):
            return status
        assert time.monotonic() < end, status


def test_waiting(fed):
    """The third owner is not there: the coordinator waits for it alone."""
    fed.new_job()
    before = files(fed)
    status = look(fed, 'north.yaml')
    assert status.pop('certificate_ends') > '2036', status
    assert status == {'owner': 'north', 'running': False, 'connected': False, 'reconnects': 0, 'packets': 0, 'jobs': [], 'ledger': {
        'epsilon_limit': 1, 'epsilon_left': 1, 'delta_limit': 0, 'delta_left': 0, 'frozen': False}}
    assert look(fed, 'job.yaml')['coordinator'] == 'coordinator' and files(fed) == before
    parties = [fed.serve('north'), fed.serve('south'), fed.coordinate()]
    status = await_status(fed, 'job.yaml', lambda s: s['jobs'] and [o['awaited'] for o in s['jobs'][0].get('owners', [])] == [False, False, True])
    job = status['jobs'][0]
    assert status['running'] and status['connected'] and status['process'] == parties[2].process.pid, status
    assert job['waits_for'] == 'the owners' and job['until'] > status['seen'], job
    assert [(o['name'], o['part']) for o in job['owners']] == [('north', 'accepted'), ('south', 'accepted'), ('west', 'did not answer')], job
    status = await_status(fed, 'north.yaml', lambda s: s['jobs'] and s['jobs'][0]['state'] == 'accepted')
    assert status['ledger']['epsilon_left'] == 1 and status['jobs'][0]['waits_for'] == 'the coordinator', status
    words = fed.run('status', 'job.yaml')
    assert '\n  waits for west, until 2' in words and '\nprogram   runs, process %d, since 2' % parties[2].process.pid in words, words
    return parties


def test_broker(fed, parties):
    """Lost, and back: the owner says so, in its log as well."""
    fed.broker.kill()
    lost = await_status(fed, 'north.yaml', lambda s: not s['connected'])
    assert lost['running'] and lost['contact'] <= lost['seen'], lost
    parties[0].await_line('warning north: the connection to the broker is lost')
    fed.launch_broker()
    back = await_status(fed, 'north.yaml', lambda s: s['connected'])
    assert back['reconnects'] == 1 and back['contact'] >= lost['contact'], back
    parties[0].await_line('info    north: the connection to the broker is back')


def test_killed(fed, parties):
    """What was noted last is still told, and no file is different."""
    for party in parties:
        party.kill()
    before = files(fed)
    assert 'north.db.lock' in before and 'north.db-wal' in before, sorted(before)
    status = look(fed, 'job.yaml')
    assert not status['running'] and not status['connected'] and status['contact'] and 'process' not in status, status
    assert len(status['jobs']) == 1 and 'until' not in status['jobs'][0], status
    assert not look(fed, 'north.yaml')['running']
    assert 'program   does not run, last seen 2' in fed.run('status', 'north.yaml')
    assert files(fed) == before


def test_done(fed):
    parties = [fed.serve(name) for name in federation.HOSPITALS] + [fed.coordinate()]
    for party in parties:
        assert party.wait() == 0, party.lines
    before = files(fed)
    status = look(fed, 'north.yaml')
    assert not status['running'] and status['jobs'] == [] and status['packets'] == 0 and status['ledger']['epsilon_left'] == 0, status
    assert files(fed) == before and not [name for name in before if name.endswith(('-wal', '-shm', '.lock'))], sorted(before)


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.launch_broker()
    parties = test_waiting(fed)
    test_broker(fed, parties)
    test_killed(fed, parties)
    test_done(fed)


federation.main(test)
