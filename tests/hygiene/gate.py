#!/usr/bin/env python3
"""The release gate cannot be walked around, and the library keeps to itself, as far as a reading of its text can tell:
exact statistics are touched by the folders that compute them alone, released ones are made by src/privacy alone, and nothing
in src prints, exits or asks the environment. usage: gate.py ROOT"""
import re
import sys

import source

# What is summed over records; and what grows trees and still looks at sums.
STATS = tuple('src/tree/' + name for name in ('advance.', 'balance.', 'curvature.', 'gradient.', 'impurity.', 'leaf.', 'local', 'reliability.',
                                              'scan.'))
GROWERS = tuple('src/tree/' + name for name in ('deep.', 'greedy.', 'grow.', 'noisy.', 'rule.'))
COUNTS = ('src/privacy/', 'src/bins/') + STATS + GROWERS
PAYS = ('src/privacy/',)
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


def main():
    root, problems = sys.argv[1], []
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        text = source.code(source.read(root, path))
        for pattern, allowed, why in RULES:
            if not path.startswith(allowed or ('\0',)):
                problems += ['%s:%d: %s' % (path, source.line_of(text, m.start()), why) for m in pattern.finditer(text)]
    source.report(problems)


main()
