#!/usr/bin/env python3
"""Accuracy of hedge over owners, as markdown: beside hedge on the pooled records, the average of the models that owners train alone, one
of those models, and inprivate over the same owners.

Every figure is kept in a file of results as soon as it is known; a run that was stopped goes on from there. After a change of the program
name another file, or remove it. HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names an interpreter that has scikit-learn.
usage: federated_accuracy.py [--help]"""
import collections
import csv
import functools
import io
import json
import math
import os
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['adult', 'cod-rna', 'covtype', 'kc_house']
MORE_SETS = ['abalone', 'covtype-7', 'nursery', 'robot']
# Of sets that are not in prepare.py: the set that they are made from, and what changes.
MADE = {'covtype-7': ('covtype', {'positive': None})}
ROWS = 24000  # of a set at most
TEST = {'abalone': .28, 'robot': .45}  # so that 3,000 records are left to train on
TEST_ELSE = 1 / 6
LOOSE = .3  # part of the records that are assigned at random even if the others are sorted
RADIX = {'kc_house': 1e-3}  # thousand dollars

Cell = collections.namedtuple('Cell', 'owners records split epsilon')
KINDS = ['central', 'federated', 'average', 'alone', 'inprivate']
OWN = ['central', 'federated', 'scale']
TITLES = ['central hedge', '**hedge over owners**', 'average of models alone', 'one alone', 'inprivate']
SIZES = [(3, 1000), (10, 1000), (20, 1000), (3, 5000)]
SKEWED = ['feature', 'label', 'size']
ONE_LINE = [Cell(5, 1000, 'iid', 1)]


def cells_of(epsilon_sizes, skewed_sizes):
    """In the order of the table."""
    iid = [Cell(*size, 'iid', e) for size in epsilon_sizes for e in (.5, 1, 4)]
    return iid + ONE_LINE + [Cell(*size, split, 1) for split in SKEWED for size in skewed_sizes]


MAIN = cells_of(SIZES, SIZES[:2])
MORE = [Cell(3, 1000, 'iid', 1)]
QUICK = [Cell(3, 200, split, 1) for split in ('iid', *SKEWED)]


def urgency(cell):
    """What is measured first, if time is short."""
    small, usual, sized = (cell.owners, cell.records) in SIZES[:2], cell.epsilon == 1, cell.split == 'size'
    return [small and usual and not sized, cell.owners == 10 and not usual, usual and not sized, sized, True].index(True)


# ---- Records of owners ---------------------------------------------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def columns(folder, part):
    return sets.arrays(folder, part)


def ranks(values):
    from scipy.stats import rankdata
    return rankdata(values)


def spread_feature(x, y, categories):
    """The number that tells most about the label, by rank correlation, of those with 20 different values or more."""
    import numpy as np
    of_label = ranks(y)
    found = {f: abs(np.corrcoef(ranks(x[:, f]), of_label)[0, 1])
             for f in range(x.shape[1]) if not categories[f] and len(np.unique(x[:, f])) >= 20}
    return max(found, key=found.get, default=0)


def owners_of(folder, count, cell, seed):
    """The owner of each of the first `count` training records. iid: as many for each, at random. feature, label: sorted by it, but for a
    part LOOSE. size: in proportion 1, 1/2, 1/3, ..."""
    import numpy as np
    random, k = np.random.default_rng(2000 + seed), cell.owners
    x, y, categories, _ = columns(folder, 'train')
    x, y = x[:count], y[:count]
    if cell.split == 'iid':
        return random.permutation(count) % k
    if cell.split == 'size':
        shares = np.cumsum(1 / np.arange(1, k + 1))
        return np.searchsorted(shares / shares[-1], random.random(count)).clip(0, k - 1)
    key = y if cell.split == 'label' else x[:, spread_feature(x, y, categories)]
    owner = np.empty(count, int)
    owner[np.lexsort((random.random(count), key))] = np.arange(count) * k // count
    loose = random.random(count) < LOOSE
    owner[loose] = random.integers(k, size=loose.sum())
    return owner


def lines_of(folder, count):
    with open(os.path.join(folder, 'train.csv'), encoding='utf-8') as f:
        head, *rows = f.read().splitlines(keepends=True)
    return head, rows[:count]


