#!/usr/bin/env python3
"""hedge over a real broker: three hospitals and a coordinator. The model is the coordinator's, and that of an owner who asked for it; ledgers
hold what the job costs; no value of a record and no name of a column is seen on the wire. An owner has ten times as many records as the next job
says: the model is suspect. Once more with the configuration of a broker of an earlier version. usage: hedge.py HEDGEROW"""
import json
import os

import federation
from federation import Federation, Relay, free_port


def check_models(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = file.read()
    kept = os.listdir(os.path.join(fed.folder, 'models'))
    assert len(kept) == 1 and kept[0].startswith('job-') and kept[0].endswith('.json'), kept
    with open(os.path.join(fed.folder, 'models', kept[0])) as file:
        assert file.read() == model
    assert '"job.coalition"' in model


def test_suspect(fed):
    """west waits for a person, and nothing is paid; its person approves the job. The coordinator has the model, a warning and exit code 5, and
    the owner that gets the model can see it."""
    os.remove(os.path.join(fed.folder, 'west.csv'))
    fed.run('generate', 'hospital', '--rows', '4000', '--seed', '9', '-o', 'west.csv')
    fed.new_job()
    fed.edit('job.yaml', 'epsilon: 1', 'epsilon: 1\nrecords: 300..500', to='bounded.yaml')
    owners = {name: fed.serve(name) for name in fed.owners}
    coordinator = federation.Process([fed.tool, 'coordinate', 'bounded.yaml', '--model', 'suspect.json'], fed.folder)
    owners['west'].await_line('this owner has 4000 records, and the job says 300 to 500')
    owners['west'].await_line('waits for `hedgerow jobs approve`')
    assert '0 of 1 spent' in fed.run('ledger', 'show', 'west.db')
    fed.run('jobs', 'approve', 'west.yaml', 'bounded')
    assert coordinator.wait() == 5, coordinator.lines
    assert coordinator.count('sums are not those of owners with the records that the job says: record count') > 0, coordinator.lines
    assert coordinator.count('warning  the model is suspect') == 1 and coordinator.count('the job is done') == 1, coordinator.lines
    told = [line for line in coordinator.lines if not line.endswith(' is present') and ' is away' not in line]
    assert not any('4000' in line or 'west' in line for line in told), coordinator.lines  # nobody can tell whose number it was
    for name, owner in owners.items():
        assert owner.wait() == 0, owner.lines
    paths = [os.path.join('models', kept) for kept in os.listdir(os.path.join(fed.folder, 'models'))] + ['suspect.json']
    suspects = [json.loads(fed.run('show', path, '--json')).get('suspect', '') for path in paths]
    assert len(paths) == 3 and sum(text.startswith('record count') for text in suspects) == 2, suspects  # north has that of the first job, too


def check_earlier_broker(fed):
    """A broker that passes on one answer to a request: jobs are slower, and the log says why."""
    fed.edit('fed/broker/nats.conf', ', response: stream', '')
    fed.new_job()
    coordinator = fed.train()
    assert coordinator.count("nats.conf is of an earlier version") == 1, coordinator.lines


def test(tool, folder, words):
    port = free_port()
    relay = Relay(port)
    fed = Federation(tool, folder, port=relay.port, broker_port=port, method='hedge')
    fed.launch_broker()
    fed.new_job()
    fed.edit('north.yaml', 'ledger: north.db\n', 'ledger: north.db\nmodels: models\n')
    os.mkdir(os.path.join(folder, 'models'))
    fed.train()
    check_models(fed)
    fed.check_spent()
    seen = bytes(relay.seen)
    assert len(seen) > 100000, len(seen)
    test_suspect(fed)
    check_earlier_broker(fed)
    assert b'INFO {' in seen and not any(text in seen for text in (b'leaf sum', b'leaf count', b'hedgerow-schema'))  # 2e-9 by chance


federation.main(test)
