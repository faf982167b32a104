#!/usr/bin/env python3
"""id3 over owners on prepared sets, as markdown: its test error beside that of id3 on all records in one place, and of hedge over the same
owners. Every federation runs in one process ("hedgerow simulate"); each record's owner is drawn.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: federated_id3.py [--help]"""
import json
import os
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402
from id3 import EPSILONS, SETS, error  # noqa: E402

PART = 'id3-owners'
JOBS = {
    'id3, pure epsilon': ['method: id3', 'delta: 0'],
    'id3, delta 1e-6': ['method: id3', 'delta: 1e-6'],
    'hedge, delta 1e-6': ['method: hedge', 'delta: 1e-6'],
}
ALONE = {
    'id3, pure epsilon': ['id3'],
    'id3, delta 1e-6': ['id3', '--delta', '1e-6'],
}


def federated_error(program, folder, owners, epsilon, lines):
    """In %, of the test records."""
    with tempfile.TemporaryDirectory() as work:
        job, model = os.path.join(work, 'job.yaml'), os.path.join(work, 'model.json')
        schema, train, test = (os.path.abspath(os.path.join(folder, name)) for name in ('schema.yaml', 'train.csv', 'test.csv'))
        pages.write(job, '\n'.join(['hedgerow-job: 1', 'schema: "%s"' % schema, 'epsilon: %g' % epsilon, *lines, '']))
        subprocess.run([program, 'simulate', job, '--data', train, '--owners', str(owners), '--model', model, '--threads', '1', '--quiet'],
                       check=True, stdout=subprocess.DEVNULL)
        said = subprocess.run([program, 'evaluate', '--model', model, '--data', test, '--json'], check=True, stdout=subprocess.PIPE, text=True).stdout
        return 100 * json.loads(said)['error']


def rows_of(args, pool, name, folders):
    jobs = {('owners', title, e): [pool.submit(federated_error, args.hedgerow, f, args.owners, e, lines) for f in folders]
            for title, lines in JOBS.items() for e in args.epsilons}
    jobs.update({('pooled', title, e): [pool.submit(error, args.hedgerow, f, words + ['--epsilon', str(e)]) for f in folders]
                 for title, words in ALONE.items() for e in args.epsilons})
    for where, title in dict.fromkeys(key[:2] for key in jobs):
        yield pages.line([name, title, where] + [pages.spread([job.result() for job in jobs[where, title, e]]) for e in args.epsilons])


def lines_of(args, pool):
    yield ('Test error in %%, mean ± standard deviation over %d splits, at the methods\' defaults: %d owners with a drawn part of the records each, '
           'coalition 1; or one party with all of them (pooled).' % (args.seeds, args.owners))
    yield from pages.header(['set', 'method', 'records of'] + ['eps %g' % e for e in args.epsilons])
    for name, folders in args.folders.items():
        yield from rows_of(args, pool, name, folders)
    yield from ['', measure.settings(args.hedgerow, {title + ', pooled': words for title, words in ALONE.items()}) +
                ' Over owners: jobs with the same options, %s.' % '; '.join(', '.join(lines) for lines in JOBS.values())]


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--owners', type=int, default=3, help='(3)')
    parser.add_argument('--epsilons', type=lambda text: list(map(float, text.split(','))), default=EPSILONS, help='with commas (%(default)s)')
    args = parser.parse_args()
    parts = {PART: lines_of}
    measure.check(args, parts)
    args.folders = {name: [sets.prepared(args.data, args.cache, name, seed) for seed in range(args.seeds)] for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
