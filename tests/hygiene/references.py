#!/usr/bin/env python3
"""What a text sends its reader to exists: links in pages, and pages that comments, the manual and messages name. What a page of the
site links to is copied to the site. usage: references.py ROOT"""
import ast
import fnmatch
import os
import re
import sys

import source

LINK = re.compile(r'\]\((?!\w+:|#)([^)#\s]+)[^)]*\)')
PAGE = re.compile(r'(?<![\w*/.-])([\w./-]*\w\.md)\b')
NAMES = ('.md', '.c', '.h', '.py', '.sh', '.1', '.build', 'Makefile')
FORMS = ('NAME.proof.md', '.proof.md', 'FILE.md')  # a form of name, not a name


def outside_of_site(root, pages):
    """Links of the site's pages to files that tools/site.sh does not copy."""
    copied = [w for line in re.findall(r'^cp -a (.*)', source.read(root, 'tools/site.sh'), re.M) for w in line.split() if not w.startswith('"')]
    patterns = ast.literal_eval(re.search(r'^include_patterns = (.*)', source.read(root, 'docs/site/conf.py'), re.M).group(1))
    for page in sorted(p for p in pages if any(fnmatch.fnmatch(p, pattern) for pattern in patterns)):
        text = source.read(root, page)
        for m in LINK.finditer(text):
            target = os.path.normpath(os.path.join(os.path.dirname(page), m.group(1)))
            if os.path.isfile(os.path.join(root, target)) and not any(target == c or target.startswith(c + '/') for c in copied):
                yield '%s:%d: the site has no %s; let tools/site.sh copy it' % (page, source.line_of(text, m.start()), target)


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
    problems += outside_of_site(root, pages)
    source.report(problems)


main()
