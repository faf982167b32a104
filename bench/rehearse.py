#!/usr/bin/env python3
"""Runs the scripts that measure at tiny size, so that none of them rots, and checks what they say: on made-up sets (made_up.py) and beside
marks that nobody can miss or reach. What needs a module that is not there (scikit-learn, numpy, xgboost) is left out.

usage: rehearse.py NAME HEDGEROW BUILD; NAME is that of a function, below, without rehearse_"""
import json
import lzma
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import accuracy
import balance
import chain
import diprime
import dp_simfl
import dpboost
import federated_accuracy
import federated_id3
import id3
import id3_ring
import inprivate
import measure
import plot
import sets
import simfl
import simfl_attack
from pages import as_json, load, load_shown, markdown, read, record, rows_of, write
from rehearse_members import rehearse_dropout_table, rehearse_flood_bench, rehearse_liars_table, rehearse_simfl_many_table  # noqa: F401
from stage import Stage, expect, has, mean, means

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, '..', 'docs', 'reference')


def accuracy_settings(stage):
    """coin passes its marks, length misses them, dice has none; of the published methods one budget is enough."""
    marks = {'coin': ('adult', {'error': [200] * 7, 'auc': [-1] * 7}), 'length': ('abalone', {'rmse': [-1] * 7})}
    rows = {name: {title: [[1, 1]] for title in of['rows']} for name, of in load(os.path.join(HERE, 'utility.json'))['sets'].items()}
    reference = {'coin': ('adult', {'constant': [50, 1], 'rows': rows['adult']}), 'length': ('abalone', {'rows': rows['abalone']})}
    return ['--marks', stage.settings('hedge.json', {}, {(): marks}), '--reference', stage.settings('utility.json', {'epsilon': [8]}, {(): reference})]


def rehearse_accuracy(stage):
    stage.seed()
    common = [*stage.on_sets(), *accuracy_settings(stage), '--only']
    made = stage.tables(['hedge', 'pure'], 'accuracy.py', *common, 'hedge', '--sets', 'coin,dice,length,absent', '--seeds', '2', '--rows', '400')
    hedge, pure = made['hedge'], made['pure']
    expect(all('does not have them: absent.' in t for t in (hedge, pure)), 'the set that is not there is not named')
    coin, dice, length = ({cells[0]: cells[1:] for cells in rows_of(hedge, name)} for name in ('coin', 'dice', 'length'))
    expect(list(coin) == ['error, %', 'prototype', 'AUC'] and list(length) == ['RMSE', 'prototype'] and list(dice) == ['error, %'], hedge)
    expect(all(len(cells) == 7 for of_set in (coin, dice, length) for cells in of_set.values()), 'a row has not one cell a budget:\n' + hedge)
    expect('▼' not in ''.join(coin['error, %'] + coin['AUC'] + dice['error, %']), 'a mark that is passed counts as missed:\n' + hedge)
    expect(all(cell.endswith('▼') for cell in length['RMSE']), 'a mark that is missed does not show:\n' + hedge)
    counts = 'Of the 21 figures that have a mark, 14 are better than it by more than one standard deviation, 0 level, 7 worse.'
    expect(counts in hedge.split('\n'), 'the last line counts wrongly:\n' + hedge)
    expect([[cells[0] for cells in rows_of(pure, name)] for name in ('coin', 'length')] == [['error, %'], ['RMSE']], pure)
    error = mean(rows_of(pure, 'coin')[0][-1])
    expect(5 < error < 45, 'a coin that says the half of x in 75 %% of cases has the error %g %% at epsilon 8' % error)
    expect(len(stage.read('cache', 'coin-1-400', 'train.csv').split('\n')) == 322, '--rows does not cut a set')
    write(stage.at('bare.txt'), 'nothing\n')
    refused = stage.tried('accuracy.py', *common, 'hedge', '--sets', 'coin', '--into', stage.at('bare.txt'))
    expect(refused.returncode == 1 and 'no one place for the part' in refused.stderr and not refused.stdout, 'a page without a place passes:\n' + refused.stdout)
    expect(stage.read('bare.txt') == 'nothing\n', 'a page that was refused changed')
    said = stage.run('accuracy.py', *common, 'private', '--seeds', '1')
    for title in ('### coin', '### length', 'constant 50.00 ± 1.00', '| **DPBoost sound** |', '| DPBoost sound (prototype) | 1.00 ± 1.00 |'):
        expect(title in said, 'there is no %s in\n%s' % (title, said))
    if has('sklearn'):
        said = stage.run('accuracy.py', *common, 'plain', '--seeds', '1')
        expect(re.search(r'^\| coin \| 0\.1 \| \d+\.\d\d ± 0\.00 \| \d+\.\d\d ± 0\.00 \| [+-]\d', said, re.M), said)
        said = stage.run('accuracy.py', *common, 'forests', '--sets', 'coin,dice,length', '--seeds', '2')
        # Both sides learn what there is; median has no peer.
        for name, low, high in (('coin', 20, 45), ('dice', 20, 60), ('length', .5, 1.3)):
            found = {cells[0]: cells[1:] for cells in rows_of(said, name)}
            expect(list(found) == ['rf', 'ert', 'median'], said)
            expect(all(low < mean(cell) < high for method in ('rf', 'ert') for cell in found[method][:2]), said)
            expect(found['rf'][2][0] in '+-' and found['median'][1:] == ['', ''], said)
    # Beyond one standard deviation (here 1, of AUC 0.001) is better or worse; so much is level; figures count as shown.
    error, auc = accuracy.METRICS['error'], accuracy.METRICS['auc']
    cases = [([9, 10, 11], 11.5, error, 'better'), ([9, 10, 11], 11, error, 'level'), ([9, 10, 11], 9, error, 'level'),
             ([9, 10, 11], 8.5, error, 'worse'), ([.890, .891, .892], .889, auc, 'better'), ([.890, .891, .892], .892, auc, 'level'),
             ([.890, .891, .892], .893, auc, 'worse'), ([.9996, .9997, .9998], 1, auc, 'level'), ([9, 10], None, error, None),
             ([10], 5, error, None)]
    for values, mark, metric, wanted in cases:
        said = accuracy.verdict(values, mark, metric)
        expect(said == wanted, '%s beside the mark %s is %s, not %s' % (values, mark, said, wanted))


