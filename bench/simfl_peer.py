#!/usr/bin/env python3
"""Why the errors of SimFL's paper are not those of simfl.py, as markdown: errors of xgboost under settings that come nearer to the paper's step by
step (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020), and SimFL itself anew, on xgboost's trees, with the settings
of the program that its authors published (Xtra-Computing/SimFL on GitHub): square loss on labels 0 and 1, learning rate 1, gamma 1 (what a split must
gain), lambda 1, 256 bins of equal width, zeros missing, hashes of the bins' numbers, and all trees of one owner before those of the next.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names an interpreter that has
xgboost. usage: simfl_peer.py [--help]"""
import argparse
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402
from simfl import TABLE_2, TABLE_3, error  # noqa: E402

SETS = ['a9a', 'cod-rna', 'ijcnn1', 'susy', 'higgs']
COMMON = {'max_depth': 8, 'min_child_weight': 1, 'lambda': 1, 'tree_method': 'hist', 'max_bin': 256, 'nthread': 1, 'verbosity': 0}
LOGISTIC = {**COMMON, 'objective': 'binary:logistic'}
SQUARE = {**COMMON, 'objective': 'reg:squarederror', 'base_score': 0}
AS_PUBLISHED = {**SQUARE, 'eta': 1, 'gamma': 1}
SETTINGS = {
    'logistic, 0.1': {**LOGISTIC, 'eta': .1},
    'logistic, 1': {**LOGISTIC, 'eta': 1},
    'logistic, 1, gamma 1': {**LOGISTIC, 'eta': 1, 'gamma': 1},
    'square, 1': {**SQUARE, 'eta': 1},
    'square, 1, gamma 1': AS_PUBLISHED,
}
COLUMNS = ['simfl', 'simfl, in turn', 'tfl', 'tfl, in turn', 'solo A', 'solo B', 'all-in']
BINS, WIDTH = 256, 4
CHUNK = 256  # queries of a search at a time


# ---- Records -------------------------------------------------------------------------------------------------------------

