#!/usr/bin/env python3
"""Figures 1 and 2 of DiPriMe's paper (Consul, Williamson 2020), as tables that plot.py draws.

balance: how evenly splits divide the records, and how many records leaves hold, of private medians and of random cuts.
tail: how often a leaf is far from its even share, beside Theorem 2's bound and the sum of Laplace variables that it assumes.

Models do not tell where records went: the training records are sent down the trees, each of which is a model of its own.
HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project.
usage: balance.py [--help]"""
import functools
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
    yield '%d trees of depth %d, each on %d records of %s, epsilon %d a tree.' % (
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
    yield '%d trees of depth %d for each, on %d records of continuous features (friedman1).' % (args.trees, DEEP, args.records << DEEP)
    yield from pages.header(['distance, in 1/eps1', "Theorem 2's bound", *found])
    for x in range(FARTHEST + 1):
        yield pages.line(['%d' % x, shown(bound(x, DEEP)), *(shown(tail(of, x)) for of in found.values())])


PARTS = {'balance': median_score_part, 'tail': tail_part}


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
