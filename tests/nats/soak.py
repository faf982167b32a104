#!/usr/bin/env python3
"""A federation of ten owners that trains one job after the other for a long time, while processes are killed (SIGKILL), the broker is restarted, and one
member, which holds a valid certificate, floods the others instead of serving. Every job must end, with a model or with a reason; ledgers must
add up; and memory and files must stay within bounds that do not grow with time.
usage: soak.py HEDGEROW [SECONDS [SEED]]   3600 seconds unless given"""
import contextlib
import json
import os
import random
import socket
import ssl
import threading
import time

import federation
from federation import JOB, SECONDS, Federation

OWNERS = ['owner-%d' % i for i in range(10)]
HOSTILE = 'mallory'
MEBIBYTE = 1 << 20
EPSILON = 1
BOUNDS = {'memory of a process, MiB': 128, 'files of a member, MiB': 64, 'store of the broker, MiB': 1024, 'log lines a minute': 600}


class Flood:
    """Sends packets to every member as fast as the broker takes them, in bursts: bytes of a few and of many KiB that no member has sealed, empty
    ones, and requests whose answers would go to others. Speaks the broker's protocol itself, since no honest program would do this."""

    def __init__(self, fed, coin):
        self.fed, self.coin, self.sent, self.on = fed, coin, 0, True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def dial(self):
        folder = os.path.join(self.fed.folder, 'fed', HOSTILE)
        plain = socket.create_connection(('localhost', self.fed.port), timeout=5)
        plain.recv(4096)  # INFO
        context = ssl.create_default_context(cafile=os.path.join(folder, 'ca.pem'))
        context.load_cert_chain(os.path.join(folder, 'tls.pem'), os.path.join(folder, 'tls-key.pem'))
        connection = context.wrap_socket(plain, server_hostname='localhost')
        connection.sendall(b'CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\n')
        return connection

    def burst(self, connection):
        size = self.coin.choice([0, 1, 1, 1, 40, 4096, 100000])
        for _ in range(self.coin.choice([1, 20, 200])):
            to = self.coin.choice([*OWNERS, 'coordinator'])
            reply = self.coin.choice(['', 'fed.demo.%s.%s ' % (OWNERS[0], OWNERS[1])])
            connection.sendall(b'PUB fed.demo.%s.%s %s%d\r\n%s\r\n' % (to.encode(), HOSTILE.encode(), reply.encode(), size, self.coin.randbytes(size)))
            self.sent += 1

    def run(self):
        connection = None
        while self.on:
            try:
                connection = connection or self.dial()
                self.burst(connection)
                time.sleep(self.coin.choice([0, .05, .5]))
            except OSError:
                connection = None
                time.sleep(.2)


