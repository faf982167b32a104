#!/usr/bin/env python3
"""The page of the papers names what exists: files, options of methods and of commands, fields of jobs, commands that measure. Every paper
has both tables, and no row stays open. usage: papers.py ROOT HEDGEROW"""
import functools
import json
import os
import re
import subprocess
import sys

import source

PAGE = 'docs/reference/papers.md'
JOB = 'src/federation/config/job_file.c'
LINES, FIGURES = ['Paper', 'File', 'Option', 'Mode paper', 'Mode sound', 'Why'], ['Paper', 'Ours', 'Command', 'Verdict']
MAY_BE_EMPTY = {'Option', 'Why'}
CODE = re.compile(r'`([^`]+)`')


def sections(text):
    """(heading, line, text) of each paper."""
    found = list(re.finditer(r'^## (.+)$', text, re.M))
    return [(at.group(1), source.line_of(text, at.start()), text[at.end():after.start() if after else len(text)]) for at, after in zip(found, found[1:] + [None])]


def tables(text, first):
    """(columns, [(line, cells)]) of each table."""
    made, rows = [], None
    for number, row in enumerate(text.split('\n'), first):
        if not row.startswith('|'):
            rows = None
            continue
        cells = [cell.strip() for cell in re.split(r'(?<!\\)\|', row)[1:-1]]
        if rows is None:
            rows = []
            made.append((cells, rows))
        elif not all(set(cell) <= set('-:') and cell for cell in cells):
            rows.append((number, cells))
    return made


class Program:
    """What the command says of itself."""

    def __init__(self, root, hedgerow):
        self.root, self.hedgerow = root, hedgerow
        self.fields = set(re.findall(r'\.key = "([\w-]+)"', source.read(root, JOB)))

    @functools.lru_cache(maxsize=None)
    def options(self, method):
        done = subprocess.run([self.hedgerow, 'methods', method, '--json'], capture_output=True, text=True)
        return None if done.returncode else {option['name'] for option in json.loads(done.stdout)['options']}

    @functools.lru_cache(maxsize=None)
    def flags(self, command):
        done = subprocess.run([self.hedgerow, command, '--help'], capture_output=True, text=True)
        return None if done.returncode else set(re.findall(r'(?<!\S)--[\w-]+', done.stdout))

    def lacks(self, option):
        """What is wrong with `METHOD: OPTION`, `job: FIELD` or `COMMAND: --FLAG`, or None."""
        of, _, name = option.partition(': ')
        if not name:
            return '`%s` is not of the form METHOD: OPTION, job: FIELD or COMMAND: --FLAG' % option
        if of == 'job':
            return None if name in self.fields else 'a job has no field %s' % name
        known = self.flags(of) if name.startswith('--') else self.options(of)
        if known is None:
            return 'there is no %s' % of
        return None if name in known else '%s has no %s' % (of, name)


def lacks_command(root, command):
    """What is wrong with a command that measures, or None."""
    words = [word for word in command.split() if '=' not in word.partition('--')[0]]
    if not os.path.exists(os.path.join(root, words[0])):
        return 'there is no %s' % words[0]
    text = source.read(root, words[0])
    missing = [word for word in words[1:] if word.startswith('--') and word not in text]
    return '%s has no %s' % (words[0], missing[0]) if missing else None


def faults_of_row(root, program, columns, cells):
    if len(cells) != len(columns):
        yield '%d cells, %d columns' % (len(cells), len(columns))
        return
    row = dict(zip(columns, cells))
    yield from ('%s is empty' % name for name in columns if not row[name] and name not in MAY_BE_EMPTY)
    for path in CODE.findall(row.get('File', '')):
        if '/' in path and not os.path.exists(os.path.join(root, path)):
            yield 'there is no %s' % path
    yield from filter(None, map(program.lacks, CODE.findall(row.get('Option', ''))))
    yield from filter(None, (lacks_command(root, command) for command in CODE.findall(row.get('Command', ''))))


def main():
    root, problems, program = sys.argv[1], [], Program(*sys.argv[1:3])
    for heading, line, text in sections(source.read(root, PAGE)):
        found = tables(text, line)
        if [columns for columns, _ in found] != [LINES, FIGURES]:
            problems.append('%s:%d: %s has not the two tables %s and %s' % (PAGE, line, heading, ' | '.join(LINES), ' | '.join(FIGURES)))
            continue
        for columns, rows in found:
            if not rows:
                problems.append('%s:%d: a table of %s has no rows' % (PAGE, line, heading))
            problems += ['%s:%d: %s' % (PAGE, at, fault) for at, cells in rows for fault in faults_of_row(root, program, columns, cells)]
    source.report(problems)


main()
