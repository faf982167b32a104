#!/usr/bin/env python3
"""Draws the figures of docs/reference/results.md and performance.md from the tables in docs/reference/results: test error on adult against
epsilon, hedge over owners, figures 1 and 2 of DiPriMe's paper, figures 5 to 8 of InPrivate Digging's, its equations 18 and 19, the ring of
id3's poster, figures 2 to 4 of SimFL's and what SimFL costs, what hedge costs, hedge beside other private methods, and figures 2 to 4 and Theorem 5 of DPBoost's. Each picture holds a digest of the numbers
that it shows.
Needs matplotlib. usage: plot.py FOLDER [NAME...], of all without names; "plot.py docs/reference results" is the picture of README"""
import collections
import functools
import hashlib
import math
import os
import statistics
import sys

import measure
import pages

# ticks: [(where, what it is called)]
Axis = collections.namedtuple('Axis', 'low high ticks title log', defaults=(False,))
Curve = collections.namedtuple('Curve', 'title points colour')
# band: [(x, least, largest)], a shade about the curve
BandedCurve = collections.namedtuple('BandedCurve', 'title points colour band')
# levels: [(value, what it is called)], dashed lines from side to side
Picture = collections.namedtuple('Picture', 'title x y curves levels', defaults=((),))

# Pictures side by side, at most five.
Panels = collections.namedtuple('Panels', 'title pictures')

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'docs', 'reference', 'results')
TRIVIAL = 24.08
HEDGE_COLOURS = {'hedge': '#1b7837', 'hedge, pure epsilon': '#7fbf7b', 'dpboost, sound': '#2166ac', 'dpboost, as published': '#b2182b'}
RIVALS = {'hedge': '#1b7837', 'S-BDT': '#2166ac', 'DP-EBM': '#b2182b'}
DIPRIME = {'Random Forest': '#777777', 'ERT': '#bbbbbb', 'Median Trees': '#d6a000', 'DP-DF': '#7fbf7b', 'DP-ERT': '#1b7837',
           'DiPriMe as published, in parts': '#b2182b', 'DiPriMe as published, all records': '#f4a582', 'DiPriMe sound, in parts': '#2166ac'}
COLOURS = ['#b2182b', '#2166ac', '#7fbf7b', '#1b7837', '#777', '#d6a000']


def tables_of(folder):
    """What reads the tables of a part. Every picture below is of such a function."""
    return lambda part: pages.load(os.path.join(folder, part + '.json'))['tables']


def numbers(cells):
    """Of cells that may also have a deviation."""
    return [float(cell[0] if isinstance(cell, list) else cell) for cell in cells]


def row(table, *first):
    """The other cells of the row that begins with these."""
    return next(found[len(first):] for found in table['rows'] if found[:len(first)] == list(first))


def columns(tables, first):
    """(the heads of the other columns, [(first cell, numbers of the others)]) of the table whose first column has this head."""
    table = next(table for table in tables if table['columns'][0] == first)
    return table['columns'][1:], [(found[0], numbers(found[1:])) for found in table['rows']]


def adult(read):
    wide, narrow = [.1, .25, .5, 1, 2, 4, 8], [.5, 1, 2, 4, 8]
    published = next(table for table in read('private') if table['title'] == 'adult')
    curves = {'hedge': zip(wide, numbers(row(read('hedge')[0], 'adult', 'error, %'))),
              'hedge, pure epsilon': zip(wide, numbers(row(read('pure')[0], 'adult', 'error, %'))),
              'dpboost, sound': zip(narrow, numbers(row(published, '**DPBoost sound**'))),
              'dpboost, as published': zip(narrow, numbers(row(published, '**DPBoost as published**')))}
    plain = numbers(row(read('plain')[0], 'adult', 0.1)[:1])[0]
    return Picture('Test error on adult', Axis(.1, 8, [(e, '%g' % e) for e in wide], 'epsilon (less is more private)', log=True),
                   Axis(12, 26, [(error, '%d %%' % error) for error in range(12, 27, 2)], ''),
                   [Curve(title, list(points), HEDGE_COLOURS[title]) for title, points in curves.items()],
                   [(plain, 'gbdt, no privacy'), (TRIVIAL, 'always the larger class')])


