#!/usr/bin/env python3
"""The page of the Python package: what hedgerow/__init__.py exports, grouped by the modules that it comes from.
usage: package.py FILE"""
import ast
import pathlib
import sys

PACKAGE = pathlib.Path('python/hedgerow')
DIRECTIVES = {ast.ClassDef: 'autoclass', ast.FunctionDef: 'autofunction'}


def titled(title, mark):
    return '%s\n%s\n\n' % (title, mark * len(title))


def entries(tree, names):
    """In the order of the source."""
    return ''.join('.. %s:: hedgerow.%s\n\n' % (DIRECTIVES[type(node)], node.name)
                   for node in tree.body if type(node) in DIRECTIVES and node.name in names)


def main():
    package = ast.parse((PACKAGE / '__init__.py').read_text())
    exported = next(ast.literal_eval(node.value) for node in package.body if isinstance(node, ast.Assign) and node.targets[0].id == '__all__')
    opening, example = ast.get_docstring(package, clean=False).split('\n\n', 1)
    text = titled('Python', '=') + opening + '\n\n.. code-block:: python\n\n' + example.rstrip() + '\n\n' + entries(package, exported)
    origins = {}
    for node in package.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            origins.setdefault(node.module, []).extend(alias.name for alias in node.names if alias.name in exported)
    # Errors come last: one looks them up.
    for module in sorted((m for m in origins if origins[m]), key=lambda m: m == 'errors'):
        tree = ast.parse((PACKAGE / (module + '.py')).read_text())
        text += titled(module.strip('_').capitalize(), '-') + ast.get_docstring(tree) + '\n\n' + entries(tree, origins[module])
    pathlib.Path(sys.argv[1]).write_text(text)


main()
