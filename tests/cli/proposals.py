#!/usr/bin/env python3
"""What `schema init` says without a mark does not depend on any single record: proposals of neighbouring tables, line by line.

Each case is a table and its neighbour, one record more. Keys that a line `review` names were read from the records, and so may differ, as may
the line itself and comments that begin with REVIEW; everything else must be equal. Then all that is marked is replaced by the same public facts in
both: the schemas must be equal, whether a person edits the proposal or gives a data dictionary. usage: proposals.py HEDGEROW"""
import collections
import os
import re
import subprocess
import sys
import tempfile

Case = collections.namedtuple('Case', 'name header records record options')
BULK = 40


def bulk(row, count=BULK):
    """`count` records; {i} is the record's number, {p} its parity, {z} the number without its last digit."""
    return [row.format(i=i, p=i % 2, z=i // 10, w='ab'[i % 2]) for i in range(count)]


def cases():
    numbers = bulk('{i},{p},{w}')
    for name, cell in [('a fraction', '7.5'), ('a larger value', '1000'), ('a smaller value', '-3'), ('a word', 'many'), ('a spelling of missing', 'NA'),
                       ('another spelling', '?'), ('a decimal comma', '"7,5"'), ('separated thousands', '"1,234"'), ('a currency', '$7'),
                       ('a date', '2024-01-31'), ('an empty cell', ''), ('a huge value', '1e308')]:
        yield Case('integers, and ' + name, 'x,y', bulk('{p},{w}'), cell + ',a', [])
        yield Case('integers of a name with common bounds, and ' + name, 'age,y', bulk('3{p},{w}'), cell + ',a', [])
        yield Case('integers that all differ, and ' + name, 'x,z,y', numbers, cell + ',1,a', [])
        yield Case('numbers of records, and ' + name, 'id,z,y', numbers, cell + ',1,a', [])
        yield Case('a constant, and ' + name, 'x,k,y', bulk('{p},5,{w}'), '1,%s,a' % cell, [])
        yield Case('an empty column, and ' + name, 'x,k,y', bulk('{p},,{w}'), '1,%s,a' % cell, [])
        yield Case('dates, and ' + name, 'd,x,y', bulk('2024-02-1{p},{p},{w}'), '%s,1,a' % cell, [])
        yield Case('dates of which day and month are unclear, and ' + name, 'd,x,y', 
                   ['%02d/%02d/2024,%d,%s' % (1 + i % 9, 1 + i % 9, i % 2, 'ab'[i % 2]) for i in range(BULK)], '%s,1,a' % cell, [])
        yield Case('booleans, and ' + name, 'b,x,y', ['%s,%d,%s' % (('yes', 'no')[i % 2], i % 3, 'ab'[i % 2]) for i in range(BULK)], '%s,1,a' % cell, [])
        yield Case('decimal commas, and ' + name, 'x;z;y', ['1,%d;%d;%s' % (i, i % 2, 'ab'[i % 2]) for i in range(BULK)], cell.replace('"', '') + ';1;a', [])
        yield Case('a label of numbers, and ' + name, 'x,y', bulk('{p},{i}.5'), '1,' + (cell or '8'), [])
        yield Case('a label of classes, and ' + name, 'x,y', bulk('{p},{w}'), '1,' + (cell or 'c'), [])
        yield Case('a category, and ' + name, 'c,x,y', bulk('{w},{p},{w}'), '%s,1,a' % cell, [])
    for name, cell in [('a word', 'many'), ('a limit of measurement', '<LOD'), ('a leading zero', '007'), ('a code for missing', '-9'), ('a code of nines', '999'),
                       ('a point before three digits', '1.234'), ('an integer above 2^53', '9007199254740993'), ('a code of letters', 'V57'), ('a short date', '1.2.23'),
                       ('eight digits', '20240131'), ('a time of day', '08:30'), ('a quotation mark and a line break', '"a""\n# b"'), ('a new value', 'A999')]:
        yield Case('integers with words, and ' + name, 'x,z,y', ['%s,%d,%s' % (i % 91 if i % 10 else 'N', i % 2, 'ab'[i % 2]) for i in range(400)], cell + ',1,a', [])
        yield Case('integers with codes, and ' + name, 'x,z,y', ['%d,%d,%s' % (i % 41 if i % 399 else -9, i % 2, 'ab'[i % 2]) for i in range(400)], cell + ',1,a', [])
        yield Case('dates of eight digits, and ' + name, 'date,x,y', bulk('2024021{p},{p},{w}'), cell + ',1,a', [])
        yield Case('times of day, and ' + name, 't,x,y', bulk('0{p}:30,{p},{w}'), cell + ',1,a', [])
        yield Case('zips, and ' + name, 'zip,x,y', bulk('0210{p},{p},{w}'), cell + ',1,a', [])
        yield Case('diagnoses, and ' + name, 'd,x,y', ['%s,%d,%s' % (250 + i % 9 if i % 20 else 'V5%d' % (i % 40), i % 2, 'ab'[i % 2]) for i in range(400)], cell + ',1,a', [])
        yield Case('points before three digits, and ' + name, 'x,z,y', bulk('1.23{p},5,{w}'), cell + ',1,a', [])
        yield Case('a long list, and ' + name, 'c,x,y', ['A%03d,%d,%s' % (i % 300, i % 2, 'ab'[i % 2]) for i in range(1500)], cell + ',1,a', [])
        yield Case('columns that add up, and ' + name, 'a,b,y', ['%d,%d,%d' % (i % 23, i % 31, i % 23 + i % 31) for i in range(60)], cell + ',1,7', [])
    yield Case('decimal commas beside points before three digits', 'x;z;y', ['1.23%d;2,5;%s' % (i % 2, 'ab'[i % 2]) for i in range(40)], '1.234;2.5;a', [])
    yield Case('the 1,001st value', 'c,x,y', ['c%d,%d,%s' % (i % 1000, i % 2, 'ab'[i % 2]) for i in range(6000)], 'new,1,a', [])
    yield Case('a time', 'd,x,y', bulk('2024-02-1{p},{p},{w}'), '2024-02-12T08:30:00,1,a', [])
    yield Case('an offset', 'd,x,y', bulk('2024-02-1{p}T08:00:00,{p},{w}'), '2024-02-12T08:30:00+01:00,1,a', [])
    yield Case('a day above 12', 'd,x,y', ['%02d/%02d/2024,%d,%s' % (1 + i % 9, 1 + i % 9, i % 2, 'ab'[i % 2]) for i in range(BULK)], '31/01/2024,1,a', [])
    yield Case('a third value of a boolean', 'b,x,y', ['%s,%d,%s' % (('yes', 'no')[i % 2], i % 3, 'ab'[i % 2]) for i in range(BULK)], 'maybe,1,a', [])
    yield Case('a part of a date whose name is taken', 'd,d.month,x,y', bulk('word,{p},{p},{w}'), '2024-01-31,1,1,a', [])
    yield Case('the 255th value', 'c,x,y', ['c%d,%d,%s' % (i % 254, i % 2, 'ab'[i % 2]) for i in range(600)], 'new,1,a', [])
    yield Case('the 255th class', 'x,y', ['%d,c%d' % (i % 2, i % 253) for i in range(600)], '1,new', [])
    yield Case('the 21st value of a long text', 't,x,y', ['%s,%d,%s' % ('word ' * 12 + 'abcdefghijklmnopqrst'[i % 20], i % 2, 'ab'[i % 2]) for i in range(60)],
               'word word word word word x,1,a', [])
    yield Case('the 11th class that is an integer', 'x,y', bulk('{p},{z}', 100), '1,10', [])
    yield Case('the 21st class', 'x,y', ['%d,c%d' % (i % 2, i % 20) for i in range(60)], '1,new', [])
    yield Case('a record without a label', 'x,y', bulk('{p},{w}'), '1,', [])
    yield Case('the tenth record', 'x,k,id,y', bulk('{p},5,{i},{w}', 9), '1,5,9,a', [])
    yield Case('persons that repeat', 'patient_id,x,y', ['P%d,%d,%s' % (i % 2, i % 2, 'ab'[i % 2]) for i in range(BULK)], 'P7,1,a', [])
    yield Case('records that are half distinct', 'ward_id,x,y', ['W%d,%d,%s' % (i // 2, i % 2, 'ab'[i % 2]) for i in range(BULK)], 'W99,1,a', [])
    yield Case('LIBSVM: a feature more', None, ['%d 1:%d 2:%d' % (i % 2, i, i % 3) for i in range(BULK)], '1 4:2.5', [])
    yield Case('LIBSVM: a fraction', None, ['%d 1:%d 2:%d' % (i % 2, i, i % 3) for i in range(BULK)], '1 1:2.5', [])
    facts = ['--dictionary', 'facts.csv']
    yield Case('a dictionary, and a fraction', 'x,k,y', bulk('{p},5,{w}'), '7.5,5.5,a', facts)
    yield Case('a dictionary, and spellings of missing', 'x,k,y', bulk('{p},5,{w}'), 'NA,?,a', facts)
    yield Case('a dictionary, and a value that it lists', 'x,k,y', bulk('{p},5,{w}'), 'none,6,b', facts)
    yield Case('a dictionary, and other columns', 'x,z,y', bulk('{p},5,{w}'), '3,6,a', facts)


FACTS = 'name,low,high,integer,values,missing\nx,0,9,true,,NA\nk,0,10,,,?|NA\ny,,,,a|b|none,\n'


def propose(program, folder, case, records):
    """The proposal, or None if the table is refused: then nothing is proposed."""
    path = os.path.join(folder, 'table.csv')
    with open(path, 'w', encoding='utf-8') as f:
        f.writelines(line + '\n' for line in ([case.header] if case.header else []) + records)
    with open(os.path.join(folder, 'facts.csv'), 'w', encoding='utf-8') as f:
        f.write(FACTS)
    label = 'y' if case.header else 'label'
    done = subprocess.run([program, 'schema', 'init', '--data', path, '--label', label, *case.options], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done
    return done.stdout if done.returncode == 0 else None


def entries(proposal):
    """The lines of each entry: one a column, and one for the rest of the file."""
    groups = [[]]
    for line in proposal.splitlines():
        if re.match(r'label:|  - name:|missing:|features:', line):
            groups.append([])
        groups[-1].append(line)
    return groups


def marked_keys(entry):
    marks = [re.search(r'review: \[(.*?)\]', line) for line in entry]
    return {key for mark in marks if mark for key in mark.group(1).split(', ')}


def unmarked(proposal):
    """The lines that are stated without a mark."""
    kept = []
    for entry in entries(proposal):
        keys = marked_keys(entry)
        if 'name' in keys and entry[0].startswith('  - name'):
            continue
        for line in entry:
            comment = re.match(r'\s*# REVIEW', line) or (line.startswith('# unit:') and kept and kept[-1].startswith('# REVIEW'))
            key = re.match(r'\s*(?:- )?([a-z]+):', line)
            if not comment and not (key and key.group(1) in keys | {'review'}):
                kept.append(line)
    return kept


def stated(proposal):
    """The schema after a person has put the same public facts in place of all that is marked."""
    lines = []
    for entry in entries(proposal):
        keys = marked_keys(entry)
        if 'name' in keys and entry[0].startswith('  - name'):
            continue
        kept = [line for line in entry if not (re.match(r'\s*([a-z]+):', line) and re.match(r'\s*([a-z]+):', line).group(1) in keys | {'review'})]
        lines += [line for line in kept if not line.lstrip().startswith('#')]
        if keys:
            lines.append('    kind: number\n    low: 0\n    high: 1\n    source: "public"')
    return '\n'.join(lines)


def without_unit(lines):
    return [line for line in lines if not line.startswith('# unit:')]


def main():
    program, failed, count = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            one, other = (propose(program, folder, case, records) for records in (case.records, case.records + [case.record]))
            count += 1
            if one is None or other is None:
                assert one is None or 'label' in case.name or 'class' in case.name, case
                continue
            for view in (lambda text: without_unit(unmarked(text)), stated):
                if view(one) != view(other):
                    failed += 1
                    print('FAILED: %s: without a mark:\n%s\nand with one record more:\n%s\n' % (case.name, one, other))
                    break
            if case.options and 'other' not in case.name and (one != other or 'review:' in one):
                failed += 1
                print('FAILED: %s: every column is in the dictionary, and yet there are marks or differences:\n%s\n%s' % (case.name, one, other))
    print('%d pairs of neighbouring tables, %d with a difference without a mark' % (count, failed))
    return 1 if failed else 0


raise SystemExit(main())
