#!/usr/bin/env python3
"""SimFL over two owners of many hashes, over a real broker: twenty pieces each. One owner is killed (SIGKILL) when it has the first ones. The other
waits with six pieces that are not confirmed, and goes on when the first is back: no piece is lost, and the model is made. Planes are so wide that
most records have equal hashes, which the search takes as one.
usage: simfl_pieces.py HEDGEROW"""
import json
import os
import time

import federation
from federation import SECONDS, Federation

OWNERS = ['north', 'south']
ROWS, TABLES, WINDOW = 20000, 255, 6
PIECES = -(-ROWS // ((512 * 1024 - 64) // (2 * TABLES)))


def prepare(fed):
    for name in OWNERS:
        fed.edit(name + '.yaml', 'methods: [inprivate]\n', 'methods: [simfl]\n  unprotected: [simfl]\n')
        fed.edit(name + '.yaml', '  owners: 3', '  owners: 2')
    fed.edit('job.yaml', 'epsilon: 1\nrounds: 1\norder: chain\n', '')
    fed.edit('job.yaml', 'method: inprivate', 'method: simfl\nmode: paper\noptions: {trees: 2, depth: 2, lsh-tables: %d, lsh-width: 1000}' % TABLES)


def count(fed, name, sql):
    rows = fed.ask(name, sql)
    return rows[0][0] if rows else 0


def await_count(fed, name, sql, least):
    end = time.monotonic() + SECONDS
    while count(fed, name, sql) < least:
        assert time.monotonic() < end, (name, sql, count(fed, name, sql))


def test(tool, folder, words):
    fed = Federation(tool, folder, rows=ROWS, owners=OWNERS)
    fed.launch_broker()
    fed.new_job()
    prepare(fed)
    north, south = [fed.serve(name) for name in OWNERS]
    coordinator = fed.coordinate()
    taken = "SELECT count(*) FROM events WHERE sender = 'north'"
    await_count(fed, 'south', taken, 2)
    south.kill()
    had = count(fed, 'south', taken)
    assert had < PIECES, 'all pieces had come before the owner was killed'

    waiting = "SELECT count(*) FROM packets WHERE receiver = 'south'"
    await_count(fed, 'north', waiting, WINDOW)
    for _ in range(100):
        assert count(fed, 'north', waiting) == WINDOW
    assert count(fed, 'north', 'SELECT count(*) FROM events WHERE kind = 4') <= had + 2 * WINDOW + 1

    south = fed.serve('south')
    assert coordinator.wait() == 0, coordinator.lines
    assert [owner.wait() for owner in (north, south)] == [0, 0], north.lines + south.lines
    assert not south.count('is cut off') and not north.count('is cut off'), north.lines + south.lines
    with open(os.path.join(fed.folder, 'model.json')) as file:
        assert len(json.load(file)['trees']) == 2


federation.main(test)
