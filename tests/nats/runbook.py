#!/usr/bin/env python3
"""The runbook, as it stands: every block of commands runs in the folder of its machine, one after the other. Machines are folders of one machine,
scp copies between them, the broker listens on a port that is free, and who waits looks ten times a second.
usage: runbook.py HEDGEROW RUNBOOK"""
import contextlib
import os
import re
import signal
import subprocess
import time

import federation
from federation import SECONDS, free_port

SCP = '''#!/usr/bin/env python3
import os, subprocess, sys
words = [os.path.join(os.environ['MACHINES'], w.split('.')[0], w.split(':', 1)[1]) if ':' in w else w for w in sys.argv[1:]]
subprocess.run(['cp', *words], check=True)
'''


def blocks(text):
    """(machine, commands) of every block that is fenced as console."""
    found = re.findall(r'^On the machine of ([a-z]+):\n\n```console\n(.*?)^```$', text, re.M | re.S)
    assert len(found) == len(re.findall(r'^```console$', text, re.M)), 'a block names no machine'
    return [(machine, re.sub(r'^[$>] ', '', commands, flags=re.M)) for machine, commands in found]


def adopt_orphans():
    """What goes on after its shell is this process's, as it would be init's: some containers have none that waits for those that ended (Linux)."""
    with contextlib.suppress(AttributeError):
        federation.LIBC.prctl(36, 1)


def reap(groups):
    for group in groups:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-group, os.WNOHANG)[0]:
                pass


def await_shell(shell, groups):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return shell.wait(.05)
        reap(groups)
    return 'none in %d seconds' % SECONDS


def run(machine, commands, machines, groups):
    """What goes on in the background stays in the process group of its shell."""
    folder = os.path.join(machines, machine)
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(folder, 'block.log')
    with open(log, 'w') as out:
        shell = subprocess.Popen(['sh', '-e', '-c', commands], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    code = await_shell(shell, groups)
    groups.append(shell.pid)
    with open(log) as said:
        assert code == 0, 'on %s:\n%s\n%s' % (machine, commands, said.read())


def make_tools(tool, folder):
    os.mkdir(folder)
    os.symlink(os.path.abspath(tool), os.path.join(folder, 'hedgerow'))
    with open(os.path.join(folder, 'scp'), 'w') as file:
        file.write(SCP)
    os.chmod(os.path.join(folder, 'scp'), 0o700)


def check_jobs(tool, machines):
    """The first job, one with the member that joined, one without the member that left, one under the new authority, one before and one after
    an owner's ledger was restored from a copy, one that ran while the broker was upgraded, and one after the broker's store was lost and
    the coordinator's journal restored: each is finished, with all of its owners."""
    for number, owners in (('', 2), ('-2', 3), ('-3', 2), ('-4', 2), ('-5', 2), ('-6', 2), ('-7', 2), ('-8', 2)):
        said = subprocess.run([tool, 'show', os.path.join(machines, 'coordinator/model%s.json' % number)], check=True, text=True, stdout=subprocess.PIPE)
        assert re.search(r'owners +%d' % owners, said.stdout), said.stdout
    said = subprocess.run([tool, 'ledger', 'show', os.path.join(machines, 'west/west.db')], check=True, text=True, stdout=subprocess.PIPE)
    assert said.stdout.startswith('epsilon  6 of 6 spent'), said.stdout


def test(tool, folder, words):
    with open(words[0], encoding='utf-8') as file:
        text = file.read().replace('tls://broker.example.org:4222', 'tls://localhost:%d' % free_port()).replace('sleep 1;', 'sleep .1;')
    tools, machines, groups = os.path.join(folder, 'bin'), os.path.join(folder, 'machines'), []
    make_tools(tool, tools)
    adopt_orphans()
    os.environ.update(PATH=tools + ':' + os.environ['PATH'], MACHINES=machines)
    os.makedirs(os.path.join(machines, 'founder'))
    for machine, _ in blocks(text):
        os.makedirs(os.path.join(machines, machine), exist_ok=True)
    try:
        for machine, commands in blocks(text):
            run(machine, commands, machines, groups)
        check_jobs(tool, machines)
    finally:
        for group in groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
    print('%d blocks on %d machines' % (len(groups), len(os.listdir(machines))))


federation.main(test)
