#!/usr/bin/env python3
"""Models that three hospitals trained alone, averaged over a real broker. The ledgers hold what the job costs; nothing of a model and no name
of a column is seen on the wire. usage: average.py HEDGEROW"""
import json
import os

import federation
from federation import Federation, Relay, free_port


def check_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = json.load(file)
    assert model['method'] == 'average' and model['settings']['train'] == 'hedge' and model['settings']['owners'] == '3', model['settings']
    assert {release['owner'] for release in model['releases']} == {1, 2, 3}
    assert model['guarantee']['private'] and abs(model['guarantee']['epsilon'] - 1) < 1e-9


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


federation.main(test)
