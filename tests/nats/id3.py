#!/usr/bin/env python3
"""id3 over a real broker: three hospitals and a coordinator. First a job that nothing disturbs; then jobs of which a member is killed (SIGKILL) at
random moments and started again. Every job ends, all but one whose every sum was lost with a tree; every ledger was charged exactly once.
usage: id3.py HEDGEROW [JOBS [SEED]]   each job has three kills"""
import json
import os
import random

import federation
from crash import run_with_kills
from federation import HOSPITALS, Federation, edit

KILLS = 3


def check_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        model = json.load(file)
    assert model['method'] == 'id3' and len(model['trees']) == 1, model['method']
    assert '"job.coalition"' in json.dumps(model)


def check_ledgers(fed):
    for name in HOSPITALS:
        entries = fed.ask(name, 'SELECT epsilon_units, state FROM entries')
        assert len(entries) == 1 and entries[0][0] == 1 << 40, (name, entries)


def undisturbed(fed):
    fed.new_job()
    fed.train()
    check_model(fed)
    check_ledgers(fed)


def with_kills(fed, coin):
    fed.new_job()
    job = run_with_kills(fed, coin, KILLS)
    check_ledgers(fed)
    if os.path.exists(os.path.join(fed.folder, 'model.json')):
        check_model(fed)
    else:
        assert any('every sum was lost' in line for lines in job.lines for line in lines), job.lines
    for party in job.parties.values():
        if party.runs():
            party.kill()


def test(tool, folder, words):
    jobs, seed = int(words[0]) if words else 4, int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(1 << 32)
    print('%d jobs, seed %d' % (jobs, seed), flush=True)
    fed = Federation(tool, folder, method='id3')
    fed.start_broker()
    undisturbed(fed)
    for _ in range(jobs):
        with_kills(fed, random.Random(seed))
        seed += 1
    fed.broker.kill()


federation.main(test)
