#!/usr/bin/env python3
"""Figures 1 and 2 of DiPriMe's paper (Consul, Williamson 2020), and its theorems, as tables that plot.py draws.

balance: how evenly splits divide the records, and how many records leaves hold, of private medians and of random cuts.
tail: how often a leaf is far from its even share, beside Theorem 2's bound and the sum of Laplace variables that it assumes.
diprime-theorem-1: how far the squared errors of a leaf are from those of the tree of exact medians, beside Theorem 1's bound.
diprime-theorem-3: the loss of a tree as published over that of exact medians, beside Theorem 3's bound.

Models do not tell where records went: the training records are sent down the trees, each of which is a model of its own.
HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project.
usage: balance.py [--help]"""
import bisect
import functools
import json
import math
import os
import random
import statistics
import subprocess
import tempfile

import measure
import pages
import sets

# Figure 1: depth and budget of the paper; as many records as each of 10 trees of table 1 is trained on.
DEPTH, EPSILON, ROWS, TEST = 5, 10, 1973, .1
GROWN = {
    'DiPriMe as published': ['diprime', '--mode', 'paper', '--option', 'max-features=10', '--epsilon', str(EPSILON)],
    'DiPriMe sound': ['diprime', '--mode', 'sound', '--option', 'max-features=10', '--option', 'leaf-share=0.5', '--epsilon', str(EPSILON)],
    'DiPriMe sound, K = 1': ['diprime', '--mode', 'sound', '--option', 'max-features=1', '--option', 'leaf-share=0.5', '--epsilon', str(EPSILON)],
    'DP-ERT': ['dp-ert', '--epsilon', str(EPSILON)],
}
SHARES = 10
LEAVES = [(0, 'none'), (.25, 'to 1/4'), (.5, 'to 1/2'), (1, 'to 1'), (2, 'to 2'), (4, 'to 4'), (math.inf, 'more')]

# Figure 2.
DEEP, COLUMNS, RECORDS = 10, 20, 64  # levels, features, and records a leaf
SPLIT_EPSILON = {'algorithm': EPSILON * .5 / (2 * DEEP), 'text': EPSILON * .5 / DEEP}  # eps1: Algorithm 1, line 12; section 3
TAILS = {
    'Algorithm 1, K = 1': ('algorithm', 1),
    'Algorithm 1, K = 10': ('algorithm', 10),
    'section 3, K = 1': ('text', 1),
    'section 3, K = 10': ('text', 10),
}
FARTHEST = 12
DRAWS = 1000000

# Theorems 1 and 3: one continuous feature, so that trees differ by their cuts alone; labels in [0, 1], so that B = R = 1.
SMALL, MANY, ZETA = 5, 256, .05  # levels, records a leaf, and how often Theorem 3 may fail
BUDGETS = [2, 5, 10, 20, 50]
AWAY = [0, 1, 2, 4, 8, 16, 32, 64, 128]


# ---- Where records go ----------------------------------------------------------------------------------------------------

def goes_left(model, tree, node, columns):
    """For a split: a test of a record's index (docs/reference/formats.md)."""
    feature = node[1]
    values = columns[model['schema']['features'][feature]['name']]
    if len(node) == 4:
        threshold = float(node[2])
        return lambda i: values[i] <= threshold or (bool(node[3]) and math.isnan(values[i]))
    left = set(tree['subsets'][node[2]])
    return lambda i: (0 if math.isnan(values[i]) else min(values[i] + 1, 255)) in left


def division(model, columns, count):
    """([(records of a split, those that go left)], [records of a leaf]) of the first tree."""
    tree = model['trees'][0]
    splits, leaves, waiting = [], [], [(0, range(count))]
    while waiting:
        at, rows = waiting.pop()
        node = tree['nodes'][at]
        if len(node) == 1:
            leaves.append(len(rows))
            continue
        left = goes_left(model, tree, node, columns)
        sides = [], []
        for i in rows:
            sides[not left(i)].append(i)
        splits.append((len(rows), len(sides[0])))
        waiting += [(node[0] + side, sides[side]) for side in range(2)]
    return splits, leaves


@functools.lru_cache(maxsize=1)
def trained_on(folder):
    return sets.table(folder, 'train')


