#!/usr/bin/env python3
"""Models that three hospitals trained alone, averaged over a real broker, of every private method. The ledgers hold what the job costs; nothing of a model and no name
of a column is seen on the wire. usage: average.py HEDGEROW"""
import json
import os
import re

import federation
from federation import HOSPITALS, Federation, Relay, free_port

ROWS = 100


def check_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = json.load(file)
    assert model['method'] == 'average' and model['settings']['job.train'] == 'hedge' and model['settings']['job.owners'] == '3', model['settings']
    assert {release['owner'] for release in model['releases']} == {1, 2, 3}
    assert model['guarantee']['private'] and abs(model['guarantee']['epsilon'] - 1) < 1e-9


def check_method(fed, method):
    """What every owner paid for can be read, shown and used."""
    options = '\noptions:\n  trees: 2' if 'trees' in [option['name'] for option in method['options']] else ''
    fed.edit('job.yaml', 'train: hedge', 'train: %s%s' % (method['name'], options), 'method.yaml')
    fed.new_job()
    owners = [fed.serve(owner) for owner in fed.owners]
    coordinator = federation.Process([fed.tool, 'coordinate', 'method.yaml', '--model', 'model.json'], fed.folder)
    assert coordinator.wait() == 0, (method['name'], coordinator.lines)
    assert [owner.wait() for owner in owners] == [0] * len(owners), method['name']
    assert '  job.train ' in fed.run('show', 'model.json'), method['name']
    assert len(fed.run('predict', '--model', 'model.json', '--data', fed.owners[0] + '.csv').splitlines()) == ROWS + 1, method['name']
    for owner in fed.owners:
        assert '1 of 1 spent' in fed.run('ledger', 'show', owner + '.db'), (method['name'], owner)


def test_methods(tool, folder):
    """An average of every private method that there is."""
    os.mkdir(folder)
    fed = Federation(tool, folder, method='average', owners=HOSPITALS[:2], rows=ROWS)
    for owner in fed.owners:
        fed.edit(owner + '.yaml', 'owners: 3', 'owners: 2')
    fed.launch_broker()
    private = [method for method in json.loads(fed.run('methods', '--json'))['methods'] if method['private']]
    assert len(private) >= 9, private
    for method in private:
        check_method(fed, method)
    check_fewer_columns(fed)


def check_fewer_columns(fed):
    """The job lacks the owners' first feature. Each owner reads which, the coordinator does not."""
    with open(os.path.join(fed.folder, 'schema.yaml')) as file:
        head, first, *others = re.split(r'(?m)^(?=  - name: )', file.read())
    fed.write('few.yaml', head + ''.join(others))
    fed.edit('job.yaml', 'schema: schema.yaml', 'schema: few.yaml')
    fed.new_job()
    owners = [fed.serve(owner) for owner in fed.owners]
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    assert [owner.wait() for owner in owners] == [0] * len(owners)
    assert all(owner.count("the job leaves out 1 of this owner's columns: age") == 1 for owner in owners), [owner.lines for owner in owners]
    assert not coordinator.count('leaves out'), coordinator.lines
    with open(os.path.join(fed.folder, 'model.json')) as file:
        assert len(json.load(file)['schema']['features']) == len(others)


def test(tool, folder, words):
    port = free_port()
    relay = Relay(port)
    fed = Federation(tool, folder, port=relay.port, broker_port=port, method='average')
    fed.launch_broker()
    fed.new_job()
    coordinator = fed.train()
    assert coordinator.count('sent its model') == 3, coordinator.lines
    check_model(fed)
    fed.check_spent()
    seen = bytes(relay.seen)
    assert len(seen) > 50000, len(seen)
    assert b'INFO {' in seen and not any(text in seen for text in (b'leaf sum', b'hedgerow-model', b'hedgerow-schema'))  # 2e-9 by chance
    test_methods(tool, os.path.join(folder, 'methods'))


federation.main(test)
