"""A job of hedge by way of Flower, without a broker: a deployment of a SuperLink and two SuperNodes on this machine, one of which is killed and comes back,
and a simulation, whose ServerApp changes packets. usage: flower.py HEDGEROW FLOWER [silence|deployment|simulation]

HEDGEROW: the command. FLOWER: the folder of a virtual environment with flwr and hedgerow."""
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
OWNERS = ['north', 'south']
PATIENCE = 1200  # seconds, before a run hangs

OWNER = '''hedgerow-owner: 1
name: {0}
federation: fed/{0}/federation.yaml
key: fed/{0}/{0}.key
data: {0}.csv
schema: schema.yaml
ledger: {0}.db
policy: {{coordinators: [coordinator], methods: [hedge], epsilon: 1, owners: 2}}
'''
JOB = '''hedgerow-job: 1
schema: schema.yaml
method: hedge
epsilon: 1
delta: 0
name: coordinator
federation: fed/coordinator/federation.yaml
key: fed/coordinator/coordinator.key
journal: coordinator.db
owners: [north, south]
'''
SCHEMA = '''hedgerow-schema: 1
label: {name: label, kind: classes, values: ["no", "yes"]}
features:
  - {name: a, kind: number, low: -1, high: 1}
  - {name: b, kind: number, low: -1, high: 1}
unit: record
'''


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def write_table(path, seed):
    draw = random.Random(seed)
    with open(path, 'w', newline='', encoding='utf-8') as f:
        rows = csv.writer(f)
        rows.writerow(['a', 'b', 'label'])
        for _ in range(2000):
            a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
            rows.writerow(['%.4f' % a, '%.4f' % b, 'yes' if a + b > 0 else 'no'])


