"""Shapes and SHAP values: the arrays are those of the C library, and add up to what the model predicts."""
import numpy as np
import pytest

from hedgerow import HedgerowClassifier, HedgerowRegressor

ROWS = 2000


def table(seed=1):
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(size=(ROWS, 3)), -5, 5)


def regression():
    X = table()
    return X, HedgerowRegressor(epsilon=8, delta=1e-6, bounds=(-5, 5), label_bounds=(-10, 10)).fit(X, X[:, 0] + X[:, 1]).model_


def cells_of(axis, x):
    return np.where(np.isnan(x), 0, 1 + np.searchsorted(axis.edges, x, side='left'))


def scores_of(model, X):
    """Labels are scores of [-1, 1] stretched over the bounds."""
    return model.predict(X)[:, 0] / 10


def test_shapes__have_the_noise_and_add_up_with_the_other_trees():
    X, model = regression()
    shapes = model.shapes()
    assert sum(shape.trees for shape in shapes.shapes) + shapes.other_trees == model.tree_count
    assert np.isclose(sum(shape.share for shape in shapes.shapes) + shapes.other_share, 1)
    for shape in shapes.shapes:
        assert shape.values.shape == tuple(axis.cell_count for axis in shape.axes) + (1,)
        assert shape.deviations.shape == shape.values.shape and (shape.deviations > 0).all()
        assert all((np.diff(axis.edges) > 0).all() for axis in shape.axes)


def test_shapes__of_one_feature_are_the_model():
    x = table()[:, :1]
    model = HedgerowRegressor(epsilon=8, delta=1e-6, bounds=(-5, 5), label_bounds=(-10, 10)).fit(x, 2 * x[:, 0]).model_
    shapes = model.shapes()
    assert shapes.other_trees == 0 and len(shapes.shapes) == 1
    probe = np.append(np.linspace(-5, 5, 300), np.nan)[:, None]
    sums = shapes.base[0] + shapes.shapes[0].values[cells_of(shapes.shapes[0].axes[0], probe[:, 0]), 0]
    assert np.allclose(np.clip(sums, -1, 1), scores_of(model, probe), atol=1e-12)


def test_shap__adds_up_to_the_score():
    X, model = regression()
    found = model.shap(X)
    assert found.values.shape == (ROWS, 1, 3) and found.counted_trees == model.tree_count and not found.own_background
    assert np.allclose(np.clip(found.expected + found.values.sum(axis=2)[:, 0], -1, 1), scores_of(model, X), atol=1e-12)


def test_shap__of_a_table_has_its_mean_for_the_expected_score():
    X, model = regression()
    found = model.shap(X[:50], background=X)
    assert found.own_background and found.counted_trees == 0
    sums = model.shap(X).values.sum(axis=2)[:, 0] + model.shap(X).expected
    assert np.isclose(found.expected[0], sums.mean())


def test_shap__has_a_score_for_every_class_of_several():
    X = table()
    y = np.digitize(X[:, 0], [-.5, .5])
    model = HedgerowClassifier(epsilon=8, delta=1e-6, bounds=(-5, 5), classes=[0, 1, 2]).fit(X, y).model_
    assert model.shap(X[:7]).values.shape == (7, 3, 3) and model.shapes().base.shape == (3,)


def test_shap__refuses_other_columns():
    X, model = regression()
    with pytest.raises(ValueError):
        model.shap(X[:, :2])
    with pytest.raises(ValueError):
        model.shap(X, background=X[:0])


def test_weighted_importance__is_a_part_of_each_feature():
    _, model = regression()
    assert np.isclose(model.weighted_importance.sum(), 1) and model.weighted_importance[:2].sum() > .8
