#!/usr/bin/env python3
"""What a fit over workers of an engine costs beside one process: with hardly any records, where all is overhead, and with many. Sides in turns; the
least of the runs. usage: engines.py ENGINE [RUNS [WORKERS [ROWS]]]     ENGINE: dask, ray, spark; WORKERS: 2; ROWS: the most records that are tried"""
import contextlib
import os
import pathlib
import sys
import time
import warnings

import numpy as np
import pandas as pd

import hedgerow

SIZES = ((20, 'hedge'), (200000, 'hedge'), (200000, 'gbdt'))
FEATURES = 28


def table(rows):
    law = np.random.default_rng(1)
    X = law.random((rows, FEATURES))
    frame = pd.DataFrame(X, columns=['x%d' % f for f in range(FEATURES)])
    return frame.assign(y=np.where(X[:, 0] + X[:, 1] * X[:, 2] > .7, 'yes', 'no'))


def parameters(method):
    options = {'edges': 'public', 'trees': 20} if method == 'gbdt' else None
    known = hedgerow.Schema.build(hedgerow.Column('y', values=('no', 'yes')), [hedgerow.Column('x%d' % f, 0, 1) for f in range(FEATURES)])
    return {'method': method, 'schema': known, 'random_state': 1, 'options': options}


def timed(work, others=lambda: 0):
    """Seconds by the clock; of this process's processor; of the workers' processors."""
    began, own, of_others = time.monotonic(), time.process_time(), others()
    work()
    return time.monotonic() - began, time.process_time() - own, others() - of_others


@contextlib.contextmanager
def on_dask(workers):
    """fit(frame, parameters), the placed frame of a table, and the processor's time of the workers."""
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster, wait
    from hedgerow.dask import HedgerowClassifier

    def place(frame):
        placed = dd.from_pandas(frame, npartitions=workers).persist()
        wait(placed)
        return placed

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs='ERROR') as cluster, Client(cluster) as client:
        yield (lambda frame, given: HedgerowClassifier(**given, num_workers=workers).fit(frame), place, lambda: sum(client.run(time.process_time).values()))


def of_descendants():
    """Seconds of the processor of all processes that this one started, also of those that ended."""
    found = {}
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        with contextlib.suppress(OSError):
            fields = path.read_text().rsplit(') ', 1)[1].split()
            found[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    own, seen = {os.getpid()}, -1
    while len(own) > seen:
        seen = len(own)
        own |= {process for process, (parent, _) in found.items() if parent in own}
    return sum(found[process][1] for process in own - {os.getpid()}) / os.sysconf('SC_CLK_TCK')


@contextlib.contextmanager
def on_ray(workers):
    """The same, with the processor's time of all of Ray's processes."""
    os.environ['RAY_worker_niceness'] = '0'  # else its workers wait for whatever else runs
    import ray
    from hedgerow.ray import HedgerowClassifier

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={'env_vars': {'PYTHONPATH': os.environ.get('PYTHONPATH', '')}})
    yield (lambda dataset, given: HedgerowClassifier(**given, num_workers=workers).fit(dataset),
           lambda frame: ray.data.from_pandas([frame[i * len(frame) // workers:(i + 1) * len(frame) // workers] for i in range(workers)]).materialize(),
           of_descendants)
    ray.shutdown()


@contextlib.contextmanager
def on_spark(workers):
    """The same, with the processor's time of Spark's driver, executors and their Python processes."""
    os.environ['PYSPARK_PYTHON'] = sys.executable
    from pyspark.sql import SparkSession
    from hedgerow.spark import HedgerowClassifier

    session = (SparkSession.builder.master('local-cluster[%d,1,1024]' % workers).config('spark.driver.host', '127.0.0.1')
               .config('spark.ui.enabled', 'false').config('spark.ui.showConsoleProgress', 'false')
               .config('spark.executorEnv.PYTHONPATH', os.environ.get('PYTHONPATH', '')).getOrCreate())

    def place(frame):
        placed = session.createDataFrame(frame).repartition(workers).persist()
        placed.count()
        return placed

    yield (lambda frame, given: HedgerowClassifier(**given, labelCol='y', num_workers=workers).fit(frame), place, of_descendants)
    session.stop()


ENGINES = {'dask': on_dask, 'ray': on_ray, 'spark': on_spark}


def main():
    warnings.simplefilter('ignore')
    runs, workers, most = (int(word) for word in [*sys.argv[2:], *('3', '2', '200000')[len(sys.argv) - 2:]])
    with ENGINES[sys.argv[1]](workers) as (fit, place, others):
        print('load %.1f; seconds: clock, processor here, processors of the workers' % os.getloadavg()[0])
        for rows, method in (size for size in SIZES if size[0] <= most):
            frame = table(rows)
            placed, given, found = place(frame), parameters(method), {'one process': [], 'workers': []}
            fit(placed, given)
            for _ in range(runs):
                found['one process'].append(timed(lambda: hedgerow.HedgerowClassifier(**given).fit(frame.drop(columns='y'), frame.y)))
                found['workers'].append(timed(lambda: fit(placed, given), others))
            for name, seconds in found.items():
                print('%-6s %7d rows  %s: %s' % (method, rows, name, ', '.join('%.2f' % min(part) for part in zip(*seconds))))


if __name__ == '__main__':
    main()
