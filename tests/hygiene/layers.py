#!/usr/bin/env python3
"""Data flows one way: every #include obeys src/LAYERS, programs see the public headers only, and each third-party header
belongs to one folder, which others may share by name. usage: layers.py ROOT"""
import os
import re
import sys

import source

STANDARD = set('''assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
dirent fcntl getopt poll pthread sched strings unistd'''.split())
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.M)


def read_layers(root, problems):
    """folder -> (folders it may include, third-party headers it may include), in the file's order."""
    layers, owners, wings = {}, {}, []
    for number, line in enumerate(source.read(root, 'src/LAYERS').splitlines(), 1):
        line = line.split('#')[0].strip()
        if not line:
            continue
        place = 'src/LAYERS:%d: ' % number
        folder, names = line.split(':')
        headers = {n.strip('<>') for n in names.split() if n.startswith('<') and n.endswith('>')}
        shared = dict(n.strip('<').split('>@', 1) for n in names.split() if n.startswith('<') and '>@' in n)
        folders = {n for n in names.split() if not n.startswith('<')}
        wing = folder.split('/')[0]
        if wing in wings and wing != wings[-1]:
            problems.append(place + '%s stands apart from the rest of its wing' % folder)
        wings.append(wing)
        for below in sorted(folders - set(layers)):
            problems.append(place + '%s may not include %s, which is not above it; move the line or the code' % (folder, below))
        for header in sorted(headers & set(owners)):
            problems.append(place + '<%s> already belongs to %s; wrap it there' % (header, owners[header]))
        for header, owner in sorted(shared.items()):
            if owners.get(header) != owner:
                problems.append(place + '<%s> does not belong to %s' % (header, owner))
        owners.update(dict.fromkeys(headers, folder))
        layers[folder] = (folders, headers | set(shared))
    return layers


def includes(root, path):
    """(line, header, whether in angle brackets) of every #include."""
    text = source.read(root, path)
    text = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S)
    return [(source.line_of(text, m.start(1) if m.group(1) else m.start(2)), m.group(1) or m.group(2), bool(m.group(1)))
            for m in INCLUDE.finditer(text)]


def is_standard(header):
    return header.startswith(('sys/', 'hedgerow/')) or header[:-2] in STANDARD


def is_there(root, header):
    """Also the header that protoc-c makes of a .proto file."""
    path = os.path.join(root, 'src', header)
    return os.path.isfile(path) or os.path.isfile(path.replace('.pb-c.h', '.proto'))


def check_library(root, layers, problems):
    paths = {}
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        paths.setdefault(os.path.relpath(os.path.dirname(path), 'src'), []).append(path)
    for folder in sorted(set(paths) - set(layers)):
        problems.append('src/LAYERS:1: the folder src/%s is not listed; say what it may include' % folder)
    for folder in sorted(set(paths) & set(layers)):
        allowed, headers = layers[folder]
        for path in paths[folder]:
            for line, header, angle in includes(root, path):
                place = '%s:%d: ' % (path, line)
                if angle and not is_standard(header) and header not in headers:
                    problems.append(place + '<%s> is not listed for %s in src/LAYERS' % (header, folder))
                elif not angle and os.path.dirname(header) not in allowed | {folder}:
                    problems.append(place + '%s may not include "%s"; see src/LAYERS' % (folder, header))
                elif not angle and not is_there(root, header):
                    problems.append(place + 'write the path from src: "folder/file.h", not "%s"' % header)


def check_programs(root, problems):
    for path in source.files(root, 'cli', 'examples', suffixes=('.c', '.h')):
        for line, header, angle in includes(root, path):
            beside = os.path.join(root, os.path.dirname(path), header)
            if not (is_standard(header) if angle else os.path.isfile(beside) and '..' not in header):
                problems.append('%s:%d: programs use the public headers only, not %s' % (path, line, header))


def check_public(root, problems):
    for path in source.files(root, 'include', suffixes=('.h',)):
        for line, header, angle in includes(root, path):
            if not angle or not is_standard(header):
                problems.append('%s:%d: a public header includes standard and public headers only, not %s' % (path, line, header))


def main():
    root, problems = sys.argv[1], []
    layers = read_layers(root, problems)
    check_library(root, layers, problems)
    check_programs(root, problems)
    check_public(root, problems)
    source.report(problems)


main()
