"""Exports are written by the C library; here is what Python adds."""
import json

import numpy as np
import pytest

from hedgerow import HedgerowRegressor
from hedgerow.errors import ArgumentError, FileError, LimitError


def fitted(name='x'):
    pandas = pytest.importorskip('pandas')
    x = np.linspace(-1, 1, 500)
    return HedgerowRegressor(epsilon=8, delta=1e-6, bounds=(-1, 1), label_bounds=(-1, 1)).fit(pandas.DataFrame({name: x}), x).model_


def test_export__writes_each_format(tmp_path):
    model = fitted()
    model.export(tmp_path / 'model.onnx')
    assert b'TreeEnsemble' in (tmp_path / 'model.onnx').read_bytes()
    model.export(str(tmp_path / 'model.json'), 'xgboost')
    assert json.loads((tmp_path / 'model.json').read_text())['learner']['feature_names'] == ['x']
    model.export(tmp_path / 'model.txt', format='lightgbm')
    assert (tmp_path / 'model.txt').read_text().startswith('tree\nversion=v4\n')


def test_export__names_formats_names_and_places_that_are_refused(tmp_path):
    model = fitted('x\t0')
    with pytest.raises(ArgumentError, match="'pmml'.*xgboost, lightgbm, onnx"):
        model.export(tmp_path / 'model', format='pmml')
    with pytest.raises(LimitError, match='x\\t0'):
        model.export(tmp_path / 'model', format='lightgbm')
    with pytest.raises(FileError):
        model.export(tmp_path / 'none' / 'model', format='xgboost')
    assert not list(tmp_path.iterdir())
