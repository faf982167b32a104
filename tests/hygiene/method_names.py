#!/usr/bin/env python3
"""A method is a file and a line of a table: its row, and its name as a text, stand in that file, in those of its jobs over owners and in the
tables alone. What others need to know of a method is a field of its row. usage: method_names.py ROOT"""
import os
import re
import sys

import source

TABLES = ('src/methods/method.h', 'src/methods/table.c', 'src/federation/federated/federated_method.h', 'src/federation/federated/federated_method.c')
ROW = re.compile(r'^const hr_(?:federated_)?method (hr_(?:federated_)?method_\w+|hr_federated_\w+) = \{(.*?)^\};', re.M | re.S)
NAME = re.compile(r'\.name = "([\w-]+)"')

# file: rows of other methods that it is made of
MADE_OF = {
    'src/methods/simfl/simfl.c': {'hr_method_gbdt'},
}


def rows(root, paths):
    """Row -> (its file, the name of its method)."""
    found = {}
    for path in paths:
        for row, text in ROW.findall(source.read(root, path)):
            name = NAME.search(text)
            found[row] = (path, name.group(1) if name else None)
    return found


def main():
    root, problems = sys.argv[1], []
    paths = source.files(root, 'src', suffixes=('.c', '.h'))
    found = rows(root, paths)
    if len(found) < 20:
        problems.append('src/methods/table.c:1: only %d rows of methods were found; mend tests/hygiene/method_names.py' % len(found))
    names = {name: path for path, name in found.values() if name}
    for path in paths:
        text, words = source.read(root, path), set(re.split(r'\W|_', os.path.basename(path)))
        code = source.code(text)
        for m in re.finditer(r'\bhr_(?:federated_)?\w+\b', code):
            row = m.group(0)
            if row not in found or path in TABLES or found[row][0] == path or row in MADE_OF.get(path, ()):
                continue
            if set(re.sub(r'^hr_(?:method|federated)_', '', row).split('_')) <= words:
                continue
            problems.append('%s:%d: %s is named outside of its file and the tables; give the row a field for what is asked of it' %
                            (path, source.line_of(text, m.start()), row))
        # Of words that mean something else, too, only the row is looked for.
        for m in re.finditer(r'"(hedge|gbdt|dpboost|diprime|inprivate|simfl|id3|dp-\w+|rf|ert|tfl|all-in)"', text):
            if m.group(1) in names and names[m.group(1)] != path:
                problems.append('%s:%d: the method %s is named outside of its file' % (path, source.line_of(text, m.start()), m.group(0)))
    problems += ['tests/hygiene/method_names.py:1: %s does not use %s any more; take it off the list' % (path, row)
                 for path, used in MADE_OF.items() for row in sorted(used) if not re.search(r'\b%s\b' % row, source.read(root, path))]
    source.report(problems)


main()
