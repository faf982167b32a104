#!/usr/bin/env python3
"""What an owner tells the service manager (sd_notify): that it is ready when the broker has answered and not before, that it lives, what it does,
that it ends; over a socket in a folder and over an abstract one. And that its memory, which holds a key, goes into no core file.
usage: notify.py HEDGEROW"""
import os
import resource
import signal
import socket
import subprocess

import federation
from federation import SECONDS, Federation

WAITS = 'does not answer; trying again'


class Manager:
    """Listens as systemd does."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind('\0' + name[1:] if name[0] == '@' else name)
        self.socket.settimeout(SECONDS)
        os.environ['NOTIFY_SOCKET'] = name
        os.environ['WATCHDOG_USEC'] = '200000'

    def until(self, wanted):
        """All that comes up to a text that has `wanted` in it."""
        heard = []
        while not heard or wanted not in heard[-1]:
            heard.append(self.socket.recv(4096).decode())
        return heard


def test_life(fed, name):
    """The inboxes are there from an earlier start."""
    manager = Manager(name)
    fed.start_broker()
    fed.new_job()
    fed.broker.kill()
    owner = fed.serve('north')
    heard = manager.until(WAITS)
    for _ in range(3):
        heard += manager.until('WATCHDOG=1')
    assert 'READY=1' not in heard, heard
    assert owner.count(WAITS) == 1, owner.lines
    fed.start_broker()
    heard = manager.until('READY=1')
    assert 'STATUS=north: the broker at tls://localhost:%d is there' % fed.port in heard, heard
    for _ in range(3):
        assert 'READY=1' not in manager.until('WATCHDOG=1')
    owner.process.terminate()
    manager.until('STOPPING=1')
    assert owner.wait() == 0, owner.lines
    fed.broker.kill()


def test_for_another(fed):
    """A watchdog that waits for another process hears nothing; a socket that is none is no reason to fail."""
    os.environ['WATCHDOG_PID'] = '1'
    manager = Manager(os.path.join(fed.folder, 'other'))
    owner = fed.serve('north')
    manager.until(WAITS)
    owner.process.terminate()
    assert 'WATCHDOG=1' not in manager.until('STOPPING=1')
    assert owner.wait() == 0, owner.lines
    del os.environ['WATCHDOG_PID']
    for name in ('relative', '/' + 'long' * 40, os.path.join(fed.folder, 'absent')):
        os.environ['NOTIFY_SOCKET'] = name
        owner = fed.serve('north')
        owner.await_line(WAITS)
        assert owner.stop() == 0, owner.lines


def test_training(fed):
    """While a tree is trained the owner lives as well: some word of it comes after the work was begun and before it is in the journal."""
    manager = Manager(os.path.join(fed.folder, 'training'))
    os.environ['WATCHDOG_USEC'] = '2000'
    os.remove(os.path.join(fed.folder, 'north.csv'))
    fed.run('generate', 'hospital', '--rows', '600000', '--seed', '7', '-o', 'north.csv')
    fed.start_broker()
    fed.new_job()
    owner = fed.serve('north')
    del os.environ['NOTIFY_SOCKET'], os.environ['WATCHDOG_USEC']
    others = [fed.serve(name) for name in federation.HOSPITALS[1:]] + [fed.coordinate()]
    manager.until('trains the tree of round 1')
    during = 0
    while True:
        manager.until('WATCHDOG=1')
        [[begun, done]] = fed.ask('north', 'SELECT sum(kind = 3), sum(kind = 4) FROM events')
        if done or not begun:
            break
        during += 1
    assert during, 'nothing was told while the tree was trained'
    manager.socket.close()
    assert [party.wait() for party in [owner, *others]] == [0, 0, 0, 0], owner.lines


def with_core_files():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def dumps_core(words, folder):
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=with_core_files)
    while process.stderr and words[0] != 'cat' and WAITS not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGABRT)
    _, status = os.waitpid(process.pid, 0)
    assert os.WIFSIGNALED(status), status
    return os.WCOREDUMP(status)


def test_core(fed):
    """`cat` shows whether this machine writes core files at all."""
    print('core files are %s here' % ('written' if dumps_core(['cat'], fed.folder) else 'not written'))
    assert not dumps_core([fed.tool, 'serve', 'north.yaml'], fed.folder)


def test(tool, folder, words):
    fed = Federation(tool, folder)
    test_life(fed, os.path.join(folder, 'manager'))
    test_life(fed, '@hedgerow-test-%d' % os.getpid())
    test_for_another(fed)
    test_core(fed)
    test_training(fed)


federation.main(test)
