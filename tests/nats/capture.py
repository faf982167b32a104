#!/usr/bin/env python3
"""What can be read on the wire between members and broker, and on the broker's own disk, while a job runs: nothing of what members say.
A relay records every byte; the broker's files are read before anything is settled away. That the search would find a text is shown by texts
that are no secret: the greeting of nats-server on the wire, the subjects on the disk. In a job of hedge also no piece of a question, a share or a
choice, as members have them in their journals. usage: capture.py HEDGEROW"""
import contextlib
import os

import federation
from federation import HOSPITALS, Federation, Relay, free_port


PIECE = 32  # bytes of a message that are looked for: never there by chance


def secrets(folder, method):
    """Texts that messages are full of: names of features and of categories, of releases, of methods, options and terms. Of seven bytes and more:
    2^24 random bytes hold one of 50 by chance with less than 50 * 2^(24 - 56) = 2e-8."""
    texts = {b'hedgerow-schema', b'leaf sum', b'leaf count', b'job.yaml', b'its policy'}
    texts |= {b'inprivate', b'learning-rate'} if method == 'inprivate' else {b'choice of tree', b'coalition'}
    with open(os.path.join(folder, 'schema.yaml'), 'rb') as file:
        for line in file:
            if b'name:' in line:
                texts.add(line.split(b'name:')[1].strip().strip(b'"'))
            if b'values: [' in line:
                texts |= {value.strip().strip(b'"') for value in line.split(b'[')[1].split(b']')[0].split(b',')}
    return {text for text in texts if len(text) >= 7}


def stored(folder):
    """All that lies there. The broker goes on meanwhile: a file may be gone before it is read."""
    found = bytearray()
    for where, _, names in os.walk(os.path.join(folder, 'fed/broker/store')):
        for name in names:
            with contextlib.suppress(FileNotFoundError), open(os.path.join(where, name), 'rb') as file:
                found += file.read()
    return bytes(found)


def pieces_of_messages(fed):
    """From the middles of all that members' journals hold of a job: what came, before it was sealed or after it was opened, and what went out."""
    found = set()
    for name in [*HOSPITALS, 'coordinator']:
        for (message,) in fed.ask(name, 'SELECT DISTINCT bytes FROM events WHERE length(bytes) >= %d' % (2 * PIECE)):
            found.add(bytes(message)[len(message) // 2 - PIECE // 2:][:PIECE])
    return {piece for piece in found if len(set(piece)) > PIECE // 4}  # zeros may be anywhere


def pieces_of_packets(fed):
    """The same of packets that are sealed."""
    return {bytes(packet)[len(packet) // 2:][:PIECE] for name in HOSPITALS for (packet,) in fed.ask(name, 'SELECT bytes FROM packets')}


def assert_hidden(where, seen, texts, control):
    assert control in seen, 'the search does not even find %r %s' % (control, where)
    told = [text for text in texts if text in seen]
    assert not told, '%s one reads %s' % (where, told)


def run_job(tool, folder, method):
    inside = free_port()
    relay = Relay(inside)
    fed = Federation(tool, folder, rounds=2, port=relay.port, broker_port=inside, method=method)
    texts = secrets(folder, method)
    fed.start_broker()
    fed.new_job()
    coordinator = fed.coordinate()
    disk, plain, packets = b'', set(), set()
    while coordinator.runs() and b'fed.demo.north.coordinator' not in disk:  # offers lie in the inboxes while no owner is there
        disk = stored(folder)
    owners = [fed.serve(name) for name in HOSPITALS]
    while coordinator.runs():
        disk += stored(folder)
        plain |= pieces_of_messages(fed)
        packets |= pieces_of_packets(fed)
    assert coordinator.wait() == 0, coordinator.lines
    for owner in owners:
        assert owner.wait() == 0, owner.lines
    with open(os.path.join(folder, 'model.json'), 'rb') as file:
        model = file.read()
    assert sum(text in model for text in texts) > len(texts) / 2, 'the search does not find its texts in the model'
    assert len(plain) >= (50 if method == 'hedge' else 5), len(plain)
    assert any(packet in disk for packet in packets), 'the search does not find sealed packets on the disk'
    assert_hidden('on the wire', bytes(relay.seen), texts | plain, b'INFO {')
    assert_hidden('on the disk of the broker', disk, texts | plain, b'fed.demo.north.coordinator')
    print('%s: %d bytes on the wire, %d texts and %d pieces of messages looked for' % (method, len(relay.seen), len(texts), len(plain)))
    fed.broker.kill()


def test(tool, folder, words):
    for method in ('inprivate', 'hedge'):
        where = os.path.join(folder, method)
        os.mkdir(where)
        run_job(tool, where, method)


federation.main(test)
