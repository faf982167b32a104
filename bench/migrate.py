#!/usr/bin/env python3
"""Hedgerow beside the programs that its migration page is for, on the same splits, with the same public bounds and lists of categories: diffprivlib's random
forest, interpret's DP-EBM and dp-xgboost, of one owner with the same epsilon; XGBoost's federated plugin and FedTree over three owners, which are not private; hedge of one owner and
of three. AUC and error of the test records.

usage: migrate.py HEDGEROW OUTPUT.json [--data FOLDER] [--cache FOLDER] [--splits N] [--results FILE] NAME=PYTHON...

NAME is diffprivlib, interpret, dp_xgboost, xgboost or fedtree, and PYTHON an interpreter that has it: each wants other versions of numpy and scikit-learn. What has
none is left out. A figure is kept in the file of results as soon as it is known. --splits is 3 (1 of what is not private), of at most 30,000 records, of which four fifths train."""
import argparse
import json
import math
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import rivals  # noqa: E402
import sets  # noqa: E402

SETS = ('adult', 'credit')
EPSILONS = (.5, 1, 4)
OWNERS = 3
# dp-xgboost's own examples: 20 trees, each of a fifth of the records; 500 is the least weight of a leaf.
DPXGB = {'objective': 'reg:squarederror', 'tree_method': 'approxDP', 'max_depth': 6, 'learning_rate': .3, 'lambda': .1, 'base_score': .5, 'subsample': .2,
         'min_child_weight': 500, 'nthread': 1}
DPXGB_TREES = 20
EBM = {'learning_rate': .05}  # more accurate than its default, .01, on these sets (rivals.py)
XGB = {'objective': 'binary:logistic', 'tree_method': 'hist', 'max_depth': 6, 'eta': .1, 'nthread': 1}
XGB_ROUNDS = 100
FEDTREE = {'objective': 'binary:logistic', 'max_depth': 6, 'n_trees': 100, 'learning_rate': .1, 'verbose': 0}


# ---- In the interpreter of a program: (split, epsilon) -> probabilities of the second class of the test records ----------

def one_hot(split):
    """(train, test, low, high): a column for each category, for programs that take numbers alone."""
    import numpy as np

    def encoded(x):
        return np.column_stack([x[:, f] if isinstance(of, tuple) else x[:, [f]] == np.arange(of) for f, of in enumerate(split.columns)]).astype(float)
    low = [value for of in split.columns for value in ([of[0]] if isinstance(of, tuple) else [0.] * of)]
    high = [value for of in split.columns for value in ([of[1]] if isinstance(of, tuple) else [1.] * of)]
    return encoded(split.x), encoded(split.xt), low, high


def fit_diffprivlib(split, epsilon):
    from diffprivlib.models import RandomForestClassifier
    x, xt, low, high = one_hot(split)
    model = RandomForestClassifier(epsilon=epsilon, bounds=(low, high), classes=[0, 1])
    return model.fit(x, split.y.astype(int)).predict_proba(xt)[:, 1]


def fit_interpret(split, epsilon):
    return rivals.fit_interpret(split, epsilon, {'classes': EBM})


def fit_dp_xgboost(split, epsilon):
    """n trees of a part g of the records, each with e, cost n log(1 + g (exp(e) - 1)): solved for e."""
    import dp_xgboost
    x, xt, low, high = one_hot(split)
    of_tree = math.log(1 + math.expm1(epsilon / DPXGB_TREES) / DPXGB['subsample'])
    data = [dp_xgboost.DMatrix(values, label=label, feature_min=low, feature_max=high) for values, label in ((x, split.y), (xt, None))]
    return dp_xgboost.train({**DPXGB, 'dp_epsilon_per_tree': of_tree}, data[0], DPXGB_TREES).predict(data[1])


def xgboost_server(port):
    import xgboost.federated
    xgboost.federated.run_federated_server(n_workers=OWNERS, port=port)


