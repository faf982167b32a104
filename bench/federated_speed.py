#!/usr/bin/env python3
"""How long a job of ten owners takes over a broker on this machine, every member a process of its own, and in one process (simulate).
usage: federated_speed.py HEDGEROW [RUNS]"""
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'nats'))
import federation  # noqa: E402

# Eleven processes on few processors: a thread that spins keeps another member from its work.
os.environ.setdefault('OMP_WAIT_POLICY', 'passive')
OWNERS = ['owner-%d' % i for i in range(10)]
federation.HOSPITALS[:] = OWNERS
federation.JOB = federation.JOB.replace('[north, south, west]', '[%s]' % ', '.join(OWNERS))


def over_broker(fed):
    fed.new_job()
    owners = [fed.serve(name) for name in OWNERS]
    for owner in owners:
        owner.await_line('ready for jobs')
    begin = time.monotonic()
    assert fed.coordinate().wait() == 0
    seconds = time.monotonic() - begin
    for owner in owners:
        assert owner.wait() == 0, owner.lines
    return seconds


def in_one_process(fed):
    begin = time.monotonic()
    words = [word for name in OWNERS for word in ('--data', name + '.csv')]
    fed.run('simulate', 'job.yaml', *words, '--model', 'simulated.json')
    seconds = time.monotonic() - begin
    os.remove(os.path.join(fed.folder, 'simulated.json'))
    return seconds


def measure(tool, folder, words):
    runs = int(words[0]) if words else 5
    for order in ('chain', 'broadcast'):
        place = os.path.join(folder, order)
        os.mkdir(place)
        fed = federation.Federation(tool, place, order=order)
        fed.launch_broker()
        for name, run in (('over a broker', over_broker), ('in one process', in_one_process)):
            print('%-10s %-16s %.2f s (median of %d)' % (order, name, statistics.median(run(fed) for _ in range(runs)), runs))
        fed.broker.kill()


federation.main(measure)
