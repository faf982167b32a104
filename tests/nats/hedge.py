#!/usr/bin/env python3
"""hedge over a real broker: three hospitals and a coordinator. The model is the coordinator's, and that of an owner who asked for it; ledgers
hold what the job costs; no value of a record and no name of a column is seen on the wire. Once
more with the configuration of a broker of an earlier version. usage: hedge.py HEDGEROW"""
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
    check_earlier_broker(fed)
    assert b'INFO {' in seen and not any(text in seen for text in (b'leaf sum', b'leaf count', b'hedgerow-schema'))  # 2e-9 by chance


federation.main(test)
