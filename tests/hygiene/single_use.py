#!/usr/bin/env python3
"""A function is there to be called, not to cut the story of another one into pieces: of the static functions of a file of more than 200 lines
at most 45 % are used once, by a call. Those in tables of pointers do not count. usage: single_use.py ROOT"""
import re
import sys

import source

FILE_LINES, SHARE = 200, .45

# Files that have more: how many, and why.
MORE = {
    'src/base/text/number.c': (4, 'the steps of the algorithm'),
    'src/federation/config/owner_policy.c': (3, 'four functions are left, of up to 45 lines'),
    'src/federation/protocol/beginning_owner.c': (8, 'handlers that the dispatcher names, with early returns'),
    'src/federation/protocol/wire_tree.c': (4, 'five functions are left, of 26 to 35 lines'),
    'src/federation/roles/coordinate.c': (4, 'what is left returns in the middle of a clean-up'),
    'src/federation/work/coordinator_work.c': (6, 'what is left returns in the middle of a clean-up'),
    'src/federation/hedge/federated_hedge_plan.c': (6, 'the next one to be joined makes 45 lines'),
    'src/federation/hedge/hedge_question_wire.c': (12, 'one reader for each kind of question; the proof names three'),
    'src/federation/sums/id3_question.c': (7, 'the proof names four'),
    'src/federation/transport/broker.c': (6, 'the next one to be joined makes 40 lines'),
    'src/fit/fit.c': (21, 'the steps of a fit, which the proof names'),
    'src/fit/start.c': (6, 'the checks of a start and what it costs, of which the proof names three'),
    'src/fit/measure/tune.c': (19, 'the steps of a selection, which the proof names'),
    'src/methods/forests/plain_forest.c': (6, 'the next one to be joined makes 37 lines'),
    'src/methods/simfl/simfl_attack.c': (8, 'the steps of the attack, of up to 33 lines'),
    'src/models/export/ensemble.c': (6, 'the steps of making a tree of the other program, of up to 30 lines'),
    'src/models/explain/shap.c': (7, 'the steps of the algorithm; joined they nest four deep'),
    'src/methods/hedge/hedge.c': (7, 'one function for each kind of question, and the steps of a run'),
    'src/models/model/json_read.c': (12, 'one reader for each object of the format'),
    'src/models/model/json_releases.c': (9, 'the steps of reading an entry and of writing one, of up to 26 lines'),
    'src/models/model/json_schema.c': (10, 'one reader for each kind of column, and for the exposure'),
    'src/models/model/json_write.c': (8, 'one writer for each object of the format'),
    'src/models/model/metrics.c': (6, 'one function for each group of measures'),
    'src/models/model/predictor.c': (5, 'the steps of compiling, and two ways to read a block, of up to 30 lines'),
    'src/privacy/ledger/store.c': (3, 'six functions are left'),
    'src/tables/bins/binner.c': (6, 'the body of a parallel loop, and steps of up to 40 lines'),
    'src/tables/bins/edges_exact.c': (9, 'the steps of the algorithm'),
    'src/tables/readers/csv.c': (6, 'waiting and locking in steps that are named'),
    'src/tables/readers/csv_records.c': (8, 'the short way of reading numbers, and early returns'),
    'src/tables/data/arrays.c': (9, 'one function for each array of the caller, and the steps of reading it'),
    'src/tables/schema/check.c': (10, 'one function for each rule'),
    'src/tables/schema/schema_read.c': (11, 'one function for each key'),
    'src/trees/candidates/candidate_scan.c': (7, 'the proof names four, another proof two'),
    'src/trees/grow/grow.c': (3, 'five functions are left'),
}


def called_once(text):
    """The static functions of a C file, and those of them that it names once beside definition and declaration, and calls there."""
    code = source.code(text)
    lines, statics, once = code.split('\n'), [], []
    for name, first, _ in source.functions(text):
        if not lines[first - 1].startswith('static '):
            continue
        statics.append(name)
        uses = list(re.finditer(r'\b%s\b(\s*\()?' % name, code))
        declared = len(re.findall(r'^static [^;={}()]*\b%s\([^;{}]*\);' % name, code, re.M))
        if len(uses) - 1 - declared == 1 and all(m.group(1) for m in uses):
            once.append(name)
    return statics, once


def main():
    root, problems, every, single = sys.argv[1], [], 0, 0
    paths = source.files(root, 'src', suffixes=('.c',))
    for path in paths:
        text = source.read(root, path)
        names, once = called_once(text)
        every, single = every + len(names), single + len(once)
        most = max(MORE.get(path, (0,))[0], SHARE * len(names))
        if text.count('\n') > FILE_LINES and len(once) > most:
            problems.append('%s:1: of %d static functions %d are used once, by a call, above %d; join those whose name repeats the step of '
                            'their caller: %s' % (path, len(names), len(once), most, ', '.join(once)))
        elif path in MORE and len(once) <= SHARE * len(names):
            problems.append('tests/hygiene/single_use.py:1: %s needs no room of its own any more; take it off the list' % path)
    problems += ['tests/hygiene/single_use.py:1: there is no %s; take it off the list' % path for path in MORE if path not in paths]
    print('static functions of src: %d, used once by a call: %d, %.1f %%' % (every, single, 100 * single / every))
    source.report(problems)


main()
