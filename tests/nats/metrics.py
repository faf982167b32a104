#!/usr/bin/env python3
"""The numbers that an owner writes for Prometheus: of a whole job, replaced as a whole, and none that tells of a record; and those of a coordinator
that serves.
usage: metrics.py HEDGEROW"""
import os
import re

import federation
from federation import HOSPITALS, Federation, Process
from serving import COORDINATOR, JOB

LINES = re.compile(r'# HELP (hedgerow_\w+) [^\n]+\n# TYPE \1 (gauge|counter)\n\1\{owner="north"\} ([-+0-9.e]+)\n')

REFUSED = re.compile(r'# HELP hedgerow_packets_refused_total [^\n]+\n# TYPE hedgerow_packets_refused_total counter\n'
                     r'((?:hedgerow_packets_refused_total\{owner="north",reason="(?:unreadable|quota|offer)"\} \d+\n){3})')

ENDED = re.compile(r'# HELP hedgerow_jobs_ended_total [^\n]+\n# TYPE hedgerow_jobs_ended_total counter\n'
                   r'((?:hedgerow_jobs_ended_total\{owner="north",ending="[a-z ]+"\} \d+\n)+)')


def read(folder):
    """{name: number}; every line is of the format."""
    with open(os.path.join(folder, 'north.prom')) as file:
        text = file.read()
    assert LINES.sub('', ENDED.sub('', REFUSED.sub('', text))) == '', text
    found = {match[1]: float(match[3]) for match in LINES.finditer(text)}
    return dict(found, refused=[int(line.split()[1]) for line in REFUSED.search(text)[1].splitlines()])


def serve(fed, name):
    return Process([fed.tool, 'serve', name + '.yaml', '--jobs', '1', '--metrics', name + '.prom'], fed.folder)


def run_job(fed):
    fed.new_job()
    north = serve(fed, 'north')
    north.await_line('ready for jobs')
    before = read(fed.folder)
    parties = [north] + [fed.serve(name) for name in HOSPITALS[1:]] + [fed.coordinate()]
    for party in parties:
        assert party.wait() == 0, party.lines
    return before, read(fed.folder)


def test_job(fed):
    before, after = run_job(fed)
    assert before['hedgerow_jobs_open'] == before['hedgerow_jobs_done_total'] == before['hedgerow_packets_sent_total'] == 0, before
    assert before['hedgerow_epsilon_left'] == before['hedgerow_epsilon_limit'] == 1, before
    assert after['hedgerow_jobs_done_total'] == 1 and after['hedgerow_jobs_failed_total'] == after['hedgerow_jobs_open'] == 0, after
    assert after['hedgerow_epsilon_left'] == 0 and after['hedgerow_ledger_frozen'] == 0, after
    assert after['hedgerow_packets_sent_total'] > 3 and after['hedgerow_packets_received_total'] > 3, after
    assert after['hedgerow_last_packet_timestamp_seconds'] > 1e9 > before['hedgerow_last_packet_timestamp_seconds'], after
    assert sorted(name for name in os.listdir(fed.folder) if 'prom' in name) == ['north.prom']
    assert os.stat(os.path.join(fed.folder, 'north.prom')).st_mode & 0o777 == 0o644


def lose_broker(fed):
    """An owner that was ready and has noticed that its broker is gone."""
    north = serve(fed, 'north')
    north.await_line('ready for jobs')
    before = read(fed.folder)
    assert before['hedgerow_connected'] == 1 and before['hedgerow_reconnects_total'] == 0 and before['refused'] == [0, 0, 0], before
    fed.broker.kill()
    north.await_line('the connection to the broker is lost')
    return north


def test_connection(fed):
    """A broker that is gone, and one that is back, are in the last numbers."""
    north = lose_broker(fed)
    assert north.stop() == 0, north.lines
    assert read(fed.folder)['hedgerow_connected'] == 0
    fed.launch_broker()
    north = lose_broker(fed)
    fed.launch_broker()
    north.await_line('the connection to the broker is back')
    assert north.stop() == 0, north.lines
    after = read(fed.folder)
    assert after['hedgerow_connected'] == 1 and after['hedgerow_reconnects_total'] == 1, after


def test_refusal(fed):
    """A place that cannot be written to is known before the first job."""
    refused = Process([fed.tool, 'serve', 'north.yaml', '--metrics', 'absent/north.prom'], fed.folder)
    assert refused.wait() == 1 and refused.count('absent/north.prom: cannot write the metrics: No such file'), refused.lines
    asked = Process([fed.tool, 'serve', 'north.yaml', '--metrics', 'north.prom'], fed.folder)
    asked.await_line('ready for jobs')
    os.remove(os.path.join(fed.folder, 'north.prom'))
    assert asked.stop() == 0, asked.lines
    assert read(fed.folder)['hedgerow_jobs_done_total'] == 0


def read_desk(fed):
    """{name and labels: number}; every line is of the format."""
    with open(os.path.join(fed.folder, 'desk.prom')) as file:
        lines = [line for line in file.read().splitlines() if not line.startswith('#')]
    found = [re.fullmatch(r'hedgerow_(\w+)\{coordinator="coordinator"(?:,\w+="([a-z ]+)")?\} ([-+0-9.e]+)', line) for line in lines]
    assert all(found), lines
    return {(match[1], match[2]): float(match[3]) for match in found}


def test_coordinator(fed):
    """It has seen north alone; one job began and waits for owners, one is queued behind it, one was cancelled."""
    os.mkdir(os.path.join(fed.folder, 'desk'))
    fed.write('desk/coordinator.yaml', COORDINATOR.replace('at-once: 2', 'at-once: 1'))
    fed.write('work.yaml', JOB)
    north = Process([fed.tool, 'serve', 'north.yaml'], fed.folder)
    north.await_line('ready for jobs')
    for name in ('first', 'gone', 'next'):
        fed.run('submit', 'desk', 'work.yaml', '--name', name)
    fed.run('jobs', 'cancel', 'desk', 'gone')
    desk = Process([fed.tool, 'coordinate', '--serve', 'desk', '--metrics', 'desk.prom'], fed.folder)
    desk.await_line('ready for jobs')
    before = read_desk(fed)
    assert before['jobs_open', None] == before['jobs_ended_total', 'done'] == before['owner_present', 'north'] == 0, before
    desk.await_line('owner north is present')
    desk.await_line("the job 'first' begins")
    assert desk.stop() == 0, desk.lines
    after = read_desk(fed)
    assert after['jobs_open', None] == after['jobs_queued', None] == after['jobs_ended_total', 'cancelled'] == 1, after
    assert [after['owner_present', name] for name in HOSPITALS] == [1, 0, 0], after
    assert after['owner_last_hello_timestamp_seconds', 'north'] >= after['start_timestamp_seconds', None] > 1e9, after
    assert after['owner_last_hello_timestamp_seconds', 'west'] == 0, after
    assert after['last_connection_timestamp_seconds', None] >= after['start_timestamp_seconds', None], after
    assert after['connected', None] == 1 and after['certificate_expires_timestamp_seconds', None] > 2e9, after
    assert north.stop() == 0, north.lines


def test(tool, folder, words):
    fed = Federation(tool, folder)
    fed.start_broker()
    test_job(fed)
    test_connection(fed)
    test_refusal(fed)
    test_coordinator(fed)


federation.main(test)
