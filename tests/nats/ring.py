#!/usr/bin/env python3
"""id3 as published, on the ring of its paper, over a real broker: three hospitals and a coordinator. A job that nothing disturbs gives the tree that
`simulate` gives (of next to no noise). An owner that goes away ends the job, whose coordinator names it. An owner whose policy does not allow mode
paper declines. Then jobs of which a member is killed (SIGKILL) at random moments and started again: each ends with a tree, or says whose answer a sum
lacks. No ledger pays in any of them.
usage: ring.py HEDGEROW [JOBS [SEED]]   each job has three kills"""
import json
import os
import random

import federation
from crash import run_with_kills
from federation import HOSPITALS, Federation, edit

KILLS = 3


def read_tree(fed, name):
    with open(os.path.join(fed.folder, name)) as file:
        model = json.load(file)
    assert model['mode'] == 'paper' and not model['guarantee']['private'], model['guarantee']
    return model['trees']


def check_ledgers(fed):
    for name in HOSPITALS:
        assert fed.ask(name, 'SELECT 1 FROM entries') == [], name


def undisturbed(fed):
    fed.new_job()
    owners = [fed.serve(name) for name in HOSPITALS]
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    assert [owner.wait() for owner in owners] == [0, 0, 0]
    tables = [word for name in HOSPITALS for word in ('--data', name + '.csv')]
    fed.run('simulate', 'job.yaml', *tables, '--model', 'alone.json', '--force')
    assert read_tree(fed, 'model.json') == read_tree(fed, 'alone.json')
    check_ledgers(fed)


def owner_away(fed):
    """West accepts, which the job cannot start without, and stops before the others come."""
    fed.new_job()
    edit(fed, 'job.yaml', ('owners:', 'deadline: 10\nowners:'))
    coordinator = fed.coordinate()
    west = fed.serve('west')
    west.await_line('takes part')
    west.stop()
    owners = [fed.serve(name) for name in HOSPITALS if name != 'west']
    assert coordinator.wait() != 0
    assert coordinator.count('a sum on the ring is lost: owner west has not answered in time'), coordinator.lines
    for owner in owners:
        owner.wait()
    assert not os.path.exists(os.path.join(fed.folder, 'model.json'))
    check_ledgers(fed)
    edit(fed, 'job.yaml', ('deadline: 10\n', ''))


def declined(fed):
    fed.new_job()
    edit(fed, 'south.yaml', ('  unprotected: [id3]\n', ''))
    south = fed.serve('south')
    others = [fed.serve(name) for name in HOSPITALS if name != 'south']
    coordinator = fed.coordinate()
    coordinator.await_line('owner south declines: unprotected: id3 in paper mode has no guarantee, and is not listed')
    for party in [south, coordinator, *others]:
        party.kill()
    edit(fed, 'south.yaml', ('  owners: 3\n', '  owners: 3\n  unprotected: [id3]\n'))


def with_kills(fed, coin):
    fed.new_job()
    job = run_with_kills(fed, coin, KILLS)
    check_ledgers(fed)
    if os.path.exists(os.path.join(fed.folder, 'model.json')):
        read_tree(fed, 'model.json')
    else:
        lines = [line for lines in job.lines for line in lines]
        assert any('a sum on the ring is lost: owner' in line and 'has no answer' in line for line in lines), lines
    for party in job.parties.values():
        if party.runs():
            party.kill()


def test(tool, folder, words):
    jobs, seed = int(words[0]) if words else 4, int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(1 << 32)
    print('%d jobs, seed %d' % (jobs, seed), flush=True)
    fed = Federation(tool, folder)
    fed.start_broker()
    for name in HOSPITALS:
        edit(fed, name + '.yaml', ('methods: [inprivate]\n  epsilon: 1\n', 'methods: [id3]\n  epsilon: 10000\n'),
             ('  owners: 3\n', '  owners: 3\n  unprotected: [id3]\n'))
    edit(fed, 'job.yaml', ('method: inprivate\nepsilon: 1\n', 'method: id3\nmode: paper\nepsilon: 10000\n'), ('rounds: 1\norder: chain\n', ''))
    undisturbed(fed)
    owner_away(fed)
    declined(fed)
    for _ in range(jobs):
        with_kills(fed, random.Random(seed))
        seed += 1
    fed.broker.kill()


federation.main(test)
