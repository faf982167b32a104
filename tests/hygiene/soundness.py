#!/usr/bin/env python3
"""Everything that docs/explanation/soundness.md sends an auditor to is there: proofs and their sections, tests, planted faults, files, links of
the chain. usage: soundness.py ROOT"""
import os
import re
import sys
import tomllib

import evidence
import source

PAGE = 'docs/explanation/soundness.md'
CHAIN = ['Link', 'What happens', 'Proof', 'Test', 'Planted faults', 'Assumes']
TICKS = ['', 'Question', 'Answer', 'Proof', 'Test', 'Link']
NO_FAULT = 'none'
FILE = re.compile(r'`((?:src|tests|docs|include|python|cli|bench|fuzz|tools|packaging|man|examples)/[\w./@-]+)`')


def planted(root):
    """The names of all planted faults, as LIST/NAME."""
    found = set()
    for path in source.files(root, 'tests/mutations', suffixes=('.toml',)):
        area = os.path.basename(path)[:-len('.toml')]
        found |= {'%s/%s' % (area, fault['name']) for fault in tomllib.loads(source.read(root, path))['fault']}
    return found


def wrong_link(root, faults, cells):
    if len(cells) != len(CHAIN) or not all(cells):
        yield 'a link has the cells ' + ', '.join(CHAIN)
        return
    yield from evidence.wrong_proofs(root, PAGE, cells[2])
    yield from evidence.wrong_tests(root, cells[3])
    named = re.findall(r'`([^`]+)`', cells[4])
    yield from ('no fault has the name ' + name for name in named if name not in faults)
    if not named and cells[4] != NO_FAULT:
        yield 'it names no planted fault, nor "%s"' % NO_FAULT


def wrong_question(root, links, cells):
    if len(cells) != len(TICKS) or cells[0] != '[ ]' or not all(cells):
        yield 'a question has an open box and the cells ' + ', '.join(TICKS[1:])
        return
    yield from evidence.wrong_proofs(root, PAGE, cells[3])
    yield from evidence.wrong_tests(root, cells[4])
    if cells[5] not in links:
        yield 'the chain has no link ' + cells[5]


def main():
    root, problems = sys.argv[1], []
    text, faults = source.read(root, PAGE), planted(root)
    chain, ticks = list(evidence.rows(text, CHAIN)), list(evidence.rows(text, TICKS))
    links = [cells[0] for _, cells in chain]
    problems += ['%s:%d: %s' % (PAGE, line, what) for line, cells in chain for what in wrong_link(root, faults, cells)]
    problems += ['%s:%d: %s' % (PAGE, line, what) for line, cells in ticks for what in wrong_question(root, links, cells)]
    problems += ['%s:%d: there is no %s' % (PAGE, source.line_of(text, m.start()), m.group(1)) for m in FILE.finditer(text)
                 if not os.path.exists(os.path.join(root, m.group(1)))]
    if not chain or not ticks:
        problems.append('%s:1: it lacks the chain or the questions' % PAGE)
    source.report(problems)


main()
