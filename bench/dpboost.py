#!/usr/bin/env python3
"""The evaluation of DPBoost's paper (Li, Wu, Wen, He 2020) as tables: figures 2 to 8, tables 2 and 3, and Theorem 5 beside its bound.

Everything is in mode paper. NP is gbdt with square loss. HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data
beside the project. PEER_PYTHON names a Python interpreter that has numpy and scikit-learn, for the made sets and for trees one after the other.
usage: dpboost.py [--help]"""
import collections
import functools
import json
import os
import re
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

# As section 4 has them; the learning rate and the bins are not in the paper.
DEPTH, LAMBDA, RATE, BINS, BOUND, FOLDS = 6, .1, .1, 64, 1, 5
EPSILONS = [1, 2, 4, 6, 8, 10]
FEW = [1, 4, 10]  # of figures 5 and 6

# known: its name among the prepared sets; rows: at most so many; changes: of what the set's table has (sets.prepared); make: of a made set;
# folds: at most so many, of a set with many features.
Set = collections.namedtuple('Set', 'known rows changes make folds', defaults=(None, None, None, FOLDS))
MADE = 20000, 100  # records, features


def make_classes(folder):
    """Two classes, by scikit-learn's make_classification with its defaults."""
    from sklearn.datasets import make_classification
    x, y = make_classification(*MADE, random_state=0)
    sets.write_numbers(folder, x, y, 'classes\n  values: ["0", "1"]', {'test': range(0), 'train': range(len(y))})


def make_numbers(folder):
    """A linear function of 10 features, by scikit-learn's make_regression with its defaults, scaled to [-1, 1]."""
    from sklearn.datasets import make_regression
    x, y = make_regression(*MADE, random_state=0)
    sets.write_numbers(folder, x, y / abs(y).max(), 'number\n  low: -1\n  high: 1', {'test': range(0), 'train': range(len(y))})


SETS = {
    'adult': Set('a9a'),
    'reuters': Set('reuters'),
    'covtype': Set('covtype', 60000),
    'susy': Set('susy'),
    'cod-rna': Set('cod-rna'),
    'webdata': Set('w8a', folds=2),
    'synthetic_cls': Set('synthetic_cls', make=make_classes, folds=2),
    'abalone': Set('abalone'),
    'yearmsd': Set('yearmsd', changes={'y': [1922, 2011]}),
    'synthetic_reg': Set('synthetic_reg', make=make_numbers),
}
FIRST = ['adult', 'reuters', 'covtype', 'susy', 'cod-rna']
NUMBERS = ['abalone', 'yearmsd', 'synthetic_reg']

# The methods, and their options beside those of all.
NP, PARA, SEQ, DPBOOST = 'NP', 'PARA', 'SEQ', 'DPBoost'
METHODS = {NP: ['gbdt', '--option', 'loss=square', '--option', 'min-child-weight=0'], PARA: ['para'], SEQ: ['seq'], DPBOOST: ['dpboost']}
Run = collections.namedtuple('Run', 'method trees ensemble epsilon more', defaults=((),))


def command(run):
    """The arguments of a training."""
    shape = ['--trees', '%d' % run.trees, '--depth', '%d' % DEPTH, '--bins', '%d' % BINS, '--learning-rate', '%g' % RATE, '--option', 'lambda=%g' % LAMBDA]
    if run.method == NP:
        return [*METHODS[NP], *shape]
    private = ['--mode', 'paper', '--epsilon', '%g' % run.epsilon, '--option', 'gradient-bound=%g' % BOUND]
    of_ensembles = ['--option', 'ensemble=%d' % run.ensemble] if run.method == DPBOOST else []
    return [*METHODS[run.method], *shape, *private, *of_ensembles, *(word for option in run.more for word in ('--option', option))]


# ---- Sets ----------------------------------------------------------------------------------------------------------------

def whole(args, name):
    """The folder of a set that is not divided yet."""
    of = SETS.get(name, Set(name))
    cache = os.path.join(args.cache, 'dpboost')
    if of.make is None:
        return sets.prepared(args.data, cache, of.known, 0, args.rows or of.rows, changes=of.changes)
    folder = os.path.join(cache, name)
    if not os.path.exists(os.path.join(folder, 'schema.yaml')):
        os.makedirs(folder, exist_ok=True)
        of.make(folder)
    return folder


