#!/usr/bin/env python3
"""Runs federated_accuracy.py at tiny size, so that it does not rot: made-up sets, three owners, two splits; and stops and resumes it.

The normalised error needs scikit-learn; without it only the rules are checked. usage: rehearse_federated.py HEDGEROW"""
import importlib.util
import os
import subprocess
import sys
import tempfile

import federated_accuracy as bench
from pages import load, part_of, read, rows_of, write
from rehearse import HERE, PREPARE, expect

PAGE = os.path.join(HERE, '..', 'docs', 'reference', 'results.md')
SPLITS = ['iid', *bench.SKEWED]


def run(work, hedgerow, *more):
    return subprocess.run([sys.executable, os.path.join(HERE, 'federated_accuracy.py'), '--hedgerow', hedgerow, '--data', work,
                           '--cache', os.path.join(work, 'cache'), '--results', os.path.join(work, 'results.jsonl'), '--quick', '--seeds', '2', *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_rules():
    """A figure at its mark, and up to a standard error above it, is reached; the first cells are those of epsilon 1."""
    cases = [((.205, .006), .2, 'reached'), ((.206, .006), .2, 'reached'), ((.207, .006), .2, 'worse'), ((.1, .006), .2, 'reached'),
             ((.2, .1), None, 'better than both'), ((.3, .1), None, 'not better than both')]
    for found, mark, wanted in cases:
        said = bench.verdict(found, mark, [(.3, .1), (.4, .1)])
        expect(said == wanted, '%s beside the mark %s is %s' % (found, mark, said))
    order = sorted(bench.MAIN, key=bench.urgency)
    expect(all(cell.epsilon == 1 and cell.split != 'size' for cell in order[:6]) and order[-1].epsilon != 1, 'first is %s' % order[0]._asdict())
    known = {', '.join(bench.called(cell)) for cell in bench.MAIN}
    expect(set(load(os.path.join(HERE, 'federated.json'))['figures']) <= known, 'federated.json has a cell that is not measured')


def check_shares(work):
    """Sorted, a part goes to the first owner from the low end; sizes fall."""
    import numpy as np
    folder = bench.sets.prepared(work, os.path.join(work, 'cache'), 'coin', 0)
    x, y, _, _ = bench.columns(folder, 'train')
    for split in SPLITS:
        owner = bench.owners_of(folder, 360, bench.Cell(3, 120, split, 1), 0)
        counts = np.bincount(owner, minlength=3)
        key = y[:360] if split == 'label' else x[:360, 0]
        means = [key[owner == o].mean() for o in range(3)]
        expect(counts.sum() == 360 and len(counts) == 3, 'split %s: %s' % (split, counts))
        if split == 'iid':
            expect(list(counts) == [120] * 3, 'iid: %s' % counts)
        elif split == 'size':
            expect(counts[0] > counts[1] > counts[2], 'size: %s' % counts)
        else:
            expect(means[0] < means[1] < means[2] or split == 'label' and means[0] < means[2], '%s: %s' % (split, means))


def check_tables(work, hedgerow):
    page = os.path.join(work, 'page.txt')
    write(page, ''.join('<!-- begin %s -->\nold\n<!-- end %s -->\n' % (part, part) for part in ('federated', 'federated-sets')))
    done = run(work, hedgerow, '--sets', 'coin,length', '--into', page)
    expect(done.returncode == 0, 'federated_accuracy.py failed:\n' + done.stderr)
    text, results = read(page), read(os.path.join(work, 'results.jsonl'))
    expect('old' not in text and part_of(text, 'federated').strip() in done.stdout, 'the page does not say what was printed:\n' + text)
    for split in SPLITS:
        cells = rows_of(text, '3 x 200 | %s | 1' % split)[0]
        expect(len(cells) == len(bench.KINDS) and all('±' in cell for cell in cells), 'split %s: %s' % (split, cells))
    expect('| coin, error, % |' in text and '| length, RMSE |' in text, text)
    again = run(work, hedgerow, '--sets', 'coin,length')
    expect(again.stdout == done.stdout, 'what is known is measured again')
    expect(read(os.path.join(work, 'results.jsonl')) == results, 'the file of results grew')
    few = run(work, hedgerow, '--sets', 'coin,length', '--known', '--results', os.path.join(work, 'none.jsonl'))
    expect(few.returncode == 0 and 'not measured %d' % len(bench.QUICK) in few.stdout, 'without results:\n' + few.stdout + few.stderr)


def check_committed():
    expect(all(part_of(read(PAGE), part).strip() for part in ('federated', 'federated-sets', 'federated-more')), 'docs/reference/results.md lacks a part')


def main():
    hedgerow = os.path.abspath(sys.argv[1])
    check_rules()
    check_committed()
    if not importlib.util.find_spec('sklearn'):
        print('no scikit-learn: no table was made')
        return
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, 'prepare.py'), PREPARE)
        check_shares(work)
        check_tables(work, hedgerow)


if __name__ == '__main__':
    main()
