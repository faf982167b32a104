#!/usr/bin/env python3
"""Writes what the library and the tool are made of, as SPDX 2.3 in JSON: this project, and the libraries that Meson found and links, with their versions.
The same facts give the same bytes: its time is $SOURCE_DATE_EPOCH, otherwise that of the commit or, outside of a repository, of CHANGELOG.md.
usage: sbom.py SOURCE OUTPUT VERSION COMPILER NAME=VERSION...     NAME: as in PARTS"""
import datetime
import hashlib
import json
import os
import subprocess
import sys

# Name that pkg-config knows -> name, licence, where it comes from.
PARTS = {
    'libsodium': ('libsodium', 'ISC', 'https://libsodium.org'),
    'sqlite3': ('sqlite', 'blessing', 'https://sqlite.org'),
    'yaml-0.1': ('libyaml', 'MIT', 'https://pyyaml.org/wiki/LibYAML'),
    'libxxhash': ('xxhash', 'BSD-2-Clause', 'https://xxhash.com'),
    'libprotobuf-c': ('protobuf-c', 'BSD-2-Clause', 'https://github.com/protobuf-c/protobuf-c'),
    'libnats': ('nats.c', 'Apache-2.0', 'https://github.com/nats-io/nats.c'),
    'libcrypto': ('openssl', 'Apache-2.0', 'https://www.openssl.org'),
    'zlib': ('zlib', 'Zlib', 'https://zlib.net'),
    'libzstd': ('zstd', 'BSD-3-Clause OR GPL-2.0-only', 'https://facebook.github.io/zstd'),
    'liblzma': ('xz', 'NOASSERTION', 'https://tukaani.org/xz'),
    'libpq': ('postgresql', 'PostgreSQL', 'https://www.postgresql.org'),
    'mpi': ('openmpi', 'BSD-3-Clause-Open-MPI', 'https://www.open-mpi.org'),
    'libzmq': ('zeromq', 'MPL-2.0', 'https://zeromq.org'),
}


def package(name, version, licence, home):
    return {
        'SPDXID': 'SPDXRef-' + name.replace('.', '-'),
        'name': name,
        'versionInfo': version,
        'downloadLocation': 'NOASSERTION',
        'homepage': home,
        'filesAnalyzed': False,
        'licenseConcluded': 'NOASSERTION',
        'licenseDeclared': licence,
        'copyrightText': 'NOASSERTION',
        'externalRefs': [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': 'pkg:generic/%s@%s' % (name, version)}],
    }


def seconds_of(source):
    if os.environ.get('SOURCE_DATE_EPOCH'):
        return int(os.environ['SOURCE_DATE_EPOCH'])
    if os.path.exists(os.path.join(source, '.git')):
        said = subprocess.run(['git', '-C', source, 'log', '-1', '--format=%ct'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
        if said.isdigit():
            return int(said)
    return int(os.stat(os.path.join(source, 'CHANGELOG.md')).st_mtime)


def document(source, version, compiler, parts):
    ours = package('hedgerow', version, 'Apache-2.0', 'NOASSERTION')
    del ours['homepage']
    ours['comment'] = 'compiled by ' + compiler
    others = [package(PARTS[name][0], found, *PARTS[name][1:]) for name, found in parts]
    links = [{'spdxElementId': ours['SPDXID'], 'relationshipType': 'DYNAMIC_LINK', 'relatedSpdxElement': other['SPDXID']} for other in others]
    made = datetime.datetime.fromtimestamp(seconds_of(source), datetime.timezone.utc)
    content = {
        'spdxVersion': 'SPDX-2.3',
        'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT',
        'name': 'hedgerow-' + version,
        'creationInfo': {'created': made.strftime('%Y-%m-%dT%H:%M:%SZ'), 'creators': ['Tool: hedgerow-sbom-' + version]},
        'packages': [ours] + others,
        'relationships': [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': ours['SPDXID']}] + links,
    }
    # A name of its own for each content, as the standard asks.
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {**content, 'documentNamespace': 'https://spdx.org/spdxdocs/hedgerow-%s-%s' % (version, digest[:32])}


def main():
    source, output, version, compiler, *named = sys.argv[1:]
    with open(output, 'w', encoding='utf-8') as f:
        json.dump(document(source, version, compiler, [part.split('=', 1) for part in named]), f, indent=2)
        f.write('\n')


if __name__ == '__main__':
    main()
