"""What run.py has measured, as results/speed-PART.json: a table for each case, a row for each side."""
import os
import sys

import pages

COLUMNS = {'tree': 'ms a tree', 'bins': 's before', 'row': 'ns a record', 'seconds': 's', 'processor': 's of processors', 'predict': 'ns a record and tree', 'integer': 's of 100 trees', 'in_a_row': 's in a row',
           'beside': 's side by side', 'row_one': 's in a row, 1 thread each', 'beside_one': 's side by side, 1 thread each', 'ratio': 'side by side / in a row',
           'milliseconds': 'processor, ms / rounds', 'kilobytes': 'kB sent / rounds', 'megabytes_per_second': 'MB/s', 'memory': 'peak MB', 'logloss': 'log-loss', 'auc': 'AUC'}
OF_GBDT = 'Settings: depth 6, 255 bins, learning rate 0.1, lambda 0.1, logistic loss, and leaves of a Hessian sum of 1 or more.'
TEXTS = {
    'train': ['The time of a tree is the difference of two fits, of few and of many trees, each of a table made anew; what is before the trees is the rest of the shorter fit. ' + OF_GBDT],
    'predict': ['Each library predicts with its own model of the same table. ' + OF_GBDT],
    'rows': ['A call for each record; what the calls themselves take of Python is taken off. ' + OF_GBDT],
    'privacy': [OF_GBDT + ' dpboost: epsilon 100, public edges.'],
    'forests': ['100 trees: what is before the first tree, and 100 times one. Settings: as many candidates of a node as the root of the features, leaves of one record or more, 255 bins.'],
    'hedge': ['Whole fits. Settings: the defaults of each library; epsilon 1, delta 1e-6, the bounds of the columns told.'],
    'read': ['A process reads the file once; it is in the cache of the system. Settings: the defaults of each library, all columns numbers.'],
    'texts': ['A process reads the file once; it is in the cache of the system. Every library is told that two columns are dates, seven texts are categories and the others numbers; ours makes features of the parts of dates, and proposes a schema for the file. Settings: the kinds of the columns, all else the defaults of each library.'],
    'beside': ['Settings: gbdt of 50 trees, depth 6, 255 bins; hedge at its defaults; as many threads as hr_threads finds, or one each. The best of the repetitions.'],
    'federated': ['Settings: hedge at epsilon 1 and its defaults; every party has a clock of its own.'],
}


def figure(value):
    return '%.4g' % value if abs(value) < 9999.5 else '%.0f' % value


def cells_of(row, key):
    """A figure, and how many times that of the first side it is."""
    value = row.get(key)
    if isinstance(value, dict):
        return [figure(value['min']), figure(value['ratio'])]
    return ['' if value is None else figure(value)]


def table_of(case, rows):
    keys = [key for key in COLUMNS if any(key in row for row in rows)]
    columns = [title for key in keys for title in [COLUMNS[key]] + ['x'] * isinstance(rows[0].get(key), dict)]
    return {'title': case, 'text': ['The load of the machine was %.1f before and %.1f after.' % rows[0]['load']], 'columns': ['side', *columns],
            'rows': [[row['side'], *(cell for key in keys for cell in cells_of(row, key))] for row in rows]}


def tables_of(rows):
    return [table_of(case, [row for row in rows if row['case'] == case]) for case in dict.fromkeys(row['case'] for row in rows)]


def keep(folder, part, rows, conditions):
    """conditions: what else a reader has to know, such as versions and the processor."""
    pages.keep(folder, 'speed-' + part, {'command': pages.command(), 'text': [*TEXTS[part], conditions], 'tables': tables_of(rows)})


def measured_before(folder, part):
    """What the file has; nothing if there is none."""
    path = os.path.join(folder, 'speed-%s.json' % part)
    return pages.load_shown(folder, 'speed-' + part) if os.path.exists(path) else {'tables': []}


def check_same(folder, parts, conditions):
    """Before the long work: what files have was measured under the same conditions."""
    for part in parts:
        known = measured_before(folder, part)
        if known['tables'] and conditions not in known.get('text', []):
            sys.exit('run.py: speed-%s.json was measured under other conditions; leave out --add to begin it anew. Now:\n%s' % (part, conditions))


def add(folder, part, rows, conditions):
    """Tables of the same case are replaced, and others stay; a file names the commands of all."""
    known = measured_before(folder, part)
    tables = {table['title']: table for table in [*known['tables'], *tables_of(rows)]}
    commands = dict.fromkeys([*filter(None, known.get('command', '').split('; ')), pages.command()])
    pages.keep(folder, 'speed-' + part, {'command': '; '.join(commands), 'text': [*TEXTS[part], conditions], 'tables': list(tables.values())})
