#!/usr/bin/env python3
"""Owners and a coordinator who are there before the broker: they wait for it, tell so once, and finish their job when it comes; they can be stopped
meanwhile. What waiting cannot mend ends them at once. Nobody's clock is looked at: the test waits for lines.
usage: wait.py HEDGEROW"""
import os
import shutil
import socket

import federation
from federation import HOSPITALS, SECONDS, Federation, Relay, free_port

WAITS = 'does not answer; trying again'


def test_job(fed):
    """The inboxes are there from an earlier start."""
    fed.start_broker()
    fed.new_job()
    fed.broker.kill()
    parties = [fed.serve(name) for name in HOSPITALS] + [fed.coordinate()]
    for party in parties:
        party.await_line('the broker at tls://localhost:%d %s' % (fed.port, WAITS))
        assert not party.count('is there'), party.lines
    fed.start_broker()
    for party in parties:
        assert party.wait() == 0, party.lines
        assert party.count(WAITS) == 1, party.lines
        assert party.count('the broker at tls://localhost:%d is there' % fed.port) == 1, party.lines
    assert os.path.exists(os.path.join(fed.folder, 'model.json'))


def test_cuts(tool, folder):
    """A connection that is cut off while hands are shaken is tried again, without a word; not for ever."""
    inside = free_port()
    relay = Relay(inside)
    fed = Federation(tool, folder, port=relay.port, broker_port=inside)
    fed.start_broker()
    fed.new_job()
    relay.cuts = 2
    parties = [fed.coordinate()]
    while relay.cuts:
        assert parties[0].runs(), parties[0].lines
    parties += [fed.serve(name) for name in HOSPITALS]
    for party in parties:
        assert party.wait() == 0, party.lines
        assert not party.count(WAITS), party.lines
    relay.cuts = 1000
    refuse(fed.serve('north'), 1, 'no secure connection')
    assert relay.cuts == 997


def test_stop(fed):
    """Where nobody listens; and while somebody who hung up twice says nothing."""
    fed.broker.kill()
    coordinator = fed.coordinate()
    coordinator.await_line(WAITS)
    assert coordinator.stop() == 1, coordinator.lines
    assert coordinator.count('stopped'), coordinator.lines
    with socket.create_server(('localhost', fed.port)) as listener:
        listener.settimeout(SECONDS)
        owner = fed.serve('north')
        for _ in range(2):
            listener.accept()[0].close()
        with listener.accept()[0]:
            assert owner.stop() == 0, owner.lines
    assert owner.count(WAITS) == 1, owner.lines


def refuse(party, code, words):
    assert party.wait() == code, party.lines
    assert party.count(words) == 1 and not party.count(WAITS), party.lines


def test_refusals(fed, other):
    """`other` is a federation with the same names, whose certificates ours does not know."""
    fed.start_broker()
    mine, theirs = os.path.join(fed.folder, 'fed'), os.path.join(other.folder, 'fed')
    ours = os.path.join(fed.folder, 'ours')
    for files, words in ((['north/tls.pem', 'north/tls-key.pem'], 'no secure connection'), (['north/ca.pem'], 'no secure connection'),
                         (['north/tls-key.pem'], 'no secure connection')):
        shutil.copytree(mine, ours)
        for name in files:
            shutil.copy(os.path.join(theirs, name), os.path.join(mine, name))
        refuse(fed.serve('north'), 1, words)
        shutil.rmtree(mine)
        os.rename(ours, mine)
    os.rename(os.path.join(mine, 'north/tls.pem'), os.path.join(mine, 'north/away.pem'))
    refuse(fed.serve('north'), 1, 'cannot read the certificate: No such file')
    shutil.copy(os.path.join(mine, 'south/tls.pem'), os.path.join(mine, 'north/tls.pem'))
    shutil.copy(os.path.join(mine, 'south/tls-key.pem'), os.path.join(mine, 'north/tls-key.pem'))
    refuse(fed.serve('north'), 3, 'the broker refuses it')


def test_unopened(fed):
    """The broker runs, without inboxes."""
    fed.run('ledger', 'create', 'south.db', '--epsilon', '1')
    fed.launch_broker()
    refuse(fed.serve('south'), 1, 'run `hedgerow federation open` at the broker')


def test(tool, folder, words):
    feds = []
    os.mkdir(os.path.join(folder, 'cut'))
    test_cuts(tool, os.path.join(folder, 'cut'))
    for name in ('fed', 'other'):
        where = os.path.join(folder, name)
        os.mkdir(where)
        feds.append(Federation(tool, where))
    test_job(feds[0])
    test_stop(feds[0])
    test_refusals(*feds)
    test_unopened(feds[1])


federation.main(test)
