#!/usr/bin/env python3
"""Times to an event: hedge with 'kind: time' beside forests and boosting of scikit-survival and the Cox model of lifelines, which have no privacy.

usage: survival.py HEDGEROW OUTPUT.json [--only SET ...] [--cache FILE]

whas500, gbsg2 and flchain are taken from scikit-survival; support2 from SurvSet, and the eight sets of the most records there beside it whose
features do not change in time. 'hospital' are 10,000 patients of 'hedgerow generate hospital --times'. Four fifths train, the rest tests; a seed
draws the split. The cuts between intervals are round numbers. Forest and boosting have 100 trees, and of hdfail 10,000 records to train on. Every
model is judged by its survival at the cuts, by the same code: Harrell's concordance (the risk is what the area below the curve is less) and the
Brier score, over the probability that a follow-up lasts so long among the records of the test, integrated from the first cut to the last.
FILE (build/survival.jsonl) keeps what has been measured, so that a run can go on. Needs numpy, pandas, scikit-survival, lifelines and SurvSet."""
import argparse
import csv
import json
import os
import subprocess
import tempfile
import warnings
import numpy as np
import pandas as pd
from measure import Results
from pages import as_json, markdown, record
from pages import write as write_text

EPSILONS = (.25, .5, 1, 2, 4, 8)
WITHOUT = 10000
DELTA = 1e-6
FIGURES = ('concordance', 'Brier')


# ---- Tables: features, times, events ----

def of_sksurv(load, drop=()):
    x, y = load()
    event, time = y.dtype.names
    return x.drop(columns=list(drop)), y[time].astype(float), y[event].astype(bool)


def whas500():
    from sksurv.datasets import load_whas500
    return of_sksurv(load_whas500)


def gbsg2():
    from sksurv.datasets import load_gbsg2
    return of_sksurv(load_gbsg2)


def flchain():
    """Without the chapter of the cause of death, which the living do not have; groups and years are numbers."""
    from sksurv.datasets import load_flchain
    x, times, events = of_sksurv(load_flchain, ['chapter'])
    return x.astype({'flc.grp': float, 'sample.yr': float}), times, events


def of_survset(name, drop=()):
    def load():
        from SurvSet.data import SurvLoader
        table = SurvLoader().load_dataset(ds_name=name)['df']
        x = table.drop(columns=['pid', 'event', 'time', *drop])
        return x, table['time'].to_numpy(float), table['event'].to_numpy(int) == 1
    return load


def hospital(binary):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'hospital.csv')
        subprocess.run([binary, 'generate', 'hospital', '--times', '--rows', '10000', '--seed', '1', '-o', path], check=True)
        x = pd.read_csv(path)
    return x.drop(columns=['followed', 'readmitted']), x['followed'].to_numpy(float), x['readmitted'].to_numpy() == 1


# What loads a set, the cuts, and how many splits are taken. Without the functional disability after two months (support2), which the dead do not
# have. Times are days, and months of prostateSurvival and Dialysis.
SETS = {'whas500': (whas500, [30, 90, 180, 365, 730, 1095, 1460], 5),
        'gbsg2': (gbsg2, [180, 365, 545, 730, 1095, 1460, 1825], 5),
        'nwtco': (of_survset('nwtco'), [90, 180, 365, 545, 730, 1095, 1825, 2920], 3),
        'dataDIVAT3': (of_survset('dataDIVAT3'), [90, 365, 730, 1095, 1460, 1825, 2555, 3285], 3),
        'Framingham': (of_survset('Framingham'), [1825, 3650, 5475, 7300, 9125, 10950], 3),
        'rhc': (of_survset('rhc'), [7, 14, 30, 60, 120, 180, 365], 3),
        'dataDIVAT1': (of_survset('dataDIVAT1'), [30, 180, 365, 730, 1095, 1825, 2555, 3285], 3),
        'Dialysis': (of_survset('Dialysis'), [3, 6, 12, 18, 24, 30, 36], 3),
        'flchain': (flchain, [365, 730, 1095, 1460, 1825, 2555, 3285, 4015], 3),
        'support2': (of_survset('support2', ['fac_sfdm2']), [7, 14, 30, 60, 120, 240, 480, 720], 3),
        'hospital': (hospital, [30, 60, 90, 180, 270, 365, 540], 3),
        'prostateSurvival': (of_survset('prostateSurvival'), [12, 24, 36, 48, 60, 84, 108], 3),
        'hdfail': (of_survset('hdfail'), [90, 180, 365, 545, 730, 1095, 1460, 1825], 3)}
