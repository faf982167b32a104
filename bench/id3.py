#!/usr/bin/env python3
"""id3 on prepared sets, as markdown: test error beside other private methods; how often its splits are those without noise; and without
noise, its error beside scikit-learn.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names a Python
interpreter that has scikit-learn; the last part needs one. usage: id3.py [--help]"""
import json
import os
import statistics
import sys
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['nursery', 'car', 'mushroom', 'tic_tac_toe', 'votes']
EPSILONS = [.1, .5, 1, 2, 4, 8]
METHODS = {
    'id3': ['id3'],
    'id3 of three levels': ['id3', '--depth', '3'],
    'id3, delta 1e-6': ['id3', '--delta', '1e-6'],
    'id3 as published, not private': ['id3', '--mode', 'paper'],
    'dp-df': ['dp-df'],
    'dpboost': ['dpboost'],
    'hedge, delta 1e-6': ['hedge'],
}
MODES = {'sound': [], 'as published': ['--mode', 'paper']}
FITS = 4  # of every split, for how often splits stay the same
DEPTHS = [1, 2, 3, 12]
DEPTH = '3'  # of the published tree, and of both where their splits are compared
NO_NOISE = ['--epsilon', '10000']  # less than a hundredth of a record; published: hardly any


def error(program, folder, arguments):
    return 100 * measure.metrics(program, folder, arguments)['error']


def constant_error(folder):
    """In %, of the class that is the largest of the training records."""
    label = next(iter(sets.columns_of(folder)[0]))
    train, test = (sets.table(folder, part)[label] for part in ('train', 'test'))
    most = max(set(train), key=train.count)
    return 100 * (1 - test.count(most) / len(test))


def error_table(args, pool, name, folders):
    jobs = {(title, e): [pool.submit(error, args.hedgerow, f, arguments + ['--epsilon', str(e)]) for f in folders]
            for title, arguments in METHODS.items() for e in args.epsilons}
    free = {title: [pool.submit(error, args.hedgerow, f, ['id3', '--mode', 'paper', '--depth', depth] + NO_NOISE) for f in folders]
            for title, depth in {'id3 of three levels, without noise': DEPTH, 'id3 of all levels, without noise': '12'}.items()}
    for title in METHODS:
        cells = [pages.spread([job.result() for job in jobs[title, e]]) for e in args.epsilons]
        yield pages.line([name, title] + cells)
    for title, waiting in free.items():
        yield pages.line([name, title] + [pages.spread([job.result() for job in waiting])] * len(args.epsilons))
    yield pages.line([name, 'a constant'] + [pages.spread([constant_error(f) for f in folders])] * len(args.epsilons))


def error_part(args, pool):
    yield 'Test error in %%, mean ± standard deviation over %d splits, at the methods\' defaults.' % args.seeds
    yield from pages.header(['set', 'method'] + ['eps %g' % e for e in args.epsilons])
    for name, folders in args.folders.items():
        yield from error_table(args, pool, name, folders)
    yield from ['', measure.settings(args.hedgerow, METHODS)]


def splits(program, folder, arguments):
    """{path of branches: feature} of the tree."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        measure.train(program, folder, model, ['id3', '--depth', DEPTH] + arguments)
        with open(model, encoding='utf-8') as f:
            said = json.load(f)
    nodes, features = said['trees'][0]['nodes'], [len(f.get('values', [])) for f in said['schema']['features']]
    found, open_nodes = {}, [((), 0)]
    while open_nodes:
        path, at = open_nodes.pop()
        if len(nodes[at]) == 1:
            continue
        first, feature = nodes[at][:2]
        found[path] = feature
        branches = features[feature] + 1 if features[feature] else len(nodes[at][2]) + 2
        open_nodes += [(path + (b,), first + b) for b in range(branches)]
    return found


def agreement(program, folder, arguments):
    """Over some fits, in %: how often the root is that of the tree without noise; how many of its splits are; how often all of them are."""
    wanted = splits(program, folder, ['--mode', 'paper'] + NO_NOISE)
    shares = []
    for _ in range(FITS):
        found = splits(program, folder, arguments)
        same = [found.get(path) == feature for path, feature in wanted.items()]
        shares.append((found.get(()) == wanted[()], statistics.mean(same), all(same)))
    return [100 * statistics.mean(figures) for figures in zip(*shares)]


def splits_part(args, pool):
    fits = FITS * args.seeds
    yield ('Of %d fits each, in %%: how often the root asks about the feature that it asks about without noise / how many of the splits without noise '
           'are there / how often all of them are.' % fits)
    yield from pages.header(['set', 'mode'] + ['eps %g' % e for e in args.epsilons])
    for name, folders in args.folders.items():
        for mode, arguments in MODES.items():
            jobs = [[pool.submit(agreement, args.hedgerow, f, arguments + ['--epsilon', str(e)]) for f in folders] for e in args.epsilons]
            means = [[statistics.mean(figures) for figures in zip(*(job.result() for job in waiting))] for waiting in jobs]
            yield pages.line([name, mode] + ['%.0f / %.0f / %.0f' % tuple(m) for m in means])
    yield from ['', measure.settings(args.hedgerow, {mode: ['id3', '--depth', DEPTH] + arguments for mode, arguments in MODES.items()})]


def bins(folder, part):
    """(x, y, numbers of bins); bin 0 is missing."""
    import numpy as np
    columns, _ = sets.columns_of(folder)
    x, y, _, _ = sets.arrays(folder, part)
    return np.nan_to_num(x, nan=-1).astype(int) + 1, y.astype(int), [len(values) + 1 for values in list(columns.values())[1:]]


def one_hot_error(folder, depth):
    """Of scikit-learn's entropy tree, which asks about one value at a time."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier
    (x, y, counts), (xt, yt, _) = bins(folder, 'train'), bins(folder, 'test')

    def hot(codes):
        return np.concatenate([codes[:, [f]] == np.arange(count) for f, count in enumerate(counts)], axis=1)
    tree = DecisionTreeClassifier(criterion='entropy', max_depth=depth, random_state=0).fit(hot(x), y)
    return float(100 * (tree.predict(hot(xt)) != yt).mean())


