"""Packets that the program itself carries: two owners and a coordinator in threads, without a broker."""
import logging
import queue
import threading

import numpy as np
import pytest

import hedgerow

MEMBERS = ('coordinator', 'north', 'south')


class Board:
    """Inboxes in memory. changes: how many packets are changed, one byte each, and how many come to another member than their own."""

    def __init__(self, changes=0):
        self.inboxes, self.changes, self.sent = {name: queue.Queue() for name in MEMBERS}, changes, []

    def end(self, own):
        board = self

        class End:
            def send(self, to, packet):
                board.sent.append(packet)
                if board.changes:
                    board.changes -= 1
                    at = len(packet) // 2
                    changed = packet[:at] + bytes([packet[at] ^ 1]) + packet[at + 1:]
                    board.inboxes[to].put(changed)
                    board.inboxes[own].put(packet)
                    return True
                board.inboxes[to].put(packet)
                return True

            def receive(self, seconds):
                try:
                    return board.inboxes[own].get(timeout=seconds) if seconds else board.inboxes[own].get_nowait()
                except queue.Empty:
                    return None
        return End()


@pytest.fixture
def fed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = {name: hedgerow_key(tmp_path, name) for name in MEMBERS}
    (tmp_path / 'ca.pem').write_text('no broker\n', 'utf-8')
    (tmp_path / 'federation.yaml').write_text('hedgerow-federation: 1\nname: demo\ntransport: {kind: nats, url: "tls://localhost:4222", authority: ca.pem}\nmembers:\n%s' % ''.join(
        '  - {name: %s, key: "%s"}\n' % item for item in keys.items()), 'utf-8')
    hedgerow.Schema.build(hedgerow.Column('label', values=('no', 'yes')), [hedgerow.Column('a', -1, 1)]).write('schema.yaml')
    for seed, name in enumerate(MEMBERS[1:]):
        a = np.random.default_rng(seed).uniform(-1, 1, 2000)
        (tmp_path / (name + '.csv')).write_text('a,label\n' + ''.join('%.4f,%s\n' % (x, 'yes' if x > 0 else 'no') for x in a), 'utf-8')
        hedgerow.Ledger.create(name + '.db', epsilon=8, delta=0)
        (tmp_path / (name + '.yaml')).write_text('hedgerow-owner: 1\nname: %s\nfederation: federation.yaml\nkey: %s.key\ndata: %s.csv\nschema: schema.yaml\nledger: %s.db\n'
                                                 'policy: {coordinators: [coordinator], methods: [hedge], epsilon: 8, owners: 2}\n' % (name, name, name, name), 'utf-8')
    (tmp_path / 'job.yaml').write_text('hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: 8\ndelta: 0\nname: coordinator\nfederation: federation.yaml\nkey: coordinator.key\n'
                                       'journal: coordinator.db\nowners: [north, south]\n', 'utf-8')
    return tmp_path


def hedgerow_key(folder, name):
    from hedgerow._native import call, ffi, lib, text_of
    text = ffi.new('char[]', lib.HR_KEY_TEXT)
    call(lib.hr_key_create, (str(folder / (name + '.key'))).encode(), text)
    return text_of(text)


def run(board, **options):
    with hedgerow.Owner('north.yaml').serving(jobs=1, carrier=board.end('north')) as north, hedgerow.Owner('south.yaml').serving(jobs=1, carrier=board.end('south')) as south:
        made = hedgerow.coordinate('job.yaml', 'model.json', carrier=board.end('coordinator'), **options)
        assert north.wait(60) and south.wait(60)
    return made


def test_job__by_a_carrier__is_that_of_a_broker(fed):
    made = run(Board())
    assert made.model.guarantee.epsilon <= 8 and {owner.part for owner in made.owners} == {'took part'}
    x = np.linspace(-.9, .9, 40)
    assert ((made.model.predict(x[:, None])[:, 1] > .5) == (x > 0)).mean() > .9
    for name in MEMBERS[1:]:
        assert [(entry.epsilon, entry.state) for entry in hedgerow.Ledger(name + '.db').entries] == [(8, 'committed')]


def test_packets__that_are_changed_or_misled__are_refused_by_name_and_come_again(fed, caplog):
    board = Board(changes=3)
    with caplog.at_level(logging.WARNING, 'hedgerow'):
        made = run(board)
    assert made.model is not None and not board.changes
    assert sum('a packet was refused: ' in line for line in caplog.messages) >= 3
    assert all(len(hedgerow.Ledger(name + '.db').entries) == 1 for name in MEMBERS[1:])


def test_packets__show_nothing_of_what_is_in_them(fed):
    board = Board()
    run(board)
    assert board.sent and not any(word in packet for packet in board.sent for word in (b'hedge', b'label', b'schema', b'yes'))


def test_carrier__that_raises_ends_the_work_and_one_without_functions_is_refused(fed):
    class Broken:
        def send(self, to, packet):
            return True

        def receive(self, seconds):
            raise OSError('no line')
    with pytest.raises(OSError, match='no line'):
        hedgerow.coordinate('job.yaml', 'model.json', carrier=Broken())
    with pytest.raises(OSError, match='no line'):
        hedgerow.Owner('north.yaml').serve(carrier=Broken())
    with pytest.raises(hedgerow.ArgumentError, match='send and receive'):
        hedgerow.coordinate('job.yaml', 'model.json', carrier=object())


def test_stop__of_a_job_by_a_carrier__continues(fed):
    stop, board = threading.Event(), Board()
    with pytest.raises(hedgerow.StoppedError):
        hedgerow.coordinate('job.yaml', 'model.json', carrier=board.end('coordinator'), stop=stop, progress=lambda now: stop.set())
    assert run(board).model is not None
