"""A federation over a real broker on this machine, for the tests that need one: the files of a coordinator and three hospitals, and programs of their own.

The wheel talks to no broker, so that its tests skip these; tools/python.sh runs them with a build that does, and with HEDGEROW_BROKER they fail where they
would skip."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

import hedgerow

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'nats'))
from federation import Federation, Process  # noqa: E402

TOOL = pathlib.Path(hedgerow.__file__).parents[1] / 'hedgerow_command' / 'hedgerow'
SECONDS = 120  # to wait for anything before giving up


def why_absent(folder):
    if not shutil.which('nats-server'):
        return 'there is no nats-server'
    if not TOOL.exists():
        return 'the command is not beside the package'
    asked = subprocess.run([TOOL, 'federation', 'init', folder / 'probe', '--name', 'probe', '--url', 'tls://localhost:4222', '--member', 'a', '--member', 'b'],
                           capture_output=True, text=True)
    return asked.stderr if asked.returncode else ''


@pytest.fixture(scope='module')
def federation(tmp_path_factory):
    folder = tmp_path_factory.mktemp('federation')
    absent = why_absent(folder)
    if absent and 'HEDGEROW_BROKER' not in os.environ:
        pytest.skip(absent)
    assert not absent, absent
    made = Federation(TOOL, str(folder), method='hedge')
    made.launch_broker()
    yield made
    made.broker.kill()


@pytest.fixture
def fed(federation, monkeypatch):
    """With fresh ledgers, journals and inboxes; the test works in its folder."""
    federation.new_job()
    monkeypatch.chdir(federation.folder)
    children, start = [], Process.__init__

    def remember(self, *words):
        start(self, *words)
        children.append(self)
    monkeypatch.setattr(Process, '__init__', remember)
    # A program of its own, whose lines on standard error are read as they come.
    federation.program = lambda code: Process([sys.executable, '-c', code], federation.folder)
    yield federation
    for child in children:
        if child.runs():
            child.kill()


def frame(name):
    import pandas
    return pandas.read_csv(name + '.csv')


def without_table(fed, name, *changes):
    """An owner file that names no table, beside the owner's own."""
    fed.edit(name + '.yaml', 'data: %s.csv\n' % name, '', to='bare-%s.yaml' % name)
    for old, new in changes:
        fed.edit('bare-%s.yaml' % name, old, new)
    return 'bare-%s.yaml' % name


def await_job(file, has):
    """The first job of a member of which `has` is true."""
    for _ in range(SECONDS * 10):
        found = [job for job in hedgerow.jobs(file) if has(job)]
        if found:
            return found[0]
        time.sleep(.1)
    raise AssertionError(hedgerow.jobs(file))