def size_of(folder, cell):
    """The records of all owners together: as the cell says, or as many as there are."""
    return min(cell.owners * cell.records, len(columns(folder, 'train')[1]))


def owner_files(folder, work, cell, seed):
    """[(path, records)]"""
    head, rows = lines_of(folder, size_of(folder, cell))
    owner, made = owners_of(folder, len(rows), cell, seed), []
    for o in range(cell.owners):
        mine = [row for row, of in zip(rows, owner) if of == o]
        made.append((os.path.join(work, 'owner-%d.csv' % o), len(mine)))
        pages.write(made[-1][0], head + ''.join(mine))
    return made


# ---- One figure ----------------------------------------------------------------------------------------------------------

def said_by(program, *words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def told(program, folder, model):
    """Error, or RMSE."""
    said = json.loads(said_by(program, 'evaluate', '--model', model, '--data', os.path.join(folder, 'test.csv'), '--json'))
    return said.get('error', said.get('rmse'))


def fit(program, folder, data, model, epsilon):
    said_by(program, 'train', '--data', data, '--schema', os.path.join(folder, 'schema.yaml'), '--model', model, '--epsilon', '%g' % epsilon,
            '--threads', '1', '--quiet', '--force')


def central(program, folder, work, cell, seed):
    data, model = os.path.join(work, 'pooled.csv'), os.path.join(work, 'model.json')
    head, rows = lines_of(folder, size_of(folder, cell))
    pages.write(data, head + ''.join(rows))
    fit(program, folder, data, model, cell.epsilon)
    return {'central': told(program, folder, model)}


def simulated(method):
    def measured(program, folder, work, cell, seed):
        job, model = os.path.join(work, 'job.yaml'), os.path.join(work, 'model.json')
        pages.write(job, 'hedgerow-job: 1\nschema: "%s"\nmethod: %s\nepsilon: %g\n' % (
            os.path.abspath(os.path.join(folder, 'schema.yaml')), method, cell.epsilon))
        words = [word for path, _ in owner_files(folder, work, cell, seed) for word in ('--data', path)]
        said_by(program, 'simulate', job, *words, '--model', model, '--threads', '1', '--quiet')
        return {'federated' if method == 'hedge' else method: told(program, folder, model)}
    return measured


def predicted(program, folder, model):
    """(names of classes or None, what is predicted): probabilities of classes, or a column of numbers."""
    import numpy as np
    said = said_by(program, 'predict', '--model', model, '--data', os.path.join(folder, 'test.csv'))
    names, *rows = csv.reader(io.StringIO(said))
    if names[0] != 'class':
        return None, np.array(rows, float)
    return [name[len('p_'):] for name in names[1:]], np.array([row[1:] for row in rows], float)


def averaged(program, folder, work, cell, seed):
    """Every owner trains for itself at the full epsilon. What its model predicts is averaged, weighted by its records."""
    import numpy as np
    model, errors, total, everything = os.path.join(work, 'model.json'), [], 0, 0
    for path, count in owner_files(folder, work, cell, seed):
        fit(program, folder, path, model, cell.epsilon)
        errors.append(told(program, folder, model))
        names, values = predicted(program, folder, model)
        total, everything = total + count * values, everything + count
    _, y, _, _ = columns(folder, 'test')
    if names is None:
        error = math.sqrt(np.mean((total[:, 0] / everything - y) ** 2))
    else:
        code = {value: i for i, value in enumerate(next(iter(sets.columns_of(folder)[0].values())))}
        error = np.mean(np.array([code[name] for name in names])[total.argmax(axis=1)] != y)
    return {'average': float(error), 'alone': statistics.mean(errors)}


def scale(folder, cell):
    """[error of scikit-learn's gradient boosting on the pooled records without privacy, error of a constant]"""
    import numpy as np
    x, y, _, classes = columns(folder, 'train')
    xt, yt, _, _ = columns(folder, 'test')
    x, y = x[:size_of(folder, cell)], y[:size_of(folder, cell)]
    p = measure.boosting(classes, early_stopping=False if len(y) < 10000 else 'auto').fit(x, y).predict(xt)
    constant = statistics.mode(y) if classes else np.mean(y)
    return [float(np.mean(q != yt) if classes else np.sqrt(np.mean((q - yt) ** 2))) for q in (p, constant)]


MEASURED = {'central': central, 'federated': simulated('hedge'), 'average': averaged, 'alone': averaged, 'inprivate': simulated('inprivate')}


# ---- What is known -------------------------------------------------------------------------------------------------------

class Results(measure.Results):
    def __init__(self, args):
        super().__init__(args.results)
        self.args, self.marks = args, pages.load(args.marks)

    def key(self, kind, name, cell, seed):
        """Central hedge and the scale do not ask who holds a record."""
        if kind == 'scale':
            return (kind, name, cell.owners * cell.records, seed)
        if kind == 'central':
            return (kind, name, cell.owners * cell.records, cell.epsilon, seed)
        return (kind, name, *cell, seed)

    def folder(self, name, seed):
        base, changes = MADE.get(name, (name, None))
        return sets.prepared(self.args.data, os.path.join(self.args.cache, 'federated', name), base, seed, ROWS, TEST.get(name, TEST_ELSE), changes)

    def measure(self, kind, name, cell, seed):
        """If it is not known. inprivate has no more than two classes."""
        if self.key(kind, name, cell, seed) in self.known:
            return
        folder = self.folder(name, seed)
        if kind == 'inprivate' and len(next(iter(sets.columns_of(folder)[0].values())) or []) > 2:
            return
        if kind == 'scale':
            self.note(self.key(kind, name, cell, seed), scale(folder, cell))
            return
        with tempfile.TemporaryDirectory() as work:
            found = MEASURED[kind](self.args.hedgerow, folder, work, cell, seed)
        for of, value in found.items():
            self.note(self.key(of, name, cell, seed), value)

    def splits(self, kind, name, cell):
        """More of hedge's own figures where there is one to reach, and of all figures of the other sets."""
        marked = kind in OWN and ', '.join(called(cell)) in self.marks['figures'] or name in MORE_SETS
        return max(self.args.seeds, self.args.marked_seeds if marked else 0)

    def of(self, kind, name, cell, splits=None):
        """Over the splits; [] if some are not known."""
        keys = [self.key(kind, name, cell, seed) for seed in range(splits or self.splits(kind, name, cell))]
        return [self.known[key] for key in keys] if all(key in self.known for key in keys) else []


def measure_all(results, names, cells):
    """hedge's own figures before the others, and then the most urgent first."""
    for kind in ('federated', 'central', 'scale', 'average', 'inprivate'):
        for cell in sorted(cells, key=urgency):
            for name in names:
                for seed in range(results.splits(kind, name, cell)):
                    results.measure(kind, name, cell, seed)


# ---- Tables --------------------------------------------------------------------------------------------------------------

def normalised(results, kind, name, cell):
    """(mean, its standard error): 0 is gradient boosting without privacy, 1 a constant. None: not known."""
    errors = results.of(kind, name, cell)
    ends = results.of('scale', name, cell, len(errors))
    if not errors or not ends:
        return None
    best, constant = (statistics.mean(column) for column in zip(*ends))
    return tuple(v / (constant - best) for v in (statistics.mean(errors) - best, pages.deviation(errors) / math.sqrt(len(errors))))


def over_sets(results, kind, names, cell):
    """The same, mean over the sets."""
    found = [normalised(results, kind, name, cell) for name in names]
    if not all(found):
        return None
    return statistics.mean(m for m, _ in found), math.sqrt(sum(e * e for _, e in found)) / len(found)


def told_cell(found, digits=3):
    return pages.shown(*found, digits) if found else ''


def over_splits(args):
    if args.seeds >= args.marked_seeds:
        return '%d splits' % args.seeds
    return '%d splits (central hedge and hedge over owners, where the prototype has a figure: %d)' % (args.seeds, args.marked_seeds)


def called(cell):
    return ['%d x %d' % (cell.owners, cell.records), cell.split, '%g' % cell.epsilon]


def verdict(found, mark, others):
    """Of hedge over owners: beside its mark if there is one, else beside the average and one alone."""
    mean, error = found
    if mark is not None:
        return 'worse' if round(mean, 3) > mark + round(error, 3) else 'reached'
    return 'better than both' if all(mean < other for other, _ in others) else 'not better than both'


def mean_part(results, names, cells):
    def lines(args, pool):
        counts = collections.Counter()
        yield ('Normalised error, mean over %s and %s ± its standard error. In brackets: %s. ▼: hedge over owners is above that figure by '
               'more than its own standard error.' % (', '.join(names), over_splits(args), results.marks['source']))
        yield from pages.header(['owners x records', 'split', 'eps', *TITLES])
        for cell in cells:
            figures = results.marks['figures'].get(', '.join(called(cell)), {})
            found = {kind: over_sets(results, kind, names, cell) for kind in KINDS}
            shown = {kind: told_cell(found[kind]) + (' (%.3f)' % figures[kind] if kind in figures and found[kind] else '') for kind in KINDS}
            others = [found[kind] for kind in ('average', 'alone') if found[kind]]
            said = verdict(found['federated'], figures.get('federated'), others) if found['federated'] else 'not measured'
            counts[said] += 1
            shown['federated'] += ' ▼' if said == 'worse' else ''
            yield pages.line(called(cell) + [shown[kind] for kind in KINDS])
        yield ''
        yield 'Hedge over owners in these %d cells: %s.' % (len(cells), ', '.join('%s %d' % c for c in sorted(counts.items())))
    return lines


def set_line(results, name, cell):
    """What is told of errors, in % or in the label's units."""
    errors = {kind: results.of(kind, name, cell) for kind in KINDS}
    classes = next(iter(sets.columns_of(results.folder(name, 0))[0].values())) is not None
    unit = 100 if classes else RADIX.get(name, 1)
    shown = [pages.shown(unit * statistics.mean(e), unit * pages.deviation(e) / math.sqrt(len(e))) if e else '' for e in errors.values()]
    ends = results.of('scale', name, cell)
    shown += ['%.2f' % (unit * statistics.mean(column)) for column in zip(*ends)] if ends else ['', '']
    return pages.line([name + (', error, %' if classes else ', RMSE'), *called(cell), *shown])


def set_table(results, names, cells):
    yield from pages.header(['set', 'owners x records', 'split', 'eps', *TITLES, 'no privacy', 'a constant'])
    for name in names:
        for cell in cells:
            yield set_line(results, name, cell)


def set_part(results, names, cells):
    def lines(args, pool):
        yield 'Test error in %% or RMSE, mean over %s ± its standard error.' % over_splits(args)
        yield from set_table(results, names, cells)
    return lines


def more_part(results, names, cells):
    def lines(args, pool):
        splits = '%d splits' % max(args.seeds, args.marked_seeds)
        yield 'Normalised error, mean over %s ± its standard error; inprivate has no more than two classes.' % splits
        yield from pages.header(['set', 'owners x records', 'split', 'eps', *TITLES])
        for name in names:
            for cell in cells:
                yield pages.line([name, *called(cell), *(told_cell(normalised(results, kind, name, cell)) for kind in KINDS)])
        yield from ['', 'Test error in %% or RMSE, mean over %s ± its standard error.' % splits]
        yield from set_table(results, names, cells)
    return lines


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--seeds', type=int, default=4, help='number of splits (4)')
    parser.add_argument('--marked-seeds', type=int, default=8, help="the same, of hedge's own figures where the prototype has one (8)")
    parser.add_argument('--results', default='build/accuracy/federated.jsonl', help='the file of results (build/accuracy/federated.jsonl)')
    parser.add_argument('--marks', default=os.path.join(measure.HERE, 'federated.json'), help="the prototype's figures (federated.json)")
    parser.add_argument('--known', action='store_true', help='measure nothing: tables of what the file of results has')
    parser.add_argument('--quick', action='store_true', help='few and small cells')
    return parser.parse_args()


def main():
    args = arguments_of()
    measure.with_sklearn()
    results = Results(args)
    names, more = args.sets or SETS, [] if args.sets else MORE_SETS
    cells = QUICK if args.quick else MAIN
    parts = {'federated': mean_part(results, names, cells), 'federated-sets': set_part(results, names, cells)}
    if more and not args.quick:
        parts['federated-more'] = more_part(results, more, MORE)
    measure.check(args, parts)
    if not args.known:
        measure_all(results, more if 'federated-more' in parts else [], MORE)
        measure_all(results, names, cells)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
