#!/usr/bin/env python3
"""The release gate cannot be walked around, and the library keeps to itself, as far as a reading of its text can tell:
exact statistics are opened only by the folders that compute them; what opens them for training without privacy is included
only by that; released ones are made only by src/privacy; and nothing in src prints, exits or asks the environment.
usage: gate.py ROOT"""
import re
import sys

import source

# What is summed over records, and what reads those sums for a mechanism or for training without privacy.
STATS = tuple('src/tree/' + name for name in ('advance.', 'balance.', 'hessian.', 'gradient.', 'impurity.', 'label_sums.', 'leaf.', 'local',
                                              'reliability.', 'scan.', 'split'))
COUNTS = ('src/privacy/', 'src/bins/') + STATS
PAYS = ('src/privacy/',)
# Headers that open exact statistics for training without privacy -> who alone includes them.
NOT_PRIVATE = {'stats/label_sums.h': ('src/stats/label_sums.c', 'src/grow/split_rule.c', 'src/grow/depth_first.c'),
               'stats/split_gains.h': ('src/stats/split_gains.c', 'src/grow/exact_splitter.c')}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
ASSIGNED = r'(?:[-+*/%|&^]|<<|>>)?=(?!=)|\+\+|--'
RULES = [
    (re.compile(r'(?:\.|->)\s*unpaid\b'), COUNTS, 'only src/privacy, src/bins and the statistics of src/tree look at exact statistics'),
    (re.compile(r'(?:\.|->)\s*paid\s*(?:%s)|(?:\+\+|--)[\w.>\[\]-]+(?:\.|->)paid\b|&[\w.>\[\]-]+(?:\.|->)paid\b' % ASSIGNED), PAYS,
     'only src/privacy makes released statistics'),
    (re.compile(r'\(\s*(?:const\s+)?hr_noisy\s*(?:\*\s*)?\)|\bhr_noisy\s+\w+\s*(?:\[[^]]*\]\s*)*=\s*\{'), PAYS, 'only src/privacy makes released statistics'),
    (re.compile(r'\b(?:v?f?printf|vdprintf|dprintf|puts|putchar|perror|psignal)\s*\('), (), 'the library does not print; use hr_fail'),
    (re.compile(r'\b(?:exit|_exit|_Exit|quick_exit|atexit|abort|raise|kill)\s*\('), (), 'the library does not end the program; return a status'),
    (re.compile(r'\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(|\benviron\b'), (), 'the library does not read the environment; take an option'),
    (re.compile(r'\b(?:signal|sigaction|sigprocmask|pthread_sigmask|setlocale|srand|rand)\s*\('), (),
     'the library does not change what belongs to the whole program'),
]
# Machines over released values have no name for anything else.
BLIND = ('src/methods/hedge_machine.', 'src/methods/hedge_plan.', 'src/methods/bandit.', 'src/methods/calibration.',
         'src/privacy/quantile_machine.')
SEEN = re.compile(r'\bhr_(?:data|exact|gate|records)\b|\bhr_(?:data|gate|records)_\w+')


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
        for pattern, allowed, why in RULES:
            if not path.startswith(allowed or ('\0',)):
                problems += ['%s:%d: %s' % (path, source.line_of(text, m.start()), why) for m in pattern.finditer(text)]
    source.report(problems)


main()