def rehearse_pictures(stage):
    """The files of docs/reference/results are as the scripts write them, and have the marks of the prototypes and papers; every picture can be drawn from them."""
    for name in sorted(os.listdir(plot.RESULTS)):
        shown = load_shown(plot.RESULTS, name.removesuffix('.json'))
        again = as_json({'command': shown['command'], **record(markdown(shown))})
        expect(again == read(os.path.join(plot.RESULTS, name)), name + ' is not as bench/pages.py writes it')
    check_marks()
    # A table that was printed takes the place of the one that a file has; what a print does not tell stays.
    shutil.copy(os.path.join(plot.RESULTS, 'persons.json'), stage.work)
    printed = '| visits | record |\n|---|---|\n| 1 to 1 | 0.50 ± 0.10 |\n'
    subprocess.run([sys.executable, os.path.join(HERE, 'pages.py'), stage.work, 'persons'], input=printed, text=True, check=True)
    before, after = load(os.path.join(plot.RESULTS, 'persons.json')), load(stage.at('persons.json'))
    before['tables'][0].update(columns=['visits', 'record'], rows=[['1 to 1', [.5, .1]]])
    expect(after == before, 'bench/pages.py wrote\n' + stage.read('persons.json'))
    pages = ''.join(read(os.path.join(DOCS, page)) for page in ('results.md', 'performance.md'))
    shown = {'results', *re.findall(r'^```\{drawn\} (\S+)$', pages, re.M)}
    expect(shown == set(plot.PICTURES), 'pages show other pictures than plot.py draws: %s' % (shown ^ set(plot.PICTURES)))
    pictures = {name: picture_of(plot.tables_of(plot.RESULTS)) for name, picture_of in plot.PICTURES.items()}
    crowded = [name for name, picture in pictures.items() if isinstance(picture, plot.Panels) and len(picture.pictures) > 5]
    expect(not crowded, 'more than five panels: %s' % ', '.join(crowded))
    digests = {name: plot.digest(picture) for name, picture in pictures.items()}
    expect(digests['results'] in read(os.path.join(DOCS, 'results.svg')),
           'docs/reference/results.svg does not show the figures of docs/reference/results; run bench/plot.py docs/reference results')
    done = stage.tried('plot.py', stage.work)
    if 'no matplotlib' in done.stderr:
        print('no matplotlib: nothing was drawn')
        return
    expect(done.returncode == 0, 'plot.py failed:\n' + done.stderr)
    for name, digest in digests.items():
        drawn = xml.etree.ElementTree.parse(stage.at(name + '.svg')).getroot()
        expect(drawn.tag.endswith('svg') and digest in stage.read(name + '.svg'), name + '.svg shows other numbers')


def commands_named():
    """(file, words) of each call of a script of this folder in docs, the README, the Makefile and the files of measured tables."""
    root = os.path.join(HERE, '..')
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(root, 'docs')) for name in names if name.endswith(('.md', '.json'))]
    for path in [*sorted(paths), os.path.join(root, 'README.md'), os.path.join(root, 'Makefile')]:
        for called in re.findall(r'bench/\w+\.py(?:[ \t]+(?:-[\w-]+|[\w.,/$:=-]+))*', read(path)):
            yield os.path.relpath(path, root), called.split()


def rehearse_commands(stage):
    """Each command that a page names calls a script that is there, with flags and parts that it has."""
    os.environ['COLUMNS'] = '10000'  # of a help, so that it breaks no word
    said = {}
    for path, (script, *words) in commands_named():
        place = os.path.join(HERE, '..', script)
        expect(os.path.exists(place), '%s names %s, which is not there' % (path, script))
        if script not in said:
            done = stage.tried(os.path.basename(script), '--help')
            left_out = 'parser' not in read(place) or 'No module named' in done.stderr or 'PEER_PYTHON' in done.stderr
            expect(left_out or done.returncode == 0, '%s --help failed:\n%s' % (script, done.stderr))
            said[script] = None if left_out else done.stdout
        if said[script] is None:
            continue
        missing = [word for word in words if word.startswith('--') and not re.search(r'(?<!\S)%s\b' % word, said[script])]
        parts = words[words.index('--only') + 1].split(',') if '--only' in words[:-1] else []
        missing += [part for part in parts if part != 'PART' and not re.search(r'\b%s\b' % re.escape(part), said[script])]
        expect(not missing, '%s: %s has no %s' % (path, script, ', '.join(missing)))
    expect(len(said) > 20, 'too few commands were found: %s' % sorted(said))


def check_marks():
    """Of the prototypes and papers a table shows what the file has that its script reads."""
    hedge, private, diprimes, federated = (load_shown(plot.RESULTS, part)['tables'] for part in ('hedge', 'private', 'diprime', 'federated'))
    marks = load(os.path.join(HERE, 'hedge.json'))
    expect(marks['epsilon'] == accuracy.HEDGE_EPSILONS, 'hedge.json is of other budgets than the table')
    titles, rows = {metric.title: key for key, metric in accuracy.METRICS.items()}, hedge[0]['rows']
    found = {(name, titles[of[1]]): cells for of, (name, what, *cells) in zip(rows, rows[1:]) if what == 'prototype'}
    wanted = {(name, key): ['' if mark is None else str(mark) for mark in figures] for name, of_set in marks['sets'].items() for key, figures in of_set.items()}
    expect(found == wanted, 'the table hedge has other marks than hedge.json')
    reference = load(os.path.join(HERE, 'utility.json'))['sets']
    for table in private:
        known = reference[table['title']]
        expect(table['text'] == ['; '.join('%s %.2f ± %.2f' % (what, *of) for what, of in known.items() if what != 'rows')], 'the text of %s is another' % table['title'])
        found = {row[0].removesuffix(' (prototype)'): row[1:] for row in table['rows'] if row[0].endswith(' (prototype)')}
        expect(found == {title: [['%.2f' % value for value in of] for of in cells] for title, cells in known['rows'].items() if title in accuracy.PRIVATE},
               'the table %s has other marks than utility.json' % table['title'])
    for table, of in zip(diprimes, load(os.path.join(HERE, 'diprime.json'))['tables'].values()):
        known = {row.title: row.published for row in diprime.ROWS}
        for title, *cells in table['rows']:
            papers = [of_set['paper'].get(known.get(title)) for of_set in of['sets'].values()]
            wanted = ['' if paper is None else '%.2f' % (paper / of_set['unit']) for paper, of_set in zip(papers, of['sets'].values())]
            expect(cells[::2] == wanted, 'the table diprime has other figures than diprime.json: %s' % title)
    for cell in federated[0]['rows']:
        known = load(os.path.join(HERE, 'federated.json'))['figures'].get(', '.join(cell[:3]), {})
        wanted = ['(%.3f)' % known[kind] if kind in known else '' for kind in federated_accuracy.KINDS]
        expect([''.join(of[2:]).removesuffix(' ▼').strip('▼') for of in cell[3:]] == wanted, 'the table federated has other marks than federated.json: %s' % cell)


def diprime_settings(stage):
    """Figures that nobody meets, but perhaps a forest without privacy on coin. Lengths count over twice their range. Two points a figure."""
    length = {'unit': 1e-3, 'shown': '10^-3', 'depth': 1, 'changes': {'y': [0, 6]}, 'paper': {'Random Forest': 5, 'DiPriMe': 9}}
    coin = {'depth': 1, 'paper': {'Random Forest': .25, 'DiPriMe': 9}}
    table = {'trees': 5, 'max-features': 3, 'epsilon': 1000}
    figures = {name: {'set': 'coin' if name == 'diprime-classes' else 'length'} for name in diprime.FIGURES}
    figures['diprime-depth']['values'] = figures['diprime-trees']['values'] = [1, 2]
    figures['diprime-epsilon']['values'] = figures['diprime-classes']['values'] = [.01, 1000]
    figures['diprime-rho'].update(values=[.1, .9], rows=[{'epsilon': 2, 'trees': 5}, {'epsilon': 1000, 'trees': 5}])
    return stage.settings('diprime.json', {'tables': {'regression': table, 'classification': table}, 'figures': figures},
                          {('tables', 'regression'): {'length': ('parkinsons', length)}, ('tables', 'classification'): {'coin': ('banknote', coin)}})


