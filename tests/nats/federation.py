"""A federation of a coordinator and three hospitals on this machine, over a real nats-server: what the tests of this folder share.

Everything happens in a folder of its own; every process is killed when the test ends, however it ends."""
import contextlib
import ctypes
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77
HOSPITALS = ['north', 'south', 'west']
SECONDS = 120  # to wait for anything before giving up
LIBC = ctypes.CDLL(None)
KEPT = []  # sockets

OWNER = '''hedgerow-owner: 1
name: {name}
federation: fed/{name}/federation.yaml
key: fed/{name}/{name}.key
certificate: fed/{name}/tls.pem
certificate-key: fed/{name}/tls-key.pem
data: {name}.csv
schema: schema.yaml
ledger: {name}.db
policy:
  coordinators: [coordinator]
  methods: [inprivate]
  epsilon: 1
  owners: 3
'''

JOB = '''hedgerow-job: 1
schema: schema.yaml
method: inprivate
epsilon: 1
rounds: {rounds}
order: {order}
name: coordinator
federation: fed/coordinator/federation.yaml
key: fed/coordinator/coordinator.key
certificate: fed/coordinator/tls.pem
certificate-key: fed/coordinator/tls-key.pem
journal: coordinator.db
owners: [{owners}]
'''

# Methods whose jobs have no rounds and no order, and what a job file says of them.
METHODS = {'hedge': 'method: hedge', 'average': 'method: average\ntrain: hedge', 'id3': 'method: id3\ndelta: 0'}


def owner_file(method):
    return OWNER if method == 'inprivate' else OWNER.replace('[inprivate]\n  epsilon: 1\n', '[%s]\n  epsilon: 1\n  delta: 1e-6\n' % method)


def job_file(method):
    if method == 'inprivate':
        return JOB
    return JOB.replace('method: inprivate', METHODS[method]).replace('rounds: {rounds}\norder: {order}\n', '')


