#!/usr/bin/env python3
"""Runs federated_id3.py and id3_ring.py at tiny size, so that neither rots. The ring adds up what it should; on it two neighbours of an
owner and the adder read its counts, exactly where it adds no noise.

usage: rehearse_federated_id3.py HEDGEROW BUILD"""
import os
import random
import subprocess
import sys
import tempfile

import federated_id3
import id3_ring
from pages import part_of, read, rows_of, write
from rehearse import HERE, expect
from rehearse_id3 import PREPARE


def run(script, *arguments):
    done = subprocess.run([sys.executable, os.path.join(HERE, script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, '%s failed:\n%s%s' % (script, done.stdout, done.stderr))
    return done.stdout


def page_of(work, parts):
    page = os.path.join(work, 'page.txt')
    write(page, ''.join('<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part) for part in parts))
    return page


def check_figures(hedgerow, work):
    write(os.path.join(work, 'prepare.py'), PREPARE)
    page = page_of(work, [federated_id3.PART])
    said = run('federated_id3.py', '--hedgerow', hedgerow, '--data', work, '--cache', os.path.join(work, 'cache'), '--sets', 'fruit', '--seeds', '1',
               '--epsilons', '1,100', '--into', page)
    text = read(page)
    expect(part_of(text, federated_id3.PART).strip() in said, 'the page does not say what was printed')
    for where, titles in (('owners', federated_id3.JOBS), ('pooled', federated_id3.ALONE)):
        for title in titles:
            expect(len(rows_of(text, 'fruit | %s | %s' % (title, where))) == 1, '%s, %s has no row:\n%s' % (title, where, text))


def check_ring():
    draw = random.Random(3)
    for owners in (2, 3, 7):
        counts = id3_ring.made_up_counts(draw, owners, 50)
        sent = id3_ring.run_ring(draw, counts, 0)
        expect(id3_ring.told(sent) == [sum(column) for column in zip(*counts)], 'the ring of %d does not add up' % owners)
        expect(len(sent) == 2 * owners, '%d messages of %d owners' % (len(sent), owners))
        for victim in range(1, owners - 1):
            expect(id3_ring.read_by_neighbours(sent, victim) == counts[victim], 'neighbours read other counts')
    # The parts of all owners' noise: of a Laplace variable of scale 5 the mean distance from 0 is 5; 6 standard errors of 4,000 are .5.
    noisy = id3_ring.told(id3_ring.run_ring(draw, [[0] * 4000 for _ in range(9)], 5))
    expect(4.5 < sum(map(abs, noisy)) / len(noisy) < 5.5, 'the parts of the noise do not make one Laplace variable')


def check_tables(hedgerow, build, work):
    page = page_of(work, id3_ring.PARTS)
    run('id3_ring.py', '--hedgerow', hedgerow, '--build', build, '--rows', '300', '--owners', '2,4', '--epsilons', '1', '--repeat', '1', '--into', page)
    text = read(page)
    expect(rows_of(part_of(text, 'id3-ring'), '4')[0][:4] == ['8', '4', '4', '1'], 'messages of four owners:\n' + text)
    expect(len(rows_of(part_of(text, 'id3-ring-read'), '4')) == 1, 'four owners have neighbours:\n' + text)


def main():
    hedgerow, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    check_ring()
    with tempfile.TemporaryDirectory() as work:
        check_figures(hedgerow, work)
        check_tables(hedgerow, build, work)


if __name__ == '__main__':
    main()
