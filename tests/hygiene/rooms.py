#!/usr/bin/env python3
"""A house that one can walk through: eight wings in their order, rooms of at most 25 sources, no file that is too short to stand alone, and no
type name that means two things; the page of the architecture names types of each room. usage: rooms.py ROOT"""
import collections
import os
import re
import sys

import source

# In the order of src/LAYERS: data flows from the first to the last.
WINGS = ('base', 'privacy', 'tables', 'trees', 'methods', 'models', 'fit', 'federation')
SOURCES_MAX = 25                 # of .c and .proof.md files of a room; headers go with their sources
HEADER_LINES, SOURCE_LINES = 25, 60
PAGE = 'docs/explanation/architecture.md'

# Shorter files, without src/ and ending, and why each stands alone. A short header of a longer source needs no reason.
SHORT = {
    'base/kernels/avx2': 'one set of kernels a file: each is compiled for its instructions',
    'base/kernels/neon': 'one set of kernels a file: each is compiled for its instructions',
    'base/kernels/portable': 'one set of kernels a file: each is compiled for its instructions',
    'base/kernels/search': 'inline where values are looked up; the source fills what the loops read',
    'base/kernels/sets': 'what the files of the sets of kernels define',
    'base/log': 'the only file through which a party writes lines for people',
    'base/word_counts': 'two rooms count texts alike',
    'base/round': 'inline in loops of two rooms',
    'tables/source/parquet_load': 'one of two: the module is there, or a build lacks it',
    'tables/readers/csv_block': 'one block as a data set; csv.c hands out blocks, whatever becomes of them',
    'federation/config/coordinator_file': 'one kind of file a source',
    'federation/federated/evaluation_question': 'terms and sums read the same question; a proof of sums is read beside it',
    'federation/protocol/ending': 'the table of endings: public, and in a build without federations, too',
    'federation/machines/securesum': 'what both sides of a protocol know, one side a file',
    'federation/machines/oneshot_owner': 'one side of a protocol a file',
    'federation/transport/validity': 'words about certificates for party, roles and founder, in builds without a broker too',
    'federation/transport/nats_absent': 'stands in for what a build leaves out',
    'tables/schema/column_list': 'options, which read no schema, and statistics read the same lists',
    'fit/settings': 'a list that models and terms are written from',
    'methods/forests/class_leaves': 'two forests make leaves of counts alike',
    'trees/candidates/hazard_gradients': 'the gradients of one objective, whose bound has a test of its own',
    'models/explain/leaf_facts': 'two explanations read the same facts',
    'models/explain/weighted_importance': 'the one importance that needs a background',
    'models/model/pinball': 'figures of quantiles, beside those of classes and numbers',
    'models/export/covers': 'how many records come to a leaf, beside how trees are laid out',
    'models/export/engine_floats': 'the formats of 32 bits share it',
    'models/export/export': 'chooses among the formats, which do not know each other',
    'models/export/formats': 'one line a format',
    'models/model/account': 'the only place that turns units into numbers of a model',
    'models/model/curves': 'public functions that read settings alone',
    'models/model/decision': 'public functions that change how a model decides, not its trees',
    'models/model/importance': 'public functions that read trees alone',
    'privacy/crypto/digest': 'one primitive a file',
    'privacy/crypto/fingerprint': 'one primitive a file',
    'privacy/crypto/key': 'public functions, for programs that have keys and nothing else',
    'privacy/crypto/prf': 'one primitive a file',
    'privacy/crypto/secret': 'what only this room may know of an identity',
    'privacy/exact': 'the two types that keep exact and released numbers apart',
    'privacy/laplace': 'one mechanism a file, beside its proof',
    'privacy/ledger/delta': 'ledger, budget and terms round delta alike',
    'privacy/ledger/kept_statements': 'knows SQLite and no table; tested by itself',
    'privacy/noise': 'methods, models and federations weigh released numbers by it',
    'privacy/promise': 'the only place that says what epsilon and delta mean',
    'privacy/promise_words': 'the words of a guarantee, which are put together when they are compiled',
    'tables/bins/binning': 'a part of the model that no table is needed for',
    'tables/bins/sparse_bins': 'bins by row beside those by column, and what training reads in its loops',
    'tables/infer/infer_words': 'text and numbers of a column keep words alike',
    'tables/infer/infer_decimals': 'the one rule about the cells of all columns together',
    'tables/formats/split_side': 'what decides, apart from how records are read and written',
    'tables/source/codec_gzip_absent': 'stands in for what a build leaves out',
    'tables/source/codec_xz': 'one codec a file: each has its library',
    'tables/source/codec_xz_absent': 'stands in for what a build leaves out',
    'tables/source/codec_zstd': 'one codec a file: each has its library',
    'tables/source/codec_zstd_absent': 'stands in for what a build leaves out',
    'tables/source/parquet_absent': 'stands in for what a build leaves out',
    'tables/source/postgres_absent': 'stands in for what a build leaves out',
    'tables/source/query': 'two databases read the same file of a query',
    'trees/cluster/mpi_absent': 'stands in for what a build leaves out',
    'trees/cluster/mpi_link': 'one link a file: each has its library',
    'trees/cluster/zeromq_absent': 'stands in for what a build leaves out',
    'trees/grow/private_splitter': 'one splitter a file',
    'trees/grow/splitter': 'the interface of all splitters',
    'trees/records/bootstrap': 'a law that is tested alone',
    'trees/records/stats_source': 'the interface of all sources of statistics',
    'trees/stats/label_sums': 'exact sums, which only listed files may include',
    'trees/stats/round_gain': 'a release with a rule of its own, tested alone',
    'trees/tree/multiway': 'three methods split alike',
    'trees/tree/tree': 'the functions of the type that all rooms of trees share',
}


