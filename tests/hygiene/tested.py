#!/usr/bin/env python3
"""Every file of src has its test: test_NAME.c for NAME.c, or test_PART.c where PART begins NAME or NAME begins PART (test_schema.c for
schema_read.c, test_edges_private.c for edges.c), or a line of the table below. usage: tested.py ROOT"""
import os
import sys

import source

# test: the files of src, without folder and ending, that it covers
COVERED = {
    'accountant': 'gdp',
    'audit_exact': 'gaussian laplace',
    'audit_runs': 'seq_para',
    'binner': 'cell_data cell_file',
    'broker': 'address',
    'federated_interval': 'record_sides',
    'candidate_scan': 'candidate_sums candidate_trees score_gradients',
    'class_weights': 'weights',
    'conformal': 'interval',
    'hedge_times': 'hazards',
    'times': 'other_cells',
    'compressed': 'codec_gzip codec_xz codec_zstd contents decompress table_source',
    'coordinate_folder': 'folder_jobs folder_write job_folder submit',
    'covers': 'engine_floats',
    'csv': 'byte_source data lines read',
    'endings': 'ending',
    'evaluation_of_quantiles': 'quantile_figures',
    'export': 'lightgbm onnx onnx_link onnx_write xgboost',
    'federated_noise': 'summed_job',
    'summed_owner': 'summed_coordinator',
    'survival_curve': 'curve_counts curve_model curves',
    'parquet': 'arrow_cells',
    'presence': 'hello',
    'files': 'federation_file fields owner_file',
    'gbdt': 'boosting exact_boosting training',
    'hedge_quantiles': 'pinball',
    'infer': 'dictionary',
    'infer_units': 'judge_units',
    'reconciliation': 'reconcile',
    'remarks': 'data_identifiers table_checks',
    'schema_marks': 'read_marks',
    'schema_quantiles': 'label_quantiles',
    'inprivate': 'wide_tree',
    'inprivate_coordinator': 'beginning_coordinator',
    'inprivate_owner': 'beginning beginning_owner',
    'ledger': 'store',
    'jobs': 'member_files',
    'meet': 'own_job',
    'kernels': 'avx2 avx512 neon portable search',
    'local_stats': 'block_walk grow walk',
    'model': 'account',
    'model_file': 'gzip_packed',
    'nats': 'federation_admin',
    'oom_init': 'federation_change federation_dir federation_init',
    'options': 'table',
    'origins': 'repeats',
    'party': 'coordinator_work endpoint live_job outbox',
    'place_tree': 'pair_grid',
    'plan': 'budget fit',
    'policy': 'owner_work',
    'policy_check': 'offers',
    'predict': 'predictor',
    'predict_floats': 'float_rows',
    'private_splitter': 'split_candidates',
    'schedules': 'protocol',
    'schema': 'check review yaml',
    'shap': 'product_game shares',
    'shared_evaluation': 'statistics',  # those of an evaluation; of columns: test_overview.c
    'show': 'importance summary',
    'similar': 'hash_blocks hash_groups',
    'simulation': 'serve simulate',
    'split_rule': 'label_sums',
    'split_table': 'split_side',
    'several_files': 'formats',
    'sqlite': 'query',
    'job_file': 'record_bounds',
    'stats_source': 'local_gradients local_labels local_source',
}
# Stand-ins of builds without federations; make reduced runs the commands that reach them.
ABSENT = ('codec_gzip_absent', 'codec_xz_absent', 'codec_zstd_absent', 'federation_absent', 'mpi_absent', 'nats_absent', 'parquet_absent', 'party_absent', 'postgres_absent', 'zeromq_absent')

# What takes several processes: tests/trees/cluster starts them.
RANKS = ('cluster', 'cluster_source', 'mpi_link', 'rank_steps', 'ranges', 'rank_persons', 'read_part', 'same_table', 'worker', 'zeromq_join', 'zeromq_link', 'zeromq_open')


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
        if name in ABSENT + RANKS:
            continue
        own = any(begins(test, name) or begins(name, test) for test in tests)
        if not own and covered.get(name) not in tests:
            problems.append('%s:1: no test; write tests/*/test_%s.c, or name the test that covers it in tests/hygiene/tested.py' % (path, name))
        if own and name in covered:
            problems.append('tests/hygiene/tested.py:1: %s has a test of its own; take it off the table' % name)
    problems += ['tests/hygiene/tested.py:1: there is no %s.c in src; take it off the table' % name for name in covered if name not in sources]
    source.report(problems)


main()
