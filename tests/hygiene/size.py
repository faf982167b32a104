#!/usr/bin/env python3
"""Rooms one can see whole: no file above 600 lines, no C function above 80. usage: size.py ROOT"""
import sys

import source

FILE_LINES, FUNCTION_LINES = 600, 80


def main():
    root, problems, lengths = sys.argv[1], [], []
    for path in source.files(root, suffixes=('.c', '.h', '.py', '.sh')):
        text = source.read(root, path)
        if text.count('\n') > FILE_LINES:
            problems.append('%s:%d: the file has %d lines, above %d; is it two rooms?' % (path, FILE_LINES, text.count('\n'), FILE_LINES))
        if path.endswith(('.c', '.h')):
            for name, line, length in source.functions(text):
                lengths += [length] if path.startswith(('src', 'cli')) else []
                if length > FUNCTION_LINES:
                    problems.append('%s:%d: %s has %d lines, above %d; name its parts' % (path, line, name, length, FUNCTION_LINES))
    lengths.sort()
    print('functions of src and cli: %d, median %d lines, 90th percentile %d' %
          (len(lengths), lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]))
    source.report(problems)


main()
