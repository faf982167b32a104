#!/usr/bin/env python3
"""The project speaks of itself alone, and is finished: no paths of one machine, no notes of work left over.
usage: words.py ROOT"""
import re
import sys

import source

# Split, so that this file does not hold what it looks for.
RULES = [
    (re.compile(r'(?:^|[^\w./])(?:/wor' r'k|/far' r'm|/hom' r'e/\w+|/roo' r't|/tmp/w' r't)(?:/|\b)', re.M), 'a path of one machine'),
    (re.compile(r'\b(?:TO' r'DO|FIX' r'ME|XX' r'X|HA' r'CK)\b'), 'work left over; do it or drop it'),
    (re.compile(r'\bnot (?:yet )?imple' r'mented\b|\bst' r'ub(?:bed)?\b', re.I), 'unfinished by its own word'),
    (re.compile(r'\b(?:pyp' r'i\.org|deb\.deb' r'ian\.org|crat' r'es\.io|npm' r'js\.(?:com|org))\b'), 'the host of a package registry'),
]


def main():
    root, problems = sys.argv[1], []
    for path in source.files(root):
        text = source.read(root, path)
        if text is None:
            continue
        for pattern, why in RULES:
            problems += ['%s:%d: %s: %s' % (path, source.line_of(text, m.start() + 1), why, m.group(0).strip()) for m in pattern.finditer(text)]
    source.report(problems)


main()
