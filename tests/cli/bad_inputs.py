#!/usr/bin/env python3
"""Runs commands on bad inputs, compares what they print, and checks each message by rule.

    bad_inputs.py [--rewrite] HEDGEROW FILE...     FILE has the format that run.py tells

The first command of a file makes good inputs. Every other one begins in a directory of its own that has a copy of these; its last line
is the tool's run on the bad input, and the lines before prepare that. Of each run:
    it fails, with a documented exit code, prints nothing on standard output, and neither makes, changes nor removes a file
    (but for the journal of a service, which is opened first; a ledger then still says what it said);
    its message begins with the command, names a file, line, key, option or command, and ends in what to do."""
import concurrent.futures
import hashlib
import os
import re
import shutil
import sys
import tempfile

import run

NEEDED = 200
LINE = re.compile(r'hedgerow( [a-z0-9]+){0,2}: (?P<text>.+)')
HELP = re.compile(r"'hedgerow( [a-z0-9]+)* --help' lists the options\.")
PLACE = re.compile(r"""field '[^']+'|--[a-z]|'[^']+'|^[A-Z]+ is required|^postgresql://|^the data """)
FILE = re.compile(r'([\w./-]+?)(:\d+){0,2}: ')
TRACES = re.compile(r'(-wal|-shm)$')  # SQLite's own, beside a ledger that was opened
ABSENT = ['no.csv', 'no.db', 'no.key', 'no.pem', 'no.yaml', 'coordinator.yaml']  # which bad files name
JOURNALS = {'serve': 'l.db', 'coordinate': 'j.db'}


def files_below(directory):
    """{path: hash} of the files, and {path: None} of the folders."""
    found = {}
    for folder, folders, names in os.walk(directory):
        found.update({os.path.join(folder, name): None for name in folders})
        for name in names:
            path = os.path.join(folder, name)
            with open(path, 'rb') as file:
                found[path] = hashlib.sha256(file.read()).digest()
    return {path: value for path, value in found.items() if not TRACES.search(path)}


def names_place(text, names):
    at = FILE.match(text)
    return PLACE.search(text) or (at and os.path.basename(at[1]) in names)


def faults_of_message(lines, names):
    if not lines or not all(LINE.fullmatch(line) or HELP.fullmatch(line) for line in lines):
        return ['no line "hedgerow COMMAND: ..."']
    usage = HELP.fullmatch(lines[-1])
    text = LINE.fullmatch(lines[-2 if usage else -1])['text']
    faults = [] if names_place(text, names) else ['names no file, line, key, option or command']
    if not usage and not re.search(r'; [^;]{6,}$', text):
        faults.append('ends in no remedy')
    return faults


def faults_of_run(command, result, before, after):
    out, err, code = result
    words = re.findall(r"[^\s'=]+", command)
    faults = faults_of_message(err, {os.path.basename(path) for path in [*words, *before, *ABSENT]})
    if code not in (1, 2, 3):
        faults.append('exit code %d' % code)
    if out:
        faults.append('prints on standard output')
    changed = {os.path.basename(path) for path in {**before, **after} if before.get(path, 0) != after.get(path, 0)}
    return faults + ['writes or changes ' + name for name in sorted(changed - {JOURNALS.get(command.split()[1])})]


def ledger_says(directory, environment):
    return run.run(run.Step(0, 'hedgerow ledger show --json l.db'), directory, environment)


def try_step(step, good, said, environment):
    """(result, faults). said: what the good ledger says, which is not opened here: SQLite would put files beside it while others copy it."""
    with tempfile.TemporaryDirectory() as parent:
        directory = shutil.copytree(good, os.path.join(os.path.realpath(parent), 'd'))
        *preparation, command = step.command.split('\n')
        if preparation:
            made = run.run(run.Step(step.line, '\n'.join(preparation)), directory, environment)
            if made[1] or made[2]:
                return made, ['cannot be prepared']
        before = files_below(directory)
        out, err, code = run.run(run.Step(step.line, command), directory, environment)
        result = out, [line.replace(directory + '/', '') for line in err], code
        faults = faults_of_run(command, result, before, files_below(directory))
        if command.startswith('hedgerow serve') and ledger_says(directory, environment) != said:
            faults.append('the ledger says something else')
        return result, faults


def try_file(path, environment, rewriting):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    preparation, *steps = run.read_steps(run.lines_of_test(text))
    with tempfile.TemporaryDirectory() as good:
        made = run.run(preparation, good, environment)
        if made[2]:
            sys.exit('%s: the good inputs cannot be made: %s' % (path, '\n'.join(made[1])))
        said = ledger_says(good, environment)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            tried = list(pool.map(lambda step: try_step(step, good, said, environment), steps))
    if rewriting:
        run.rewrite(path, text, steps, [result for result, _ in tried])
    passed = True
    for step, (result, faults) in zip(steps, tried):
        same = run.check(path, step, result, True)
        passed = passed and same and not faults
        for fault in faults:
            print('%s:%d: $ %s\n  %s:\n    %s' % (path, step.line, step.command, fault, '\n    '.join(run.shown(*result))))
    return passed, {step.command for step in steps}


def main():
    words = [word for word in sys.argv[1:] if word != '--rewrite']
    if len(words) < 2:
        sys.exit(__doc__)
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(words[0])) + os.pathsep + os.environ['PATH'], LC_ALL='C')
    os.umask(0o022)
    tried = [try_file(path, environment, '--rewrite' in sys.argv) for path in words[1:]]
    distinct = set().union(*(commands for _, commands in tried))
    print('%d bad inputs' % len(distinct))
    if len(distinct) < NEEDED:
        sys.exit('fewer than %d' % NEEDED)
    sys.exit(0 if all(passed for passed, _ in tried) else 1)


if __name__ == '__main__':
    main()
