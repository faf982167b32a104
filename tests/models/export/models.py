"""Models to export: of every method and kind of label, trained on tables that are invented here, and one whose trees are drawn by hand."""
import csv
import json
import os
import random
import subprocess

METHODS = ['hedge', 'gbdt', 'rf', 'ert', 'median', 'dpboost', 'seq', 'para', 'diprime', 'inprivate', 'dp-ert', 'dp-df', 'id3', 'simfl', 'tfl', 'solo',
           'all-in', 'dp-simfl']
LABELS = {'number': ('kind: number\n  low: -3\n  high: 9', None), 'two': ('kind: classes\n  values: ["no", "yes"]', ['no', 'yes']),
          'three': ('kind: classes\n  values: ["a", "b", "c"]', ['a', 'b', 'c'])}
TOWNS = ['t%d' % i for i in range(300)]
SCHEMA = '''hedgerow-schema: 1
reviewed: true
label:
  name: "label"
  %s
features:
  - {name: "age", kind: number, low: 0, high: 120, integer: true}
  - {name: "change", kind: number, low: -0.7, high: 0.9}
  - {name: "income net", kind: number, low: -1000, high: 333333.3}
  - {name: "ward", kind: category, values: ["north", "east", "south"]}
  - {name: "town", kind: category, values: [%s]}
  - {name: "smokes", kind: boolean}
'''


def write_table(folder, label):
    """train.csv and schema.yaml of a kind of label."""
    dice = random.Random(label)
    text, classes = LABELS[label]
    with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as f:
        f.write(SCHEMA % (text, ', '.join(TOWNS)))
    with open(os.path.join(folder, 'train.csv'), 'w', encoding='utf-8', newline='') as f:
        out = csv.writer(f, lineterminator='\n')
        out.writerow(['age', 'change', 'income net', 'ward', 'town', 'smokes', 'label'])
        for _ in range(1500):
            age, change, income = dice.randrange(0, 100), dice.uniform(-.8, 1), dice.lognormvariate(9, 2)
            ward, town, smokes = dice.choice(['north', 'east', 'south']), dice.randrange(300), dice.random() < .3
            y = age / 40 + 2 * change + (ward == 'east') + (town % 7 == 0) + smokes * .5 + dice.gauss(0, .3)
            cells = [age, round(change, 3), '%.2f' % income, ward, TOWNS[town], 'yes' if smokes else 'no']
            cells = ['' if dice.random() < .08 else cell for cell in cells]
            out.writerow(cells + ['%.4f' % y if classes is None else classes[sum(y > cut for cut in ((2,) if len(classes) == 2 else (1.2, 2.5)))]])


def train(hedgerow, folder, method, name, *options, into=None):
    """The path of the model. Fails where the method is not for this kind of label."""
    path = os.path.join(into or folder, name + '.json')
    said = subprocess.run([hedgerow, 'train', '--data', os.path.join(folder, 'train.csv'), '--schema', os.path.join(folder, 'schema.yaml'),
                           '--method', method, '--model', path, '--force', '--quiet', '--unsafe-reproducible-noise', '--seed', '5', *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if said.returncode:
        raise RuntimeError('%s: %s' % (name, said.stdout))
    return path


def draw_tree(dice, columns, depth, size):
    """Random splits of every kind, many of them where nothing is left to ask, and leaves up to a size."""
    nodes, subsets, levels = [None], [], [0]
    n = 0
    while n < len(nodes):
        if levels[n] == depth or dice.random() < .1:
            nodes[n] = [dice.uniform(-size, size)]
        else:
            f = dice.randrange(len(columns))
            column, ways = columns[f], 2
            if column['kind'] == 'number':
                low, high = column['low'], column['high']
                t = dice.choice(['inf', '-inf', low, high, 0, low - 1, high + 1, .1, 1 / 3, 1e-40, -1e-45, low + dice.random() * (high - low),
                                 low + dice.random() * (high - low), high - dice.random() * (high - low) / 2 ** 30])
                nodes[n] = [len(nodes), f, t, dice.randrange(2)]
                if dice.random() < .1:
                    cuts = sorted({low + dice.random() * (high - low) for _ in range(dice.randrange(1, 9))})
                    nodes[n], ways = [len(nodes), f, cuts], len(cuts) + 2
            else:
                bins = min(len(column['values']), 255) + 1
                share = dice.choice([0, .2, .5, 1])
                subsets.append([b for b in range(bins) if dice.random() < share])
                nodes[n] = [len(nodes), f, len(subsets) - 1]
                if dice.random() < .1 and len(nodes) < 200:
                    nodes[n], ways = [len(nodes), f], bins
            nodes += [None] * ways
            levels += [levels[n] + 1] * ways
        n += 1
    return {'output': 0, 'subsets': subsets, 'nodes': nodes}


def draw(path, out, seed, wide=False):
    """Puts drawn trees, links and calibrations in place of a model's, which has no guarantee. wide: numbers have bounds beyond those of 32 bits."""
    dice = random.Random(seed)
    with open(path, encoding='utf-8') as f:
        model = json.load(f)
    columns, outputs = model['schema']['features'], len(model['base'])
    if wide:
        for column in columns:
            if column['kind'] == 'number':
                column.update(low=-1e39, high=1e300, integer=False)
    if model['task'] != 'regression':
        outputs = 2 if model['task'] == 'binary' and seed % 4 == 2 else outputs
        model['link'] = ['signed', 'logistic'][seed % 2]
        if seed % 3:
            model['calibration'] = {'intercept': dice.uniform(-2, 2), 'slope': dice.uniform(.25, 4)}
        if seed % 3 == 2:  # a compiler of graphs may be tempted
            model['calibration'] = {'intercept': 3e-9, 'slope': 1 + 4e-6}
    elif seed % 3 == 1:
        model['schema']['label'].update(low=-2e-9, high=1 + 3e-6)
    size = [.05, 1, 300][seed % 3]
    model['trees'] = [dict(draw_tree(dice, columns, dice.randrange(6), size), output=dice.randrange(outputs)) for _ in range(30)]
    model['base'] = [dice.uniform(-1, 1) for _ in range(outputs)]
    with open(out, 'w', encoding='utf-8') as f:
        json.dump(model, f)
    return out


def every_model(hedgerow, folder, methods=METHODS):
    """(name, path) of each."""
    for label in LABELS:
        place = os.path.join(folder, label)
        os.makedirs(place, exist_ok=True)
        write_table(place, label)
        for method in methods:
            options = ['--epsilon', '8'] if method in ('hedge', 'diprime', 'dp-ert', 'dp-df', 'id3') else []
            options += ['--trees', '9'] if method in ('rf', 'ert', 'median', 'dp-ert', 'simfl', 'tfl', 'solo', 'all-in') else []
            try:
                yield '%s of %s' % (method, label), train(hedgerow, place, method, method, *options)
            except RuntimeError as e:
                if 'label' not in str(e) and 'class' not in str(e) and 'regression' not in str(e):
                    raise
        plain = train(hedgerow, place, 'gbdt', 'plain', '--trees', '4')
        for seed in range(6):
            yield 'drawn %d of %s' % (seed, label), draw(plain, os.path.join(place, 'drawn%d.json' % seed), seed + 12 * len(label))
        yield 'wide of %s' % label, draw(plain, os.path.join(place, 'wide.json'), 9, wide=True)