def kept_socket(port=0):
    """Linux gives its port to nobody else while this process lives, but lets a broker listen there: both reuse addresses, and here nobody
    listens. None: it is taken."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        s.bind(('localhost', port))
    except OSError:
        s.close()
        return None
    if sys.platform == 'linux':
        KEPT.append(s)
    return s


def free_port():
    """Free together with the ports that the broker has for other brokers, and for programs of its machine."""
    while True:
        s = kept_socket()
        port = s.getsockname()[1]
        if all(kept_socket(port + step if port + step <= 65535 else port - step) for step in (2000, 4000)):
            return port


def end_with_parent():
    """A test that is killed takes its processes along (Linux)."""
    with contextlib.suppress(AttributeError):
        LIBC.prctl(1, signal.SIGKILL)


class Process:
    """A program whose lines on standard error are read as they come."""

    def __init__(self, words, folder, on_line=None):
        self.lines, self.on_line, self.came = [], on_line, threading.Condition()
        self.process = subprocess.Popen(words, cwd=folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        preexec_fn=end_with_parent)
        self.ended = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            with self.came:
                self.lines.append(line.rstrip())
                self.came.notify_all()
            if self.on_line:
                self.on_line()
        with self.came:
            self.ended = True
            self.came.notify_all()

    def count(self, words):
        return sum(words in line for line in self.lines)

    def await_line(self, words):
        with self.came:
            self.came.wait_for(lambda: self.count(words) or self.ended, SECONDS)
        assert self.count(words), 'no line says %r: %s' % (words, self.lines)

    def stop(self):
        """Asks it to end, and tells its exit code."""
        self.process.terminate()
        return self.wait()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()

    def runs(self):
        return self.process.poll() is None

    def wait(self):
        code = self.process.wait(SECONDS)
        self.reader.join()
        return code


class Relay:
    """Listens on a port of its own, passes all bytes on to another one and back, and keeps a copy. The next `cuts` connections are cut off as
    soon as the client says something."""

    def __init__(self, to):
        self.to, self.seen, self.lock, self.cuts = to, bytearray(), threading.Lock(), 0
        self.server = socket.create_server(('localhost', 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            here, _ = self.server.accept()
            try:
                there = socket.create_connection(('localhost', self.to))
            except OSError:  # the broker does not listen yet
                here.close()
                continue
            if self.cuts:
                self.cuts -= 1
                here.sendall(there.recv(1 << 16))
                here.recv(1)
                here.close()
                there.close()
                continue
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source, sink):
        try:
            while True:
                piece = source.recv(1 << 16)
                if not piece:
                    break
                with self.lock:
                    self.seen += piece
                sink.sendall(piece)
        except OSError:
            pass
        for end in (source, sink):
            end.close()


class Federation:
    """`port` is what members dial; the broker listens on `broker_port`; with `ports`, they are those of a cluster. Rounds and order are
    inprivate's."""

    def __init__(self, tool, folder, rounds=1, order='chain', port=None, broker_port=None, rows=400, owners=HOSPITALS, method='inprivate', ports=()):
        self.tool, self.folder, self.owners, self.method = os.path.abspath(tool), folder, owners, method
        self.ports = ports or [port or free_port()]
        self.port = self.ports[0]
        self.broker_port = broker_port or self.port
        for seed, name in enumerate(owners):
            schema = [] if seed else ['--schema', 'schema.yaml']
            self.run('generate', 'hospital', '--rows', str(rows), '--seed', str(seed), '-o', name + '.csv', *schema)
            self.write(name + '.yaml', owner_file(method).format(name=name))
        self.write('job.yaml', job_file(method).format(rounds=rounds, order=order, owners=', '.join(owners)))
        members = [word for name in ['coordinator', *owners] for word in ('--member', name)]
        url = ','.join('tls://localhost:%d' % port for port in self.ports)
        self.run('federation', 'init', 'fed', '--name', 'demo', '--url', url, *members)
        if self.broker_port != self.port:
            self.edit('fed/broker/nats.conf', 'port: %d\n' % self.port, 'port: %d\n' % self.broker_port)
        self.broker = None

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w') as file:
            file.write(text)

    def edit(self, name, old, new, to=None):
        """Replaces text of a file, or writes the changed text to another one."""
        with open(os.path.join(self.folder, name)) as file:
            text = file.read()
        assert old in text, (name, old)
        self.write(to or name, text.replace(old, new))

    def run(self, *words):
        return subprocess.run([self.tool, *words], cwd=self.folder, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def launch_broker(self):
        """Without inboxes, unless they are there from before."""
        self.broker = Process(['nats-server', '-c', 'nats.conf'], os.path.join(self.folder, 'fed/broker'))
        self.broker.await_line('Server is ready')

    def start_broker(self):
        self.launch_broker()
        self.run('federation', 'open', 'fed')

    def new_job(self):
        """Fresh ledgers, journals and receipts, and inboxes without packets of the job before, which nobody remembers."""
        self.broker.kill()
        shutil.rmtree(os.path.join(self.folder, 'fed/broker/store'), ignore_errors=True)
        self.start_broker()
        for name in [*self.owners, 'coordinator']:
            for end in ('.db', '.db-wal', '.db-shm'):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(self.folder, name + end))
        shutil.rmtree(os.path.join(self.folder, 'coordinator.db.receipts'), ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.folder, 'model.json'))
        for name in self.owners:
            self.run('ledger', 'create', name + '.db', '--epsilon', '1', *(['--delta', '1e-6'] if self.method in METHODS else []))

    def serve(self, name, on_line=None):
        return Process([self.tool, 'serve', name + '.yaml', '--jobs', '1'], self.folder, on_line)

    def coordinate(self, on_line=None):
        return Process([self.tool, 'coordinate', 'job.yaml', '--model', 'model.json'], self.folder, on_line)

    def train(self):
        """A job that nothing disturbs. Returns its coordinator."""
        owners = [self.serve(name) for name in self.owners]
        coordinator = self.coordinate()
        assert coordinator.wait() == 0, coordinator.lines
        for owner in owners:
            assert owner.wait() == 0, owner.lines
        return coordinator

    def check_spent(self):
        """Of epsilon and delta each owner has spent all that it has."""
        for name in self.owners:
            spent = self.run('ledger', 'show', name + '.db')
            assert '1 of 1 spent' in spent and '1e-06 of 1e-06 spent' in spent, spent

    def reload_broker(self):
        """Returns when the broker has read its configuration again."""
        before = self.broker.count('Reloaded server configuration')
        subprocess.run(['nats-server', '--signal', 'reload=%d' % self.broker.process.pid], check=True)
        with self.broker.came:
            assert self.broker.came.wait_for(lambda: self.broker.count('Reloaded server configuration') > before or self.broker.ended, SECONDS)
        assert self.broker.runs(), self.broker.lines

    def ask(self, name, sql):
        """Rows of a member's ledger or journal; none before it has the table, or is there at all."""
        path = os.path.join(self.folder, name + '.db')
        if not os.path.exists(path):
            return []
        with contextlib.closing(sqlite3.connect(path, timeout=SECONDS)) as db:
            try:
                return db.execute(sql).fetchall()
            except sqlite3.OperationalError as error:
                if 'no such table' not in str(error):
                    raise
                return []


def edit(fed, name, *changes):
    with open(os.path.join(fed.folder, name)) as file:
        text = file.read()
    for old, new in changes:
        assert old in text, (name, old)
        text = text.replace(old, new)
    fed.write(name, text)


def beside(folder, *scenarios):
    """Runs each scenario(folder of its own) at the same time, and says how long it took; then fails as the first one that failed."""
    failures = []

    def run(scenario):
        own, begun = os.path.join(folder, scenario.__name__), time.monotonic()
        os.mkdir(own)
        try:
            scenario(own)
        except BaseException as failure:  # of a thread: raised again below
            failures.append(failure)
        print('%s: %.1f s' % (scenario.__name__, time.monotonic() - begun), flush=True)

    threads = [threading.Thread(target=run, args=(scenario,)) for scenario in scenarios]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def main(test):
    """Runs test(tool, folder, words) in a folder that is removed afterwards."""
    if not shutil.which('nats-server'):
        print('there is no nats-server; install it (tools/setup.sh test)')
        sys.exit(SKIPPED)
    children = []
    start = Process.__init__

    def remember(self, *words, **named):
        start(self, *words, **named)
        children.append(self)

    Process.__init__ = remember
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(sys.argv[1], folder, sys.argv[2:])
        finally:
            for child in children:
                if child.runs():
                    child.kill()
