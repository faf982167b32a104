"""What the project says to people, as plain sentences: pages, the manual, help and messages of the program, texts of the package, packaging."""
import ast
import functools
import re

import source

PAGES = ('README.md', 'man/hedgerow.1')
FOLDERS = (('docs', ('.md',)), ('cli', ('.c',)), ('src', ('.c', '.h')), ('python/hedgerow', ('.py', '.html')), ('packaging', ('',)))


def places(root):
    return list(PAGES) + [path for folder, suffixes in FOLDERS for path in source.files(root, folder, suffixes=suffixes)]


def of_page(text):
    """Markdown without examples, the table of planted faults, links and emphasis."""
    text = re.sub(r'<!-- faults.*?end of faults -->|^```.*?^```', '\n\n', text, flags=re.S | re.M)
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = text.replace('\\|', '\0')
    text = re.sub(r'^\s*(?:[-*]|\d+\.)\s+|^#+\s+|\|', '\n\n', text, flags=re.M)
    return re.sub(r'\*\*|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*^])', '', text).replace('\0', '|')


def of_manual(text):
    """roff without macros and fonts."""
    text = re.sub(r'^\.EX.*?^\.EE', '', text, flags=re.S | re.M)
    text = re.sub(r'^\.(?:BR|RB|IR|RI|BI|IB) (.*)$', lambda m: ''.join(a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', m.group(1))), text, flags=re.M)
    text = re.sub(r'^\.[BI] (.*)$', r'\1', text, flags=re.M)
    text = re.sub(r'^\..*$', '\n\n', text, flags=re.M)
    return re.sub(r'\\f[BIRP]', '', text).replace('\\-', '-')


def of_program(text):
    """The string literals of C, those side by side joined, without comments."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', lambda m: m.group(0) if m.group(0)[0] == '"' else ' ', text, flags=re.S)
    text = re.sub(r'"\s*\n\s*"', '', text)
    return '\n\n'.join(m.group(1).replace('\\n', '\n').replace('\\"', '"') for m in re.finditer(r'"((?:\\.|[^"\\\n])*)"', text))


def of_package(text):
    texts = '\n\n'.join(n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return re.sub(r'\n\s+(?=\w+(?:, \w+)*: )', '\n\n', texts)


def plain(root, path):
    """The text of a file as its reader sees it, with paragraphs apart."""
    return plain_text(source.read(root, path), path)


@functools.lru_cache(maxsize=None)
def plain_text(text, path):
    if path.endswith('.md'):
        return of_page(text)
    if path.endswith('.1'):
        return of_manual(text)
    if path.endswith(('.c', '.h')):
        return of_program(text)
    if path.endswith('.py'):
        return of_package(text)
    return re.sub(r'<[^>]*>', '\n\n', text) if path.endswith('.html') else re.sub(r'^# ?', '', text, flags=re.M)


def joined(text):
    """Text with single spaces."""
    return ' '.join(text.split())


def sentences(text):
    for paragraph in re.split(r'\n\s*\n', text):
        yield from re.split(r'(?<=[.!?])\s+(?=[A-Z"`(\[%]|\w+(?:, \w+)*: )', joined(paragraph))