def divided(args, name):
    """The folders of all folds of a set: of fold k every FOLDS-th record from record k on is for the test."""
    source = whole(args, name)
    folders = ['%s-fold-%d-of-%d' % (source, k, FOLDS) for k in range(FOLDS)]
    if os.path.exists(os.path.join(folders[-1], 'schema.yaml')):
        return folders
    head, rows = sets.lines_of(source, 'train')
    rows += sets.lines_of(source, 'test')[1]
    for k, folder in enumerate(folders):
        os.makedirs(folder, exist_ok=True)
        for part, chosen in (('test', rows[k::FOLDS]), ('train', [row for i, row in enumerate(rows) if i % FOLDS != k])):
            pages.write(os.path.join(folder, os.path.basename(sets.path_of(source, part))), ''.join(head + chosen))
        pages.write(os.path.join(folder, 'schema.yaml'), pages.read(os.path.join(source, 'schema.yaml')))
    return folders


def records_of(folder):
    """(of both parts together, features)"""
    return sum(len(sets.lines_of(folder, part)[1]) for part in ('train', 'test')), len(sets.columns_of(folder)[0]) - 1


def label_of(folder):
    """(low, high) of a number; None: classes."""
    label = next(iter(sets.columns_of(folder)[0]))
    return sets.bounds_of(folder).get(label)


def unit_of(folder):
    return 'RMSE' if label_of(folder) else 'error, %'


# ---- One training --------------------------------------------------------------------------------------------------------

def error(program, folder, run):
    """In %, or the root mean square error in the unit of the label."""
    said = measure.metrics(program, folder, command(run))
    return said['rmse'] if 'rmse' in said else 100 * said['error']


