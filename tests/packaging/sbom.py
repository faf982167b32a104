#!/usr/bin/env python3
"""The list of parts names what the built library is linked with, no more and no less, and keeps the rules of SPDX 2.3: here those that matter to
a reader; with --standard those of the standard's own Python library, from PyPI. usage: sbom.py HEDGEROW.SPDX.JSON SHARED_LIBRARY [--standard]"""
import json
import os
import re
import subprocess
import sys
import tempfile

# A library as the linker names it -> the part that it belongs to.
LINKED = {'sodium': 'libsodium', 'sqlite3': 'sqlite', 'yaml-0': 'libyaml', 'xxhash': 'xxhash', 'protobuf-c': 'protobuf-c', 'nats': 'nats.c', 'crypto': 'openssl',
          'ssl': 'openssl', 'z': 'zlib', 'zstd': 'zstd', 'lzma': 'xz', 'pq': 'postgresql', 'mpi': 'openmpi', 'zmq': 'zeromq'}
SYSTEM = {'c', 'm', 'pthread', 'dl', 'rt', 'ld-linux-x86-64', 'ld-linux-aarch64', 'gcc_s', 'asan', 'ubsan', 'tsan'}


def linked_with(library):
    said = subprocess.run(['objdump', '-p', library], check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {re.sub(r'^lib', '', name) for name in re.findall(r'NEEDED +(\S+?)(?:[.-]so)?\.so[.\d]*$', said, re.M)}
    return {LINKED.get(name, name) for name in names - SYSTEM}


def check_structure(content):
    fixed = {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT'}
    assert fixed.items() <= content.items(), content
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', content['creationInfo']['created']), content['creationInfo']
    assert all(re.match(r'(Tool|Organization|Person): ', who) for who in content['creationInfo']['creators'])
    assert re.fullmatch(r'https?://[^#\s]+', content['documentNamespace'])
    identifiers = [package['SPDXID'] for package in content['packages']]
    assert len(set(identifiers)) == len(identifiers) and all(re.fullmatch(r'SPDXRef-[A-Za-z0-9.-]+', one) for one in identifiers), identifiers
    for package in content['packages']:
        assert package['name'] and re.match(r'\d', package['versionInfo']) and package['downloadLocation'] and not package['filesAnalyzed'], package
    related = [(r['spdxElementId'], r['relationshipType'], r['relatedSpdxElement']) for r in content['relationships']]
    ours, *others = identifiers
    assert related == [('SPDXRef-DOCUMENT', 'DESCRIBES', ours)] + [(ours, 'DYNAMIC_LINK', other) for other in others], related


def check_standard(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, '-m', 'venv', folder], check=True)
        subprocess.run([os.path.join(folder, 'bin', 'python'), '-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', 'spdx-tools>=0.8,<0.9'], check=True)
        subprocess.run([os.path.join(folder, 'bin', 'pyspdxtools'), '-i', path], check=True)


def main():
    path, library = sys.argv[1:3]
    with open(path, encoding='utf-8') as f:
        content = json.load(f)
    check_structure(content)
    named = {package['name'] for package in content['packages'][1:]}
    linked = linked_with(library)
    assert named == linked, 'the list names %s, and the library is linked with %s' % (sorted(named), sorted(linked))
    if '--standard' in sys.argv:
        check_standard(path)


main()
