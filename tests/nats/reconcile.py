#!/usr/bin/env python3
"""A coordinator loses its journal twice, while three owners hold its jobs: it learns of them from the owners, ends those that it names, leaves
alone the job that its journal knows, and that one ends with a model. usage: reconcile.py HEDGEROW"""
import json
import os
import subprocess

import federation
from federation import HOSPITALS, SECONDS, Federation


DESK = '''hedgerow-coordinator: 1
name: coordinator
federation: ../fed/coordinator/federation.yaml
key: ../fed/coordinator/coordinator.key
certificate: ../fed/coordinator/tls.pem
certificate-key: ../fed/coordinator/tls-key.pem
'''


def run(fed, code, *words):
    done = subprocess.run([fed.tool, *words], cwd=fed.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, (words, done)
    return done.stdout, done.stderr


def jobs(fed, file):
    return json.loads(run(fed, 0, 'jobs', file, '--json')[0])['jobs']


def reconcile(fed, code, *words):
    out, _ = run(fed, code, 'jobs', 'reconcile', 'job.yaml', '--json', *words)
    return json.loads(out)


def held(told):
    return sorted((job['owner'], job['id'], job['ended']) for job in told['jobs'])


def offer(fed, owners):
    """A job that waits for a person at every owner. Returns its coordinator and its id."""
    words = 'waits for `hedgerow jobs approve`'
    before = {name: owner.count(words) for name, owner in owners.items()}
    coordinator = fed.coordinate()
    for name, owner in owners.items():
        with owner.came:
            assert owner.came.wait_for(lambda: owner.count(words) > before[name] or owner.ended, SECONDS), owner.lines
    return coordinator, jobs(fed, 'job.yaml')[-1]['id']


def lose_journal(fed, coordinator):
    coordinator.kill()
    for end in ('.db', '.db-wal', '.db-shm'):
        if os.path.exists(os.path.join(fed.folder, 'coordinator' + end)):
            os.remove(os.path.join(fed.folder, 'coordinator' + end))


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.launch_broker()
    fed.new_job()
    for name in HOSPITALS:
        fed.edit(name + '.yaml', 'owners: 3', 'owners: 3\n  approve: manual')
    owners = {name: federation.Process([fed.tool, 'serve', name + '.yaml'], fed.folder) for name in HOSPITALS}
    coordinator, running = offer(fed, owners)
    for name in ('north', 'south'):
        run(fed, 0, 'jobs', 'approve', name + '.yaml', running)
        owners[name].await_line('takes part in a job of coordinator')
    lose_journal(fed, coordinator)
    coordinator, undecided = offer(fed, owners)
    # While a program of the coordinator runs, none asks.
    said = run(fed, 6, 'jobs', 'reconcile', 'job.yaml')[1]
    assert "the job 'job' (id %s) runs" % undecided[:8] in said, said
    lose_journal(fed, coordinator)
    coordinator, known = offer(fed, owners)
    coordinator.kill()

    # All that the journal does not know, at every owner; the owner that is not there is named.
    owners['west'].kill()
    there = [name for name in HOSPITALS if name != 'west']
    told = reconcile(fed, 1)
    assert told['silent'] == ['west'] and not told['not_ended'], told
    assert held(told) == sorted((name, job, False) for name in there for job in (running, undecided)), told
    owners['west'] = federation.Process([fed.tool, 'serve', 'west.yaml'], fed.folder)
    owners['west'].await_line('ready for jobs')
    told = reconcile(fed, 0)
    assert not told['silent'] and held(told) == sorted((name, job, False) for name in HOSPITALS for job in (running, undecided)), told
    assert {(job['name'], job['charged']) for job in told['jobs']} == {('job', False)} and all(job['since'].startswith('20') for job in told['jobs'])
    assert {job['owner'] for job in reconcile(fed, 0, '--owner', 'south')['jobs']} == {'south'}
    text = run(fed, 0, 'jobs', 'reconcile', 'job.yaml')[0]
    assert text.count(running[:8]) == 3 and text.count(undecided[:8]) == 3 and known[:8] not in text and '--end with its id' in text, text

    # The folder of a coordinator that serves has a journal of its own, which knows none of the jobs.
    os.mkdir(os.path.join(folder, 'desk'))
    fed.write('desk/coordinator.yaml', DESK)
    told = json.loads(run(fed, 0, 'jobs', 'reconcile', 'desk', '--json')[0])
    assert held(told) == sorted((name, job, False) for name in HOSPITALS for job in (running, undecided, known)), told

    # A job that the journal knows is not ended here, nor one that nobody holds; nothing has ended by then.
    for job in (known, 'f' * 32):
        said = run(fed, 2, 'jobs', 'reconcile', 'job.yaml', '--end', job)[1]
        assert "the id '%s' is not of a job that an owner listed and the journal does not know" % job in said, said
    assert "'job' is not the beginning of a job's id" in run(fed, 2, 'jobs', 'reconcile', 'job.yaml', '--end', 'job')[1]
    assert "'east' is not another member of 'demo'" in run(fed, 2, 'jobs', 'reconcile', 'job.yaml', '--owner', 'east')[1]
    assert 'an owner\'s jobs are in its ledger' in run(fed, 2, 'jobs', 'reconcile', 'north.yaml')[1]
    for name in HOSPITALS:
        assert [job['open'] for job in jobs(fed, name + '.yaml')] == [True] * 3

    # The two end, also at an owner that was started again; the one that is known goes on.
    told = reconcile(fed, 0, '--end', running, '--end', undecided[:8])
    assert held(told) == sorted((name, job, True) for name in HOSPITALS for job in (running, undecided)), told
    assert held(reconcile(fed, 0)) == []
    assert 'hold no job that the journal does not know' in run(fed, 0, 'jobs', 'reconcile', 'job.yaml')[0]
    for name in HOSPITALS:
        states = {job['id']: (job['open'], job['ending']) for job in jobs(fed, name + '.yaml')}
        assert states == {running: (False, 'cancelled'), undecided: (False, 'cancelled'), known: (True, '')}, states
        assert jobs(fed, name + '.yaml')[0]['state'] == 'cancelled: by the coordinator, which does not know the job any more'
        assert not fed.ask(name, 'SELECT 1 FROM packets'), name
        run(fed, 0, 'jobs', 'approve', name + '.yaml', known)
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    for name, owner in owners.items():
        assert owner.stop() == 0, owner.lines
        assert jobs(fed, name + '.yaml')[-1]['ending'] == 'done'
        assert '1 of 1 spent' in fed.run('ledger', 'show', name + '.db')


federation.main(test)