def binned(folder):
    """(bins of the training records, their labels, those of the test): numbers from 1 on, 2 where a feature has one value; 0 where a feature is 0,
    which LIBSVM's files leave out."""
    import numpy as np
    (x, y, _, _), (xt, yt, _, _) = sets.arrays(folder, 'train'), sets.arrays(folder, 'test')
    low, high = np.where(x == 0, np.inf, x).min(axis=0), np.where(x == 0, -np.inf, x).max(axis=0)
    varies = high > low
    low, spread = np.where(varies, low, 0), np.where(varies, high - low, 1)

    def bins(values):
        found = np.where(varies, np.clip((values - low) / spread * BINS, 0, BINS - 1) // 1 + 1, 2)
        return np.where(values == 0, 0, found)
    return bins(x), y, bins(xt), yt


def divided(random, y, theta):
    """Whether the second owner has a record; theta is the first one's part of class 0."""
    import numpy as np
    order, second = random.permutation(len(y)), np.zeros(len(y), bool)
    if not theta:
        second[order[::2]] = True
    for label, part in ((0, theta), (1, 1 - theta)) if theta else ():
        of_class = order[y[order] == label]
        second[of_class[round(part * len(of_class)):]] = True
    return second


# ---- SimFL ---------------------------------------------------------------------------------------------------------------

def hashes(random, x):
    import numpy as np
    tables = min(40, x.shape[1] - 1)
    planes, shifts = random.normal(size=(tables, x.shape[1])), random.uniform(0, WIDTH, tables)
    return np.floor((x @ planes.T + shifts) / WIDTH).astype(np.int32)


def most_similar(random, of, among):
    """For each row the one with most equal hashes; of those that tie, any."""
    import numpy as np
    found = np.empty(len(of), int)
    for first in range(0, len(of), CHUNK):
        queries = of[first:first + CHUNK]
        same = random.random((len(queries), len(among)), dtype=np.float32) / 2
        for table in range(of.shape[1]):
            same += queries[:, table, None] == among[None, :, table]
        found[first:first + CHUNK] = same.argmax(axis=1)
    return found


def gradients(scores, labels, m, match):
    """Of owner m's records, with those of the other's that are most like them."""
    import numpy as np
    g, h = scores[m] - labels[m], np.ones(len(labels[m]))
    if match:
        other = 1 - m
        g = g + np.bincount(match[other], scores[other] - labels[other], len(g))
        h = h + np.bincount(match[other], minlength=len(h))
    return g, h


def boosted(owners, labels, match, order, test):
    """Predictions for the test. order: the owner of every tree; match: None, or for each owner's records those of the other."""
    import numpy as np
    import xgboost
    tables = [xgboost.DMatrix(x, label=y, missing=0) for x, y in zip(owners, labels)]
    booster, scores = xgboost.Booster(AS_PUBLISHED, tables), [np.zeros(len(y)) for y in labels]
    for tree, m in enumerate(order):
        found = gradients(scores, labels, m, match)
        booster.update(tables[m], tree, lambda predicted, table, found=found: found)
        scores = [booster.predict(of, output_margin=True) for of in tables]
    return booster.predict(xgboost.DMatrix(test, missing=0))


def plain(params, trees, x, y, test):
    import xgboost
    return xgboost.train(params, xgboost.DMatrix(x, label=y, missing=0), trees).predict(xgboost.DMatrix(test, missing=0))


def wrong(predicted, labels):
    return 100 * float(((predicted > .5) != labels).mean())


def errors_of(trees, folder, theta):
    import numpy as np
    random, (x, y, xt, yt) = np.random.default_rng(0), binned(folder)
    second = divided(random, y, theta)
    owners, labels = [x[~second], x[second]], [y[~second], y[second]]
    code = hashes(random, x)
    match = [most_similar(random, code[~second], code[second]), most_similar(random, code[second], code[~second])]
    first = round(trees * len(owners[0]) / len(y))
    orders = [0] * first + [1] * (trees - first), [tree % 2 for tree in range(trees)]
    found = [boosted(owners, labels, of, order, xt) for of in (match, None) for order in orders]
    found += [plain(AS_PUBLISHED, trees, *of, xt) for of in [*zip(owners, labels), (x, y)]]
    return [wrong(predicted, yt) for predicted in found]


# ---- Tables --------------------------------------------------------------------------------------------------------------

def all_in(trees, folder, params):
    (x, y, _, _), (xt, yt, _, _) = sets.arrays(folder, 'train'), sets.arrays(folder, 'test')
    return wrong(plain(params, trees, x, y, xt), yt)


def trees_with_splits(trees, folder):
    """Of xgboost's, with the last settings."""
    import xgboost
    x, y, _, _ = sets.arrays(folder, 'train')
    booster = xgboost.train(AS_PUBLISHED, xgboost.DMatrix(x, label=y, missing=0), trees)
    return sum(tree.count('leaf') > 1 for tree in booster.get_dump())


def settings_of(args, pool):
    yield ('Test error in %%, all records in one place, %d trees of depth 8; loss, learning rate, gamma (0 unless said). Last: how many of the trees '
           'with the last settings have a split.' % args.trees)
    yield from pages.header(['set', 'hedgerow, 0.1', 'hedgerow, 1'] + ['xgboost: ' + title for title in SETTINGS] + ['paper', 'trees with splits'])
    for name, folder in args.folders.items():
        jobs = [pool.submit(error, argparse.Namespace(**{**vars(args), 'learning_rate': rate}), folder, 0, 'all-in') for rate in ('0.1', '1')]
        jobs += [pool.submit(all_in, args.trees, folder, params) for params in SETTINGS.values()]
        splits = pool.submit(trees_with_splits, args.trees, folder)
        cells = ['%.1f' % job.result() for job in jobs] + ['%.1f' % TABLE_3[name][-1] if name in TABLE_3 else '']
        yield pages.line([name] + cells + ['%d' % splits.result()])


def again(args, pool):
    yield 'Test error in %%, two owners, %d trees of xgboost, settings as in the published program; one division.' % args.trees
    yield from pages.header(['set', 'theta', 'source'] + COLUMNS)
    for theta, published in ((.8, TABLE_2), (0, TABLE_3)):
        for name, folder in args.folders.items():
            shown, cells = '%g' % theta if theta else 'even', pool.submit(errors_of, args.trees, folder, theta).result()
            yield pages.line([name, shown, 'xgboost'] + ['%.1f' % e for e in cells])
            if name in published:
                mean, _, _, tfl, *rest = published[name]
                yield pages.line([name, shown, 'paper', '%.1f' % mean, '', '%.1f' % tfl, ''] + ['%.1f' % e for e in rest])


def main():
    measure.with_module('xgboost', 'xgboost')
    parts = {'simfl-settings': settings_of, 'simfl-again': again}
    parser = measure.parser(__doc__)
    parser.add_argument('--trees', type=int, default=500, help='of a model (500)')
    parser.add_argument('--only', choices=list(parts), help='one table')
    args = parser.parse_args()
    parts = {name: lines_of for name, lines_of in parts.items() if args.only in (None, name)}
    measure.check(args, parts)
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0, test=.25) for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
