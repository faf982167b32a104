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


def run_job(fed, job, model):
    coordinator = federation.Process([fed.tool, 'coordinate', job, '--model', model], fed.folder)
    assert coordinator.wait() == 0, (model, coordinator.lines)
    with open(os.path.join(fed.folder, model)) as file:
        return coordinator, json.load(file)


def check_method(fed, method):
    """What every owner paid for can be read, shown and used."""
    name, options = method['name'], '\noptions:\n  trees: 2' if 'trees' in [option['name'] for option in method['options']] else ''
    fed.edit('job.yaml', 'train: hedge', 'train: %s%s' % (name, options), name + '.yaml')
    run_job(fed, name + '.yaml', name + '.json')
    assert '  job.train ' in fed.run('show', name + '.json'), name
    assert len(fed.run('predict', '--model', name + '.json', '--data', fed.owners[0] + '.csv').splitlines()) == ROWS + 1, name


def check_fewer_columns(fed, owners):
    """The job lacks the owners' first feature. Each owner reads which, the coordinator does not."""
    with open(os.path.join(fed.folder, 'schema.yaml')) as file:
        head, first, *others = re.split(r'(?m)^(?=  - name: )', file.read())
    fed.write('few.yaml', head + ''.join(others))
    fed.edit('job.yaml', 'schema: schema.yaml', 'schema: few.yaml', 'fewer.yaml')
    coordinator, model = run_job(fed, 'fewer.yaml', 'fewer.json')
    assert len(model['schema']['features']) == len(others)
    assert [owner.wait() for owner in owners] == [0] * len(owners)
    assert all(owner.count("the job leaves out 1 of this owner's columns: age") == 1 for owner in owners), [owner.lines for owner in owners]
    assert not coordinator.count('leaves out'), coordinator.lines


def test_methods(tool, folder):
    """An average of every private method that learns classes; then one of fewer columns."""
    os.mkdir(folder)
    fed = Federation(tool, folder, method='average', owners=HOSPITALS[:2], rows=ROWS)
    fed.start_broker()
    private = [method for method in json.loads(fed.run('methods', '--json'))['methods'] if method['private'] and method['name'] not in ('survival-curve', 'statistics')]
    assert len(private) >= 9, private
    jobs = len(private) + 1
    for name in fed.owners:
        fed.edit(name + '.yaml', 'owners: 3', 'owners: 2')
        fed.run('ledger', 'create', name + '.db', '--epsilon', str(jobs), '--delta', '0.01')
    owners = [federation.Process([fed.tool, 'serve', name + '.yaml', '--jobs', str(jobs)], fed.folder) for name in fed.owners]
    for method in private:
        check_method(fed, method)
    check_fewer_columns(fed, owners)
    for name in fed.owners:
        assert '%d of %d spent' % (jobs, jobs) in fed.run('ledger', 'show', name + '.db'), fed.run('ledger', 'show', name + '.db')


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
