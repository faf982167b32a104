#!/usr/bin/env python3
"""Rooms one can see whole: no file above 600 lines, no C function above 80. usage: size.py ROOT"""
import re
import sys

import source

FILE_LINES, FUNCTION_LINES = 600, 80


def functions(text):
    """(name, first line, lines) of every function definition of a C file."""
    text = source.code(text)
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.M)
    text = re.sub(r'extern\s+" *"\s*\{', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)
    found, depth, start = [], 0, 0
    for match in re.finditer(r'[{};]', text):
        mark, at = match.group(0), match.start()
        if mark == '{':
            if depth == 0:
                head = text[start:at].strip()
                named = re.search(r'(\w+)\s*\(', head)
                name = named.group(1) if named and head.endswith(')') and '=' not in head else None
                first = source.line_of(text, start + len(text[start:at]) - len(text[start:at].lstrip()))
            depth += 1
        elif mark == '}':
            depth = max(depth - 1, 0)
            if depth == 0 and name:
                found.append((name, first, source.line_of(text, at) - first + 1))
        if depth == 0:
            start, name = at + 1, None
    return found


def main():
    root, problems, lengths = sys.argv[1], [], []
    for path in source.files(root, suffixes=('.c', '.h', '.py', '.sh')):
        text = source.read(root, path)
        if text.count('\n') > FILE_LINES:
            problems.append('%s:%d: the file has %d lines, above %d; is it two rooms?' % (path, FILE_LINES, text.count('\n'), FILE_LINES))
        if path.endswith(('.c', '.h')):
            for name, line, length in functions(text):
                lengths += [length] if path.startswith(('src', 'cli')) else []
                if length > FUNCTION_LINES:
                    problems.append('%s:%d: %s has %d lines, above %d; name its parts' % (path, line, name, length, FUNCTION_LINES))
    lengths.sort()
    print('functions of src and cli: %d, median %d lines, 90th percentile %d' %
          (len(lengths), lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]))
    source.report(problems)


main()
