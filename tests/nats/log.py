#!/usr/bin/env python3
"""The log of a whole job, for programs and for the journal of systemd: one object a line with level, member and job; priorities instead of times;
and no line that is less grave than was asked for. usage: log.py HEDGEROW"""
import json
import os
import re
import subprocess

import federation
from federation import HOSPITALS, Federation, Process, end_with_parent

TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ')
KEYS = ['time', 'level', 'member', 'job', 'message']


def objects(process, role, name):
    """The lines of a party; every one is an object of the promised keys, in their order."""
    found = [json.loads(line) for line in process.lines]
    for item in found:
        keys = ['member' if key == role else key for key in item]
        assert keys == [key for key in KEYS if key in keys], item
        assert TIME.fullmatch(item['time']) and item['level'] in ('error', 'warning', 'info', 'debug') and item[role] == name, item
    return found


def test_job(fed):
    """Of the three owners one writes objects, one words, one nothing."""
    fed.new_job()
    north = Process([fed.tool, 'serve', 'north.yaml', '--jobs', '1', '--log-format', 'json'], fed.folder)
    south = fed.serve('south')
    west = Process([fed.tool, 'serve', 'west.yaml', '--jobs', '1', '--quiet'], fed.folder)
    coordinator = Process([fed.tool, 'coordinate', 'job.yaml', '--model', 'model.json', '--log-format', 'json', '--log-level', 'warning'], fed.folder)
    for party in (north, south, west, coordinator):
        assert party.wait() == 0, party.lines
    assert west.lines == coordinator.lines == [], (west.lines, coordinator.lines)
    said = objects(north, 'owner', 'north')
    assert said[0]['message'] == 'ready for jobs' and 'job' not in said[0], said
    assert said[-1]['message'] == 'the job is done' and said[-1]['level'] == 'info', said
    job = json.loads(fed.run('jobs', 'north.yaml', '--json'))['jobs'][0]['id']
    assert {item['job'] for item in said if 'job' in item} == {job}, said
    line = TIME.pattern + r' info    south: (job %s: )?[^:]+' % job[:8]
    assert all(re.fullmatch(line, text) for text in south.lines[:-1]) and len(south.lines) > 3, south.lines


def serve_into(fed, name, path, *words):
    """As systemd starts a service: JOURNAL_STREAM names what standard error is."""
    with open(path, 'w') as stream:
        there = os.fstat(stream.fileno())
        environment = dict(os.environ, JOURNAL_STREAM='%d:%d' % (there.st_dev, there.st_ino))
        done = subprocess.run([fed.tool, 'serve', name + '.yaml', '--jobs', '1', *words], cwd=fed.folder, env=environment, stderr=stream,
                              preexec_fn=end_with_parent, timeout=federation.SECONDS)
    with open(path) as file:
        return done.returncode, file.read().splitlines()


def test_journal(fed):
    """The journal has times of its own. An error that ends the program is one there, too."""
    path = os.path.join(fed.folder, 'journal')
    fed.write('faulty.yaml', 'hedgerow-owner: 1\n')
    code, lines = serve_into(fed, 'faulty', path)
    assert code == 1 and len(lines) == 1 and lines[0].startswith('<3>faulty.yaml:1:1: '), lines
    code, lines = serve_into(fed, 'faulty', path, '--log-format', 'json')
    assert code == 1 and len(lines) == 1 and lines[0].startswith('<3>{'), lines
    assert list(json.loads(lines[0][3:])) == ['time', 'level', 'message'], lines
    fed.new_job()
    others = [fed.serve(name) for name in HOSPITALS[1:]] + [fed.coordinate()]
    code, lines = serve_into(fed, 'north', path)
    assert [party.wait() for party in others] == [0, 0, 0]
    assert code == 0 and lines[0] == '<6>north: ready for jobs' and re.fullmatch('<6>north: job [0-9a-f]{8}: the job is done', lines[-1]), lines


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.launch_broker()
    test_job(fed)
    test_journal(fed)


federation.main(test)
