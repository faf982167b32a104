#!/usr/bin/env python3
"""A mechanism is one file, one proof, one number and one row of a table: its number and the functions of its row are named in that file, in the
enum and in the table, and nowhere else. What others need to know of it is a column. usage: mechanism_names.py ROOT"""
import re
import sys

import source

ENUM, TABLE = 'src/privacy/accountant.h', ('src/privacy/mechanisms.h', 'src/privacy/mechanisms.c')
NUMBER = r'\bHR_MECHANISM_[A-Z_]+\b'
ROW = re.compile(r'\[(%s)\] =\s*\{(.*?)\}(?=,\s*(?:\[|\}))' % NUMBER, re.S)

# file: names of other mechanisms, of which its own is made
MADE_OF = {
    'src/privacy/permute_and_flip.c': {'hr_exponential_scale', 'hr_exponential_covers'},
}


def definitions(text):
    return {name for name, _, _ in source.functions(text)}


def main():
    root, problems = sys.argv[1], []
    texts = {path: source.code(source.read(root, path)) for path in source.files(root, 'src', 'cli', 'python', suffixes=('.c', '.h'))}
    defined = {path: definitions(source.read(root, path)) for path in texts if path.startswith('src/privacy/') and path.endswith('.c')}
    rows = {number: set(re.findall(r'\bhr_\w+', row)) for number, row in ROW.findall(texts[TABLE[1]])}
    numbers = set(re.findall(NUMBER, texts[ENUM]))
    problems += ['%s:1: %s has no row' % (TABLE[1], number) for number in sorted(numbers - set(rows))]
    at_home = {path: set(MADE_OF.get(path, ())) for path in texts}
    for number, functions in rows.items():
        homes = {path for path, names in defined.items() if names & functions}
        if len(homes) > 1:
            problems.append('%s:1: the functions of %s stand in %s; a mechanism is one file' % (TABLE[1], number, ', '.join(sorted(homes))))
        for path in homes:
            at_home[path] |= functions | {number}
    names = numbers.union(*rows.values())
    for path, text in texts.items():
        if path in TABLE + (ENUM,):
            continue
        problems += ['%s:%d: %s is named outside of its file and the table; give the table a column for what is asked of it' %
                     (path, source.line_of(text, m.start()), m.group(0))
                     for m in re.finditer(r'\b(?:HR_MECHANISM_[A-Z_]+|hr_\w+)\b', text) if m.group(0) in names - at_home[path]]
    problems += ['tests/hygiene/mechanism_names.py:1: %s does not use %s any more; take it off the list' % (path, name)
                 for path, used in MADE_OF.items() for name in sorted(used) if not re.search(r'\b%s\b' % name, texts.get(path, ''))]
    source.report(problems)


main()
