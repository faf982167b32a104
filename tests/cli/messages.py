#!/usr/bin/env python3
"""Bad inputs and what the tool says of them: the transcripts beside this file show at least 200 that are refused, each with its whole message,
which run.py compares. Here each message is held to two rules: it names a file, a field, an option or the value that is wrong, and it says
what to do.

usage: messages.py [--list]"""
import glob
import os
import re
import sys

import run

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = 200
# What to do: behind a semicolon; or the message says what the value must be.
REMEDY = re.compile(r'; |: .* must be (?!.*cannot)')
HELP = re.compile(r"'hedgerow[ \w]* --help' lists the options\.$")
# What is named, after "hedgerow COMMAND: ": a file or operand before a colon, a field, an option, a quoted value, a number, an operand.
PLACE = re.compile(r"^\S+:|field '|--\w|'[^']+'|\"[^\"]+\"|\d|\b[A-Z]{3,}\b|^standard (in|out)put")
# Messages about a whole command, which no single place is to blame for: how they begin.
WHOLE = (
    'this build of Hedgerow', 'this fit cannot be charged to a ledger', 'method ', 'the method ', 'a job of method ', 'a command is required',
    'no other place could be written', 'writing the table was stopped', 'no feature is left', 'the model protects persons', 'the data have no ',
    'predictions cannot be compared', 'theta divides records', 'the job ended without a ', 'the range of hashed values',
    'the width of hashes', 'table and schema cannot both go to standard output', 'the binned cache cannot be read any more',
)


def refusals():
    """(transcript, line, command, standard error) of every command of the tool that a transcript shows failing with a message."""
    for path in sorted(glob.glob(os.path.join(HERE, '*.test'))):
        with open(path, encoding='utf-8') as f:
            steps = run.read_steps(run.lines_of_test(f.read()))
        for step in steps:
            if step.code and any(line.startswith('hedgerow') for line in step.err):
                yield os.path.basename(path), step.line, step.command, step.err


def message_of(err):
    """The line that says what was wrong, without the tool's name; and whether a line below it says where to look."""
    if HELP.search(err[-1]):
        return re.sub(r'^hedgerow[ \w]*?: ', '', err[-2] if len(err) > 1 else err[-1]), True
    last = [line for line in err if line.startswith('hedgerow')][-1]
    return re.sub(r'^hedgerow[ \w]*?: ', '', last), False


def main():
    inputs, problems = {}, []
    for path, line, command, err in refusals():
        message, helped = message_of(err)
        inputs.setdefault(message, '%s:%d: %s' % (path, line, command))
        where = '%s:%d: %s' % (path, line, message)
        if not helped and not REMEDY.search(message):
            problems.append(where + '\n    says no remedy')
        if not PLACE.search(message) and not message.startswith(WHOLE):
            problems.append(where + '\n    names no file, field, option or value')
    if '--list' in sys.argv:
        print('\n'.join(sorted(inputs)))
    if len(inputs) < LEAST:
        problems.append('only %d different messages are shown; at least %d are wanted' % (len(inputs), LEAST))
    print('%d different messages of refused inputs' % len(inputs))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
