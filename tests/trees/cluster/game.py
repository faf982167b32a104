#!/usr/bin/env python3
"""A game of whole trainings of hedge over two ranks: the canary is the record where the rows of the two meet. usage: game.py HEDGEROW GAME_OF_RANKS"""
import os
import subprocess
import sys

import cluster

RECORDS, ONES, RANKS, SECONDS = 100, 35, 2, 3600
CHUNK = 128  # bytes; ranks meet at multiples of it (src/tables/source/file_range.h), the two of this table at the first
SCHEMA = '''hedgerow-schema: 1
label: {name: y, kind: classes, values: [a, b]}
features: [{name: x, kind: category, values: [u]}]
'''


def table(canary):
    """Labels in an order in which the first record of the second rank, which begins with a chunk of the file, is of the first class, or the
    canary, of the second."""
    head, line = 'x,y\n', 'u,%s\n'
    meet = (CHUNK - len(head)) // len(line % 'a')
    labels = ['b'] * meet + ['a'] * (RECORDS - ONES) + ['b'] * (ONES - meet)
    return head + ''.join(line % y for y in labels[:meet] + canary + labels[meet:])


def write(c, name, text):
    with open(c.path(name), 'w', encoding='utf-8') as file:
        file.write(text)


def play(c, program, side):
    write(c, 'side%d.csv' % side, table(['b'] * side))
    command = [*cluster.LAUNCH, '-n', str(RANKS), program, 'play', 'schema.yaml', 'side%d.csv' % side, str(side), 'side%d.out' % side]
    subprocess.run(command, cwd=c.folder, env=c.environment, stdin=subprocess.DEVNULL, check=True, timeout=SECONDS)


def test(c, words):
    program = os.path.abspath(words[0])
    write(c, 'schema.yaml', SCHEMA)
    for side in (0, 1):
        play(c, program, side)
    sys.exit(subprocess.run([program, 'judge', 'side0.out', 'side1.out'], cwd=c.folder, env=c.environment, check=False).returncode)


cluster.main(test)
