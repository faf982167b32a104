#!/usr/bin/env python3
"""Debian's packages, built and installed in a fresh root: they have their dependencies by name, do what the README's first run does, have services that
systemd understands, and leave ledgers and keys where they are when they are purged. Needs root, debootstrap and a mirror.
usage: deb.py SOURCE [SUITE [FOLDER]]    FOLDER: has the packages already; $HEDGEROW_ROOTS: keeps the root that debootstrap made"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PACKAGES = ['hedgerow', 'libhedgerow0', 'libhedgerow-dev', 'python3-hedgerow']
# What an owner has at work, and what its administrator wrote.
KEPT = ['/var/lib/hedgerow/north/north.key', '/var/lib/hedgerow/north/north.db', '/var/lib/hedgerow/north/owner.yaml']


def first_of(text, word):
    """The value of a field of a control file, such as the names of Depends."""
    line = next(line for line in text.splitlines() if line.startswith(word + ': '))
    return [part.split()[0] for part in line[len(word) + 2:].split(', ')]


def check_dependencies(paths):
    for path in paths:
        fields = subprocess.run(['dpkg-deb', '--field', path], check=True, text=True, stdout=subprocess.PIPE).stdout
        name, needed = first_of(fields, 'Package')[0], first_of(fields, 'Depends')
        if name == 'libhedgerow0':
            assert {'libsodium23', 'libsqlite3-0', 'libyaml-0-2'} <= set(needed) and not any('mpi' in word for word in needed), needed
        else:
            assert 'libhedgerow0' in needed, (name, needed)


def check_installed(run, root):
    """The packages' own test, as a person who is not root."""
    run(['useradd', '--create-home', 'person'])
    print(run(['/bin/sh', '-c', 'export AUTOPKGTEST_TMP=$(mktemp -d) && packaging/debian/tests/smoke'], user='person', folder='/src'))
    assert os.path.exists(root + '/usr/share/bash-completion/completions/hedgerow') and os.path.exists(root + '/usr/share/man/man1/hedgerow.1.gz')


def check_purge(run, root):
    """Packages may come and go; the budget that was spent stays spent."""
    run(['install', '-d', '-m', '700', '-o', 'hedgerow', '-g', 'hedgerow', '/var/lib/hedgerow/north'])
    for words in (['keygen', 'north.key'], ['ledger', 'create', 'north.db', '--epsilon', '1']):
        run(['hedgerow', *words], user='hedgerow', folder='/var/lib/hedgerow/north')
    with open(root + KEPT[2], 'w') as file:
        file.write('hedgerow-owner: 1\n')
    before = [open(root + path, 'rb').read() for path in KEPT]
    run(['apt-get', 'purge', '-y', *PACKAGES])
    assert [open(root + path, 'rb').read() for path in KEPT] == before, 'purge changed the files of an owner'
    left = [path for path in glob.glob(root + '/usr/**/*hedgerow*', recursive=True) if '/src/' not in path]
    assert not left, 'purge left %s' % left
    owner = run(['stat', '-c', '%U', KEPT[1]]).strip()
    assert owner == 'hedgerow', 'the files of an owner belong to %s, a name that another program may get' % owner


def main():
    source, suite, folder = (sys.argv[1:] + ['bookworm', None][len(sys.argv) - 2:])[:3]
    absent = [name for name in ('debootstrap', 'dpkg-buildpackage', 'dh', 'lintian') if not shutil.which(name)]
    if absent or os.getuid():
        print('this needs root, and tools/setup.sh deb; there is no %s' % ', '.join(absent))
        sys.exit(SKIPPED)
    sys.path.insert(0, os.path.join(source, 'tools'))
    import debian_root
    with tempfile.TemporaryDirectory() as place:
        if not folder:
            folder = os.path.join(place, 'deb')
            subprocess.run(['tools/deb.sh', folder], cwd=source, check=True, env={k: v for k, v in os.environ.items() if k != 'CC'})
        built = [path for path in glob.glob(os.path.join(folder, '*.deb')) if 'dbgsym' not in path]
        assert sorted(os.path.basename(path).split('_')[0] for path in built) == sorted(PACKAGES), built
        check_dependencies(built)
        root = os.path.join(place, 'root')
        bases = os.environ.get('HEDGEROW_ROOTS', place)
        debian_root.make_base(suite, os.path.join(bases, suite))
        debian_root.copy_base(os.path.join(bases, suite), root)
        debian_root.copy_source(source, root + '/src')
        for path in built:
            shutil.copy(path, root + '/src')

        def run(words, **options):
            return debian_root.run(root, words, **options)

        run(['/bin/sh', '-c', 'apt-get update && apt-get install -y --no-install-recommends /src/*.deb python3-pandas gcc libc6-dev pkg-config systemd nats-server'])
        check_installed(run, root)
        check_purge(run, root)
    print('built, installed, run and purged in %s' % suite)


main()