class Flower:
    """The files of a federation, and the programs of Flower; all end with the block."""

    def __init__(self, tool, venv, folder):
        self.tool, self.bin, self.folder = tool, pathlib.Path(venv) / 'bin', pathlib.Path(folder)
        self.programs, self.port, self.last = [], free_port(), ''
        self.environment = {**os.environ, 'FLWR_HOME': str(self.folder / 'flwr'), 'FLWR_TELEMETRY_ENABLED': '0', 'RAY_USAGE_STATS_ENABLED': '0',
                            'PATH': '%s:%s' % (self.bin, os.environ['PATH'])}

    def __enter__(self):
        (self.folder / 'flwr').mkdir()
        (self.folder / 'flwr/config.toml').write_text('[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:%d"\ninsecure = true\n' % self.port, 'utf-8')
        return self

    def __exit__(self, *_):
        for program in self.programs:
            self.end(program)

    def end(self, program):
        """With all that it started."""
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        program.wait()

    def start(self, name, *words):
        log = open(self.folder / (name + '.log'), 'ab')
        program = subprocess.Popen([str(self.bin / words[0]), *words[1:]], cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.programs.append(program)
        return program

    def hedgerow(self, *words):
        return subprocess.run([self.tool, *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def new_federation(self):
        self.hedgerow('federation', 'init', 'fed', '--name', 'demo', '--url', 'tls://localhost:4222', '--member', 'coordinator', '--member', 'north', '--member', 'south')
        (self.folder / 'schema.yaml').write_text(SCHEMA, 'utf-8')
        (self.folder / 'job.yaml').write_text(JOB, 'utf-8')
        for seed, name in enumerate([*OWNERS, 'test']):
            write_table(self.folder / (name + '.csv'), seed)
        for name in OWNERS:
            (self.folder / (name + '.yaml')).write_text(OWNER.format(name), 'utf-8')
            self.hedgerow('ledger', 'create', name + '.db', '--epsilon', '1')

    def start_superlink(self, *words):
        self.start('superlink', 'flower-superlink', '--insecure', '--port', str(self.port), '--disable-runtime-dependency-installation', *words)
        wait_for(lambda: is_open(self.port), 'the SuperLink')

    def start_supernode(self, name):
        return self.start(name, 'flower-supernode', '--insecure', '--superlink', '127.0.0.1:%d' % self.port, '--port', str(free_port()),
                          '--node-config', 'owner="%s"' % (self.folder / (name + '.yaml')))

    def run(self, app, *config):
        files = ['job="%s"' % (self.folder / 'job.yaml'), 'result="%s"' % (self.folder / 'model.json')]
        done = subprocess.run([str(self.bin / 'flwr'), 'run', str(app), '--format', 'json', '-c', ' '.join([*files, *config])], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        told = json.loads(done.stdout) if done.returncode == 0 else {}
        assert told.get('success'), done.stdout + done.stderr
        self.last = str(told['run-id'])
        return self.last

    def status(self, run):
        done = subprocess.run([str(self.bin / 'flwr'), 'list', '--format', 'json'], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return next((one['status'] for one in json.loads(done.stdout)['runs'] if str(one['run-id']) == str(run)), '') if done.returncode == 0 else ''

    def log(self, run):
        done = subprocess.run([str(self.bin / 'flwr'), 'log', str(run), '--show'], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return done.stdout + done.stderr

    def await_run(self, run):
        wait_for(lambda: self.status(run).startswith('finished'), 'the end of the run', pause=5)
        assert self.status(run) == 'finished:completed', self.status(run)

    def entries(self, name):
        with sqlite3.connect(self.folder / (name + '.db')) as ledger:
            return ledger.execute('SELECT epsilon_units / 1099511627776.0, state FROM entries').fetchall()

    def open_jobs(self, name):
        with sqlite3.connect(self.folder / (name + '.db')) as journal:
            return journal.execute('SELECT count(*) FROM jobs WHERE NOT over').fetchone()[0]

    def check(self):
        """A model as good as that of a simulation of the same job, for what the job costs."""
        for name in OWNERS:
            assert self.entries(name) == [(1., 'committed')], self.entries(name)
            wait_for(lambda: self.open_jobs(name) == 0, 'the end of the job at ' + name, 60)
        (self.folder / 'local.yaml').write_text(JOB.split('name: coordinator')[0], 'utf-8')
        self.hedgerow('simulate', 'local.yaml', '--data', 'north.csv', '--data', 'south.csv', '--model', 'simulated.json')
        errors = [json.loads(self.hedgerow('evaluate', '--model', model, '--data', 'test.csv', '--json'))['error'] for model in ('model.json', 'simulated.json')]
        assert max(errors) < .15, errors
        told, simulated = (json.loads(self.hedgerow('show', model, '--json'))['guarantee'] for model in ('model.json', 'simulated.json'))
        assert (told['epsilon'], told['delta']) == (simulated['epsilon'], simulated['delta']), (told, simulated)
        print('error by Flower %.4f, of a simulation %.4f' % tuple(errors))


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(('127.0.0.1', port)) == 0


def wait_for(condition, what, seconds=PATIENCE, pause=.5):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, what + ' does not come'
        time.sleep(pause)


def app_of_readme(folder):
    """The README's two lines as an app."""
    app = folder / 'app'
    shutil.copytree(HERE / 'app', app)
    lines = re.search(r'^```python\n(from hedgerow\.flower.*?)^```$', (HERE.parents[1] / 'README.md').read_text('utf-8'), re.S | re.M)[1]
    (app / 'joint/app.py').write_text(lines, 'utf-8')
    return app


def deployment(flower):
    """South is killed once it has accepted the job, with its ledger charged, and comes back as another node."""
    flower.start_superlink()
    flower.start_supernode('north')
    south = flower.start_supernode('south')
    run = flower.run(app_of_readme(flower.folder))
    wait_for(lambda: flower.entries('south'), "south's charge")
    flower.end(south)
    flower.start_supernode('south')
    flower.await_run(run)
    flower.check()


def simulation(flower):
    """The ServerApp changes packets: each is refused by name, and comes again."""
    flower.start_superlink('--simulation')
    run = flower.run(HERE / 'app', 'changed=3', 'log="%s"' % (flower.folder / 'coordinator.log'), 'owners="%s"' % ','.join(str(flower.folder / (name + '.yaml')) for name in OWNERS))
    flower.await_run(run)
    flower.check()
    log = (flower.folder / 'coordinator.log').read_text('utf-8')
    assert log.count('a packet was refused: ') == 1, log  # of senders that are not known the first in a minute


SILENT = '''
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.supercore.task_identity import TaskIdentity
from hedgerow.flower import client_app
TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1
message = Message(RecordDict({'hedgerow': ConfigRecord({'packets': [b'no packet']})}), dst_node_id=1, message_type='query')
context = Context(run_id=1, node_id=1, node_config={'owner': 'north.yaml'}, state=RecordDict(), run_config={})
reply = client_app()(message, context)
assert not reply.has_error()
assert dict(reply.content['hedgerow']) == {'name': NAME, 'to': [], 'packets': []}, dict(reply.content['hedgerow'])
'''


def silence(flower):
    """Of a packet that is none, and of a cell that is faulty, nothing leaves the node; its own output names both."""
    def reply(name):
        done = subprocess.run([str(flower.bin / 'python'), '-c', SILENT.replace('NAME', repr(name))], cwd=flower.folder, env=flower.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr
    assert 'a packet was refused: ' in reply('north')
    with open(flower.folder / 'north.csv', 'a', encoding='utf-8') as table:
        table.write('0.5,0.5,secret\n')
    assert 'secret' in reply('north')


def main():
    tool, venv = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    for name in sys.argv[3:] or ['silence', 'deployment', 'simulation']:
        begun, before = time.monotonic(), os.times()
        with tempfile.TemporaryDirectory() as folder, Flower(tool, venv, folder) as flower:
            flower.new_federation()
            try:
                {'silence': silence, 'deployment': deployment, 'simulation': simulation}[name](flower)
            except BaseException:
                print(flower.log(flower.last)[-6000:] if flower.last else '', file=sys.stderr)
                for log in sorted(flower.folder.glob('*.log')):
                    print('==', log.name, log.read_text('utf-8', 'replace')[-4000:], sep='\n', file=sys.stderr)
                raise
        print('%s: %.0f s' % (name, time.monotonic() - begun))


if __name__ == '__main__':
    main()
