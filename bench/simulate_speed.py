#!/usr/bin/env python3
"""How long a job of hedge over owners takes in one process (simulate), beside one fit of the same records (train), on one thread: 20,000
generated patients, epsilon 1. Seconds by the clock on the wall, and of the processor; the smallest of the runs.
usage: simulate_speed.py HEDGEROW [RUNS [OWNERS...]]"""
import os
import resource
import subprocess
import sys
import tempfile
import time

JOB = 'hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: 1\n'


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(tool, folder, *words):
    """(wall, processor)"""
    begin, before = time.monotonic(), processor()
    subprocess.run([tool, *words, '--threads', '1', '--force'], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin, processor() - before


def smallest(runs):
    return [min(one) for one in zip(*runs)]


def main(tool, runs=5, *owners):
    tool, runs = os.path.abspath(tool), int(runs)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool, 'generate', 'hospital', '--rows', '20000', '--seed', '1', '-o', 'train.csv', '--schema', 'schema.yaml'], cwd=folder, check=True)
        with open(os.path.join(folder, 'job.yaml'), 'w') as file:
            file.write(JOB)
        wall, used = smallest([measure(tool, folder, 'train', '--data', 'train.csv', '--schema', 'schema.yaml', '--epsilon', '1', '--model', 'model.json')
                               for _ in range(runs)])
        print('train              wall %.2f s         processor %.2f s' % (wall, used))
        for count in owners or ('3', '10', '30'):
            words = ('simulate', 'job.yaml', '--data', 'train.csv', '--owners', count, '--model', 'model.json', '--quiet')
            together, all_used = smallest([measure(tool, folder, *words) for _ in range(runs)])
            print('simulate %3s owners wall %.2f s x%-5.1f processor %.2f s x%.1f' % (count, together, together / wall, all_used, all_used / used))


if __name__ == '__main__':
    main(*sys.argv[1:])
