#!/usr/bin/env python3
"""New fields of public structs go to the end, so that programs which were compiled with an older header find the others where they were; a
struct with a `size` may grow so, one without may not once a release has it. fields.txt has the fields of all structs in their order.
usage: fields.py ROOT [--write]   (--write adds what is new at the ends, and refuses the rest)"""
import os
import re
import sys

import source

LIST = 'tests/hygiene/fields.txt'


def fields_of(body):
    """Declarations as they stand, without comments and line breaks."""
    return [' '.join(field.split()) for field in body.split(';') if field.strip()]


def structs_of(root):
    """{name: (path, line, fields)} of the public headers."""
    found = {}
    for path in source.files(root, 'include', suffixes=('.h',)):
        code = source.code(source.read(root, path))
        for match in re.finditer(r'typedef struct (\w+) \{([^{}]*)\} \1;', code):
            found[match.group(1)] = path, source.line_of(code, match.start()), fields_of(match.group(2))
    return found


def listed(root):
    """{name: fields} of the list: a name, and its fields below it, each behind spaces."""
    found = {}
    for line in source.read(root, LIST).splitlines():
        if line.startswith(' '):
            found[name].append(line.strip())
        elif line:
            name = line
            found[name] = []
    return found


def problems_of(structs, before):
    """What no list may follow: fields that moved, changed or went."""
    problems = ['%s:1: %s is no public struct any more; take it off the list if no release has it' % (LIST, name)
                for name in sorted(set(before) - set(structs))]
    for name, (path, line, fields) in sorted(structs.items()):
        known = before.get(name, [])
        if fields[:len(known)] != known:
            moved = next((old for new, old in zip(fields + [None], known) if new != old), known[-1])
            problems.append("%s:%d: of %s '%s' is not where it was; put new fields at the end, or correct %s if no release has it" %
                            (path, line, name, moved, LIST))
    return problems


def main():
    root, structs = sys.argv[1], structs_of(sys.argv[1])
    problems = problems_of(structs, listed(root))
    text = ''.join('%s\n%s' % (name, ''.join('    %s\n' % field for field in structs[name][2])) for name in sorted(structs))
    if '--write' in sys.argv and not problems:
        with open(os.path.join(root, LIST), 'w', encoding='utf-8') as file:
            file.write(text)
    for name, (path, line, fields) in sorted(structs.items()):
        if not problems and listed(root).get(name) != fields:
            problems.append('%s:%d: %s has fields that are not listed; run tests/hygiene/fields.py . --write' % (path, line, name))
    source.report(problems)


main()
