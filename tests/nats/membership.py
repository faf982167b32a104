#!/usr/bin/env python3
"""Members join, leave, and get new keys and certificates while the broker runs. A hostile member that was removed stays connected as long as it can.
usage: membership.py HEDGEROW"""
import os
import shutil
import socket
import ssl
import subprocess
import time

import federation
from federation import OWNER, SECONDS, Federation, Process


def dial(fed, name, certificate='tls'):
    """A connection that speaks the broker's protocol, with a member's certificate."""
    folder = os.path.join(fed.folder, 'fed', name)
    plain = socket.create_connection(('localhost', fed.port), timeout=SECONDS)
    plain.recv(4096)  # INFO
    context = ssl.create_default_context(cafile=os.path.join(folder, 'ca.pem'))
    context.load_cert_chain(os.path.join(folder, certificate + '.pem'), os.path.join(folder, certificate + '-key.pem'))
    connection = context.wrap_socket(plain, server_hostname='localhost')
    connection.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nPING\r\n')
    return connection


def answer(connection, *ends):
    """All that the broker says until one of these words; without any, until it hangs up."""
    said = b''
    while not any(end in said for end in ends):
        try:
            piece = connection.recv(4096)
        except ConnectionError:
            break
        if not piece:
            break
        said += piece
    return said


def is_member(fed, name, certificate='tls'):
    with dial(fed, name, certificate) as connection:
        return b'PONG' in answer(connection, b'PONG', b'-ERR')


def reload_broker(fed):
    fed.reload_broker()
    fed.run('federation', 'open', 'fed')


def refuse(fed, code, words, *command):
    said = subprocess.run([fed.tool, *command], cwd=fed.folder, text=True, capture_output=True, timeout=SECONDS)
    assert said.returncode == code and words in said.stderr, said


def test_remove(fed):
    hostile = dial(fed, 'north')
    assert b'PONG' in answer(hostile, b'PONG')
    fed.run('federation', 'remove', 'fed', '--member', 'north')
    reload_broker(fed)
    answer(hostile)  # until the broker hangs up
    hostile.close()
    assert not is_member(fed, 'north')
    assert is_member(fed, 'south')


def test_add(fed):
    fed.run('generate', 'hospital', '--rows', '400', '--seed', '9', '-o', 'east.csv', '--schema', 'other.yaml')
    fed.write('east.yaml', OWNER.format(name='east'))
    fed.run('ledger', 'create', 'east.db', '--epsilon', '1')
    fed.run('federation', 'add', 'fed', '--member', 'east')
    fed.reload_broker()
    assert is_member(fed, 'east')
    refuse(fed, 1, "not every member can use its inbox ('east'): cannot open the inbox of 'east' in the federation 'demo': the broker does not pass on "
           "this member's requests; have the broker read its configuration once more", 'federation', 'open', 'fed')
    east = fed.serve('east')
    east.await_line("does not pass on this member's requests: if the member is new, have the broker read its configuration once more")
    reload_broker(fed)
    east.await_line('is there')
    east.await_line('ready for jobs')
    assert east.stop() == 0, east.lines


def test_rekey(fed):
    key = fed.run('keygen', 'south.key').strip()
    fed.run('federation', 'rekey', 'fed', '--member', 'south=' + key)
    os.replace(os.path.join(fed.folder, 'south.key'), os.path.join(fed.folder, 'fed/south/south.key'))
    reload_broker(fed)


def test_renew(fed):
    folder = os.path.join(fed.folder, 'fed/west')
    for end in ('.pem', '-key.pem'):
        shutil.copy(os.path.join(folder, 'tls' + end), os.path.join(folder, 'old' + end))
    fed.run('federation', 'renew', 'fed', '--member', 'west')
    with open(os.path.join(folder, 'tls.pem'), 'rb') as new, open(os.path.join(folder, 'old.pem'), 'rb') as old:
        assert new.read() != old.read()
    assert is_member(fed, 'west') and is_member(fed, 'west', 'old')
    fed.run('federation', 'renew', 'fed', '--member', 'broker')
    reload_broker(fed)
    assert is_member(fed, 'west')


