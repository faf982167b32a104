"""Tables of scipy: those of few cells are read by the cells that are there, and give what dense ones give."""
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

import hedgerow
from hedgerow import HedgerowClassifier


def words(rows=600, columns=40):
    """Few cells that are there, of which some are zeros, missing, beyond the bounds, or not sorted; and the same with all zeros."""
    draw = np.random.default_rng(4)
    table = scipy.sparse.random_array((rows, columns), density=.06, format='csr', rng=draw)
    table.data[::7], table.data[1::11], table.data[2::13] = 0, np.nan, 3
    for row in range(rows):
        there = slice(table.indptr[row], table.indptr[row + 1])
        table.indices[there], table.data[there] = table.indices[there][::-1].copy(), table.data[there][::-1].copy()
    table.has_sorted_indices = False
    return table, table.toarray()


def is_kept_sparse(table, schema):
    made = hedgerow._frames.Table(schema, hedgerow._frames.columns_of(table), None)
    lib, none = hedgerow._native.lib, hedgerow._native.ffi.NULL
    return all(lib.hr_data_numbers(made.at, i) == none == lib.hr_data_codes(made.at, i) for i in range(table.shape[1]))


@pytest.mark.parametrize('method', ['hedge', 'gbdt', 'dpboost'])
@pytest.mark.parametrize('form', ['tocsr', 'tocsc', 'tocoo'])
def test_tables_of_few_cells__stay_sparse_and_give_what_dense_ones_give(method, form):
    table, dense = words()
    table = getattr(table, form)()
    y = np.nan_to_num(dense).sum(axis=1) > 1
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        one, two = (HedgerowClassifier(method, bounds=(0, 1), random_state=1).fit(t, y) for t in (dense, table))
    assert one.model_.to_json() == two.model_.to_json()
    assert is_kept_sparse(table, hedgerow.Schema.build(one.model_.schema.label, [hedgerow.Column('x%d' % i, -9, 9) for i in range(40)]))
    assert np.array_equal(one.predict_proba(dense), two.predict_proba(table))
    assert np.array_equal(one.model_.predict(dense), one.model_.predict(table))


@pytest.mark.filterwarnings('ignore::hedgerow.MisfitWarning')
def test_tables_of_few_cells__may_have_categories_and_zeros_that_are_missing():
    draw = np.random.default_rng(2)
    dense = draw.integers(1, 4, size=(500, 12)).astype(float) * (draw.uniform(size=(500, 12)) < .08)
    kinds = ["{name: x%d, kind: category, values: [ZERO'1', '2', '3']}" % i if i % 2 else '{name: x%d, kind: number, low: 0, high: 3}' % i for i in range(12)]
    text = "hedgerow-schema: 1\nmissing: [%s]\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures: [" + ', '.join(kinds) + ']\n'
    for missing, zero in (("'?'", "'0', "), ("'0'", '')):
        schema = hedgerow.Schema.parse((text % missing).replace('ZERO', zero))
        y = np.where(dense[:, 0] + dense[:, 1] > 0, 'a', 'b')
        one, two = (HedgerowClassifier('gbdt', schema=schema, options={'trees': 5}).fit(t, y) for t in (dense, scipy.sparse.csr_array(dense)))
        assert is_kept_sparse(scipy.sparse.csr_array(dense), schema)
        assert one.model_.to_json() == two.model_.to_json()
        assert np.array_equal(one.predict_proba(dense), two.predict_proba(scipy.sparse.csr_array(dense)))


def test_tables_of_few_cells__are_refused_as_dense_ones_are():
    table, _ = words()
    table.data[5] = np.inf
    column = int(table.indices[5])
    schema = hedgerow.Schema.build(hedgerow.Column('y', 0, 1), [hedgerow.Column('x%d' % i, 0, 1) for i in range(40)])
    with pytest.raises(hedgerow.SchemaError, match="Column 'x%d' has 1 cell with infinity" % column):
        is_kept_sparse(table, schema)


def test_copies_of_cells__are_added_up_and_the_table_stays_as_it_is():
    rows, columns = np.array([3, 3, 9]), np.array([2, 2, 0])
    table = scipy.sparse.coo_array((np.array([.25, .5, 1.]), (rows, columns)), shape=(50, 20))
    found = hedgerow._frames.columns_of(table).items
    assert isinstance(found, hedgerow._frames.SparseColumns) and found[2].cells[3] == .75 and found[0].cells[9] == 1
    assert table.nnz == 3 and sum(column.cells.sum() for column in found) == 1.75


def test_one_of_8_cells__is_the_most_that_stays_sparse():
    schema = hedgerow.Schema.build(hedgerow.Column('y', 0, 1), [hedgerow.Column('x%d' % i, 0, 1) for i in range(8)])
    few, more = np.zeros((16, 8)), np.zeros((16, 8))
    few[:, 3] = more[:, 3] = more[0, 0] = .5
    assert is_kept_sparse(scipy.sparse.csc_array(few), schema) and not is_kept_sparse(scipy.sparse.csc_array(more), schema)


