#!/usr/bin/env python3
"""The C that a text shows compiles: every block fenced as ```c, its statements as the body of a function.
usage: snippet.py TEXT INCLUDE COMPILER..."""
import re
import subprocess
import sys


def main():
    text, include, compiler = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(text, encoding='utf-8') as file:
        blocks = re.findall(r'^```c\n(.*?)^```$', file.read(), re.M | re.S)
    if not blocks:
        sys.exit('%s: no C found' % text)
    for block in blocks:
        lines = block.split('\n')
        head = [line for line in lines if line.startswith('#')]
        body = [line for line in lines if not line.startswith('#')]
        source = '\n'.join(['#include <stdio.h>', *head, 'int main(void) {', *body, 'return 0; }', ''])
        subprocess.run([*compiler, '-std=c11', '-Wall', '-Wextra', '-Werror', '-I', include, '-fsyntax-only', '-x', 'c', '-'],
                       input=source.encode(), check=True)
    print('%d blocks compile' % len(blocks))


main()