def rehearse_diprime_tables(stage):
    stage.seed()
    # Without privacy a tenth of the paper's figure is near, with privacy two standard deviations (here 1).
    for private, figure, wanted in [(True, 12, False), (True, 12.1, True), (True, 7.9, True), (False, 9.1, False), (False, 11.2, True), (False, 9, True)]:
        said = diprime.is_off(private, figure, [9, 10, 11])
        expect(said == wanted, '%g beside 9, 10, 11 is %s' % (figure, 'off' if said else 'near'))
    row = next(row for row in diprime.ROWS if row.title == 'DiPriMe sound')
    said = diprime.command(row, {'trees': 7, 'max-features': 4, 'epsilon': .5, 'rho': .25}, {'depth': 3})
    expect(said[-8:] == ['--trees', '7', '--depth', '3', '--option', 'max-features=4', '--epsilon', '0.5'], 'the settings went missing: %s' % said)
    check_division()
    check_bound()
    common = ['diprime.py', *stage.on_sets(), '--published', diprime_settings(stage), '--seeds', '3', '--only']
    text = stage.tables(['diprime'], *common, 'diprime')['diprime']
    there = measure.methods(stage.hedgerow)
    for row in diprime.ROWS:
        wanted = (2 if row.told == 'error' else 1) * (row.method[0] in there)
        expect(len(rows_of(text, row.title)) == wanted, '%s should have %d rows:\n%s' % (row.title, wanted, text))
    length, coin = found = rows_of(text, 'DiPriMe as published, Algorithm 1')
    expect([cells[0] for cells in found] == ['9000.00', '900.00'] and all(cells[1].endswith(' ≠') for cells in found), 'a figure that is off does not show:\n' + text)
    # In [0, 3] they have the variance .75, of which one split of x tells .14; over 6^2, what is left is .017.
    expect(5 < mean(length[1]) < 30, 'lengths over 6 have the mean squared error ' + length[1])
    expect(15 < mean(coin[1]) < 40, 'a coin that says the half of x in 75 %% of cases: %s' % coin)
    doubt = [cells for row in diprime.ROWS if row.told == 'doubt' for cells in rows_of(text, row.title)]
    expect(all(20 < mean(cells[1]) < 50 for cells in doubt), 'who errs in a quarter of all cases doubts %s' % doubt)
    expect('high: 6' in stage.read('cache', 'diprime', 'length-1-test-0.1', 'schema.yaml'), 'the changes of a set went missing')
    expect(len(stage.read('cache', 'diprime', 'coin-1-test-0.1', 'test.csv').split('\n')) == 52, 'a tenth of 500 records is not for the test')
    check_figures(stage.tables(diprime.FIGURES, *common, ','.join(diprime.FIGURES)))
    made = stage.tables(list(balance.PARTS), 'balance.py', *stage.on_sets(), '--set', 'length', '--trees', '2', '--records', '4', '--draws', '1000')
    check_theorems(made['diprime-theorem-1'], made['diprime-theorem-3'])
    said = made['balance'] + made['tail']
    rows = [means(said, '%.1f to %.1f' % (k / 10, (k + 1) / 10)) for k in range(balance.SHARES)]
    for table in (rows, [means(said, name) for _, name in balance.LEAVES]):
        for column in zip(*table):
            expect(abs(sum(column) - 100) < .6, 'a column does not add up to 100 %%: %s' % (column,))
    expect(rows[4][0] + rows[5][0] > 60, 'medians at epsilon 10 do not balance splits:\n' + said)
    expect('Theorem 2 allows' in said, 'nothing is said of Theorem 2:\n' + said)
    tails = [means(said, '%d' % x) for x in range(balance.FARTHEST + 1)]
    expect(all(cell == 1 for cell in tails[0]), 'not every leaf is 0 or more away')
    expect(all(a >= b for above, below in zip(tails, tails[1:]) for a, b in zip(above, below)), 'a tail grows:\n' + said)


def check_figures(made):
    """Each method is trained at each point, and what does not depend on the varied setting stays the same; rho goes to the splits."""
    there = [row.title for row in diprime.CURVES]
    for name, text in made.items():
        titles = ['epsilon 2, trees 5', 'epsilon 1000, trees 5'] if name == 'diprime-rho' else there
        found = {title: rows_of(text, title) for title in titles if name == 'diprime-classes' or title != 'DP-DF'}
        expect(all(len(rows) == 1 and len(rows[0]) == 2 for rows in found.values()), '%s has not a row a method, a cell a point:\n%s' % (name, text))
        expect('3 splits' in text and 'K (max-features) 3' in text, '%s does not tell its settings:\n%s' % (name, text))
    for name in ('diprime-epsilon', 'diprime-classes'):
        first, last = rows_of(made[name], 'Random Forest')[0]
        expect(first == last, 'a forest without privacy depends on epsilon: %s and %s' % (first, last))
        first, last = map(mean, rows_of(made[name], 'DiPriMe as published, in parts')[0])
        expect(last <= first, 'noise does not hurt:\n' + made[name])
    first, last = map(mean, rows_of(made['diprime-rho'], 'epsilon 2, trees 5')[0])
    expect(first < last, 'a budget that leaves little to the leaves does not hurt:\n' + made['diprime-rho'])


def check_theorems(first, third):
    """By hand: squares, the labels of leaves, and Theorem 3 at an epsilon; then what was measured."""
    expect(balance.squares([1, 3]) == 2 and balance.squares([]) == 0, 'squares of 1 and 3 are %g' % balance.squares([1, 3]))
    expect(balance.cut_labels({'x': [1, 2, 3, 4], 'y': [5, 6, 7, 8]}, [2, 3.5]) == [[5, 6], [7], [8]], 'labels go to other leaves')
    expect(balance.leaves_apart([0] * 3, {1: [([[0] * 256, [0, 1], [0] * 260], 0)]}) == [(0, 0), (254, .5), (4, 0)], 'leaves are elsewhere')
    away, most = balance.theorem_3_bound(10)
    # eps1 = 1/2, eps2 = 5: 2 exp(-beta x / 2) = .05 / 16.
    expect(abs(away - 2 * 2 * math.log(640) / .87) < .2 and abs(most - 64 * (2 * away + 1 / (25 * (256 - away)))) < 1e-6, 'Theorem 3: t %g, %g' % (away, most))
    rows = [cells for t in balance.AWAY for cells in rows_of(first, str(t))]
    expect(rows and all(float(mean_) <= float(largest) for _, mean_, largest, _, _ in rows), 'no table of Theorem 1:\n' + first)
    expect(all(share == '0.0' for *_, bound, share in rows if bound != '0'), 'Theorem 1 fails away from 0:\n' + first)
    for epsilon in balance.BUDGETS:
        _, loss, least, largest, most = means(third, str(epsilon))
        expect(least <= loss <= largest < most, 'epsilon %d:\n%s' % (epsilon, third))


