"""Prepared data sets: makes them once for every seed, and reads them back as arrays for scikit-learn.

A folder of sets holds prepare.py: "prepare.py --list" names the sets, "prepare.py NAME OUTDIR --seed N [--rows N]" writes
train.csv, test.csv and schema.yaml of a seeded split, of a random subset of so many rows if the set has more; "--test FRACTION" sets how
many are left for the test. Its table SETS holds what it knows of every set, such as "y", the bounds of a label. The set "synth" is made
here by scikit-learn's make_classification, and "reuters" from a file of news in the folder of sets: its tables are train.libsvm and test.libsvm."""
import csv
import json
import lzma
import math
import os
import random
import re
import subprocess
import sys


def make_synth(folder, seed, rows):
    """40,000 records, 20 features, 8 informative, 4 clusters a class; the split is a seeded shuffle, of which `rows` are taken."""
    import numpy as np
    from sklearn.datasets import make_classification
    x, y = make_classification(40000, 20, n_informative=8, n_clusters_per_class=4, random_state=0)
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    write_numbers(folder, x, y, 'classes\n  values: ["0", "1"]', {'test': order[:len(order) // 5], 'train': order[len(order) // 5:]})


def write_numbers(folder, x, y, kind, parts):
    """A folder of a made set: parts are {name: which records}; kind: of the label, and its values or bounds, as a schema has them."""
    names = ['x%d' % f for f in range(x.shape[1])]
    for part, rows in parts.items():
        with open(os.path.join(folder, part + '.csv'), 'w', newline='', encoding='utf-8') as out:
            writer = csv.writer(out, lineterminator='\n')
            writer.writerow(names + ['y'])
            writer.writerows([*('%.9g' % v for v in x[i]), y[i]] for i in rows)
    with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: y\n  kind: %s\nfeatures:\n' % kind)
        for f, name in enumerate(names):
            bound = math.ceil(abs(x[:, f]).max())
            out.write('  - name: %s\n    kind: number\n    low: %d\n    high: %d\n' % (name, -bound, bound))


def make_reuters(source, folder, seed, test):
    """News of Reuters-21578: those of one topic (money-fx; the LASVM study's division) against all others. Features are the tf-idf weights of
    words, of which a news has few: the tables are LIBSVM, and the program keeps them sparse."""
    with lzma.open(os.path.join(source, 'reuters', 'reuters.libsvm.xz'), 'rt') as f:
        news = [line.lstrip('+') for line in f]
    words = max(int(pair.split(':')[0]) for line in news for pair in line.split()[1:])
    random.Random(seed).shuffle(news)
    cut = int(len(news) * test)
    for part, chosen in (('test', news[:cut]), ('train', news[cut:])):
        with open(os.path.join(folder, part + '.libsvm'), 'w', encoding='utf-8') as out:
            out.writelines(chosen)
    with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: label\n  kind: classes\n  values: ["-1", "1"]\nfeatures:\n')
        out.writelines('  - name: w%d\n    kind: number\n    low: 0\n    high: 1\n' % (1 + word) for word in range(words))


def available(source):
    """The names of all sets."""
    said = subprocess.run([sys.executable, os.path.join(source, 'prepare.py'), '--list'], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {'synth', *said.split()}


# prepare.py after changes of what it knows of a set (null: forgotten): NAME CHANGES ARGUMENTS...
CHANGED = '''import json, sys, prepare
known = {**prepare.SETS[sys.argv[1]], **json.loads(sys.argv.pop(2))}
prepare.SETS[sys.argv[1]] = {key: value for key, value in known.items() if value is not None}
prepare.main()'''


def prepared(source, cache, name, seed, rows=None, test=None, changes=None):
    """The folder of one set and seed, of at most `rows` rows (None: of all), a part `test` of which is for the test (None: a fifth); made
    if it is not there. Sets with `changes` of their own need a cache of their own."""
    folder = os.path.join(cache, '%s-%d%s%s' % (name, seed, '-%d' % rows if rows else '', '-test-%g' % test if test else ''))
    if os.path.exists(os.path.join(folder, 'schema.yaml')):
        return folder
    os.makedirs(folder, exist_ok=True)
    if name == 'synth':
        make_synth(folder, seed, rows)
        return folder
    if name == 'reuters':
        make_reuters(source, folder, seed, test or .2)
        return folder
    more = [folder, '--seed', str(seed)] + (['--rows', str(rows)] if rows else []) + (['--test', str(test)] if test else [])
    subprocess.run([sys.executable, '-c', CHANGED, name, json.dumps(changes or {}), *more], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, 'PYTHONPATH': source, 'PYTHONDONTWRITEBYTECODE': '1'})
    return folder


def columns_of(folder):
    """From the schema: (name -> list of categories, or None for numbers), the label first; and the spellings of missing."""
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        text = f.read()
    quoted = re.compile(r'"((?:\\.|[^"\\])*)"')
    plain = lambda s: re.sub(r'\\(.)', r'\1', s)
    missing = re.search(r'^missing: \[(.*)\]', text, re.M)
    columns = {}
    for part in re.split(r'^ +(?:- )?name: ', text, flags=re.M)[1:]:
        name, rest = part.split('\n', 1)
        name = plain(quoted.match(name).group(1)) if name.startswith('"') else name
        values = re.search(r'^ +values: \[(.*)\]', rest, re.M)
        columns[name] = [plain(v) for v in quoted.findall(values.group(1))] if values else None
    return columns, {''} | {plain(v) for v in (quoted.findall(missing.group(1)) if missing else [])}


def bounds_of(folder):
    """{name of a number: (low, high)}, the label too."""
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        found = re.findall(r'name: "?([^"\n]*)"?\n +kind: number\n +low: (\S+)\n +high: (\S+)', f.read())
    return {name: (float(low), float(high)) for name, low, high in found}


def path_of(folder, part):
    """The table of a part: LIBSVM if it is there, else CSV."""
    sparse = os.path.join(folder, part + '.libsvm')
    return sparse if os.path.exists(sparse) else os.path.join(folder, part + '.csv')


def lines_of(folder, part):
    """(the lines before the records, those of the records), of which each is one line."""
    path = path_of(folder, part)
    with open(path, encoding='utf-8') as f:
        lines = f.readlines()
    heads = 0 if path.endswith('.libsvm') else 1
    return lines[:heads], lines[heads:]


def sparse_table(folder, part):
    """table() of LIBSVM, whose features are numbers."""
    columns, _ = columns_of(folder)
    label, *features = columns
    _, lines = lines_of(folder, part)
    numbers = {name: [0.0] * len(lines) for name in columns}
    for row, line in enumerate(lines):
        of_label, *pairs = line.split()
        numbers[label][row] = columns[label].index(of_label)
        for pair in pairs:
            feature, value = pair.split(':')
            numbers[features[int(feature) - 1]][row] = float(value)
    return numbers


def table(folder, part):
    """{column: its numbers, or the indices of its categories; NaN where they are missing}"""
    if path_of(folder, part).endswith('.libsvm'):
        return sparse_table(folder, part)
    columns, missing = columns_of(folder)
    with open(path_of(folder, part), newline='', encoding='utf-8') as f:
        reader = csv.reader(f)
        names, rows = next(reader), list(reader)

    def column(name):
        values, at = columns[name], names.index(name)
        codes = {v: i for i, v in enumerate(values)} if values else None
        cells = (row[at] for row in rows)
        return [math.nan if c in missing else codes[c] if codes else float(c) for c in cells]
    return {name: column(name) for name in names}


def arrays(folder, part):
    """(x, y, which columns are categories, whether y is a class)"""
    import numpy as np
    columns, _ = columns_of(folder)
    numbers = table(folder, part)
    label = next(iter(columns))
    features = [name for name in numbers if name != label]
    x = np.array([numbers[name] for name in features]).T
    return x, np.array(numbers[label]), [columns[name] is not None for name in features], columns[label] is not None
