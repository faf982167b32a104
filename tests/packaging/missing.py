#!/usr/bin/env python3
"""A build without the libraries names all that is missing, and the command that installs it. usage: missing.py SOURCE MESON..."""
import os
import subprocess
import sys
import tempfile

LIBRARIES = ['libsodium', 'sqlite3', 'yaml-0.1', 'libxxhash']
FEDERATION = ['libprotobuf-c (or build with -Dfederation=disabled)']
BROKER = ['libnats (or build with -Dnats=disabled)']


def refusal_of(source, meson, options, **environment):
    """What meson says, from the line that says what it is on, without the line of its log."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([*meson, 'setup', folder, source, '-Dtests=false', *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, 'PKG_CONFIG_LIBDIR': '/nonexistent', 'PKG_CONFIG_PATH': '', **environment})
    assert ran.returncode, 'a build without libraries was set up:\n' + ran.stdout
    return [line.strip() for line in ran.stdout[ran.stdout.index('not found:'):].splitlines() if line.strip() and 'full log' not in line]


def check(source, meson, options, names, group, **environment):
    said = refusal_of(source, meson, options, **environment)
    command = subprocess.run([os.path.join(source, 'tools', 'setup.sh'), '--print', group], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    expected = ['not found:', *names, 'This command installs all that is needed:', *command.splitlines()]
    # meson may find OpenSSL and Python without pkg-config.
    said = [line for line in said if not line.startswith('libcrypto')]
    assert said == expected, '%s, where %s was expected' % (said, expected)
    assert command.startswith('apt-get install ') and 'libsodium-dev' in command, command


def main():
    source, meson = sys.argv[1], sys.argv[2:]
    check(source, meson, [], LIBRARIES + FEDERATION + BROKER, 'build')
    check(source, meson, ['-Dfederation=disabled'], LIBRARIES, 'build')
    check(source, meson, ['-Dnats=disabled'], ['a C compiler'] + LIBRARIES + FEDERATION, 'build', CC='/nonexistent/cc')


main()
