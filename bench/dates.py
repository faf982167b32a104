#!/usr/bin/env python3
"""What the parts of a timestamp are worth: hedge on the raw table of appliances' energy, with and without them.
usage: HEDGEROW_DATA=FOLDER dates.py HEDGEROW [RUNS]     FOLDER holds appliances_energy/energydata_complete.csv.xz"""
import csv
import lzma
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

RAW = 'appliances_energy/energydata_complete.csv.xz'
LABEL = '{name: Appliances, kind: number, low: 0, high: 1100}'
DATE = '{name: date, kind: date, from: 2016-01-01, to: 2016-06-30, parts: [hour, minute, weekday, month, day, trend]}'
OTHERS = {'lights': (0, 100), 'Press_mm_hg': (700, 800), 'Windspeed': (0, 20), 'Visibility': (0, 80), 'Tdewpoint': (-20, 30)}


def number(name):
    """A sensor with bounds that anyone would expect."""
    low, high = OTHERS.get(name) or ((0, 100) if name.startswith('RH') else (-10, 40))
    return '{name: %s, kind: number, low: %d, high: %d}' % (name, low, high)


def split(folder, into):
    """train.csv with three quarters of the shuffled rows, test.csv with the others; returns the sensors."""
    with lzma.open(os.path.join(folder, RAW), 'rt', newline='') as f:
        header, *rows = csv.reader(f)
    random.Random(1).shuffle(rows)
    cut = len(rows) * 3 // 4
    for name, part in (('train', rows[:cut]), ('test', rows[cut:])):
        with open(os.path.join(into, name + '.csv'), 'w', newline='') as f:
            csv.writer(f).writerows([header] + part)
    return [name for name in header if name not in ('date', 'Appliances', 'rv1', 'rv2')]


def rmse(tool, folder, columns):
    """Of one model that was trained with epsilon 1."""
    with open(os.path.join(folder, 'schema.yaml'), 'w') as f:
        f.write('hedgerow-schema: 1\nlabel: %s\nfeatures: [%s]\n' % (LABEL, ', '.join(columns)))
    run = lambda *command: subprocess.run((tool,) + command, cwd=folder, check=True, capture_output=True, text=True).stdout
    run('train', '--data', 'train.csv', '--schema', 'schema.yaml', '--epsilon', '1', '--model', 'model.json', '--force', '--quiet')
    return float(re.search(r'rmse\s+(\S+)', run('evaluate', '--model', 'model.json', '--data', 'test.csv')).group(1))


def main():
    tool, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder:
        sensors = [number(name) for name in split(os.environ['HEDGEROW_DATA'], folder)]
        for title, columns in (('lights', sensors[:1]), ('lights and date', sensors[:1] + [DATE]),
                               ('all sensors', sensors), ('all sensors and date', sensors + [DATE])):
            errors = [rmse(tool, folder, columns) for _ in range(runs)]
            print('%-22s RMSE %.2f, standard deviation %.2f' % (title, statistics.mean(errors), statistics.pstdev(errors)))


if __name__ == '__main__':
    main()
