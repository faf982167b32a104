"""The cells of Python of the table of objectives (tests/matrix/objectives.py): each row is fitted, explained and reported."""
import io
import pathlib
import sys

import numpy as np
import pandas as pd
import pytest

from hedgerow import HedgerowClassifier, HedgerowRegressor, HedgerowSurvival, Schema
from hedgerow._report import render

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'tests' / 'matrix'))
import objectives  # noqa: E402

ESTIMATORS = {'BINARY': HedgerowClassifier, 'MULTICLASS': HedgerowClassifier, 'SURVIVAL': HedgerowSurvival}


@pytest.fixture(scope='module', params=objectives.ROWS, ids=lambda row: row.name)
def fitted(request):
    """The row, its estimator, and its table without labels."""
    row = request.param
    table = pd.read_csv(io.StringIO(objectives.write_table(row)))
    label = table[['died', 'days']].astype({'died': bool}) if row.task == 'SURVIVAL' else table['y']
    # Of weights tables in memory have no column.
    schema = Schema.parse(objectives.write_schema(row).replace('weight: ' + row.weight, '') if row.weight else objectives.write_schema(row))
    X = table[['age', 'dose', 'ward'] + (['who'] if row.unit == 'who' else []) + (['w'] if 'exposure' in row.label else [])]
    model = ESTIMATORS.get(row.task, HedgerowRegressor)(schema=schema, epsilon=2, **dict([row.option] if row.option else []))
    return row, model.fit(X, label, **({'sample_weight': table['w'] / 2} if row.weight else {})), X


def answers(row, column):
    """Whether the cell is to work; where it is not, the words of its refusal stand in the table."""
    return (row.name, column) not in objectives.REFUSED


def test_python__fits_and_predicts(fitted):
    row, model, X = fitted
    assert answers(row, 'Python')
    predicted = model.predict(X)
    assert len(predicted) == objectives.RECORDS and len(set(predicted)) > 1
    assert model.model_.guarantee.is_private


def test_shap__explains_every_row(fitted):
    row, model, X = fitted
    assert answers(row, 'SHAP')
    X = X[[name for name in X.columns if name != 'who']]
    shap = model.model_.shap(X[:20], background=X[:50])
    assert shap.values.shape[0] == 20 and np.isfinite(shap.values).all() and np.abs(shap.values).sum() > 0


def test_report__is_written(fitted):
    row, model, _ = fitted
    assert answers(row, 'report')
    page = render(model.model_)
    assert ('days' if row.task == 'SURVIVAL' else 'y') in page and 'age' in page
