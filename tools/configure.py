#!/usr/bin/env python3
"""Makes a build directory what a target of the Makefile wants it to be, and does nothing where it is so already.
usage: configure.py DIRECTORY NAME=VALUE... [NAME?=VALUE...]   with ?= the value is for a new directory only
The compiler is $CC; a directory made with another one is set up anew."""
import json
import os
import subprocess
import sys


def current(directory):
    """name -> value of the options of a directory that is set up; None if it is not."""
    try:
        with open(os.path.join(directory, 'meson-info', 'intro-buildoptions.json'), encoding='utf-8') as f:
            options = {o['name']: o['value'] for o in json.load(f)}
        with open(os.path.join(directory, '.compiler'), encoding='utf-8') as f:
            compiler = f.read()
    except FileNotFoundError:
        return None
    return options if os.path.exists(os.path.join(directory, 'build.ninja')) and compiler == os.environ.get('CC', '') else None


def as_text(value):
    if isinstance(value, list):
        return ' '.join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def run(command):
    """Quiet unless it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)


def main():
    directory, wanted = sys.argv[1], [a.split('=', 1) for a in sys.argv[2:]]
    now = current(directory)
    if now is None:
        options = ['-D%s=%s' % (name.rstrip('?'), value) for name, value in wanted]
        wipe = ['--wipe'] if os.path.exists(os.path.join(directory, 'build.ninja')) else []
        run(['meson', 'setup', *wipe, directory, *options])
        with open(os.path.join(directory, '.compiler'), 'w', encoding='utf-8') as f:
            f.write(os.environ.get('CC', ''))
        return
    changed = ['-D%s=%s' % (name, value) for name, value in wanted if not name.endswith('?') and as_text(now.get(name)) != value]
    if changed:
        run(['meson', 'configure', directory, *changed])


main()
