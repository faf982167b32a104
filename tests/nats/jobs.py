#!/usr/bin/env python3
"""Jobs are listed and cancelled over a real broker, by the command line: while the programs run and while they do not. One owner never comes,
so that the job stays open. usage: jobs.py HEDGEROW"""
import json
import os
import subprocess

import federation
from federation import Federation


def run(fed, code, *words):
    done = subprocess.run([fed.tool, *words], cwd=fed.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, (words, done)
    return done.stdout + done.stderr


def jobs(fed, file):
    return json.loads(run(fed, 0, 'jobs', file, '--json'))['jobs']


def cancel(fed, file, job):
    return json.loads(run(fed, 0, 'jobs', 'cancel', file, job, '--json'))


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.launch_broker()
    fed.new_job()
    owners = [fed.serve(name) for name in ('north', 'south')]
    coordinator = fed.coordinate()
    for owner in owners:
        owner.await_line('takes part in a job of coordinator')
    fed.edit('job.yaml', 'journal: coordinator.db', 'journal: other.db', to='other.yaml')
    assert 'coordinator.key: another process uses this file' in run(fed, 6, 'coordinate', 'other.yaml', '--model', 'other.json')
    job = jobs(fed, 'job.yaml')[0]
    said = run(fed, 6, 'coordinate', 'job.yaml', '--model', 'other.json')
    assert "the job 'job' (id %s) runs: process %d uses this file since 2" % (job['id'][:8], coordinator.process.pid) in said, said
    assert "'hedgerow status job.yaml' shows how far it is; wait" in said and 'jobs cancel job.yaml %s' % job['id'][:8] in said, said
    said = run(fed, 6, 'serve', 'north.yaml')
    assert 'north.db: process %d uses this file since 2' % owners[0].process.pid in said and coordinator.runs(), said
    assert job['state'] == 'running' and job['open'] and jobs(fed, 'north.yaml')[0]['state'] == 'accepted'
    # An owner that runs.
    done = run(fed, 0, 'jobs', 'cancel', 'north.yaml', 'job')
    assert 'Job %s ended, and every member that has to know has confirmed it.' % job['id'][:8] in done, done
    coordinator.await_line('owner north declines: cancelled: by the owner')
    assert owners[0].wait() == 0
    # An owner that does not run.
    assert owners[1].stop() == 0
    told = cancel(fed, 'south.yaml', job['id'])
    assert told == {'id': job['id'], 'ended': True, 'told': True, 'unconfirmed': [], 'why': ''}, told
    coordinator.await_line('owner south declines: cancelled: by the owner')
    # A coordinator that was stopped, and its job file edited; one owner runs, another does not.
    assert coordinator.stop() == 1
    fed.edit('job.yaml', 'epsilon: 1', 'epsilon: 0.5', to='edited.yaml')
    assert 'the job file says epsilon: 0.5, the running job has 1' in run(fed, 3, 'coordinate', 'edited.yaml', '--model', 'model.json')
    # Nobody reaches the broker.
    fed.broker.kill()
    done = run(fed, 0, 'jobs', 'cancel', 'edited.yaml', job['id'][:8])
    assert 'is cancelled, but the other members do not know: ' in done and 'cannot connect to tls' in done, done
    marked = jobs(fed, 'job.yaml')[0]
    assert marked['open'] and marked['cancelled'], marked
    told = cancel(fed, 'job.yaml', 'job')
    assert not told['ended'] and not told['told'] and 'cannot connect to tls' in told['why'], told
    # It is back, and the last owner comes later.
    fed.launch_broker()
    told = cancel(fed, 'job.yaml', 'job')
    assert told['ended'] and not told['told'] and told['unconfirmed'] == ['north', 'south', 'west'], told
    assert not jobs(fed, 'job.yaml')[0]['open'] and jobs(fed, 'job.yaml')[0]['ending'] == 'cancelled'
    last = json.loads(run(fed, 0, 'status', 'job.yaml', '--json'))['last_job']
    assert last == {'id': last['id'], 'state': 'cancelled: by the coordinator', 'ending': 'cancelled'} and last['id'].startswith(job['id'][:8]), last
    assert 'ended     %s cancelled: by the coordinator' % job['id'][:8] in run(fed, 0, 'status', 'job.yaml')
    west = fed.serve('west')
    west.await_line('the job ended: cancelled: by the coordinator')
    assert west.wait() == 0, west.lines
    assert ' is over' in run(fed, 2, 'jobs', 'cancel', 'job.yaml', 'job')
    # One that runs says how its job ended by its exit code, too.
    fed.new_job()
    fed.edit('north.yaml', 'owners: 3', 'owners: 2')
    fed.edit('south.yaml', 'owners: 3', 'owners: 2\n  approve: manual')
    fed.edit('job.yaml', 'owners: [north, south, west]', 'owners: [north, south]', to='two.yaml')
    owner, other = fed.serve('north'), fed.serve('south')
    coordinator = federation.Process([fed.tool, 'coordinate', 'two.yaml', '--model', 'two.json'], fed.folder)
    other.await_line('waits for `hedgerow jobs approve`')
    owner.await_line('takes part in a job of coordinator')
    assert cancel(fed, 'two.yaml', 'two')['ended']
    assert coordinator.wait() == 10 and coordinator.count('the job ended: cancelled: by the coordinator') == 1, coordinator.lines
    for member in (owner, other):
        assert member.wait() == 0 and member.count('the job ended: cancelled: by the coordinator') == 1, member.lines
    test_audit(fed)


def test_audit(fed):
    """A run of the owner's alone, a job, and a job for which the budget is too small: each entry with its job, and the job without an entry."""
    fed.new_job()
    assert run(fed, 0, 'jobs', 'north.yaml', '--ledger') == 'no entries and no jobs\n'
    os.remove(os.path.join(fed.folder, 'north.db'))
    run(fed, 0, 'ledger', 'create', 'north.db', '--epsilon', '1.5')
    run(fed, 0, 'train', '--data', 'north.csv', '--schema', 'schema.yaml', '--epsilon', '0.5', '--delta', '0', '--ledger', 'north.db', '--model', 'alone.json')
    fed.edit('south.yaml', 'owners: 2\n  approve: manual', 'owners: 2')
    fed.train()
    parties = [fed.serve('north'), fed.serve('south')]
    coordinator = federation.Process([fed.tool, 'coordinate', 'two.yaml', '--model', 'second.json'], fed.folder)
    parties[0].await_line('the job ended: declined')
    # Also while it is served.
    rows = json.loads(run(fed, 0, 'jobs', 'north.yaml', '--ledger', '--json'))['charges']
    assert [sorted(row) for row in rows] == [['entry'], ['entry', 'job'], ['job']], rows
    alone, done, declined = rows[0]['entry'], rows[1], rows[2]['job']
    assert (alone['id'], alone['state'], alone['epsilon']) == (1, 'committed', .5) and alone['purpose'] == 'fit hedge for readmitted', alone
    assert (done['entry']['id'], done['entry']['state'], done['entry']['epsilon'], done['entry']['delta']) == (2, 'committed', 1, 0), done
    assert 'id ' + done['job']['id'][:8] in done['entry']['purpose'] and (done['job']['coordinator'], done['job']['ending']) == ('coordinator', 'done'), done
    assert declined['ending'] == 'declined' and declined['ledger'] == '' and declined['id'] != done['job']['id'], declined
    lines = run(fed, 0, 'jobs', 'north.yaml', '--ledger').splitlines()
    assert len(lines) == 4 and lines[1].split()[:2] == ['1', 'committed'] and 'no job is known: fit hedge' in lines[1], lines
    assert done['job']['id'][:8] in lines[2] and lines[2].endswith('job of coordinator: done'), lines
    assert lines[3].split()[:2] == ['-', '-'] and 'two of coordinator: declined' in lines[3], lines
    assert "job.yaml:1:1: unknown key 'hedgerow-job'" in run(fed, 1, 'jobs', 'job.yaml', '--ledger')
    coordinator.stop()
    for party in parties:
        party.stop()


federation.main(test)