class Soak:
    def __init__(self, tool, folder, coin):
        self.coin = coin
        self.fed = Federation(tool, folder, owners=[*OWNERS, HOSTILE], rows=400)
        for name in OWNERS:
            self.fed.write(name + '.yaml', federation.OWNER.format(name=name).replace('  owners: 3', '  owners: 2\n  days: 1'))
            self.fed.run('ledger', 'create', name + '.db', '--epsilon', '10000')
        self.fed.start_broker()
        self.owners = {name: self.serve(name) for name in OWNERS}
        self.flood = Flood(self.fed, random.Random(coin.random()))
        self.done, self.failed, self.killed, self.restarts, self.retired = 0, {}, 0, 0, []
        self.worst = dict.fromkeys(BOUNDS, 0)
        self.began = time.monotonic()

    def serve(self, name):
        return federation.Process([self.fed.tool, 'serve', name + '.yaml'], self.fed.folder)

    def coordinate(self):
        return federation.Process([self.fed.tool, 'coordinate', 'job.yaml', '--model', 'model.json'], self.fed.folder)

    def disturb(self):
        """Kills an owner or restarts the broker now and then; what was killed is started again, as a service manager does."""
        what = self.coin.choice(['owner'] * 3 + ['coordinator', 'broker'] + ['nothing'] * 15)
        if what == 'broker':
            self.fed.broker.kill()
            self.fed.launch_broker()
            self.restarts += 1
        if what == 'owner':
            name = self.coin.choice(OWNERS)
            self.owners[name].kill()
            self.retired.append(self.owners[name])
            self.owners[name] = self.serve(name)
            self.killed += 1
        return what == 'coordinator'

    def job(self):
        order, rounds = self.coin.choice(['chain', 'broadcast']), self.coin.choice([1, 2])
        text = JOB.format(rounds=rounds, order=order, owners=', '.join(OWNERS)).replace('epsilon: 1\n', 'epsilon: %g\n' % EPSILON)
        self.fed.write('job.yaml', text + 'deadline: 3\n')
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.fed.folder, 'model.json'))
        coordinator, until = self.coordinate(), time.monotonic() + SECONDS
        while coordinator.runs():
            assert time.monotonic() < until, 'the job does not end: %s' % coordinator.lines[-5:]
            time.sleep(self.coin.choice([.05, .2, 1]))
            if self.disturb() and coordinator.runs():
                coordinator.kill()
                self.killed += 1
                coordinator = self.coordinate()
        coordinator.wait()
        if os.path.exists(os.path.join(self.fed.folder, 'model.json')):  # a coordinator that is killed after that has nothing more to do
            self.done += 1
            with open(os.path.join(self.fed.folder, 'model.json')) as file:
                json.load(file)
        else:
            reason = coordinator.lines[-1] if coordinator.lines else 'none told'
            self.failed[reason] = self.failed.get(reason, 0) + 1
        for name, owner in self.owners.items():
            assert owner.runs(), '%s ended by itself: %s' % (name, owner.lines[-5:])

    def note(self, what, value):
        self.worst[what] = max(self.worst[what], value)

    def measure(self):
        for owner in self.owners.values():
            with open('/proc/%d/status' % owner.process.pid) as file:
                self.note('memory of a process, MiB', next(int(line.split()[1]) / 1024 for line in file if line.startswith('VmRSS')))
        for name in [*OWNERS, 'coordinator']:
            ends = [os.path.join(self.fed.folder, name + end) for end in ('.db', '.db-wal')]
            self.note('files of a member, MiB', sum(os.path.getsize(path) for path in ends if os.path.exists(path)) / MEBIBYTE)
        stored = 0
        for where, _, names in os.walk(os.path.join(self.fed.folder, 'fed/broker/store')):
            stored += sum(os.path.getsize(os.path.join(where, name)) for name in names if os.path.exists(os.path.join(where, name)))
        self.note('store of the broker, MiB', stored / MEBIBYTE)
        minutes = max((time.monotonic() - self.began) / 60, 1)
        lines = sum(len(p.lines) for p in [*self.owners.values(), *self.retired]) / len(OWNERS)
        self.note('log lines a minute', lines / minutes)

    def check_ledgers(self):
        """Every entry is one job's epsilon, and no ledger has more entries than there were jobs."""
        jobs = self.done + sum(self.failed.values())
        for name in OWNERS:
            entries = self.fed.ask(name, 'SELECT epsilon_units FROM entries')
            assert all(units == EPSILON << 40 for units, in entries), (name, entries)
            assert len(entries) <= jobs, (name, len(entries), jobs)
            assert 'spent' in self.fed.run('ledger', 'show', name + '.db')

    def report(self):
        minutes = (time.monotonic() - self.began) / 60
        print('%.0f minutes: %d jobs with a model, %d without, %d kills, %d restarts of the broker, %d hostile packets'
              % (minutes, self.done, sum(self.failed.values()), self.killed, self.restarts, self.flood.sent))
        for reason, count in self.failed.items():
            print('  %d: %s' % (count, reason))
        for what, most in self.worst.items():
            print('%-28s %8.1f of at most %d' % (what, most, BOUNDS[what]))


def test(tool, folder, words):
    seconds, seed = float(words[0]) if words else 3600, int(words[1]) if len(words) > 1 else random.SystemRandom().randrange(1 << 32)
    print('%.0f seconds, seed %d' % (seconds, seed), flush=True)
    soak = Soak(tool, folder, random.Random(seed))
    while time.monotonic() - soak.began < seconds:
        soak.job()
        soak.measure()
    soak.flood.on = False
    soak.check_ledgers()
    soak.report()
    assert soak.done, 'no job ended with a model'
    over = [what for what, most in soak.worst.items() if most > BOUNDS[what]]
    assert not over, 'beyond the bounds: %s' % over


federation.main(test)
