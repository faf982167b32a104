#!/usr/bin/env python3
"""Exports of trained and of drawn models, read as their engines read them, in a few lines for each format: every record reaches the leaf that the
model sends it to. make slow asks the engines themselves. usage: read_back.py HEDGEROW"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

import models
import reference

RECORDS, NAN = 40, float('nan')


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


def check_covers(covers, children):
    """Records of nodes: whole, 1 or more, and of a split the sum of its children's. children(n): its two, or none."""
    for n, cover in enumerate(covers):
        below = children(n)
        assert cover >= 1 and cover == int(cover) and (not below or cover == sum(covers[c] for c in below)), 'node %d: %r' % (n, covers)


def read_xgboost(path, model):
    """(leaf of a tree and a record, how a leaf's value is kept, the output of each tree, the records of each tree's leaves)"""
    with open(path, encoding='utf-8') as f:
        learner = json.load(f)['learner']
    booster, parameters = learner['gradient_booster']['model'], learner['learner_model_param']
    assert int(booster['gbtree_model_param']['num_trees']) == len(booster['trees']) == booster['iteration_indptr'][-1]
    name = ('reg:squarederror' if not model.is_logistic() else 'multi:softprob' if len(model.base) > 1 else 'binary:logistic')
    assert learner['objective']['name'] == name and float(parameters['base_score']) == (.5 if name == 'binary:logistic' else 0)
    assert int(parameters['num_class']) == (len(model.base) if name == 'multi:softprob' else 0)
    assert json.loads(learner['attributes']['scikit_learn']) == {'_estimator_type': 'classifier' if model.is_logistic() else 'regressor'}
    for tree in booster['trees']:
        left, right = tree['left_children'], tree['right_children']
        assert int(tree['tree_param']['num_nodes']) == len(tree['split_type']) and set(tree['loss_changes']) == {0}
        check_covers(tree['sum_hessian'], lambda n, left=left, right=right: (left[n], right[n]) if left[n] != -1 else ())
        tree['lists'] = {n: set(tree['categories'][first:first + size]) for n, first, size in
                         zip(tree['categories_nodes'], tree['categories_segments'], tree['categories_sizes'])}
        assert all(tree['lists'].values()) and sum(tree['split_type']) == len(tree['lists'])
    covers = [[cover for cover, child in zip(tree['sum_hessian'], tree['left_children']) if child == -1] for tree in booster['trees']]
    return lambda t, row: xgboost_leaf(booster['trees'][t], row), reference.nearest_float, booster['tree_info'], covers


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


def check_lightgbm_covers(tree):
    """Splits first, then leaves: leaf i is child -1 - i."""
    splits, leaves = (tree[key] for key in ('internal_count', 'leaf_count'))
    covers = [int(c) for c in splits + leaves]

    def children(n):
        return [c if c >= 0 else len(splits) - 1 - c for c in (int(tree[key][n]) for key in ('left_child', 'right_child'))] if n < len(splits) else ()
    assert tree['leaf_weight'] == leaves and tree['internal_weight'] == splits
    check_covers(covers, children)


def read_lightgbm(path, model):
    with open(path, encoding='utf-8') as f:
        head, text = f.read().split('\n\n', 1)
    facts = dict(line.partition('=')[::2] for line in head.split('\n'))
    trees, outputs = [], int(facts['num_class'])
    objective = 'regression' if model.label['kind'] == 'number' else None if not model.is_logistic() else 'multiclass num_class:%d' % outputs if outputs > 1 else 'binary sigmoid:1'
    assert facts.get('objective') == objective and facts['num_tree_per_iteration'] == facts['num_class']
    for size in map(int, facts['tree_sizes'].split()):
        part, text = text.encode()[:size].decode(), text.encode()[size:].decode()
        trees.append({key: value.split() for key, _, value in (line.partition('=') for line in part.strip().split('\n'))})
        assert trees[-1]['Tree'] == [str(len(trees) - 1)]
        check_lightgbm_covers(trees[-1])
    assert text.startswith('end of trees\n')
    json.loads(text.strip().split('\n')[-1].partition(':')[2])
    covers = [[int(c) for c in tree['leaf_count']] for tree in trees]
    return lambda t, row: lightgbm_leaf(trees[t], row), float, [t % outputs for t in range(len(trees))], covers


READERS = {'xgboost': read_xgboost, 'lightgbm': read_lightgbm}


