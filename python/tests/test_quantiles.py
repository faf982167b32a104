"""Labels whose quantiles are learned."""
import numpy as np
import pytest
from hedgerow import ArgumentError, HedgerowRegressor, Model, Schema, SchemaError, report
from hedgerow.schema import Column, quantile_names
from sklearn.base import clone
from sklearn.model_selection import cross_val_score


def widths():
    dice = np.random.default_rng(1)
    x = dice.random((3000, 3))
    return x, x[:, 0] * dice.random(3000)


def fitted(**more):
    x, y = widths()
    return HedgerowRegressor(epsilon=8, bounds=(0, 1), label_bounds=(0, 1), quantiles=(.1, .5, .9), **more).fit(x, y)


def test_regressor__learns_quantiles():
    x, y = widths()
    model = fitted()
    predicted = model.predict_quantiles(x)
    assert predicted.shape == (3000, 3) and (np.diff(predicted, axis=1) >= 0).all()
    assert .65 < np.mean((y >= predicted[:, 0]) & (y <= predicted[:, 2])) < .95
    assert (model.predict(x) == predicted[:, 1]).all()
    assert model.model_.schema.task == 'quantiles' and model.model_.schema.label.quantiles == (.1, .5, .9)
    assert quantile_names(model.model_.schema.label) == ['q10', 'q50', 'q90']
    assert model.predictor().predict_row(list(x[0])) == predicted[0, 1]


def test_regressor__works_as_others_do():
    x, y = widths()
    model = clone(HedgerowRegressor(epsilon=4, bounds=(0, 1), label_bounds=(0, 1), quantiles=(.5,)))
    assert model.get_params()['quantiles'] == (.5,)
    assert cross_val_score(model, x, y, scoring='neg_mean_absolute_error', cv=2).min() > -.2
    assert model.fit(x, y).predict(x).shape == (3000,) and model.predict_quantiles(x).shape == (3000, 1)


def test_model__keeps_its_quantiles(tmp_path):
    x, _ = widths()
    model = fitted().model_
    model.write(tmp_path / 'm.json')
    again = Model.read(tmp_path / 'm.json')
    assert again.schema.label == model.schema.label
    assert (again.predict(x) == model.predict(x)).all()


def test_schema__has_quantiles():
    x, y = widths()
    label = Column('y', 0, 1, quantiles=(.25, .75))
    schema = Schema.build(label, [Column('x%d' % i, 0, 1) for i in range(3)], 'record')
    assert schema.label == label and schema.task == 'quantiles'
    assert HedgerowRegressor(epsilon=4, schema=schema).fit(x, y).predict_quantiles(x).shape == (3000, 2)
    with pytest.raises(SchemaError, match='has the quantiles'):
        HedgerowRegressor(schema=schema, quantiles=(.5,)).fit(x, y)
    with pytest.raises(SchemaError, match='no key "quantiles"'):
        HedgerowRegressor(schema=Schema.build(Column('y', 0, 1), [Column('x%d' % i, 0, 1) for i in range(3)], 'record'), quantiles=(.5,)).fit(x, y)


def test_regressor__refuses_what_is_none():
    x, y = widths()
    for wrong in ((.5, .5), (.9, .1), (0, .5), (1.5,), (float('nan'),), (.1,) * 10):
        with pytest.raises(ValueError, match='quantile'):
            HedgerowRegressor(bounds=(0, 1), label_bounds=(0, 1), quantiles=wrong).fit(x, y)
    with pytest.raises(ArgumentError, match='does not learn quantiles'):
        HedgerowRegressor('gbdt', bounds=(0, 1), label_bounds=(0, 1), quantiles=(.5,)).fit(x, y)
    with pytest.raises(ArgumentError, match='predicts a mean'):
        HedgerowRegressor(bounds=(0, 1), label_bounds=(0, 1)).fit(x, y).predict_quantiles(x)


def test_shap_and_report__are_of_each_quantile(tmp_path):
    x, _ = widths()
    model = fitted().model_
    assert model.shapes().base.shape == (3,)
    shap = model.shap(x[:50])
    scores = shap.values.sum(axis=2) + shap.expected
    assert shap.values.shape == (50, 3, 3)
    assert np.allclose(np.sort((np.clip(scores, -1, 1) + 1) / 2, axis=1), model.predict(x[:50]))
    report(model, tmp_path / 'report.html')
    text = (tmp_path / 'report.html').read_text(encoding='utf-8')
    assert 'quantiles of a number' in text and 'q10' in text and 'q90' in text


def test_export__puts_quantiles_in_their_order(tmp_path):
    onnxruntime = pytest.importorskip('onnxruntime')
    x, _ = widths()
    model = HedgerowRegressor(epsilon=.2, bounds=(0, 1), label_bounds=(0, 1), quantiles=(.4, .5, .6)).fit(*widths()).model_
    model.export(tmp_path / 'm.onnx')
    session = onnxruntime.InferenceSession(str(tmp_path / 'm.onnx'))
    predicted, scores = session.run(['prediction', 'scores'], {'features': x})
    assert np.abs(predicted - model.predict(x)).max() < 1e-12 and (np.diff(predicted, axis=1) >= 0).all()
    assert (np.diff(scores, axis=1) < 0).any()  # they cross before
    for other in ('xgboost', 'lightgbm'):
        with pytest.raises(ArgumentError, match='in their order'):
            model.export(tmp_path / 'm', other)


@pytest.mark.parametrize('quantiles', [.5, 'abc', '159', (), [None]])
def test_quantiles__that_are_no_list_of_numbers_are_refused(quantiles):
    with pytest.raises(ArgumentError, match='quantiles is a list of numbers'):
        HedgerowRegressor(quantiles=quantiles, label_bounds=(0, 1), bounds=(0, 1)).fit(np.zeros((20, 1)), np.zeros(20))


@pytest.mark.parametrize('keys', [{'quantiles': (.5,)}, {'count': True}, {'event': 'e'}, {'intervals': (1.,)}])
def test_schema__has_no_feature_with_keys_of_labels(keys):
    with pytest.raises(ArgumentError, match='are of the label'):
        Schema.build(Column('y', 0, 1), [Column('x', 0, 1, **keys)])
    with pytest.raises(ArgumentError, match='not the label'):
        Schema.build(Column('y', 0, 1, monotone='increasing'), [Column('x', 0, 1)])
