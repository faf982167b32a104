#!/usr/bin/env python3
"""Times training beside XGBoost, LightGBM and hessboost, predictions beside these, lleaves and oneDAL, of tables and of one record at a time, forests beside
oneDAL's and LightGBM, fits side by side, hedge beside scikit-learn and interpret's DP-EBM, and reading, in the same run and on the same numbers; and a round of hedge over owners. Every library gets a row-major array of float32 through Python, and makes of it what it needs in each fit anew; ours is
measured so, and through C, which borrows columns of doubles, with each set of kernels.

Every measurement is a process of its own; sides take turns, so that a slow minute of the machine hits all of them; reported
are the fastest and the median of the repetitions, and the ratio to ours. Nothing is decided by these times.
Other libraries are those of the interpreter in BUILD/peers, which tools/peers.sh makes, of the one that PEER_PYTHON names, and of the system's; the package of
Python is that of BUILD-python, which tools/python.sh makes. Those that no interpreter has are left out, by name. usage: run.py [--help]"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import speed

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.path.join(HERE, 'peer.py')
GBDT = ['depth=6', 'bins=255', 'learning-rate=0.1', 'lambda=0.1', 'loss=logistic']
DPBOOST = ['epsilon=100', 'depth=6', 'bins=255', 'learning-rate=0.1', 'lambda=0.1', 'edges=public']
TRAINERS = ['xgboost', 'lightgbm', 'lightgbm-quantised', 'hessboost']
PREDICTORS = {'hedgerow': 'hedgerow gbdt', 'xgboost': 'xgboost inplace_predict', 'lightgbm': 'lightgbm', 'lleaves': 'lightgbm, compiled by lleaves', 'hessboost': 'hessboost',
              'daal4py': 'xgboost, by oneDAL'}
ROWS = {'lightgbm': 'lightgbm SingleRowFast', 'xgboost': 'xgboost PredictFromDense', 'lleaves': 'lightgbm, compiled by lleaves',
        'hessboost': 'hessboost predict_row, by Python', 'hedgerow': 'hedgerow predictor, by Python'}
READERS = ['pandas', 'polars', 'pyarrow', 'xgboost', 'lightgbm']
TEXT_READERS = ['polars', 'pyarrow']
FITTERS = {'sklearn': 'scikit-learn HGB, not private', 'interpret': 'interpret DP-EBM, the same budget'}
FORESTS = {'rf': {'sklearnex': 'oneDAL RandomForest', 'lightgbm': 'lightgbm rf'},
           'ert': {'sklearnex': 'oneDAL ExtraTrees', 'lightgbm': 'lightgbm rf, extra_trees'}}
FOREST_TREES = 100  # of the whole fits that times are told of
LIBRARIES = {*TRAINERS, *PREDICTORS, *ROWS, *READERS, *FITTERS, *FORESTS['rf']}
PARTS = ['train', 'predict', 'rows', 'privacy', 'forests', 'hedge', 'read', 'texts', 'beside', 'federated']
CHECKS = [('logloss', 'log-loss'), ('auc', 'AUC')]


def find_peers(build):
    """library -> (interpreter, version)"""
    peers = {}
    named, made = os.environ.get('PEER_PYTHON', ''), os.path.join(build, 'peers', 'bin', 'python')
    package = os.path.join(os.path.normpath(build) + '-python', 'venv', 'bin', 'python')
    for python in filter(shutil.which, filter(None, [named, made, package, sys.executable, '/usr/bin/python3'])):
        for library in sorted(LIBRARIES - set(peers)):
            done = subprocess.run([python, PEER, 'version', library], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if done.returncode == 0:
                peers[library] = (python, json.loads(done.stdout))
    return peers


def measure(command):
    """What a process says of itself, and its peak memory in MB."""
    with tempfile.TemporaryFile('w+') as said:
        process = subprocess.Popen(command, stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit('run.py: this failed: ' + ' '.join(command))
        said.seek(0)
        result = json.loads(said.read().splitlines()[-1])
    result['memory'] = usage.ru_maxrss / 1024
    return result


def take_turns(sides, repeat):
    """sides: name -> command. name -> list of results."""
    results = {name: [] for name in sides}
    for _ in range(repeat):
        for name, command in sides.items():
            results[name].append(measure(command))
    return results


def table_file(args, rows, features, suffix='bin'):
    path = os.path.join(args.build, 'bench-data', '%dx%d.%s' % (rows, features, suffix))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        subprocess.run([os.path.join(args.build, 'bench', 'bench_table'), path, str(rows), str(features)], check=True)
    return path


def with_kernels(args, name, command):
    """One of our programs, with each set of kernels that is measured."""
    return {', '.join(filter(None, [name, kernels])): (['env', 'HEDGEROW_KERNELS=' + kernels] if kernels else []) + command for kernels in args.kernels}


def kernels_here(build):
    """Sets of kernels that this processor has, the best first; without the program, the best alone, by no name."""
    program, found = os.path.join(build, 'cli', 'hedgerow'), []
    for name in ('avx512', 'avx2') if os.path.exists(program) else ():
        done = subprocess.run([program, '--version'], env={**os.environ, 'HEDGEROW_KERNELS': name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found += [name] if done.returncode == 0 else []
    return found or ['']


def ours(args, size, method, threads, few, many, settings):
    return [os.path.join(args.build, 'bench', 'bench_train'), table_file(args, *size), *map(str, size), method, str(threads), str(few),
            str(many), *settings]


def hedge(args, size, threads):
    return [os.path.join(args.build, 'bench', 'bench_hedge'), table_file(args, *size), *map(str, size), str(threads)]


def show(title, results, columns):
    """One line a side: fastest and median of every column, and how many times the first side's fastest that is."""
    print('\n%s (load %.1f)' % (title, os.getloadavg()[0]))
    first, rows = next(iter(results)), []
    checks = [(key, text) for key, text in CHECKS if any(key in g for got in results.values() for g in got)]
    print('  %-36s' % '' + ''.join('%-26s' % (text + ' min / median') for _, text, _ in columns) + ' peak MB, of it imports' +
          ''.join('%10s' % text for _, text in checks))
    for name, got in results.items():
        row = {'case': title, 'side': name, 'memory': max(g['memory'] for g in got), 'imports': got[0].get('imports', 0)}
        line = '  %-36s' % name
        for key, _, scale in columns:
            least = min(g[key] for g in got) * scale
            row[key] = dict(min=least, median=statistics.median(g[key] for g in got) * scale,
                            ratio=least / (min(g[key] for g in results[first]) * scale))
            ratio = '' if name == first else 'x%.2f' % row[key]['ratio']
            line += '%8.2f / %8.2f %-7s' % (row[key]['min'], row[key]['median'], ratio)
        line += '%8.0f %14.0f' % (row['memory'], row['imports'])
        for key, _ in checks:
            if key in got[0]:
                row[key] = got[0][key]
            line += '%10.4f' % row[key] if key in row else ' ' * 10
        print(line.rstrip(), flush=True)
        rows.append(row)
    return rows


