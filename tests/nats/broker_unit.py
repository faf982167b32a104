#!/usr/bin/env python3
"""What the broker's unit of systemd runs, as it stands there: the check before the start, the broker, its reload and its stop, in the folder that `federation
init` makes. No service manager is there to apply the rest of the unit; tests/packaging/unit.py has that judged.
usage: broker_unit.py HEDGEROW UNIT"""
import os
import re
import shlex
import signal
import subprocess

import federation
from federation import Federation, Process


class Unit:
    def __init__(self, path):
        with open(path) as file:
            self.settings = dict(re.findall(r'^(\w+)=(.*)$', file.read(), re.M))

    def words(self, key, pid=0):
        """Of nats-server, wherever this machine has it."""
        program, *words = shlex.split(self.settings[key].replace('$MAINPID', str(pid)))
        return [os.path.basename(program), *words]

    def mask(self):
        return int(self.settings['UMask'], 8)


def run(folder, words):
    return subprocess.run(words, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test(tool, folder, words):
    unit = Unit(words[0])
    fed = Federation(tool, folder, owners=['north'])
    where = os.path.join(folder, 'fed/broker')
    os.umask(unit.mask())
    checked = run(where, unit.words('ExecStartPre'))
    assert checked.returncode == 0, checked.stdout
    fed.broker = Process(unit.words('ExecStart'), where)
    fed.broker.await_line('Server is ready')
    fed.run('federation', 'open', 'fed')
    rights = {name: os.stat(os.path.join(at, name)).st_mode & 0o077 for at, _, names in os.walk(os.path.join(where, 'store')) for name in names}
    assert rights and not any(rights.values()), rights
    reloaded = run(where, unit.words('ExecReload', fed.broker.process.pid))
    assert reloaded.returncode == 0, reloaded.stdout
    fed.broker.await_line('Reloaded server configuration')
    # A configuration that is wrong stops a start, and no broker that runs.
    fed.edit('fed/broker/nats.conf', 'jetstream', 'jetstraem')
    assert run(where, unit.words('ExecStartPre')).returncode != 0
    run(where, unit.words('ExecReload', fed.broker.process.pid))
    fed.broker.await_line('Failed to reload server configuration')
    fed.edit('fed/broker/nats.conf', 'jetstraem', 'jetstream')
    fed.run('federation', 'show', 'fed')
    # It ends within the time that the unit gives it, and is there again with what it stored.
    fed.broker.process.send_signal(getattr(signal, unit.settings['KillSignal']))
    assert fed.broker.process.wait(int(unit.settings['TimeoutStopSec'])) in (0, 1), fed.broker.lines
    fed.broker = Process(unit.words('ExecStart'), where)
    fed.broker.await_line('Server is ready')
    fed.run('federation', 'show', 'fed')


federation.main(test)
