#!/usr/bin/env python3
"""What compiled programs rely on, beside the fields of structs (fields.py): the public functions with their types and the version of their symbol, the
numbers of enumerators. abi.txt lists them; a line that goes or changes breaks programs that were compiled before.
It is text from the headers, not a description by abidw: that one needs a build with debug information, which takes a minute, and has some
thousands of lines of types that no public function shows. usage: abi.py ROOT [--write] [SHARED_LIBRARY]
--write adds what is new, and refuses the rest; with a library, its symbols must have the versions that are listed."""
import os
import re
import subprocess
import sys

import source

LIST = 'tests/hygiene/abi.txt'
MAP = 'src/hedgerow.map'


def declarations(root):
    """{line of the list: header:line}, a function without its version."""
    found = {}
    for path in source.files(root, 'include', suffixes=('.h',)):
        code = source.code(source.read(root, path))
        for match in re.finditer(r'^HR_API\b([^;{]*);', code, re.M):
            found[shown(re.sub(r'\bHR_MUST_CHECK\b', '', match.group(1)))] = at(path, code, match)
        for match in re.finditer(r'^typedef [^;{}()]*\([^;{}]*\)(?=;)', code, re.M):
            found[shown(match.group(0))] = at(path, code, match)
        for match in re.finditer(r'\benum(?: \w+)? \{([^{}]*)\}', code):
            for name, number in numbers(match.group(1)):
                found['%s = %s' % (name, number)] = at(path, code, match)
    return found


def at(path, code, match):
    return '%s:%d' % (path, source.line_of(code, match.start()))


def shown(text):
    return re.sub(r'\s*\*\s*', ' *', ' '.join(text.split())).replace('* *', '**').replace('( *', '(*')


def numbers(body):
    """(enumerator, its number) in the order of an enum; a number that is an expression stands as it is written."""
    value = -1
    for item in filter(None, (' '.join(part.split()) for part in body.split(','))):
        name, _, given = item.partition(' = ')
        value = (int(given, 0) if re.fullmatch(r'-?\w+', given) and given[-1].isdigit() else given) if given else value + 1
        yield name, value


def name_of(line):
    """What a line is about: a function's name or an enumerator's."""
    match = re.search(r'\w+(?=\()', line)
    return match.group(0) if match and ' = ' not in line else line.split(' = ')[0]


def listed(root):
    """{line without version: version or ''}"""
    lines = (source.read(root, LIST) or '').splitlines() if os.path.exists(os.path.join(root, LIST)) else []
    return {line.partition(' @')[0]: line.partition(' @')[2] for line in lines if line}


def newest(root):
    """The last version of the linker's map, which new symbols have."""
    return re.findall(r'^(HEDGEROW_[\d.]+) \{', source.read(root, MAP), re.M)[-1]


def check_library(library, before, problems):
    said = subprocess.run(['nm', '-D', '--defined-only', '--with-symbol-versions', library], check=True, stdout=subprocess.PIPE, text=True).stdout
    has = dict(re.findall(r' [TW] (\w+)@@(\S+)', said))
    for line, version in before.items():
        if version and has.get(name_of(line)) != version:
            problems.append('%s:1: %s has the version %s in the library, and %s in the list' % (LIST, name_of(line), has.get(name_of(line)), version))


def main():
    root, arguments, problems = sys.argv[1], sys.argv[2:], []
    now, before = declarations(root), listed(root)
    names = {name_of(line): line for line in now}
    for line in sorted(set(before) - set(now)):
        name = name_of(line)
        what = "%s changed from '%s'" % (names[name], line) if name in names else "'%s' is gone" % line
        problems.append('%s: %s: a compiled program relies on it; keep it, or take the line off %s if no release has it' %
                        (now.get(names.get(name), LIST + ':1'), what, LIST))
    if '--write' in arguments and not problems:
        versions = {line: before.get(line, '' if ' = ' in line or line.startswith('typedef ') else newest(root)) for line in now}
        with open(os.path.join(root, LIST), 'w', encoding='utf-8') as file:
            file.write(''.join('%s%s\n' % (line, ' @' + versions[line] if versions[line] else '') for line in sorted(now, key=name_of)))
        before = listed(root)
    for line in sorted(set(now) - set(before)):
        if name_of(line) not in {name_of(old) for old in before}:
            problems.append("%s: '%s' is not listed; run tests/hygiene/abi.py . --write" % (now[line], line))
    for library in (a for a in arguments if not a.startswith('-')):
        check_library(library, before, problems)
    source.report(problems)


main()