def peer_command(args, peers, library, verb, size, *more):
    return [peers[library][0], PEER, verb, library, table_file(args, *size), *map(str, size), *map(str, more)]


def trees_of(args, size):
    """Of the shorter and the longer fit: more for small tables, whose trees take less than a clock and other work tell apart."""
    more = min(10, max(1, 200_000 // size[0]))
    return more * args.few, more * args.many


TREES = [('tree', 'ms a tree', 1e3), ('bins', 's before', 1), ('predict', 'ns a row x tree', 1e9)]


def train_beside_peers(args, peers, size, threads):
    sides, (few, many) = {}, trees_of(args, size)
    if 'hedgerow' in peers:
        sides.update(with_kernels(args, 'hedgerow gbdt', peer_command(args, peers, 'hedgerow', 'train', size, threads, few, many)))
    sides.update(with_kernels(args, 'hedgerow gbdt, in C', ours(args, size, 'gbdt', threads, few, many, GBDT)))
    for library in TRAINERS:
        if library in peers:
            sides[library] = peer_command(args, peers, library, 'train', size, threads, few, many)
    return show('Training, %d x %d, %d thread(s)' % (*size, threads), take_turns(sides, args.repeat), TREES)


def predict_beside_peers(args, peers, size, threads):
    """Each library predicts with its own model of the same table, as many trees of the same depth."""
    sides, in_c = {}, with_kernels(args, 'hedgerow gbdt, in C', ours(args, size, 'gbdt', threads, 1, args.trees, GBDT))
    for library, name in PREDICTORS.items():
        command = peer_command(args, peers, library, 'predict', size, threads, args.trees) if library in peers else None
        if library == 'hedgerow':
            sides.update({**(with_kernels(args, name, command) if command else {}), **in_c})
        elif command:
            sides[name] = command
    results = take_turns(sides, args.repeat)
    for got in results.values():
        for g in got:
            g['row'] = g['predict'] * args.trees
    title = 'Predictions, %d x %d, %d trees of depth 6, %d thread(s)' % (*size, args.trees, threads)
    return show(title, results, [('row', 'ns a row', 1e9), ('predict', 'ns a row x tree', 1e9)])


def hedge_predicts_beside_peers(args, peers, size, threads):
    """Trees of hedge are deeper: it has 300 of them at its defaults on a table of a million records, and so has each of the others."""
    sides = with_kernels(args, 'hedgerow hedge, in C', hedge(args, size, threads))
    sides.update({name: peer_command(args, peers, library, 'predict', size, threads, args.hedge_trees) for library, name in PREDICTORS.items()
                  if library in peers and library != 'hedgerow'})
    results = take_turns(sides, args.repeat)
    title = "Predictions of hedge's model of %d trees, %d x %d, beside %d trees of depth 6, %d thread(s)" % (
        next(iter(results.values()))[0]['rounds'], *size, args.hedge_trees, threads)
    return show(title, results, [('predict', 'ns a row x tree', 1e9)])


SAID = re.compile(r'^(?P<what>.*?) rows .*?: .*?(?P<ns>[\d.]+) ns/row', re.M)


def made_up_predictions(args, trees):
    """What bench_predict, which has a made-up model of 28 features, says of its ways to predict: {way: results}."""
    results = {}
    for _ in range(args.repeat):
        said = subprocess.run([os.path.join(args.build, 'bench', 'bench_predict'), str(args.alone), str(trees)], check=True, stdout=subprocess.PIPE, text=True)
        for found in SAID.finditer(said.stdout):
            results.setdefault('hedgerow, %s' % found['what'], []).append(dict(row=float(found['ns']) / 1e9, call=0, memory=0))
    return results


def rows_beside_peers(args, peers, size):
    """Ratios are to the first way of ours that is no table's."""
    mine = made_up_predictions(args, args.trees)
    alone = {name: got for name, got in mine.items() if name != 'hedgerow, predict'}
    results = dict(alone or mine)
    sides = {name: peer_command(args, peers, library, 'rows', size, args.trees, args.alone) for library, name in ROWS.items() if library in peers}
    results.update(take_turns(sides, args.repeat))
    title = 'One record at a time, %d trees of depth 6 over %d features, 1 thread' % (args.trees, size[1])
    rows = show(title, results, [('row', 'ns a row', 1e9)])
    for row, got in zip(rows, results.values()):
        row['call'] = min(g['call'] for g in got) * 1e9
        if row['call']:
            print('  %-36s%8.0f ns that a call from Python takes are taken off' % (row['side'], row['call']))
    print('  ours in C are of a made-up model of 28 features (bench_predict)%s' % ('' if alone else ', which has no line of records alone: of a table'))
    for library in sorted(set(ROWS) - set(peers)):
        print('  left out, as no interpreter has it: ' + ROWS[library])
    return rows


def price_of_privacy(args, size, threads):
    sides = {'gbdt, every tree on all records': ours(args, size, 'gbdt', threads, args.few, args.many, GBDT),
             'dpboost, every tree on all records': ours(args, size, 'dpboost', threads, args.few, args.many, DPBOOST + ['ensemble=1']),
             'dpboost, 50 trees share the records': ours(args, size, 'dpboost', threads, 1, 50,
                                                         DPBOOST + ['ensemble=50', 'shares=equal'])}
    return show('What privacy costs, %d x %d, %d thread(s)' % (*size, threads), take_turns(sides, args.repeat), TREES)


def forest_sides(args, peers, method, rows, features, depth, threads):
    """Trees are grown one a thread: every fit has as many for each. The other sides take long: two for each suffice."""
    few, settings = threads, ['depth=%d' % depth, 'bins=255', 'min-child-weight=1', 'max-features=%d' % round(features ** .5)]
    sides = with_kernels(args, 'hedgerow ' + method, ours(args, (rows, features), method, threads, few, 6 * threads, settings))
    for library, name in FORESTS[method].items():
        if library in peers:
            sides[name] = [peers[library][0], PEER, 'forest', '%s-%s' % (library, method), table_file(args, rows, features), str(rows), str(features),
                           str(threads), str(few), str(2 * threads), str(depth)]
    return sides


def forests_beside_peers(args, peers, size, threads):
    rows, features, depth = size
    result = []
    for method in FORESTS:
        title = 'Forests, %s: %d x %d, depth %d, %d thread(s)' % (method, rows, features, depth, threads)
        sides = show(title, take_turns(forest_sides(args, peers, method, *size, threads), args.repeat), TREES)
        for side in sides:
            side['integer'] = side['bins']['min'] + FOREST_TREES * side['tree']['min'] / 1e3
            print('  %-36s%d trees would take %.1f s x%.2f' % (side['side'], FOREST_TREES, side['integer'], side['integer'] / sides[0]['integer']), flush=True)
        result += sides
    return result


def hedge_beside_peers(args, peers, size, threads):
    sides = with_kernels(args, 'hedgerow hedge', hedge(args, size, threads))
    for library, name in FITTERS.items():
        if library in peers:
            sides[name] = peer_command(args, peers, library, 'fit', size, threads)
    results = take_turns(sides, args.repeat)
    rows = show('hedge beside others, whole fits at their defaults, %d x %d, %d thread(s)' % (*size, threads), results,
                [('seconds', 'seconds a fit', 1)])
    best = min(next(iter(results.values())), key=lambda g: g['seconds'])
    rows[0].update({key: best[key] for key in ('rounds', 'candidates', 'nanoseconds', 'grown', 'matrices')})
    print('  hedge: %(rounds)d rounds of %(candidates)d candidates, %(nanoseconds).2f ns a record, candidate and round' % best)
    print('  hedge: the fit took %.0f MB above the table, %.2f times its matrix of bins' % (best['grown'] / 2**20, best['matrices']))
    for library in sorted(set(FITTERS) - set(peers)):
        print('  left out, as no interpreter has it: ' + FITTERS[library])
    return rows


def federated_round(args, size, owners):
    """hedge over owners, each with all records of the table, every party on a clock of its own (bench_chain): what a whole job takes of each, by its rounds."""
    program = os.path.join(args.build, 'bench', 'bench_chain')
    if not os.path.exists(program):
        print('\nleft out: a round of hedge over owners, as this build has no federation')
        return []
    got = take_turns({'hedge': [program, table_file(args, *size), *map(str, size), str(owners), 'hedge', '1']}, args.repeat)['hedge']
    best = min(got, key=lambda g: g['processor'])
    rounds = best['rounds']
    sides = {'coordinator': (1, best['coordinator'], best['coordinator_bytes']),
             'an owner': (owners, best['owners'], best['bytes'] - best['coordinator_bytes'])}
    title = 'hedge over %d owners of %d x %d, %d rounds: %.2f s until the coordinator has the model' % (owners, *size, rounds, best['seconds'])
    print('\n%s\n  %-36sprocessor, ms / rounds   kB sent / rounds' % (title, ''))
    rows = []
    for side, (count, seconds, sent) in sides.items():
        row = {'case': title, 'side': side, 'milliseconds': 1e3 * seconds / count / rounds, 'kilobytes': sent / 1e3 / count / rounds}
        print('  %-36s%24.3f %18.2f' % (side, row['milliseconds'], row['kilobytes']))
        rows.append(row)
    return rows


def fits_side_by_side(args, size):
    """Fits of people who share a machine: how long so many take at the same time, beside one after the other."""
    rows = []
    for method, settings in (('gbdt', GBDT + ['trees=50']), ('hedge', [])):
        for count in (2, 4):
            command = [os.path.join(args.build, 'bench', 'bench_beside'), table_file(args, *size), *map(str, size), str(count), method, *settings]
            turns = take_turns({method: command}, args.repeat)[method]
            got = {key: min(turn[key] for turn in turns) for key in turns[0]}
            row = {'case': 'Fits side by side, %d x %d, %d thread(s) each' % (*size, got['threads']), 'side': '%d fits of %s' % (count, method),
                   'in_a_row': got['row'], **{key: got[key] for key in ('beside', 'row_one', 'beside_one')}, 'ratio': got['beside'] / got['row']}
            if not rows:
                print('\n%s (load %.1f)\n  %-24s%16s%16s%10s%24s' % (row['case'], os.getloadavg()[0], '', 's in a row', 's side by side', '', 'the same, 1 thread each'))
            print('  %(side)-24s%(in_a_row)16.2f%(beside)16.2f   x%(ratio)-6.2f%(row_one)12.2f%(beside_one)12.2f' % row, flush=True)
            rows.append(row)
    return rows


def read_beside_peers(args, peers, size, threads):
    path = table_file(args, *size, 'csv')
    sides = {'hedgerow': [os.path.join(args.build, 'bench', 'bench_read'), path, 'y', str(threads)]}
    sides.update({library: [peers[library][0], PEER, 'csv', library, path, str(threads)] for library in READERS if library in peers})
    results = take_turns(sides, args.repeat)
    for got in results.values():
        for g in got:
            g['speed'] = g['megabytes'] / g['seconds']
    rows = show('Reading CSV, %d x %d (%.0f MB), %d thread(s)' % (*size, os.path.getsize(path) / 1e6, threads), results,
                [('seconds', 'seconds', 1)])
    for row, got in zip(rows, results.values()):
        row['megabytes_per_second'] = max(g['speed'] for g in got)
        print('  %-34s%9.0f MB/s' % (row['side'], row['megabytes_per_second']))
    return rows


def texts_beside_peers(args, peers, size, threads):
    """Dates, texts and numbers, and how long our proposal of a schema takes for the same file."""
    path = os.path.join(args.build, 'bench-data', 'texts-%d.csv' % size)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        subprocess.run([os.path.join(args.build, 'bench', 'bench_texts'), path, *map(str, size)], check=True)
    sides = {'hedgerow': [os.path.join(args.build, 'bench', 'bench_read'), path, 'y', str(threads)]}
    sides.update({library: [peers[library][0], PEER, 'texts', library, path, str(threads)] for library in TEXT_READERS if library in peers})
    results = take_turns(sides, args.repeat)
    results['hedgerow schema init'] = [{**g, **g['schema']} for g in results['hedgerow']]
    title = 'Reading CSV with texts, dates and quotation marks, %d records (%.0f MB), %d thread(s)' % (*size, os.path.getsize(path) / 1e6, threads)
    rows = show(title, results, [('seconds', 'seconds', 1), ('processor', 'of processors', 1)])
    for row, got in zip(rows, results.values()):
        row['megabytes_per_second'] = max(g['megabytes'] / g['seconds'] for g in got)
        print('  %-34s%9.0f MB/s' % (row['side'], row['megabytes_per_second']))
    return rows


def sizes_of(text):
    return [tuple(map(int, size.split('x'))) for size in text.split(',') if size]


def with_load(measured, *given):
    """The rows of a measurement, each with the load of the machine before and after."""
    before, rows = os.getloadavg()[0], measured(*given)
    return [{**row, 'load': (before, os.getloadavg()[0])} for row in rows]


def tables_of(args, peers, threads):
    """Of each part, the rows of its tables with so many threads."""
    def over(sizes, measure_one):
        return lambda: [row for size in sizes_of(sizes) for row in with_load(measure_one, args, peers, size, threads)]
    return {'train': over(args.sizes, train_beside_peers),
            'predict': lambda: over(args.sizes, predict_beside_peers)() + over(args.private_sizes, hedge_predicts_beside_peers)(),
            'privacy': lambda: with_load(price_of_privacy, args, max(sizes_of(args.sizes)), threads),
            'forests': over(args.forest_sizes, forests_beside_peers), 'hedge': over(args.private_sizes, hedge_beside_peers), 'read': over(args.csv, read_beside_peers),
            'texts': over(args.texts, texts_beside_peers)}


def all_tables(args, peers):
    """Of each part that is asked for, all rows."""
    parts = {name: [] for name in PARTS if args.only in (None, name)}
    for threads in map(int, args.threads.split(',')):
        for name, measured in tables_of(args, peers, threads).items():
            if name in parts:
                parts[name] += measured()
    if 'rows' in parts:
        parts['rows'] = with_load(rows_beside_peers, args, peers, max(sizes_of(args.sizes)))
    if 'beside' in parts:
        parts['beside'] = [row for size in sizes_of(args.beside_sizes) for row in with_load(fits_side_by_side, args, size)]
    if 'federated' in parts:
        parts['federated'] = [row for size in sizes_of(args.federated_sizes) for row in with_load(federated_round, args, size, args.owners)]
    return {name: rows for name, rows in parts.items() if rows}


def source_here():
    """The last commit that changed what is measured."""
    of = ['--', 'src', 'cli', 'include', 'python']
    git = ['git', '-C', os.path.dirname(HERE)]
    commit, changed = (subprocess.run([*git, *what, *of], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
                       for what in (['log', '-1', '--format=%h'], ['status', '--porcelain']))
    return 'hedgerow of %s%s' % (commit, ' with changes' if changed else '') if commit else 'hedgerow'


def conditions(args, peers):
    """What has to be the same for all that one table is compared with."""
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        model = re.search(r'^model name\s*: (.*)$', f.read(), re.M)
    versions = ['%s %s' % (library, version) for library, (_, version) in sorted(peers.items()) if library != 'hedgerow']
    return 'Of %s; %d processors%s; %d repetitions, of which the fastest counts; x: times the first side.' % (
        ', '.join([source_here(), *versions]), len(os.sched_getaffinity(0)), ' (%s)' % model.group(1) if model else '', args.repeat)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', default='build', help='the build directory (build)')
    parser.add_argument('--threads', default='1,2', help='numbers of threads (1,2)')
    parser.add_argument('--repeat', type=int, default=3, help='repetitions of every measurement (3)')
    parser.add_argument('--few', type=int, default=10, help='trees of the shorter fit (10)')
    parser.add_argument('--many', type=int, default=110, help='trees of the longer fit (110)')
    parser.add_argument('--trees', type=int, default=100, help='of the models that predict (100)')
    parser.add_argument('--hedge-trees', type=int, default=300, help="of the models that predict beside hedge's (300)")
    parser.add_argument('--alone', type=int, default=20000, help='records that are predicted one at a time (20000)')
    parser.add_argument('--sizes', default='1000x28,10000x28,100000x28,1000000x28,200000x400',
                        help='tables to train on, and to predict (1000x28,10000x28,100000x28,1000000x28,200000x400)')
    parser.add_argument('--forest-sizes', default='1000000x28x16,100000x28x60',
                        help='tables and depths to train forests on (1000000x28x16,100000x28x60)')
    parser.add_argument('--private-sizes', default='1000000x28', help='tables to train hedge on, and to predict with its model (1000000x28)')
    parser.add_argument('--federated-sizes', default='1000x20,22000x20', help="tables of each owner of a federation (1000x20,22000x20)")
    parser.add_argument('--owners', type=int, default=10, help='owners of a federation (10)')
    parser.add_argument('--csv', default='200000x28', help='tables to read (200000x28: 49 MB; 4110000x28 is one of 1 GB)')
    parser.add_argument('--texts', default='200000', help='records of tables with texts, dates and quotation marks to read (200000: 26 MB; 7700000 is 1 GB)')
    parser.add_argument('--only', choices=PARTS, help='one section alone')
    parser.add_argument('--beside-sizes', default='10000x28,100000x28', help='tables of fits side by side (10000x28,100000x28)')
    parser.add_argument('--kernels', type=lambda names: names.split(','), help='sets of kernels of ours, with commas (those of avx512 and avx2 that the processor has)')
    parser.add_argument('--into', metavar='FOLDER', help='put every part in this folder as speed-PART.json, too (docs/reference/results)')
    parser.add_argument('--add', action='store_true',
                        help='to what speed-PART.json has of other sizes, if versions, processor and repetitions are the same: so a part is measured in several calls')
    parser.add_argument('--json', help='write the figures to this file, too')
    args = parser.parse_args()
    if args.add and not args.into:
        parser.error('--add needs --into')
    args.kernels = args.kernels or kernels_here(args.build)
    peers = find_peers(args.build)
    print('load of the machine: %.1f, %.1f, %.1f; %d processors' % (*os.getloadavg(), len(os.sched_getaffinity(0))))
    print('beside: ' + (', '.join('%s %s (%s)' % (name, version, python) for name, (python, version) in sorted(peers.items())) or
                        'no other library found'))
    if set(peers) < LIBRARIES:
        print('missing, and left out: %s; tools/peers.sh installs them (tools/python.sh: hedgerow), or PEER_PYTHON names an interpreter that has more' % ', '.join(sorted(LIBRARIES - set(peers))))
    described = conditions(args, peers)
    if args.add:
        speed.check_same(args.into, [name for name in PARTS if args.only in (None, name)], described)
    parts = all_tables(args, peers)
    for name, rows in parts.items() if args.into else ():
        (speed.add if args.add else speed.keep)(args.into, name, rows, described)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as f:
            json.dump(dict(peers={name: version for name, (_, version) in peers.items()}, rows=[row for rows in parts.values() for row in rows]), f, indent=1)


main()
