#!/usr/bin/env python3
"""Kinds of trouble in raw tables: what `schema init` proposes for each, and what it says. Each row of the page's table is a table made here: the
proposal must have the lines and the remark of the row, and the page must have the row, word by word. usage: raw_trouble.py HEDGEROW PAGE"""
import collections
import os
import subprocess
import sys
import tempfile

ROWS = 1500
# cells: of the column, by record. lines: of the proposal. says: in the comment of its mark. beside: another column of the table
Kind = collections.namedtuple('Kind', 'name column cells lines says beside label')


def kind(name, column, cells, lines, says, beside=None, label=None):
    return Kind(name, column, cells, lines, says, beside or (lambda i: i % 2), label or (lambda i: 'ab'[i * 7 % 3 // 2]))


def odd(word, value, step=100):
    """`value` of the record, and in each step-th one the word."""
    return lambda i: word if i % step == 0 else value(i)


def kinds():
    day = lambda i: '2024-03-%02d' % (1 + i % 28)
    yield kind('numbers, and a word between them', 'age', odd('unknown', lambda i: 18 + i % 80), ['kind: number', 'missing: ["unknown"]'],
               'other words, listed under \'missing\': "unknown" (15 cells)')
    yield kind('values below the limit of measurement', 'crp', odd('<0.5', lambda i: '%d.5' % (i % 90)), ['kind: number', 'missing: ["<0.5"]'],
               'to read numbers such as <0.5 as their bound, write symbol: "<" (or ">") and take them off \'missing\'')
    yield kind('`.` of SAS, `#N/A` of Excel, `-`', 'x', odd('.', odd('#N/A', odd('-', lambda i: i % 90, 7), 5), 3), ['kind: number', 'missing: [".", "-", "#N/A"]'], '')
    yield kind('dates, and a day 0', 'seen', odd('0000-00-00', day), ['kind: date', 'missing: ["0000-00-00"]'], '')
    yield kind('dates, and a word between them', 'seen', odd('none yet', day), ['kind: date', 'missing: ["none yet"]'], 'other words, listed under \'missing\': "none yet" (15 cells)')
    yield kind('years of two digits', 'seen', lambda i: '%d.3.23' % (1 + i % 28), ['kind: date', 'format: "%-d.%-m.%y"'], 'years of two digits: 69 to 99 are read as 1969 to 1999, 00 to 68 as 2000 to 2068')
    yield kind('dates of eight digits', 'date', lambda i: day(i).replace('-', ''), ['kind: date', 'format: "%Y%m%d"'], '')
    yield kind('numbers in a column called date', 'date', lambda i: 44900 + i % 300, ['kind: number'],
               'its name says date, and its cells are plain numbers; if they are dates, write kind: date with \'format\'')
    yield kind('times of day', 'time', lambda i: '%02d:30' % (i % 24), ['kind: category'], 'times of day; a number such as minutes after midnight keeps their order')
    yield kind('numbers with leading zeros', 'area', lambda i: '%05d' % (2108 + i % 40), ['kind: category'], 'numbers that are codes, not quantities: their order means nothing')
    yield kind('codes that are called so', 'ward', lambda i: 1 + i % 9, ['kind: category'], 'numbers that are codes, not quantities: their order means nothing')
    yield kind('diagnoses', 'd', odd('V57', odd('E909', lambda i: 250 + i % 40, 30), 20), ['kind: category'], 'numbers that are codes, not quantities: their order means nothing')
    yield kind('hundreds of places', 'dest', lambda i: 'A%03d' % (i % 280), ['kind: category'], 'more than 254 values: training asks for the source of the list, or for groups')
    yield kind('points that separate thousands, beside decimal commas', 'paid', odd('950', lambda i: '%d.%03d' % (1 + i % 9, i % 90)),
               ['kind: number', 'decimal: ","', 'thousands: "."'], 'the point is taken for a separator of thousands, since other columns of the table have decimal commas', lambda i: '%d,5' % (i % 7))
    yield kind('points before three digits, and nothing that decides', 'paid', lambda i: '%d.%03d' % (1 + i % 9, i % 90), ['kind: number'],
               'every fraction has exactly three digits: if the point separates thousands, write decimal: "," and thousands: ".", and multiply the bounds by 1000')
    yield kind('integers that merge', 'x', odd('9007199254740993', lambda i: i % 50), ['kind: number'],
               'integers above 2^53 (9007199254740992) are rounded, so that different ones become equal; leave the column out if they are numbers of something')
    yield kind('codes for missing beside a range', 'percent', odd('-9', lambda i: i % 101), ['kind: number', 'low: 0', 'high: 100', 'missing: ["-9"]'],
               'numbers that stand apart, as codes for missing do, listed under \'missing\': "-9" (15 cells)')
    yield kind('such a code that is a value of another column', 'share', odd('-9', lambda i: i % 101), ['kind: number', 'missing: []'],
               'numbers that stand apart: "-9" (15 cells); if they mean missing, leave these cells empty in the table: \'missing\' holds for all columns, and another one has such a value',
               lambda i: i % 60 - 20)
    yield kind('a name that says too much', 'fM3Long', lambda i: '%d.25' % (i % 50), ['kind: number', 'low: 0.2', 'high: 50'], '')
    yield kind('a column that is the label', 'grade', lambda i: i * 7 % 3 // 2, ['kind: number'],
               'it has one value for each value of the label, so that it gives the label away; leave it out if it is not known when predicting')
    yield kind('columns that add up to the label', 'casual', lambda i: i % 23, ['kind: number'],
               'with the column "z" it adds up to the label "y"; leave it out if it is not known when predicting', lambda i: i % 31, lambda i: i % 23 + i % 31)
    yield kind('numbers of patients', 'patient_nbr', lambda i: 135 + 100003 * (i // 3), ['kind: unused', 'unit: "patient_nbr"'],
               'its name says that it identifies persons or records', lambda i: i // 3 % 7)
    yield kind('such numbers under another name', 'ref', lambda i: 135 + 100003 * (i // 3), ['kind: unused', 'unit: "ref"'],
               'its values repeat in small groups, in which other columns stay the same, as identifiers of persons do', lambda i: i // 3 % 7, lambda i: 'ab'[i // 3 * 7 % 3 // 2])
    yield kind('numbers of telephones', 'Telefon', lambda i: 4930100000 + i // 2 * 7919, ['kind: unused'], 'its name says that it identifies persons or records')
    yield kind('names', 'name', lambda i: 'Person %d' % (i % 99), ['kind: unused'], 'its name says that it identifies persons or records')
    yield kind('running numbers', 'serial', lambda i: i, ['kind: unused'],
               'integers that nearly all differ, as identifiers and running numbers do; delete the entry, or, to use the column, write \'kind: number\' with \'low\' and \'high\' in '
               'place of \'kind: unused\', and the source in place of this line')


def propose(program, folder, k):
    path = os.path.join(folder, 'table.csv')
    with open(path, 'w', encoding='utf-8') as f:
        f.write('%s;z;y\n' % k.column)
        f.writelines('%s;%s;%s\n' % (k.cells(i), k.beside(i), k.label(i)) for i in range(ROWS))
    done = subprocess.run([program, 'schema', 'init', '--data', path, '--label', 'y'], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (k.name, done)
    return done.stdout, path


def entry_of(proposal, column):
    start = proposal.index('  - name: "%s"\n' % column)
    return proposal[start:].split('\n  - name:')[0].split('\nmissing:')[0].split('\nunit:')[0]


def row_of(k):
    """The row of the page."""
    says = k.says.replace('|', '\\|')
    return '| %s | %s | %s |' % (k.name, ', '.join('`%s`' % line for line in k.lines), '`%s`' % says if says else 'nothing')


def faults_of(program, folder, k):
    proposal, path = propose(program, folder, k)
    entry, missing = entry_of(proposal, k.column), [line for line in proposal.splitlines() if line.startswith(('missing: ', 'unit: '))]
    lines = [line.strip() for line in entry.splitlines()] + missing
    faults = ['no line %s' % line for line in k.lines if line not in lines]
    remark = [line for line in lines if line.startswith('review: ')][0].split('# REVIEW: ')[1]
    if k.says not in remark:
        faults.append('says: %s' % remark)
    ordinary = ('the bounds are a guess', 'the bounds are those of the records, rounded outwards; ')
    if not k.says and ';' in remark.replace(ordinary[0], '').replace(ordinary[1], '') and 'unused' not in entry:
        faults.append('says more than the page: %s' % remark)
    schema = os.path.join(folder, 'schema.yaml')
    with open(schema, 'w', encoding='utf-8') as f:
        f.write(proposal)
    checked = subprocess.run([program, 'schema', 'check', '--data', path, '--schema', schema], capture_output=True, text=True, check=False)
    if checked.returncode or 'cells that do not fit' in checked.stdout:
        faults.append('the proposal does not fit its table: %s' % checked)
    return faults + ['in\n%s' % entry[:1500]] if faults else []


def main():
    program = os.path.abspath(sys.argv[1])
    with open(sys.argv[2], encoding='utf-8') as f:
        page = f.read().splitlines()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for k in kinds():
            faults = faults_of(program, folder, k)
            if row_of(k) not in page:
                faults.append('the page lacks the row\n%s' % row_of(k))
            failed += ['FAILED: %s: %s' % (k.name, fault) for fault in faults]
            print(row_of(k))
    print('\n'.join(failed))
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
