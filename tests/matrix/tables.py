"""Neighbouring tables: one record, or one person with all its records, is gone or has become another one."""
import random

HEAD = 'who,age,dose,ward,ill'
LABELS = {'classes': '{name: ill, kind: classes, values: ["no", "yes"]}', 'numbers': '{name: ill, kind: number, low: 0, high: 100}',
          'times': '{kind: time, time: ill, event: came, intervals: [10, 40, 80]}'}  # in two columns: the time, and whether the event came then
TARGET_RECORDS = 12
EXTREME, OTHER = ('95', '9.9', 'c'), ('05', '0.1', 'a')
EXTREME_LABEL, OTHER_LABEL = {'classes': 'yes', 'numbers': '99', 'times': '05,1'}, {'classes': 'yes', 'numbers': '01', 'times': '95,0'}


def schema(task, unit):
    return '\n'.join(['hedgerow-schema: 1', 'label: ' + LABELS[task], 'features:', '  - {name: age, kind: number, low: 0, high: 100, integer: true}',
                      '  - {name: dose, kind: number, low: 0, high: 10}', '  - {name: ward, kind: category, values: [a, b, c]}']
                     + ['unit: who' if unit else 'unit: record']) + '\n'


def others(task, seed, many=0):
    """Records of thirty persons, the first of each before the others, and of `many` more with one record each: they say all the same."""
    r = random.Random(seed)
    first, rest = [], []
    for person in range(30):
        for turn in range(1 + person % 3):
            label = r.choice(['no', 'no', 'yes']) if task == 'classes' else '%02d' % r.randrange(100)
            label += ',%d' % (r.random() < .5) if task == 'times' else ''
            (rest if turn else first).append(('p%02d' % person, '%02d' % r.randrange(10, 90), '%.1f' % r.uniform(1, 8.9), r.choice('abc'), label))
    for person in range(many):
        old = person % 2
        rest.append(('q%04d' % person, ('20', '80')[old], '5.0', 'ab'[old], {'classes': ('no', 'yes'), 'numbers': ('10', '90'), 'times': ('15,1', '90,0')}[task][old]))
    return first, rest


class Neighbours:
    """kind: 'removed', where the twin lacks the target, or 'changed', where the target's values are others, as long.
    last: all of the target's records come after all others; else a person's lie among those of others, and a single record in the middle."""

    def __init__(self, task, unit, kind, last, many=0):
        first, rest = others(task, 1, many)
        records = TARGET_RECORDS if unit else 1
        base = [('p99', *EXTREME, EXTREME_LABEL[task])] * records
        twin = {'removed': [], 'changed': [('p99', *OTHER, OTHER_LABEL[task])] * records}[kind]
        self.base, self.twin = (self.place(first, rest, target, last) for target in (base, twin))
        self.times = {'removed': 1, 'changed': 2}[kind]
        self.gap = {} if last or kind == 'changed' else {'HR_GAP_RECORDS': '15 1', 'HR_GAP_PERSONS': '15 1'}

    @staticmethod
    def place(first, rest, target, last):
        if last:
            return first + rest + target
        # The target is the sixteenth person to be seen; its other records stand between those of others.
        rows, rest, more = first[:15] + target[:1] + first[15:], list(rest), list(target[1:])
        while rest or more:
            rows += rest[:2] + more[:1]
            rest, more = rest[2:], more[1:]
        return rows


def at_two_ranks(rows):
    """The rows in two, each person's in one, so that persons are seen in the order in which they were."""
    seen = list(dict.fromkeys(row[0] for row in rows))
    first = set(seen[:seen.index('p15')])
    return [row for row in rows if row[0] in first], [row for row in rows if row[0] not in first]


def text(rows):
    return '\n'.join([HEAD + (',came' if ',' in rows[0][-1] else '')] + [','.join(row) for row in rows]) + '\n'
