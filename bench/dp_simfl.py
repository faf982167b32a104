#!/usr/bin/env python3
"""What weights are worth in dp-simfl, as markdown: errors of two owners whose records differ, of the same trees without weights, of the
owners alone, and of hedge over all records.

Splits are paired: every method is trained on the same records of a split. HEDGEROW_DATA names the folder of sets (see sets.py); without
it, ../shared/data beside the project.
usage: dp_simfl.py [--help]"""
import functools
import math
import operator
import os
import random
import statistics
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['a9a', 'cod-rna', 'ijcnn1']
ROWS = 12000  # of a set at most
PART = 'dp-simfl'
CELLS = [(skew, theta, epsilon) for epsilon in ('1', '4', '1000') for skew in ('label', 'feature') for theta in (.9,)]
TREES = ['dp-simfl', '--delta', '1e-6', '--depth', '4']
TITLES = ['weights (2)', 'no weights', 'weights - no weights', 'one alone, same trees', 'one alone, hedge', 'hedge, all records']


@functools.lru_cache(maxsize=None)
def columns_that_tell(folder):
    """(the number of the feature whose upper half tells most about the label, by correlation, from 1; its upper half; that of the label),
    of the training records."""
    numbers = sets.table(folder, 'train')
    label = next(iter(sets.columns_of(folder)[0]))
    labels = [y > .5 for y in numbers[label]]
    halves = [[x > middle for x in values] for values in (numbers[name] for name in numbers if name != label)
              for middle in [statistics.median(values)]]
    best = max(range(len(halves)), key=lambda f: abs(correlation(halves[f], labels)))
    return best + 1, halves[best], labels


def correlation(a, b):
    """Of two columns of truths."""
    n, both, of_a, of_b = len(a), sum(map(operator.and_, a, b)), sum(a), sum(b)
    spread = of_a * (n - of_a) * of_b * (n - of_b)
    return (n * both - of_a * of_b) / math.sqrt(spread) if spread else 0


def owners_of(folder, skew, theta, seed):
    """The owner of each training record by the law of dp-simfl: the first has theta of the lower half."""
    _, by_feature, by_label = columns_that_tell(folder)
    draws = random.Random(3000 + seed)
    return [int(upper if draws.random() < theta else not upper) for upper in (by_label if skew == 'label' else by_feature)]


def options_of(cell, folder):
    skew, theta, _ = cell
    made = ['owners=2', 'theta=%g' % theta, 'skew=%d' % (0 if skew == 'label' else columns_that_tell(folder)[0])]
    return [part for option in made for part in ('--option', option)]


def error(program, folder, arguments):
    return 100 * measure.metrics(program, folder, arguments)['error']


def alone(program, folder, cell, seed):
    """The mean error of the two owners' models: of half of the trees, and of hedge."""
    skew, theta, epsilon = cell
    owner, found = owners_of(folder, skew, theta, seed), [[], []]
    with open(os.path.join(folder, 'train.csv'), encoding='utf-8') as f:
        head, *rows = f.read().splitlines(keepends=True)
    for o in range(2):
        with tempfile.TemporaryDirectory() as work:
            for name in ('schema.yaml', 'test.csv'):
                os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(work, name))
            pages.write(os.path.join(work, 'train.csv'), head + ''.join(row for row, of in zip(rows, owner) if of == o))
            trees = TREES + ['--epsilon', epsilon, '--trees', '5', '--option', 'owners=1', '--option', 'weight-max=1']
            found[0].append(error(program, work, trees))
            if epsilon != '1000':
                found[1].append(error(program, work, ['hedge', '--epsilon', epsilon]))
    return [statistics.mean(errors) if errors else None for errors in found]


def one(args, name, cell, seed):
    """Errors of a split, in the order of the titles; None: not measured."""
    folder = sets.prepared(args.data, args.cache, name, seed, ROWS)
    law, epsilon = options_of(cell, folder), ['--epsilon', cell[2]]
    weighted, plain = (error(args.hedgerow, folder, TREES + epsilon + law + ['--option', 'weight-max=%d' % most]) for most in (2, 1))
    pooled = error(args.hedgerow, folder, ['hedge', *epsilon]) if cell[2] != '1000' else None
    return [weighted, plain, weighted - plain, *alone(args.hedgerow, folder, cell, seed), pooled]


def lines_of(args, pool):
    yield from pages.header(['set', 'owners differ in', 'theta', 'epsilon', *TITLES])
    for name in args.sets or SETS:
        for seed in range(args.splits):
            sets.prepared(args.data, args.cache, name, seed, ROWS)
        for cell in CELLS:
            skew, theta, epsilon = cell
            runs = list(pool.map(one, [args] * args.splits, [name] * args.splits, [cell] * args.splits, range(args.splits)))
            figures = [pages.spread(values) if values[0] is not None else '-' for values in zip(*runs)]
            yield pages.line([name, skew, '%g' % theta, epsilon, *figures])


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--splits', type=int, default=5)
    args = parser.parse_args()
    measure.check(args, [PART])
    measure.run(args, {PART: lines_of})


if __name__ == '__main__':
    main()
