#!/usr/bin/env python3
"""Every file of src has its test: test_NAME.c for NAME.c, or test_PART.c where PART begins NAME or NAME begins PART (test_schema.c for
schema_read.c, test_edges_private.c for edges.c), or a line of the table below. usage: tested.py ROOT"""
import os
import sys

import source

# test: the files of src, without folder and ending, that it covers
COVERED = {
    'accountant': 'gdp mechanisms',
    'audit_exact': 'gaussian laplace',
    'audit_runs': 'dpboost para seq',
    'broker': 'address',
    'csv': 'cells data lines read source',
    'deep': 'label_sums',
    'federated_method': 'federated_table',
    'files': 'federation_file fields job_file owner_file',
    'gbdt': 'boosting single_tree training',
    'greedy': 'split split_gains',
    'ledger': 'store',
    'local': 'block_walk grow walk',
    'model': 'account',
    'nats': 'federation_open',
    'noisy': 'split_candidates',
    'oom_init': 'federation_init',
    'options': 'settings table',
    'party': 'coordinator_work outbox station',
    'plain_forest': 'ert median rf',
    'plan': 'budget fit',
    'policy': 'owner_work terms',
    'predict': 'predictor',
    'propose': 'guess',
    'schedules': 'protocol',
    'schema': 'check yaml',
    'show': 'importance summary',
    'simulation': 'federated_inprivate meet mine own round_records simulate',
}


def stems(root, folder, head):
    """{name without head and ending: path} of the C files."""
    found = {}
    for path in source.files(root, folder, suffixes=('.c',)):
        name = os.path.basename(path)[:-2]
        if name.startswith(head):
            found[name[len(head):]] = path
    return found


def begins(one, other):
    return other == one or other.startswith(one + '_')


def main():
    root = sys.argv[1]
    sources, tests = stems(root, 'src', ''), stems(root, 'tests', 'test_')
    covered = {name: test for test, names in COVERED.items() for name in names.split()}
    problems = []
    for name, path in sources.items():
        own = any(begins(test, name) or begins(name, test) for test in tests)
        if not own and covered.get(name) not in tests:
            problems.append('%s:1: no test; write tests/*/test_%s.c, or name the test that covers it in tests/hygiene/tested.py' % (path, name))
        if own and name in covered:
            problems.append('tests/hygiene/tested.py:1: %s has a test of its own; take it off the table' % name)
    problems += ['tests/hygiene/tested.py:1: there is no %s.c in src; take it off the table' % name for name in covered if name not in sources]
    source.report(problems)


main()
