"""Made-up sets for rehearse.py, which puts this file where sets.py looks for prepare.py: it takes the same arguments."""
import argparse
import json
import os
import random
import sys


def numbers(low, high, *names):
    return {name: 'kind: number\n    low: %g\n    high: %g' % (low, high) for name in names}


def categories(values, *names):
    return {name: 'kind: category\n    values: %s' % json.dumps(values) for name in names}


# Each record: its label, and its features.

def coin(draw, times=2, kind=int):
    """So many times x in 75 % of cases, else 1 - x."""
    x = draw.random()
    return kind(times * (x if draw.random() < .75 else 1 - x)), x


def plums(draw):
    """The second number tells, the first does not."""
    size = draw.random()
    return int(size > .5), draw.random(), size


def fruit(draw):
    """Three categories tell more or less of three classes."""
    kind = draw.randrange(3)
    return (('apple', 'pear', 'plum')[kind], *('abc'[kind if draw.random() < sure else draw.randrange(3)] for sure in (.2, .7, .5)))


def credit(draw):
    """Numbers that go together, and categories."""
    size = draw.gauss(0, 1)
    return (draw.choice(['no', 'yes']), *(size + draw.gauss(0, .5) for _ in range(3)), draw.choice(['red', 'green', 'blue']), draw.choice(['no', 'yes']))


# y: the bounds of a label that is a number.
SETS = {
    'coin': {'record': coin, 'records': 500, 'kinds': ['0', '1'], 'features': numbers(0, 1, 'x')},
    'dice': {'record': lambda draw: coin(draw, 3), 'records': 500, 'kinds': ['0', '1', '2'], 'features': numbers(0, 1, 'x')},
    'length': {'record': lambda draw: coin(draw, 3, float), 'records': 500, 'y': (0, 3), 'features': numbers(0, 1, 'x')},
    'plums': {'record': plums, 'records': 400, 'kinds': ['0', '1'], 'features': numbers(0, 1, 'noise', 'size')},
    'fruit': {'record': fruit, 'records': 1200, 'kinds': ['apple', 'pear', 'plum'], 'features': categories(['a', 'b', 'c'], 'colour', 'size', 'shape')},
    'credit': {'record': credit, 'records': 1500, 'kinds': ['no', 'yes'],
               'features': {**numbers(-3, 3, 'weight', 'height', 'width'), **categories(['red', 'green', 'blue'], 'colour'), **categories(['no', 'yes'], 'ripe')}},
}


def main():
    if sys.argv[1:] == ['--list']:
        sys.exit(print('\n'.join(SETS)))
    parser = argparse.ArgumentParser()
    parser.add_argument('name')
    parser.add_argument('folder')
    parser.add_argument('--seed', type=int)
    parser.add_argument('--rows', type=int)
    parser.add_argument('--test', type=float, default=.2)
    args = parser.parse_args()
    known, draw = SETS[args.name], random.Random(args.seed)
    label = 'classes\n  values: %s' % json.dumps(known['kinds']) if 'kinds' in known else 'number\n  low: %g\n  high: %g' % tuple(known['y'])
    with open(os.path.join(args.folder, 'schema.yaml'), 'w', encoding='utf-8') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: y\n  kind: %s\nfeatures:\n' % label)
        out.writelines('  - name: %s\n    %s\n' % of for of in known['features'].items())
    rows = min(args.rows or known['records'], known['records'])
    left = int(rows * args.test)
    for part, count in (('test', left), ('train', rows - left)):
        with open(os.path.join(args.folder, part + '.csv'), 'w', encoding='utf-8') as out:
            out.write(','.join(['y', *known['features']]) + '\n')
            out.writelines(','.join(map(str, known['record'](draw))) + '\n' for _ in range(count))


if __name__ == '__main__':
    main()
