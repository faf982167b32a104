#!/usr/bin/env python3
"""The matrix of features: every two of what a fit can do with records, together (features.py). A cell is a test of what one record, or one person, changes
(cells.py), or a test of the refusal; a cell without an answer fails, and so does an option of the product without a row (offers.py). The first cell
that is red ends the run.
usage: matrix.py --table | --check | [--cell A,B] HEDGEROW TRACED     HEDGEROW: the tool; TRACED: the same with its gate's calls noted (traced.c)
--table writes the matrix into docs/explanation/audit.md, --check says whether it stands there; --cell runs one cell alone."""
import concurrent.futures
import itertools
import os
import shutil
import sys
import tempfile
import time

import cells
import features
import offers
import pages

SKIPPED = 77
PROCESSES = 2
PAGE = os.path.join(features.ROOT, 'docs', 'explanation', 'audit.md')
TABLE = ('<!-- matrix: written by tests/matrix/matrix.py --table -->', '<!-- end of the matrix -->')


def pairs(rows):
    return list(itertools.combinations_with_replacement(rows, 2))


def cells_of(rows, answers):
    """All pairs, and the threes that have an answer."""
    named = {f.name: f for f in rows}
    return pairs(rows) + [tuple(named[name] for name in names) for names in answers if len(names) == 3]


def unanswered(rows, answers):
    """Cells without an answer, and answers without a cell."""
    wanted = [(a.name, b.name) for a, b in pairs(rows)]
    found = ["%s x %s has no answer: TESTED, or Refused, in ANSWERS" % cell for cell in wanted if cell not in answers]
    return found + ["%s x %s is no cell: take the answer off ANSWERS" % cell for cell in answers if cell not in wanted and len(cell) == 2]


def see_it_fail():
    """A row more turns one cell red for each feature, itself among them."""
    new = features.Feature('new', None, '', '', '', ())
    red = unanswered(features.FEATURES + [new], features.ANSWERS)
    assert len(red) == len(features.FEATURES) + 1, 'a new feature turned %d cells red' % len(red)


def names_of(cell):
    return tuple(f.name for f in cell)


def run_cell(tool, folder, pair):
    name = names_of(pair)
    answer = features.ANSWERS[name]
    began = time.monotonic()
    try:
        place = os.path.join(folder, '-'.join(name).replace(' ', '-'))
        count = cells.run_tested(tool, place, pair) if answer == features.TESTED else cells.run_refused(tool, place, pair, answer)
        return name, count, '', time.monotonic() - began
    except AssertionError as problem:
        return name, 0, str(problem), time.monotonic() - began


# ---- The page ----

def table():
    rows = features.FEATURES
    lines = ['| | %s |' % ' | '.join(f.name for f in rows), '|---' * (len(rows) + 1) + '|']
    for a in rows:
        shown = []
        for b in rows:
            answer = features.ANSWERS.get((a.name, b.name)) or features.ANSWERS.get((b.name, a.name))
            shown.append('tested' if answer == features.TESTED else 'refused' if answer else '**open**')
        lines.append('| %s | %s |' % (a.name, ' | '.join(shown)))
    lines += ['', '| feature | on by | what it changes |', '|---|---|---|']
    lines += ['| %s | %s | %s |' % (f.name, f.how, f.changes) for f in rows]
    lines += ['', '| refused | because |', '|---|---|']
    lines += ['| %s | %s |' % (' with '.join(name), answer.why) for name, answer in features.ANSWERS.items() if answer != features.TESTED]
    lines += ['', 'Of threes, tested: %s.' % '; '.join(' with '.join(name) for name, answer in features.ANSWERS.items()
                                                       if len(name) == 3 and answer == features.TESTED)]
    return '\n'.join(lines)


def main():
    words = sys.argv[1:]
    if words in (['--table'], ['--check']):
        if words == ['--table']:
            pages.write(PAGE, TABLE, table())
        elif not pages.is_written(PAGE, TABLE, table()):
            sys.exit('docs/explanation/audit.md: the matrix is out of date: run tests/matrix/matrix.py --table')
        return
    only = words[words.index('--cell') + 1] if '--cell' in words else None
    tool, traced = (os.path.abspath(word) for word in words[-2:])
    if not shutil.which('mpirun'):
        print('mpirun is not installed (openmpi-bin)')
        sys.exit(SKIPPED)
    see_it_fail()
    problems = unanswered(features.FEATURES, features.ANSWERS) + offers.problems(tool)
    chosen = [cell for cell in cells_of(features.FEATURES, features.ANSWERS)
              if names_of(cell) in features.ANSWERS and only in (None, ','.join(names_of(cell)))]
    # Refusals are quick, ranks wait much.
    chosen.sort(key=lambda cell: (features.ANSWERS[names_of(cell)] == features.TESTED, 'ranks' in names_of(cell)))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        running = [pool.submit(run_cell, traced, folder, cell) for cell in chosen]
        for done in concurrent.futures.as_completed(running):
            name, count, problem, seconds = done.result()
            print('%-36s %2d %s %.1f s' % (' x '.join(name), count, 'red' if problem else 'answered', seconds))
            if problem:
                problems.append('%s: %s' % (' x '.join(name), problem))
                pool.shutdown(cancel_futures=True)
                problems.append('cells behind it were not run')
                break
    for problem in problems:
        print(problem[:3000])
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
