"""Figures as markdown, and where a page keeps them: between the lines "<!-- begin PART -->" and "<!-- end PART -->"."""
import json
import os
import re
import statistics
import sys


def load(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def write(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0


def shown(mean, spread_of_it, digits=2):
    return '%.*f ± %.*f' % (digits, mean, digits, spread_of_it)


def spread(values, digits=2):
    return shown(statistics.mean(values), deviation(values), digits)


def line(cells):
    return '| ' + ' | '.join(cells) + ' |'


def header(cells):
    return ['', line(cells), '|---' * len(cells) + '|']


def between(part):
    """What finds a part in a page: the line before it, its own, the line after it."""
    return re.compile(r'(<!-- begin %s -->\n)(.*?)(<!-- end %s -->\n)' % (part, part), re.S)


def part_of(text, part):
    return between(part).search(text).group(2)


def rows_of(text, first):
    """The other cells of a table's rows that begin with these cells."""
    start = '| %s |' % first
    return [[cell.strip() for cell in found[len(start):].rstrip().removesuffix('|').split('|')] for found in text.split('\n') if found.startswith(start)]


def put(path, part, lines):
    """Replaces a part in a page."""
    write(path, between(part).sub(lambda found: found.group(1) + '\n'.join(['', *lines, '', '']) + found.group(3), read(path)))


def check(path, parts):
    """Before the long work: the page has one place for each part."""
    text = read(path)
    for part in parts:
        if len(between(part).findall(text)) != 1:
            sys.exit('%s: %s has no one place for the part %s; write the lines <!-- begin %s --> and <!-- end %s -->' %
                     (os.path.basename(sys.argv[0]), path, part, part, part))
