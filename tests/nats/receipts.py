#!/usr/bin/env python3
"""An owner's ledger is restored from a backup: over a real broker the next job is declined with the reason, on both sides, until the lost entries
are entered from the receipts that the coordinator has. A witness elsewhere keeps `serve` from the copy at all. usage: receipts.py HEDGEROW"""
import os
import re
import shutil
import subprocess

import federation
from federation import HOSPITALS, Federation

LOST = r"this owner's ledger is an older copy: it lacks the entry of 20[0-9-]{8} for job job \(id [0-9a-f]{8}, inprivate\) of coordinator"


def play(fed, number):
    """Exit code of the coordinator, its lines, and those of north. Every owner serves one job."""
    owners = {name: fed.serve(name) for name in fed.owners}
    coordinator = federation.Process([fed.tool, 'coordinate', 'job.yaml', '--model', 'model-%d.json' % number], fed.folder)
    code = coordinator.wait()
    assert [owner.wait() for owner in owners.values()] == [0] * len(owners)
    return code, '\n'.join(coordinator.lines), '\n'.join(owners['north'].lines)


def ledger(fed, command, *words):
    done = subprocess.run([fed.tool, 'ledger', command, 'north.db', *words], cwd=fed.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def spent(fed):
    return fed.ask('north', 'SELECT count(*), sum(epsilon) FROM spending')[0]


def test_restored_backup(fed):
    receipts = ('--receipts', 'coordinator.db.receipts/north', '--key', 'fed/north/north.key')
    north, copy = os.path.join(fed.folder, 'north.db'), os.path.join(fed.folder, 'copy.db')
    assert play(fed, 1)[0] == 0
    shutil.copy(north, copy)
    assert play(fed, 2)[0] == 0
    assert spent(fed) == (2, 2.0)
    shutil.copy(copy, north)

    code, coordinator, owner = play(fed, 3)
    assert code == 3, (code, coordinator)  # declined
    assert re.search('owner north declines: ' + LOST, coordinator), coordinator
    assert re.search(LOST + r"\. Ask coordinator for the folder of this owner's receipts, and enter what is lost with 'hedgerow ledger restore", owner), owner
    assert spent(fed) == (1, 1.0)

    code, listed, said = ledger(fed, 'verify', *receipts)
    assert code == 3 and 'lacks 1 of 2 entries' in said, (code, said)
    assert [line.split()[2] for line in listed.splitlines()] == ['held', 'missing'], listed
    assert ledger(fed, 'restore', *receipts)[0] == 0
    assert spent(fed) == (2, 2.0)
    assert ledger(fed, 'verify', *receipts)[0] == 0

    assert play(fed, 4)[0] == 0
    assert spent(fed) == (3, 3.0)


def test_witness(fed):
    """A copy of a ledger with a witness is refused before any job; entries by hand mend it."""
    north, copy = os.path.join(fed.folder, 'north.db'), os.path.join(fed.folder, 'copy.db')
    assert ledger(fed, 'witness', os.path.join(fed.folder, 'north.entries'))[0] == 0
    shutil.copy(north, copy)
    assert play(fed, 5)[0] == 0
    shutil.copy(copy, north)
    serve = fed.serve('north')
    assert serve.wait() == 3, serve.lines
    assert 'the ledger has 3 entries, and its witness counted 4: it is an older copy' in '\n'.join(serve.lines), serve.lines
    assert ledger(fed, 'restore', '--receipts', 'coordinator.db.receipts/north', '--key', 'fed/north/north.key')[0] == 0
    assert play(fed, 6)[0] == 0
    assert spent(fed) == (5, 5.0)


def test(tool, folder, words):
    fed = Federation(tool, folder, rows=100)
    fed.start_broker()
    for name in HOSPITALS:
        fed.run('ledger', 'create', name + '.db', '--epsilon', '9')
    test_restored_backup(fed)
    test_witness(fed)


federation.main(test)