def xgboost_owner(split, port, rank, out):
    import numpy as np
    import xgboost
    x, xt, _, _ = one_hot(split)
    with xgboost.collective.CommunicatorContext(dmlc_communicator='federated', federated_server_address='localhost:%d' % port, federated_world_size=OWNERS,
                                                federated_rank=rank):
        model = xgboost.train(XGB, xgboost.DMatrix(x[rank::OWNERS], label=split.y[rank::OWNERS]), XGB_ROUNDS)
        if rank == 0:
            model.save_model(out)
    if rank == 0:
        model = xgboost.Booster(model_file=out)
        np.save(out + '.npy', model.predict(xgboost.DMatrix(xt)))


def fit_xgboost(split, epsilon):
    """Every third record is an owner's; epsilon says nothing here."""
    import numpy as np
    with socket.socket() as free:
        free.bind(('localhost', 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'model.json')
        server = multiprocessing.Process(target=xgboost_server, args=(port,))
        owners = [multiprocessing.Process(target=xgboost_owner, args=(split, port, rank, out)) for rank in range(OWNERS)]
        for process in (server, *owners):
            process.start()
        for process in owners:
            process.join()
        server.terminate()
        return np.load(out + '.npy')


def fit_fedtree(split, epsilon):
    """Its simulation divides the records; sums are masked. epsilon says nothing here."""
    from fedtree import FLClassifier
    x, xt, _, _ = one_hot(split)
    model = FLClassifier(mode='horizontal', privacy_tech='sa', n_parties=OWNERS, **FEDTREE)
    model.fit(x, split.y)
    return model.predict_proba(xt)[:, 1]


FITS = {'fedtree': fit_fedtree, 'diffprivlib': fit_diffprivlib, 'interpret': fit_interpret, 'dp_xgboost': fit_dp_xgboost, 'xgboost': fit_xgboost}


def measure_one(name, epsilon, folder):
    split = rivals.split_of(folder)
    print(json.dumps(rivals.metrics_of(split, FITS[name](split, epsilon))))


# ---- Hedgerow ------------------------------------------------------------------------------------------------------------

def of_hedge(program, folder, epsilon, delta):
    from accuracy import hedgerow_metrics
    return hedgerow_metrics(program, folder, ['hedge', '--epsilon', str(epsilon), '--delta', str(delta)])


def of_owners(program, folder, epsilon, delta):
    """hedge over three owners who have every third record, in one process, with the messages of a federation."""
    heads, lines = sets.lines_of(folder, 'train')
    schema = os.path.join(folder, 'schema.yaml')
    with tempfile.TemporaryDirectory() as work:
        model, tables = os.path.join(work, 'model.json'), [os.path.join(work, 'owner-%d.csv' % owner) for owner in range(OWNERS)]
        for owner, path in enumerate(tables):
            with open(path, 'w', encoding='utf-8') as out:
                out.writelines(heads + lines[owner::OWNERS])
        job = os.path.join(work, 'job.yaml')
        with open(job, 'w', encoding='utf-8') as out:
            out.write('hedgerow-job: 1\nschema: %s\nmethod: hedge\nepsilon: %g\ndelta: %g\n' % (os.path.abspath(schema), epsilon, delta))
        data = [word for path in tables for word in ('--data', path)]
        subprocess.run([program, 'simulate', job, *data, '--model', model, '--quiet'], check=True, stdout=subprocess.DEVNULL)
        said = subprocess.run([program, 'evaluate', '--json', '--model', model, '--data', sets.path_of(folder, 'test')], check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(said.stdout)
    return {'error': 100 * found['error'], 'auc': found['auc']}


# (title, what measures it, delta; None: not private, of which one split is measured)
ROWS = [('hedge, one owner', of_hedge, 1e-6), ('hedge, one owner, pure', of_hedge, 0), ('hedge, three owners', of_owners, 1e-6), ('diffprivlib', 'diffprivlib', 0),
        ('DP-EBM', 'interpret', 1e-6), ('dp-xgboost', 'dp_xgboost', 0), ('XGBoost federated, three owners', 'xgboost', None),
        ('FedTree, three owners', 'fedtree', None)]


# ---- Tables --------------------------------------------------------------------------------------------------------------

def measured(args, what, delta, name, seed, epsilon):
    folder = sets.prepared(args.data, args.cache, name, seed, rivals.ROWS)
    if callable(what):
        return what(args.hedgerow, folder, epsilon, delta)
    done = subprocess.run([args.pythons[what], os.path.abspath(__file__), '--one', what, str(epsilon), folder], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def known_figures(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        return {tuple(key): value for key, value in map(json.loads, file)}


def cell(values, digits):
    if len(values) == 1:
        return '%.*f' % (digits, values[0])
    return pages.shown(statistics.mean(values), pages.deviation(values) / math.sqrt(len(values)), digits)


def tables(args):
    known = known_figures(args.results)
    rows = [row for row in ROWS if callable(row[1]) or row[1] in args.pythons]
    for seed in range(args.splits):
        for name in SETS:
            for title, what, delta in rows:
                for epsilon in EPSILONS if delta is not None else EPSILONS[:1] if seed == 0 else ():
                    key = (title, name, seed, epsilon)
                    if key in known:
                        continue
                    known[key] = measured(args, what, delta, name, seed, epsilon)
                    with open(args.results, 'a', encoding='utf-8') as out:
                        out.write(json.dumps([key, known[key]]) + '\n')
    for name in SETS:
        lines = []
        for title, _, delta in rows:
            for metric, word, digits in (('auc', 'AUC', 3), ('error', 'error, %', 2)):
                seeds = range(args.splits if delta is not None else 1)
                told = [cell([known[title, name, seed, e if delta is not None else EPSILONS[0]][metric] for seed in seeds], digits) for e in EPSILONS]
                lines.append([title, 'not private' if delta is None else '%g' % delta, word, '%d' % len(seeds), *told])
        yield {'title': name, 'columns': ['program', 'delta', 'measure', 'splits', *('eps %g' % e for e in EPSILONS)], 'rows': lines}


def main():
    if sys.argv[1] == '--one':
        measure_one(sys.argv[2], float(sys.argv[3]), sys.argv[4])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA'))
    parser.add_argument('--cache', default='build/accuracy/sets')
    parser.add_argument('--results', default='build/accuracy/migrate.jsonl')
    parser.add_argument('--splits', type=int, default=3)
    parser.add_argument('pythons', nargs='*', metavar='NAME=PYTHON')
    args = parser.parse_intermixed_args()
    args.pythons = dict(word.split('=', 1) for word in args.pythons)
    os.makedirs(os.path.dirname(args.results), exist_ok=True)
    made = list(tables(args))
    text = ['Mean ± standard error over the splits, at most %d; at most 30,000 records of a set, of which 80 %% are trained on.' % args.splits]
    after = [measure.settings(args.hedgerow, {'hedge': ['hedge', '--delta', '1e-06']})[:-1] +
             '; three owners: every third record, coalition 1. diffprivlib: RandomForestClassifier, its defaults, a column for each category. DP-EBM: '
             'DPExplainableBoostingClassifier, its defaults but learning_rate %g. dp-xgboost: %s, %d trees. XGBoost: %s, %d rounds. FedTree: privacy_tech sa, %s.' %
             (EBM['learning_rate'], ', '.join('%s %s' % of for of in DPXGB.items()), DPXGB_TREES, ', '.join('%s %s' % of for of in XGB.items()), XGB_ROUNDS, ', '.join('%s %s' % of for of in FEDTREE.items()))]
    names = ' '.join('%s=PYTHON' % name for name in sorted(args.pythons))
    pages.write(args.output, pages.as_json({'command': 'bench/migrate.py build/cli/hedgerow docs/reference/results/migrate.json %s' % names, 'text': text, 'tables': made,
                                            'after': after}))


if __name__ == '__main__':
    main()
