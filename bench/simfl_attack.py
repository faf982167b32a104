#!/usr/bin/env python3
"""What SimFL tells of records: "hedgerow attack simfl" on prepared sets, as markdown, beside the same attack written in numpy with coins of
its own; and by the width of a hash's cells.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names a Python
interpreter that has numpy; the first part needs one. usage: simfl_attack.py [--help]"""
import json
import math
import os
import statistics
import subprocess
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['credit', 'kc_house', 'parkinsons', 'a9a']
SCALES = ['bounds', 'standard']
WIDTHS = [1, 2, 4, 8, 16, 64, 1024]
WIDTH_SETS = ['credit', 'a9a']
FIGURES = {'r2': 'R² of all', 'median_r2': 'R², median', 'distinct_records': 'different records', 'distinct_hashes': 'different hashes',
           'reidentified': 're-identified', 'alone': 'alone', 'label_known': 'label known'}
RECORDS, WIDTH, TABLES_MAX = 6000, 4.0, 40
APART, ERRORS_APART = .02, 4  # means, ours and numpy's, may be so far apart, and so many standard errors more


# ---- hedgerow ------------------------------------------------------------------------------------------------------------

def attacked(program, folder, seed, arguments):
    """What "hedgerow attack simfl" says of the training records."""
    said = subprocess.run([program, 'attack', 'simfl', '--data', sets.path_of(folder, 'train'), '--schema', os.path.join(folder, 'schema.yaml'),
                           '--records', str(RECORDS), '--seed', str(seed), '--json', *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(said.stdout)


# ---- numpy ---------------------------------------------------------------------------------------------------------------

def points(folder):
    """(x, labels or None): numbers and categories of two values have a column, other categories one for each value; from -1 to 1."""
    import numpy as np
    columns, _ = sets.columns_of(folder)
    numbers, bounds = sets.table(folder, 'train'), sets.bounds_of(folder)
    label, made = next(iter(columns)), []
    for name, values in list(columns.items())[1:]:
        x = np.array(numbers[name])
        if values is None:
            low, high = bounds[name]
            made.append(np.where(np.isnan(x), 0, 2 * (np.clip(x, low, high) - low) / max(high - low, 1e-300) - 1))
        elif len(values) == 2:
            made.append(np.where(np.isnan(x), 0, 2 * x - 1))
        else:
            made += [np.where(x == k, 1.0, -1.0) for k in range(len(values))]
    return np.array(made).T, np.array(numbers[label]) if columns[label] and len(columns[label]) == 2 else None


def matches(victim, attacker, draw):
    """For each of the victim's records one of the attacker's that has the most equal hashes: any of these."""
    import numpy as np
    best = np.empty(len(victim), int)
    for i in range(0, len(victim), 100):
        equal = sum((victim[i:i + 100, t, None] == attacker[None, :, t]).astype(np.float32) for t in range(victim.shape[1]))
        best[i:i + 100] = (equal + draw.random(equal.shape) / 2).argmax(1)
    return best


def estimated(planes, offsets, hashes, attacker):
    """The victim's points from their hashes: best linear by mean and covariance of the attacker's."""
    import numpy as np
    mean, covariance = attacker.mean(0), np.cov(attacker.T)
    gain = covariance @ planes.T @ np.linalg.inv(planes @ covariance @ planes.T + np.eye(len(planes)) * WIDTH ** 2 / 12)
    return mean + (WIDTH * (hashes + .5) - offsets - planes @ mean) @ gain.T


def explained(truth, estimate, mean):
    """(R² of all, R² of the median feature that varies)"""
    import numpy as np
    varies = np.ptp(truth, 0) > 0
    left, all_of_it = (((truth - other) ** 2).sum(0)[varies] for other in (estimate, mean))
    return 1 - left.sum() / all_of_it.sum(), np.median(1 - left / all_of_it)


def numpy_attacked(folder, seed, scale):
    """The same figures."""
    import numpy as np
    draw = np.random.default_rng(seed)
    x, y = points(folder)
    chosen = draw.permutation(len(x))[:RECORDS]
    x = x[chosen]
    if scale == 'standard':
        deviation = x.std(0)
        x = np.where(np.ptp(x, 0) > 0, (x - x.mean(0)) / np.where(deviation > 0, deviation, 1), 0)
    tables, half = min(TABLES_MAX, x.shape[1] - 1), len(x) // 2
    planes, offsets = draw.normal(size=(tables, x.shape[1])), draw.uniform(0, WIDTH, tables)
    hashes = np.floor((x @ planes.T + offsets) / WIDTH)
    attacker, victim = x[:half], x[half:]
    r2, median = explained(victim, estimated(planes, offsets, hashes[half:], attacker), attacker.mean(0))
    counts = np.unique(hashes[half:], axis=0, return_counts=True)[1]
    best = matches(hashes[half:], hashes[:half], draw)
    size = np.bincount(best, minlength=half)
    said = {'r2': r2, 'median_r2': median, 'distinct_records': len(np.unique(victim, axis=0)) / len(victim), 'distinct_hashes': len(counts) / len(victim),
            'reidentified': (counts == 1).sum() / len(victim), 'alone': (size[best] == 1).mean(), 'label_known': None}
    if y is not None:
        ones = np.bincount(best, weights=y[chosen][half:] == 1, minlength=half)
        said['label_known'] = ((ones == 0) | (ones == size))[best].mean()
    return said


# ---- Tables --------------------------------------------------------------------------------------------------------------

def cells(runs):
    return ['–' if runs[0][name] is None else pages.spread([run[name] for run in runs], 3) for name in FIGURES]


def check_apart(ours, peers, where):
    """Ends the program if the means of a figure differ."""
    for name in FIGURES:
        if ours[0][name] is None:
            continue
        values = [[run[name] for run in runs] for runs in (ours, peers)]
        error = math.sqrt(sum(pages.deviation(v) ** 2 / len(v) for v in values))
        if abs(statistics.mean(values[0]) - statistics.mean(values[1])) > APART + ERRORS_APART * error:
            sys.exit('simfl_attack.py: %s: %s of hedgerow and of numpy are too far apart' % (where, name))


def attack_part(args, pool):
    """Raises if hedgerow is off numpy."""
    yield ('Width %g, range 1, at most %d records; mean ± standard deviation over %d seeds. "numpy" is the same attack, written anew, with other coins.' %
           (WIDTH, RECORDS, args.seeds))
    yield from pages.header(['set', 'scale', 'by', 'dimensions', 'hashes', *FIGURES.values()])
    jobs = {(name, scale): ([pool.submit(attacked, args.hedgerow, folder, seed, ['--scale', scale]) for seed in range(args.seeds)],
                            [pool.submit(numpy_attacked, folder, seed, scale) for seed in range(args.seeds)])
            for name, folder in args.folders.items() for scale in SCALES}
    for (name, scale), both in jobs.items():
        ours, peers = ([job.result() for job in waiting] for waiting in both)
        yield pages.line([name, scale, 'hedgerow', '%d' % ours[0]['dimensions'], '%d' % ours[0]['tables'], *cells(ours)])
        yield pages.line([name, scale, 'numpy', '', '', *cells(peers)])
        check_apart(ours, peers, '%s, %s' % (name, scale))


def width_part(args, pool):
    yield 'Scale bounds, range 1; means over %d seeds.' % args.seeds
    yield from pages.header(['set', 'width', *FIGURES.values()])
    for name in WIDTH_SETS:
        if name not in args.folders:
            continue
        for width in WIDTHS:
            waiting = [pool.submit(attacked, args.hedgerow, args.folders[name], seed, ['--width', str(width)]) for seed in range(args.seeds)]
            runs = [job.result() for job in waiting]
            yield pages.line([name, '%d' % width] + ['%.3f' % (round(statistics.mean(run[figure] for run in runs), 3) + 0) for figure in FIGURES])


PARTS = {'simfl-attack': attack_part, 'simfl-width': width_part}


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--seeds', type=int, default=5, help='number of divisions and coins (5)')
    parser.add_argument('--only', choices=list(PARTS), help='one part alone')
    args = parser.parse_args()
    parts = {name: lines for name, lines in PARTS.items() if args.only in (None, name)}
    if 'simfl-attack' in parts:
        measure.with_module('numpy', 'numpy')
    measure.check(args, parts)
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0) for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
