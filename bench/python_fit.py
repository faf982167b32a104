#!/usr/bin/env python3
"""What the Python package adds to a fit in C: time and peak memory of fit() on 1,000,000 x 28 float32, one thread, and of hr_fit within it.
Runs in an environment that has the package (tools/python.sh). usage: python_fit.py [METHOD]..."""
import multiprocessing
import resource
import sys
import time

ROWS, FEATURES, RUNS = 1000000, 28, 3


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def measure(method, order):
    """Seconds of fit, of hr_fit; MB above the arrays before hr_fit, and in all. The run with the least overhead."""
    import numpy as np
    from hedgerow import HedgerowClassifier, estimators
    rng = np.random.default_rng(1)
    X = rng.random((ROWS, FEATURES), dtype=np.float32) if order == 'C' else rng.random((FEATURES, ROWS), dtype=np.float32).T
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    made, start, runs = estimators.made, peak(), []

    def timed(*args):
        before, begin = peak() - start, time.perf_counter()
        model = made(*args)
        runs.append([time.perf_counter() - begin, before])
        return model

    estimators.made = timed
    for run in range(RUNS):
        begin = time.perf_counter()
        HedgerowClassifier(method, bounds=(0, 1), classes=[0, 1], n_jobs=1).fit(X, y)
        runs[run].insert(0, time.perf_counter() - begin)
    whole, inside, _ = min(runs, key=lambda run: run[0] - run[1])
    return whole, inside, runs[0][2], peak() - start


def main():
    print('| method | order | fit, s | in C, s | overhead | MB above the arrays before hr_fit | in all |')
    print('|---|---|---|---|---|---|---|')
    for method in sys.argv[1:] or ['hedge', 'gbdt', 'dpboost']:
        for order in 'FC':
            with multiprocessing.get_context('spawn').Pool(1) as pool:
                whole, inside, before, most = pool.apply(measure, (method, order))
            print('| %s | %s | %.2f | %.2f | %.2f s, %.1f %% | %.0f | %.0f |' %
                  (method, order, whole, inside, whole - inside, 100 * (whole / inside - 1), before, most), flush=True)


if __name__ == '__main__':
    main()
