#!/usr/bin/env python3
"""A hundred owners of 1,000 records train one model of hedge in one process: it ends, is private, and takes part of all of them. Prints what it took.
usage: many_owners.py HEDGEROW [OWNERS [ROWS]]"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

MEMORY = 2 << 30  # bytes, at most: a sixth of it was seen
JOB = 'hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: 1\n'


def run(tool, folder, *words):
    return subprocess.run([tool, *words], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout


def main(tool, owners=100, rows=1000):
    with tempfile.TemporaryDirectory() as folder:
        run(tool, folder, 'generate', 'hospital', '--rows', str(owners * rows), '--seed', '1', '-o', 'all.csv', '--schema', 'schema.yaml')
        with open(os.path.join(folder, 'job.yaml'), 'w') as file:
            file.write(JOB)
        start = time.monotonic()
        summary = json.loads(run(tool, folder, 'simulate', 'job.yaml', '--data', 'all.csv', '--owners', str(owners), '--model', 'model.json',
                                 '--quiet', '--json'))
        seconds, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert summary['private'] and summary['epsilon'] <= 1 and summary['trees'] >= 25, summary
        with open(os.path.join(folder, 'model.json')) as file:
            settings = json.load(file)['settings']
        assert settings['job.owners'] == str(owners) and settings['job.coalition'] == str((owners - 1) // 2), settings
        memory = used.ru_maxrss * 1024
        print('%d owners x %d records: %d trees, %.0f s, %.0f s of processors, %.0f MiB' %
              (owners, rows, summary['trees'], seconds, used.ru_utime + used.ru_stime, memory / 2**20))
        assert memory < MEMORY, memory


main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:]))
