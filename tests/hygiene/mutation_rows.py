#!/usr/bin/env python3
"""The table of faults that tools/mutate.py writes: rows of faults that were not tried now stay while they are right. usage: mutation_rows.py ROOT"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], 'tools'))
import mutate


def fault(name, what='wrong', file='src/a.c'):
    return mutate.Fault(name, what, file, 'old', 'new', ['test'])


def main():
    kept, moved, now, survivor, never = (fault(name) for name in ('kept', 'moved', 'now', 'survivor', 'never'))
    gone = fault('gone')
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, 'page.md')
        with open(page, 'w', encoding='utf-8') as file:
            file.write('before\n%s\n%s\nbehind\n' % mutate.TABLE)
        mutate.put_table(page, mutate.table([kept, moved, now, gone], {f.name: {'caught': 'old_test'} for f in (kept, moved, now, gone)}, {}))
        rows, every = mutate.rows_of(page), [kept, fault('moved', file='src/b.c'), now, survivor, never]
        assert [f.name for f in every if mutate.beginning(f) not in rows] == ['moved', 'survivor', 'never'], 'other faults are missing: %s' % rows
        mutate.put_table(page, mutate.table(every, {'now': {'caught': 'new_test'}, 'survivor': {'caught': None}}, rows))
        text = mutate.read(page)
    assert text.splitlines()[3:-2] == ['|---|---|---|---|', '| kept | wrong | src/a.c | `old_test` |', '| now | wrong | src/a.c | `new_test` |',
                                       '| survivor | wrong | src/a.c | **nothing** |'], text
    assert text.startswith('before\n') and text.endswith('\nbehind\n'), text


main()