ENSEMBLE_ROWS = 10000  # at most, of forest and boosting of scikit-survival


def is_number(column):
    return pd.api.types.is_numeric_dtype(column) and column.nunique() > 2


def as_numbers(x):
    """For models that take numbers alone: medians for what is missing, a column for each value of a category but the first."""
    made = {}
    for name, column in x.items():
        if is_number(column):
            made[name] = column.astype(float).fillna(column.median())
        else:
            values = column.astype(str)
            for value in sorted(values.unique())[1:]:
                made['%s=%s' % (name, value)] = (values == value).astype(float)
    return pd.DataFrame(made)


# ---- Figures ----

def follow_up(times, events, at):
    """Pr(a follow-up lasts until `at`), by Kaplan and Meier; events come before ends at the same time."""
    lasts, ends = np.ones(len(at)), np.unique(times[~events])
    for end in ends:
        later, ended = np.sum(times > end), np.sum((times == end) & ~events)
        lasts[at > end] *= later / (later + ended)
    return lasts


def kaplan_meier(times, events, cuts):
    survival = np.ones(len(cuts))
    for time in np.unique(times[events]):
        came, later = np.sum((times == time) & events), np.sum(times > time) + np.sum((times == time) & ~events)
        survival[np.asarray(cuts) >= time] *= later / (later + came)
    return survival


def concordance(times, events, risk):
    won = pairs = 0
    for i in np.flatnonzero(events):
        later = (times > times[i]) | ((times == times[i]) & ~events)
        pairs += later.sum()
        won += np.sum(risk[i] > risk[later]) + np.sum(risk[i] == risk[later]) / 2
    return won / pairs


def brier(times, events, cuts, survival):
    """Integrated over the cuts."""
    lasts, scores = follow_up(times, events, times), []
    at_cuts = follow_up(times, events, np.asarray(cuts))
    for k, cut in enumerate(cuts):
        dead, alive = events & (times <= cut), (times > cut) | ((times == cut) & ~events)
        scores.append((np.sum(survival[dead, k] ** 2 / lasts[dead]) + np.sum((1 - survival[alive, k]) ** 2) / at_cuts[k]) / len(times))
    return np.trapezoid(scores, cuts) / (cuts[-1] - cuts[0])


def area(cuts, survival):
    """Below the curve, from 0 to the last cut."""
    return np.trapezoid(np.hstack([np.ones((len(survival), 1)), survival]), [0, *cuts], axis=1)


def figures(times, events, cuts, survival):
    survival = np.clip(survival, 0, 1)
    return {'concordance': concordance(times, events, -area(cuts, survival)), 'Brier': brier(times, events, cuts, survival)}


# ---- Models: survival at the cuts of the records of the test ----

def at_cuts(model, x, cuts):
    curves = model.predict_survival_function(x, return_array=True)
    place = np.searchsorted(model.unique_times_, cuts, side='right')
    return np.hstack([np.ones((len(x), 1)), curves])[:, place]


def forest(x, times, events, test, cuts):
    from sksurv.ensemble import RandomSurvivalForest
    from sksurv.util import Surv
    x, times, events = x[:ENSEMBLE_ROWS], times[:ENSEMBLE_ROWS], events[:ENSEMBLE_ROWS]
    model = RandomSurvivalForest(100, min_samples_leaf=15, random_state=0, n_jobs=1).fit(x, Surv.from_arrays(events, times))
    return at_cuts(model, test, cuts)


def boosting(x, times, events, test, cuts):
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis
    from sksurv.util import Surv
    x, times, events = x[:ENSEMBLE_ROWS], times[:ENSEMBLE_ROWS], events[:ENSEMBLE_ROWS]
    model = GradientBoostingSurvivalAnalysis(n_estimators=100, max_depth=3, random_state=0).fit(x, Surv.from_arrays(events, times))
    return at_cuts(model, test, cuts)


def cox(x, times, events, test, cuts):
    """Without columns that are constant among the records of training. Newton's method with whole steps ends elsewhere on one split of flchain."""
    from lifelines import CoxPHFitter
    x = x.loc[:, x.std() > 0]
    mean, deviation = x.mean(), x.std()
    table = ((x - mean) / deviation).assign(time_to_it=times, it_came=events)
    model = CoxPHFitter(penalizer=.01).fit(table, 'time_to_it', 'it_came', fit_options={'step_size': .5})
    return model.predict_survival_function((test[x.columns] - mean) / deviation, times=cuts).to_numpy().T


