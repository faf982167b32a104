"""What an import loads: scikit-learn comes with the first name that needs it, and predictions take numpy alone."""
import ast
import importlib
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import hedgerow

FOREIGN = {'numpy', 'cffi', '_cffi_backend', 'pycparser', 'hedgerow'}  # beside Python's own; pycparser is cffi's
BLOCKED = '''
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in ('sklearn', 'scipy', 'joblib', 'pandas', 'polars', 'pyarrow', 'matplotlib', 'jinja2'):
            raise ImportError(name + ' is blocked')
sys.meta_path.insert(0, Blocked())
'''
PREDICTS = BLOCKED + '''
import hedgerow, numpy as np
model = hedgerow.Model.read('model.json')
X = np.load('x.npy')
rows = [model.predictor().predict_proba_row(record) for record in X]
np.save('p.npy', model.predict(X))
np.save('rows.npy', rows)
model.summary(), model.guarantee.statement
'''


def run(code, folder='.'):
    done = subprocess.run([sys.executable, '-c', code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope='module')
def fitted():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(500, 2))
    y = np.where(X[:, 0] > 0, 'yes', 'no')
    return hedgerow.HedgerowClassifier(epsilon=8, delta=0, schema=schema()).fit(X, y), X


def schema():
    return hedgerow.Schema.build(hedgerow.Column('label', values=('no', 'yes')), [hedgerow.Column('a', -1, 1), hedgerow.Column('b', -1, 1)])


def test_import__loads_numpy_and_the_binding_alone():
    found = run('import sys\nbefore = set(sys.modules)\nimport hedgerow\nprint(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))')
    assert {'hedgerow', 'numpy'} <= set(found)
    assert {name for name in found if name not in sys.stdlib_module_names and not name.startswith('_sysconfigdata')} <= FOREIGN


def test_model_and_predictor__need_numpy_alone(fitted, tmp_path):
    classifier, X = fitted
    classifier.model_.write(tmp_path / 'model.json')
    np.save(tmp_path / 'x.npy', X)
    run(PREDICTS, tmp_path)
    expected = classifier.model_.predict(X).tobytes()
    assert np.load(tmp_path / 'p.npy').tobytes() == expected
    assert np.load(tmp_path / 'rows.npy').tobytes() == expected


def test_what_needs_an_absent_library__names_it():
    assert run(BLOCKED + 'import hedgerow\ntry:\n    hedgerow.HedgerowClassifier\nexcept ImportError as e:\n    print(e)') == ['sklearn', 'is', 'blocked']


def test_names__are_listed_before_their_first_use_and_found():
    found = run("import hedgerow\nlisted = set(dir(hedgerow))\nfor name in hedgerow.__all__:\n    exec('from hedgerow import ' + name)\n"
                "    print(name in listed, globals()[name] is getattr(hedgerow, name))")
    assert found == ['True'] * 2 * len(hedgerow.__all__)


def test_star_import__has_all_names():
    assert set(run('from hedgerow import *\nprint(*dir())')) >= set(hedgerow.__all__)


@pytest.mark.parametrize('module', sorted(set(hedgerow.LATER.values())))
def test_modules__are_attributes_of_the_package(module):
    assert run('import hedgerow\nprint(hedgerow.%s.__name__, %r in dir(hedgerow))' % (module, module)) == ['hedgerow.' + module, 'True']


def test_types__are_those_that_are_imported():
    """What a checker of types reads is what `__getattr__` does."""
    tree = ast.parse(pathlib.Path(hedgerow.__file__).read_text('utf-8'))
    branch, = [node for node in tree.body if isinstance(node, ast.If)]
    assert {alias.name: line.module for line in branch.body for alias in line.names} == hedgerow.LATER
    assert all(getattr(hedgerow, name) is getattr(importlib.import_module('hedgerow.' + module), name) for name, module in hedgerow.LATER.items())


def test_unknown_name__is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'hedgerow' has no attribute 'HedgerowClasifier'") as caught:
        hedgerow.HedgerowClasifier
    assert caught.value.name == 'HedgerowClasifier' and not hasattr(hedgerow, 'sklearn')


def test_pickle__is_read_by_a_process_that_imported_nothing(fitted, tmp_path):
    classifier, X = fitted
    (tmp_path / 'c.pickle').write_bytes(pickle.dumps(classifier))
    np.save(tmp_path / 'x.npy', X)
    run("import pickle, numpy as np\nnp.save('p.npy', pickle.load(open('c.pickle', 'rb')).predict_proba(np.load('x.npy')))", tmp_path)
    assert np.load(tmp_path / 'p.npy').tobytes() == classifier.predict_proba(X).tobytes()


def test_skops_types__are_where_the_types_are():
    kinds = [getattr(hedgerow, text.rpartition('.')[2]) for text in hedgerow.SKOPS_TYPES]
    assert hedgerow.SKOPS_TYPES == [kind.__module__ + '.' + kind.__name__ for kind in kinds]