def test_stale(fed):
    """west has not got the new file yet: it declines, and the coordinator ends within seconds and names the reason."""
    new, old = (os.path.join(fed.folder, name) for name in ('fed/west/federation.yaml', 'first.yaml'))
    shutil.copy(new, os.path.join(fed.folder, 'current.yaml'))
    shutil.copy(old, new)
    fed.edit('job.yaml', '[north, south, west]', '[west]', to='stale.yaml')
    begun = time.monotonic()
    west = fed.serve('west')
    coordinator = Process([fed.tool, 'coordinate', 'stale.yaml', '--model', 'model.json'], fed.folder)
    reason = "this owner's federation file is version 1, the coordinator's version 4: this owner needs the current federation.yaml"
    assert coordinator.wait() == 3 and coordinator.count('owner west declines: ' + reason) == 1, coordinator.lines
    assert time.monotonic() - begun < 60
    assert west.wait() == 0 and west.count('the job ended: declined: ' + reason) == 1, west.lines
    assert not any('violat' in line or 'cut off' in line for line in west.lines + coordinator.lines)
    shutil.copy(os.path.join(fed.folder, 'current.yaml'), new)


def test_job(fed):
    """The federation of those that are members now trains a model."""
    with open(os.path.join(fed.folder, 'job.yaml')) as file:
        fed.write('job.yaml', file.read().replace('[north, south, west]', '[east, south, west]'))
    fed.run('ledger', 'create', 'south.db', '--epsilon', '1')
    parties = [fed.serve('east'), fed.coordinate()]
    parties[1].await_line('owner east is present')  # the broker passes on the hellos of a member that was added
    parties += [fed.serve('south'), fed.serve('west')]
    for party in parties:
        assert party.wait() == 0, party.lines
    said = "federation 'demo': version 4, was 1; fingerprint " + fingerprint(fed, 'fed/federation.yaml')[-49:]
    assert [party.count(said) for party in parties] == [0, 0, 0, 1], parties[3].lines


def test_first_version(fed):
    """west has used version 1."""
    shutil.copy(os.path.join(fed.folder, 'fed/west/federation.yaml'), os.path.join(fed.folder, 'first.yaml'))
    fed.run('ledger', 'create', 'west.db', '--epsilon', '1')
    west = fed.serve('west')
    west.await_line('ready for jobs')
    assert west.stop() == 0, west.lines


def refuse_file(fed, text, words):
    fed.write('fed/west/federation.yaml', text)
    west = fed.serve('west')
    assert west.wait() == 3 and west.count(words), west.lines


def test_other_versions(fed):
    """An older file, and another one of the same version, are not used by accident."""
    with open(os.path.join(fed.folder, 'first.yaml')) as file:
        refuse_file(fed, file.read(), "this is version 1 of the federation 'demo', and version 4 was used before; get the current")
    with open(os.path.join(fed.folder, 'fed/federation.yaml')) as file:
        text = file.read()
    refuse_file(fed, text.replace('localhost', 'LOCALHOST'), "this is another federation 'demo' of version 4 than the one that was used")


def fingerprint(fed, path):
    return fed.run('federation', 'fingerprint', path).strip()


def test(tool, folder, words):
    fed = Federation(tool, folder)
    assert fingerprint(fed, 'fed/federation.yaml').startswith('version 1, fingerprint ')
    fed.start_broker()
    test_first_version(fed)
    test_remove(fed)
    test_add(fed)
    test_rekey(fed)
    test_renew(fed)
    assert fingerprint(fed, 'fed/federation.yaml').startswith('version 4, fingerprint ')
    for name in ('coordinator', 'south', 'west', 'east'):
        assert fingerprint(fed, 'fed/%s/federation.yaml' % name) == fingerprint(fed, 'fed/federation.yaml')
    test_stale(fed)
    test_job(fed)
    test_other_versions(fed)


federation.main(test)
