#!/usr/bin/env python3
"""What "make install" leaves behind is enough: programs that know nothing of this tree build with pkg-config and run, the
command-line tool works, and its manual and completion are there.

Every examples/NAME.c says in its head how it is run, in a line "./NAME ARGUMENT..."; train.csv, schema.yaml and test.csv are
there for it. usage: install.py ROOT BUILD CC [CC's arguments]"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

import source

STRICT = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror']
WANTED = ['bin/hedgerow', 'share/man/man1/hedgerow.1', 'share/bash-completion/completions/hedgerow', 'share/zsh/site-functions/_hedgerow',
          'share/fish/vendor_completions.d/hedgerow.fish', 'include/hedgerow/hedgerow.h',
          'share/doc/hedgerow/hedgerow.spdx.json']
TABLES = ['generate hospital --rows 1000 --seed 1 -o train.csv --schema schema.yaml', 'generate hospital --rows 200 --seed 2 -o test.csv']


def run(problems, what, command, **options):
    """Standard output, or None after noting what went wrong."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        problems.append('%s: "%s" ended with %d and said:\n%s' % (what, shlex.join(command), done.returncode, done.stdout))
        return None
    return done.stdout


def find(top, end):
    """The file below `top` whose path ends in `end` (a packed manual counts); None if there is none."""
    for where, _, names in os.walk(top):
        for name in names:
            if re.sub(r'\.gz$', '', os.path.join(where, name)).endswith('/' + end):
                return os.path.join(where, name)
    return None


def run_example(root, path, compiler, flags, environment, work, problems):
    called = re.search(r'^ \*\s+\./(\w+)(.*)$', source.read(root, path), re.M)
    name = os.path.basename(path)[:-2]
    if not called or called.group(1) != name:
        problems.append('%s:1: its head does not say how it is run: "./%s ARGUMENT..."' % (path, name))
    elif run(problems, path, [*compiler, *STRICT, os.path.join(root, path), '-o', name, *flags], cwd=work) is not None:
        run(problems, path, ['./' + name, *shlex.split(called.group(2))], cwd=work, env=environment)


def check(root, compiler, top, problems):
    """`top` holds the installed tree."""
    work = os.path.join(top, 'work')
    os.mkdir(work)
    for wanted in WANTED:
        if not find(top, wanted):
            problems.append('%s is not installed' % wanted)
    config = find(top, 'pkgconfig/hedgerow.pc')
    if problems or not config:
        problems.append('nothing more was tried' if problems else 'hedgerow.pc is not installed')
        return
    environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=top, PKG_CONFIG_PATH=os.path.dirname(config),
                       LD_LIBRARY_PATH=os.path.dirname(find(top, 'libhedgerow.so')))
    flags = run(problems, 'hedgerow.pc', ['pkg-config', '--cflags', '--libs', 'hedgerow'], env=environment)
    for table in TABLES:
        run(problems, 'hedgerow', [find(top, 'bin/hedgerow'), *table.split()], cwd=work, env=environment)
    for path in source.files(root, 'examples', suffixes=('.c',)):
        run_example(root, path, compiler, (flags or '').split(), environment, work, problems)


def main():
    root, build, compiler, problems = sys.argv[1], sys.argv[2], sys.argv[3:], []
    with tempfile.TemporaryDirectory() as top:
        command = ['meson', 'install', '-C', build, '--no-rebuild', '--quiet']
        if run(problems, 'install', command, env=dict(os.environ, DESTDIR=top)) is not None:
            check(root, compiler, top, problems)
    source.report(problems)


main()
