"""What the hygiene checks share: which files the project has, and C text without its comments and strings.

A check is a script `NAME.py ROOT [...]` that prints one line a problem, "FILE:LINE: what; what to do", and exits 1 if there
is any, 77 (skipped) if it cannot look. violations.py sees each of them fail on a spoiled copy of the tree."""
import os
import re
import sys

SKIPPED = 77
NOT_OURS = ('.git', '__pycache__')


def files(root, *folders, suffixes=('',)):
    """Paths relative to `root` of the files under `folders` (all if none) whose names end in one of `suffixes`."""
    found = []
    for top in folders or ('',):
        for where, inside, names in os.walk(os.path.join(root, top)):
            inside[:] = sorted(d for d in inside if d not in NOT_OURS and not d.startswith('build'))
            found += [os.path.relpath(os.path.join(where, n), root) for n in sorted(names) if n.endswith(suffixes) and n not in NOT_OURS]
    return found


def read(root, path):
    """The text of a file, or None if it is not text."""
    with open(os.path.join(root, path), 'rb') as f:
        try:
            return f.read().decode('utf-8')
        except UnicodeDecodeError:
            return None


def code(text):
    """C text with comments and the insides of literals blanked; lines and columns stay where they are."""
    def blank(match):
        found = match.group(0)
        keep = found[0] if found[0] in '"\'' else ''
        inside = found[1:-1] if keep else found
        return keep + re.sub(r'[^\n]', ' ', inside) + keep
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def line_of(text, position):
    return text.count('\n', 0, position) + 1


def report(problems):
    """Prints the problems and ends the script."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def skip(reason):
    print('skipped: ' + reason)
    sys.exit(SKIPPED)