def trained(program, folder, run):
    """(the model, what the program printed of time and of records left out)"""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        done = subprocess.run([program, 'train', '--data', sets.path_of(folder, 'train'), '--schema', os.path.join(folder, 'schema.yaml'), '--model', model,
                               '--threads', '1', '--json', '--timings', '--method', *command(run)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = re.search(r'left (\d+) of (\d+) records', done.stderr)
        return pages.load(model), json.loads(done.stdout)['timings'], tuple(map(int, found.groups())) if found else None


class Table:
    """Records as their features, and targets as DPBoost has them: labels in [-1, 1]."""

    def __init__(self, folder, part):
        import numpy as np
        x, y, _, _ = sets.arrays(folder, part)
        bounds, (columns, _) = label_of(folder), sets.columns_of(folder)
        self.x, self.bounds = x, bounds
        self.targets = 2 * (y - bounds[0]) / (bounds[1] - bounds[0]) - 1 if bounds else 2 * y - 1
        self.is_category = [values is not None for values in list(columns.values())[1:]]
        self.rows = np.arange(len(y))

    def leaves(self, tree):
        """The leaf of every record."""
        import numpy as np
        at = np.zeros(len(self.rows), int)
        for node, of in enumerate(tree['nodes']):
            if len(of) == 1:
                continue
            here = self.rows[at == node]
            values = self.x[here, of[1]]
            if self.is_category[of[1]]:
                left = np.isin(np.nan_to_num(values, nan=-1) + 1, tree['subsets'][of[2]])
            else:
                left = np.where(np.isnan(values), bool(of[3]) if len(of) > 3 else False, values <= float(of[2]))
            at[here] = np.where(left, of[0], of[0] + 1)
        return at

    def said(self, tree):
        import numpy as np
        return np.array([of[0] if len(of) == 1 else 0 for of in tree['nodes']])[self.leaves(tree)]

    def error(self, scores):
        """In %, or the root mean square error in the unit of the label."""
        import numpy as np
        if self.bounds:
            return float((self.bounds[1] - self.bounds[0]) / 2 * np.sqrt(((np.clip(scores, -1, 1) - self.targets) ** 2).mean()))
        return float(100 * ((scores > 0) != (self.targets > 0)).mean())


def after(program, folder, run, places):
    """Errors after so many trees of one model."""
    import numpy as np
    model, _, _ = trained(program, folder, run)
    table, found = Table(folder, 'test'), {}
    scores = np.full(len(table.rows), float(model['base'][0]))
    for count, tree in enumerate(model['trees'], 1):
        scores += table.said(tree)
        found[count] = table.error(scores)
    return [found[min(place, len(model['trees']))] for place in places]


# ---- Tables --------------------------------------------------------------------------------------------------------------

def with_range(values, digits):
    """mean ± deviation (least to most)"""
    return '%s (%.*f to %.*f)' % (pages.spread(values, digits), digits, min(values), digits, max(values))


def digits_of(folder):
    return 2 if not label_of(folder) or label_of(folder)[1] - label_of(folder)[0] > 2 else 3


def named(args, name):
    """The set with its records and features, and its folds if it has fewer than others."""
    folders = args.folders[name]
    fewer = '; %d folds' % len(folders) if len(folders) < args.folds else ''
    return '%s (%d x %d%s)' % ((name,) + records_of(folders[0]) + (fewer,))


def measured(args, name):
    return '%s, %s' % (named(args, name), unit_of(args.folders[name][0]))


def settings(args, said):
    return ('Settings: mode paper, %s, depth %d, lambda %g, learning rate %g, g* %g, GDF and GLC on unless a row says else, GLC counts the trees of an ensemble, '
            'leaf noise at eps_leaf, %d bins of exact quantiles; NP is gbdt with square loss and the same depth, lambda, learning rate and bins; '
            '%d of the %d folds of a cross-validation, one thread. Cells: mean ± standard deviation (minimum to maximum) over the folds.'
            % (said, DEPTH, LAMBDA, RATE, BOUND, BINS, args.folds, FOLDS))


def errors_of(trees, usual):
    """Figures 2, 5 and 6: one ensemble."""
    def lines(args, pool):
        epsilons = args.epsilons or usual
        yield settings(args, '%d trees, one ensemble of %d, PARA and SEQ the same budget' % (trees, trees))
        yield from pages.header(['set', 'method', *('eps %g' % e for e in epsilons)])
        counts = collections.Counter()
        for name, folders in args.folders.items():
            runs = {method: [[pool.submit(error, args.hedgerow, f, Run(method, trees, trees, e)) for f in folders] for e in epsilons]
                    for method in (PARA, SEQ, DPBOOST)}
            plain = [pool.submit(error, args.hedgerow, f, Run(NP, trees, 0, 0)) for f in folders]
            found = {NP: [[job.result() for job in plain]] * len(epsilons),
                     **{method: [[job.result() for job in jobs] for jobs in of_method] for method, of_method in runs.items()}}
            for method in METHODS:
                yield pages.line([measured(args, name), method, *(with_range(values, digits_of(folders[0])) for values in found[method])])
            for para, seq, ours in zip(found[PARA], found[SEQ], found[DPBOOST]):
                counts['cells'] += 1
                counts[PARA] += statistics.mean(ours) < statistics.mean(para)
                counts[SEQ] += statistics.mean(ours) < statistics.mean(seq)
        yield ''
        yield 'The mean of DPBoost is below that of PARA in %d of %d cells, below that of SEQ in %d.' % (counts[PARA], counts['cells'], counts[SEQ])
    return lines


CURVES = {'DPBoost, GLC by t': (DPBOOST, ['glc-exponent=iteration']), 'DPBoost, GLC off': (DPBOOST, ['glc=off']),
          'DPBoost, GDF off': (DPBOOST, ['gdf=off'])}


def convergence_of(ensemble, with_plain):
    """Figures 3, 7 and 8: ensembles one after the other, epsilon 5 each."""
    def lines(args, pool):
        trees = args.trees
        epsilon = 5 * -(-trees // ensemble)
        places = [max(1, trees * share // 100) for share in (1, 2, 5, 10, 20, 40, 60, 80, 100)]
        yield settings(args, '%d trees in ensembles of %d, epsilon %g in all for DPBoost, PARA and SEQ, which is 5 an ensemble' % (trees, ensemble, epsilon))
        yield from pages.header(['set', 'method', *('trees %d' % place for place in places)])
        methods = {method: (method, []) for method in METHODS if with_plain or method != NP}
        for name, folders in args.folders.items():
            jobs = {title: [pool.submit(after, args.hedgerow, f, Run(method, trees, ensemble, epsilon, tuple(more)), places) for f in folders]
                    for title, (method, more) in {**methods, **(CURVES if with_plain else {})}.items()}
            for title, waiting in jobs.items():
                columns = zip(*(job.result() for job in waiting))
                yield pages.line([measured(args, name), title, *(with_range(values, digits_of(folders[0])) for values in columns)])
    return lines


def seconds(program, folder, run):
    """Processor time of a tree, in milliseconds: the least of three trainings, without reading and writing."""
    def once():
        _, said, _ = trained(program, folder, run)
        return said['processor'] - sum(phase['processor'] for phase in said['phases'] if phase['phase'] in ('read', 'model', 'write'))
    return 1000 * min(once() for _ in range(3)) / run.trees


def times_part(args, pool):
    """Table 2."""
    trees, ensemble = args.trees // 10, args.ensemble
    epsilon = 5 * -(-trees // ensemble)
    yield ('Milliseconds of processor time a tree, without reading the table and writing the model; the least of three trainings, on fold 0. Settings: mode paper, '
           '%d trees in ensembles of %d, epsilon %g, depth %d, %d bins, one thread; NP is gbdt in the same run. The paper has seconds on a Xeon W-2155 with 10 cores, '
           'and ten times as many trees.' % (trees, ensemble, epsilon, DEPTH, BINS))
    yield from pages.header(['set', 'DPBoost', 'NP', 'DPBoost / NP', 'the paper: DPBoost / NP'])
    for name, folders in args.folders.items():
        ours, plain = (pool.submit(seconds, args.hedgerow, folders[0], Run(method, trees, ensemble, epsilon)).result() for method in (DPBOOST, NP))
        yield pages.line([named(args, name), '%.3f' % ours, '%.3f' % plain, '%.2f' % (ours / plain), PAPER_TIMES.get(name, '')])


PAPER_TIMES = {'adult': '2.7', 'reuters': '3.6 (real-sim)', 'covtype': '1.9', 'susy': '1.2', 'cod-rna': '1.8', 'webdata': '2.5', 'synthetic_cls': '2.8',
               'abalone': '1.04', 'yearmsd': '3.2', 'synthetic_reg': '2.7'}
PAPER_FILTERED = {'abalone': '1.44', 'yearmsd': '8.06', 'synthetic_reg': '0'}


def left_out(program, folder, run):
    _, _, (lost, records) = trained(program, folder, run)
    return 100 * lost / records


def filtered_part(args, pool):
    """Table 3."""
    trees = args.ensemble
    yield ('Records that GDF leaves out of the tree that they were to train, in %% of the records of an ensemble. The paper does not name the epsilon of its table, or whether it counts once a '
           'record. %s' % settings(args, '%d trees, one ensemble of %d' % (trees, trees)))
    yield from pages.header(['set', *('eps %g' % e for e in (1, 10, 100)), 'the paper'])
    for name, folders in args.folders.items():
        jobs = [[pool.submit(left_out, args.hedgerow, f, Run(DPBOOST, trees, trees, e)) for f in folders] for e in (1, 10, 100)]
        yield pages.line([named(args, name), *(with_range([job.result() for job in of], 2) for of in jobs), PAPER_FILTERED.get(name, '')])


SWITCHES = {'GDF and GLC': [], 'GLC off': ['glc=off'], 'GDF off': ['gdf=off']}


def switches_part(args, pool):
    """Figure 4, and the same for GDF."""
    trees, epsilons = args.ensemble, args.epsilons or EPSILONS
    yield settings(args, '%d trees, one ensemble of %d' % (trees, trees))
    yield from pages.header(['set', 'DPBoost with', *('eps %g' % e for e in epsilons)])
    counts = collections.Counter()
    for name, folders in args.folders.items():
        jobs = {title: [[pool.submit(error, args.hedgerow, f, Run(DPBOOST, trees, trees, e, tuple(more))) for f in folders] for e in epsilons]
                for title, more in SWITCHES.items()}
        found = {title: [[job.result() for job in of] for of in waiting] for title, waiting in jobs.items()}
        for title, columns in found.items():
            yield pages.line([measured(args, name), title, *(with_range(values, digits_of(folders[0])) for values in columns)])
        for title in list(SWITCHES)[1:]:
            counts[title] += sum(statistics.mean(ours) < statistics.mean(other) for ours, other in zip(found['GDF and GLC'], found[title]))
        counts['cells'] += len(epsilons)
    yield ''
    yield 'Both on are better than GLC off in %d of %d cells, better than GDF off in %d.' % (counts['GLC off'], counts['cells'], counts['GDF off'])


# ---- Theorem 5 -----------------------------------------------------------------------------------------------------------

def leaf_value(gradients):
    """Equation 4."""
    return -gradients.sum() / (len(gradients) + LAMBDA)


def approximation(gradients):
    """(p, the error of GDF on the leaf's value, the bound of Theorem 5) of the records of one leaf; None: nothing is filtered."""
    filtered = abs(gradients) > BOUND
    if not filtered.any():
        return None
    share = filtered.mean()
    return share, abs(leaf_value(gradients) - leaf_value(gradients[~filtered])), share * (abs(gradients[filtered].mean()) + BOUND)


def approximations(program, folder, run):
    """Of all leaves of all trees, over all training records."""
    import numpy as np
    model, _, _ = trained(program, folder, run)
    table = Table(folder, 'train')
    scores, found = np.full(len(table.rows), float(model['base'][0])), []
    for tree in model['trees']:
        leaves = table.leaves(tree)
        gradients = scores - table.targets
        found += filter(None, (approximation(gradients[leaves == leaf]) for leaf in np.unique(leaves)))
        scores += np.array([of[0] if len(of) == 1 else 0 for of in tree['nodes']])[leaves]
    return found


SHARES = [0, .01, .03, .1, .3, 1]


def theorem_part(args, pool):
    """xi beside p (|g_f| + g*)."""
    trees = args.ensemble
    yield ('Theorem 5: the error that GDF makes in the value of a leaf, |V(I) - V(I without the filtered)|, beside its bound p (|mean gradient of the filtered| + g*), where p is the '
           'filtered part of I. I are the training records of a leaf of a tree as it was trained, with the gradients that they had then. Means over leaves. Settings: mode paper, '
           '%d trees, one ensemble, epsilon 1, depth %d, lambda %g, learning rate %g, g* %g; %d folds.' % (trees, DEPTH, LAMBDA, RATE, BOUND, args.folds))
    yield from pages.header(['set', 'filtered part p', 'leaves', 'error of GDF', 'bound of Theorem 5', 'largest error / bound'])
    for name, folders in args.folders.items():
        jobs = [pool.submit(approximations, args.hedgerow, f, Run(DPBOOST, trees, trees, 1)) for f in folders]
        leaves = [leaf for job in jobs for leaf in job.result()]
        for low, high in zip(SHARES, SHARES[1:]):
            here = [leaf for leaf in leaves if low < leaf[0] <= high]
            if here:
                yield pages.line([name, '%g to %g' % (low, high), '%d' % len(here), *('%.4f' % statistics.mean(leaf[k] for leaf in here) for k in (1, 2)),
                                  '%.3f' % max(error / bound for _, error, bound in here)])


# ---- Parts ---------------------------------------------------------------------------------------------------------------

# what yields the lines, its sets; folds of the default run
Part = collections.namedtuple('Part', 'lines sets folds')


def parts_of(ensemble):
    fewer = [ensemble * share // 50 for share in (20, 40)]
    return {
        'dpboost-errors': Part(errors_of(ensemble, EPSILONS), list(SETS), 5),
        'dpboost-convergence': Part(convergence_of(ensemble, True), FIRST, 1),
        'dpboost-times': Part(times_part, list(SETS), 1),
        'dpboost-filtered': Part(filtered_part, NUMBERS, 5),
        'dpboost-switches': Part(switches_part, [*NUMBERS, 'adult'], 5),
        'dpboost-theorem-5': Part(theorem_part, ['abalone', 'yearmsd'], 5),
        'dpboost-errors-20': Part(errors_of(fewer[0], FEW), list(SETS), 2),
        'dpboost-errors-40': Part(errors_of(fewer[1], FEW), list(SETS), 2),
        'dpboost-convergence-20': Part(convergence_of(fewer[0], False), FIRST, 1),
        'dpboost-convergence-40': Part(convergence_of(fewer[1], False), FIRST, 1),
    }


def of_part(args, part, pool):
    """The lines of one part, with its sets and folds."""
    args.folds = args.all_folds or part.folds
    args.folders = {name: divided(args, name)[:min(args.folds, SETS.get(name, Set(name)).folds)] for name in args.sets or part.sets}
    yield from part.lines(args, pool)


def arguments_of(given=None):
    parser = measure.parser(__doc__)
    parser.add_argument('--only', choices=list(parts_of(50)), help='one part alone')
    parser.add_argument('--folds', type=int, dest='all_folds', help='of %d, in every part (5 of figures 2 and 4, table 3 and Theorem 5, 2 of figures 5 and 6, else 1)' % FOLDS)
    parser.add_argument('--epsilons', type=lambda text: list(map(float, text.split(','))), help='of figures 2 and 4 to 6, with commas (1,2,4,6,8,10; figures 5 and 6: 1,4,10)')
    parser.add_argument('--ensemble', type=int, default=50, help='trees of an ensemble (50)')
    parser.add_argument('--trees', type=int, default=1000, help='of figures 3, 7 and 8 (1000); a tenth of them in table 2')
    parser.add_argument('--rows', type=int, help='at most so many of a set')
    return parser.parse_args(given)


def main():
    args = arguments_of()
    measure.with_sklearn()
    parts = {name: functools.partial(of_part, part=part) for name, part in parts_of(args.ensemble).items() if args.only in (None, name)}
    parts = {name: (lambda args, pool, lines=lines: lines(args, pool=pool)) for name, lines in parts.items()}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
