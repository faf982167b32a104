#!/usr/bin/env python3
"""SIGHUP has an owner read its files anew; a faulty file changes nothing; SIGTERM stops it in order. usage: reload.py HEDGEROW"""
import os
import signal

import federation
from federation import HOSPITALS, Federation


def rewrite(fed, old, new):
    path = os.path.join(fed.folder, 'north.yaml')
    with open(path) as file:
        text = file.read()
    assert old in text
    fed.write('north.yaml', text.replace(old, new))


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.launch_broker()
    fed.new_job()
    owners = {name: fed.serve(name) for name in HOSPITALS}
    north = owners['north']
    north.await_line('ready for jobs')
    rewrite(fed, 'epsilon: 1', 'epsilon: one')
    north.process.send_signal(signal.SIGHUP)
    north.await_line('the files were not read anew, and the previous ones stay in force: north.yaml:')
    rewrite(fed, 'epsilon: one', 'epsilon: 0.5')
    north.process.send_signal(signal.SIGHUP)
    north.await_line('the files were read anew')
    coordinator = fed.coordinate()
    coordinator.await_line('owner north declines: ')
    for owner in owners.values():
        owner.await_line('the job ended')
    assert north.wait() == 0
    assert coordinator.wait() == 3, coordinator.lines  # the others need three owners
    north = fed.serve('north')
    north.await_line('ready for jobs')
    assert north.stop() == 0


federation.main(test)
