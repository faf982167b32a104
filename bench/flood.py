#!/usr/bin/env python3
"""How long a job takes while one member puts packets that nobody can read into the inboxes of all others, as fast as the broker takes them; and how
many of them an owner reads. Over a real broker on this machine: a coordinator and two owners train hedge, a third member floods.
usage: flood.py HEDGEROW [--seconds 30]     Needs nats-server."""
import argparse
import os
import re
import socket
import ssl
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../tests/nats'))
from federation import Federation, Process, edit  # noqa: E402

OWNERS, HOSTILE = ['north', 'south'], 'west'
AT_ONCE, BYTES = 1000, 200  # packets in one write; bytes of each


class Flood:
    """Connections with the member's certificate, one for each inbox, that write until they are stopped."""

    def __init__(self, fed):
        self.on, self.threads = True, [threading.Thread(target=self.write, args=(fed, to), daemon=True) for to in ['coordinator', *OWNERS]]
        for thread in self.threads:
            thread.start()

    def write(self, fed, to):
        folder = os.path.join(fed.folder, 'fed', HOSTILE)
        plain = socket.create_connection(('localhost', fed.port))
        plain.recv(4096)
        context = ssl.create_default_context(cafile=os.path.join(folder, 'ca.pem'))
        context.load_cert_chain(os.path.join(folder, 'tls.pem'), os.path.join(folder, 'tls-key.pem'))
        connection = context.wrap_socket(plain, server_hostname='localhost')
        connection.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\n')
        packets = b''.join(b'PUB fed.demo.%s.%s %d\r\n%s\r\n' % (to.encode(), HOSTILE.encode(), BYTES, os.urandom(BYTES)) for _ in range(AT_ONCE))
        while self.on:
            connection.sendall(packets)
        connection.close()

    def stop(self):
        self.on = False
        for thread in self.threads:
            thread.join()


def junk_read(fed):
    """Packets that north could not read, of its metrics."""
    with open(os.path.join(fed.folder, 'north.prom')) as file:
        return int(re.search(r'refused_total\{owner="north",reason="unreadable"\} ([0-9]+)', file.read()).group(1))


def measure(fed, seconds, floods):
    """(seconds of a job, packets that north could not read in so many seconds)."""
    fed.new_job()
    owners = [Process([fed.tool, 'serve', name + '.yaml', '--metrics', name + '.prom'], fed.folder) for name in OWNERS]
    for owner in owners:
        owner.await_line('ready for jobs')
    flood = Flood(fed) if floods else None
    start = time.monotonic()
    timer = threading.Timer(seconds, flood.stop) if flood else None
    if timer:
        timer.start()
    coordinator = fed.coordinate()
    code = coordinator.wait()
    took = time.monotonic() - start
    assert code == 0, coordinator.lines
    if timer:
        timer.join()
    for owner in owners:
        assert owner.stop() == 0, owner.lines
    return took, junk_read(fed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool')
    parser.add_argument('--seconds', type=float, default=30)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fed = Federation(args.tool, folder, method='hedge')
        edit(fed, 'job.yaml', ('[north, south, west]', '[north, south]'))
        for name in OWNERS:
            edit(fed, name + '.yaml', ('owners: 3', 'owners: 2'))
        fed.launch_broker()
        try:
            for floods in (False, True):
                took, junk = measure(fed, args.seconds, floods)
                print('%s: the job takes %.1f s; north takes in %d unreadable packets' % ('flooded' if floods else 'undisturbed', took, junk), flush=True)
        finally:
            fed.broker.kill()


if __name__ == '__main__':
    main()
