#!/usr/bin/env python3
"""How long a job of hedge over owners takes over a broker on this machine, with TLS, every member a process of its own; and in one process
(simulate, one thread). Rows are of each owner; epsilon 1.
usage: hedge_speed.py HEDGEROW [OWNERS [ROWS [RUNS]]]"""
import json
import os
import resource
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'nats'))
import federation  # noqa: E402

os.environ.setdefault('OMP_WAIT_POLICY', 'passive')


def edit(fed, name, *changes):
    path = os.path.join(fed.folder, name)
    with open(path) as file:
        text = file.read()
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    fed.write(name, text)


def of_hedge(fed):
    """The files of a federation, whose job is one of inprivate."""
    for name in fed.owners:
        edit(fed, name + '.yaml', ('methods: [inprivate]\n  epsilon: 1\n', 'methods: [hedge]\n  epsilon: 1\n  delta: 1e-6\n'))
    edit(fed, 'job.yaml', ('method: inprivate', 'method: hedge'), ('rounds: 1\norder: chain\n', ''))


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def new_job(fed):
    fed.new_job()
    for name in fed.owners:
        os.remove(os.path.join(fed.folder, name + '.db'))
        fed.run('ledger', 'create', name + '.db', '--epsilon', '1', '--delta', '1e-6')


def over_broker(fed):
    """(seconds, processor seconds of all members, rounds)"""
    new_job(fed)
    before = processor()
    owners = [fed.serve(name) for name in fed.owners]
    for owner in owners:
        owner.await_line('ready for jobs')
    begin = time.monotonic()
    coordinator = fed.coordinate()
    assert coordinator.process.wait() == 0, coordinator.lines
    seconds = time.monotonic() - begin
    for owner in owners:
        assert owner.wait() == 0, owner.lines
    with open(os.path.join(fed.folder, 'model.json')) as file:
        return seconds, processor() - before, len(json.load(file)['trees'])


def in_one_process(fed):
    begin, before = time.monotonic(), processor()
    words = [word for name in fed.owners for word in ('--data', name + '.csv')]
    fed.run('simulate', 'job.yaml', *words, '--model', 'simulated.json', '--force', '--threads', '1')
    with open(os.path.join(fed.folder, 'simulated.json')) as file:
        return time.monotonic() - begin, processor() - before, len(json.load(file)['trees'])


def measure(tool, folder, words):
    count, rows, runs = (int(word) for word in [*words, *('10', '22000', '1')[len(words):]])
    fed = federation.Federation(tool, folder, rows=rows, owners=['owner-%d' % i for i in range(count)])
    of_hedge(fed)
    fed.launch_broker()
    for name, run in (('over a broker', over_broker), ('in one process', in_one_process)):
        found = [run(fed) for _ in range(runs)]
        print('%-14s %d owners of %d records: %d rounds, %.1f s, processor %.1f s (median of %d; load %.1f)' % (
            name, count, rows, found[0][2], statistics.median(f[0] for f in found), statistics.median(f[1] for f in found), runs,
            os.getloadavg()[0]), flush=True)
    fed.broker.kill()


federation.main(measure)
