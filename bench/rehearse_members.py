"""Rehearsals (rehearse.py) of members that lie, that end their part, that flood, and that have processes of their own."""
import re
import shutil

import dropout
import liars
from pages import rows_of
from stage import expect


def rehearse_simfl_many_table(stage):
    if not shutil.which('nats-server'):
        return
    text = stage.tables(['simfl-many'], 'simfl_many.py', *stage.on_sets(), '--trees', '2', '--records', '300', '--wide-records', '200')['simfl-many']
    for first in ('300 | 1 | ', '200 | 4 | '):
        seconds, processor = map(float, rows_of(text, first + 'one process')[0][:2])
        expect(0 <= processor < 60 and 0 <= seconds < 60, 'what is measured cannot be:\n' + text)
        expect(len(rows_of(text, first + 'processes, a broker')) == 1, 'no row over a broker:\n' + text)


def rehearse_liars_table(stage):
    """On a coin whose face x tells in three of four cases: what the liar does shows, and who does nothing is not suspect."""
    text = stage.tables([liars.PART], 'liars.py', *stage.on_sets(), '--build', stage.build, '--sets', 'coin', '--seeds', '1', '--rows', '100', '--epsilon', '8')[liars.PART]
    found = {(row.title, bounds): rows_of(text, '%s | %s' % (row.title, bounds)) for row in liars.ROWS for bounds in ('yes', 'no')}
    expect(all(len(rows) == 1 and len(rows[0]) == 4 for rows in found.values()), 'not one row a lie, with and without bounds:\n' + text)
    told = {of: rows[0] for of, rows in found.items()}
    for bounds in ('yes', 'no'):
        expect(told['nobody lies', bounds][2:] == ['no', '0'], 'an honest owner is suspect:\n' + text)
        expect(told['it sends random shares', bounds] == ['0', '', 'no model: impossible', '15'], 'random shares make a model:\n' + text)
    expect('record count' in told['it has 2^20 records in the total alone', 'yes'][2], 'a false total passes:\n' + text)
    expect(told['it has ten times the records of its bound, with the other label', 'yes'][3] == '5', 'too many records pass:\n' + text)
    expect(told['its records have the other label', 'yes'][3] == '0', 'labels are checked, which no sum can tell:\n' + text)


def rehearse_dropout_table(stage):
    """On a coin: a sum is lost by an owner that ends its part once it was named, or where nothing is prepared, and by no other one."""
    text = stage.tables([dropout.PART], 'dropout.py', *stage.on_sets(), '--build', stage.build, '--sets', 'coin', '--owners', '3', '--rows', '100', '--runs', '1')[dropout.PART]
    for job, title, words in dropout.ROWS:
        found = rows_of(text, '%s | %s' % (job, title))
        expect(len(found) == 1 and len(found[0]) == 6, 'not one row of %s, %s:\n%s' % (job, title, text))
        lost, paid, part, deadlines, result = found[0][1:]
        loses = 'ready' in words or 'whole' in words or 'unprepared' in words
        expect(lost == str(int(loses)) and (float(part) > 0) == loses and float(part) <= float(paid) <= 100, 'sums that are lost, in %s, %s:\n%s' % (job, title, text))
        expect(deadlines == str(int('dies' in title)), 'deadlines, in %s, %s:\n%s' % (job, title, text))
        expect(result.startswith('none') == (loses and job != 'hedge'), 'the result of %s, %s:\n%s' % (job, title, text))
    for job in dropout.JOBS:
        whole, prepared = (rows_of(text, '%s | 3 | %s' % (job, kind))[0] for kind in ('no', 'yes'))
        expect(int(prepared[0]) > int(whole[0]), 'preparing takes no packets:\n' + text)


def rehearse_flood_bench(stage):
    """A second of it: the job ends, alone and in the flood, and junk was read, by far not all of it."""
    if not shutil.which('nats-server'):
        return
    said = stage.run('flood.py', stage.hedgerow, '--seconds', '1')
    found = re.findall(r'^(undisturbed|flooded): the job takes ([0-9.]+) s; north takes in (\d+) unreadable packets$', said, re.M)
    expect([what for what, _, _ in found] == ['undisturbed', 'flooded'], said)
    (_, _, none), (_, _, junk) = found
    expect(none == '0' and 0 < int(junk) < 3000, 'junk that was read:\n' + said)