def check_division():
    """By hand: x <= 2 goes left, missing right; then the category b or missing left."""
    model = {'schema': {'features': [{'name': 'x'}, {'name': 'c'}]},
             'trees': [{'subsets': [[0, 2]], 'nodes': [[1, 0, 2.0, 0], [3, 1, 0], [0], [0], [0]]}]}
    columns = {'x': [0, 1, 2, 2.5, math.nan, 1.5], 'c': [0, 1, math.nan, 1, 1, 0]}
    splits, leaves = balance.division(model, columns, 6)
    expect(sorted(splits) == [(4, 2), (6, 4)] and sorted(leaves) == [2, 2, 2], 'records went %s and %s' % (splits, leaves))
    model['trees'][0]['nodes'][0][3] = 1
    splits, leaves = balance.division(model, columns, 6)
    expect(sorted(splits) == [(5, 3), (6, 5)] and sorted(leaves) == [1, 2, 3], 'missing numbers went %s and %s' % (splits, leaves))


def check_bound():
    """Theorem 2 holds for the sums that it assumes, and those have the variance that its proof gives."""
    sums = balance.laplace_sums(1, 20000)
    variance = statistics.mean(x * x for x in sums)
    expect(abs(variance - 8 / 3) < .3, 'sums of Laplace variables have the variance %g, not 8/3' % variance)  # 5 standard deviations
    for x in range(balance.FARTHEST + 1):
        expect(balance.tail(sums, x) <= balance.bound(x, balance.DEEP), 'the bound does not hold at %d' % x)
    expect(abs(balance.bound(2, 10) - 2 / 3) < 1e-5, 'Chebyshev at 2: %g' % balance.bound(2, 10))
    expect(abs(balance.bound(20, 10) - 2 * math.exp(-8.698)) < 1e-6, 'the sub-exponential bound at 20: %g' % balance.bound(20, 10))


def write_news(stage):
    """Of 40 words: word 1 is of every news, word 2 of those of the topic, words 3 and 40 of one, the others of none. Returns their lines."""
    draw, lines = random.Random(1), []
    for k in range(200):
        topic = draw.random() < .3
        lines.append('%s 1:%.3f%s%s\n' % ('+1' if topic else '-1', draw.random(), ' 2:0.5' if topic else '', ' 3:0.25 40:1' if k == 7 else ''))
    os.mkdir(stage.at('reuters'))
    with lzma.open(stage.at('reuters', 'reuters.libsvm.xz'), 'wt') as out:
        out.writelines(lines)
    return lines


def check_news(folder, lines, for_test):
    """The tables have the lines of the file, and are LIBSVM; as columns they have 0 where a word is not."""
    expect(sorted(os.listdir(folder)) == ['schema.yaml', 'test.libsvm', 'train.libsvm'], '%s has %s' % (folder, os.listdir(folder)))
    train, test = (read(os.path.join(folder, part + '.libsvm')).splitlines(keepends=True) for part in ('train', 'test'))
    expect(sorted(train + test) == sorted(line.lstrip('+') for line in lines) and len(test) == for_test, 'not all news are there')
    columns = sets.table(folder, 'train')
    expect(list(columns) == ['label', *('w%d' % (1 + k) for k in range(40))], 'not all words are there: %s' % list(columns))
    expect(all(weight == .5 * topic for weight, topic in zip(columns['w2'], columns['label'])), 'a label is not that of its words')
    said = [' 3:0.25' in line for line in train]
    expect(columns['w3'] == [.25 * one for one in said] and columns['w40'] == [1. * one for one in said] and not any(columns['w4']), 'a weight is of another word')


def rehearse_simfl_tables(stage):
    news = write_news(stage)
    parts = [*simfl.TABLES, 'simfl-splits', 'simfl-settings', *simfl.SAID]
    made = stage.tables(parts, 'simfl.py', *stage.on_sets(), '--sets', 'plums,reuters', '--runs', '2', '--splits', '2', '--owners', '2,3', '--trees', '6',
                        '--option', 'lsh-width=0.5', '--only', ','.join(parts))
    for part, (_, paper, _) in simfl.TABLES.items():
        text = made[part]
        for name in ('plums', 'reuters'):
            cells = means(text, name + ' | measured')
            expect(len(cells) == len(simfl.COLUMNS), 'not a number a column:\n' + text)
            average, least, largest, *_, together = cells
            expect(least <= average <= largest and together < 20, 'what is measured cannot be:\n' + text)
        expect(paper['real-sim'] == tuple(means(text, 'reuters | paper, real-sim')), 'the paper does not say so:\n' + text)
    for part in simfl.SAID:
        text, points = made[part], simfl.points_of([2, 3])[part]
        found = {kind: means(text, 'plums | ' + kind) for kind in simfl.KINDS}
        expect(all(len(cells) == len(points) for cells in found.values()), 'not a number a point:\n' + text)
        expect(all(best <= average for best, average in zip(found['solo, least'], found['solo, mean'])), 'the best is above the mean:\n' + text)
        between = zip(found['simfl, least'], found['simfl'], found['simfl, largest'])
        expect(all(least <= average <= largest for least, average, largest in between), 'a mean is not between the ends:\n' + text)
        picture = plot.PICTURES[part](plot.tables_of(stage.at('results')))
        expect([panel.title for panel in picture.pictures] == ['plums', 'reuters'], 'not a panel a set')
        expect([len(curve.points) for curve in picture.pictures[0].curves] == [len(points)] * (len(simfl.KINDS) - 2), 'not a curve a method')
        expect([hasattr(curve, 'band') for curve in picture.pictures[0].curves][:2] == [True, False], 'simfl alone has a band')
    check_news(stage.at('cache', 'reuters-0-test-0.25'), news, 50)
    refused = stage.tried('simfl.py', *stage.on_sets(), '--only', 'simfl-even,nothing')
    expect(refused.returncode == 2 and 'there is no part nothing' in refused.stderr, 'a part that is not there passes:\n' + refused.stderr)
    split = int(rows_of(made['simfl-settings'], 'plums')[0][-1])
    expect(0 < split < 6, 'trees that have a split, of 6 with gamma: %d' % split)
    expect(len(rows_of(made['simfl-splits'], 'plums')) == 2, 'not a row a division:\n' + made['simfl-splits'])
    if has('numpy'):
        text = stage.tables(['simfl-bound'], 'simfl.py', *stage.on_sets(), '--only', 'simfl-bound', '--bound-runs', '2', '--bound-cells',
                            '50x4x2,100x4x2,50x4x3')['simfl-bound']
        expect(text.count('2 of 2') == 3, 'the bound does not hold:\n' + text)
        picture = plot.PICTURES['simfl-bound'](plot.tables_of(stage.at('results')))
        expect([len(curve.points) for curve in picture.curves] == [2, 2], 'not a point for each number of records')


def rehearse_dp_simfl_table(stage):
    stage.seed()
    text = stage.page([dp_simfl.PART], 'dp_simfl.py', *stage.on_sets(), '--sets', 'plums', '--splits', '2')
    rows = rows_of(text, 'plums')
    wanted = [[skew, '%g' % theta, epsilon] for skew, theta, epsilon in dp_simfl.CELLS]
    expect([row[:3] for row in rows] == wanted, 'not every cell has its row:\n' + text)
    expect(all(len(row) == 3 + len(dp_simfl.TITLES) for row in rows), 'a row lacks figures:\n' + text)
    expect(all((row[-1] == '-') == (row[2] == '1000') for row in rows), 'hedge is measured at epsilon 1 and 4 alone:\n' + text)
    expect(all(mean(row[4]) < 20 for row in rows if row[2] == '1000'), 'owners learn nothing at epsilon 1000:\n' + text)
    feature = dp_simfl.columns_that_tell(stage.at('cache', 'plums-0-%d' % dp_simfl.ROWS))[0]
    expect(feature == 2, 'the feature that tells most is the second, not number %d' % feature)