def grown(program, folder, depth, arguments):
    """division() of a tree that is trained on all records of a folder."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'model.json')
        measure.train(program, folder, path, [*arguments, '--trees', '1', '--depth', str(depth)])
        model = pages.load(path)
    columns = trained_on(folder)
    return division(model, columns, len(next(iter(columns.values()))))


# ---- Figure 1 ------------------------------------------------------------------------------------------------------------

def share_counts(trees):
    """How many splits send so many tenths of their records to the left."""
    counts = [0] * SHARES
    for splits, _ in trees:
        for records, left in splits:
            if records:
                counts[min(left * SHARES // records, SHARES - 1)] += 1
    return counts


def leaf_counts(trees):
    """How many leaves hold up to so many times an even share of the records."""
    counts = [0] * len(LEAVES)
    for _, leaves in trees:
        even = sum(leaves) / 2 ** DEPTH
        for records in leaves:
            counts[next(k for k, (most, _) in enumerate(LEAVES) if records <= most * even)] += 1
    return counts


def per_cent(counts):
    return ['%.1f' % (100 * count / sum(counts)) for count in counts]


def median_score_part(args, pool):
    there = measure.methods(args.hedgerow)
    chosen = {title: arguments for title, arguments in GROWN.items() if arguments[0] in there}
    folders = [sets.prepared(args.data, os.path.join(args.cache, 'balance'), args.set, seed, ROWS, TEST) for seed in range(min(args.trees, 10))]
    jobs = {title: [pool.submit(grown, args.hedgerow, folders[t * len(folders) // args.trees], DEPTH, arguments) for t in range(args.trees)]
            for title, arguments in chosen.items()}
    trees = {title: [job.result() for job in waiting] for title, waiting in jobs.items()}
    yield 'Settings: %d trees of depth %d, each on %d records of %s, epsilon %d a tree; DiPriMe: K = 10 but where a column says else, rho 0.5.' % (
        args.trees, DEPTH, sum(next(iter(trees.values()))[0][1]), args.set, EPSILON)
    yield from pages.header(['share of a split that goes left', *('%s, %% of splits' % title for title in chosen)])
    shares = [per_cent(share_counts(trees[title])) for title in chosen]
    for k in range(SHARES):
        yield pages.line(['%.1f to %.1f' % (k / SHARES, (k + 1) / SHARES), *(column[k] for column in shares)])
    yield from pages.header(['records of a leaf, in even shares', *('%s, %% of leaves' % title for title in chosen)])
    leaves = [per_cent(leaf_counts(trees[title])) for title in chosen]
    for k, (_, name) in enumerate(LEAVES):
        yield pages.line([name, *(column[k] for column in leaves)])
    yield from ['', theorem_line(trees['DiPriMe as published'])]


def theorem_line(trees):
    """Theorem 2 takes features to be continuous; those of a set are often not."""
    leaves = [(records, sum(of_tree) / 2 ** DEPTH) for _, of_tree in trees for records in of_tree]
    small = statistics.mean(records <= even / 4 for records, even in leaves)
    allowed = bound(EPSILON * .5 / (2 * DEPTH) * .75 * leaves[0][1], DEPTH)
    return "Of DiPriMe's leaves as published, %.2g %% hold at most a quarter of an even share. Theorem 2 allows %.2g %%." % (100 * small, 100 * allowed)


# ---- Figure 2 ------------------------------------------------------------------------------------------------------------

def bound(x, depth):
    """Theorem 2 at the distance t = x / eps1, the tighter of the two."""
    gamma = 8 * (1 - 4 ** -depth) / 3
    beta = math.sqrt((math.sqrt(1 - 2 / math.e) + 1) / 2)
    sub_exponential = max(2 * math.exp(-x * x / (4 * gamma)), 2 * math.exp(-beta * x / 2))
    return min(1, sub_exponential, gamma / (x * x) if x else 1)


def laplace_sums(seed, count):
    """The sum of delta_i / 2^(d-i), delta_i ~ Laplace(1): what Theorem 2 takes for a leaf's distance, in 1 / eps1."""
    draw = random.Random(seed)
    return [abs(sum((draw.expovariate(1) - draw.expovariate(1)) / 2 ** level for level in range(DEEP))) for _ in range(count)]


