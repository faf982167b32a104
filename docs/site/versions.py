#!/usr/bin/env python3
"""What lies beside the folders of all versions of the site: `latest`, a copy of VERSION, the page that leads there, and the list of versions.
usage: versions.py FOLDER VERSION"""
import os
import pathlib
import re
import shutil
import sys

PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">%s</html>\n'


def as_numbers(version):
    return [int(part) for part in re.findall(r'\d+', version)]


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    versions = sorted((path.name for path in folder.iterdir() if path.is_dir() and path.name[0].isdigit()), key=as_numbers, reverse=True)
    latest = folder / 'latest'
    shutil.rmtree(latest, ignore_errors=True)
    # Links of the file system cost no space, and a server needs to know nothing of them.
    shutil.copytree(folder / versions[0], latest, copy_function=os.link)
    (folder / 'index.html').write_text(PAGE % '<meta http-equiv="refresh" content="0; url=latest/docs/index.html"><title>Hedgerow</title><a href="latest/docs/index.html">Hedgerow</a>')
    items = ''.join('<li><a href="%s/docs/index.html">%s</a></li>' % (name, name) for name in versions)
    (folder / 'versions.html').write_text(PAGE % ('<title>Hedgerow: versions</title><h1>Versions of Hedgerow</h1><ul><li><a href="latest/docs/index.html">latest</a> (%s)</li>%s</ul>'
                                                  % (versions[0], items)))
    assert version in versions, '%s has no pages of version %s' % (folder, version)


main()
