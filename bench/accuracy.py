#!/usr/bin/env python3
"""How well every method predicts on prepared sets: mean and standard deviation over seeded splits, as markdown, beside the
figures of utility.json; and gbdt beside scikit-learn's histogram gradient boosting at the same settings.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names a Python
interpreter that has scikit-learn.
usage: accuracy.py [--help]"""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import sets  # noqa: E402  (after the number of threads is set)

HERE = os.path.dirname(os.path.abspath(__file__))
RADIX = {'kc_house': 1e-3}  # as utility.json counts: thousand dollars
PRIVATE = {
    'DPBoost sound': ['dpboost', '--mode', 'sound'],
    'SEQ sound': ['seq', '--mode', 'sound'],
    'PARA sound': ['para', '--mode', 'sound'],
    'DPBoost as published': ['dpboost', '--mode', 'paper', '--option', 'leaf-budget=intended'],
    'DPBoost as published, line 14 literally': ['dpboost', '--mode', 'paper', '--option', 'leaf-budget=literal'],
    'SEQ as published': ['seq', '--mode', 'paper'],
    'PARA as published': ['para', '--mode', 'paper'],
}
HEDGE = {'delta 1e-6': [], 'pure epsilon': ['--delta', '0']}
HEDGE_SETS = ['adult', 'credit', 'banknote', 'cod-rna', 'covtype', 'susy', 'ijcnn1', 'acs', 'higgs', 'abalone', 'kc_house', 'appliances',
              'parkinsons', 'flights']
HEDGE_EPSILONS = [.1, .25, .5, 1, 2, 4, 8]
ETAS = ['0.1', '0.3']


def with_sklearn():
    """Starts again under an interpreter that has scikit-learn, if this one has not."""
    if importlib.util.find_spec('sklearn'):
        return
    for python in filter(None, [os.environ.get('PEER_PYTHON'), '/usr/bin/python3']):
        if os.path.exists(python) and subprocess.run([python, '-c', 'import sklearn'], stderr=subprocess.DEVNULL).returncode == 0:
            os.execv(python, [python] + sys.argv)
    sys.exit('accuracy.py: no scikit-learn; "apt-get install python3-sklearn", or name an interpreter in PEER_PYTHON')


def hedgerow_error(program, folder, arguments):
    """Test error in %, or RMSE."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        schema, train, test = (os.path.join(folder, n) for n in ('schema.yaml', 'train.csv', 'test.csv'))
        subprocess.run([program, 'train', '--data', train, '--schema', schema, '--model', model, '--threads', '1', '--quiet', '--method', *arguments],
                       check=True)
        said = subprocess.run([program, 'evaluate', '--model', model, '--data', test, '--json'], check=True, stdout=subprocess.PIPE).stdout
    metrics = json.loads(said)
    return 100 * metrics['error'] if 'error' in metrics else metrics['rmse']


def sklearn_error(folder, eta):
    """The same of scikit-learn: 50 trees of depth 6, 255 bins, and no rule of its own against small leaves."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    x, y, categories, classes = sets.arrays(folder, 'train')
    xt, yt, _, _ = sets.arrays(folder, 'test')
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(max_iter=50, max_depth=6, learning_rate=float(eta), max_bins=255, max_leaf_nodes=None, min_samples_leaf=1,
                 l2_regularization=1, early_stopping=False, categorical_features=categories, random_state=0).fit(x, y)
    p = model.predict(xt)
    return float(100 * (p != yt).mean() if classes else (((p - yt) ** 2).mean()) ** 0.5)


def gbdt_arguments(eta, classes):
    return ['gbdt', '--trees', '50', '--depth', '6', '--bins', '255', '--learning-rate', eta, '--lambda', '1', '--option',
            'loss=' + ('logistic' if classes else 'square')]


def spread(values):
    return shown(statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0)


def shown(mean, deviation):
    return '%.2f ± %.2f' % (mean, deviation)


def paired(pairs, classes):
    """Ours less theirs: points of error, or per cent of the RMSE."""
    if classes:
        return '%+.2f points' % statistics.mean(a - b for a, b in pairs)
    return '%+.1f %%' % (100 * statistics.mean((a - b) / b for a, b in pairs))