def distances(program, folder, budget, candidates):
    """Of the leaves of one tree from their even share, in 1 / eps1."""
    _, leaves = grown(program, folder, DEEP, ['diprime', '--mode', 'paper', '--epsilon', str(EPSILON), '--option', 'split-budget=' + budget,
                                              '--option', 'max-features=%d' % candidates])
    even = sum(leaves) / 2 ** DEEP
    return [SPLIT_EPSILON[budget] * abs(records - even) for records in leaves]


def tail(found, x):
    return sum(d >= x - 1e-9 for d in found) / len(found)


def shown(probability):
    return '%.2g' % probability if probability else '0'


def tail_part(args, pool):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([args.hedgerow, 'generate', 'friedman1', '--rows', str(args.records << DEEP), '--features', str(COLUMNS), '--seed', '1',
                        '-o', os.path.join(folder, 'train.csv'), '--schema', os.path.join(folder, 'schema.yaml')], check=True)
        jobs = {title: [pool.submit(distances, args.hedgerow, folder, *how) for _ in range(args.trees)] for title, how in TAILS.items()}
        assumed = pool.submit(laplace_sums, 1, args.draws)
        found = {title: [d for job in waiting for d in job.result()] for title, waiting in jobs.items()}
    found['Laplace variables'] = assumed.result()
    yield 'Settings: %d trees of depth %d for each, as published, on %d records of %d continuous features (friedman1), epsilon %d, rho 0.5.' % (
        args.trees, DEEP, args.records << DEEP, COLUMNS, EPSILON)
    yield from pages.header(['distance, in 1/eps1', "Theorem 2's bound", *found])
    for x in range(FARTHEST + 1):
        yield pages.line(['%d' % x, shown(bound(x, DEEP)), *(shown(tail(of, x)) for of in found.values())])


# ---- Theorems 1 and 3 ----------------------------------------------------------------------------------------------------

SCHEMA = '''hedgerow-schema: 1
unit: record
label:
  name: y
  kind: number
  low: 0
  high: 1
features:
  - name: x
    kind: number
    low: 0
    high: 1
'''


def write_line(folder, records):
    """Records in order of x, whose label is a wave of x with noise; the test records are the same."""
    draw = random.Random(1)
    points = sorted(draw.random() for _ in range(records))
    labels = [min(max(.5 + .3 * math.sin(20 * x) + draw.gauss(0, .1), 0), 1) for x in points]
    for part in ('train', 'test'):
        pages.write(os.path.join(folder, part + '.csv'), 'x,y\n' + ''.join('%r,%r\n' % of for of in zip(points, labels)))
    pages.write(os.path.join(folder, 'schema.yaml'), SCHEMA)


def squares(labels):
    """The sum of squared errors of their mean."""
    if not labels:
        return 0
    mean = statistics.fmean(labels)
    return sum((y - mean) ** 2 for y in labels)


def cut_labels(columns, cuts):
    """The labels of each leaf, in order: values up to a cut are on its left."""
    ends = [bisect.bisect_right(columns['x'], cut) for cut in cuts]
    return [columns['y'][a:b] for a, b in zip([0, *ends], [*ends, len(columns['x'])])]


def line_tree(program, folder, epsilon):
    """(the labels of each leaf, the mean squared error with noisy leaves) of a tree as published."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'model.json')
        measure.train(program, folder, path, ['diprime', '--mode', 'paper', '--epsilon', str(epsilon), '--trees', '1', '--depth', str(SMALL),
                                              '--option', 'max-features=1', '--option', 'leaf-share=0.5'])
        nodes = pages.load(path)['trees'][0]['nodes']
        said = subprocess.run([program, 'evaluate', '--json', '--model', path, '--data', os.path.join(folder, 'test.csv')], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    cuts = sorted(float(node[2]) for node in nodes if len(node) == 4)
    return cut_labels(trained_on(folder), cuts), json.loads(said)['rmse'] ** 2


def of_medians(columns):
    """The squared errors of each leaf of the tree of exact medians."""
    even = len(columns['y']) // 2 ** SMALL
    return [squares(columns['y'][i * even:(i + 1) * even]) for i in range(2 ** SMALL)]


def line_trees(args, pool, epsilons, then):
    """What `then` says of the trees of each epsilon; of a folder that is there meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        write_line(folder, MANY << SMALL)
        jobs = {epsilon: [pool.submit(line_tree, args.hedgerow, folder, epsilon) for _ in range(args.trees)] for epsilon in epsilons}
        return then(of_medians(trained_on(folder)), {epsilon: [job.result() for job in waiting] for epsilon, waiting in jobs.items()})


