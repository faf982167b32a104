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


def matches(pattern, text):
    """All matches of a compiled pattern; violations.py, which runs a check again and again, remembers them."""
    return list(pattern.finditer(text))


def functions(text):
    """(name, first line, lines) of every function definition of a C file."""
    text = code(text)
    text = re.sub(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.M)
    text = re.sub(r'extern\s+" *"\s*\{', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)
    found, depth, start = [], 0, 0
    for match in re.finditer(r'[{};]', text):
        mark, at = match.group(0), match.start()
        if mark == '{':
            if depth == 0:
                head = text[start:at].strip()
                named = re.search(r'(\w+)\s*\(', head)
                name = named.group(1) if named and head.endswith(')') and '=' not in head else None
                first = line_of(text, start + len(text[start:at]) - len(text[start:at].lstrip()))
            depth += 1
        elif mark == '}':
            depth = max(depth - 1, 0)
            if depth == 0 and name:
                found.append((name, first, line_of(text, at) - first + 1))
        if depth == 0:
            start, name = at + 1, None
    return found


def report(problems):
    """Prints the problems and ends the script."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def skip(reason):
    print('skipped: ' + reason)
    sys.exit(SKIPPED)
