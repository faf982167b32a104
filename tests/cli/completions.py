#!/usr/bin/env python3
"""bash, zsh and fish propose the same words, each as the shell itself asks its script. bash's are written down in completion.test.
usage: completions.py SOURCE HEDGEROW"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# The words of a command line; the last one is completed.
LINES = (
    ('',), ('tr',), ('--',), ('nothing',),
    ('ledger', ''), ('ledger', 'f'), ('jobs', 'c'), ('jobs', ''), ('help', 's'), ('attack', ''), ('schema', ''),
    ('train', '--l'), ('train', '--'), ('train', ''), ('ledger', 'show', '--'), ('jobs', 'cancel', '--'), ('jobs', 'job.yaml', '--'), ('generate', 'hospital', '--'),
    ('train', '--mode', ''), ('train', '--mode', 'p'), ('train', '--method', 'dp'), ('predict', '--format', ''), ('attack', 'simfl', '--scale', ''), ('train', '--data', ''),
    ('train', '--epsilon', ''), ('generate', 'hospital', '-o', 'so'), ('methods', 'he'), ('methods', ''),
)
BASH = '''. "$0"
COMP_WORDS=(hedgerow "$@"); COMP_CWORD=$#
_hedgerow
printf '%s\\n' "${COMPREPLY[@]}"'''
# compadd and _files, which would show what they are given, print it in place of that.
ZSH = '''compadd() { shift; print -rl -- ${(M)@:#${words[CURRENT]}*} }
_files() { print -rl -- ${words[CURRENT]}*(N) }
words=(hedgerow "$@"); CURRENT=$#words
. "$0"'''
# As a person does: the script is found on fpath, and Tab completes the word.
TAB = '''zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; bindkey '^I' complete-word; echo ready\\$((40 + 2))"
zpty -r shell seen '*ready42*'
zpty -w -n shell $'hedgerow ledger fr\\t'
zpty -r -m shell seen '*freeze*' && print -r -- freeze
zpty -d shell'''


def ask(folder, environment, *command):
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    assert done.returncode in (0, 1) and not done.stderr, '%s: %s' % (command, done.stderr)
    return sorted({line.split('\t')[0] for line in done.stdout.splitlines() if line})


def in_fish(script, words):
    quoted = ' '.join(("'%s'" % word) if word else '' for word in words[:-1] + (words[-1] or '',))
    return ('fish', '--no-config', '-c', 'source %s; complete -C "hedgerow %s"' % (script, quoted.replace("'", '')))


def main():
    source, hedgerow = (os.path.abspath(argument) for argument in sys.argv[1:3])
    shells = [shell for shell in ('zsh', 'fish') if shutil.which(shell)]
    if not shells:
        print('neither zsh nor fish is installed (tools/setup.sh test)')
        sys.exit(SKIPPED)
    scripts = {shell: os.path.join(source, 'cli', 'completion', 'hedgerow.' + shell) for shell in ('bash', 'zsh', 'fish')}
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, 'work')
        os.mkdir(work)
        for name in ('some.csv', 'some.yaml', 'c.json'):
            open(os.path.join(work, name), 'w', encoding='utf-8').close()
        environment = {**os.environ, 'PATH': os.path.dirname(hedgerow) + os.pathsep + os.environ['PATH'], 'HOME': folder, 'XDG_CONFIG_HOME': folder, 'TERM': 'dumb'}
        for words in LINES:
            expected = ask(work, environment, 'bash', '-c', BASH, scripts['bash'], *words)
            asked = {'zsh': ('zsh', '-f', '-c', ZSH, scripts['zsh'], *words), 'fish': in_fish(scripts['fish'], words)}
            for shell in shells:
                said = ask(work, environment, *asked[shell])
                assert said == expected, '%s: %s proposes %s, and bash %s' % (' '.join(words), shell, said, expected)
        if 'zsh' in shells:
            shutil.copy(scripts['zsh'], os.path.join(folder, '_hedgerow'))
            assert ask(work, environment, 'zsh', '-f', '-c', TAB, 'tab', folder) == ['freeze']


main()
