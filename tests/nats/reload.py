#!/usr/bin/env python3
"""SIGHUP has an owner read its files anew; a faulty file, key or federation changes nothing; SIGTERM stops it in order. usage: reload.py HEDGEROW"""
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


def refuse(fed, north, name, text):
    """With this text in the file the owner goes on as before."""
    path = os.path.join(fed.folder, name)
    with open(path) as file:
        before = file.read()
    fed.write(name, text)
    north.process.send_signal(signal.SIGHUP)
    north.await_line('the previous ones stay in force: ' + name if 'tls' not in name else 'the previous ones stay in force: cannot')
    fed.write(name, before)


def refuse_persons(fed, north):
    """A schema that names persons is read before a faulty key: the ledger goes on paying for records."""
    fed.edit('schema.yaml', 'unit: record', 'unit: person', to='persons.yaml')
    with open(os.path.join(fed.folder, 'north.csv')) as file:
        records = file.read().splitlines()
    fed.write('persons.csv', ''.join('%s,%s\n' % (record, i or 'person') for i, record in enumerate(records)))
    with open(os.path.join(fed.folder, 'north.yaml')) as file:
        before = file.read()
    rewrite(fed, 'data: north.csv\nschema: schema.yaml', 'data: persons.csv\nschema: persons.yaml')
    refuse(fed, north, 'fed/north/north.key', 'no key')
    fed.write('north.yaml', before)


def test_ledger(fed):
    """Another name of the same file is the same ledger; another file of the same name ends the program, which then begins with it."""
    fed.new_job()
    owners = {name: fed.serve(name) for name in HOSPITALS}
    north = owners['north']
    north.await_line('ready for jobs')
    rewrite(fed, 'ledger: north.db', 'ledger: ../%s/./north.db' % os.path.basename(fed.folder))
    north.process.send_signal(signal.SIGHUP)
    north.await_line('the files were read anew')
    fed.run('ledger', 'create', 'other.db', '--epsilon', '7', '--delta', '1e-6')
    for ending in ('-wal', '-shm'):
        if os.path.exists(os.path.join(fed.folder, 'north.db' + ending)):
            os.remove(os.path.join(fed.folder, 'north.db' + ending))
    os.replace(os.path.join(fed.folder, 'other.db'), os.path.join(fed.folder, 'north.db'))
    north.process.send_signal(signal.SIGHUP)
    assert north.wait() == 3, north.lines
    assert north.count('another file was put in the place of the ledger while it was in use') == 1, north.lines
    owners['north'] = fed.serve('north')
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    for owner in owners.values():
        assert owner.wait() == 0, owner.lines
    assert '1 of 7 spent' in fed.run('ledger', 'show', 'north.db')
    rewrite(fed, 'ledger: ../%s/./north.db' % os.path.basename(fed.folder), 'ledger: north.db')


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
    rewrite(fed, 'epsilon: one', 'epsilon: 1')
    refuse(fed, north, 'fed/north/federation.yaml', 'hedgerow-federation: 1\nname: {\n')
    refuse(fed, north, 'fed/north/north.key', 'no key')
    refuse(fed, north, 'fed/north/tls.pem', 'no certificate')
    rewrite(fed, 'name: north', 'name: nobody')
    north.process.send_signal(signal.SIGHUP)
    north.await_line("'nobody' is not a member of 'demo'")
    rewrite(fed, 'name: nobody', 'name: north')
    rewrite(fed, 'epsilon: 1', 'epsilon: 0.5')
    north.process.send_signal(signal.SIGHUP)
    north.await_line('the files were read anew')
    coordinator = fed.coordinate()
    coordinator.await_line('owner north declines: ')
    for owner in owners.values():
        owner.await_line('the job ended')
    assert north.wait() == 0
    assert coordinator.wait() == 3, coordinator.lines  # the others need three owners
    rewrite(fed, 'epsilon: 0.5', 'epsilon: 1')
    owners = {name: fed.serve(name) for name in HOSPITALS}
    owners['north'].await_line('ready for jobs')
    refuse_persons(fed, owners['north'])
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    for owner in owners.values():
        assert owner.wait() == 0, owner.lines
    assert fed.ask('north', 'SELECT unit FROM limits') == [('',)]
    test_ledger(fed)
    north = fed.serve('north')
    north.await_line('ready for jobs')
    assert north.stop() == 0


federation.main(test)