NUMBERS = [hedgerow.Column('x%d' % i, -2, 2) for i in range(40)]
LABELS = {'classes': hedgerow.Column('y', values=('no', 'yes')), 'number': hedgerow.Column('y', -5, 5)}


def models_of(make, tables):
    """Of each table; a refusal is the same of both."""
    found = []
    for table in tables:
        try:
            found.append(make(table).to_json())
        except (ValueError, hedgerow.HedgerowError) as error:
            found.append(str(error))
    return found


@pytest.mark.filterwarnings('ignore::hedgerow.HedgerowWarning')
@pytest.mark.parametrize('task', LABELS)
@pytest.mark.parametrize('method', [m for m in hedgerow.methods() if m not in ('survival-curve', 'statistics')])
def test_every_method__gives_the_model_of_the_dense_table(method, task):
    table, dense = words()
    schema, total = hedgerow.Schema.build(LABELS[task], NUMBERS), np.nan_to_num(dense).sum(axis=1)
    y = np.clip(total, -5, 5) if task == 'number' else np.where(total > 1, 'yes', 'no')
    kind = hedgerow.HedgerowRegressor if task == 'number' else HedgerowClassifier
    fit = lambda X: kind(method, schema=schema, epsilon=4, random_state=1).fit(X, y).model_
    one, two = models_of(fit, (dense, table))
    assert one == two
    if one.startswith('{'):
        model = hedgerow.Model.parse(one)
        assert model.predict(dense).tobytes() == model.predict(table).tobytes()
        if model.tree_count:
            assert predicted_alone(model, dense) == predicted_alone(model, table)


def predicted_alone(model, X):
    return [model.predict(X[i:i + 1]).tobytes() for i in range(3)]


def two_classes():
    table, dense = words()
    return table, dense, np.where(np.nan_to_num(dense).sum(axis=1) > 1, 'yes', 'no'), hedgerow.Schema.build(LABELS['classes'], NUMBERS)


@pytest.mark.filterwarnings('ignore::hedgerow.HedgerowWarning')
def test_every_use_of_a_table__may_be_sparse():
    table, dense, y, schema = two_classes()
    weights = np.linspace(.1, 1, len(y))
    make = HedgerowClassifier('dpboost', schema=schema, epsilon=20, random_state=1, options={'trees': 5})
    one, two = (clone(make).fit(X, y, sample_weight=weights) for X in (dense, table))
    assert one.model_.to_json() == two.model_.to_json() == pickle.loads(pickle.dumps(two)).model_.to_json()
    for use in (lambda X: two.predict_proba(X), lambda X: two.predict_log_proba(X), lambda X: two.decision_function(X), lambda X: two.score(X, y),
                lambda X: two.model_.shap(X).values, lambda X: two.model_.shap(dense[:9], background=X).values):
        assert np.array_equal(use(dense), use(table))
    assert two.predict(table).tolist() == two.predict(dense).tolist()
    heavy = HedgerowClassifier('dpboost', schema=schema, class_weights={'no': .5})
    assert heavy.fit(table, y).model_.tree_count
    found = hedgerow.evaluate(two, table, y, epsilon=50)
    assert found.figures
    search = hedgerow.PrivateSearchCV(HedgerowClassifier('dpboost', schema=schema), {'depth': [2, 3]}, epsilon=8, delta=0)
    assert search.fit(table, y).predict(table).shape == y.shape


def test_owners__may_have_sparse_tables():
    table, dense, y, schema = two_classes()
    half = len(y) // 2
    tables = [[(X[:half], y[:half]), (X[half:], y[half:])] for X in (dense, table.tocsr())]
    assert len({hedgerow.simulate(owners, schema=schema, method='simfl', mode='paper').tree_count for owners in tables}) == 1
    assert hedgerow.simulate(tables[1], schema=schema, epsilon=4).predict(table).shape == (len(y), 2)
    for other in (tables[1][0][0].copy(), tables[0][0][0]):  # a copy, and one that is not sparse
        with pytest.raises(hedgerow.ArgumentError, match='same records'):
            hedgerow.simulate([tables[1][0], (other, y[:half])], schema=schema, epsilon=4)


def test_records_of_persons__may_be_sparse():
    dense = np.zeros((600, 12))
    dense[:, 0] = np.arange(600) // 3
    dense[::9, 5] = 1
    text = 'hedgerow-schema: 1\nunit: who\nlabel: {name: y, kind: classes, values: ["0", "1"]}\nfeatures: [{name: x5, kind: number, low: 0, high: 1}]\n'
    y = dense[:, 5].astype(int)
    schema = hedgerow.Schema.parse(text.replace('who', 'x0'))
    for X in (dense, scipy.sparse.csr_array(dense)):
        with pytest.raises(ValueError):  # arrays have no names, so that no column is the unit
            HedgerowClassifier(schema=schema).fit(X, y)


