#!/usr/bin/env python3
"""tools/release.sh --quick makes a release of a temporary tag in a clone, signed by a key that is made here, and refuses what is no release.
usage: release.py SOURCE"""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

SKIPPED = 77
SECTION = '## [%s] - 2030-01-31\n\n### Added\n- all of it\n\n'


def run(*command, where, good=True):
    done = subprocess.run(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert (done.returncode == 0) == good, '%s: %s%s' % (command, done.stdout, done.stderr)
    return done.stdout if good else done.stderr.strip()


def edit(path, old, new):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    assert old in text, (path, old)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text.replace(old, new, 1))


def commit(clone, what, tag):
    who = ('-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false')
    run('git', 'add', '--all', where=clone)
    run('git', *who, 'commit', '--quiet', '--allow-empty', '-m', what, where=clone)
    run('git', *who, 'tag', tag, where=clone)


def clone_of(source, folder):
    """A clone with what is not committed here, too, as the build that is tested has it."""
    clone = os.path.join(folder, 'clone')
    run('git', 'clone', '--quiet', source, clone, where=folder)
    changed = run('git', '-C', source, 'ls-files', '-z', '--modified', '--others', '--exclude-standard', where=folder).split('\0')
    for name in filter(None, changed):
        if os.path.exists(os.path.join(source, name)):
            os.makedirs(os.path.dirname(os.path.join(clone, name)), exist_ok=True)
            shutil.copy(os.path.join(source, name), os.path.join(clone, name))
    return clone


def check_files(made, version, key):
    names = set(os.listdir(made))
    source, parts = 'hedgerow-%s-source.tar.gz' % version, 'hedgerow-%s.spdx.json' % version
    assert names == {source, parts, 'NOTES.txt', 'SHA256SUMS', 'SHA256SUMS.sig'}, names
    assert run('sha256sum', '--check', 'SHA256SUMS', where=made).count(': OK\n') == 3
    with open(os.path.join(made, 'NOTES.txt'), encoding='utf-8') as f:
        assert f.read().strip() == '### Added\n- all of it'
    with tarfile.open(os.path.join(made, source)) as archive:
        inside = archive.getnames()
    top = 'hedgerow-%s/' % version
    assert top + 'meson.build' in inside and top + 'src/base/fail.c' in inside and not [name for name in inside if '.git/' in name or '/build' in name], inside[:20]
    with open(key + '.pub', encoding='utf-8') as f:
        allowed = 'maker ' + f.read()
    with open(os.path.join(made, '..', 'allowed'), 'w', encoding='utf-8') as f:
        f.write(allowed)
    verify = 'ssh-keygen -Y verify -f ../allowed -I maker -n file -s SHA256SUMS.sig < SHA256SUMS'
    run('sh', '-c', verify, where=made)
    with open(os.path.join(made, 'SHA256SUMS'), 'a', encoding='utf-8') as f:
        f.write('more\n')
    run('sh', '-c', verify, where=made, good=False)


def main():
    source = os.path.abspath(sys.argv[1])
    if not os.path.exists(os.path.join(source, '.git')) or not shutil.which('ssh-keygen'):
        print('skipped: this needs a repository and ssh-keygen')
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        clone, key, made = clone_of(source, folder), os.path.join(folder, 'key'), os.path.join(folder, 'made')
        version = run('sed', '-n', "s/^project('hedgerow', version: '\\([^']*\\)'.*/\\1/p", 'meson.build', where=clone).strip()
        tag = 'v' + version
        release = os.path.join(clone, 'tools', 'release.sh')
        run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key, where=folder)
        assert run(release, '--quick', tag, made, where=folder, good=False) == 'release.sh: there is no tag ' + tag
        commit(clone, 'no section', tag)
        assert 'CHANGELOG.md has no section "## [%s]' % version in run(release, '--quick', tag, made, where=folder, good=False)
        run('git', 'tag', '--delete', tag, where=clone)
        edit(os.path.join(clone, 'CHANGELOG.md'), '## [Unreleased]\n\n', '## [Unreleased]\n\n' + SECTION % version + '## [before]\n')
        commit(clone, 'a release', tag)
        commit(clone, 'another tag', 'v999.0.0')
        assert 'whose tag is v%s' % version in run(release, '--quick', 'v999.0.0', made, where=folder, good=False)
        # What lies in the folder of the repository gets into nothing.
        with open(os.path.join(clone, 'src', 'base', 'fail.c'), 'w', encoding='utf-8') as f:
            f.write('not of the tag\n')
        assert not os.path.exists(made)
        run(release, '--quick', tag, made, key, where=folder)
        check_files(made, version, key)
        assert 'is there already' in run(release, '--quick', tag, made, where=folder, good=False)


main()
