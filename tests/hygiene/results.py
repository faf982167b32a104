#!/usr/bin/env python3
"""What pages show as measured is there: each block {measured} PART has its results/PART.json beside the page, each such file is shown, and
says what measured it, what its tables mean and all settings, and has as many cells a row as there are columns. usage: results.py ROOT"""
import json
import os
import re
import sys

import source

BLOCK = re.compile(r'^ *```\{measured\} (\S+)$', re.M)


def is_number(cell):
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def is_cell(cell):
    """A number, a text, or a number, its deviation and what stands beside them."""
    if isinstance(cell, list):
        return 2 <= len(cell) <= 3 and all(map(is_number, cell[:2])) and all(isinstance(more, str) for more in cell[2:])
    return is_number(cell) or isinstance(cell, str)


def faults(data):
    """What is wrong with a file."""
    if not isinstance(data, dict) or not data.get('tables'):
        yield 'has no tables'
        return
    if not data.get('command'):
        yield 'names no command that measures it'
    if not data.get('text') and not data['tables'][0].get('text'):
        yield 'does not say what its numbers mean; give the first table a text'
    said = [*data.get('text', []), *data.get('after', []), *(text for table in data['tables'] for text in table.get('text', []))]
    if not any('Settings: ' in text for text in said):
        yield 'does not list its settings; add a sentence that begins with "Settings: "'
    for table in data['tables']:
        if not table.get('columns') or not all(table['columns']):
            yield 'a column has no name'
            continue
        for row in table.get('rows') or [[]]:
            if len(row) != len(table['columns']):
                yield '%s: %d cells, %d columns' % (json.dumps(row[:2]), len(row), len(table['columns']))
            elif not all(map(is_cell, row)):
                yield '%s: a cell is no number, text or [mean, deviation]' % json.dumps(row[:2])


def main():
    root, problems, shown = sys.argv[1], [], set()
    for page in source.files(root, 'docs', suffixes=('.md',)):
        text = source.read(root, page)
        for found in BLOCK.finditer(text):
            path = os.path.join(os.path.dirname(page), 'results', found.group(1) + '.json')
            shown.add(path)
            if not os.path.exists(os.path.join(root, path)):
                problems.append('%s:%d: there is no %s' % (page, source.line_of(text, found.start()), path))
    for path in source.files(root, 'docs/reference/results'):
        if path not in shown:
            problems.append('%s:1: no page shows it; write a block {measured}' % path)
        try:
            problems += ['%s:1: %s' % (path, fault) for fault in faults(json.loads(source.read(root, path)))]
        except ValueError as error:
            problems.append('%s:1: is no JSON: %s' % (path, error))
    source.report(problems)


main()