def rehearse_simfl_attack_tables(stage):
    """Where there is numpy, "hedgerow attack simfl" is also compared with it."""
    common = ['simfl_attack.py', *stage.on_sets(), '--sets', 'credit', '--seeds', '2', '--only']
    rows = rows_of(stage.page(['simfl-width'], *common, 'simfl-width'), 'credit')
    expect([row[0] for row in rows] == ['%d' % width for width in simfl_attack.WIDTHS], 'not every width has a row: %s' % rows)
    expect(mean(rows[0][1]) > mean(rows[-1][1]) and abs(mean(rows[-1][1])) < .01, 'wide cells hide nothing: %s' % rows)
    if has('numpy'):
        rows = rows_of(stage.page(['simfl-attack'], *common, 'simfl-attack'), 'credit')
        expect([row[:2] for row in rows] == [[scale, by] for scale in simfl_attack.SCALES for by in ('hedgerow', 'numpy')],
               'not every scale has its rows: %s' % rows)


def rehearse_simfl_cost_tables(stage):
    made = stage.tables(['simfl-cost', 'simfl-growth'], 'simfl_cost.py', *stage.on_sets(), '--build', stage.build, '--sets', 'plums', '--trees', '4',
                      '--alone', '1', '--few', '3', '--records', '200,400', '--owners', '2,3', '--usual', '200,2')
    # Hashes of two numbers are one; nine owners get 2 bytes of each record, and headers.
    text = made['simfl-cost']
    records, *seconds, prepared, _, tree, formula = means(text, 'plums | measured')
    expect(records == 300 and all(s >= 0 for s in seconds), 'what is measured cannot be:\n' + text)
    expect(9 * 30 * 2 < 1e6 * prepared < 50000, 'an owner cannot send so many bytes:\n' + text)
    expect(0 < tree < 10 * formula, 'a tree cannot take so many bytes:\n' + text)
    text = made['simfl-growth']
    sent = {of: means(text, of)[3] for of in ('200 | 2', '400 | 2', '200 | 3')}
    expect(sent['400 | 2'] > 1.2 * sent['200 | 2'], 'twice as many records do not take more bytes:\n' + text)
    expect([len(panel.curves) for panel in plot.PICTURES['simfl-growth'](plot.tables_of(stage.at('results'))).pictures] == [3, 3, 2, 2], 'not a curve a column')


def rehearse_similar_bench(stage):
    rows, features, table, hashes = 600, 9, stage.at('table'), stage.at('hashes')
    program = lambda name, *words: subprocess.run([os.path.join(stage.build, 'bench', name), *map(str, words)], check=True, capture_output=True, text=True).stdout  # noqa: E731
    program('bench_table', table, rows, features)
    line = program('bench_similar', table, rows, features, 4, 4, 2, 300, hashes)
    expect(json.loads(line)['tables'] == features - 1, line)
    expect(os.path.getsize(hashes) == rows * (features - 1) * 2, 'not two bytes a hash')


def rehearse_id3_tables(stage):
    """Two epsilons, of which one means no noise. Where there is scikit-learn, id3 is also compared with it: on the made-up set and, if
    HEDGEROW_DATA names the folder of sets, on some of these."""
    common = ['--seeds', '2', '--only']
    of_fruit = [*stage.on_sets(), '--sets', 'fruit', '--epsilons', '1,10000', *common]
    text = stage.tables(['id3'], 'id3.py', *of_fruit, 'id3')['id3']
    for title in (*id3.METHODS, 'id3 of three levels, without noise', 'id3 of all levels, without noise', 'a constant'):
        expect(len(rows_of(text, 'fruit | ' + title)) == 1, '%s has no row:\n%s' % (title, text))
    text = stage.tables(['id3-splits'], 'id3.py', *of_fruit, 'id3-splits')['id3-splits']
    for mode in id3.MODES:
        expect(len(rows_of(text, 'fruit | ' + mode)) == 1, 'splits, %s: no row:\n%s' % (mode, text))
    expect('100 / 100 / 100 |' in text, 'without noise the splits are not those without noise:\n' + text)
    if has('sklearn'):
        stage.run('id3.py', *of_fruit, 'id3-plain')
        if os.environ.get('HEDGEROW_DATA'):
            stage.run('id3.py', '--hedgerow', stage.hedgerow, '--cache', stage.at('real'), '--sets', 'car,votes', *common, 'id3-plain')


def rehearse_dpboost_tables(stage):
    """Ensembles of five trees, one fold. Where numpy and scikit-learn are."""
    if not (has('numpy') and has('sklearn')):
        return
    import numpy
    stage.seed()
    small = [*stage.on_sets(), '--folds', '1', '--ensemble', '5', '--trees', '20', '--epsilons', '1,10000', '--processes', '1']
    news = write_news(stage)
    text = stage.tables(['dpboost-errors'], 'dpboost.py', *small, '--sets', 'plums,length,reuters', '--only', 'dpboost-errors')['dpboost-errors']
    for first in ('plums (400 x 2), error, %', 'length (500 x 1), RMSE', 'reuters (200 x 40), error, %'):
        cells = {row[0]: list(map(mean, row[1:])) for row in rows_of(text, first)}
        expect(list(cells) == list(dpboost.METHODS) and all(len(row) == 2 for row in cells.values()), 'rows of %s:\n%s' % (first, text))
        expect(cells['NP'][0] == cells['NP'][1], 'without privacy epsilon plays a part:\n' + text)
    expect('5 trees, one ensemble of 5' in text and '1 of the 5 folds' in text and 'The mean of DPBoost is below that of PARA in' in text, 'no settings:\n' + text)
    for part, rows in (('dpboost-convergence', 7), ('dpboost-times', 1), ('dpboost-filtered', 1), ('dpboost-switches', 3), ('dpboost-errors-20', 4),
                       ('dpboost-convergence-40', 3)):
        made = stage.tables([part], 'dpboost.py', *small, '--sets', 'length', '--only', part)[part]
        expect(len(re.findall(r'^\| length \(500 x 1', made, re.M)) == rows, '%s: not %d rows:\n%s' % (part, rows, made))
    check_news(stage.at('cache', 'dpboost', 'reuters-0-fold-4-of-5'), news, 40)
    # A tree that this script walks says what the program says: of numbers, of categories and of sparse records.
    args = dpboost.arguments_of([*small, '--hedgerow', stage.hedgerow])
    args.folds = 1
    for name in ('length', 'credit', 'reuters'):
        folder, run = dpboost.divided(args, name)[0], dpboost.Run(dpboost.DPBOOST, 5, 5, 100)
        walked, told = dpboost.after(stage.hedgerow, folder, run, [5])[0], dpboost.error(stage.hedgerow, folder, run)
        expect(abs(walked - told) < 1e-6, '%s: walked %g, told %g' % (name, walked, told))
    # Theorem 5 by hand: of gradients 2, .5 and .5, p = 1/3; V(I) = -3 / 3.1, V of the others -1 / 2.1.
    share, off, bound = dpboost.approximation(numpy.array([2, .5, .5]))
    expect(abs(share - 1 / 3) < 1e-9 and abs(off - (3 / 3.1 - 1 / 2.1)) < 1e-9 and abs(bound - 1) < 1e-9, 'approximation: %g %g %g' % (share, off, bound))
    expect(dpboost.approximation(numpy.array([1, -.5])) is None, 'a gradient of g* is filtered')
    made = stage.tables(['dpboost-theorem-5'], 'dpboost.py', *small, '--sets', 'length', '--only', 'dpboost-theorem-5')['dpboost-theorem-5']
    expect(all(float(row[-1]) <= 1 for row in rows_of(made, 'length')), 'the bound of Theorem 5 does not hold:\n' + made)


