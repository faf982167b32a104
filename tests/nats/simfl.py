#!/usr/bin/env python3
"""SimFL over owners in three hospitals, over a real broker. No ledger pays for it, the model says that it has no guarantee, and nothing of it and no
name of a column is seen on the wire; an owner whose policy does not list it declines, and says so. usage: simfl.py HEDGEROW"""
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
    for name in HOSPITALS[:2]:
        edit(fed, name + '.yaml', ('methods: [inprivate]\n', 'methods: [simfl]\n  unprotected: [simfl]\n'), ('  owners: 3', '  owners: 2'))
    edit(fed, HOSPITALS[2] + '.yaml', ('methods: [inprivate]\n', 'methods: [simfl]\n'))
    edit(fed, 'job.yaml', ('method: inprivate', 'method: simfl\nmode: paper\noptions: {trees: 4, depth: 3}'), ('rounds: 1\norder: chain\n', ''))
    with open(os.path.join(fed.folder, 'job.yaml')) as file:
        fed.write('job.yaml', ''.join(line for line in file if not line.startswith('epsilon')))


def check_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = json.load(file)
    assert model['method'] == 'simfl' and model['settings']['job.owners'] == '2' and len(model['trees']) == 4, model['settings']
    assert not model['guarantee']['private'] and model['guarantee']['statement'].startswith('NOT DIFFERENTIALLY PRIVATE')


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
    assert [owner.wait() for owner in owners[:2]] == [0, 0]
    owners[2].wait()
    assert coordinator.count('simfl in paper mode has no guarantee, and is not listed') >= 1, coordinator.lines
    assert coordinator.count('trained tree 4 of 4') == 1, coordinator.lines
    check_model(fed)
    for name in HOSPITALS:
        assert fed.run('ledger', 'show', name + '.db').startswith('epsilon  0 of '), name
    seen = bytes(relay.seen)
    assert len(seen) > 20000, len(seen)
    assert b'INFO {' in seen and not any(text in seen for text in (b'hedgerow-model', b'hedgerow-schema'))


federation.main(test)