def multiway_error(folder, depth):
    """Of a plain ID3 that takes scikit-learn's mutual information."""
    import numpy as np
    from sklearn.metrics import mutual_info_score
    (x, y, _), (xt, yt, _) = bins(folder, 'train'), bins(folder, 'test')

    def wrong(rows, tests, left, levels, above):
        """Wrong ones of `tests`; ties of classes are broken as the node above has them."""
        shares = np.bincount(y[rows], minlength=len(above)) / len(rows) + 1e-6 * above
        if not left or not levels or (y[rows] == y[rows[0]]).all():
            return (yt[tests] != shares.argmax()).sum()
        best = left[int(np.argmax([round(mutual_info_score(x[rows, f], y[rows]), 9) for f in left]))]
        others, found = [f for f in left if f != best], np.unique(x[rows, best])
        unseen = tests[~np.isin(xt[tests, best], found)]
        return (yt[unseen] != shares.argmax()).sum() + sum(
            wrong(rows[x[rows, best] == b], tests[xt[tests, best] == b], others, levels - 1, shares) for b in found)
    none = np.zeros(max(y.max(), yt.max()) + 1)
    return float(100 * wrong(np.arange(len(y)), np.arange(len(yt)), list(range(x.shape[1])), depth, none) / len(yt))


def plain_errors(program, folder, depth):
    ours = error(program, folder, ['id3', '--mode', 'paper', '--depth', str(depth)] + NO_NOISE)
    return ours, multiway_error(folder, depth), one_hot_error(folder, depth)


def mean_errors(args, pool, folders, depth):
    jobs = [pool.submit(plain_errors, args.hedgerow, f, depth) for f in folders]
    return [statistics.mean(figures) for figures in zip(*(job.result() for job in jobs))]


def plain_part(args, pool):
    """Raises if id3 is more than half a point off a plain ID3."""
    yield ('Test error in %%, means over %d splits: id3 without noise / an ID3 that takes scikit-learn\'s mutual information / scikit-learn\'s entropy '
           'tree of the same depth on one-hot columns.' % args.seeds)
    yield from pages.header(['set'] + ['depth %d' % d for d in DEPTHS])
    for name, folders in args.folders.items():
        means = [mean_errors(args, pool, folders, depth) for depth in DEPTHS]
        yield pages.line([name] + ['%.2f / %.2f / %.2f' % tuple(m) for m in means])
        if any(abs(ours - plain) > .5 for ours, plain, _ in means):
            sys.exit('id3.py: id3 is more than half a point off a plain ID3 on %s' % name)
    yield from ['', measure.settings(args.hedgerow, {'id3': ['id3', '--mode', 'paper'] + NO_NOISE}) + ' Depth as the column has it; epsilon 10000.']


PARTS = {'id3': error_part, 'id3-splits': splits_part, 'id3-plain': plain_part}


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--epsilons', type=lambda text: list(map(float, text.split(','))), default=EPSILONS, help='with commas (%(default)s)')
    parser.add_argument('--only', choices=list(PARTS), help='one part alone')
    return parser.parse_args()


def main():
    args = arguments_of()
    parts = {name: lines for name, lines in PARTS.items() if args.only in (None, name)}
    if 'id3-plain' in parts:
        measure.with_sklearn()
    measure.check(args, parts)
    args.folders = {name: [sets.prepared(args.data, args.cache, name, seed) for seed in range(args.seeds)] for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
