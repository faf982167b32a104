"""What a model file says of a record, by docs/formats.md alone: a second implementation that exports are compared with."""
import json
import math
import random
import struct

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
        self.base, self.link, self.calibration = self.json['base'], self.json['link'], self.json.get('calibration')
        self.subsets = [[set(s) for s in tree['subsets']] for tree in self.trees]

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

    # ---- Predictions ----

    def predict(self, scores):
        """The label, or the probabilities of the classes."""
        if self.link == 'number':
            low, high = self.label['low'], self.label['high']
            return [low + (min(max(scores[0], -1.0), 1.0) + 1) / 2 * (high - low)]
        if len(scores) == 1:
            p = soft_clip((1 + scores[0]) / 2) if self.link == 'signed' else 1 / (1 + math.exp(-scores[0]))
            p = self.corrected(p) if self.calibration else p
            return [1 - p, p]
        if self.link == 'signed':
            parts = [soft_clip((1 + s) / 2) for s in scores]
        else:
            parts = [math.exp(s - max(scores)) for s in scores]
        p = [x / sum(parts) for x in parts]
        return self.calibrated(p) if self.calibration else p

    def corrected(self, p):
        q = .5 + (p - .5) / 1.1
        return 1 / (1 + math.exp(-(self.calibration['intercept'] + self.calibration['slope'] * math.log(q / (1 - q)))))

    def calibrated(self, p):
        if len(p) == 2:
            corrected = self.corrected(p[1])
            return [1 - corrected, corrected]
        top = p.index(max(p))
        others = [x for k, x in enumerate(p) if k != top]
        rest = sum(others)
        ratio = max(others) / rest if rest > 0 else 1 / (len(p) - 1)
        most = max(self.corrected(p[top]), (1 + 2 ** -30) * ratio / (1 + ratio))
        return [most if k == top else (1 - most) * (x / rest if rest > 0 else 1 / (len(p) - 1)) for k, x in enumerate(p)]


def soft_clip(x):
    if x > .5:
        return 1 - soft_clip(1 - x)
    return x if x >= .02 else .005 + .015 * math.exp((x - .02) / .015)


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
