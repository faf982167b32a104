"""The documentation site: the pages of docs/, the proofs beside the code, and the references of C and Python (tools/site.sh)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'python'))

project = 'Hedgerow'
author = copyright = 'Hedgerow'
version = release = re.search(r"version: '([^']+)'", (ROOT / 'meson.build').read_text())[1]
root_doc = 'docs/site/index'
include_patterns = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/site/*.md', 'src/**/*.proof.md', 'tests/mutations/README.md']
extensions = ['myst_parser', 'sphinx.ext.autodoc', 'breathe']
html_theme = 'furo'
html_title = 'Hedgerow'
html_show_copyright = False

myst_heading_anchors = 4
# The pages are written for readers of the files, too: `inline code` may be anything, and tables of proofs stand alone.
# C has structs and types of one name, which the domain calls duplicates.
suppress_warnings = ['myst.header', 'misc.highlighting_failure', 'duplicate_declaration.c']

autodoc_mock_imports = ['hedgerow._hedgerow']  # nothing is built: names and docstrings are enough
autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'

breathe_default_project = 'hedgerow'
breathe_domain_by_extension = {'h': 'c'}
c_id_attributes = ['HR_API', 'HR_MUST_CHECK']


def plain_text(_app, _what, _name, _obj, _options, lines):
    """Docstrings are plain text with `code`: a line that goes on stands deeper, and example code stands deeper after an empty line."""
    told = []
    for line in lines:
        if line.startswith(' ') and told and told[-1].strip() and not told[-1].startswith(' '):
            told[-1] += ' ' + line.strip()
        elif line.startswith(' ') and (not told or not told[-1].strip()):
            told += ['::', '', line]
        elif line.startswith(' '):
            told.append(line)
        else:
            told.append(re.sub(r'`[^`]*`|[_*|]', lambda found: found[0] if len(found[0]) > 1 else '\\' + found[0], line))
    lines[:] = re.sub(r'`([^`\n]+)`', r'``\1``', '\n'.join(told)).split('\n')


def is_of_sklearn(_app, _what, name, _obj, _skip, _options):
    return True if name.startswith('set_') and name.endswith('_request') else None


def setup(app):
    app.connect('autodoc-process-docstring', plain_text)
    app.connect('autodoc-skip-member', is_of_sklearn)
