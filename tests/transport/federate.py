#!/usr/bin/env python3
"""A whole federation as people run it: certificates, a real broker, two owners and a miner, each a process of its own. Once in peace; and once
with the broker killed in the middle and started again, and an owner killed and started again. Both end with a model.
usage: federate.py HEDGEROW"""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED, PATIENCE = 77, 120

OWNER = '''hedgerow-owner: 1
name: {0}
federation: fed/{0}/federation.yaml
key: fed/{0}/{0}.key
certificate: fed/{0}/tls.pem
certificate-key: fed/{0}/tls-key.pem
data: {0}.csv
schema: schema.yaml
ledger: {0}.db
policy: {{miners: [miner], methods: [inprivate], epsilon: 1, owners: 2}}
'''

JOB = '''hedgerow-job: 1
schema: schema.yaml
method: inprivate
epsilon: 1
rounds: 4
name: miner
federation: fed/miner/federation.yaml
key: fed/miner/miner.key
certificate: fed/miner/tls.pem
certificate-key: fed/miner/tls-key.pem
journal: miner.db
owners: [north, south]
'''


def end_with_parent():
    """A test that is ended takes its processes along (Linux)."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (AttributeError, OSError):
        pass


class Federation:
    def __init__(self, tool, server, folder):
        self.tool, self.server, self.folder = tool, server, folder
        self.running = []

    def run(self, *words):
        return subprocess.run([self.tool, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)

    def check(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, '%s: %s' % (' '.join(words), done.stdout)
        return done.stdout

    def start(self, program, *words, folder='.', **pipes):
        process = subprocess.Popen([program, *words], cwd=os.path.join(self.folder, folder), preexec_fn=end_with_parent, text=True, **pipes)
        self.running.append(process)
        return process

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def found(self):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        self.check('federation', 'init', 'fed', '--name', 'demo', '--url', 'tls://localhost:%d' % port, '--member', 'miner', '--member', 'north',
                   '--member', 'south')
        for seed, name in enumerate(['north', 'south'], 1):
            self.check('generate', 'hospital', '--rows', '2000', '--seed', str(seed), '-o', name + '.csv', '--schema', 'schema.yaml')
            self.check('ledger', 'open', name + '.db', '--epsilon', '2')
            self.write(name + '.yaml', OWNER.format(name))
        self.write('job.yaml', JOB)

    def start_broker(self):
        """Starts it and waits until the boxes are there."""
        self.broker = self.start(self.server, '-c', 'nats.conf', folder='fed/broker', stderr=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while True:
            opened = self.run('federation', 'open', 'fed')
            if opened.returncode == 0:
                return
            assert self.broker.poll() is None, 'the broker ended by itself'
            assert time.monotonic() < until, opened.stdout

    def start_owner(self, name):
        return self.start(self.tool, 'own', name + '.yaml', '--jobs', '1', stderr=subprocess.PIPE)

    @staticmethod
    def kill(process):
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()

    def disturb(self, owners):
        self.kill(self.broker)
        self.kill(owners['south'])
        self.start_broker()
        owners['south'] = self.start_owner('south')

    def train(self, disturbed):
        owners = {name: self.start_owner(name) for name in ['north', 'south']}
        miner = self.start(self.tool, 'mine', 'job.yaml', '--model', 'model.json', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = []
        for line in miner.stderr:
            said.append(line)
            if disturbed and 'round 2 begins' in line:
                self.disturb(owners)
                disturbed = False
        miner.communicate(timeout=PATIENCE)
        assert miner.returncode == 0, ''.join(said)
        assert not disturbed, 'there was no second round'
        for name, owner in owners.items():
            told = owner.communicate(timeout=PATIENCE)[1]
            assert owner.returncode == 0, '%s: %s' % (name, told)

    def look(self):
        print(''.join(self.check('show', 'model.json').splitlines(True)[:3]), end='')
        for name in ['north', 'south']:
            print(name, self.check('ledger', 'show', name + '.db').splitlines()[0])

    def end(self):
        for process in self.running:
            self.kill(process)


def main():
    tool = os.path.abspath(sys.argv[1])
    server = shutil.which('nats-server', path=os.environ.get('PATH', '') + ':/usr/sbin:/usr/local/sbin')
    if not server:
        print('skipped: there is no nats-server; install it (Debian: nats-server) to test a federation over its broker')
        sys.exit(SKIPPED)
    for disturbed in [False, True]:
        with tempfile.TemporaryDirectory(prefix='hedgerow-federate-') as folder:
            federation = Federation(tool, server, folder)
            try:
                federation.found()
                federation.start_broker()
                begun = time.monotonic()
                federation.train(disturbed)
                print('%s: %.1f s' % ('with the broker and an owner killed' if disturbed else 'in peace', time.monotonic() - begun))
                federation.look()
            finally:
                federation.end()


main()
