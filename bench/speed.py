"""What run.py has measured, as results/speed-PART.json: a table for each case, a row for each side."""
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
    'texts': ['A process reads the file once; it is in the cache of the system. Every library is told that two columns are dates, seven texts are categories and the others numbers; ours makes features of the parts of dates.'],
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
    return {'title': case, 'text': [], 'columns': ['side', *columns], 'rows': [[row['side'], *(cell for key in keys for cell in cells_of(row, key))] for row in rows]}


def keep(folder, part, rows, circumstances):
    """circumstances: what else a reader has to know, such as versions and the load of the machine."""
    cases = dict.fromkeys(row['case'] for row in rows)
    tables = [table_of(case, [row for row in rows if row['case'] == case]) for case in cases]
    tables[0]['text'] = [*TEXTS[part], circumstances]
    pages.keep(folder, 'speed-' + part, {'command': pages.command(), 'tables': tables})
