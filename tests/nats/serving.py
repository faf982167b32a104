#!/usr/bin/env python3
"""A coordinator that serves a folder, over a real broker: jobs are submitted while it runs and while it does not, two run at once, one is
refused by its owners, one cannot begin, one is cancelled in mid-job, and the process is killed (SIGKILL) again and again. Whatever happens, every
job has one end, every owner paid once for each that it took part in, and every result is there.
usage: serving.py HEDGEROW [SEED]"""
import json
import os
import random
import re
import signal
import subprocess
import time

import federation
from federation import SECONDS, Federation, Process, edit

COORDINATOR = '''hedgerow-coordinator: 1
name: coordinator
federation: ../fed/coordinator/federation.yaml
key: ../fed/coordinator/coordinator.key
certificate: ../fed/coordinator/tls.pem
certificate-key: ../fed/coordinator/tls-key.pem
at-once: 2
'''
JOB = '''hedgerow-job: 1
schema: schema.yaml
method: inprivate
epsilon: 0.01
rounds: 2
owners: [north, south]
'''
KILLS = 12


def run(fed, code, *words):
    done = subprocess.run([fed.tool, *words], cwd=fed.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, (words, done)
    return done.stdout + done.stderr


def submit(fed, name, *changes, file='work.yaml'):
    if changes:
        edit(fed, 'work.yaml', *changes)
    said = json.loads(run(fed, 0, 'submit', 'desk', file, '--name', name, '--json'))
    fed.write('work.yaml', JOB)
    assert said['name'] == name and len(said['id']) == 32, said
    return said


def jobs(fed):
    return {job['name']: job for job in json.loads(run(fed, 0, 'jobs', 'desk', '--json'))['jobs']}


def coordinate(fed, on_line=None):
    return Process([fed.tool, 'coordinate', '--serve', 'desk'], fed.folder, on_line)


def follow(fed, name):
    """Returns the log of the job, when it has ended."""
    return subprocess.run([fed.tool, 'jobs', 'log', 'desk', name, '--follow'], cwd=fed.folder, text=True, stdout=subprocess.PIPE, check=True,
                          timeout=SECONDS).stdout


def check_result(fed, name, trees):
    run(fed, 0, 'jobs', 'fetch', 'desk', name, '-o', name + '.json')
    with open(os.path.join(fed.folder, name + '.json'), 'rb') as copy, open(os.path.join(fed.folder, 'desk/jobs', name, 'model.json'), 'rb') as kept:
        assert copy.read() == kept.read(), name
    shown = run(fed, 0, 'show', name + '.json', '--json')
    assert json.loads(shown)['trees'] == trees, shown
    assert 'exists already' in run(fed, 1, 'jobs', 'fetch', 'desk', name, '-o', name + '.json')


def most_at_once(coordinator):
    """By the log, in which each line of a job has the first digits of its id."""
    open_jobs, most = set(), 0
    for line in coordinator.lines:
        job = re.search(r' ([0-9a-f]{8}): ', line) or re.search(r'\b([0-9a-f]{8})\b', line)
        if job and re.search(r"the job '.*' begins", line):
            open_jobs.add(job.group(1))
        elif job and ('the job is done' in line or 'the job ended' in line):
            open_jobs.discard(job.group(1))
        most = max(most, len(open_jobs))
    return most


def check_charges(fed, names):
    """An owner pays for each of these jobs once."""
    for owner in ('north', 'south'):
        paid = fed.ask(owner, 'SELECT count(*), count(DISTINCT entry) FROM jobs WHERE entry IS NOT NULL AND entry != 0')[0]
        entries = fed.ask(owner, 'SELECT count(*) FROM entries')[0][0]
        assert paid == (len(names), len(names)) and entries == len(names), (owner, paid, entries, names)


def check_queue(fed):
    """Without a coordinator: jobs are queued, listed, and cancelled."""
    assert 'no jobs' in run(fed, 0, 'jobs', 'desk')
    said = run(fed, 0, 'submit', 'desk', 'work.yaml', '--name', 'one')
    assert 'is queued' in said and "start one with 'hedgerow coordinate --serve desk'" in said, said
    names = ['one'] + [submit(fed, name)['name'] for name in ('two', 'three', 'four', 'five')]
    assert not submit(fed, 'never')['running']
    assert list(jobs(fed)) == [*names, 'never'], jobs(fed)
    assert all(job['state'] == 'queued' and job['open'] and job['epsilon'] == .01 for job in jobs(fed).values())
    assert 'has not ended' in run(fed, 1, 'jobs', 'fetch', 'desk', 'one', '-o', 'x.json')
    assert 'Nothing was spent' in run(fed, 0, 'jobs', 'cancel', 'desk', 'never')
    assert jobs(fed)['never']['ending'] == 'cancelled'
    assert "'never' is over" in run(fed, 2, 'jobs', 'cancel', 'desk', 'never')
    assert 'no result: cancelled' in run(fed, 10, 'jobs', 'fetch', 'desk', 'never', '-o', 'x.json')
    return names


def check_five(fed, names):
    """Two at once; what was submitted counts, not what became of the files."""
    submit(fed, 'broken')
    fed.write('desk/jobs/broken/job.yaml', 'hedgerow-job: 1\nepsilon: many\n')
    submit(fed, 'costly', ('epsilon: 0.01', 'epsilon: 3'))
    os.rename(os.path.join(fed.folder, 'schema.yaml'), os.path.join(fed.folder, 'kept.yaml'))
    coordinator = coordinate(fed)
    coordinator.await_line('ready for jobs, 2 at once')
    assert 'uses this file' in run(fed, 6, 'coordinate', '--serve', 'desk')
    for name in names:
        assert 'info the job is done' in follow(fed, name), name
        check_result(fed, name, 4)
    assert 'error the job \'broken\' cannot begin' in follow(fed, 'broken')
    assert 'declines' in follow(fed, 'costly')
    os.rename(os.path.join(fed.folder, 'kept.yaml'), os.path.join(fed.folder, 'schema.yaml'))
    listed = jobs(fed)
    assert [listed[name]['ending'] for name in ('one', 'broken', 'costly')] == ['done', 'failed', 'declined'], listed
    assert 'no result: failed' in run(fed, 1, 'jobs', 'fetch', 'desk', 'broken', '-o', 'x.json')
    assert 'no result: declined' in run(fed, 3, 'jobs', 'fetch', 'desk', 'costly', '-o', 'x.json')
    assert most_at_once(coordinator) == 2, coordinator.lines
    assert json.loads(run(fed, 0, 'status', 'desk', '--json'))['running']
    return coordinator


def submit_waiting(fed, name):
    return submit(fed, name, ('owners: [north, south]', 'owners: [north, south, west]'))


def check_cancel(fed, coordinator):
    """West is away: its job waits, others go on beside it, until it is cancelled."""
    assert submit_waiting(fed, 'waits')['running']
    coordinator.await_line("the job 'waits' begins")
    submit(fed, 'beside')
    assert 'the job is done' in follow(fed, 'beside')
    assert json.loads(run(fed, 0, 'jobs', 'cancel', 'desk', 'waits', '--json'))['ended']
    assert 'the job ended: cancelled: by the coordinator' in follow(fed, 'waits')
    assert coordinator.runs()


def check_reload(fed, coordinator):
    """SIGHUP reads how many jobs may run; a job that is cancelled while no process serves ends at the next start."""
    submit_waiting(fed, 'absent')
    coordinator.await_line("the job 'absent' begins")
    edit(fed, 'desk/coordinator.yaml', ('at-once: 2', 'at-once: 1'))
    coordinator.process.send_signal(signal.SIGHUP)
    coordinator.await_line('the files were read anew')
    queued = submit(fed, 'behind')
    assert jobs(fed)['absent']['state'] == 'running' and jobs(fed)['behind']['state'] == 'queued'
    fed.write('desk/coordinator.yaml', COORDINATOR.replace('at-once: 2', 'at-once: 0'))
    coordinator.process.send_signal(signal.SIGHUP)
    coordinator.await_line('the previous ones stay in force')
    assert coordinator.stop() == 0
    assert "at-once: '0' is not an integer of jobs from 1 to 16" in run(fed, 1, 'coordinate', '--serve', 'desk')
    fed.write('desk/coordinator.yaml', COORDINATOR)
    assert 'no coordinator serves this folder now' in run(fed, 0, 'jobs', 'cancel', 'desk', 'absent')
    coordinator = coordinate(fed)
    assert 'cancelled: by the coordinator' in follow(fed, 'absent')
    assert 'the job is done' in follow(fed, queued['id'][:8])
    check_result(fed, 'behind', 4)
    return coordinator


def check_kills(fed, coordinator, coin):
    """At random moments, right after a line or anywhere."""
    names = ['kill-%d' % i for i in range(6)]
    for name in names:
        submit(fed, name)
    for _ in range(KILLS):
        seen = len(coordinator.lines)
        if coin.random() < .7:
            with coordinator.came:
                coordinator.came.wait_for(lambda: len(coordinator.lines) > seen or coordinator.ended, 1)
        time.sleep(coin.choice([0, .005, .02, .1]))
        coordinator.kill()
        coordinator = coordinate(fed)
        coordinator.await_line('ready for jobs')
    for name in names:
        assert 'the job is done' in follow(fed, name), name
        check_result(fed, name, 4)
    assert coordinator.stop() == 0
    return names


def test(tool, folder, words):
    seed = int(words[0]) if words else random.randrange(1 << 32)
    print('seed', seed)
    fed = Federation(tool, folder)
    for name in fed.owners:
        edit(fed, name + '.yaml', ('owners: 3', 'owners: 2'))
    fed.launch_broker()
    fed.new_job()
    os.mkdir(os.path.join(folder, 'desk'))
    fed.write('desk/coordinator.yaml', COORDINATOR)
    fed.write('work.yaml', JOB)
    owners = [Process([fed.tool, 'serve', name + '.yaml'], fed.folder) for name in ('north', 'south')]
    names = check_queue(fed)
    coordinator = check_five(fed, names)
    check_cancel(fed, coordinator)
    coordinator = check_reload(fed, coordinator)
    killed = check_kills(fed, coordinator, random.Random(seed))
    done = [name for name, job in jobs(fed).items() if job['ending'] == 'done']
    assert done == [*names, 'beside', 'behind', *killed], done
    check_charges(fed, done)
    assert [owner.stop() for owner in owners] == [0, 0]


if __name__ == '__main__':
    federation.main(test)
