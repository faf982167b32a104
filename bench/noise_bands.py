#!/usr/bin/env python3
"""How the bands of docs/how-to/explanations.md compare with whole fits: hedge is fitted again and again on one table with one feature, so that
its one shape is the model; the scatter of the fits is set beside the deviation that each tells by itself.
usage: noise_bands.py PROGRAM [--fits N]"""
import argparse
import json
import math
import os
import random
import subprocess
import tempfile

POINTS = [i / 20 + .025 for i in range(20)]
SCHEMA = '''hedgerow-schema: 1
label:
  name: y
  kind: classes
  values: ["no", "yes"]
features:
  - name: x
    kind: number
    low: 0
    high: 1
'''


def write_table(path, rows):
    """P(y) rises from .1 to .9 in steps of a tenth of x's range."""
    rng = random.Random(1)
    with open(path, 'w', encoding='utf-8') as f:
        f.write('x,y\n')
        for _ in range(rows):
            x = rng.random()
            f.write('%r,%s\n' % (x, 'yes' if rng.random() < .1 + .8 * math.floor(10 * x) / 9 else 'no'))


def fitted_shape(program, folder, epsilon, seed):
    """The scores and deviations at POINTS."""
    model = os.path.join(folder, 'model.json')
    subprocess.run([program, 'train', '--data', os.path.join(folder, 'table.csv'), '--schema', os.path.join(folder, 'schema.yaml'),
                    '--model', model, '--force', '--epsilon', str(epsilon), '--delta', '1e-6', '--seed', str(seed),
                    '--unsafe-reproducible-noise', '--threads', '1'], check=True, capture_output=True)
    shown = json.loads(subprocess.run([program, 'show', model, '--json'], check=True, capture_output=True, text=True).stdout)
    shape, = shown['shapes']
    assert shown['other']['trees'] == 0
    cells = [1 + sum(edge < x for edge in shape['axes'][0]['edges']) for x in POINTS]
    return [shown['base'][0] + shape['scores'][c] for c in cells], [shape['deviations'][c] for c in cells]


def compare(program, rows, epsilon, fits):
    """Root mean squares over POINTS: the scatter of the fits, and what they tell."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(os.path.join(folder, 'table.csv'), rows)
        with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as f:
            f.write(SCHEMA)
        all_fits = [fitted_shape(program, folder, epsilon, seed) for seed in range(fits)]
    scatter = told = 0
    for p in range(len(POINTS)):
        mean = sum(scores[p] for scores, _ in all_fits) / fits
        scatter += sum((scores[p] - mean) ** 2 for scores, _ in all_fits) / (fits - 1) / len(POINTS)
        told += sum(deviations[p] ** 2 for _, deviations in all_fits) / fits / len(POINTS)
    return math.sqrt(scatter), math.sqrt(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('program')
    parser.add_argument('--fits', type=int, default=100)
    args = parser.parse_args()
    print('| records | epsilon | scatter of fits | told |\n|---|---|---|---|')
    for rows, epsilon in ((2000, 1), (20000, .3), (20000, 1), (20000, 3)):
        print('| %d | %g | %.4f | %.4f |' % ((rows, epsilon) + compare(args.program, rows, epsilon, args.fits)), flush=True)


if __name__ == '__main__':
    main()
