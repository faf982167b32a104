"""What a model file says of a record, by docs/reference/formats.md alone: a second implementation that exports are compared with."""
import csv
import json
import math
import random
import struct
import subprocess

NAN = float('nan')
LARGEST = (2 - 2 ** -23) * 2.0 ** 127  # of 32 bits


def nearest_float(x):
    """The nearest number of 32 bits."""
    try:
        return struct.unpack('<f', struct.pack('<f', x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def step_float(x, up):
    """The next number of 32 bits above or below one."""
    bits, = struct.unpack('<i', struct.pack('<f', x))
    order = bits if bits >= 0 else -(bits & 0x7fffffff)
    order += 1 if up else -1
    return struct.unpack('<f', struct.pack('<I', order if order >= 0 else (-order) | 0x80000000))[0]


def neighbours(threshold):
    """The finite numbers of 32 bits around a threshold, itself included if it is one."""
    near = max(-LARGEST, min(LARGEST, nearest_float(threshold)))
    return [x for x in (step_float(near, False), near, step_float(near, True)) if math.isfinite(x)]


class Model:
    def __init__(self, path):
        with open(path, encoding='utf-8') as f:
            self.json = json.load(f)
        schema = self.json['schema']
        self.label, self.columns, self.trees = schema['label'], schema['features'], self.json['trees']
        self.base = self.json['base']
        self.subsets = [[set(s) for s in tree['subsets']] for tree in self.trees]

    def is_logistic(self):
        """Whether probabilities are the logistic function, or the softmax, of scores."""
        return self.json['link'] == 'logistic' and 'calibration' not in self.json

    def units(self):
        """(shift, scale): XGBoost and LightGBM get numbers in the units of the label, shift + scale * score."""
        if self.label['kind'] != 'number':
            return 0.0, 1.0
        scale = (self.label['high'] - self.label['low']) / 2
        return self.label['low'] + scale, scale

    def is_number(self, feature):
        return self.columns[feature]['kind'] == 'number'

    def child(self, tree, node, row):
        left, feature, x = node[0], node[1], row[node[1]]
        if self.is_number(feature):
            column = self.columns[feature]
            x = x if math.isnan(x) else min(max(x, column['low']), column['high'])
            if isinstance(node[2], list):
                return left if math.isnan(x) else left + 1 + sum(t < x for t in node[2])
            return left + (not node[3] if math.isnan(x) else not x <= float(node[2]))
        category = 0 if math.isnan(x) else min(int(x) + 1, 255)
        if len(node) == 2:
            return left + category
        return left + (category not in self.subsets[tree][node[2]])

    def leaf(self, tree, row):
        """The value that a tree adds."""
        nodes, n = self.trees[tree]['nodes'], 0
        while len(nodes[n]) > 1:
            n = self.child(tree, nodes[n], row)
        return nodes[n][0]

    def scores(self, row):
        scores = list(self.base)
        for t, tree in enumerate(self.trees):
            scores[tree['output']] += self.leaf(t, row)
        return scores

    def thresholds(self, feature):
        found = set()
        for tree in self.trees:
            for node in tree['nodes']:
                if len(node) > 2 and node[1] == feature and self.is_number(feature):
                    found.update(map(float, node[2] if isinstance(node[2], list) else [node[2]]))
        return sorted(found)

    def score_range(self):
        """How far the scores of records can be apart, at most; of the output where that is largest."""
        width = [0.0] * len(self.base)
        for tree in self.trees:
            leaves = [node[0] for node in tree['nodes'] if len(node) == 1]
            width[tree['output']] += max(leaves) - min(leaves)
        return max(width) or 1.0


# ---- Records ----

def random_value(model, feature, thresholds, dice):
    column = model.columns[feature]
    if dice.random() < .1:
        return NAN
    if column['kind'] != 'number':
        return float(dice.randrange(len(column['values'])))
    if thresholds and dice.random() < .4:
        return dice.choice(neighbours(dice.choice(thresholds)))
    x = column['low'] + dice.random() * (column['high'] - column['low'])
    if dice.random() < .1:
        x = dice.choice([column['low'] - 1, column['high'] + 1, column['low'], column['high'], 0.0, -0.0])
    return max(-LARGEST, min(LARGEST, nearest_float(x)))


def records(model, count, seed):
    """Random records of floats of 32 bits; then one for each neighbour of each threshold, and each category. NaN is missing."""
    dice = random.Random(seed)
    thresholds = [model.thresholds(f) for f in range(len(model.columns))]

    def record():
        return [random_value(model, f, thresholds[f], dice) for f in range(len(model.columns))]
    rows = [record() for _ in range(count)]
    for f, column in enumerate(model.columns):
        values = range(len(column['values'])) if column['kind'] != 'number' else [x for t in thresholds[f] for x in neighbours(t)]
        for value in values:
            rows.append(record())
            rows[-1][f] = float(value)
    return rows


def write_csv(model, rows, path, dice=random.Random(0)):
    """What is missing is left empty; half of the missing categories have a value that the schema does not list."""
    def cell(x, column):
        if math.isnan(x):
            return 'not listed' if column['kind'] == 'category' and not column.get('boolean') and dice.random() < .5 else ''
        return repr(x) if column['kind'] == 'number' else column['values'][int(x)]
    with open(path, 'w', encoding='utf-8') as f:
        f.write(','.join('"%s"' % c['name'].replace('"', '""') for c in model.columns) + '\n')
        for row in rows:
            f.write(','.join(cell(x, c) for x, c in zip(row, model.columns)) + '\n')


def read_csv(model, path):
    """The records of a table, numbers rounded to 32 bits."""
    def value(cell, column):
        cell = cell.strip()
        if column['kind'] == 'number':
            return NAN if cell in missing else nearest_float(float(cell))
        return float(column['values'].index(cell)) if cell in column['values'] else NAN
    missing = {''} | set(model.json['schema'].get('missing', []))
    with open(path, encoding='utf-8', newline='') as f:
        return [[value(row[c['name']], c) for c in model.columns] for row in csv.DictReader(f)]


def predictions(hedgerow, path, model, rows):
    """What hedgerow predict says of each record: the label, or the class and all probabilities."""
    write_csv(model, rows, path + '.csv')
    said = subprocess.run([hedgerow, 'predict', '--model', path, '--data', path + '.csv', '--json'], check=True, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    if model.label['kind'] == 'number':
        return [(line['prediction'], []) for line in lines]
    return [(line['class'], [line['probabilities'][c] for c in model.label['values']]) for line in lines]
