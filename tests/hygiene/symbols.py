#!/usr/bin/env python3
"""The library as the linker sees it: no object that changes, and the public functions, all of them, as its only exports.
usage: symbols.py ROOT STATIC_LIBRARY SHARED_LIBRARY"""
import re
import subprocess
import sys

import source

MUTABLE = ('.data', '.bss', '.tdata', '.tbss', '*COM*')
CONSTANT = ('.data.rel.ro',)
ALLOWED = {
    'kernels_named',  # which instructions inner loops use: the results are the same bytes with each
    'dial_turn',  # the environment, which a dial changes for a moment, belongs to the whole process, and so does its lock
    'nats_process',  # the threads of libnats belong to the whole process, and a forked one has none
    'parquet_reader',  # the module that reads Parquet files, which the process loads once
    'team_pool',  # the process's threads, which sleep between two calls and are all alike: so are the results
}


def table(library, *options):
    """Rows of nm's table: [name, class, section]."""
    said = subprocess.run(['nm', '--format=sysv', *options, library], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [[cell.strip() for cell in line.split('|')] for line in said.splitlines() if line.count('|') == 6]
    return [(row[0], row[2], row[6]) for row in rows if row[0] != 'Name']


def check_globals(static, problems):
    for name, _, section in table(static):
        if section.startswith(MUTABLE) and not section.startswith(CONSTANT) and name not in ALLOWED | {section}:
            problems.append('%s: the object %s can change (section %s); keep it in a struct that the caller holds' % (static, name, section))


def declared(root):
    """function -> header, for every HR_API declaration."""
    found = {}
    for path in source.files(root, 'include', suffixes=('.h',)):
        text = source.code(source.read(root, path))
        for match in re.finditer(r'^HR_API\b[^;(]*?\b(hr_\w+)\s*\(', text, re.M):
            found[match.group(1)] = '%s:%d' % (path, source.line_of(text, match.start()))
    return found


def check_exports(root, shared, problems):
    public = declared(root)
    # Of class A are the names of the versions themselves.
    exported = {name.split('@')[0] for name, kind, _ in table(shared, '--dynamic', '--defined-only') if kind != 'A'}
    for name in sorted(exported - set(public)):
        problems.append('%s: exports %s, which no public header declares' % (shared, name))
    for name in sorted(set(public) - exported):
        problems.append('%s: %s is declared, but the library does not export it' % (public[name], name))


def main():
    root, static, shared = sys.argv[1:4]
    problems = []
    check_globals(static, problems)
    check_exports(root, shared, problems)
    source.report(problems)


main()
