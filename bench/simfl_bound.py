"""Theorem 2 of SimFL's paper (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI 2020) beside what it bounds, under the
assumptions that it makes: features that are independent and uniform, and splits at the value of a random record. Written with numpy alone, so
that it also checks what the program does not keep: how far the objective of weighted gradients (equation 4) is from that of all records
(equation 2), for one tree of one owner in the first round of square loss on the labels 0 and 1."""
import math
import statistics

import pages

OWN, DELTA, WIDTH, LAMBDA = 1000, .05, 4, 1
# (records of the other owner, features, depth)
CELLS = [(250, 8, 8), (500, 8, 8), (1000, 8, 8), (2000, 8, 8), (4000, 8, 8), (1000, 8, 2), (1000, 8, 4), (1000, 4, 8), (1000, 16, 8), (1000, 64, 8)]
COLUMNS = ['records of the other', 'features', 'depth', 'error', 'least', 'largest', 'bound', 'in another leaf, %', 'bound, %', 'within']


def most_similar(random, of, among):
    """For each row the one with the most equal hashes; of those that tie, any."""
    import numpy as np
    d = of.shape[1]
    planes, shifts = random.normal(size=(d, min(40, d - 1))), random.uniform(0, WIDTH, min(40, d - 1))
    codes = [np.floor(((2 * x - 1) @ planes + shifts) / WIDTH) for x in (of, among)]
    equal = random.random((len(of), len(among))) / 2
    for a, b in zip(codes[0].T, codes[1].T):
        equal += a[:, None] == b[None, :]
    return equal.argmax(axis=1)


def leaves(random, own, other, depth):
    """The leaf of each record in a tree whose nodes split at the value of a random record of the owner, of a random feature."""
    import numpy as np
    found = [np.ones(len(own), int), np.ones(len(other), int)]
    for level in range(depth):
        for node in range(1 << level, 2 << level):
            inside = np.flatnonzero(found[0] == node)
            if not len(inside):
                continue
            feature = random.integers(own.shape[1])
            cut = own[random.choice(inside), feature]
            for at, x in zip(found, (own, other)):
                here = at == node
                at[here] = 2 * node + (x[here, feature] >= cut)
    return found


def farthest(x):
    """The largest L1 distance of two rows: that of a corner of the cube, of 2^d, or for many features a bound of it."""
    import numpy as np
    d = x.shape[1]
    if d > 16:
        return float((x.max(axis=0) - x.min(axis=0)).sum())
    signs = 1 - 2 * ((np.arange(1 << (d - 1))[:, None] >> np.arange(d)) & 1)
    projected = x @ signs.T
    return float((projected.max(axis=0) - projected.min(axis=0)).max())


def one(seed, others, features, depth):
    """(error, its bound, share of records in another leaf than their similar one, the bound of that share)"""
    import numpy as np
    random = np.random.default_rng(seed)
    own, other = random.random((OWN, features)), random.random((others, features))
    gradients = [-((x[:, 0] + x[:, 1] > 1) ^ (random.random(len(x)) < .1)).astype(float) for x in (own, other)]
    mean = statistics.mean(map(float, np.concatenate(gradients)))
    gradients = [g - mean for g in gradients]
    match = most_similar(random, other, own)
    sums = gradients[0] + np.bincount(match, gradients[1], OWN), 1 + np.bincount(match, minlength=OWN)
    of_own, of_other = leaves(random, own, other, depth)
    totals = [np.bincount(of_own, part, 2 << depth) for part in sums]
    values = -totals[0] / (totals[1] + LAMBDA)
    at, as_if = values[of_other], values[of_own[match]]
    error = abs(float((gradients[1] * (as_if - at) + (as_if ** 2 - at ** 2) / 2).sum()))
    near, far = float(np.abs(own[match] - other).sum(axis=1).max()), farthest(np.concatenate([own, other]))
    apart = (1 - (1 - near / far) ** depth) * others + math.sqrt(others * math.log(1 / DELTA) / 2)
    g, f = max(float(np.abs(part).max()) for part in gradients), float(np.abs(np.concatenate([at, values[of_own]])).max())
    return error, apart * (2 * g * f + f * f / 2), float((of_other != of_own[match]).mean()), apart / others


def lines_of(args, pool):
    yield ('One tree of an owner with %d records beside another: |equation 4 - equation 2| and the bound of equation 5 with delta %g; mean, least and '
           'largest of %d draws. Settings: uniform features, random splits, square loss, lambda %g, r = %g on features scaled to -1 .. 1, L = min(40, d - 1).'
           % (OWN, DELTA, args.bound_runs, LAMBDA, WIDTH))
    yield from pages.header(COLUMNS)
    for cell in args.bound_cells or CELLS:
        found = [job.result() for job in [pool.submit(one, seed, *cell) for seed in range(args.bound_runs)]]
        errors, bounds, apart, most = zip(*found)
        figures = [statistics.mean(errors), min(errors), max(errors), statistics.mean(bounds)]
        shares = [100 * statistics.mean(apart), 100 * min(1, statistics.mean(most))]
        within = sum(error <= bound for error, bound in zip(errors, bounds))
        yield pages.line(['%d' % part for part in cell] + ['%.3g' % v for v in figures] + ['%.1f' % v for v in shares] + ['%d of %d' % (within, len(found))])
