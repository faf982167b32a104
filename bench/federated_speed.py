#!/usr/bin/env python3
"""What a job of hedge takes by the number of owners, epsilon 1: over a broker on this machine, with TLS, every member a process of its own; in
one process (simulate, one thread); and pooled, all records of one owner (train, one thread). Rows are of all owners together.
usage: federated_speed.py HEDGEROW [RUNS [ROWS [OWNERS,OWNERS...]]]"""
import json
import os
import resource
import statistics
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'nats'))
import federation  # noqa: E402

# Many processes on few processors: a thread that spins keeps another member from its work.
os.environ.setdefault('OMP_WAIT_POLICY', 'passive')
os.environ.setdefault('OMP_NUM_THREADS', '1')
federation.SECONDS = 1200


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_of(pid):
    with open('/proc/%d/stat' % pid) as file:
        words = file.read().rsplit(')', 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')


class Monitor:
    """What the broker counts. The last sequence of the stream is the number of packets that were sent."""

    def __init__(self, fed):
        self.port = federation.free_port()
        fed.broker.kill()
        fed.broker = federation.Process(['nats-server', '-c', 'nats.conf', '-m', str(self.port)], os.path.join(fed.folder, 'fed/broker'))
        fed.broker.await_line('Server is ready')

    def ask(self, path):
        return json.load(urllib.request.urlopen('http://localhost:%d/%s' % (self.port, path)))

    def packets(self):
        return sum(stream['state']['last_seq'] for account in self.ask('jsz?streams=true&accounts=true')['account_details']
                   for stream in account.get('stream_detail', []))

    def bytes(self):
        return self.ask('varz')['in_bytes']


def trees_of(fed, name):
    path = os.path.join(fed.folder, name)
    with open(path) as file:
        count = len(json.load(file)['trees'])
    os.remove(path)
    return count


def over_broker(fed):
    fed.new_job()
    monitor = Monitor(fed)
    members = processor()
    owners = [fed.serve(name) for name in fed.owners]
    for owner in owners:
        owner.await_line('ready for jobs')
    sent, broker = monitor.bytes(), processor_of(fed.broker.process.pid)
    begin = time.monotonic()
    coordinator = fed.coordinate()
    assert coordinator.wait() == 0, coordinator.lines
    seconds = time.monotonic() - begin
    for owner in owners:
        assert owner.wait() == 0, owner.lines
    broker = processor_of(fed.broker.process.pid) - broker
    trees, packets = trees_of(fed, 'model.json'), monitor.packets()
    return {'seconds': seconds, 'processor': processor() - members, 'broker': broker, 'trees': trees, 'packets': packets / len(owners) / trees,
            'megabytes': (monitor.bytes() - sent) / 1e6}


def by_command(fed, *words):
    begin, before = time.monotonic(), processor()
    fed.run(*words, '--model', 'other.json', '--threads', '1')
    return {'seconds': time.monotonic() - begin, 'processor': processor() - before, 'trees': trees_of(fed, 'other.json')}


def simulated(fed):
    return by_command(fed, 'simulate', 'job.yaml', *[word for name in fed.owners for word in ('--data', name + '.csv')])


def pooled(fed):
    return by_command(fed, 'train', '--method', 'hedge', '--schema', 'schema.yaml', '--epsilon', '1', '--delta', '1e-6',
                      *[word for name in fed.owners for word in ('--data', name + '.csv')])


def median_of(measured, runs, fed):
    all_runs = [measured(fed) for _ in range(runs)]
    return {name: statistics.median(run[name] for run in all_runs) for name in all_runs[0]}


def measure(tool, folder, words):
    runs, rows, counts = int(words[0]) if words else 1, int(words[1]) if len(words) > 1 else 4000, words[2] if len(words) > 2 else '3,10'
    print('| owners | | seconds | of simulate | processor, s | of the broker, s | trees | packets an owner and tree | MB to the broker |')
    print('|---|---|---|---|---|---|---|---|---|')
    for count in map(int, counts.split(',')):
        place = os.path.join(folder, str(count))
        os.mkdir(place)
        fed = federation.Federation(tool, place, owners=['owner-%d' % i for i in range(count)], method='hedge', rows=rows // count)
        fed.launch_broker()
        one = median_of(simulated, runs, fed)
        for name, run in (('over a broker', median_of(over_broker, runs, fed)), ('`simulate`', one), ('pooled', median_of(pooled, runs, fed))):
            rest = ['%.1f' % run['broker'], '%d' % run['trees'], '%.2f' % run['packets'], '%.1f' % run['megabytes']] if 'packets' in run else [
                '', '%d' % run['trees'], '', '']
            print('| %d | %s | %.2f | x%.2f | %.2f | %s |' % (count, name, run['seconds'], run['seconds'] / one['seconds'], run['processor'],
                                                           ' | '.join(rest)), flush=True)
        fed.broker.kill()


federation.main(measure)
