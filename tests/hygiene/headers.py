#!/usr/bin/env python3
"""Every header compiles alone and twice included: inside headers as C11, public ones as C++17 too, with strict warnings; and all inside headers
compile in one file, so that no two of them define one name.
usage: headers.py ROOT BUILD CC [CC's arguments]   (BUILD has the generated headers; the C++ compiler is $CXX or c++)"""
import os
import re
import shutil
import subprocess
import sys

import source

# Loops of the kernels, which each instruction set has under the same names.
ALONE = ('src/base/kernels/',)
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wconversion', '-Wno-sign-conversion', '-Wshadow', '-Wundef',
          '-Wcast-align', '-Wpointer-arith', '-Wwrite-strings', '-Wdouble-promotion', '-fsyntax-only']
STRICT_C = ['-x', 'c', '-std=c11', '-Wstrict-prototypes', '-Wmissing-prototypes', '-D_POSIX_C_SOURCE=200809L'] + STRICT
STRICT_CXX = ['-x', 'c++', '-std=c++17', '-Wold-style-cast', '-Wzero-as-null-pointer-constant'] + STRICT


def complaint(compiler, flags, include_line):
    """What the compiler says of a file that includes the header twice and nothing else; '' if it is content."""
    done = subprocess.run(compiler + flags + ['-'], input=include_line * 2 + 'extern int hr_not_empty;\n', text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.strip() or ('exit code %d' % done.returncode) if done.returncode else ''


def main():
    root, build, cc = sys.argv[1], sys.argv[2], sys.argv[3:]
    cxx = [shutil.which(os.environ.get('CXX', 'c++'))]
    if not cxx[0]:
        source.skip('no C++ compiler; install g++ or set CXX')
    public, inside = ['-I', os.path.join(root, 'include')], ['-I', os.path.join(root, 'src'), '-I', os.path.join(build, 'src')]
    problems = []
    for path in source.files(root, 'include', suffixes=('.h',)):
        line = '#include <%s>\n' % os.path.relpath(path, 'include')
        for compiler, flags in ((cc, STRICT_C), (cxx, STRICT_CXX)):
            said = complaint(compiler, flags + public, line)
            if said:
                problems.append('%s:1: does not compile alone with %s:\n%s' % (path, compiler[0], said))
    for path in source.files(root, 'src', suffixes=('.h',)):
        guard = 'HR_%s' % re.sub(r'[/.]', '_', os.path.relpath(path, 'src')).upper()
        if '#ifndef %s\n#define %s\n' % (guard, guard) not in source.read(root, path):
            problems.append('%s:1: has no guard %s' % (path, guard))
        said = complaint(cc, STRICT_C + public + inside, '#include "%s"\n' % os.path.relpath(path, 'src'))
        if said:
            problems.append('%s:1: does not compile alone with %s:\n%s' % (path, cc[0], said))
    inner = [path for path in source.files(root, 'src', suffixes=('.h',)) if not path.startswith(ALONE)]
    said = complaint(cc, STRICT_C + public + inside, ''.join('#include "%s"\n' % os.path.relpath(path, 'src') for path in inner))
    if said:
        problems.append('src:1: two inner headers define one name:\n%s' % said)
    source.report(problems)


main()
