#!/usr/bin/env python3
"""The recipe for conda, as rattler-build of PyPI reads it: it is rendered with its version that of the project. No channel is asked, so what its
requirements are called there is not checked. usage: recipe.py SOURCE"""
import os
import re
import sys

import rattler_build


def main():
    with open(os.path.join(sys.argv[1], 'meson.build')) as file:
        version = re.search(r"version: '([^']+)'", file.read())[1]
    recipe = rattler_build.Stage0Recipe.from_file(os.path.join(sys.argv[1], 'packaging/conda/recipe.yaml'))
    variants = recipe.render(rattler_build.VariantConfig({'c_compiler': ['gcc'], 'c_stdlib': ['sysroot'], 'python': ['3.12.*']}))
    rendered = [variant.recipe for variant in variants]
    assert [str(one.package.version) for one in rendered] == [version], rendered
    assert 'gcc_linux-64' in [str(one) for one in rendered[0].requirements.build], rendered[0].requirements.build
    print('hedgerow %s renders' % version)


main()
