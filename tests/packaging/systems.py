#!/usr/bin/env python3
"""tools/setup.sh on systems that are not here, which a file like /etc/os-release, a folder of commands and a pkg-config that
knows some libraries stand for: it names all that is missing and the one command that installs it. usage: systems.py SOURCE"""
import os
import shutil
import subprocess
import sys
import tempfile

NEEDED = ('sh', 'awk', 'sed', 'tr', 'dirname')
LIBRARIES = ('libsodium', 'sqlite3', 'yaml-0.1', 'libxxhash', 'libnats', 'libprotobuf-c', 'libcrypto', 'zlib', 'libzstd', 'liblzma', 'libpq')
COMMANDS = ('cc', 'python3', 'meson', 'ninja', 'protoc-c')
# os-release -> the command where libsodium and ninja are missing. The second of SUSE and the derived ones have a name that is known as ID_LIKE only.
SYSTEMS = {
    'ID=fedora\n': 'sudo dnf install -y ninja-build libsodium-devel',
    'ID="rocky"\nID_LIKE="rhel centos fedora"\n': 'sudo dnf install -y ninja-build libsodium-devel',
    'ID=alpine\n': 'sudo apk add samurai libsodium-dev',
    'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n': 'sudo zypper install -y ninja libsodium-devel',
    'ID=sles\nID_LIKE="suse"\n': 'sudo zypper install -y ninja libsodium-devel',
    'ID=arch\n': 'sudo pacman -S --needed ninja libsodium',
    'ID=manjaro\nID_LIKE=arch\n': 'sudo pacman -S --needed ninja libsodium',
    None: 'brew install ninja libsodium',
}


def write(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, 0o755)
    return path


class System:
    """A folder that is all that a system has."""

    def __init__(self, folder, release, libraries, commands):
        self.bin = os.path.join(folder, 'bin')
        os.mkdir(self.bin)
        self.release = os.path.join(folder, 'os-release')
        if release is not None:
            write(self.release, release)
        for name in NEEDED:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        for name in commands + (() if release else ('brew',)):
            write(os.path.join(self.bin, name), '#!/bin/sh\n')
        write(os.path.join(self.bin, 'id'), '#!/bin/sh\necho 1000\n')
        known = '|'.join(libraries) or 'none'
        write(os.path.join(self.bin, 'pkg-config'), '#!/bin/sh\ncase $2 in %s) exit 0 ;; *) exit 1 ;; esac\n' % known)

    def setup(self, source, *arguments):
        """(exit code, lines of both outputs)"""
        ran = subprocess.run([os.path.join(source, 'tools', 'setup.sh'), *arguments], env={'PATH': self.bin, 'OS_RELEASE': self.release}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ran.returncode, [line.strip() for line in ran.stdout.splitlines()]


def setup_of(source, release, libraries, commands, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        return System(folder, release, libraries, commands).setup(source, *arguments)


def expect(said, expected, what):
    assert said == expected, '%s: %s, where %s was expected' % (what, said, expected)


def check_system(source, release, command):
    expect(setup_of(source, release, LIBRARIES, COMMANDS, 'build'), (0, []), release)
    without = [name for name in LIBRARIES if name != 'libsodium'], tuple(name for name in COMMANDS if name != 'ninja')
    expect(setup_of(source, release, *without, 'build'), (1, ['Some packages are missing. This installs them:', command]), release)
    code, lines = setup_of(source, release, LIBRARIES, COMMANDS, '--print', 'build')
    names = command.split()[-1:] + ['meson']
    assert code == 0 and lines[0].startswith(command.removeprefix('sudo ').rsplit(' ', 2)[0]) and all(' %s' % n in lines[0] for n in names), lines


def check_table(source):
    """Every package of the groups that a build and its tests need has a line with a name for each manager."""
    with open(os.path.join(source, 'tools', 'packages.txt'), encoding='utf-8') as f:
        rows = [line.split() for line in f if line.strip() and not line.startswith('#')]
    assert all(len(row) == 7 for row in rows), [row for row in rows if len(row) != 7]
    _, lines = setup_of(source, 'ID=debian\n', (), (), '--print', 'build', 'wheel', 'test', 'mpi', 'zeromq', 'clang', 'python')
    packages = [word for word in lines[0].split()[2:] if not word.startswith('-')]
    unknown = set(packages) - {row[0] for row in rows}
    assert not unknown, 'tools/packages.txt has no line for %s' % ', '.join(sorted(unknown))


def check_words(source):
    """A group that is not known, or none, installs and prints nothing, wherever it stands."""
    for release in ('ID=debian\n', 'ID=fedora\n', 'ID=plan9\n'):
        for words in (('nosuch',), ('build', 'nosuch'), ('--print', 'nosuch'), ('--print', 'build', 'nosuch')):
            expect(setup_of(source, release, (), (), *words), (2, ["setup.sh: no group 'nosuch'"]), words)
        for words in ((), ('--print',)):
            code, lines = setup_of(source, release, LIBRARIES, COMMANDS, *words)
            assert code == 2 and len(lines) == 2 and lines[0].startswith('usage: tools/setup.sh GROUP...'), (code, lines)


def main():
    source = sys.argv[1]
    for release, command in SYSTEMS.items():
        check_system(source, release, command)
    # Where one package is not to be had, the command has the rest; where it is all that is missing, meson says what can be left out.
    alpine = 'ID=alpine\n'
    some = [name for name in LIBRARIES if name not in ('libnats', 'zlib')]
    expect(setup_of(source, alpine, some, COMMANDS, 'build'), (1, ['Some packages are missing. This installs them:', 'sudo apk add zlib-dev',
           'no package of this system is known for: libnats-dev (names of Debian)']), 'Alpine')
    expect(setup_of(source, alpine, [name for name in LIBRARIES if name != 'libnats'], COMMANDS, 'build'), (0, []), 'Alpine without libnats')
    # A system that is not known stops nothing, and is told Debian's names as such.
    expect(setup_of(source, 'ID=plan9\n', (), (), 'build'), (0, []), 'unknown')
    code, lines = setup_of(source, 'ID=plan9\n', (), (), '--print', 'build')
    assert code == 0 and lines[0].startswith('apt-get install ') and 'those of this system are not known' in lines[1], lines
    check_table(source)
    check_words(source)


main()
