#!/usr/bin/env python3
"""Runs the steps of a Containerfile without a container engine: every stage is a folder that debootstrap filled, every RUN a command under chroot
in it. Then the tool is asked, in the last stage, as its user: it must say its version, make a key, and keep a ledger. Needs root, debootstrap and a
Debian mirror. usage: container.py CONTAINERFILE SOURCE [MIRROR]"""
import json
import os
import subprocess
import sys
import tempfile


def instructions(path):
    """[(word, rest)], without remarks."""
    with open(path) as file:
        lines = [line.strip() for line in file]
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith('#')]


def run(root, words, user=None, folder='/'):
    chroot = ['chroot', *(['--userspec=' + user] if user else []), root]
    print('+', ' '.join(words), flush=True)
    subprocess.run([*chroot, '/bin/sh', '-c', 'cd "$0" && exec "$@"', folder, *words], check=True, stdin=subprocess.DEVNULL)


def copy(stages, root, source, rest):
    words = rest.split()
    if words[0].startswith('--from='):
        here = os.path.join(stages[words[0][len('--from='):]], words[1].lstrip('/'))
        subprocess.run(['cp', '-a', here + '/.', os.path.join(root, words[2].lstrip('/'))], check=True)
    else:
        assert words[0] == '.', rest
        os.mkdir(os.path.join(root, words[1].lstrip('/')))
        files = subprocess.run(['git', '-C', source, 'ls-files', '-z'], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(['cp', '--parents', '-t', os.path.join(root, words[1].lstrip('/')), *filter(None, files.decode().split('\0'))], check=True,
                       cwd=source)


def try_tool(root, user, folder, entry, command):
    assert command == ['serve', 'owner.yaml'], command
    for words in (['--version'], ['keygen', 'north.key'], ['ledger', 'create', 'north.db', '--epsilon', '1'], ['ledger', 'show', 'north.db']):
        run(root, entry + words, user, folder)
    missing = subprocess.run(['chroot', '--userspec=' + user, root, *entry, *command], text=True, stderr=subprocess.PIPE)
    assert missing.returncode == 1 and 'owner.yaml: cannot open the file' in missing.stderr, missing


def main():
    path, source, mirror = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    stages, root, user, folder, entry, command = {}, None, None, '/', [], []
    with tempfile.TemporaryDirectory() as place:
        base = os.path.join(place, 'base')
        for word, rest in instructions(path):
            if word == 'FROM':
                words = rest.split()
                assert words[0] == 'debian:bookworm-slim', rest
                if not os.path.exists(base):
                    subprocess.run(['debootstrap', '--variant=minbase', 'bookworm', base, *mirror], check=True, stdout=subprocess.DEVNULL)
                root = os.path.join(place, 'stage-%d' % len(stages))
                subprocess.run(['cp', '-a', base, root], check=True)
                stages[words[2] if len(words) == 3 else len(stages)] = root
            elif word == 'RUN':
                run(root, ['/bin/sh', '-c', rest])
            elif word == 'COPY':
                copy(stages, root, source, rest)
            elif word == 'USER':
                user = rest
            elif word == 'WORKDIR':
                folder = rest
            elif word == 'ENTRYPOINT':
                entry = json.loads(rest)
            elif word == 'CMD':
                command = json.loads(rest)
            else:
                assert word in ('VOLUME', 'HEALTHCHECK'), word
        try_tool(root, user, folder, entry, command)
    print('every step of %s works' % path)


main()
