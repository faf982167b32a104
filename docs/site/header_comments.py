#!/usr/bin/env python3
"""A filter for Doxygen: the comments of a public header as Doxygen wants them. Prints the header.

The first comment is about the file. A comment on lines of its own is about what follows; one behind code is about that line. Titles of
sections stay as they are. usage: header_comments.py HEADER"""
import re
import sys

COMMENT = re.compile(r'(?P<before>^[^\n]*?)/\*(?P<text>.*?)\*/', re.S | re.M)


def marked(text):
    seen = 0

    def mark(match):
        nonlocal seen
        before, body = match['before'], match['text']
        seen += 1
        if body.strip().startswith('----'):
            return match[0]
        body = re.sub(r'([@\\<>])', r'\\\1', body)
        if seen == 1:
            return '/** \\file\n *' + body + '*/'
        return before + ('/**<' if before.strip() else '/**') + body + '*/'
    return COMMENT.sub(mark, text)


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as header:
        sys.stdout.write(marked(header.read()))
