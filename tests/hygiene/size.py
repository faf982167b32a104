#!/usr/bin/env python3
"""Rooms one can see whole: limits for files, C functions, their parameters and lines. usage: size.py ROOT"""
import re
import sys

import source

# Of src and cli; programs of tests have longer lists of cases.
FILE_LINES, FUNCTION_LINES = 520, 45
TEST_LINES, TEST_FUNCTION_LINES = 720, 50
PARAMETERS, COLUMNS = 6, 110


def parameters(text, name, first):
    """How many the function of that name has whose definition begins in line `first`."""
    code = source.code(text).split('\n', first - 1)[-1]
    start = re.search(r'\b%s\s*\(' % name, code).end()
    depth, commas, at = 1, 0, start
    while depth:
        depth += (code[at] in '([') - (code[at] in ')]')
        commas += code[at] == ',' and depth == 1
        at += 1
    return commas + 1 if code[start:at - 1].strip() not in ('', 'void') else 0


def limits(path):
    """Of lines: of a file, and of a function in it."""
    return (FILE_LINES, FUNCTION_LINES) if path.startswith(('src/', 'cli/')) else (TEST_LINES, TEST_FUNCTION_LINES)


def check_lines(path, text, problems):
    lines, most = text.split('\n'), limits(path)[0]
    if len(lines) - 1 > most:
        problems.append('%s:%d: the file has %d lines, above %d; is it two rooms?' % (path, most, len(lines) - 1, most))
    if path.endswith(('.c', '.h')):
        # Literals do not count: they are not broken.
        problems += ['%s:%d: the line has %d columns, above %d' % (path, number, len(line), COLUMNS) for number, line in enumerate(lines, 1)
                     if len(re.sub(r'"(?:\\.|[^"\\])*"', '', line)) > COLUMNS]


def check_functions(path, text, problems):
    """Their lengths."""
    found, most = source.functions(text), limits(path)[1]
    for name, line, length in found:
        if length > most:
            problems.append('%s:%d: %s has %d lines, above %d; name its parts' % (path, line, name, length, most))
        count = parameters(text, name, line)
        if count > PARAMETERS:
            problems.append('%s:%d: %s has %d parameters, above %d; give those that belong together a struct' % (path, line, name, count, PARAMETERS))
    return [length for _, _, length in found]


def main():
    root, problems, lengths = sys.argv[1], [], []
    for path in source.files(root, suffixes=('.c', '.h', '.py', '.sh')):
        text = source.read(root, path)
        check_lines(path, text, problems)
        if path.endswith(('.c', '.h')):
            found = check_functions(path, text, problems)
            lengths += found if path.startswith(('src', 'cli')) else []
    lengths.sort()
    print('functions of src and cli: %d, median %d lines, 90th percentile %d' %
          (len(lengths), lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]))
    source.report(problems)


main()