def settings_of_line(args, epsilons):
    return 'Settings: %d trees as published (Algorithm 1) for each epsilon, %s; depth %d, K = 1, rho 0.5, all %d records of a tree: one continuous feature, labels in [0, 1] (B = R = 1).' % (
        args.trees, ', '.join(map(str, epsilons)), SMALL, MANY << SMALL)


def leaves_apart(exact, trees):
    """[(records from the even share, change of the squared errors)] of all leaves."""
    return [(abs(len(of) - MANY), abs(squares(of) - exact[i])) for of_epsilon in trees.values() for leaves, _ in of_epsilon for i, of in enumerate(leaves)]


def theorem_1_part(args, pool):
    found = line_trees(args, pool, BUDGETS[:3], leaves_apart)
    yield settings_of_line(args, BUDGETS[:3])
    yield from pages.header(['records from the even share (t)', 'leaves', 'mean change', 'largest change', "Theorem 1's bound, 4 B^2 t", 'leaves above it, %'])
    for low, high in zip([-1, *AWAY], AWAY):
        changes = [(t, change) for t, change in found if low < t <= high]
        if changes:
            yield pages.line(['%d' % high, '%d' % len(changes), '%.3g' % statistics.fmean(c for _, c in changes), '%.3g' % max(c for _, c in changes),
                              '%d' % (4 * high), '%.1f' % (100 * statistics.fmean(c > 4 * t + 1e-9 for t, c in changes))])


def distance_of(probability):
    """The t of Theorem 2, in 1/eps1, that a leaf is away with at most this probability."""
    return next(x / 100 for x in range(1, 100000) if bound(x / 100, SMALL) <= probability)


def theorem_3_bound(epsilon):
    """(t, the bound) for B = R = 1; None where a leaf may be empty."""
    eps1, eps2 = epsilon * .5 / (2 * SMALL), epsilon * .5
    t = distance_of(2 ** (1 - SMALL) * ZETA) / eps1
    return t, (2 * t + 1 / (eps2 ** 2 * (MANY - t))) * 2 ** (SMALL + 1) if t < MANY else None


def losses(exact, trees):
    """{epsilon: [loss of a tree over that of exact medians]}"""
    return {epsilon: [(MANY << SMALL) * error - sum(exact) for _, error in of] for epsilon, of in trees.items()}


def theorem_3_part(args, pool):
    found = line_trees(args, pool, BUDGETS, losses)
    yield '%s zeta = %g.' % (settings_of_line(args, BUDGETS), ZETA)
    yield from pages.header(['epsilon', 't', 'mean loss over exact medians', 'smallest', 'largest', "Theorem 3's bound"])
    for epsilon, of in found.items():
        t, most = theorem_3_bound(epsilon)
        yield pages.line(['%d' % epsilon, '%.1f' % t, *('%.3g' % value for value in (statistics.fmean(of), min(of), max(of))), '%.0f' % most if most else 'none'])


PARTS = {'balance': median_score_part, 'tail': tail_part, 'diprime-theorem-1': theorem_1_part, 'diprime-theorem-3': theorem_3_part}


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--set', default='appliances', help="Figure 1's (appliances)")
    parser.add_argument('--trees', type=int, default=100, help='of each kind (100)')
    parser.add_argument('--records', type=int, default=RECORDS, help='a leaf of Figure 2 (%d)' % RECORDS)
    parser.add_argument('--draws', type=int, default=DRAWS, help='sums of Laplace variables (%d)' % DRAWS)
    parser.add_argument('--only', choices=PARTS)
    return parser.parse_args()


def main():
    args = arguments_of()
    parts = {name: lines for name, lines in PARTS.items() if args.only in (None, name)}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
