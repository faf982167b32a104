#!/usr/bin/env python3
"""The release gate cannot be walked around, and the library keeps to itself, as far as a reading of its text can tell:
exact statistics are opened only by the folders that compute them; what opens them for training without privacy is included
only by that; released ones are made only by src/privacy; and nothing in src prints, exits or asks the environment,
but for the number of threads, and for what OpenSSL would take from it (transport/nats_link.c).
usage: exact_statistics.py ROOT"""
import os
import re
import sys

import source

# Exact statistics are computed, and opened, here alone.
COUNTS = ('src/privacy', 'src/tables/bins', 'src/trees/stats', 'src/trees/candidates', 'src/trees/records', 'src/methods/simfl/owned_records.c',
          'src/methods/simfl/simfl_records.c', 'src/methods/statistics/overview_counts.c', 'src/fit/conformal.c', 'src/fit/level_sums.c')
PAYS = ('src/privacy',)
THREADS = ('src/base/threads.c',)  # the one variable of the library
# Headers that open exact statistics for training without privacy -> who alone includes them.
NOT_PRIVATE = {'trees/stats/label_sums.h': ('src/trees/stats/label_sums.c', 'src/trees/records/forest_records.c', 'src/trees/grow/split_rule.c'),
               'trees/records/forest_records.h': ('src/trees/records/forest_records.c', 'src/trees/grow/depth_first.h'),
               'trees/grow/depth_first.h': ('src/trees/grow/depth_first.c', 'src/methods/forests/plain_forest.c'),
               'methods/simfl/simfl_records.h': ('src/methods/simfl/simfl_records.c', 'src/methods/simfl/simfl_owner.c'),
               'trees/stats/divisions.h': ('src/trees/stats/divisions.c', 'src/methods/forests/diprime.c'),
               'trees/stats/split_gains.h': ('src/trees/stats/split_gains.c', 'src/trees/grow/exact_splitter.c')}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
ASSIGNED = r'(?:[-+*/%|&^]|<<|>>)?=(?!=)|\+\+|--'
RULES = [
    (re.compile(r'(?:\.|->)\s*unpaid\b'), COUNTS, 'only src/privacy, src/tables/bins, rooms of src/trees, the records of simfl, statistics of columns, survival curves and corrections of intervals look at exact statistics'),
    (re.compile(r'(?:\.|->)\s*paid\s*(?:%s)|(?:\+\+|--)[\w.>\[\]-]+(?:\.|->)paid\b|&[\w.>\[\]-]+(?:\.|->)paid\b' % ASSIGNED), PAYS,
     'only src/privacy makes released statistics'),
    (re.compile(r'\(\s*(?:const\s+)?hr_noisy\s*(?:\*\s*)?\)|\bhr_noisy\s+\w+\s*(?:\[[^]]*\]\s*)*=\s*\{'), PAYS, 'only src/privacy makes released statistics'),
    (re.compile(r'\b(?:v?f?printf|vdprintf|dprintf|puts|putchar|perror|psignal)\s*\('), (), 'the library does not print; use hr_fail'),
    (re.compile(r'\b(?:exit|_exit|_Exit|quick_exit|atexit|abort|raise|kill)\s*\('), (), 'the library does not end the program; return a status'),
    (re.compile(r'\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(|\benviron\b'), (*THREADS, 'src/federation/transport/nats_link.c'),
     'the library does not read the environment; take an option'),
    (re.compile(r'\b(?:signal|sigaction|sigprocmask|pthread_sigmask|setlocale|srand|rand)\s*\('), (),
     'the library does not change what belongs to the whole program'),
]
# Machines over released values have no name for anything else.
BLIND = ('src/methods/hedge/hedge_machine.', 'src/methods/hedge/hedge_objective.', 'src/methods/hedge/hedge_plan.', 'src/methods/hedge/bandit.', 'src/methods/hedge/calibration.', 'src/methods/hedge/hazards.',
         'src/methods/forests/id3_machine.', 'src/methods/forests/class_leaves.', 'src/methods/statistics/overview.', 'src/methods/statistics/overview_figures.', 'src/methods/survival/curve_model.', 'src/methods/survival/life_table.', 'src/fit/measure/evaluation_figures.', 'src/fit/measure/quantile_figures.', 'src/fit/measure/time_figures.',
         'src/privacy/quantile_machine.', 'src/tables/bins/edge_machine.', 'src/tables/bins/edge_levels.')
SEEN = re.compile(r'\bhr_(?:data|exact|gate|records)\b|\bhr_(?:data|gate|records)_\w+')
# Ranks beside rank 0 add up: they neither draw nor pay, and write nothing.
ADD_UP = ('src/fit/rank_steps.', 'src/trees/cluster/worker.', 'src/trees/cluster/question.', 'src/trees/cluster/mpi_link.', 'src/trees/cluster/rank_link.', 'src/trees/cluster/zeromq_link.', 'src/trees/cluster/zeromq_join.', 'src/trees/cluster/zeromq_open.')
DRAWN = re.compile(r'\bhr_(?:gate|ledger|csprng|noisy|permit|uniform)\w*|\bf(?:open|write)\s*\(')
# A grower asks for sums and bins, and has no name for a record: no table, no label, no row, nothing of a run of records.
SUMS_ONLY = ('src/trees/grow/depth_first.',)
RECORDS = re.compile(r'\bhr_(?:data|binned|labels?)\b|\bhr_(?:data|binned|labels?|bootstrap|unpack|gradients?)_?\w*|'
                     r'(?:\.|->)\s*(?:rows|tiles|columns|labels|unpaid|begin)\b|\brun\s*(?:\.|->)')


def main():
    root, problems = sys.argv[1], []
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        whole = source.read(root, path)
        problems += ['%s:%d: "%s" is for training without privacy' % (path, source.line_of(whole, m.start(1)), m.group(1))
                     for m in INCLUDE.finditer(whole) if path not in NOT_PRIVATE.get(m.group(1), (path,))]
        text = source.code(whole)
        if path.startswith(BLIND):
            problems += ['%s:%d: this file sees released values only, not %s' % (path, source.line_of(text, m.start()), m.group(0))
                         for m in SEEN.finditer(text)]
        if path.startswith(ADD_UP):
            problems += ['%s:%d: this file adds up at ranks that neither draw nor pay, so not %s' % (path, source.line_of(text, m.start()), m.group(0))
                         for m in DRAWN.finditer(text)]
        if path.startswith(SUMS_ONLY):
            problems += ['%s:%d: this file asks for sums and sees no record, so not %s' % (path, source.line_of(text, m.start()), m.group(0))
                         for m in RECORDS.finditer(text)]
        for pattern, allowed, why in RULES:
            if path not in allowed and os.path.dirname(path) not in allowed:
                problems += ['%s:%d: %s' % (path, source.line_of(text, m.start()), why) for m in source.matches(pattern, text)]
    source.report(problems)


main()
