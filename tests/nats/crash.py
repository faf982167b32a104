#!/usr/bin/env python3
"""Owners, coordinator and broker are killed (SIGKILL) at random moments of jobs over a real broker, and started again. Whatever happens: the job ends
with a model of one tree a slot at most, every ledger was charged exactly once, and nobody gave two trees for one slot. A job of hedge ends with a
model whose account can be read, of fewer trees if answers were lost, or it stops and says why.
usage: crash.py HEDGEROW [hedge] [JOBS [SEED]]   each job has five kills"""
import json
import os
import random
import threading

import federation
from federation import HOSPITALS, SECONDS, Federation

KILLS = 5


class Job:
    def __init__(self, fed, coin, rounds):
        self.fed, self.coin, self.rounds = fed, coin, rounds
        self.wake = threading.Event()
        self.parties = {name: fed.serve(name, self.wake.set) for name in HOSPITALS}
        self.parties['coordinator'] = fed.coordinate(self.wake.set)
        self.lines = [party.lines for party in self.parties.values()]

    def restart(self, name):
        self.parties[name] = self.fed.coordinate(self.wake.set) if name == 'coordinator' else self.fed.serve(name, self.wake.set)
        self.lines.append(self.parties[name].lines)

    def await_line_or_moment(self):
        """Moments are random: now and then right after a line, else anywhere."""
        self.wake.clear()
        self.wake.wait(self.coin.choice([0, .002, .01, .03, .1, .3]))

    def kill_one(self):
        name = self.coin.choice(HOSPITALS + HOSPITALS + ['coordinator', 'coordinator', 'broker'])
        if name == 'broker':
            self.fed.broker.kill()
            self.fed.start_broker()
        elif self.parties[name].runs():
            self.parties[name].kill()
            self.restart(name)

    def over(self, name):
        return not self.fed.ask(name, 'SELECT 1 FROM jobs WHERE NOT over') and self.fed.ask(name, 'SELECT 1 FROM jobs')


def run_with_kills(fed, coin, kills, rounds=1):
    """A job to its end. Some of its parties still run."""
    job = Job(fed, coin, rounds)
    for _ in range(kills):
        job.await_line_or_moment()
        job.kill_one()
    finish(job)
    return job


def check_charged_once(fed):
    for name in HOSPITALS:
        entries = fed.ask(name, 'SELECT epsilon_units, state FROM entries')
        assert len(entries) == 1 and entries[0][0] == 1 << 40, (name, entries)
        assert fed.ask(name, 'SELECT number FROM receipts JOIN entries ON entries.id = entry') == [(1,)], name
        stored = os.listdir(os.path.join(fed.folder, 'coordinator.db.receipts', name)) if entries[0][1] == 'committed' else ['one']
        assert len(stored) == 1, (name, stored)
        with open(os.path.join(fed.folder, name + '.entries')) as file:
            assert int(file.read().split()[-1]) <= 1, name  # behind after a kill between the charge and its count


def count_lost(job):
    return sum('work was lost' in line for lines in job.lines for line in lines)


def read_model(fed):
    with open(os.path.join(fed.folder, 'model.json')) as file:
        return json.load(file)


def count_trees(model):
    return len(model['forest']['trees']) if 'forest' in model else len(model['trees'])


def check_hedge(fed, job):
    """A round has a tree unless an answer of it was lost; without a model the reason is said."""
    check_charged_once(fed)
    lost, path = count_lost(job), os.path.join(fed.folder, 'model.json')
    if not os.path.exists(path):
        assert lost >= 3 and any('in a row were lost' in line for lines in job.lines for line in lines), (lost, job.lines)
        return
    fed.run('show', 'model.json')  # an account that exceeds the guarantee is refused
    model = read_model(fed)
    rounds, trees = sum(line['what'] == 'leaf count' for line in model['releases']), count_trees(model)
    assert 0 < trees <= rounds <= trees + lost, (trees, rounds, lost)


def check(fed, job):
    trees = count_trees(read_model(fed))
    burnt = count_lost(job)
    assert 0 < trees <= 3 * job.rounds, trees
    assert trees + burnt >= 3 * job.rounds, (trees, burnt)
    check_charged_once(fed)


def run_job(fed, coin, rounds):
    fed.new_job()
    for name in HOSPITALS:
        witness = os.path.join(fed.folder, name + '.entries')
        if os.path.exists(witness):
            os.remove(witness)
        fed.run('ledger', 'witness', name + '.db', witness)
    job = run_with_kills(fed, coin, KILLS, rounds)
    (check_hedge if fed.method == 'hedge' else check)(fed, job)
    for party in job.parties.values():
        if party.runs():
            party.kill()


def finish(job):
    """All parties run until all of them have come to the end of the job."""
    names = HOSPITALS + ['coordinator']
    for _ in range(10 * SECONDS):
        if all(job.over(name) for name in names):
            return
        for name in names:
            if not job.parties[name].runs() and not job.over(name):
                job.restart(name)
        job.wake.clear()
        job.wake.wait(.1)
    raise AssertionError('the job does not end: %s' % {name: p.lines[-3:] for name, p in job.parties.items()})


def test(tool, folder, words):
    method = 'hedge' if 'hedge' in words else 'inprivate'
    words = [word for word in words if word != 'hedge']
    jobs, seed = int(words[0]) if words else 4, int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(1 << 32)
    coin = random.Random(seed)
    print('%d jobs, seed %d' % (jobs, seed), flush=True)
    for order in ('chain', 'broadcast') if method == 'inprivate' else ('sums',):
        where = os.path.join(folder, order)
        os.mkdir(where)
        fed = Federation(tool, where, rounds=2, order=order, method=method)
        fed.start_broker()
        for _ in range((jobs + 1) // 2):
            run_job(fed, coin, 2)
        fed.broker.kill()
    print('%d kills' % (KILLS * (2 if method == 'inprivate' else 1) * ((jobs + 1) // 2)))


if __name__ == '__main__':
    federation.main(test)
