#!/usr/bin/env python3
"""What a job over owners loses when the last of them ends its part, with sums that are prepared and with sums that are not (bench_dropout.c), and
what it costs to prepare them. It ends before its Ready, after it and before its share, or, where nothing is prepared, before its share. It dies, and
the coordinator's deadline passes, or it leaves the job and says so (`hedgerow jobs cancel`). Every job runs in one process.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: dropout.py [--help]"""
import json
import os
import re
import statistics
import subprocess
import tempfile

import liars
import measure
import pages
import sets

PART = 'dropout'
SETTINGS = 'Settings: epsilon 1, coalition and all other options at their defaults; hedge: delta 1e-6; bounds: of the column %s; evaluation: of a model of gbdt.'
JOBS = {'evaluation': 'method: evaluation\nmodel: tested.json\n', 'bounds': 'method: bounds\ncolumns: [%s]\n', 'hedge': 'method: hedge\n'}
MADE = {'evaluation': 'figures', 'bounds': 'a schema'}
# What the last owner does, and the words for bench_dropout: HOW WHEN SUM SUMS.
NOBODY = ('takes part to the end', 'none asked 0 prepared')
ENDS = [NOBODY,
        ('dies before its Ready', 'dies asked 0 prepared'), ('leaves before its Ready', 'leaves asked 0 prepared'),
        ('dies between Ready and share', 'dies ready 0 prepared'), ('leaves between Ready and share', 'leaves ready 0 prepared'),
        ('not prepared: dies before its share', 'dies asked 0 whole'), ('not prepared: leaves before its share', 'leaves asked 0 whole')]
OF_LEAVES = [('dies at a sum of leaves', 'dies asked unprepared prepared'), ('leaves at a sum of leaves', 'leaves asked unprepared prepared')]
ROWS = [(job, *row) for job in JOBS for row in ENDS + (OF_LEAVES if job == 'hedge' else [])]


def number_of(folder):
    """The first feature that is a number."""
    features = pages.read(os.path.join(folder, 'schema.yaml')).split('features', 1)[1]
    return re.search(r'name: "?([^"\s,]+)"?[\s,]+kind: number', features).group(1)


def prepare(args, folder, work):
    """Tables of the most owners, and files of jobs."""
    heads, parts = liars.parts_of(folder, max(args.owners), args.rows, 0)
    for owner, lines in enumerate(parts):
        pages.write(os.path.join(work, '%d.csv' % owner), ''.join(heads + lines))
    schema = os.path.abspath(os.path.join(folder, 'schema.yaml'))
    subprocess.run([os.path.abspath(args.hedgerow), 'train', '--data', '0.csv', '--schema', schema, '--method', 'gbdt', '--model', 'tested.json', '--quiet'], cwd=work, check=True)
    for job, text in JOBS.items():
        pages.write(os.path.join(work, job + '.yaml'), 'hedgerow-job: 1\nschema: %s\nepsilon: 1\n' % schema + text.replace('%s', number_of(folder)))


def run(args, work, job, owners, words):
    program = os.path.abspath(os.path.join(args.build, 'bench', 'bench_dropout'))
    said = subprocess.run([program, job + '.yaml', *words.split(), *('%d.csv' % owner for owner in range(owners))], cwd=work, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(said)


def result_of(job, found):
    if not found['made']:
        return 'none: %s, exit code %d' % (found['ending'], found['exit_code'])
    return MADE.get(job) or '%d trees' % found['trees']


def rows_of_losses(args, work, owners):
    for job, title, words in ROWS:
        found = run(args, work, job, owners, words)
        yield pages.line([job, title, '%d' % found['sums'], '%d' % found['lost_sums'], '%.1f' % (100 * found['paid']), '%.1f' % (100 * found['lost']),
                          '%d' % found['deadlines'], result_of(job, found)])


def rows_of_costs(args, work, owners):
    for job in JOBS:
        kinds = ('whole', 'prepared')
        runs = [[run(args, work, job, owners, 'none asked 0 ' + kind) for kind in kinds] for _ in range(args.runs)]
        for kind, found in zip(kinds, zip(*runs)):
            yield pages.line([job, '%d' % owners, 'yes' if kind == 'prepared' else 'no', '%d' % statistics.median(one['packets'] for one in found),
                              pages.spread([one['bytes'] / 1024 for one in found], 0), '%.0f' % (1000 * min(one['seconds'] for one in found))])


def lines_of(args, pool):
    name, folders = next(iter(args.folders.items()))
    with tempfile.TemporaryDirectory() as work:
        prepare(args, folders, work)
        for owners in args.owners:
            yield from ['', '### %d owners' % owners, '']
            yield ('%s, %d records an owner, one run a row. The last owner ends its part at the first sum of the job, or of leaves. Sums: asked for, those that are lost included. Paid: by each owner that '
                   'stays, of what the job costs; lost: of that, for sums that are lost. Deadlines: that the coordinator waited for.' % (name, args.rows))
            yield from pages.header(['job', 'the last owner', 'sums', 'lost', 'paid, %', 'lost, %', 'deadlines', 'result'])
            yield from rows_of_losses(args, work, owners)
        yield from ['', '### What it costs to prepare sums', '']
        yield 'The same jobs, to whose end all owners take part, over %d runs in turns. KiB: of all packets. Milliseconds: of the processor, of all parties together; the fewest.' % args.runs
        yield from pages.header(['job', 'owners', 'prepared', 'packets', 'KiB', 'ms'])
        for owners in args.owners:
            yield from rows_of_costs(args, work, owners)
    yield from ['', SETTINGS % number_of(folders)]


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--build', default='build', help='the build directory (build)')
    parser.add_argument('--owners', type=lambda numbers: [int(number) for number in numbers.split(',')], default=[4, 10], help='numbers, with commas (4,10)')
    parser.add_argument('--rows', type=int, default=2000, help='records of each owner (2000)')
    parser.add_argument('--runs', type=int, default=10, help='of each job whose cost is measured (10)')
    args = parser.parse_args()
    parts = {PART: lines_of}
    measure.check(args, parts)
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0) for name in args.sets or ['adult']}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
