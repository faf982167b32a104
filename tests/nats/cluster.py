#!/usr/bin/env python3
"""A cluster of three brokers: the one that leads is killed in the middle of a job, which ends with its model; a member cannot take the place of a broker.
usage: cluster.py HEDGEROW"""
import json
import os
import ssl
import socket
import subprocess
import time
import urllib.request

import federation
from federation import SECONDS, Federation, Process, free_port


def monitor(port):
    return port + 4000 if port + 4000 <= 65535 else port - 4000


def look(port, what):
    with urllib.request.urlopen('http://127.0.0.1:%d/%s' % (monitor(port), what), timeout=SECONDS) as answer:
        return json.load(answer)


def leader(port):
    """The broker that leads the packets' stream, by the name that brokers have of it; None: there is none."""
    for account in look(port, 'jsz?accounts=1&streams=1').get('account_details', []):
        for stream in account.get('stream_detail', []):
            return stream['cluster'].get('leader')
    return None


def await_leader(port):
    """The broker knows who leads the cluster. Not every broker logs it."""
    end = time.monotonic() + SECONDS
    while not look(port, 'jsz')['meta_cluster'].get('leader'):
        assert time.monotonic() < end, 'the cluster has no leader'
        time.sleep(.05)


def config(index):
    return 'nats-%d.conf' % (index + 1) if index else 'nats.conf'


def launch(fed, index):
    name, folder = config(index), os.path.join(fed.folder, 'fed/broker')
    subprocess.run(['nats-server', '-c', name, '-t'], cwd=folder, check=True, stderr=subprocess.PIPE)
    return Process(['nats-server', '-c', name], folder)


def refuse_member(fed):
    """A member's certificate opens no route."""
    port = fed.ports[0] + 2000 if fed.ports[0] + 2000 <= 65535 else fed.ports[0] - 2000
    folder = os.path.join(fed.folder, 'fed/north')
    plain = socket.create_connection(('localhost', port), timeout=SECONDS)
    context = ssl.create_default_context(cafile=os.path.join(folder, 'ca.pem'))
    context.load_cert_chain(os.path.join(folder, 'tls.pem'), os.path.join(folder, 'tls-key.pem'))
    with context.wrap_socket(plain, server_hostname='localhost') as route:
        route.sendall(b'CONNECT {"name":"north","cluster":"hedgerow-demo","tls_required":true}\r\nPING\r\n')
        said = b''
        while True:
            try:
                piece = route.recv(4096)
            except OSError:
                break
            if not piece:
                break
            said += piece
    assert b'PONG' not in said and b'Authorization Violation' in said, said


def test(tool, folder, words):
    fed = Federation(tool, folder, ports=[free_port() for _ in range(3)], owners=['north', 'south'])
    for name in fed.owners:
        fed.edit(name + '.yaml', 'owners: 3', 'owners: 2')
    brokers = [launch(fed, i) for i in range(3)]
    for name in fed.owners:
        fed.run('ledger', 'create', name + '.db', '--epsilon', '1')
    for port, broker in zip(fed.ports, brokers):
        broker.await_line('Server is ready')
        await_leader(port)
    fed.run('federation', 'open', 'fed')
    refuse_member(fed)
    owners = [fed.serve(name) for name in fed.owners]
    for owner in owners:
        owner.await_line('ready for jobs')
    coordinator = fed.coordinate()
    owners[0].await_line('takes part in a job')
    first = leader(fed.ports[0])
    index = int(first.rsplit('-', 1)[1]) - 1
    brokers[index].kill()
    assert not os.path.exists(os.path.join(fed.folder, 'model.json'))
    for party in [coordinator, *owners]:
        assert party.wait() == 0, party.lines
    assert os.path.exists(os.path.join(fed.folder, 'model.json'))
    others = [port for i, port in enumerate(fed.ports) if i != index]
    assert leader(others[0]) != first
    # It comes back, and catches up.
    brokers[index] = launch(fed, index)
    brokers[index].await_line('Server is ready')


federation.main(test)
