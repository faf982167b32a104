#!/usr/bin/env python3
"""Models that three hospitals trained alone, averaged over a real broker. The ledgers hold what the job costs; nothing of a model and no name
of a column is seen on the wire. usage: average.py HEDGEROW"""
import json
import os

import federation
from federation import HOSPITALS, Federation, Relay, free_port


def edit(fed, name, *changes):
    with open(os.path.join(fed.folder, name)) as file:
        text = file.read()
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    fed.write(name, text)


def prepare(fed):
    for name in HOSPITALS:
        edit(fed, name + '.yaml', ('methods: [inprivate]\n  epsilon: 1\n', 'methods: [average]\n  epsilon: 1\n  delta: 1e-6\n'))
        os.remove(os.path.join(fed.folder, name + '.db'))
        fed.run('ledger', 'create', name + '.db', '--epsilon', '1', '--delta', '1e-6')
    edit(fed, 'job.yaml', ('method: inprivate', 'method: average\ntrain: hedge'), ('rounds: 1\norder: chain\n', ''))


def check_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = json.load(file)
    assert model['method'] == 'average' and model['settings']['train'] == 'hedge' and model['settings']['owners'] == '3', model['settings']
    assert {release['owner'] for release in model['releases']} == {1, 2, 3}
    assert model['guarantee']['private'] and abs(model['guarantee']['epsilon'] - 1) < 1e-9


def test(tool, folder, words):
    port = free_port()
    relay = Relay(port)
    fed = Federation(tool, folder, port=relay.port, broker_port=port)
    fed.launch_broker()
    fed.new_job()
    prepare(fed)
    owners = [fed.serve(name) for name in HOSPITALS]
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    assert [owner.wait() for owner in owners] == [0, 0, 0]
    assert coordinator.count('sent its model') == 3, coordinator.lines
    check_model(fed)
    for name in HOSPITALS:
        spent = fed.run('ledger', 'show', name + '.db')
        assert '1 of 1 spent' in spent and '1e-06 of 1e-06 spent' in spent, spent
    seen = bytes(relay.seen)
    assert len(seen) > 50000, len(seen)
    assert b'INFO {' in seen and not any(text in seen for text in (b'leaf sum', b'hedgerow-model', b'hedgerow-schema'))  # 2e-9 by chance


federation.main(test)
