#!/usr/bin/env python3
"""The R code of README and of docs/how-to/r.md runs as it stands, beside train.csv, test.csv and schema.yaml. usage: docs.py ROOT COMMAND"""
import os
import re
import subprocess
import sys
import tempfile

PAGES = ('README.md', os.path.join('docs', 'how-to', 'r.md'))


def main():
    root, command = sys.argv[1], os.path.abspath(sys.argv[2])
    for page in PAGES:
        with open(os.path.join(root, page), encoding='utf-8') as f:
            blocks = re.findall(r'^```r\n(.*?)^```$', f.read(), re.M | re.S)
        if not blocks:
            sys.exit('docs.py: %s has no R code' % page)
        with tempfile.TemporaryDirectory() as folder:
            for seed, table in enumerate(('train', 'test'), 1):
                subprocess.run([command, 'generate', 'hospital', '--rows', '1000', '--seed', str(seed), '-o', table + '.csv',
                                *(['--schema', 'schema.yaml'] if seed == 1 else [])], cwd=folder, check=True)
            done = subprocess.run(['Rscript', '-e', ''.join(blocks)], cwd=folder, text=True, capture_output=True)
            if done.returncode:
                sys.exit('docs.py: %s ended with %d:\n%s%s' % (page, done.returncode, done.stdout, done.stderr))
    print('docs: the R code of %s' % ' and '.join(PAGES))


main()
