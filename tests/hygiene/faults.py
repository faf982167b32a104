#!/usr/bin/env python3
"""docs/reference/faults.md says of every fault and attack what happens, who is told, the exit code and a test, which is there. Codes are those of
coordinate. usage: faults.py ROOT"""
import re
import sys

import evidence
import source

PAGE = 'docs/reference/faults.md'
COLUMNS = ['What', 'What happens', 'Who is told what', 'Exit code', 'Test']
ENDINGS = 'src/federation/protocol/ending.c'
OTHERS = {5, 6}  # a suspect model, and in use


def codes_of(root):
    return OTHERS | {int(code) for code in re.findall(r'\{"[\w ]*",\s*(\d+),', source.read(root, ENDINGS))}


def wrong_row(root, cells, codes):
    if len(cells) != len(COLUMNS) or not all(cells):
        yield 'a row has the cells %s' % ', '.join(COLUMNS)
        return
    said = re.findall(r'\d+', cells[3])
    if not said and cells[3] != 'none':
        yield 'it names no exit code, and does not say "none"'
    yield from ('coordinate has no exit code %s' % code for code in said if int(code) not in codes)
    yield from evidence.wrong_tests(root, cells[4])
    if 'tests/hygiene/' in cells[4]:
        yield 'its test compares files, not behaviour'


def main():
    root, problems = sys.argv[1], []
    found, codes = list(evidence.rows(source.read(root, PAGE), COLUMNS)), codes_of(root)
    for number, cells in found:
        problems += ['%s:%d: %s' % (PAGE, number, what) for what in wrong_row(root, cells, codes)]
    if not found:
        problems.append('%s:1: no rows; the table has the columns %s' % (PAGE, ', '.join(COLUMNS)))
    source.report(problems)


main()