def rehearse_federated_id3_tables(stage):
    text = stage.tables([federated_id3.PART], 'federated_id3.py', *stage.on_sets(), '--sets', 'fruit', '--seeds', '1', '--epsilons', '1,100')[federated_id3.PART]
    for where, titles in (('owners', federated_id3.JOBS), ('pooled', federated_id3.ALONE)):
        for title in titles:
            expect(len(rows_of(text, 'fruit | %s | %s' % (title, where))) == 1, '%s, %s has no row:\n%s' % (title, where, text))
    # The ring adds up what it should; two neighbours of an owner and the adder read its counts, exactly where it adds no noise.
    draw = random.Random(3)
    for owners in (2, 3, 7):
        counts = id3_ring.made_up_counts(draw, owners, 50)
        sent = id3_ring.run_ring(draw, counts, 0)
        expect(id3_ring.told(sent) == [sum(column) for column in zip(*counts)], 'the ring of %d does not add up' % owners)
        expect(len(sent) == 2 * owners, '%d messages of %d owners' % (len(sent), owners))
        for victim in range(1, owners - 1):
            expect(id3_ring.read_by_neighbours(sent, victim) == counts[victim], 'neighbours read other counts')
    # The parts of all owners' noise: of a Laplace variable of scale 5 the mean distance from 0 is 5; 6 standard errors of 4,000 are .5.
    noisy = id3_ring.told(id3_ring.run_ring(draw, [[0] * 4000 for _ in range(9)], 5))
    expect(4.5 < sum(map(abs, noisy)) / len(noisy) < 5.5, 'the parts of the noise do not make one Laplace variable')
    made = stage.tables(list(id3_ring.PARTS), 'id3_ring.py', '--hedgerow', stage.hedgerow, '--build', stage.build, '--rows', '300', '--owners', '2,4',
                      '--epsilons', '1', '--repeat', '1')
    expect(means(made['id3-ring'], '4')[:4] == [8, 4, 4, 1], 'messages of four owners:\n' + made['id3-ring'])
    expect(len(rows_of(made['id3-ring-read'], '4')) == 1, 'four owners have neighbours:\n' + made['id3-ring-read'])


def rehearse_inprivate_tables(stage):
    stage.seed()
    # Nothing is trained twice; figures are of what they say.
    point = inprivate.Point(20, 1000, 1, .5)
    expect(inprivate.of_kind('no noise', point).epsilon == inprivate.NO_NOISE, 'without noise, every budget is the same')
    expect(inprivate.of_kind('an owner alone', point) == inprivate.Point(1, 1000, 1, .5), 'alone, other owners play no part')
    expect(inprivate.of_kind('sound', point) == point, 'a sound federation depends on all')
    expect(inprivate.is_better([2], [1], True) and inprivate.is_better([1], [2], False), 'better is the wrong way round')
    sizes = {part: [point.owners * point.records for _, point in points] for part, (_, points) in inprivate.points_of(1000).items()}
    expect(all(max(of_part) <= inprivate.MOST * 4 / 5 for of_part in sizes.values()), 'more records than there are: %s' % sizes)
    expect(inprivate.PAPER_DEPTH == plot.PAPER_DEPTH == inprivate.DEPTHS[0], 'pictures are not of the depth of the paper')
    run = ['inprivate.py', *stage.on_sets(), '--sets', 'coin,length', '--folds', '1', '--records', '20', '--alone', '1', '--depths', '10,1',
           '--results', stage.at('inprivate.jsonl')]
    text = stage.tables(['inprivate-epsilon'], *run, '--only', 'inprivate-epsilon')['inprivate-epsilon']
    for first in ('coin, accuracy, %', 'length, MAE'):
        cells = {row[0]: row[1:] for row in rows_of(text, first)}
        wanted = ['%s, depth %d' % (kind, depth) for depth in (10, 1) for kind in inprivate.KINDS]
        expect(list(cells) == wanted and all(len(row) == 5 for row in cells.values()), 'rows of %s:\n%s' % (first, text))
        expect(len(set(cells['no noise, depth 1'])) == 1, 'what has no noise depends on the budget:\n' + text)
    expect('Settings: ' in text and '1 of 50 folds' in text, 'no settings:\n' + text)
    curves = plot.PICTURES['inprivate-epsilon'](plot.tables_of(stage.at('results'))).curves
    expect([curve.title for curve in curves] == inprivate.KINDS, 'not a curve a kind at the depth of the paper')
    # A federation's coins have no seed. Of small trees they decide little: of 12 runs the means are 71.5 and .443, the deviations 1.5 and .011.
    quiet = means(text, 'coin, accuracy, % | no noise, depth 1')[0]
    expect(55 < quiet <= 100, 'a coin that says the half of x in 75 %% of cases, without noise: %g' % quiet)
    told = means(text, 'length, MAE | no noise, depth 1')[0]
    expect(.1 < told < .6, 'lengths in [-1, 1], without noise, are off by %g' % told)
    # A run that goes on measures nothing again; the test records of the folds are all records, once.
    known = stage.read('inprivate.jsonl')
    expect(stage.tables(['inprivate-epsilon'], *run, '--only', 'inprivate-epsilon')['inprivate-epsilon'] == text and stage.read('inprivate.jsonl') == known,
           'what is known is measured again')
    folds = [stage.read('cache', 'inprivate', 'coin-folds-0', str(k), 'test.csv').split('\n')[1:-1] for k in range(inprivate.FOLDS)]
    expect(sorted(sum(folds, [])) == sorted(stage.read('cache', 'inprivate', 'coin-folds-0', '0', 'train.csv').split('\n')[1:-1] + folds[0]) and len(folds[0]) == 100,
           'folds do not divide the records')
    # A fit finds what made up the points; three owners' trees go out.
    made = (.003, .5, .02)
    for constants in (chain.PUBLISHED, chain.WITH_PACKETS):
        points = [(factors(n), chain.told(factors(n), made[:constants])) for factors in chain.ORDERS.values() for n in (2, 5, 30)]
        found = chain.fitted(points, constants)
        expect(all(abs(a - b) < 1e-9 for a, b in zip(found, made)) and len(found) == constants, 'the fit finds %s' % found)
    said = stage.tables(['chain'], 'chain.py', '--build', stage.build, '--rows', '300', '--features', '3', '--owners', '2,3,4', 'edges=public')['chain']
    expect([len(row) for order in chain.ORDERS for row in rows_of(said, order)] == [11] * 6, said)
    expect('c3 = ' in said and 'edges=public' in said, said)


