#!/usr/bin/env python3
"""Certificates that expire soon, that have expired, and an authority that is renewed while certificates of the previous one are still used.
Only the program that makes a certificate has another clock: what is made 3,620 days ago holds for 33 more days.
usage: certificates.py HEDGEROW SHIFT_CLOCK"""
import json
import os
import re
import shutil
import subprocess
import sys

import federation
from federation import SECONDS, Federation, Process

AUTHORITY = "the certificate of the federation's authority (ca.pem) expires on "
NEW_CA = 'the founder makes a new authority: `hedgerow federation renew DIR --new-ca`'


class OldFederation(Federation):
    """Its certificates were made 3,620 days and a half ago: the number of days that they are still valid does not change within the test."""

    def __init__(self, tool, folder, clock):
        self.clock = clock
        super().__init__(tool, folder)

    def run(self, *words):
        return run(self, *words, days=-3620.5) if words[:2] == ('federation', 'init') else super().run(*words)


def run(fed, *words, days=0, code=0, **variables):
    """What it says, on a day that is so far from today."""
    env = dict(os.environ, **variables)
    if days:
        env.update(LD_PRELOAD=fed.clock, CLOCK_SHIFT_DAYS=str(days), ASAN_OPTIONS='verify_asan_link_order=0')
    said = subprocess.run([fed.tool, *words], cwd=fed.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, timeout=SECONDS)
    assert said.returncode == code, (words, said)
    return said.stdout


def refuse(fed, code, words, *command):
    said = run(fed, 'federation', 'renew', *command, code=code)
    assert words in said, said


def serve(fed, name):
    """Until it is ready: its lines."""
    party = Process([fed.tool, 'serve', name + '.yaml', '--metrics', name + '.prom'], fed.folder)
    party.await_line('ready for jobs')
    assert party.stop() == 0, party.lines
    return party


def test_soon(fed):
    """Who has to know is told: the founder, and the owner in log, status and metrics."""
    shown = run(fed, 'federation', 'show', 'fed')
    assert AUTHORITY in shown and ', in 3' in shown and NEW_CA in shown and "the certificate of 'north' expires on " in shown, shown
    ends = {c['name']: c['ends'] for c in json.loads(run(fed, 'federation', 'show', 'fed', '--json'))['certificates']}
    assert list(ends) == ['authority', 'broker', 'admin', 'coordinator', 'north', 'south', 'west'], ends
    assert serve(fed, 'north').count('warning north: ' + AUTHORITY) == 1
    status = run(fed, 'status', 'north.yaml')
    assert re.search(r'^expiry +' + re.escape(AUTHORITY + ends['north'][:10]), status, re.M), status
    assert json.loads(run(fed, 'status', 'north.yaml', '--json'))['certificate_ends'] == ends['north']
    with open(os.path.join(fed.folder, 'north.prom')) as file:
        assert re.search(r'hedgerow_certificate_expires_timestamp_seconds{owner="north"} 1\d{9}\n', file.read())


def test_new_authority(fed):
    """Certificates of the previous one are used until all are of the new one."""
    shutil.copytree(os.path.join(fed.folder, 'fed/south'), os.path.join(fed.folder, 'old'))
    assert NEW_CA in run(fed, 'federation', 'renew', 'fed', '--member', 'north'), 'it cannot hold longer than the authority'
    refuse(fed, 2, 'ca.pem has one authority alone', 'fed', '--drop-old-ca')
    assert 'version 2, ' in run(fed, 'federation', 'renew', 'fed', '--new-ca')
    refuse(fed, 2, 'ca.pem has two authorities already', 'fed', '--new-ca')
    refuse(fed, 3, 'certificates are still of the previous authority: broker, admin, coordinator, north, south, west;', 'fed', '--drop-old-ca')
    fed.reload_broker()
    run(fed, 'federation', 'renew', 'fed', '--member', 'north', '--days', '90')
    run(fed, 'federation', 'open', 'fed')
    assert not serve(fed, 'north').count('expires')
    for name in ('admin', 'coordinator', 'south', 'west', 'broker'):
        run(fed, 'federation', 'renew', 'fed', '--member', name)
    fed.reload_broker()
    run(fed, 'federation', 'open', 'fed')
    fed.write('old.yaml', federation.OWNER.format(name='south').replace('fed/south', 'old').replace('old/south.key', 'fed/south/south.key'))
    assert 'no secure connection' in run(fed, 'serve', 'old.yaml', code=1), 'the old ca.pem does not know the new broker'
    said = run(fed, 'serve', 'old.yaml', code=1, SSL_CERT_FILE=os.path.join(fed.folder, 'fed/ca.pem'))
    assert 'no secure connection' in said, 'an authority that the system trusts is none of the federation'
    shutil.copy(os.path.join(fed.folder, 'fed/ca.pem'), os.path.join(fed.folder, 'old/ca.pem'))
    shutil.copy(os.path.join(fed.folder, 'fed/federation.yaml'), os.path.join(fed.folder, 'old/federation.yaml'))
    assert serve(fed, 'old').count("the certificate of 'south' expires on") == 1
    assert 'version 3, ' in run(fed, 'federation', 'renew', 'fed', '--drop-old-ca')
    fed.reload_broker()
    assert 'no secure connection' in run(fed, 'serve', 'old.yaml', code=1)
    run(fed, 'federation', 'open', 'fed')
    assert run(fed, 'federation', 'show', 'fed') == 'no packets wait\n'
    run(fed, 'federation', 'add', 'fed', '--member', 'east')
    with open(os.path.join(fed.folder, 'fed/east/ca.pem')) as east, open(os.path.join(fed.folder, 'fed/ca.pem')) as all_:
        assert east.read() == all_.read()


def test_expired(fed):
    """Member, founder and status name who, since when, and what to do. The founder is told of the broker, too."""
    run(fed, 'federation', 'renew', 'fed', '--member', 'north', '--days', '30', days=-100)
    expired = re.compile(r"the certificate of 'north' expired on 2\d{3}-\d\d-\d\d[;:] the founder makes a new certificate: `hedgerow federation renew DIR")
    for words, code in ((('serve', 'north.yaml'), 1), (('federation', 'open', 'fed'), 1), (('federation', 'show', 'fed'), 0)):
        said = run(fed, *words, code=code)
        assert expired.search(said), said
    assert "expiry    the certificate of 'north' expired on 2" in run(fed, 'status', 'north.yaml')
    run(fed, 'federation', 'renew', 'fed', '--member', 'north')
    run(fed, 'federation', 'renew', 'fed', '--member', 'broker', '--days', '30', days=-100)
    fed.reload_broker()
    for words in (('serve', 'north.yaml'), ('federation', 'open', 'fed')):
        said = run(fed, *words, code=1)
        assert "the broker's certificate has expired; the founder makes a new one with `hedgerow federation renew DIR --member broker`" in said, said
    assert "the certificate of 'broker' expired on 2" in run(fed, 'federation', 'show', 'fed', code=1)


def test(tool, folder, words):
    fed = OldFederation(tool, folder, os.path.abspath(words[0]))
    fed.start_broker()
    for name in ('north', 'south'):
        fed.run('ledger', 'create', name + '.db', '--epsilon', '1')
    test_soon(fed)
    test_new_authority(fed)
    test_expired(fed)


if sys.platform != 'linux':
    print('only Linux loads the other clock')
    sys.exit(federation.SKIPPED)
federation.main(test)
