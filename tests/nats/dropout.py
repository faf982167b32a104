#!/usr/bin/env python3
"""An owner that is lost after a job has begun, over a real broker: of four hospitals one is killed (SIGKILL) when the coordinator has its mask key. Jobs
of hedge, of a survival curve, of an evaluation and of bounds end with a model, a curve, figures and a schema of the other three. No sum is lost, and the log says who is left out.
usage: dropout.py HEDGEROW"""
import json
import os
import time

import federation
from crash import count_trees
from federation import SECONDS, Federation, edit

OTHERS, LOST = ['north', 'south', 'west'], 'east'
DECIDED = 2  # HR_EVENT_DECIDED


def await_answer(fed):
    """The coordinator has all that the owner sent."""
    for _ in range(50 * SECONDS):
        if fed.ask(LOST, 'SELECT 1 FROM events WHERE kind = %d' % DECIDED) and fed.ask(LOST, 'SELECT count(*) FROM packets') == [(0,)]:
            return
        time.sleep(.02)
    raise AssertionError('the answer of %s is not acknowledged' % LOST)


def lose_one(fed, *words):
    """The last owner comes when the lost one is gone: so the job begins with all four, and no question reaches the lost one."""
    fed.new_job()
    owners = {name: fed.serve(name) for name in [LOST, *OTHERS[1:]]}
    coordinator = federation.Process([fed.tool, 'coordinate', *words], fed.folder)
    await_answer(fed)
    owners[LOST].kill()
    owners[OTHERS[0]] = fed.serve(OTHERS[0])
    assert coordinator.wait() == 0, coordinator.lines
    assert [owners[name].wait() for name in OTHERS] == [0] * len(OTHERS)
    assert coordinator.count('4 of 4 owners take part'), coordinator.lines
    assert coordinator.count('question 1 goes on: owner east has not answered in time') == 1, coordinator.lines
    assert not coordinator.count('is lost') and not coordinator.count('was lost'), coordinator.lines


def read(fed, name):
    with open(os.path.join(fed.folder, name)) as file:
        return file.read()


def test(tool, folder, words):
    def members(own, job):
        fed = Federation(tool, own, owners=[*OTHERS, LOST], method='hedge')
        fed.launch_broker()
        edit(fed, 'job.yaml', ('epsilon: 1\n', 'epsilon: 1\ndeadline: 10\n'), ('method: hedge', job))
        for name in fed.owners:
            edit(fed, name + '.yaml', ('[hedge]', '[hedge, survival-curve, evaluation, bounds]'), ('data: %s.csv\n' % name, 'data: {0}.csv\ntest: {0}.csv\n'.format(name)))
        return fed

    def test_model(own):
        fed = members(own, 'method: hedge')
        lose_one(fed, 'job.yaml', '--model', 'model.json')
        assert count_trees(json.loads(read(fed, 'model.json'))) > 0

    def test_curve(own):
        fed = members(own, 'method: survival-curve\ndelta: 1e-6')
        for seed, name in enumerate(fed.owners):
            os.remove(os.path.join(own, name + '.csv'))
            fed.run('generate', 'hospital', '--times', '--rows', '500', '--seed', str(seed), '-o', name + '.csv')
        os.remove(os.path.join(own, 'schema.yaml'))
        fed.run('generate', 'hospital', '--times', '--rows', '10', '-o', 'few.csv', '--schema', 'schema.yaml')
        lose_one(fed, 'job.yaml', '--model', 'model.json')
        model = json.loads(read(fed, 'model.json'))
        assert model['trees'] == [] and model['settings']['job.owners'] == '4', model['settings']
        assert abs(float(model['settings']['records']) - 1500) < 300 and model['settings']['curve'].startswith('30: '), model['settings']
        assert [(line['what'], line['shares']) for line in model['releases']] == [('interval counts', 2)], model['releases']
        for name in OTHERS:
            assert fed.run('ledger', 'show', name + '.db').startswith('epsilon  1 of 1 spent'), name

    def test_evaluation(own):
        fed = members(own, 'method: evaluation\nmodel: tested.json')
        fed.run('ledger', 'create', 'tested.db', '--epsilon', '1')
        fed.run('train', '--data', 'north.csv', '--schema', 'schema.yaml', '--epsilon', '1', '--delta', '0', '--ledger', 'tested.db', '--model', 'tested.json')
        lose_one(fed, 'job.yaml', '--figures', 'figures.json')
        figures = read(fed, 'figures.json')
        assert "one of the 3 owners' tables" in figures, figures

    def test_bounds(own):
        fed = members(own, 'method: bounds\ncolumns: [age]')
        lose_one(fed, 'job.yaml', '--schema', 'bounds.yaml')
        assert 'one of the 3 owners' in read(fed, 'bounds.yaml').replace('\n# ', ' ')

    federation.beside(folder, test_model, test_curve, test_evaluation, test_bounds)


federation.main(test)