def rehearse_federated_tables(stage):
    """Stopped and resumed. The normalised error needs scikit-learn; without it only the rules are checked."""
    # A figure at its mark, and up to a standard error above it, is reached; the first cells are those of epsilon 1.
    cases = [((.205, .006), .2, 'reached'), ((.206, .006), .2, 'reached'), ((.207, .006), .2, 'worse'), ((.1, .006), .2, 'reached'),
             ((.2, .1), None, 'better than both'), ((.3, .1), None, 'not better than both')]
    for found, mark, wanted in cases:
        said = federated_accuracy.verdict(found, mark, [(.3, .1), (.4, .1)])
        expect(said == wanted, '%s beside the mark %s is %s' % (found, mark, said))
    order = sorted(federated_accuracy.MAIN, key=federated_accuracy.urgency)
    expect(all(cell.epsilon == 1 and cell.split != 'size' for cell in order[:6]) and order[-1].epsilon != 1, 'first is %s' % order[0]._asdict())
    known = {', '.join(federated_accuracy.called(cell)) for cell in federated_accuracy.MAIN}
    expect(set(load(os.path.join(HERE, 'federated.json'))['figures']) <= known, 'federated.json has a cell that is not measured')
    if not has('sklearn'):
        return
    splits = ['iid', *federated_accuracy.SKEWED]
    check_shares(stage, splits)
    common = ['federated_accuracy.py', *stage.on_sets(), '--quick', '--seeds', '2', '--sets', 'coin,length', '--results']
    parts = ['federated', 'federated-sets']
    made, results = stage.tables(parts, *common, stage.at('results.jsonl')), stage.read('results.jsonl')
    text = made['federated'] + made['federated-sets']
    for split in splits:
        cells = rows_of(text, '3 x 200 | %s | 1' % split)[0]
        expect(len(cells) == len(federated_accuracy.KINDS) and all('±' in cell for cell in cells), 'split %s: %s' % (split, cells))
    expect('| coin, error, % |' in text and '| length, RMSE |' in text, text)
    expect(stage.tables(parts, *common, stage.at('results.jsonl')) == made, 'what is known is measured again')
    expect(stage.read('results.jsonl') == results, 'the file of results grew')
    few = stage.run(*common, stage.at('none.jsonl'), '--known')
    expect('not measured %d' % len(federated_accuracy.QUICK) in few, 'without results:\n' + few)


def check_shares(stage, splits):
    """Sorted, a part goes to the first owner from the low end; sizes fall."""
    import numpy as np
    folder = federated_accuracy.sets.prepared(stage.work, stage.at('cache'), 'coin', 0)
    x, y, _, _ = federated_accuracy.columns(folder, 'train')
    for split in splits:
        owner = federated_accuracy.owners_of(folder, 360, federated_accuracy.Cell(3, 120, split, 1), 0)
        counts = np.bincount(owner, minlength=3)
        key = y[:360] if split == 'label' else x[:360, 0]
        of_owner = [key[owner == o].mean() for o in range(3)]
        expect(counts.sum() == 360 and len(counts) == 3, 'split %s: %s' % (split, counts))
        if split == 'iid':
            expect(list(counts) == [120] * 3, 'iid: %s' % counts)
        elif split == 'size':
            expect(counts[0] > counts[1] > counts[2], 'size: %s' % counts)
        else:
            expect(of_owner[0] < of_owner[1] < of_owner[2] or split == 'label' and of_owner[0] < of_owner[2], '%s: %s' % (split, of_owner))


def rehearse_hedge_growth_table(stage):
    text = stage.tables(['hedge-growth'], 'hedge_growth.py', '--build', stage.build, '--work', stage.work, '--records', '500,2000', '--features', '5,9',
                      '--usual', '500,6', '--repeat', '2')['hedge-growth']
    rounds = [means(text, size)[0] for size in ('500 | 6', '2000 | 6', '500 | 5', '500 | 9')]
    expect(rounds[0] == 25 and rounds[1] > 25 and rounds[2:] == [25, 25], 'a fit has other rounds than its schedule:\n' + text)
    expect([len(panel.curves) for panel in plot.PICTURES['hedge-growth'](plot.tables_of(stage.at('results'))).pictures] == [1, 1, 2, 2], 'not a curve a column')


# Methods of others that are made up: each says of a test record what its first number says, if it got what it should. {module: code}
RIVALS = {
    'sbdt/interpret/__init__': '',
    'sbdt/sbdt': '''
class S_BDT:
    def __init__(self, **of):
        assert of['feature_val_border'] == (0, 1) and of['privacy_budget'] in (1, 8) and not of['scale_y'], of
        self.classes = of['task'] == b'BinaryClassification'
        assert of['newton_boosting'] == self.classes and of['num_idx'] == [0] and of['cat_idx'] == [] and of['cat_values'] == [[]], of

    def train(self, x, y, name):
        assert 0 <= x.min() and x.max() <= 1 and (set(y) == {0, 1} if self.classes else -1 <= y.min() < -.5 and .5 < y.max() <= 1)

    def predict(self, x):
        return 2 * x[:, 0] - 1
''',
    'sbdt/interpret/privacy': '''
class DPExplainableBoostingClassifier:
    def __init__(self, **of):
        assert of['epsilon'] in (1, 8) and of['delta'] == 1e-6 and of['privacy_bounds'] == {0: (0, 1)} and of['feature_types'] == ['continuous'], of
        self.least, self.most = of.get('privacy_target_min', 0), of.get('privacy_target_max', 1)

    def fit(self, x, y):
        assert self.least <= y.min() and y.max() <= self.most
        return self

    def predict_proba(self, x):
        import numpy
        return numpy.column_stack([1 - x['f0'], x['f0']])

    def predict(self, x):
        return self.least + x['f0'] * (self.most - self.least)


DPExplainableBoostingRegressor = DPExplainableBoostingClassifier
'''}


def rehearse_rivals_table(stage):
    """Beside methods that are made up: each gets the public bounds and the budget, and its figures are in the label's units. Without their code they are left out, by name."""
    stage.seed()
    common = ['rivals.py', *stage.on_sets(), '--python', sys.executable, '--sets', 'coin,length', '--seeds', '2', '--epsilons', '1,8', '--results']
    if not all(map(has, ('numpy', 'pandas', 'sklearn'))):
        said = stage.run(*common, stage.at('alone.jsonl'))
        expect(len(rows_of(said, 'hedge')) == 3 and 'cannot import them: ' in said, said)
        return
    said = stage.run(*common, stage.at('alone.jsonl'), '--methods', 'hedge,S-BDT')
    expect('Left out, as the interpreter cannot import them: S-BDT.' in said and len(rows_of(said, 'hedge')) == 3, said)
    for name, code in RIVALS.items():
        os.makedirs(os.path.dirname(stage.at(name)), exist_ok=True)
        write(stage.at(name + '.py'), code)
    common += [stage.at('results.jsonl'), '--sbdt', stage.at('sbdt')]
    text, known = stage.tables(['rivals'], *common)['rivals'], stage.read('results.jsonl')
    for title in ('hedge', 'S-BDT, a tree of one feature', 'S-BDT, a tree of all features', 'DP-EBM'):
        error, auc, rmse = rows_of(text, title)
        expect([row[:2] for row in (error, auc, rmse)] == [[what, '2'] for what in ('error, %', 'AUC', 'RMSE')], text)
        # Who says x errs in a quarter of the cases, and in a length of 3 times 1 - x where 3 x is said by 3 |1 - 2 x|.
        expect(all(10 < mean(cell) < 45 for cell in error[2:]) and all(.5 < mean(cell) < 1.4 for cell in rmse[2:]), '%s:\n%s' % (title, text))
    boosting, constant = ([mean(row[2]) for row in rows_of(text, title)] for title in ('boosting without privacy', 'a constant'))
    expect(boosting[0] < constant[0] and constant[1] == .5 and boosting[2] < constant[2], text)
    picture = plot.PICTURES['rivals'](plot.tables_of(stage.at('results')))
    expect([[curve.title for curve in panel.curves] for panel in picture.pictures] == [['hedge', 'S-BDT', 'DP-EBM']] * 2, 'a method has no curve')
    expect([[said for _, said in panel.levels] for panel in picture.pictures] == [['boosting without privacy', 'a constant']] * 2, 'what is not private has no line')
    expect(stage.tables(['rivals'], *common)['rivals'] == text and stage.read('results.jsonl') == known, 'what is known is measured again')