def private_table(args, pool, name, reference):
    """One set: method x epsilon, ours and the reference's row in turn."""
    jobs = {(title, e): [pool.submit(hedgerow_error, args.hedgerow, sets.prepared(args.data, args.cache, name, s),
                                     arguments + ['--epsilon', str(e)]) for s in range(args.seeds)]
            for title, arguments in PRIVATE.items() for e in reference['epsilon']}
    known = reference['sets'].get(name, {'rows': {}})
    print('\n### %s\n' % name)
    print('; '.join('%s %s' % (k, shown(*v)) for k, v in known.items() if k != 'rows'))
    print('\n| method | ' + ' | '.join('eps %g' % e for e in reference['epsilon']) + ' |')
    print('|---' * (len(reference['epsilon']) + 1) + '|')
    for title in PRIVATE:
        cells = [spread([RADIX.get(name, 1) * job.result() for job in jobs[title, e]]) for e in reference['epsilon']]
        print('| **%s** | %s |' % (title, ' | '.join(cells)), flush=True)
        if title in known['rows']:
            print('| %s (prototype) | %s |' % (title, ' | '.join(shown(*v) for v in known['rows'][title])))


def hedge_table(args, pool, title, arguments, names):
    """hedge on many sets, from strict to lenient budgets."""
    print('\n### hedge, %s\n\n| set | ' % title + ' | '.join('eps %g' % e for e in HEDGE_EPSILONS) + ' |')
    print('|---' * (len(HEDGE_EPSILONS) + 1) + '|')
    for name in names:
        folders = [sets.prepared(args.data, args.cache, name, s) for s in range(args.seeds)]
        jobs = {e: [pool.submit(hedgerow_error, args.hedgerow, f, ['hedge', '--epsilon', str(e)] + arguments) for f in folders]
                for e in HEDGE_EPSILONS}
        cells = [spread([RADIX.get(name, 1) * job.result() for job in jobs[e]]) for e in HEDGE_EPSILONS]
        print('| %s | %s |' % (name, ' | '.join(cells)), flush=True)


def plain_line(args, pool, name, eta):
    """gbdt beside scikit-learn on one set."""
    folders = [sets.prepared(args.data, args.cache, name, s) for s in range(args.seeds)]
    columns, _ = sets.columns_of(folders[0])
    classes = next(iter(columns.values())) is not None
    ours = [pool.submit(hedgerow_error, args.hedgerow, f, gbdt_arguments(eta, classes)) for f in folders]
    theirs = [pool.submit(sklearn_error, f, eta) for f in folders]
    pairs = [(RADIX.get(name, 1) * a.result(), RADIX.get(name, 1) * b.result()) for a, b in zip(ours, theirs)]
    print('| %s | %s | %s | %s | %s |' % (name, eta, spread([a for a, _ in pairs]), spread([b for _, b in pairs]), paired(pairs, classes)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--hedgerow', default='build/hedgerow')
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', os.path.join(HERE, '..', '..', 'shared', 'data')))
    parser.add_argument('--cache', default='build/accuracy', help='where prepared sets are kept (build/accuracy)')
    parser.add_argument('--reference', default=os.path.join(HERE, 'utility.json'))
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--sets', help='names, with commas (all of the reference)')
    parser.add_argument('--only', choices=['private', 'plain', 'hedge'],
                        help='the published private methods alone, gbdt alone, or hedge alone')
    args = parser.parse_args()
    with_sklearn()
    if not os.path.exists(os.path.join(args.data, 'prepare.py')):
        sys.exit('accuracy.py: there is no prepare.py in %s; HEDGEROW_DATA names the folder of data sets' % args.data)
    with open(args.reference, encoding='utf-8') as f:
        reference = json.load(f)
    names = args.sets.split(',') if args.sets else list(reference['sets'])
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        if args.only in (None, 'hedge'):
            print('## hedge\n\nTest error in %, or RMSE.')
            for title, arguments in HEDGE.items():
                hedge_table(args, pool, title, arguments, args.sets.split(',') if args.sets else HEDGE_SETS)
        if args.only in (None, 'plain'):
            print('## gbdt beside scikit-learn\n\n| set | eta | hedgerow | scikit-learn | difference |\n|---|---|---|---|---|')
            for name in names:
                for eta in ETAS:
                    plain_line(args, pool, name, eta)
        if args.only in (None, 'private'):
            print('\n## Private methods\n\nTest error in %%, or RMSE. Rows marked (prototype): %s' % reference['source'])
            for name in names:
                private_table(args, pool, name, reference)


main()
