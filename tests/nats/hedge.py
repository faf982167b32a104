#!/usr/bin/env python3
"""hedge over a real broker: three hospitals and a coordinator. The model is the coordinator's, and that of an owner who asked for it; ledgers
hold what the job costs; no value of a record and no name of a column is seen on the wire. usage: hedge.py HEDGEROW"""
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
        edit(fed, name + '.yaml', ('methods: [inprivate]\n  epsilon: 1\n', 'methods: [hedge]\n  epsilon: 1\n  delta: 1e-6\n'))
        os.remove(os.path.join(fed.folder, name + '.db'))
        fed.run('ledger', 'create', name + '.db', '--epsilon', '1', '--delta', '1e-6')
    edit(fed, 'north.yaml', ('ledger: north.db\n', 'ledger: north.db\nmodels: models\n'))
    edit(fed, 'job.yaml', ('method: inprivate', 'method: hedge'), ('rounds: 1\norder: chain\n', ''))
    os.mkdir(os.path.join(fed.folder, 'models'))


def check_models(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = file.read()
    kept = os.listdir(os.path.join(fed.folder, 'models'))
    assert len(kept) == 1 and kept[0].startswith('job-') and kept[0].endswith('.json'), kept
    with open(os.path.join(fed.folder, 'models', kept[0])) as file:
        assert file.read() == model
    assert '"coalition"' in model


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
    check_models(fed)
    for name in HOSPITALS:
        spent = fed.run('ledger', 'show', name + '.db')
        assert '1 of 1 spent' in spent and '1e-06 of 1e-06 spent' in spent, spent
    seen = bytes(relay.seen)
    assert len(seen) > 100000, len(seen)
    assert b'INFO {' in seen and not any(text in seen for text in (b'leaf sum', b'leaf count', b'hedgerow-schema'))  # 2e-9 by chance


federation.main(test)
