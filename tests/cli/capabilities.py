#!/usr/bin/env python3
"""What methods can do is said by their table alone: each sentence below of the pages, the manual, the help, the public headers and Python names just
the methods that `hedgerow methods --json` names; and what reads like such a list elsewhere is one of these sentences. The table of methods has
a row for every method, which says in which mode it is private.
usage: capabilities.py HEDGEROW ROOT"""
import glob
import json
import os
import re
import subprocess
import sys

# File, the words before the list, what the methods can.
SENTENCES = [
    ('docs/explanation/privacy.md', '- **Weights** (', 'weights'),
    ('docs/explanation/privacy.md', 'train --class-weight yes=4 (', 'class weights'),
    ('man/hedgerow.1', "each of a person's m records counts one m-th; ", 'weights'),
    ('man/hedgerow.1', 'apply to them as they are. For ', 'class weights'),
    ('include/hedgerow/fit.h', 'so that the person counts 1 (', 'weights'),
    ('python/hedgerow/estimators.py', 'a class that is not named counts 1. For ', 'class weights'),
    ('python/hedgerow/estimators.py', 'record of a person counts a part, which ', 'weights'),
    ('docs/how-to/python.md', 'takes a number from 0 to 1 for each record, with ', 'weights'),
    ('docs/reference/formats.md', 'maps that file instead of reading the table: ', 'cache'),
    ('man/hedgerow.1', 'readable by its owner alone (mode 0600). ', 'cache'),
    ('cli/cmd_bin.c', 'it is as private as the table. ', 'cache'),
    ('include/hedgerow/data.h', 'of methods that take them (', 'cache'),
    ('man/hedgerow.1', 'in the data of both. For ', 'start'),
    ('docs/how-to/cluster.md', '## What is trained ', 'ranks'),
    ('man/hedgerow.1', 'the network must be the owner\'s. For methods ', 'ranks'),
]
# gbdt sums over ranks with public edges alone, which these sentences say behind their list.
BESIDE = {'ranks': {'gbdt'}}
# What weighs records, and has no classes to weigh.
WITHOUT_CLASSES = {'survival-curve', 'statistics'}
# Lists that happen to have the same methods.
OTHER = {('docs/how-to/exports.md', 'hedge, dpboost and gbdt')}
TABLE = 'docs/reference/methods.md'
FILES = ('README.md', 'docs/*.md', 'docs/*/*.md', 'man/*', 'cli/*.c', 'include/hedgerow/*.h', 'python/hedgerow/*.py')


def capabilities(methods):
    """{capability: set of methods}, and all names."""
    able = {}
    for method in methods:
        for capability in method['can']:
            able.setdefault(capability, set()).add(method['name'])
    able['class weights'] = able['weights'] - WITHOUT_CLASSES
    return {capability: of - BESIDE.get(capability, set()) for capability, of in able.items()}, [method['name'] for method in methods]


def plain(text):
    """On one line, without what breaks or marks words in C, roff and Markdown."""
    text = text.replace('\\-', '-').replace('`', '')
    return re.sub(r'"?\s*\n\s*(?:\*\s|\.IP\s|")?\s*', ' ', text)


def lists(text, names):
    """(start, text, set of methods) of each list of three or more."""
    name = r'(?:%s)(?![\w-])' % '|'.join(sorted(map(re.escape, names), key=len, reverse=True))
    for found in re.finditer(r'(?<![\w-])%s(?:,? (?:and|or) %s|, %s)+' % (name, name, name), text):
        methods = set(re.findall(r'(?<![\w-])' + name, found.group(0)))
        if len(methods) > 2:
            yield found.start(), found.group(0), methods


def wrong_table(root, methods):
    """What the table of methods says of each, beside what the program says: private in both modes, in sound mode, or not at all."""
    rows, told = re.findall(r'^\| (`.*) \| (.*) \|$', open(os.path.join(root, TABLE), encoding='utf-8').read(), re.M), {}
    for cells, private in rows:
        told.update(dict.fromkeys(re.findall(r'`([\w-]+)`', cells.split(' | ')[0]), private))
    true = {m['name']: 'no' if not m['private'] else 'in sound mode' if m['flaws'] else 'yes' for m in methods}
    return ['%s: %s is private: %s, not %s' % (TABLE, name, true.get(name, 'no such method'), told.get(name, 'in no row'))
            for name in sorted(told.keys() | true.keys()) if told.get(name) != true.get(name)]


def main():
    hedgerow, root = sys.argv[1:3]
    known = json.loads(subprocess.run([hedgerow, 'methods', '--json'], stdout=subprocess.PIPE, check=True).stdout)['methods']
    able, names = capabilities(known)
    problems, met = wrong_table(root, known), set()
    for path in sorted(path for pattern in FILES for path in glob.glob(os.path.join(root, pattern))):
        short = os.path.relpath(path, root)
        text = plain(open(path, encoding='utf-8').read())
        for start, said, methods in lists(text, names):
            sentence = next((s for s in SENTENCES if s[0] == short and text.endswith(s[1], 0, start)), None)
            if sentence:
                met.add(sentence)
                if methods != able[sentence[2]]:
                    problems.append('%s: "%s%s": %s is of %s' % (short, sentence[1], said, sentence[2], ', '.join(sorted(able[sentence[2]]))))
            elif methods in able.values() and (short, said) not in OTHER:
                problems.append('%s: "...%s%s" lists what methods can; name the sentence in capabilities.py' % (short, text[max(0, start - 40):start], said))
    problems += ['%s: has no list behind "%s"' % sentence[:2] for sentence in SENTENCES if sentence not in met]
    print('\n'.join(problems) or '%d sentences name the methods that can' % len(met))
    sys.exit(bool(problems))


main()
