#!/usr/bin/env python3
"""The manual page tells of every command and option that the tool has, and of no other; and a linter likes it if there is one.
usage: manual.py HEDGEROW MANUAL"""
import re
import shutil
import subprocess
import sys


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode()


def commands_of(tool):
    listing = output(tool, '--help').split('\ncommands:\n')[1].split('\n  help ')[0]
    return re.findall(r'^  ([a-z][a-z0-9 ]*?)  ', listing, re.M)


def options_of(tool, command):
    return set(re.findall(r'^  (?:-\w, )?--([a-z-]+)', output(tool, *command.split(), '--help'), re.M)) - {'help'}


def sections_of(manual):
    """Options by command, as the manual's sections of the third kind tell them; the generators share what follows them."""
    with open(manual, encoding='utf-8') as file:
        text = file.read().split('.SH COMMANDS\n')[1].split('\n.SH ')[0].replace('\\-', '-')
    found = {}
    for part in text.split('.SS hedgerow ')[1:]:
        title = re.match(r'[a-z0-9 ]+[a-z0-9]', part).group(0)
        found[title] = set(re.findall(r'^\.BI? [^\n]*?--([a-z-]+)', part, re.M))
    shared = set().union(*(options for title, options in found.items() if title.startswith('generate ')))
    return {title: shared if title.startswith('generate ') else options for title, options in found.items()}


def endings_of(text, row):
    """{exit code: word} of the endings of a job that have codes of their own."""
    return {code: word for code, word in re.findall(row, text, re.M) if int(code) >= 10}


def main():
    tool, manual = sys.argv[1:3]
    told, problems = sections_of(manual), []
    commands = commands_of(tool)
    with open(manual, encoding='utf-8') as file:
        status = file.read().split('.SH EXIT STATUS\n')[1].split('\n.SH ')[0]
    endings = endings_of(output(tool, 'coordinate', '--help'), r'^ +(\d+)  ([a-z ]+?)  ')
    if len(endings) < 7 or endings != endings_of(status, r'^\.B (\d+)\n([a-z ]+):'):
        problems.append('the exit codes of endings are not those of hedgerow coordinate --help: %s' % endings)
    problems += ['no section for: hedgerow ' + name for name in commands if name not in told]
    problems += ['a section for what does not exist: hedgerow ' + name for name in told if name not in commands]
    options = {name: options_of(tool, name) for name in commands}
    generated = set().union(*(options[name] for name in commands if name.startswith('generate ')))
    for name in set(commands) & set(told):
        mine = generated if name.startswith('generate ') else options[name]
        problems += ['hedgerow %s: --%s is not in the manual' % (name, option) for option in sorted(mine - told[name])]
        problems += ['hedgerow %s: --%s is in the manual only' % (name, option) for option in sorted(told[name] - mine)]
    if shutil.which('mandoc'):
        problems += subprocess.run(['mandoc', '-T', 'lint', manual], stdout=subprocess.PIPE).stdout.decode().splitlines()
    print('\n'.join(problems) if problems else '%d commands, as the manual tells them' % len(commands))
    sys.exit(1 if problems else 0)


main()
