#!/usr/bin/env python3
"""The same source gives the same bytes: it is built twice, in folders of other names and depths, under another umask, time zone, language, user and
number of jobs, and the tool, both libraries and the list of parts have one SHA-256 each. Without a cache of compilations, which would give the
second build the bytes of the first. usage: reproducible.py SOURCE"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

MADE = ('cli/hedgerow', 'src/libhedgerow.so.0.1.0', 'src/libhedgerow.a', 'hedgerow.spdx.json')
# The second has what a user's machine may have otherwise. LC_ALL names languages that glibc has without an installation.
PLACES = (
    {'folder': 'a', 'build': 'a/build', 'umask': 0o022, 'jobs': '2',
     'environment': {'TZ': 'UTC', 'LC_ALL': 'C', 'USER': 'first', 'LOGNAME': 'first', 'HOME': 'home'}},
    {'folder': 'a longer folder/with one below', 'build': 'out of the source', 'umask': 0o077, 'jobs': '1',
     'environment': {'TZ': 'Asia/Kathmandu', 'LC_ALL': 'C.UTF-8', 'USER': 'second', 'LOGNAME': 'second', 'HOME': 'other'}},
)


def files_of(source):
    """The files of the project, without what builds left there."""
    if os.path.exists(os.path.join(source, '.git')):
        listed = subprocess.run(['git', '-C', source, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], check=True, stdout=subprocess.PIPE)
        return [name for name in listed.stdout.decode().split('\0') if name and os.path.lexists(os.path.join(source, name))]
    return [os.path.relpath(os.path.join(where, name), source) for where, _, names in os.walk(source) for name in names]


class Place:
    def __init__(self, top, source, place, epoch):
        self.source, self.build = os.path.join(top, place['folder']), os.path.join(top, place['build'])
        self.jobs, self.umask = place['jobs'], place['umask']
        home = os.path.join(top, place['environment']['HOME'])
        os.mkdir(home)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(('LC_', 'LANG', 'CCACHE', 'MESON', 'MAKE'))}
        self.environment = {**kept, **place['environment'], 'HOME': home, 'SOURCE_DATE_EPOCH': epoch, 'CCACHE_DISABLE': '1'}
        for name in files_of(source):
            os.makedirs(os.path.dirname(os.path.join(self.source, name)), mode=0o755, exist_ok=True)
            shutil.copyfile(os.path.join(source, name), os.path.join(self.source, name), follow_symlinks=False)
            shutil.copymode(os.path.join(source, name), os.path.join(self.source, name), follow_symlinks=False)

    def run(self, *command):
        done = subprocess.run(command, cwd=self.source, env=self.environment, umask=self.umask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit('%s\n%s' % (' '.join(command), done.stdout))

    def make(self):
        """{what: path} of the tool and the libraries."""
        self.run('meson', 'setup', self.build, '--prefix=/usr', '--libdir=lib')
        self.run('ninja', '-j', self.jobs, '-C', self.build, 'product')
        return {name: os.path.join(self.build, name) for name in MADE}


def sha256(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def epoch_of(source):
    said = subprocess.run(['git', '-C', source, 'log', '-1', '--format=%ct'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return said or '1700000000'


def main():
    source, different = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as top:
        made = [Place(top, source, place, epoch_of(source)).make() for place in PLACES]
        for name, path in made[0].items():
            sums = [sha256(path), sha256(made[1][name])]
            print('%s  %s' % (sums[0], name))
            if sums[0] != sums[1]:
                different.append('%s: the second build has %s' % (name, sums[1]))
    sys.exit('\n'.join(different) or None)


if __name__ == '__main__':
    main()
