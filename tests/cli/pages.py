#!/usr/bin/env python3
"""The commands that pages show exist: every command of the tool in a page's blocks, indented lines and code between backquotes is compared with
--help: its name, its options, their values, and how many operands there are; a method and its own options with 'methods --json'. A block of a
console is run besides, by a test that names the page.
usage: pages.py HEDGEROW ROOT

What stands for something else is taken for any value: words in capitals, and '...'. Between backquotes a command may be a part of one."""
import functools
import glob
import json
import os
import re
import shlex
import subprocess
import sys

import run

PAGES = ('README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/*/*.md')
SCRIPTS = ('tests/cli/meson.build', 'tests/nats/meson.build')  # name the pages whose consoles are run
# What begins like a command and is none: contexts of signatures and hashes (docs/reference/protocol.md), the format of a file, a name.
OTHER = re.compile(r'hedgerow (?:[a-z]+ )+\d$|hedgerow predictor, ')
STANDS_FOR = re.compile(r'\.\.\.|[A-Z]+(?:\.[a-z]+)?')
NUMBERS = {'N': r'\d+', **dict.fromkeys(('E', 'D', 'X', 'P', 'M', 'R'), r'-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')}
END = re.compile(r'\s#\s.*|\d?>.*|<.*|[|;&)].*', re.S)


class Command:
    """What --help says of one: options with what their value is ('' if they have none), operands."""

    def __init__(self, text):
        options = text.split('\noptions:\n')[1].split('\nexample:')[0] if '\noptions:\n' in text else ''
        self.options = {}
        for short, name, value in re.findall(r'^  (?:(-\w), )?(--[\w-]+)(?: (\S+))?(?=  |$)', options, re.M):
            self.options.update(dict.fromkeys([short, name] if short else [name], value))
        self.operands = len(re.findall(r'^  [A-Z]+(?=  )', options, re.M))


class Tool:
    def __init__(self, path):
        self.path = path
        listed = self.output('--help').split('\ncommands:\n')[1].split('\n  help ')[0]
        self.names = [name for name in re.findall(r'^  ([a-z][a-z0-9 ]*?)  ', listed, re.M)]
        self.methods = {method['name']: {o['name']: o['allowed'] for o in method['options']}
                        for method in json.loads(self.output('methods', '--json'))['methods']}

    def output(self, *words):
        return subprocess.run([self.path, *words], check=True, stdout=subprocess.PIPE).stdout.decode()

    @functools.lru_cache(maxsize=None)
    def command(self, name):
        return Command(self.output(*name.split(), '--help'))

    def name_of(self, words):
        """The longest command that the words begin with; a group of commands, such as 'schema', if nothing follows it."""
        for count in (2, 1):
            if len(words) >= count and ' '.join(words[:count]) in self.names:
                return ' '.join(words[:count])
        return words[0] if len(words) == 1 and any(name.startswith(words[0] + ' ') for name in self.names) else None


def wrong_value(value, form):
    if STANDS_FOR.fullmatch(value) or value.startswith('$'):
        return False
    if form in NUMBERS:
        return not re.fullmatch(NUMBERS[form], value)
    if '|' in form:
        return value not in form.split('|')
    if '=' in form and '[' not in form:
        return '=' not in value
    return value == ''


def wrong_method(tool, given):
    """Of the options that were given: a method that does not exist, or an option that it does not have."""
    method = given.get('--method', ['hedge'])[0]
    if STANDS_FOR.fullmatch(method):
        return
    if method not in tool.methods:
        yield 'there is no method %s' % method
        return
    for option in given.get('--option', []):
        name, _, value = option.partition('=')
        allowed = tool.methods[method].get(name)
        if allowed is None and not STANDS_FOR.fullmatch(name):
            yield '%s has no option %s' % (method, name)
        elif allowed and re.fullmatch(r'[a-z]\w*(?:\|\w+)+', allowed) and wrong_value(value, allowed):
            yield '%s of %s is %s, not %s' % (name, method, allowed, value)