# ---- ONNX: every value is a list, what a record has of it; one of length 1 goes with all ----

def fields(message):
    """{number: values} of a message of protocol buffers."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return value
    while at < len(message):
        tag = varint()
        value = varint()
        if tag % 8 == 2:
            value, at = message[at:at + value], at + value
        found.setdefault(tag // 8, []).append(value)
    return found


def tensor(message):
    parts = fields(message)
    kind, raw = parts[2][0], parts.get(9, [b''])[0]
    size = {1: 4, 2: 1}.get(kind, 8)
    values = [t.decode() for t in parts.get(6, [])] if kind == 8 else [
        x for x, in struct.iter_unpack({1: '<f', 2: '<B', 7: '<q', 11: '<d'}[kind], raw[:len(raw) // size * size])]
    assert len(values) == math.prod(parts[1])
    return parts.get(8, [b''])[0].decode(), values


def integers(packed):
    found, value, shift = [], 0, 0
    for byte in packed:
        value, shift = value | (byte & 127) << shift, shift + 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    return found


def attribute(message):
    parts = fields(message)
    kind = parts[20][0]
    return parts[1][0].decode(), parts[3][0] if kind == 2 else tensor(parts[5][0])[1] if kind == 4 else integers(parts[8][0])


def broadcast(function, *values):
    length = max(map(len, values))
    return [function(*(v[i] if len(v) > 1 else v[0] for v in values)) for i in range(length)]


def divide(a, b):
    return a / b if b else NAN


def member_lists(facts):
    """{split: the values that it lists}"""
    lists, values = [set()], facts.get('membership_values', [])
    for x in values:
        lists += [set()] if x != x else []
        lists[-1].update([x] if x == x else [])
    splits = [n for n, mode in enumerate(facts['nodes_modes']) if mode == 6]
    assert set(facts['nodes_modes']) <= {0, 6} and len(lists) == len(splits) + 1 and all(lists[:-1])
    return dict(zip(splits, lists))


def run_trees(facts, record):
    """The sums of an ensemble, tree by tree."""
    lists = facts['lists'] = facts.get('lists') or member_lists(facts)
    sums = [0.0] * facts['n_targets']
    for n in facts['tree_roots']:
        is_leaf = False
        while not is_leaf:
            x = record[facts['nodes_featureids'][n]]
            if x != x:
                goes = facts['nodes_missing_value_tracks_true'][n]
            else:
                goes = x in lists[n] if n in lists else x <= facts['nodes_splits'][n]
            way = 'true' if goes else 'false'
            n, is_leaf = facts['nodes_%snodeids' % way][n], facts['nodes_%sleafs' % way][n]
        sums[facts['leaf_targetids'][n]] += facts['leaf_weights'][n]
    return sums


OPERATORS = {
    'Add': lambda a, b: a + b, 'Sub': lambda a, b: a - b, 'Mul': lambda a, b: a * b, 'Div': divide, 'Min': min, 'Max': max,
    'Less': lambda a, b: a < b, 'Greater': lambda a, b: a > b, 'Equal': lambda a, b: a == b, 'Where': lambda c, a, b: a if c else b,
    'Exp': lambda a: math.exp(min(a, 700)), 'Log': math.log, 'Neg': lambda a: -a, 'Abs': abs, 'Reciprocal': lambda a: 1 / a, 'Identity': lambda a: a}


def run_node(op, values, facts):
    if op == 'Cast':
        return [reference.nearest_float(x) if facts['to'] == 1 else x for x in values[0]]
    if op in OPERATORS:
        return broadcast(OPERATORS[op], *values)
    if op == 'Gemm':
        (x,), (a,), (b,) = values
        return [a * x + b]
    if op == 'Concat':
        return values[0] + values[1]
    if op == 'Gather':
        return [values[0][int(i)] for i in values[1]]
    if op == 'Squeeze':
        assert len(values[0]) == 1
        return values[0]
    if op == 'ArgMax':
        return [values[0].index(max(values[0]))]
    return [{'ReduceSum': sum, 'ReduceMax': max}[op](values[0])]


def read_onnx(path):
    """What a file says of a record: {output: values}."""
    with open(path, 'rb') as f:
        file = fields(f.read())
    graph = fields(file[7][0])
    constants = dict(tensor(t) for t in graph[5])
    nodes = []
    for node in map(fields, graph[1]):
        nodes.append((node[4][0].decode(), [t.decode() for t in node[1]], node[2][0].decode(), dict(map(attribute, node.get(5, [])))))
    json.loads({fields(p)[1][0]: fields(p)[2][0] for p in file[14]}[b'features'])

    def run(record):
        values = dict(constants, features=record)
        for op, inputs, output, facts in nodes:
            values[output] = run_trees(facts, record) if op == 'TreeEnsemble' else run_node(op, [values[i] for i in inputs], facts)
        return {fields(o)[1][0].decode(): values[fields(o)[1][0].decode()] for o in graph[12]}
    return run


def check_onnx_float32(hedgerow, path):
    """Records are numbers of 32 bits; sums are those of leaves that are rounded to them."""
    model = reference.Model(path)
    said = subprocess.run([hedgerow, 'export', path, '--to', 'onnx-float32', '--out', path + '.onnx'], stderr=subprocess.PIPE, text=True)
    assert said.returncode == 0 or '32-bit' in said.stderr
    run = read_onnx(path + '.onnx') if said.returncode == 0 else None
    for row in reference.records(model, RECORDS, path) if run else ():
        for score, right in zip(run(row)['scores'], model.scores(row), strict=True):
            assert abs(score - right) <= 1e-6 * model.score_range(), 'record %r: score %r is not %r' % (row, score, right)


def check_onnx(hedgerow, path):
    model = reference.Model(path)
    subprocess.run([hedgerow, 'export', path, '--to', 'onnx', '--out', path + '.onnx'], check=True)
    run, rows = read_onnx(path + '.onnx'), reference.records(model, RECORDS, path)[::2]
    for row, (label, classes) in zip(rows, reference.predictions(hedgerow, path, model, rows)):
        said = run(row)
        for score, right in zip(said['scores'], model.scores(row), strict=True):
            assert abs(score - right) <= 1e-12 * model.score_range(), 'record %r: score %r is not %r' % (row, score, right)
        for p, right in zip(said.get('probabilities', []), classes, strict=True):
            assert abs(p - right) <= 1e-12, 'record %r: %r is not %r' % (row, said, classes)
        near = sorted(classes)[-2:]
        if classes and near[1] - near[0] > 1e-12:
            assert said['prediction'] == [label], 'record %r: %r is not %r' % (row, said['prediction'], label)
        if not classes:
            assert abs(said['prediction'][0] - label) < 1e-11, 'record %r: %r is not %r' % (row, said['prediction'], label)


# ---- Comparison ----

def check_released_counts(tree, covers):
    """Leaves that no record can reach are left out."""
    if 'counts' in tree:
        left = [max(round(count), 1) for count, node in zip(tree['counts'], tree['nodes']) if len(node) == 1]
        for cover in covers:
            assert cover in left, '%r is not among %r' % (cover, left)
            left.remove(cover)


def check(hedgerow, path, name):
    model, out = reference.Model(path), path + '.' + name
    subprocess.run([hedgerow, 'export', path, '--to', name, '--out', out], check=True)
    leaf, kept, outputs, covers = READERS[name](out, model)
    taken, (shift, scale) = [0] * len(model.base), model.units()
    places = []
    for k, base in enumerate(model.base):
        assert outputs[k] == k and leaf(k, [0] * len(model.columns)) == kept(shift + scale * base)
    for tree in model.trees:
        taken[tree['output']] += 1
        places.append(taken[tree['output']] * len(taken) + tree['output'])
        check_released_counts(tree, covers[places[-1]])
    for row in reference.records(model, RECORDS, path):
        for t, tree in enumerate(model.trees):
            said, right = leaf(places[t], row), kept(scale * model.leaf(t, row))
            assert outputs[places[t]] == tree['output'] and said == right, 'tree %d, record %r: %r is not %r' % (t, row, said, right)
    fill = set(range(len(taken), len(outputs))) - set(places)
    assert all(leaf(t, [0] * len(model.columns)) == 0 for t in fill)


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, path in models.every_model(hedgerow, folder, ['dp-df']):
            for to in [*READERS, 'onnx', 'onnx-float32']:
                try:
                    if to in READERS:
                        check(hedgerow, path, to)
                    else:
                        (check_onnx if to == 'onnx' else check_onnx_float32)(hedgerow, path)
                except AssertionError as e:
                    sys.exit('%s as %s: %s' % (name, to, e))


if __name__ == '__main__':
    main()
