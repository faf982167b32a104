"""Tables of pages that name proofs and tests: their rows, and whether what a cell names is there.
A proof is a link, perhaps with a section behind it: [hedge](../../src/methods/hedge.proof.md), *Blocks*. A test is `FILE`: `NAME`."""
import os
import re

import prose
import source

LINK = re.compile(r'\[[^\]]*\]\(([^)#\s]+)[^)]*\)(?:, \*([^*]+)\*)?')
TEST = re.compile(r'`([^`]+)`: `([^`]+)`')


def rows(text, columns):
    """(line, cells) of the rows below each head with these columns."""
    inside = False
    for number, line in enumerate(text.split('\n'), 1):
        cells = [c.strip().replace('\0', '|') for c in line.replace('\\|', '\0').strip('|').split('|')] if line.startswith('|') else None
        if cells == columns:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(line) <= set('|- :'):
            yield number, cells


def wrong_proofs(root, page, cell):
    found = LINK.findall(cell)
    for target, section in found:
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if not os.path.isfile(os.path.join(root, path)):
            yield 'there is no proof ' + path
        elif section and prose.joined(section) not in prose.joined(re.sub(r'[*#]', '', source.read(root, path))):
            yield '%s has no section "%s"' % (path, section)
    if not found:
        yield 'it names no proof'


def wrong_tests(root, cell):
    found = TEST.findall(cell)
    for path, name in found:
        if not path.startswith(('tests/', 'python/tests/')) or not os.path.isfile(os.path.join(root, path)):
            yield 'there is no test ' + path
        elif not re.search(r'(?<!\w)%s(?!\w)' % re.escape(name), source.read(root, path)):
            yield '%s has no test "%s"' % (path, name)
    if not found:
        yield 'it names no test'
