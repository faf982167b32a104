#!/usr/bin/env python3
"""What SimFL costs, as markdown: times and bytes over ten owners with as many records each, beside table 4 of the paper (Li, Wen, He: Practical
Federated Gradient Boosting Decision Trees. AAAI 2020) and the formulas of its section 5.3; and how they grow with records and owners, on
tables of "hedgerow generate classification" (plot.py draws it).

Times are processor seconds of one thread: of training those of "hedgerow train" without what a model of one tree takes, that is, without
reading, binning and preprocessing; of preprocessing, and bytes, those of bench_simfl, which runs the job as "hedgerow simulate" does. HEDGEROW_DATA
names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: simfl_cost.py [--help]"""
import json
import os
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

# Seconds: training of all-in, solo and simfl, preprocessing; megabytes: of preprocessing for each owner, of a tree.
TABLE_4 = {
    'a9a': (21.6, 15.2, 17.2, 135, 10.4, .28),
    'cod-rna': (24.7, 16.3, 17.9, 189, 4.3, .49),
    'ijcnn1': (29.3, 15.7, 17.4, 228, 8.4, .42),
    'susy': (204.1, 34.6, 43.1, 963, 136, 8.0),
    'higgs': (226.6, 39.8, 44.8, 996, 216, 8.0),
}
COLUMNS = ['records', 'all-in', 'solo', 'simfl', 'hashes', 'search', 'MB an owner', 'formula', 'MB a tree', 'formula']
GROWTH = ['records', 'owners', 'training of a tree, s', 'hashes, s', 'search, s', 'MB an owner', 'formula', 'MB a tree', 'formula']
DEPTH, FEATURES = 8, 28
RECORDS, OWNERS = [5000, 10000, 20000, 40000], [2, 5, 10, 20]
USUAL_RECORDS, USUAL_OWNERS = 20000, 10


# ---- One figure ----------------------------------------------------------------------------------------------------------

def processor_seconds(words):
    child = subprocess.Popen(words)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)
    return usage.ru_utime + usage.ru_stime


def training(args, folder, trees, *method):
    """Seconds of all trees but the first."""
    with tempfile.TemporaryDirectory() as work:
        words = [args.hedgerow, 'train', '--data', sets.path_of(folder, 'train'), '--schema', os.path.join(folder, 'schema.yaml'),
                 '--model', os.path.join(work, 'model.json'), '--force', '--threads', '1', '--quiet', '--method', *method, '--trees']
        return max(processor_seconds(words + [str(trees)]) - processor_seconds(words + ['1']), 0)


def job(args, folder, owners, trees, depth):
    words = [os.path.join(args.build, 'bench', 'bench_simfl'), os.path.join(folder, 'schema.yaml'), sets.path_of(folder, 'train')]
    words += [str(owners), str(trees), 'depth=%d' % depth]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def sent(said):
    return said['owners_sent'] + said['coordinator_sent']


def preprocessing(args, folder, owners):
    """{records, tables, hash, search; prepared: bytes that each owner sends before the first tree; tree: bytes that all send for one}

    What is sent before the first tree is what a job sends without its trees, which have one split: those have nearly the same size, so that
    the difference of two jobs tells it."""
    shallow, more = sent(job(args, folder, owners, owners, 1)), sent(job(args, folder, owners, 2 * owners, 1))
    said = job(args, folder, owners, owners, DEPTH)
    prepared = 2 * shallow - more
    return {**said, 'prepared': prepared / owners, 'tree': (sent(said) - prepared) / owners}


def formulas(said, owners):
    """Bytes as in section 5.3: 8 for a hash and its record's number; 8 for g and h, and for a node of the tree."""
    return [8 * said['records'] * said['tables'], 8 * (said['records'] + (2 ** DEPTH - 1) * (owners - 1))]


def megabytes(said, owners):
    prepared, tree = formulas(said, owners)
    return ['%.3g' % (size / 1e6) for size in (said['prepared'], prepared, said['tree'], tree)]


# ---- Tables --------------------------------------------------------------------------------------------------------------

def divided(owners, *more):
    return [word for option in ('owners=%d' % owners, *more) for word in ('--option', option)]