def wrong(tool, text, part):
    """What is wrong with a command; part: it need not be whole."""
    words = shlex.split(text)[1:]
    name = tool.name_of(words)
    if words and words[0] in ('--help', '--version', 'help'):
        return
    if not name:
        yield 'there is no command %s' % ' '.join(words[:2])
        return
    command, given, operands = tool.command(name) if name in tool.names else None, {}, 0
    words = words[len(name.split()):]
    while words:
        word = words.pop(0)
        if not re.match(r'-{1,2}[a-zA-Z]', word):
            operands += word != '...'
            continue
        option, equals, value = word.partition('=')
        if option not in command.options:
            yield '%s has no option %s' % (name, option)
            return
        if command.options[option]:
            if not equals and not words:
                if not part:
                    yield '%s needs a value' % option
                continue
            value = value if equals else words.pop(0)
            given.setdefault(option, []).append(value)
            if wrong_value(value, command.options[option]):
                yield "%s is %s, not '%s'" % (option, command.options[option], value)
    if command and operands > command.operands:
        yield '%s takes %d operands, not %d' % (name, command.operands, operands)
    if command and not part and operands < command.operands - name.startswith('methods') - name.startswith('keygen') and '...' not in text:
        yield '%s takes %d operands, not %d' % (name, command.operands, operands)
    if '--method' in given or '--option' in given:
        yield from wrong_method(tool, given)


def in_shell(text):
    """Commands of the tool in a line of a shell."""
    text = re.sub(r'\\\n\s*', ' ', text)
    text = re.sub(r'<< *\'?END.*', '', text, flags=re.S)
    for found in re.finditer(r'(?:^|[;&|(]|\bdo\b|\bif\b|\bthen\b|\buntil\b|^(?:[A-Z_]+=\S+ |\S*time -\w |mpirun (?:-\S+ \S+ )+)+)\s*(hedgerow [^\n]*)', text, re.M):
        # What a shell puts in is one word, as quoted text is.
        line = re.sub(r'\$\([^()]*\)', '$X', found.group(1))
        kept = {}
        line = re.sub(r"'[^']*'|\"[^\"]*\"", lambda m: kept.setdefault('\0%d\0' % len(kept), m.group(0)), line)
        line = END.sub('', line)
        for mark, quoted in kept.items():
            line = line.replace(mark, quoted)
        yield line.strip()


def line_of(text, found):
    return text.count('\n', 0, found.start()) + 1


def in_page(tool, text):
    """(line, command, whether it may be a part of one)."""
    for step in run.read_steps(run.lines_of_markdown(text)):
        for command in in_shell(step.command):
            yield step.line, command, False
    plain = re.sub(r'^```.*?^```$', lambda m: '\n' * m.group(0).count('\n'), text, flags=re.M | re.S)
    for block in re.finditer(r'^```([^\n]*)\n(.*?)^```$', text, re.M | re.S):
        if not block.group(1):  # output of a bench begins with blanks
            for command in in_shell(re.sub(r'(?<!\\)\n +.*', '\n', '\n' + block.group(2))):
                yield line_of(text, block), command, False
    for line in re.finditer(r'^    (?=\S)(.*)$', plain, re.M):
        for command in in_shell(line.group(1)):
            yield line_of(plain, line), command, False
    # `hedgerow train ...`, or, shorter, `train --plan`.
    short = r'(?:%s)(?:\s[^`\s-][^`\s]*)*\s--' % '|'.join(map(re.escape, tool.names))
    for span in re.finditer(r'(?<!`)`((?:hedgerow\s|(?=%s))[^`]+)`(?!`)' % short, plain):
        said = ' '.join(span.group(1).split())
        if not OTHER.match(said):
            yield line_of(plain, span), said if said.startswith('hedgerow ') else 'hedgerow ' + said, True


def unrun(root, page, text):
    """A console that no test runs."""
    runs = r"(?:'\w+': |runbook\.py'\), hedgerow_exe, files\()'\.\./\.\./%s'" % re.escape(page)
    if '\n```console\n' in text and not any(re.search(runs, open(os.path.join(root, script), encoding='utf-8').read()) for script in SCRIPTS):
        yield '%s: no test runs its console; name it in %s' % (page, SCRIPTS[0])


def main():
    tool, root = Tool(sys.argv[1]), sys.argv[2]
    problems, count = [], 0
    for path in sorted(path for pattern in PAGES for path in glob.glob(os.path.join(root, pattern))):
        page = os.path.relpath(path, root)
        text = open(path, encoding='utf-8').read()
        problems += unrun(root, page, text)
        for line, command, part in in_page(tool, text):
            count += 1
            problems += ['%s:%d: %s: %s' % (page, line, command, problem) for problem in wrong(tool, command, part)]
    if not count:
        problems.append('no command found')
    print('\n'.join(problems) or '%d commands of pages exist as they are written' % count)
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
