#!/usr/bin/env python3
"""Who is there, over a real broker: a coordinator knows it, says so, and with `wait-for: present` does not wait for those that are away.
Owners say hello every second, and the default deadline of 600 s is longer than a test may take.
usage: presence.py HEDGEROW"""
import functools
import json
import os
import re
import time

import federation
from federation import HOSPITALS, SECONDS, Federation, Process, edit

AWAY = 'owner west is away, and is not waited for until the deadline'


def await_presence(fed, coordinator, wanted):
    """Who is present, by the status of the coordinator, as soon as it is as wanted."""
    end = time.monotonic() + SECONDS
    while True:
        status = json.loads(fed.run('status', 'job.yaml', '--json'))
        if [(o['owner'], o['present']) for o in status['presence']] == wanted:
            return status
        assert time.monotonic() < end and coordinator.runs(), (status, coordinator.lines)


def owners(fed, names=HOSPITALS):
    parties = {name: fed.serve(name) for name in names}
    for party in parties.values():
        party.await_line('ready for jobs')
    return parties


def start_without_west(fed, end):
    """The job starts when the coordinator has seen all three, which south, where a person approves jobs, holds up until west has ended."""
    edit(fed, 'south.yaml', ('owners: 2', 'owners: 2\n  approve: manual'))
    fed.new_job()
    parties = owners(fed)
    edit(fed, 'south.yaml', ('owners: 2\n  approve: manual', 'owners: 2'))
    coordinator = fed.coordinate()
    for name in HOSPITALS:
        coordinator.await_line('owner %s is present' % name)
    parties['south'].await_line('waits for `hedgerow jobs approve`')
    await_answers(fed)
    end(parties.pop('west'))
    fed.run('jobs', 'approve', 'south.yaml', 'job')
    coordinator.await_line('3 of 3 owners take part')
    return parties, coordinator


def await_answers(fed):
    end = time.monotonic() + SECONDS
    while True:
        jobs = json.loads(fed.run('status', 'job.yaml', '--json'))['jobs']
        if jobs and [o['part'] for o in jobs[0].get('owners', [])] == ['accepted', 'did not answer', 'accepted']:
            return
        assert time.monotonic() < end, jobs


def finish(fed, coordinator, parties):
    assert coordinator.wait() == 0, coordinator.lines
    for party in parties.values():
        assert party.wait() == 0, party.lines
    assert os.path.exists(os.path.join(fed.folder, 'model.json'))


def test_all_there(fed):
    """Nobody is left out who answers, whether or not its hello comes first."""
    fed.new_job()
    parties = owners(fed)
    coordinator = fed.coordinate()
    finish(fed, coordinator, parties)
    assert coordinator.count('3 of 3 owners take part') == 1 and not coordinator.count('away, and'), coordinator.lines


def test_never_there(fed):
    """The offer is decided by those that are there, after a short grace; nobody is given up before anyone is there."""
    fed.new_job()
    coordinator = fed.coordinate()
    await_presence(fed, coordinator, [(name, False) for name in HOSPITALS])
    assert 'presence  west: not seen' in fed.run('status', 'job.yaml')
    parties = owners(fed, ['north', 'south'])
    finish(fed, coordinator, parties)
    for name in ('north', 'south'):
        assert coordinator.count('owner %s is present' % name) == 1, coordinator.lines
    assert coordinator.count(AWAY) == 1 and coordinator.count('2 of 3 owners take part') == 1, coordinator.lines


def test_killed(fed):
    """Before its turn: its last hello lapses, and its turn is skipped."""
    parties, coordinator = start_without_west(fed, Process.kill)
    status = await_presence(fed, coordinator, [('north', True), ('south', True), ('west', False)])
    west = status['presence'][2]
    assert west['since'] <= west['seen'] <= status['seen'], status
    words = fed.run('status', 'job.yaml')
    assert re.search('presence  north: present since 2', words) and re.search('presence  west: away, last seen 2', words), words
    finish(fed, coordinator, parties)
    assert coordinator.count('owner west is away: no hello for 3 s') == 1 and coordinator.count(AWAY), coordinator.lines
    assert coordinator.count('owner west skipped'), coordinator.lines


def test_stopped(fed):
    """It says that it leaves."""
    parties, coordinator = start_without_west(fed, Process.stop)
    coordinator.await_line('owner west is away: its program has ended')
    finish(fed, coordinator, parties)
    assert coordinator.count(AWAY) and not coordinator.count('no hello for'), coordinator.lines


def test_waits_for_all(fed):
    """The same with `wait-for: all`: the deadline, which is short here, ends the waiting, and no owner is given up before."""
    edit(fed, 'job.yaml', ('wait-for: present', 'wait-for: all\ndeadline: 10'))
    parties, coordinator = start_without_west(fed, Process.kill)
    finish(fed, coordinator, parties)
    assert coordinator.count('owner west is away: no hello for 3 s') == 1, coordinator.lines
    assert coordinator.count('owner west skipped: no answer in time') and not coordinator.count(AWAY), coordinator.lines


def test_old_broker(fed):
    """A configuration of an earlier version allows no hellos: the job is done as if all were waited for."""
    path = os.path.join(fed.folder, 'fed/broker/nats.conf')
    with open(path) as file:
        text = file.read()
    old = re.sub(r'(?m)^ *exports: \[\{ stream: .*\n', '', text)
    old = re.sub(r'(?m)^ *\{ stream: .*\n', '', old)
    old = re.sub(r', "hello\.[^"]*"', '', old)
    assert 'hello.' in text and 'hello.' not in old
    fed.write('fed/broker/nats.conf', old)
    edit(fed, 'south.yaml', ('owners: 2', 'owners: 2\n  approve: manual'))
    fed.new_job()
    parties = owners(fed)
    coordinator = fed.coordinate()
    for party in [coordinator, *parties.values()]:
        party.await_line("there is no presence: the broker's configuration allows no hellos")
    parties['south'].await_line('waits for `hedgerow jobs approve`')
    fed.run('jobs', 'approve', 'south.yaml', 'job')
    finish(fed, coordinator, parties)
    for party in [coordinator, *parties.values()]:
        assert party.count('there is no presence') == 1, party.lines


def test(tool, folder, words):
    def scenario(step):
        @functools.wraps(step)
        def run(own):
            fed = Federation(tool, own)
            for name in HOSPITALS:
                edit(fed, name + '.yaml', ('policy:', 'hello: 1\npolicy:'), ('owners: 3', 'owners: 2'))
            edit(fed, 'job.yaml', ('name: coordinator', 'wait-for: present\nname: coordinator'))
            fed.start_broker()
            step(fed)
        return run

    steps = (test_all_there, test_never_there, test_killed, test_stopped, test_waits_for_all, test_old_broker)
    federation.beside(folder, *map(scenario, steps))


federation.main(test)
