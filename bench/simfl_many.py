#!/usr/bin/env python3
"""A job of SimFL over two owners of many records, as markdown: in one process ("simulate"), and over a broker on this machine with TLS, every member
a process of its own. Records are of "hedgerow generate classification", 28 features; the second range puts the bounds of
features at -4 and 4 before they are hashed, which gives more different hashes. Seconds are from the start of the coordinator to the model.
Memory, journal and store are the largest that were seen, every fifth of a second. usage: simfl_many.py [--help]"""
import contextlib
import itertools
import os
import sys
import tempfile
import threading
import time

import measure
import pages

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'nats'))
import federation  # noqa: E402

COLUMNS = ['records of each owner', 'lsh-range', 'members', 'seconds', 'processor, s', 'owner, MB of memory', "owner's journal, MB", "broker's store, MB"]
OWNERS = ['north', 'south']
FEATURES, DEPTH = 28, 8


class Watch:
    """The largest sizes of memory (of processes), journal and store since it began, in bytes, and the processor time of the processes."""

    def __init__(self, pids, journals, store):
        self.pids, self.journals, self.store = pids, journals, store
        self.memory, self.journal, self.stored, self.processor, self.over = 0, 0, 0, {}, False
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        ticks = os.sysconf('SC_CLK_TCK')
        while not self.over:
            for pid in self.pids:
                with contextlib.suppress(OSError, StopIteration):
                    with open('/proc/%d/status' % pid) as file:
                        self.memory = max(self.memory, 1024 * int(next(line for line in file if line.startswith('VmHWM')).split()[1]))
                    with open('/proc/%d/stat' % pid) as file:
                        self.processor[pid] = sum(map(int, file.read().rsplit(')', 1)[1].split()[11:13])) / ticks
            self.journal = max(self.journal, *map(size_of, self.journals))
            self.stored = max(self.stored, size_of(self.store))
            time.sleep(.2)

    def end(self):
        self.over = True
        self.thread.join()
        return self


def size_of(path):
    """Of a file, with what SQLite keeps beside it, or of a folder."""
    total = 0
    files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names] or [path, path + '-wal']
    for name in files:
        with contextlib.suppress(OSError):
            total += os.path.getsize(name)
    return total


def prepare(fed, args, rows, wide):
    """Each owner's half of a table, and the files of a job of simfl."""
    os.remove(os.path.join(fed.folder, 'schema.yaml'))
    fed.run('generate', 'classification', '--rows', str(2 * rows), '--features', str(FEATURES), '--seed', '1', '-o', 'all.csv', '--schema', 'schema.yaml')
    with open(os.path.join(fed.folder, 'all.csv')) as table:
        head = table.readline()
        for name in OWNERS:
            with open(os.path.join(fed.folder, name + '.csv'), 'w') as part:
                part.write(head)
                part.writelines(itertools.islice(table, rows))
    for name in OWNERS:
        fed.edit(name + '.yaml', 'methods: [inprivate]\n', 'methods: [simfl]\n  unprotected: [simfl]\n')
        fed.edit(name + '.yaml', '  owners: 3', '  owners: 2')
    fed.edit('job.yaml', 'epsilon: 1\nrounds: 1\norder: chain\n', '')
    fed.edit('job.yaml', 'method: inprivate', 'method: simfl\nmode: paper\noptions: {trees: %d, depth: %d, lsh-range: %g}' % (args.trees, DEPTH, wide))


def in_one_process(fed):
    words = [word for name in OWNERS for word in ('--data', name + '.csv')]
    begin = time.monotonic()
    child = federation.Process([fed.tool, 'simulate', 'job.yaml', *words, '--model', 'simulated.json', '--force', '--threads', '1'], fed.folder)
    watch = Watch([child.process.pid], ['none'], 'none')
    assert child.process.wait() == 0, child.lines
    return time.monotonic() - begin, watch.end()


def over_broker(fed):
    fed.new_job()
    owners = [fed.serve(name) for name in OWNERS]
    for owner in owners:
        owner.await_line('ready for jobs')
    begin = time.monotonic()
    coordinator = fed.coordinate()
    journals = [os.path.join(fed.folder, name + '.db') for name in OWNERS]
    watch = Watch([owner.process.pid for owner in owners], journals, os.path.join(fed.folder, 'fed/broker/store'))
    assert coordinator.process.wait() == 0, coordinator.lines
    seconds = time.monotonic() - begin
    for owner in owners:
        assert owner.process.wait() == 0, owner.lines
    return seconds, watch.end()


def cells(args, rows, wide):
    with tempfile.TemporaryDirectory() as folder:
        fed = federation.Federation(args.hedgerow, folder, rows=20, owners=OWNERS)
        prepare(fed, args, rows, wide)
        fed.launch_broker()
        try:
            for name, run in (('one process', in_one_process), ('processes, a broker', over_broker)):
                seconds, watch = run(fed)
                mega = lambda size: '%.0f' % (size / 1e6) if size else ''  # noqa: E731
                yield pages.line(['%d' % rows, '%g' % wide, name, '%.1f' % seconds, '%.1f' % sum(watch.processor.values()), mega(watch.memory), mega(watch.journal),
                                  mega(watch.stored)])
        finally:
            fed.broker.kill()


def table(args, pool):
    del pool  # one after the other
    yield ('Settings: method simfl, mode paper, %d trees of depth %d, 28 features, 27 hashes of width 4, two owners. In one process: memory of all members together, with both tables.'
           % (args.trees, DEPTH))
    yield from pages.header(COLUMNS)
    for wide, sizes in ((1, args.records), (4, args.wide_records)):
        for rows in sizes:
            yield from cells(args, rows, wide)


def main():
    numbers = lambda text: [int(word) for word in text.split(',') if word]  # noqa: E731
    parser = measure.parser(__doc__)
    parser.add_argument('--trees', type=int, default=4, help='of the model (4)')
    parser.add_argument('--records', type=numbers, default=[50000, 200000, 500000], help='of each owner, with commas (%(default)s)')
    parser.add_argument('--wide-records', type=numbers, default=[25000, 50000, 100000], help='the same with lsh-range 4 (%(default)s)')
    args = parser.parse_args()
    parts = {'simfl-many': table}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