def room_of(path):
    return os.path.dirname(path)[len('src/'):]


def check_wings(root, problems):
    there = {room_of(path).split('/')[0] for path in source.files(root, 'src', suffixes=('.c', '.h'))}
    for wing in sorted(there - set(WINGS)):
        problems.append('src/%s:1: is no wing; move its files into a room of one of %s' % (wing, ', '.join(WINGS)))
    for wing in sorted(set(WINGS) - there):
        problems.append('src/%s:1: the wing has no files; take it off WINGS in tests/hygiene/rooms.py' % wing)
    listed = []
    for line in source.read(root, 'src/LAYERS').splitlines():
        wing = line.split('#')[0].split(':')[0].split('/')[0].strip()
        if wing and wing not in listed:
            listed.append(wing)
    if listed != list(WINGS):
        problems.append('src/LAYERS:1: the wings are %s; put them in the order %s' % (', '.join(listed), ', '.join(WINGS)))


def check_sizes(root, problems):
    rooms = collections.Counter(room_of(path) for path in source.files(root, 'src', suffixes=('.c', '.proof.md')))
    for room, count in sorted(rooms.items()):
        if count > SOURCES_MAX:
            problems.append('src/%s:1: the room has %d sources and proofs, above %d; merge what belongs together, or open a room' % (room, count, SOURCES_MAX))


def check_short(root, problems):
    lines = {path: source.read(root, path).count('\n') for path in source.files(root, 'src', suffixes=('.c', '.h'))}
    used = set()
    for path, count in sorted(lines.items()):
        name, is_header = path[len('src/'):-2], path.endswith('.h')
        below = HEADER_LINES if is_header else SOURCE_LINES
        if count >= below or (is_header and lines.get(path[:-2] + '.c', 0) >= SOURCE_LINES):
            continue
        used.add(name)
        if name not in SHORT:
            problems.append('%s:1: has %d lines, below %d; merge it into the file that uses it, or list it with the reason in tests/hygiene/rooms.py' %
                            (path, count, below))
    problems += ['tests/hygiene/rooms.py:1: %s is not short, or gone; take it off SHORT' % name for name in sorted(set(SHORT) - used)]


def types_of(text):
    """(name, line) of every type that the C text defines: bodies of structs, unions and enums, and other names that typedef gives."""
    code = source.code(text)
    found = [(m.group(1), m.start()) for m in re.finditer(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', code)]
    for match in re.finditer(r'\btypedef\b([^;{]*);', code):
        if not re.fullmatch(r'\s*(struct|union|enum)\s+\w+\s+\w+\s*', match.group(1)):
            head = re.search(r'\(\s*\*\s*(\w+)\s*\)', match.group(1)) or re.search(r'(\w+)\s*(?:\(.*|\[.*)?$', match.group(1).strip(), re.S)
            found.append((head.group(1), match.start()))
    return [(name, source.line_of(code, at)) for name, at in found]


def check_names(root, problems):
    """Of headers tests/hygiene/headers.py sees it, which includes them in one file: here those of sources, among themselves and with headers."""
    places = collections.defaultdict(list)
    for path in source.files(root, 'src', suffixes=('.c', '.h')):
        for name, line in types_of(source.read(root, path)):
            places[name].append((path, line))
    for name, found in sorted(places.items()):
        if len(found) < 2 or not any(path.endswith('.c') for path, _ in found):
            continue
        problems.append('%s:%d: the type %s is defined in %s, too; name one of them by what it is' %
                        (found[-1][0], found[-1][1], name, ', '.join(path for path, _ in found[:-1])))



def check_page(root, problems):
    """The types that the page of the architecture lists for a room are of that room."""
    homes = collections.defaultdict(set)
    for path in source.files(root, 'src', suffixes=('.h', '.c')):
        for name, _ in types_of(source.read(root, path)):
            homes[name].add(room_of(path))
    for number, line in enumerate(source.read(root, PAGE).splitlines(), 1):
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        room = re.fullmatch(r'\**`(?:src/)?([\w/]+)/`\**', cells[0]) if len(cells) == 4 else None
        for name in re.findall(r'\w+', cells[2]) if room else ():
            if room.group(1) not in homes['hr_' + name]:
                problems.append('%s:%d: hr_%s is no type of %s; correct the row' % (PAGE, number, name, room.group(1)))

def main():
    root, problems = sys.argv[1], []
    check_wings(root, problems)
    check_sizes(root, problems)
    check_short(root, problems)
    check_names(root, problems)
    check_page(root, problems)
    source.report(problems)


main()
