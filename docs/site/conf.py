"""The site: the pages of this repository as they are, and the reference of C and Python. tools/site.sh builds it."""
import os
import pathlib
import re
import sys

from sphinx import addnodes
from sphinx.util import inspect, logging

site = pathlib.Path(os.environ['SITE']).resolve()
here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here.parents[1] / 'python')]

project = 'Hedgerow'
version = release = os.environ['HEDGEROW_VERSION']
extensions = ['myst_parser', 'sphinx.ext.autodoc', 'breathe', 'measured']
root_doc = 'docs/index'
include_patterns = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'docs/**/*.md', 'src/**/*.proof.md', 'tests/mutations/README.md', 'reference/**']
nitpicky = True
# Names of the standard library and of other packages, whose references are not here.
nitpick_ignore_regex = [('c:identifier', r'size_t|bool|u?int\d+_t|ptrdiff_t|double|FILE|struct tm'), ('py:.*', r'(?!hedgerow).*')]

myst_heading_anchors = 4
myst_links_external_new_tab = False

breathe_projects = {'hedgerow': str(site / 'doxygen' / 'xml')}
breathe_default_project = 'hedgerow'
breathe_domain_by_extension = {'h': 'c'}

# The reference needs no built library.
autodoc_mock_imports = ['hedgerow._hedgerow', 'cffi', 'numpy', 'sklearn']
autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
autodoc_default_options = {'members': True, 'undoc-members': True, 'inherited-members': True}
python_use_unqualified_type_names = True
default_role = 'literal'

highlight_language = 'none'
html_theme = 'furo'
html_title = 'Hedgerow %s' % version
# The version, and the way to the others, whose list lies beside the folders of all (versions.py).
templates_path = ['templates']
html_sidebars = {'**': ['sidebar/brand.html', 'versions.html', 'sidebar/search.html', 'sidebar/scroll-start.html', 'sidebar/navigation.html', 'sidebar/scroll-end.html']}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def docstring_as_markup(app, what, name, obj, options, lines):
    """Docstrings are plain text: an indented paragraph is code; lines with others indented below them are a list."""
    if what in ('class', 'exception', 'function', 'method', 'property') and not any(lines):
        logging.getLogger(__name__).warning('%s has no docstring', name)
    paragraphs = [paragraph.split('\n') for paragraph in '\n'.join(lines).strip('\n').split('\n\n')]
    lines[:] = '\n\n'.join('\n'.join(paragraph_as_markup(paragraph)) for paragraph in paragraphs).split('\n')


def paragraph_as_markup(paragraph):
    depths = [len(line) - len(line.lstrip()) for line in paragraph]
    if min(depths) > 0:
        return ['.. code-block:: python', ''] + paragraph
    plain = [re.sub(r'(?<=\w)_(?!\w)', r'\\_', line) for line in paragraph]
    if max(depths) == 0:
        return plain
    found, item = [], 0
    for line, depth in zip(plain, depths):
        named = re.match(r' *\w+(, \w+)*:(?= )', line)
        if depth == 0 or named:
            line, item = ' ' * depth + '-   ' + re.sub(r'^([\w, ]+?):(?= )', r'**\1**:', line[depth:]), depth
            found.append('')
        elif depth <= item:
            found.append('')
        found.append(line)
    return found


def signature_of_class(app, what, name, obj, options, signature, returns):
    """As __init__ has it: a mocked base hides it from autodoc."""
    if what == 'class' and '__init__' in vars(obj) and '*args' in (signature or ''):
        return inspect.stringify_signature(inspect.signature(obj.__init__, bound_method=True), show_return_annotation=False), None
    return None


def folders_as_text(app, doctree):
    """A link to a folder of the repository, which has no page here, stays what it says."""
    beside = pathlib.Path(app.env.doc2path(app.env.docname)).parent
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get('reftype') == 'myst' and (beside / node['reftarget']).is_dir():
            node.replace_self(node.children)


def skip_of_others(app, what, name, obj, skip, options):
    """What classes inherit from Python and from other packages is documented there."""
    origin = getattr(obj, 'fget', obj)
    module = getattr(origin, '__module__', None) or getattr(getattr(origin, '__objclass__', None), '__module__', 'hedgerow')
    return None if str(module).startswith('hedgerow') or not (callable(origin) or hasattr(origin, '__objclass__')) else True


def setup(app):
    app.connect('autodoc-skip-member', skip_of_others)
    app.connect('doctree-read', folders_as_text)
    app.connect('autodoc-process-signature', signature_of_class)
    app.connect('autodoc-process-docstring', docstring_as_markup)
