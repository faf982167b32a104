#!/usr/bin/env python3
"""Arrow's C++ library out of the Python package pyarrow, where the system has none: Debian 12 does not.
usage: arrow.py FOLDER                installs the package in a virtual environment in FOLDER (PyPI), unless it is there; prints its folder
       arrow.py --libraries ARROW     prints the paths of the libraries in the folder of a package, for -Darrow=ARROW"""
import glob
import os
import subprocess
import sys

VERSION = '26.0.1'  # of pyarrow: the one that the module was tested with


def package(folder):
    found = glob.glob(os.path.join(folder, 'lib', 'python3*', 'site-packages', 'pyarrow'))
    return os.path.abspath(found[0]) if found else None


def install(folder):
    if not package(folder):
        subprocess.run([sys.executable, '-m', 'venv', folder], check=True)
        subprocess.run([os.path.join(folder, 'bin', 'python'), '-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', 'pyarrow==' + VERSION],
                       check=True, stdout=sys.stderr)
    print(package(folder))


def libraries(arrow):
    for name in ('parquet', 'arrow'):
        found = glob.glob(os.path.join(arrow, 'lib%s.so.*' % name))
        if not found or not os.path.isdir(os.path.join(arrow, 'include', name)):
            sys.exit('no lib%s.so.* with its headers in %s' % (name, arrow))
        print(os.path.abspath(found[0]))


if len(sys.argv) == 3 and sys.argv[1] == '--libraries':
    libraries(sys.argv[2])
elif len(sys.argv) == 2:
    install(sys.argv[1])
else:
    sys.exit(__doc__)
