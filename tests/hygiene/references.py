#!/usr/bin/env python3
"""What a text sends its reader to exists: links in pages, and pages that comments, the manual and messages name.
usage: references.py ROOT"""
import os
import re
import sys

import source

LINK = re.compile(r'\]\((?!\w+:|#)([^)#\s]+)[^)]*\)')
PAGE = re.compile(r'(?<![\w*/.-])([\w./-]*\w\.md)\b')
NAMES = ('.md', '.c', '.h', '.py', '.sh', '.1', '.build', 'Makefile')
FORMS = ('NAME.proof.md', '.proof.md', 'FILE.md')  # a form of name, not a name


def main():
    root, problems = sys.argv[1], []
    pages = {p for p in source.files(root, suffixes=('.md',))}
    known = pages | {os.path.basename(p) for p in pages} | set(FORMS)
    for path in source.files(root, suffixes=NAMES):
        text = source.read(root, path)
        beside = os.path.dirname(os.path.join(root, path))
        if path.endswith('.md'):
            problems += ['%s:%d: there is no %s' % (path, source.line_of(text, m.start()), m.group(1)) for m in LINK.finditer(text)
                         if not os.path.exists(os.path.join(beside, m.group(1)))]
        if not path.startswith('tests/hygiene/'):
            problems += ['%s:%d: there is no page %s' % (path, source.line_of(text, m.start()), m.group(1)) for m in PAGE.finditer(text)
                         if os.path.normpath(m.group(1)) not in known and not os.path.exists(os.path.join(beside, m.group(1)))]
    source.report(problems)


main()
