#!/usr/bin/env python3
"""Runs the commands that a text shows and compares what they print with what the text says.

    run.py [--rewrite] HEDGEROW FILE...     HEDGEROW is the tool's path

FILE.test   prose, and lines indented by four spaces:
                $ a command             (for sh; a line that begins with '> ' continues it)
                its standard output
                ! its standard error    ('!' alone is an empty line)
                [3]                     its exit code, if that is not 0
            A line '...' stands for any lines; a line ending in ' (re)' is a regular expression.
FILE.md     every block fenced as ```console
FILE.1      every block between .EX and .EE
            In these two only words are compared: numbers, times and ids of jobs differ from run to run where noise is drawn. A command without
            output shown may print anything; all must succeed.

The commands of a file run one after the other in one empty directory; what they leave in the background is ended after the last one.
localhost:4222 in FILE.md stands for a port of this machine that is free. --rewrite puts the real output into FILE.test."""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile

INDENT = '    '
BROKER = 'localhost:4222'
GROUPS = []  # of processes that a command left in the background


class Step:
    """A command with what is expected of it."""

    def __init__(self, line, command):
        self.line, self.command = line, command
        self.out, self.err, self.code = [], [], 0
        self.lines = []  # numbers of the lines that say what is expected

    def expect(self, number, text):
        self.lines.append(number)
        if re.fullmatch(r'\[\d+\]', text):
            self.code = int(text[1:-1])
        elif text == '!' or text.startswith('! '):
            self.err.append(text[2:])
        else:
            self.out.append(text)


def read_steps(lines):
    """Steps from (line number, text) pairs, in which text is a command, its continuation or its output."""
    steps = []
    for number, text in lines:
        if text.startswith('$ '):
            steps.append(Step(number, text[2:]))
        elif text.startswith('> ') and steps and not (steps[-1].out or steps[-1].err):
            steps[-1].command += '\n' + text[2:]
        elif steps:
            steps[-1].expect(number, text)
        else:
            sys.exit('%d: output without a command: %s' % (number, text))
    return steps


def lines_of_test(text):
    """An empty line between two lines of one command's output is part of it."""
    found, empty = [], []
    for number, line in enumerate(text.split('\n'), 1):
        if not line.strip():
            empty.append((number, ''))
        elif not line.startswith(INDENT):
            empty = []
        else:
            if found and not line.startswith(INDENT + '$ '):
                found += empty
            found.append((number, line[len(INDENT):]))
            empty = []
    return found


def lines_of_markdown(text):
    found, inside = [], False
    for number, line in enumerate(text.split('\n'), 1):
        if line.startswith('```'):
            inside = line == '```console'
        elif inside:
            found.append((number, line))
    return found


def lines_of_manual(text):
    found, inside = [], False
    for number, line in enumerate(text.split('\n'), 1):
        if line in ('.EX', '.EE'):
            inside = line == '.EX'
        elif inside:
            for escape, plain in ((r'\-', '-'), (r'\(aq', "'"), (r'\e', '\\'), (r'\&', '')):
                line = line.replace(escape, plain)
            found.append((number, line))
    return found


def run(step, directory, environment):
    """(standard output, standard error, exit code), the first two as lists of lines."""
    shell = subprocess.Popen(['sh', '-c', step.command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    out, err = (stream.decode('utf-8', 'backslashreplace') for stream in shell.communicate())
    if is_there(shell.pid):
        GROUPS.append(shell.pid)
    return split(out), split(err), shell.returncode


def is_there(group, number=0):
    """Whether a group still has processes; sends them a signal."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def end_groups():
    while GROUPS:
        is_there(GROUPS.pop(), signal.SIGKILL)


def with_free_port(text, kept):
    """kept holds the port as long as it is open. Linux gives the port to nobody else, but lets a broker listen there: both reuse addresses."""
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(('localhost', 0))
    return text.replace(BROKER, 'localhost:%d' % kept.getsockname()[1])


def split(text):
    lines = text.split('\n')
    if lines[-1] == '':
        return lines[:-1]
    lines[-1] += ' (no newline)'
    return lines


def line_matches(wanted, got):
    if wanted.endswith(' (re)'):
        return re.fullmatch(wanted[:-5], got) is not None
    return wanted == got


def words_match(wanted, got):
    def words(line):
        line = re.sub(r'\d{4}-\d\d-\d\dT[\d:]+Z', 'N', line)
        line = re.sub(r'(\(id|^ended) +[0-9a-f]{8}\b', r'\1 N', line)  # of a job
        line = re.sub(r'(?<![\w.])-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf)(?![\w])', 'N', line)
        return re.sub(r'\s+', ' ', line).strip()
    return words(wanted) == words(got)


def matches(wanted, got, same):
    if not wanted:
        return not got
    if wanted[0] == '...':
        return any(matches(wanted[1:], got[skip:], same) for skip in range(len(got) + 1))
    return bool(got) and same(wanted[0], got[0]) and matches(wanted[1:], got[1:], same)


def tell(path, step, wanted, got):
    print('%s:%d: $ %s' % (path, step.line, step.command))
    for title, lines in (('expected', wanted), ('got', got)):
        print('  %s:' % title)
        for line in lines:
            print('    ' + line)


def shown(out, err, code):
    return out + [('! ' + line).rstrip() for line in err] + (['[%d]' % code] if code else [])


def check(path, step, result, strict):
    out, err, code = result
    if strict:
        good = matches(step.out, out, line_matches) and matches(step.err, err, line_matches)
    else:
        good = (not step.out or matches(step.out, out, words_match)) and (not step.err or matches(step.err, err, words_match))
    good = good and code == step.code
    if not good:
        tell(path, step, shown(step.out, step.err, step.code), shown(out, err, code))
    return good


def rewrite(path, text, steps, results):
    """Puts the real output below every command whose expectation failed."""
    lines = text.split('\n')
    for step, result in reversed(list(zip(steps, results))):
        if matches(step.out, result[0], line_matches) and matches(step.err, result[1], line_matches) and step.code == result[2]:
            continue
        first = step.line + step.command.count('\n')
        last = first
        while last < len(lines) and (last + 1 in step.lines):
            last += 1
        lines[first:last] = [(INDENT + line).rstrip() for line in shown(*result)]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))


def run_file(path, program, rewriting):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    reader = {'.test': lines_of_test, '.md': lines_of_markdown, '.1': lines_of_manual}[os.path.splitext(path)[1]]
    strict = reader is lines_of_test
    kept = socket.socket()
    steps = read_steps(reader(with_free_port(text, kept) if reader is lines_of_markdown else text))
    if not steps:
        sys.exit('%s: no command found' % path)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ['PATH'], LC_ALL='C', ROOT=root)
    os.umask(0o022)
    with kept, tempfile.TemporaryDirectory() as directory:
        try:
            results = [run(step, directory, environment) for step in steps]
        finally:
            end_groups()
    if rewriting and strict:
        rewrite(path, text, steps, results)
    good = [check(path, step, result, strict) for step, result in zip(steps, results)]
    print('%s: %d of %d commands as expected' % (path, sum(good), len(good)))
    return all(good)


def main():
    words = sys.argv[1:]
    rewriting = '--rewrite' in words
    words = [word for word in words if word != '--rewrite']
    if len(words) < 2:
        sys.exit(__doc__)
    good = [run_file(path, words[0], rewriting) for path in words[1:]]
    sys.exit(0 if all(good) else 1)


if __name__ == '__main__':
    main()
