#!/usr/bin/env python3
"""A format of tables is named in its own files and in its line of a table alone: whatever else reads a table asks the row.
CSV is what the others are turned into, so that only its number is looked for. usage: formats.py ROOT"""
import re
import sys

import source

ROWS, WRAPPED = 'src/tables/formats/', 'src/tables/source/'
TABLES = (ROWS + 'formats.c', ROWS + 'formats.h', WRAPPED + 'contents.c', WRAPPED + 'codec.h')
ROW = re.compile(r'\.number = (HR_FORMAT_\w+),\s*\.name = "(\w+)"')
LINE = re.compile(r'\{HR_CONTENTS_(?:COMPRESSED|CONVERTED), "(\w+)"')


def names(root, paths):
    """What names a format -> the files that may."""
    found = {}
    for path in paths:
        text = source.read(root, path)
        for number, name in ROW.findall(text) if path.startswith(ROWS) else ():
            found[number] = (path,)
            if name != 'CSV':
                found[name] = (path,)
        for name in LINE.findall(text) if path in TABLES else ():
            found[name] = tuple(p for p in paths if p.startswith(WRAPPED) and name.lower() in p)
    return found


def main():
    root = sys.argv[1]
    paths, problems = source.files(root, 'src', suffixes=('.c', '.h')), []
    known = names(root, paths)
    if len(known) < 6:
        problems.append('%s:1: only %d names of formats were found; mend tests/hygiene/formats.py' % (TABLES[0], len(known)))
    for path in paths:
        text = source.read(root, path)
        for name, own in sorted(known.items()):
            pattern = r'\b%s\b' % name if name.startswith('HR_') else r'(?<![a-z])%s(?![a-z])' % name
            if path not in own + TABLES:
                problems += ['%s:%d: names the format %s; ask its row in %s or %s' % (path, source.line_of(text, m.start()), name, TABLES[0], TABLES[2])
                             for m in re.finditer(pattern, text, re.I)]
    source.report(problems)


main()
