#!/usr/bin/env python3
"""inprivate as published over a real broker, in both orders: three hospitals, of which north runs the coordinator, too, as a second member. Owners
vote on each tree; west's labels are turned round, and its tree is left out. No ledger pays, and the model says what broke and who coordinated.
usage: inprivate_paper.py HEDGEROW"""
import csv
import json
import os

import federation
from federation import HOSPITALS, Federation, edit


def turn_labels(fed, name):
    path = os.path.join(fed.folder, name + '.csv')
    with open(path, newline='') as file:
        rows = list(csv.DictReader(file))
    other = {'yes': 'no', 'no': 'yes'}
    for row in rows:
        row['readmitted'] = other[row['readmitted']]
    with open(path, 'w', newline='') as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test(tool, folder, words):
    fed = Federation(tool, folder, rounds=2, rows=3000)
    turn_labels(fed, 'west')
    edit(fed, 'job.yaml', ('epsilon: 1\n', 'epsilon: 1000\nmode: paper\nvote-trees: true\nround-gain: 0.9\ncoordinator-owner: north\n'))
    for name in HOSPITALS:
        edit(fed, name + '.yaml', ('  epsilon: 1\n', '  epsilon: 1000\n  unprotected: [inprivate]\n'))
    fed.start_broker()
    for order in ('chain', 'broadcast'):
        fed.new_job()
        coordinator = fed.train()
        assert coordinator.count('the tree of owner west in slot 2 is left out'), coordinator.lines
        assert coordinator.count('the last round'), coordinator.lines
        with open(os.path.join(folder, 'model.json')) as file:
            model = json.load(file)
        statement = model['guarantee']['statement']
        assert not model['guarantee']['private'] and 1 <= len(model['trees']) <= 2, statement
        assert 'The coordinator is also the owner north' in statement and 'decides whether the tree stays' in statement, statement
        for name in HOSPITALS:
            assert fed.ask(name, 'SELECT 1 FROM entries') == [], name
        if order == 'chain':
            edit(fed, 'job.yaml', ('order: chain', 'order: broadcast'))


if __name__ == '__main__':
    federation.main(test)
