#!/usr/bin/env python3
"""What can be read on the wire between members and broker, and on the broker's own disk, while a job runs: nothing of what members say.
A relay records every byte; the broker's files are read before anything is settled away. That the search would find a text is shown by texts
that are no secret: the greeting of nats-server on the wire, the subjects on the disk.
usage: capture.py HEDGEROW"""
import contextlib
import os

import federation
from federation import HOSPITALS, Federation, Relay, free_port


def secrets(folder):
    """Texts that messages are full of: names of features and their values, of releases, of methods, options and terms. Of seven bytes and more:
    2^24 random bytes hold one of 50 by chance with less than 50 * 2^(24 - 56) = 2e-8."""
    texts = {b'inprivate', b'hedgerow-schema', b'learning-rate', b'leaf sum', b'leaf count', b'job.yaml', b'its policy'}
    with open(os.path.join(folder, 'schema.yaml'), 'rb') as file:
        for line in file:
            if b'name:' in line:
                texts.add(line.split(b'name:')[1].strip().strip(b'"'))
    return {text for text in texts if len(text) >= 7}


def stored(folder):
    """All that lies there. The broker goes on meanwhile: a file may be gone before it is read."""
    found = bytearray()
    for where, _, names in os.walk(os.path.join(folder, 'fed/broker/store')):
        for name in names:
            with contextlib.suppress(FileNotFoundError), open(os.path.join(where, name), 'rb') as file:
                found += file.read()
    return bytes(found)


def assert_hidden(where, seen, texts, control):
    assert control in seen, 'the search does not even find %r %s' % (control, where)
    told = [text for text in texts if text in seen]
    assert not told, '%s one reads %s' % (where, told)


def test(tool, folder, words):
    inside = free_port()
    relay = Relay(inside)
    fed = Federation(tool, folder, rounds=2, port=relay.port, broker_port=inside)
    texts = secrets(folder)
    fed.start_broker()
    fed.new_job()
    coordinator = fed.coordinate()
    disk = b''
    while coordinator.runs() and b'fed.demo.north.coordinator' not in disk:  # offers lie in the inboxes while no owner is there
        disk = stored(folder)
    owners = [fed.serve(name) for name in HOSPITALS]
    while coordinator.runs():
        disk += stored(folder)
    assert coordinator.wait() == 0, coordinator.lines
    for owner in owners:
        assert owner.wait() == 0, owner.lines
    with open(os.path.join(folder, 'model.json'), 'rb') as file:
        model = file.read()
    assert sum(text in model for text in texts) > len(texts) / 2, 'the search does not find its texts in the model'
    assert_hidden('on the wire', bytes(relay.seen), texts, b'INFO {')
    assert_hidden('on the disk of the broker', disk, texts, b'fed.demo.north.coordinator')
    print('%d bytes on the wire, %d texts looked for' % (len(relay.seen), len(texts)))


federation.main(test)
