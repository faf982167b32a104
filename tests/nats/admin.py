#!/usr/bin/env python3
"""What the founder does at a broker that runs: looks into inboxes and empties them. The configuration that was written for the broker is what
nats-server accepts.
usage: admin.py HEDGEROW"""
import json
import os
import subprocess

import federation
from federation import HOSPITALS, Federation


def waiting(fed):
    found = json.loads(fed.run('federation', 'show', 'fed', '--json'))['waiting']
    return {(entry['to'], entry['from']): entry for entry in found}


def test_inboxes(fed):
    """Offers wait for owners that do not run. The coordinator has stopped: it sends nothing again."""
    assert fed.run('federation', 'show', 'fed') == 'no packets wait\n'
    assert waiting(fed) == {}
    coordinator = fed.coordinate()
    while len(waiting(fed)) < len(HOSPITALS):
        assert coordinator.runs(), coordinator.lines
    coordinator.kill()
    found = waiting(fed)
    assert set(found) == {(name, 'coordinator') for name in HOSPITALS}, found
    table = fed.run('federation', 'show', 'fed').splitlines()
    assert table[0].split() == ['inbox', 'sender', 'packets', 'bytes', 'oldest'], table
    for line, name in zip(table[1:], HOSPITALS):
        entry = found[name, 'coordinator']
        assert line.split() == [name, 'coordinator', str(entry['packets']), str(entry['bytes']), entry['oldest']], (line, entry)
        assert entry['packets'] >= 1 and entry['bytes'] > 100 * entry['packets'], entry
    fed.run('federation', 'purge', 'fed', '--to', 'north')
    fed.run('federation', 'purge', 'fed', '--to', 'south', '--from', 'west')
    assert set(waiting(fed)) == {('south', 'coordinator'), ('west', 'coordinator')}
    fed.run('federation', 'purge', 'fed', '--to', 'south', '--from', 'coordinator')
    assert set(waiting(fed)) == {('west', 'coordinator')}


def test_config(fed):
    subprocess.run(['nats-server', '-c', 'nats.conf', '-t'], cwd=os.path.join(fed.folder, 'fed/broker'), check=True, stderr=subprocess.PIPE)


def test(tool, folder, words):
    fed = Federation(tool, folder)
    test_config(fed)
    fed.start_broker()
    test_inboxes(fed)


federation.main(test)