@pytest.mark.parametrize('dtype', [np.float32, np.float64, np.uint16, np.int8, np.int64, np.uint64, np.bool_])
@pytest.mark.parametrize('wide', [np.int32, np.int64])
@pytest.mark.parametrize('form', ['csr', 'csc', 'bsr', 'coo', 'dok', 'lil', 'dia'])
def test_tables_of_all_forms_and_types__have_their_cells(form, wide, dtype):
    dense = np.zeros((30, 16))
    dense[[0, 3, 29, 7], [0, 15, 2, 2]] = [1, 100, 1, 3]
    for kind in ('array', 'matrix'):
        table = getattr(scipy.sparse, '%s_%s' % (form, kind))(dense.astype(dtype))
        if hasattr(table, 'indptr'):
            table.indptr, table.indices = table.indptr.astype(wide), table.indices.astype(wide)
        schema = hedgerow.Schema.build(hedgerow.Column('y', 0, 1), [hedgerow.Column('x%d' % i, 0, 1) for i in range(16)])
        found = hedgerow._frames.columns_of(table).items
        assert np.array_equal(np.stack([column.cells for column in found], axis=1), dense.astype(dtype))
        assert form == 'bsr' or is_kept_sparse(table, schema)


def spoiled(form, change):
    table = getattr(scipy.sparse, form)(np.diag(np.arange(1., 21)))
    change(table)
    return table


def set_row(table):
    table.row[3] = 99


@pytest.mark.parametrize('form', ['csr_array', 'csc_array', 'csr_matrix', 'csc_matrix', 'coo_array'])
@pytest.mark.parametrize('change', [
    lambda t: t.indices.__setitem__(3, 20), lambda t: t.indices.__setitem__(3, -1), lambda t: t.indptr.__setitem__(3, 9),
    lambda t: t.indptr.__setitem__(0, 1), lambda t: t.indptr.__setitem__(-1, 21), lambda t: setattr(t, 'indices', t.indices[:5]),
    lambda t: setattr(t, 'data', t.data[:5]), lambda t: setattr(t, 'indptr', t.indptr[:5]),
    lambda t: setattr(t, 'indices', t.indices.astype(np.int64) + (1 << 32)), set_row,
])
def test_tables_whose_cells_are_not_in_them__are_refused(form, change):
    try:
        table = spoiled(form, change)
    except AttributeError:
        return  # a form without such arrays
    if form.startswith('cs') and change is set_row:
        return
    y = np.arange(20) % 2
    model = HedgerowClassifier('gbdt', bounds=(0, 20), classes=[0, 1]).fit(np.diag(np.arange(1., 21)), y)
    for use in (model.fit, lambda X, y: model.predict(X), lambda X, y: model.model_.predict(X), lambda X, y: hedgerow._frames.columns_of(X)):
        with pytest.raises(ValueError):
            use(table, y)


def test_cells_that_scipy_takes_for_sorted__are_sorted():
    table = scipy.sparse.csc_array((np.array([.5, .25, .25]), np.array([7, 2, 2]), np.array([0] + [3] * 20)), shape=(30, 20))
    table.has_sorted_indices = table.has_canonical_format = True
    assert hedgerow._frames.columns_of(table).items[0].cells[[2, 7]].tolist() == [.5, .5]
    assert table.indices.tolist() == [7, 2, 2] and table.data.tolist() == [.5, .25, .25]


def test_tables_that_are_none__are_refused():
    table, _, y, schema = two_classes()
    model = HedgerowClassifier('gbdt', schema=schema).fit(table, y)
    wide = scipy.sparse.csr_array((5, 41))
    for X, says in ((wide, '41 features'), (scipy.sparse.csr_array((5, 0)), '0 feature'), (scipy.sparse.coo_array(np.ones(40)), '2D'),
                    (table.astype(complex), 'Complex')):
        for predict in (model.predict, model.model_.predict):
            with pytest.raises(ValueError, match=says):
                predict(X)
    assert model.model_.predict(scipy.sparse.csr_array((0, 40))).shape == (0, 2)
    assert len(model.predict_proba(scipy.sparse.csr_array((5, 40)))) == 5
    with pytest.raises(ValueError, match='5 labels|inconsistent'):
        HedgerowClassifier('gbdt', schema=schema).fit(table, y[:5])


MEMORY_OF_A_FIT = '''
import resource, warnings
import numpy as np, scipy.sparse, hedgerow
warnings.simplefilter('ignore')
draw = np.random.default_rng(1)
cells = 30000
table = scipy.sparse.csr_array((np.full(cells, .5), (np.arange(cells) % 20000, draw.integers(0, 4000, cells))), shape=(20000, 4000))
fit = lambda t, y: hedgerow.HedgerowClassifier('gbdt', bounds=(0, 1), classes=[False, True], options={'trees': 2, 'depth': 2}).fit(t, y).predict(t)
y = np.arange(20000) % 2 == 0
fit(table[:50], y[:50])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fit(table, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
'''


def test_memory_of_a_fit__is_by_the_cells_that_are_there():
    """80 million cells: bytes of them would take 80 MB, what a table of scipy's took before at least 160."""
    used = subprocess.run([sys.executable, '-c', MEMORY_OF_A_FIT], check=True, capture_output=True, text=True).stdout
    assert int(used) < 60 * 1024