def constant(x, times, events, test, cuts):
    return np.tile(kaplan_meier(times, events, cuts), (len(test), 1))


PEERS = {'random survival forest': forest, 'gradient boosting': boosting, 'Cox': cox, 'Kaplan-Meier': constant}


def cell_text(value):
    return '' if pd.isna(value) else '%.12g' % value if isinstance(value, (int, float, np.number)) else str(value)


def write_table(path, x, times, events):
    with open(path, 'w', newline='', encoding='utf-8') as f:
        out = csv.writer(f)
        out.writerow([*x.columns, 'time_to_it', 'it_came'])
        out.writerows([*map(cell_text, row), '%.12g' % time, int(event)] for row, time, event in zip(x.itertuples(index=False), times, events))


def schema_of(x, cuts):
    """The bounds and lists are of all records."""
    text = 'hedgerow-schema: 1\nunit: record\nlabel: {time: time_to_it, kind: time, event: it_came, intervals: %s}\nfeatures:\n' % json.dumps(cuts)
    for name, column in x.items():
        if is_number(column):
            text += '  - {name: %s, kind: number, low: %r, high: %r}\n' % (json.dumps(name), float(column.min()), float(column.max()))
        else:
            text += '  - {name: %s, kind: category, values: %s}\n' % (json.dumps(name), json.dumps(sorted({cell_text(v) for v in column} - {''})))
    return text


def hedge(binary, schema, train, test, cuts, epsilon):
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        write_table(at('train.csv'), *train)
        write_table(at('test.csv'), *test)
        with open(at('schema.yaml'), 'w', encoding='utf-8') as f:
            f.write(schema)
        subprocess.run([binary, 'train', '--data', at('train.csv'), '--schema', at('schema.yaml'), '--epsilon', str(epsilon), '--delta',
                        str(DELTA), '--threads', '1', '--model', at('model.json')], check=True, capture_output=True)
        subprocess.run([binary, 'predict', '--model', at('model.json'), '--data', at('test.csv'), '--output', at('out.csv')], check=True,
                       capture_output=True)
        with open(at('out.csv'), newline='', encoding='utf-8') as f:
            return np.array([[float(row['survival_%g' % cut]) for cut in cuts] for row in csv.DictReader(f)])


# ---- A run ----

def figures_of(known, key, make):
    if key not in known.known:
        known.note(key, make())
        print(*key, *('%s %.4f' % pair for pair in known.known[key].items()), flush=True)
    return known.known[key]


def cells(runs):
    values = [[run[figure] for run in runs] for figure in FIGURES]
    return [[round(float(np.mean(of)), 4), round(float(np.std(of, ddof=1)), 4)] if len(of) > 1 else round(of[0], 4) for of in values]


def measure(name, args, known):
    load, cuts, splits = SETS[name]
    x, times, events = load(args.hedgerow) if load is hospital else load()
    numbers, rows = as_numbers(x), {}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(times))
        train, test = order[:len(times) * 4 // 5], order[len(times) * 4 // 5:]

        def judged(survival, test=test):
            return figures(times[test], events[test], cuts, survival)
        for peer, predict in PEERS.items():
            found = figures_of(known, (name, peer, seed), lambda predict=predict: judged(
                predict(numbers.iloc[train], times[train], events[train], numbers.iloc[test], cuts)))
            rows.setdefault(peer + ', without privacy', []).append(found)
        for epsilon in (*EPSILONS, WITHOUT):
            found = figures_of(known, (name, 'hedge', epsilon, seed), lambda epsilon=epsilon: judged(
                hedge(args.hedgerow, schema_of(x, cuts), (x.iloc[train], times[train], events[train]), (x.iloc[test], times[test], events[test]), cuts, epsilon)))
            rows.setdefault('hedge, epsilon %s' % epsilon, []).append(found)
    return {'title': name,
            'text': ['Settings: %d records, %d events, %d features; cuts %s; the mean and deviation of %d splits; delta %g.'
                     % (len(times), events.sum(), x.shape[1], ', '.join(map(str, cuts)), splits, DELTA)],
            'columns': ['model', *FIGURES], 'rows': [[model, *cells(runs)] for model, runs in rows.items()]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--only', nargs='+', default=list(SETS), choices=SETS)
    parser.add_argument('--cache', default='build/survival.jsonl')
    args = parser.parse_args()
    warnings.filterwarnings('ignore')
    known = Results(args.cache)
    found = {'command': 'bench/survival.py build/cli/hedgerow docs/reference/results/survival.json', 'tables': [measure(name, args, known) for name in args.only]}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