def row_of(args, name, folder, pool):
    owners = USUAL_OWNERS
    together = pool.submit(training, args, folder, args.trees, 'all-in')
    alone = [pool.submit(training, args, folder, args.trees, 'solo', *divided(owners, 'owner=%d' % (1 + k))) for k in range(args.alone)]
    simfl = pool.submit(training, args, folder, args.trees, 'simfl', *divided(owners))
    said = pool.submit(preprocessing, args, folder, owners).result()
    seconds = [together.result(), statistics.mean(of.result() for of in alone), simfl.result(), said['hash'], said['search']]
    return pages.line([name, 'measured', str(said['records'])] + ['%.2f' % s for s in seconds] + megabytes(said, owners))


def paper_row(name):
    all_in, solo, simfl, prepared, an_owner, a_tree = TABLE_4[name]
    return pages.line([name, 'paper', ''] + ['%g' % s for s in (all_in, solo, simfl)] + ['%g, both' % prepared, '', '', '%g' % an_owner, '', '%g' % a_tree])


def table_4(args, pool):
    yield ('Processor seconds of one thread, %d trees of depth %d, %d owners with as many records each; solo: mean of %d owners.'
           ' Settings: learning rate 0.1, logistic loss, gamma 0, owners in turns, lambda 1, 255 bins, r = 4, L = min(40, d - 1), lsh-range 1.'
           % (args.trees, DEPTH, USUAL_OWNERS, args.alone))
    yield from pages.header(['set', 'source'] + COLUMNS)
    for name in args.sets or list(TABLE_4):
        yield row_of(args, name, sets.prepared(args.data, args.cache, name, 0, test=.25), pool)
        if name in TABLE_4:
            yield paper_row(name)


def generated(args, rows):
    folder = os.path.join(args.cache, 'generated-%d' % rows)
    if not os.path.exists(os.path.join(folder, 'schema.yaml')):
        os.makedirs(folder, exist_ok=True)
        subprocess.run([args.hedgerow, 'generate', 'classification', '--rows', str(rows), '--features', str(FEATURES), '--seed', '1',
                        '-o', os.path.join(folder, 'train.csv'), '--schema', os.path.join(folder, 'schema.yaml')],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def growth_row(args, rows, owners):
    folder = generated(args, rows)
    said = preprocessing(args, folder, owners)
    tree = training(args, folder, args.few, 'simfl', *divided(owners)) / (args.few - 1)
    sizes = megabytes(said, owners)
    return pages.line(['%d' % said['records'], '%d' % owners, '%.4f' % tree, '%.3f' % said['hash'], '%.2f' % said['search']] + sizes)


def growth(args, pool):
    yield ('Generated records of %d features, as many for each owner; processor seconds of one thread, all owners together; a tree of %d. '
           'Settings: depth 8, learning rate 0.1, logistic loss, gamma 0, owners in turns, lambda 1, 255 bins, r = 4, L = 27.'
           % (FEATURES, args.few))
    yield from pages.header(GROWTH)
    cells = [(rows, args.usual[1]) for rows in args.records] + [(args.usual[0], owners) for owners in args.owners]
    for found in [pool.submit(growth_row, args, *cell) for cell in dict.fromkeys(cells)]:
        yield found.result()


def main():
    numbers = lambda text: list(map(int, text.split(',')))  # noqa: E731
    parts = {'simfl-cost': table_4, 'simfl-growth': growth}
    parser = measure.parser(__doc__)
    parser.add_argument('--build', default='build', help='where bench/bench_simfl is (build)')
    parser.add_argument('--trees', type=int, default=500, help='of a model (500)')
    parser.add_argument('--alone', type=int, default=3, help='owners that train alone (3)')
    parser.add_argument('--few', type=int, default=51, help='trees of a model where cost grows (51)')
    parser.add_argument('--records', type=numbers, default=RECORDS, help='with commas (%(default)s)')
    parser.add_argument('--owners', type=numbers, default=OWNERS, help='with commas (%(default)s)')
    parser.add_argument('--usual', type=numbers, default=[USUAL_RECORDS, USUAL_OWNERS], help='records and owners where the other varies (%(default)s)')
    parser.add_argument('--only', choices=list(parts), help='one part')
    args = parser.parse_args()
    parts = {name: lines_of for name, lines_of in parts.items() if args.only in (None, name)}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
