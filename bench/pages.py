#!/usr/bin/env python3
"""Figures as markdown, and where they are kept: in FOLDER/PART.json, or between the lines "<!-- begin PART -->" and "<!-- end PART -->" of a
page. pages.py turns what a script has printed into such a file; a command or text that the file has, and the print has not, stays.

PART.json: {"command": what measures it, "text": paragraphs, "tables": [{"title", "text", "columns", "rows"}], "after": paragraphs}, each but
the tables if there is any. A number stands as it was printed; [a, b] is a ± b, [a, b, "c"] the same with a mark or a figure beside it.
usage: SCRIPT ... | pages.py FOLDER PART"""
import json
import os
import re
import shlex
import statistics
import sys

NUMBER = r'-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?'
# Arguments that say where things lie on a machine, and no part of what is measured.
PLACES = ('--into', '--data', '--hedgerow', '--cache', '--build', '--work', '--results', '--processes', '--python', '--sbdt')


def load(path):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def write(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def deviation(values):
    return statistics.stdev(values) if len(values) > 1 else 0


def shown(mean, spread_of_it, digits=2):
    return '%.*f ± %.*f' % (digits, mean, digits, spread_of_it)


def spread(values, digits=2):
    return shown(statistics.mean(values), deviation(values), digits)


def line(cells):
    return '| ' + ' | '.join(cells) + ' |'


def header(cells):
    return ['', line(cells), '|---' * len(cells) + '|']


def cells_of(row):
    """Of a row in markdown."""
    return [cell.strip() for cell in row.strip().removeprefix('|').removesuffix('|').split('|')]


def record(lines):
    """What is kept of printed lines: tables, each with the heading and the paragraphs before it, and what comes after them."""
    made, table, title, said = {'text': [], 'tables': []}, None, {}, []
    for text in lines:
        if not text.startswith('|'):
            table = None
            if text.startswith('### '):
                made['text'], title, said = made['text'] + said, {'title': text[len('### '):]}, []
            elif text:
                said.append(text)
        elif table is None:
            table = {**title, 'text': said, 'columns': cells_of(text), 'rows': []}
            made['tables'].append(table)
            title, said = {}, []
        elif set(text) - set('|-'):
            table['rows'].append(cells_of(text))
    return {**made, 'after': said}


def in_print(cell):
    """A cell that load_shown() read."""
    return cell if isinstance(cell, str) else ' '.join([' ± '.join(cell[:2]), *cell[2:]])


def markdown(data, heading='### %s'):
    """The printed lines again, of what load_shown() read."""
    yield from (text for paragraph in data.get('text', []) for text in ('', paragraph))
    for table in data['tables']:
        said = ([heading % table['title']] if 'title' in table else []) + table.get('text', [])
        yield from (text for paragraph in said for text in ('', paragraph))
        yield from header(table['columns'])
        yield from (line(map(in_print, row)) for row in table['rows'])
    yield from (text for paragraph in data.get('after', []) for text in ('', paragraph))


def as_json(data):
    """One line a row."""
    def quoted(value):
        return json.dumps(value, ensure_ascii=False)

    def cell(text):
        found = re.fullmatch(r'(%s) ± (%s)(?: (.+))?' % (NUMBER, NUMBER), text)
        if found:
            return '[%s]' % ', '.join([*found.groups()[:2], *(quoted(more) for more in found.groups()[2:] if more)])
        return text if re.fullmatch(NUMBER, text) else quoted(text)

    def table(of):
        said = ['%s: %s' % (quoted(key), quoted(of[key])) for key in ('title', 'text', 'columns') if of.get(key)]
        return '  {%s,\n   "rows": [\n%s\n   ]}' % (',\n   '.join(said), ',\n'.join('    [%s]' % ', '.join(map(cell, row)) for row in of['rows']))
    said = {key: quoted(data[key]) for key in ('command', 'text', 'after') if data.get(key)}
    said['tables'] = '[\n%s\n ]' % ',\n'.join(map(table, data['tables']))
    return '{\n %s\n}\n' % ',\n '.join('"%s": %s' % (key, said[key]) for key in ('command', 'text', 'tables', 'after') if key in said)


def load_shown(folder, part):
    """PART.json; numbers are text, with the digits that it has."""
    return json.loads(read(os.path.join(folder, part + '.json')), parse_float=str, parse_int=str)


def command():
    """How this script was called, without places."""
    words = iter(sys.argv[1:])
    kept = [word for word in words if not (word in PLACES and next(words, True))]
    return shlex.join(['bench/' + os.path.basename(sys.argv[0]), *kept])


def settings_of(data):
    """The paragraphs that list the settings of a comparison."""
    said = [*data.get('text', []), *data.get('after', []), *(text for table in data['tables'] for text in table.get('text', []))]
    return [text for text in said if 'Settings: ' in text]


def keep(folder, part, data):
    """Writes PART.json; what the file has, and data has not, stays: the command, the settings, and the text before the only table."""
    path = os.path.join(folder, part + '.json')
    known = load(path) if os.path.exists(path) else {'tables': []}
    if len(known['tables']) == len(data['tables']) == 1 and not data['tables'][0]['text']:
        data['tables'][0]['text'] = known['tables'][0]['text']
    if not settings_of(data):
        data['after'] = [*data.get('after', []), *settings_of(known)]
    write(path, as_json({'command': known.get('command'), **data}))


def between(part):
    """What finds a part in a page: the line before it, its own, the line after it."""
    return re.compile(r'(<!-- begin %s -->\n)(.*?)(<!-- end %s -->\n)' % (part, part), re.S)


def part_of(text, part):
    return between(part).search(text).group(2)


def rows_of(text, first):
    """The other cells of a table's rows that begin with these cells."""
    start = '| %s |' % first
    return [[cell.strip() for cell in found[len(start):].rstrip().removesuffix('|').split('|')] for found in text.split('\n') if found.startswith(start)]


def put(path, part, lines):
    """Writes a part to a folder, or replaces it in a page."""
    if os.path.isdir(path):
        keep(path, part, {'command': command(), **record(lines)})
        return
    write(path, between(part).sub(lambda found: found.group(1) + '\n'.join(['', *lines, '', '']) + found.group(3), read(path)))


def check(path, parts):
    """Before the long work: the page has one place for each part. A folder has."""
    if os.path.isdir(path):
        return
    text = read(path)
    for part in parts:
        if len(between(part).findall(text)) != 1:
            sys.exit('%s: %s has no one place for the part %s; write the lines <!-- begin %s --> and <!-- end %s -->' %
                     (os.path.basename(sys.argv[0]), path, part, part, part))


if __name__ == '__main__':
    keep(*sys.argv[1:3], record(sys.stdin.read().split('\n')))
