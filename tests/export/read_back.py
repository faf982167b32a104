#!/usr/bin/env python3
"""Exports of trained and of drawn models, read as their engines read them, in a few lines for each format: every record reaches the leaf that the
model sends it to. make slow asks the engines themselves. usage: read_back.py HEDGEROW"""
import json
import math
import os
import subprocess
import sys
import tempfile

import models
import reference

RECORDS = 60


# ---- XGBoost: floats, x < condition goes left, listed categories go right ----

def xgboost_leaf(tree, row):
    n = 0
    while tree['left_children'][n] != -1:
        x, left = row[tree['split_indices'][n]], tree['left_children'][n]
        assert tree['right_children'][n] == left + 1 and tree['parents'][left] == tree['parents'][left + 1] == n
        if math.isnan(x):
            goes_left = tree['default_left'][n] == 1
        elif tree['split_type'][n] == 1:
            goes_left = x not in tree['lists'][n]
        else:
            goes_left = x < reference.nearest_float(tree['split_conditions'][n])
        n = left if goes_left else left + 1
    return reference.nearest_float(tree['split_conditions'][n])


def read_xgboost(path):
    """(leaf of a tree and a record, how a leaf's value is kept, the output of each tree)"""
    with open(path, encoding='utf-8') as f:
        learner = json.load(f)['learner']
    model = learner['gradient_booster']['model']
    assert int(model['gbtree_model_param']['num_trees']) == len(model['trees']) == model['iteration_indptr'][-1]
    assert learner['learner_model_param']['base_score'] == '0' and learner['objective']['name'] == 'reg:squarederror'
    for tree in model['trees']:
        assert int(tree['tree_param']['num_nodes']) == len(tree['split_type']) and set(tree['sum_hessian'] + tree['loss_changes']) == {0}
        tree['lists'] = {n: set(tree['categories'][first:first + size]) for n, first, size in
                         zip(tree['categories_nodes'], tree['categories_segments'], tree['categories_sizes'])}
        assert all(tree['lists'].values()) and sum(tree['split_type']) == len(tree['lists'])
    return lambda t, row: xgboost_leaf(model['trees'][t], row), reference.nearest_float, model['tree_info']


# ---- LightGBM: doubles, x <= threshold goes left, listed categories go left ----

def lightgbm_leaf(tree, row):
    n = 0 if int(tree['num_leaves'][0]) > 1 else -1
    while n >= 0:
        x, decision = row[int(tree['split_feature'][n])], int(tree['decision_type'][n])
        assert decision & 8
        if decision & 1:
            first, end = (int(tree['cat_boundaries'][int(tree['threshold'][n]) + i]) for i in (0, 1))
            words = [int(w) for w in tree['cat_threshold'][first:end]]
            goes_left = not math.isnan(x) and x < 32 * len(words) and words[int(x) // 32] >> int(x) % 32 & 1
        else:
            goes_left = decision & 2 if math.isnan(x) else x <= float(tree['threshold'][n])
        n = int(tree['left_child' if goes_left else 'right_child'][n])
    return float(tree['leaf_value'][-1 - n])


def read_lightgbm(path):
    with open(path, encoding='utf-8') as f:
        head, text = f.read().split('\n\n', 1)
    facts = dict(line.partition('=')[::2] for line in head.split('\n'))
    trees, outputs = [], int(facts['num_class'])
    assert 'objective' not in facts and facts['num_tree_per_iteration'] == facts['num_class']
    for size in map(int, facts['tree_sizes'].split()):
        part, text = text.encode()[:size].decode(), text.encode()[size:].decode()
        trees.append({key: value.split() for key, _, value in (line.partition('=') for line in part.strip().split('\n'))})
        assert trees[-1]['Tree'] == [str(len(trees) - 1)] and set(trees[-1]['leaf_count'] + trees[-1]['internal_count']) <= {'0'}
    assert text.startswith('end of trees\n')
    json.loads(text.strip().split('\n')[-1].partition(':')[2])
    return lambda t, row: lightgbm_leaf(trees[t], row), float, [t % outputs for t in range(len(trees))]


READERS = {'xgboost': read_xgboost, 'lightgbm': read_lightgbm}


# ---- Comparison ----

def check(hedgerow, path, name):
    model, out = reference.Model(path), path + '.' + name
    subprocess.run([hedgerow, 'export', path, '--to', name, '--out', out], check=True)
    leaf, kept, outputs = READERS[name](out)
    taken = [0] * len(model.base)
    places = []
    for k, base in enumerate(model.base):
        assert outputs[k] == k and leaf(k, [0] * len(model.columns)) == kept(base)
    for tree in model.trees:
        taken[tree['output']] += 1
        places.append(taken[tree['output']] * len(taken) + tree['output'])
    for row in reference.records(model, RECORDS, path):
        for t, tree in enumerate(model.trees):
            said, right = leaf(places[t], row), kept(model.leaf(t, row))
            assert outputs[places[t]] == tree['output'] and said == right, 'tree %d, record %r: %r is not %r' % (t, row, said, right)
    fill = set(range(len(taken), len(outputs))) - set(places)
    assert all(leaf(t, [0] * len(model.columns)) == 0 for t in fill)


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, path in models.every_model(hedgerow, folder, ['dpboost', 'dp-df']):
            for to in READERS:
                try:
                    check(hedgerow, path, to)
                except AssertionError as e:
                    sys.exit('%s as %s: %s' % (name, to, e))


if __name__ == '__main__':
    main()
