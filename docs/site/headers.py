#!/usr/bin/env python3
"""The public headers, whose comments are plain ones, for Doxygen and Breathe.
usage: headers.py HEADER            the header as Doxygen reads it, on standard output
       headers.py --pages FOLDER    a page for each header, in its order; fails if a function has no comment"""
import functools
import pathlib
import re
import sys

HEADERS = pathlib.Path('include/hedgerow')
SECTION = re.compile(r'/\* ---- (?:(.*) ---- )?\*/$')
# Doxygen tells a constant's value and comment as those of a macro alone.
ONE_CONSTANT = re.compile(r'^enum \{ (\w+) = (\w+) \};')
DECLARED = (
    ('struct', re.compile(r'typedef struct (\w+) \{')),
    ('enum', re.compile(r'typedef enum (\w+) \{')),
    ('typedef', re.compile(r'typedef (?:struct )?\w+ (\w+)[;(]')),
    ('constants', re.compile(r'enum \{()')),
    ('define', re.compile(r'#define (HR_(?!API\b|MUST_CHECK\b)\w+)')),
    ('function', re.compile(r'HR_API (?:HR_MUST_CHECK )?.*?(\w+)\(')),
)
DIRECTIVES = {'struct': ('doxygenstruct', ':members:', ':undoc-members:'), 'enum': ('doxygenenum',), 'typedef': ('doxygentypedef',),
              'constant': ('doxygenenumvalue',), 'define': ('doxygendefine',), 'function': ('doxygenfunction',)}


@functools.cache
def functions():
    """Whose names in comments become links, which Doxygen makes of those with parentheses."""
    return {name for path in HEADERS.glob('*.h') for name in re.findall(r'^HR_API [^(]*?(\w+)\(', path.read_text(), re.M)}


class Header:
    """`lines` as Doxygen reads them; `parts`: ('section', title) and (kind of declaration, name), in order; `bare`: functions that
    have no comment. A comment belongs to all declarations up to the next empty line or comment."""

    def __init__(self, path):
        self.lines, self.parts, self.bare = [], [], []
        self.comment = self.inside = self.constants = False  # whether the line begins in a comment, in a declaration, of constants
        self.above = None  # what the declarations of this line are documented by: a comment, or the first of them
        for number, line in enumerate(path.read_text().splitlines(), 1):
            self.lines.append(self.read('%s:%d' % (path, number), line, number == 1))

    def read(self, where, line, first):
        before, opened = line.split('/*', 1)[0].strip(), '/*' in line
        line = ONE_CONSTANT.sub(r'#define \1 \2', line)
        section = SECTION.match(line)
        if section and not self.inside:
            self.above = None
            if section.group(1):
                self.parts.append(('section', section.group(1)))
            return ''
        line, prefix = line.replace('@', '\\@'), ''
        if self.comment or opened:
            line = re.sub(r'(?<!<)\b(\w+\.h)\b', r'%\1', line)
            line = re.sub(r'(?<!`)\bhr_\w+\b(?![(`])', lambda m: m.group() + '()' * (m.group() in functions() and m.start() > line.find('/*')), line)
        if not self.comment and not self.inside:
            prefix = self.outermost(where, line, before)
        elif self.inside and self.constants:
            self.parts += self.constants_of(before)
        if not self.comment:
            self.inside = self.inside_after(line, before)
        if opened and not self.comment:
            mark = '/** @file %s\n *\n *' % path_name(where) if first else '/**<' if before else '/**'
            line = line.replace('/*', mark, 1)
        self.comment = (self.comment or opened) and '*/' not in line
        return prefix + line

    def outermost(self, where, line, before):
        """Notes what the line declares, and returns what is said of it that the header says once for several."""
        if not line.strip():
            self.above = None
        elif line.startswith('/*'):
            self.above = 'comment'
        for kind, pattern in DECLARED:
            found = pattern.match(line)
            if not found:
                continue
            name, above = found.group(1), self.above
            self.constants = kind == 'constants'
            self.parts += self.constants_of(line) if self.constants else [(kind, name)]
            if kind != 'function':
                self.above = None
                return ''
            if above is None:
                self.bare.append('%s: %s has no comment' % (where, name))
            elif above != 'comment':
                return '/** The comment of %s() is for this one, too. */ ' % above
            self.above = name
        return ''

    @staticmethod
    def constants_of(code):
        return [('constant', name) for name in re.findall(r'\b(HR_\w+) =', code)]

    def inside_after(self, line, before):
        code = re.sub(r'/\*.*', '', line).rstrip()
        if self.inside:
            return not (re.match(r'\}.*;$', code) if self.braces else code.endswith(';'))
        if not re.match(r'(typedef|enum|HR_API)\b', line):
            return False
        self.braces = '{' in code
        return not code.endswith(';')


def path_name(where):
    return where.rsplit(':', 1)[0].rsplit('/', 1)[1]


def titled(title, mark):
    return '%s\n%s\n\n' % (title, mark * len(title))


def page(path, header):
    text = titled(path.name, '=') + '.. doxygenfile:: %s\n   :sections: detaileddescription\n\n' % path.name
    for kind, name in header.parts:
        if kind == 'section':
            text += titled(name, '-')
        else:
            directive, *options = DIRECTIVES[kind]
            text += '.. %s:: %s\n%s\n' % (directive, name, ''.join('   %s\n' % option for option in options))
    return text


def write_pages(folder):
    folder.mkdir(parents=True, exist_ok=True)
    paths, bare = sorted(HEADERS.glob('*.h')), []
    for path in paths:
        header = Header(path)
        bare += header.bare
        (folder / (path.stem + '.rst')).write_text(page(path, header))
    (folder / 'index.rst').write_text(titled('C', '=') + 'Headers of the library, in ``include/hedgerow``; ``hedgerow.h`` includes all others.\n\n'
                                      '.. toctree::\n   :maxdepth: 2\n\n' + ''.join('   %s\n' % path.stem for path in paths))
    for problem in bare:
        print(problem, file=sys.stderr)
    return 1 if bare else 0


if __name__ == '__main__':
    if sys.argv[1] == '--pages':
        sys.exit(write_pages(pathlib.Path(sys.argv[2])))
    print('\n'.join(Header(pathlib.Path(sys.argv[1])).lines))
