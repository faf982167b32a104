#!/usr/bin/env python3
"""Runs run.py beside libraries and programs of ours that are made up, and say the same times whatever the machine does: what it prints of them are the right
ratios, in the right units. usage: rehearse_peers.py"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# What each program prints; {verb: what a library prints}.
TABLE = 'import sys; open(sys.argv[1], "w").close()'
TRAIN = 'print(\'{"tree": 0.002, "bins": 0.5, "predict": 5e-9, "logloss": 0.5}\')'
HEDGE = 'print(\'{"seconds": 1, "rounds": 6, "predict": 4e-9, "logloss": 0.5, "auc": 0.9}\')'
CHAIN = 'print(\'{"seconds": 3, "processor": 2.6, "coordinator": 0.5, "owners": 2, "bytes": 1e6, "coordinator_bytes": 2e5, "rounds": 5}\')'
ALONE = 'single rows 50 trees 4 depth 6 threads 1: 0.000 s, 250.0 ns/row, checksum 1\\n'
MADE_UP = 'print("predict rows 50 trees 4 depth 6 threads 1: 0.000 s, 100.0 ns/row, 25.000 ns/row/tree, checksum 1\\n%s", end="")'
PEER = '''
import json, sys
said = {'version': '9.9', 'train': {'tree': 0.003, 'bins': 1.5, 'predict': 1e-8, 'logloss': 0.5, 'imports': 7},
        'predict': {'predict': 2e-8, 'row': 8e-8, 'logloss': 0.5, 'imports': 7}, 'rows': {'row': 1e-6, 'call': 3e-7, 'imports': 7},
        'forest': {'tree': 0.01, 'bins': 0, 'predict': 1e-8, 'logloss': 0.5, 'imports': 7}}
if sys.argv[2] == 'forest' and sys.argv[3] not in ('sklearn-rf', 'sklearn-ert', 'lightgbm-rf', 'lightgbm-ert'):
    sys.exit('no such forest')
print(json.dumps(said[sys.argv[2]]))
'''


def expect(holds, what):
    if not holds:
        sys.exit('rehearse_peers.py: ' + what)


def program(path, code):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write('#!%s\n%s\n' % (sys.executable, code))
    os.chmod(path, 0o700)


def make_programs(build, alone):
    program(os.path.join(build, 'bench', 'bench_table'), TABLE)
    program(os.path.join(build, 'bench', 'bench_train'), TRAIN)
    program(os.path.join(build, 'bench', 'bench_hedge'), HEDGE)
    program(os.path.join(build, 'bench', 'bench_chain'), CHAIN)
    program(os.path.join(build, 'bench', 'bench_predict'), MADE_UP % alone)
    program(os.path.join(build, 'peers', 'bin', 'python'), PEER)


def rows_of(build, part):
    """What is printed, and {side: figures}, of the first table that has the side."""
    path = os.path.join(build, 'figures.json')
    done = subprocess.run([sys.executable, os.path.join(HERE, 'run.py'), '--build', build, '--only', part, '--sizes', '30x28', '--private-sizes', '30x28', '--forest-sizes', '30x28x3',
                           '--threads', '1', '--repeat', '2', '--few', '1', '--many', '3', '--trees', '4', '--alone', '50', '--json', path],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, PEER_PYTHON=''))
    expect(done.returncode == 0, 'run.py --only %s failed:\n%s' % (part, done.stdout))
    with open(path, encoding='utf-8') as f:
        return done.stdout, {row['side']: row for row in reversed(json.load(f)['rows'])}


def close(a, b):
    return abs(a - b) < 1e-9 * abs(b)


def check_predictions(build):
    said, rows = rows_of(build, 'predict')
    expect(set(rows) == {'hedgerow gbdt', 'hedgerow hedge', 'xgboost inplace_predict', 'lightgbm', 'lightgbm, compiled by lleaves', 'hessboost'}, said)
    ours, theirs = rows['hedgerow gbdt'], rows['hessboost']
    expect(close(ours['row']['min'], 20) and close(ours['predict']['min'], 5), 'four trees at 5 ns are 20 ns a row:\n' + said)
    expect(close(theirs['row']['min'], 80) and close(theirs['row']['ratio'], 4) and close(theirs['predict']['ratio'], 4), said)
    beside_hedge = said[said.index("hedge's model of 6 trees"):]
    expect(close(rows['hedgerow hedge']['predict']['min'], 4) and beside_hedge.count('x5.00') == 4, said)


def check_rows(build):
    """Beside ours of records alone, once there is such a line; the call from Python is told, and no part of the ratio."""
    for alone, name, ratio in (('', 'hedgerow, predict', 10), (ALONE, 'hedgerow, single', 4)):
        make_programs(build, alone)
        said, rows = rows_of(build, 'rows')
        expect(name in rows and len(rows) == 6, said)
        expect(close(rows['lightgbm SingleRowFast']['row']['ratio'], ratio), said)
        expect(close(rows['hedgerow predictor, by Python']['row']['ratio'], ratio), said)
        expect(close(rows['xgboost PredictFromDense']['call'], 300) and said.count('are taken off') == 5, said)
        expect(('has no line of records alone' in said) == (not alone), said)


def check_others(build):
    said, rows = rows_of(build, 'train')
    expect(close(rows['hessboost']['tree']['ratio'], 1.5) and close(rows['hessboost']['bins']['ratio'], 3), said)
    said, rows = rows_of(build, 'forests')
    expect({'scikit-learn RandomForest', 'lightgbm rf', 'scikit-learn ExtraTrees', 'lightgbm rf, extra_trees'} < set(rows), said)
    expect(close(rows['lightgbm rf']['tree']['ratio'], 5), said)
    said, rows = rows_of(build, 'federated')
    expect(close(rows['coordinator']['milliseconds'], 100) and close(rows['coordinator']['kilobytes'], 40), said)
    expect(close(rows['an owner']['milliseconds'], 40) and close(rows['an owner']['kilobytes'], 16), said)


def main():
    with tempfile.TemporaryDirectory() as build:
        make_programs(build, '')
        check_predictions(build)
        check_rows(build)
        check_others(build)


main()
