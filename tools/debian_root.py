"""A fresh Debian in a folder, made by debootstrap, and commands that run in it under chroot: its own processes, /proc and /dev/shm, nothing that stays
mounted. Needs root, debootstrap and a mirror."""
import os
import subprocess

# What chroot in namespaces of its own takes. What a command leaves running ends with it.
INSIDE = 'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$@"'
ENVIRONMENT = {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/', 'LANG': 'C.UTF-8',
               'DEBIAN_FRONTEND': 'noninteractive'}


def make_base(suite, folder):
    """A base in `folder`, unless it is there."""
    if os.path.exists(os.path.join(folder, 'usr/sbin/policy-rc.d')):
        return
    subprocess.run(['debootstrap', '--variant=minbase', suite, folder], check=True, stdout=subprocess.DEVNULL)
    # Packages start no service here.
    with open(os.path.join(folder, 'usr/sbin/policy-rc.d'), 'w') as file:
        file.write('#!/bin/sh\nexit 101\n')
    os.chmod(file.name, 0o755)
    # It is thrown away: nothing has to survive a power cut.
    with open(os.path.join(folder, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'w') as file:
        file.write('force-unsafe-io\n')


def copy_base(base, root):
    subprocess.run(['cp', '-a', base, root], check=True)


def copy_source(source, folder):
    """The files that git knows, as they are now."""
    os.makedirs(folder, exist_ok=True)
    files = subprocess.run(['git', '-C', source, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], check=True, stdout=subprocess.PIPE).stdout
    names = [name for name in files.decode().split('\0') if name and os.path.lexists(os.path.join(source, name))]
    subprocess.run(['cp', '-P', '--parents', '-t', folder, *names], check=True, cwd=source)


def run(root, words, user=None, folder='/'):
    """What it wrote, to both of its outputs. It must succeed."""
    chroot = [root, *(['--userspec=' + user] if user else []), root, '/bin/sh', '-c', 'cd "$0" && exec "$@"', folder, *words]
    ran = subprocess.run(['unshare', '--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', INSIDE, *chroot], env=ENVIRONMENT, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert ran.returncode == 0, '%s in %s ended with %d:\n%s' % (' '.join(words), root, ran.returncode, ran.stdout[-8000:])
    return ran.stdout