# What each program and library that is made up prints, whatever the machine does: {program: code}.
ALONE = 'single rows 50 trees 4 depth 6 threads 1: 0.000 s, 250.0 ns/row, checksum 1\\n'
PREDICT = 'print("predict rows 50 trees 4 depth 6 threads 1: 0.000 s, 100.0 ns/row, 25.000 ns/row/tree, checksum 1\\n%s", end="")'
PROGRAMS = {
    'bench/bench_table': 'import sys; open(sys.argv[1], "w").close()',
    'bench/bench_train': 'print(\'{"tree": 0.002, "bins": 0.5, "predict": 5e-9, "logloss": 0.5}\')',
    'bench/bench_hedge': 'print(\'{"seconds": 1, "rounds": 6, "predict": 4e-9, "logloss": 0.5, "auc": 0.9}\')',
    'bench/bench_beside': 'print(\'{"seconds": 1, "row": 2, "beside": 3, "row_one": 2.5, "beside_one": 2, "threads": 2}\')',
    'bench/bench_chain': 'print(\'{"seconds": 3, "processor": 2.6, "coordinator": 0.5, "owners": 2, "bytes": 1e6, "coordinator_bytes": 2e5, "rounds": 5}\')',
    'peers/bin/python': '''
import json, sys
said = {'version': '9.9', 'train': {'tree': 0.003, 'bins': 1.5, 'predict': 1e-8, 'logloss': 0.5, 'imports': 7},
        'predict': {'predict': 2e-8, 'row': 8e-8, 'logloss': 0.5, 'imports': 7}, 'rows': {'row': 1e-6, 'call': 3e-7, 'imports': 7},
        'forest': {'tree': 0.01, 'bins': 0, 'predict': 1e-8, 'logloss': 0.5, 'imports': 7}}
if sys.argv[3] == 'hedgerow':
    said['train'].update(tree=0.002, bins=0.5)
    said['predict'].update(predict=1e-8, row=4e-8)
if sys.argv[2] == 'forest' and sys.argv[3] not in ('sklearnex-rf', 'sklearnex-ert', 'lightgbm-rf', 'lightgbm-ert'):
    sys.exit('no such forest')
print(json.dumps(said[sys.argv[2]]))
'''}


def sides_of(stage, part, alone=''):
    """What is printed, and {side: figures}, of the first table that has the side."""
    for name, code in {**PROGRAMS, 'bench/bench_predict': PREDICT % alone}.items():
        os.makedirs(os.path.dirname(stage.at(name)), exist_ok=True)
        write(stage.at(name), '#!%s\n%s\n' % (sys.executable, code))
        os.chmod(stage.at(name), 0o700)
    os.environ['PEER_PYTHON'] = ''
    said = stage.run('run.py', '--build', stage.work, '--only', part, '--sizes', '30x28', '--private-sizes', '30x28', '--forest-sizes', '30x28x3',
                     '--threads', '1', '--repeat', '2', '--few', '1', '--many', '3', '--trees', '4', '--alone', '50', '--json', stage.at('figures.json'))
    return said, {row['side']: row for row in reversed(load(stage.at('figures.json'))['rows'])}


def rehearse_peers(stage):
    """Beside libraries and programs that are made up: what is printed of them are the right ratios, in the right units."""
    said, rows = sides_of(stage, 'predict')
    expect(set(rows) == {'hedgerow gbdt', 'hedgerow gbdt, in C', 'hedgerow hedge, in C', 'xgboost inplace_predict', 'lightgbm', 'lightgbm, compiled by lleaves', 'hessboost',
                         'xgboost, by oneDAL'}, said)
    ours, theirs = rows['hedgerow gbdt, in C'], rows['hessboost']
    expect(math.isclose(ours['row']['min'], 20) and math.isclose(ours['predict']['min'], 5), 'four trees at 5 ns are 20 ns a row:\n' + said)
    expect(math.isclose(theirs['row']['min'], 80) and math.isclose(theirs['row']['ratio'], 2) and math.isclose(theirs['predict']['ratio'], 2), 'ours by Python is the first:\n' + said)
    beside_hedge = said[said.index("hedge's model of 6 trees"):]
    expect(math.isclose(rows['hedgerow hedge, in C']['predict']['min'], 4) and beside_hedge.count('x5.00') == 5, said)
    # Beside ours of records alone, once there is such a line; the call from Python is told, and no part of the ratio.
    for alone, name, ratio in (('', 'hedgerow, predict', 10), (ALONE, 'hedgerow, single', 4)):
        said, rows = sides_of(stage, 'rows', alone)
        expect(name in rows and len(rows) == 6, said)
        expect(math.isclose(rows['lightgbm SingleRowFast']['row']['ratio'], ratio), said)
        expect(math.isclose(rows['hedgerow predictor, by Python']['row']['ratio'], ratio), said)
        expect(math.isclose(rows['xgboost PredictFromDense']['call'], 300) and said.count('are taken off') == 5, said)
        expect(('has no line of records alone' in said) == (not alone), said)
    said, rows = sides_of(stage, 'train')
    expect(math.isclose(rows['hessboost']['tree']['ratio'], 1.5) and math.isclose(rows['hessboost']['bins']['ratio'], 3), said)
    said, rows = sides_of(stage, 'forests')
    expect({'oneDAL RandomForest', 'lightgbm rf', 'oneDAL ExtraTrees', 'lightgbm rf, extra_trees'} < set(rows), said)
    expect(math.isclose(rows['lightgbm rf']['tree']['ratio'], 5), said)
    said, rows = sides_of(stage, 'beside')
    expect(set(rows) == {'2 fits of gbdt', '4 fits of gbdt', '2 fits of hedge', '4 fits of hedge'} and rows['2 fits of hedge']['ratio'] == 1.5 and 'x1.50' in said, said)
    said, rows = sides_of(stage, 'federated')
    expect(math.isclose(rows['coordinator']['milliseconds'], 100) and math.isclose(rows['coordinator']['kilobytes'], 40), said)
    expect(math.isclose(rows['an owner']['milliseconds'], 40) and math.isclose(rows['an owner']['kilobytes'], 16), said)


with tempfile.TemporaryDirectory() as folder:
    globals()['rehearse_' + sys.argv[1]](Stage(folder, *sys.argv[2:]))