def of_columns(title, x, y, heads, rows, places):
    """A curve for each column."""
    return Picture(title, x, y, [Curve(head, [(place, values[k]) for place, (_, values) in zip(places, rows)], colour)
                                 for (k, head), colour in zip(enumerate(heads), COLOURS)])


def histogram(title, first, x_title, read):
    """Per cent in each of the classes of the first column, which stand side by side."""
    heads, rows = columns(read('balance'), first)
    most = 10 * (1 + int(max(max(values) for _, values in rows)) // 10)
    return of_columns(title, Axis(-.5, len(rows) - .5, [(k, name) for k, (name, _) in enumerate(rows)], x_title),
                      Axis(0, most, [(p, '%d %%' % p) for p in range(0, most + 1, 10)], ''), [head.split(', %')[0] for head in heads], rows,
                      range(len(rows)))


def tail(read):
    heads, rows = columns(read('tail'), 'distance, in 1/eps1')
    places = [float(first) for first, _ in rows]
    least = 1e-5
    rows = [(first, [max(value, least / 10) for value in values]) for first, values in rows]
    return of_columns('How often a leaf is so far from its even share', Axis(0, places[-1], [(p, '%g' % p) for p in places], 'distance, in 1/eps1'),
                      Axis(least, 1, [(10.0 ** -k, '%g' % 10.0 ** -k) for k in range(6)], '', log=True), heads, rows, places)


def rows_of_figure(table):
    """(the heads of the points, {(set, kind): numbers}) of a figure's table."""
    return table['columns'][2:], {(found[0], found[1]): numbers(found[2:]) for found in table['rows']}


def federation(part, what, title, y, read):
    """At the paper's depth, a curve for each kind: the mean over the sets that tell the same."""
    deep = ', depth %d' % PAPER_DEPTH
    heads, rows = rows_of_figure(read(part)[0])
    kinds = list(dict.fromkeys(kind.removesuffix(deep) for _, kind in rows if kind.endswith(deep)))
    curves = [[statistics.mean(column) for column in zip(*(of for (name, k), of in rows.items() if k == kind + deep and name.endswith(what)))] for kind in kinds]
    points = [(head.split()[-1], list(values)) for head, values in zip(heads, zip(*curves))]
    x = Axis(0, len(points) - 1, [(k, name) for k, (name, _) in enumerate(points)], ' '.join(heads[0].split()[:-1]))
    return of_columns(title, x, y, kinds, points, range(len(points)))


def turns(read):
    """Equations 18 and 19, measured and told by both fits."""
    measured = {order: [numbers(found[1:5]) for found in read('chain')[0]['rows'] if found[0] == order] for order in ('chain', 'broadcast')}
    owners, longest = max(n for n, *_ in measured['chain']), max(max(seconds) for rows in measured.values() for _, *seconds in rows)
    step = 10 ** math.floor(math.log10(longest))
    x = Axis(0, owners, [(n, '%d' % n) for n, *_ in measured['chain']], 'owners')
    y = Axis(0, step * math.ceil(longest / step), [(k * step, '%g s' % (k * step)) for k in range(math.ceil(longest / step) + 1)], '')
    curves = [Curve('%s, %s' % (order, what), [(n, seconds[k]) for n, *seconds in measured[order]], colour)
              for order, shades in (('chain', ('#2166ac', '#92c5de', '#5aa0d0')), ('broadcast', ('#b2182b', '#f4a582', '#d6604d')))
              for k, (what, colour) in enumerate(zip(('measured', 'as published', 'with packets'), shades))]
    return Picture('Time of a job: equations 18 (chain) and 19 (broadcast)', x, y, curves)


def of_owners(read):
    """Of owners with 1,000 records each, at epsilon 1: a curve for each way to train."""
    table = read('federated')[0]
    heads = [head.strip('*') for head in table['columns'][3:]]
    points = sorted((int(found[0].split(' x ')[0]), numbers(found[3:])) for found in table['rows']
                    if found[0].endswith(' x 1000') and found[1:3] == ['iid', 1])
    x = Axis(0, points[-1][0] + 1, [(n, '%d' % n) for n, _ in points], 'owners')
    y = Axis(0, .7, [(p / 10, '%.1f' % (p / 10)) for p in range(8)], '')
    return of_columns('Normalised error: 0 is boosting without privacy on the pooled records, 1 a constant', x, y, heads,
                      [('%d' % n, values) for n, values in points], [n for n, _ in points])


def ring(read):
    """Messages of one sum: the poster's ring and its 2n rounds, and pairwise masks."""
    heads, rows = columns(read('id3-ring'), 'owners')
    places = [int(first) for first, _ in rows]
    most = 2 * places[-1]
    of_head = dict(zip(heads, zip(*(values for _, values in rows))))
    names = {}  # columns that are alike are one curve
    for head in heads[:4]:
        names.setdefault(of_head[head], []).append(head)
    curves = [Curve('; '.join(said), list(zip(places, column)), colour) for (column, said), colour in zip(names.items(), COLOURS)]
    between = [(a + b) / 2 for a, b in zip(places, places[1:])]
    return Picture('Messages of one sum of counts', Axis(0, places[-1], [(n, '%d' % n) for n in places if n != 3], 'owners'),
                   Axis(0, most, [(m, '%d' % m) for m in range(0, most + 1, 20)], ''),
                   curves + [Curve('the poster: 2n rounds', [(n, 2 * n) for n in between], '#d6a000')])


def ticked(values, shown):
    """An axis that has them all, with at most eight ticks."""
    step = next(step for power in range(-3, 7) for step in (10.0 ** power, 2 * 10.0 ** power, 5 * 10.0 ** power) if max(values) - min(values) <= 6 * step)
    low, high = math.floor(min(values) / step), math.ceil(max(values) / step)
    return Axis(low * step, high * step, [(p * step, shown % (p * step)) for p in range(low, high + 1)], '')


def simfl_errors(part, title, read):
    """A panel for each of the first five sets, a curve for each method, and a shade from the least to the largest of simfl."""
    heads, rows = rows_of_figure(read(part)[0])
    called = [head.split()[-1] for head in heads]
    places = [float(name) for name in called]
    margin = (places[-1] - places[0]) / 20
    x = Axis(places[0] - margin, places[-1] + margin, list(zip(places, called)), ' '.join(heads[0].split()[:-1]))

    def panel(name):
        of_set = {kind: values for (found, kind), values in rows.items() if found == name}
        y = ticked([v for values in of_set.values() for v in values], '%g %%')
        ends = [of_set.pop('simfl, ' + end) for end in ('least', 'largest')]
        points = [(kind, list(zip(places, values)), colour) for (kind, values), colour in zip(of_set.items(), COLOURS)]
        curves = [BandedCurve(*of, tuple(zip(places, *ends))) if of[0] == 'simfl' else Curve(*of) for of in points]
        return Picture(name, x, y, curves)
    return Panels(title, [panel(name) for name in list(dict.fromkeys(name for name, _ in rows))[:5]])


def simfl_bound(read):
    """Theorem 2: the error of one tree, and what bounds it, by the records of the other owner; with as many features and levels as most have."""
    rows = [numbers(found[:7]) for found in read('simfl-bound')[0]['rows']]
    features, depth = (statistics.mode(row[k] for row in rows) for k in (1, 2))
    rows = sorted(row for row in rows if row[1:3] == [features, depth])
    x = Axis(rows[0][0] / 1.2, rows[-1][0] * 1.2, [(row[0], '%d' % row[0]) for row in rows], 'records of the other owner', log=True)
    return Picture('Theorem 2: equation 4 - equation 2 for one tree, %d features, depth %d' % (features, depth), x,
                   decades([max(v, 1e-2) for row in rows for v in row[3:]]),
                   [BandedCurve('measured', [(row[0], row[3]) for row in rows], COLOURS[1], tuple((row[0], *row[4:6]) for row in rows)),
                    Curve('bound (5)', [(row[0], row[6]) for row in rows], COLOURS[0])])


def rivals(read):
    """A panel for each set; of a method with two settings the better at each epsilon. The last two rows are not private."""
    def panel(table):
        epsilons, rows = [float(head.split()[1]) for head in table['columns'][3:]], {}
        for title, what, _, *cells in table['rows']:
            if what != 'AUC':
                rows.setdefault(title.split(',')[0], []).append(numbers(cells))
        best = {title: [min(of) for of in zip(*settings)] for title, settings in rows.items()}
        ends = {title: best.pop(title)[0] for title in list(best)[-2:]}
        y = ticked([v for values in [*best.values(), ends.values()] for v in values], '%g')
        x = Axis(epsilons[0] / 1.2, epsilons[-1] * 1.2, [(e, '%g' % e) for e in epsilons], 'epsilon', log=True)
        curves = [Curve(title, list(zip(epsilons, values)), RIVALS[title]) for title, values in best.items()]
        return Picture('%s, %s' % (table['title'], table['rows'][0][1]), x, y, curves, tuple((value, title) for title, value in ends.items()))
    return Panels('Test error against epsilon', [panel(table) for table in read('rivals')])


DPBOOST = {'NP': '#1b7837', 'PARA': '#2166ac', 'SEQ': '#d6a000', 'DPBoost': '#b2182b', 'DPBoost, GLC by t': '#f4a582', 'DPBoost, GLC off': '#777', 'DPBoost, GDF off': '#7fbf7b',
           'GDF and GLC': '#b2182b', 'GLC off': '#777', 'GDF off': '#2166ac'}


def band_of(cells):
    """[(least, most)] of cells [mean, deviation, "(least to most)"]."""
    return [tuple(map(float, cell[2].strip('()').split(' to '))) for cell in cells]


def dpboost(part, title, x_title, chosen, read):
    """A panel for each of the chosen sets, a curve and a band for each method."""
    table = read(part)[0]
    called = [head.split()[1] for head in table['columns'][2:]]
    places = [float(name) for name in called]
    x = Axis(places[0] / 1.1, places[-1] * 1.1, list(zip(places, called)), x_title, log=True)

    def panel(name):
        rows = {method: cells for found, method, *cells in table['rows'] if found == name}
        bands = {method: band_of(cells) for method, cells in rows.items()}
        curves = [BandedCurve(method, list(zip(places, numbers(cells))), DPBOOST[method], [(at, *ends) for at, ends in zip(places, bands[method])])
                  for method, cells in rows.items()]
        return Picture(name, x, ticked([v for band in bands.values() for pair in band for v in pair], '%g'), curves)
    return Panels(title, [panel(name) for name in list(dict.fromkeys(row[0] for row in table['rows']))[chosen]])


def theorem_5(read):
    """Means over the leaves of each class of p, in the order of p."""
    table = read('dpboost-theorem-5')[0]

    def panel(name):
        rows = [row for row in table['rows'] if row[0] == name]
        return of_columns(name, Axis(-.5, len(rows) - .5, [(k, row[1].split(' to ')[1]) for k, row in enumerate(rows)], 'filtered part p, up to'),
                          ticked([0, *(value for row in rows for value in row[3:5])], '%g'), ['error of GDF', 'bound of Theorem 5'],
                          [(row[1], row[3:5]) for row in rows], range(len(rows)))
    return Panels('Error of GDF on the value of a leaf', [panel(name) for name in dict.fromkeys(row[0] for row in table['rows'])])


def by_setting(title, columns_shown, rows, read_as_log, colours, shown='%g'):
    """A curve for each row, over the columns, which are headed by a setting and its value."""
    what, places = columns_shown[0].split()[0], [float(head.split()[1]) for head in columns_shown]
    margin = 1.1 if read_as_log else (places[-1] - places[0]) / 20
    low, high = (places[0] / margin, places[-1] * margin) if read_as_log else (places[0] - margin, places[-1] + margin)
    x = Axis(low, high, [(place, '%g' % place) for place in places], what, read_as_log)
    return Picture(title, x, ticked([v for values in rows.values() for v in values], shown),
                   [Curve(name, list(zip(places, values)), colours[name]) for name, values in rows.items()])


def diprime_errors(read):
    """Figures 3 to 5 and 7: a panel for each setting, a curve for each method."""
    def panel(part, title, read_as_log):
        table = read(part)[0]
        return by_setting(title, table['columns'][1:], {row[0]: numbers(row[1:]) for row in table['rows']}, read_as_log, DIPRIME)
    return Panels('DiPriMe: test error by depth, trees and epsilon',
                  [panel('diprime-depth', 'appliances, squared error, 10^-3', False), panel('diprime-trees', 'appliances, squared error, 10^-3', True),
                   panel('diprime-epsilon', 'appliances, squared error, 10^-3', True), panel('diprime-classes', 'banknote, error, %', True)])


def diprime_rho(read):
    """Figure 6: a panel for each epsilon, a curve for each number of trees."""
    table, panels = read('diprime-rho')[0], {}
    for first, *cells in table['rows']:
        epsilon, trees = first.split(', ')
        panels.setdefault(epsilon, {})[trees] = numbers(cells)
    colours = dict(zip(next(iter(panels.values())), COLOURS))
    return Panels('DiPriMe: squared error on appliances, 10^-3, by rho',
                  [by_setting(epsilon, table['columns'][1:], rows, False, colours) for epsilon, rows in panels.items()])


def diprime_theorems(read):
    """Theorems 1 and 3 beside what was measured, on logarithmic scales."""
    def panel(part, title, x_title, shown):
        heads, rows = columns(read(part), x_title[0])
        rows = [(float(first), [max(v, 1e-2) for v in values]) for first, values in rows if float(first)]
        x = Axis(rows[0][0] / 1.2, rows[-1][0] * 1.2, [(first, '%g' % first) for first, _ in rows], x_title[1], log=True)
        return Picture(title, x, decades([v[k] for _, v in rows for k in shown]),
                       [Curve(name, [(first, v[k]) for first, v in rows], colour) for (k, name), colour in zip(shown.items(), COLOURS)])
    return Panels('DiPriMe: theorems 1 and 3 beside what was measured',
                  [panel('diprime-theorem-1', 'Change of the squared errors of a leaf', ('records from the even share (t)', 'records from the even share (t)'),
                         {3: 'bound', 2: 'largest measured'}),
                   panel('diprime-theorem-3', 'Loss of a tree over exact medians', ('epsilon', 'epsilon'), {4: 'bound', 3: 'largest measured'})])


def decades(values):
    """A logarithmic axis from a power of ten to another."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return Axis(10.0 ** low, 10.0 ** high, [(10.0 ** k, '%g' % 10.0 ** k) for k in range(low, high + 1)], '', log=True)


def growth(part, title, shown, read):
    """By what the first two columns count, for the numbers of the other of which the table has most rows. shown: what -> the columns that are
    curves of its pictures."""
    heads, rows = columns(read(part), 'records')
    heads, rows = ['records', *heads], [[float(first), *values] for first, values in rows]
    usual = [statistics.mode(row[k] for row in rows) for k in (0, 1)]
    colours = dict(zip([at for places in shown.values() for at in places], COLOURS))

    def panel(what, k):
        found = sorted((row for row in rows if row[1 - k] == usual[1 - k]), key=lambda row: row[k])
        values = [max(row[at], 1e-4) for row in rows for at in shown[what]]
        x = Axis(found[0][k] / 1.2, found[-1][k] * 1.2, [(row[k], '%d' % row[k]) for row in found], heads[k], log=True)
        curves = [Curve(heads[at], [(row[k], max(row[at], 1e-4)) for row in found], colours[at]) for at in shown[what]]
        return Picture('%s, %d %s' % (what, usual[1 - k], heads[1 - k]), x, decades(values), curves)
    return Panels(title, [panel(what, k) for what in shown for k in (0, 1)])


ACCURACY = Axis(50, 85, [(p, '%d %%' % p) for p in range(50, 86, 5)], '')
OFF = Axis(0, 1, [(p / 5, '%.1f' % (p / 5)) for p in range(6)], '')
PAPER_DEPTH = 10
FEDERATIONS = ('owners', 'records', 'rounds', 'epsilon')

PICTURES = {
    'results': adult,
    'federated': of_owners,
    'diprime-balance': functools.partial(histogram, 'Share of a split that goes left', 'share of a split that goes left', 'share'),
    'diprime-leaves': functools.partial(histogram, 'Records of a leaf', 'records of a leaf, in even shares', 'even shares of the records'),
    'diprime-tail': tail,
    'diprime-errors': diprime_errors,
    'diprime-rho': diprime_rho,
    'diprime-theorems': diprime_theorems,
    'inprivate-turns': turns,
    'id3-ring': ring,
    'simfl-theta': functools.partial(simfl_errors, 'simfl-theta', 'Test error of two owners by theta'),
    'simfl-owners-by-class': functools.partial(simfl_errors, 'simfl-owners-by-class', 'Test error by owners, theta 0.8'),
    'simfl-owners-even': functools.partial(simfl_errors, 'simfl-owners-even', 'Test error by owners, records divided evenly'),
    'simfl-bound': simfl_bound,
    'simfl-growth': functools.partial(growth, 'simfl-growth', 'What SimFL costs', {'seconds': (2, 3, 4), 'megabytes': (5, 7)}),
    'dpboost-errors': functools.partial(dpboost, 'dpboost-errors', 'Test error of 50 trees', 'epsilon', slice(0, 5)),
    'dpboost-errors-more': functools.partial(dpboost, 'dpboost-errors', 'Test error of 50 trees', 'epsilon', slice(5, 10)),
    'dpboost-convergence': functools.partial(dpboost, 'dpboost-convergence', 'Test error, epsilon 100 in all', 'trees', slice(0, 5)),
    'dpboost-switches': functools.partial(dpboost, 'dpboost-switches', 'With GDF and GLC, or without one of them', 'epsilon', slice(0, 5)),
    'dpboost-theorem-5': theorem_5,
    'rivals': rivals,
    'hedge-growth': functools.partial(growth, 'hedge-growth', 'What hedge costs', {'seconds': (3,), 'megabytes': (6, 7)}),
    **{'inprivate-' + part: functools.partial(federation, 'inprivate-' + part, 'accuracy, %', 'Accuracy at depth 10, mean over the sets of two classes', ACCURACY)
       for part in FEDERATIONS},
    **{'inprivate-%s-mae' % part: functools.partial(federation, 'inprivate-' + part, 'MAE', 'Mean absolute error at depth 10, mean over the sets of numbers', OFF)
       for part in FEDERATIONS},
}


def digest(picture):
    """Of everything that is shown; the same for every version of matplotlib."""
    return hashlib.sha256(repr(picture).encode()).hexdigest()


def main():
    measure.with_module('matplotlib', 'matplotlib')
    import chart
    folder, names = sys.argv[1], sys.argv[2:] or PICTURES
    for name in names:
        picture = PICTURES[name](tables_of(RESULTS))
        save = chart.save_panels if isinstance(picture, Panels) else chart.save
        save(picture, digest(picture), os.path.join(folder, name + '.svg'))


if __name__ == '__main__':
    main()
