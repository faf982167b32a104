#!/usr/bin/env python3
"""C files are formatted by clang-format 14. Others format otherwise: of this project, versions 15 to 17 change some 15 lines, 18 to 20
150 to 220. PyPI has it for every system. usage: format.py ROOT [--write]"""
import shutil
import subprocess
import sys

import source

FOLDERS = ('include', 'src', 'cli', 'examples', 'tests', 'fuzz', 'bench')


def formatter():
    for name in ('clang-format-14', 'clang-format'):
        if shutil.which(name) and ' 14.' in subprocess.run([name, '--version'], stdout=subprocess.PIPE, text=True).stdout:
            return name
    source.skip('no clang-format 14; "apt-get install clang-format-14" or "pip install clang-format==14.0.6" brings it')


def main():
    root = sys.argv[1]
    mode = ['-i'] if sys.argv[2:] == ['--write'] else ['--dry-run', '-Werror']
    done = subprocess.run([formatter(), '--style=file', *mode] + source.files(root, *FOLDERS, suffixes=('.c', '.h')), cwd=root,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout + '"make format" formats them')
    sys.exit(1 if done.returncode else 0)


main()
