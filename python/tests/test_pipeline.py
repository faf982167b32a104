"""Pipelines: what steps before a model read off the records takes its guarantee away; public steps do not; and the game that shows why."""
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (Binarizer, FunctionTransformer, KBinsDiscretizer, MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder,
                                   PolynomialFeatures, SplineTransformer, StandardScaler, TargetEncoder)
from sklearn.utils.estimator_checks import check_estimator

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor, PublicEncoder, PublicScaler, _steps, private_pipeline

BOUNDS = {'age': (0, 120), 'dose': (0, 10)}
WARDS = ['internal', 'surgery', 'oncology']
SMALL = {'method': 'dpboost', 'options': {'trees': 2, 'depth': 2}}


def numbers(rows=400):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({'age': rng.uniform(18, 90, rows), 'dose': rng.uniform(1, 4, rows)})
    return X, X.age + rng.normal(0, 5, rows) > 50


def classifier(**changed):
    return HedgerowClassifier(**{**SMALL, 'bounds': (0, 1), **changed})


class Own(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.asarray(X) / 120


class OwnPublic(Own):
    hedgerow_public = True


# ---- Which steps are public ----------------------------------------------------------------------------------------------

def halved(X):
    return X / 2


def marked(X):
    return X / 2


marked.hedgerow_public = True


@pytest.mark.parametrize('step', [
    None, 'passthrough', 'drop', Normalizer(), Binarizer(threshold=2), PolynomialFeatures(), FunctionTransformer(), FunctionTransformer(np.log1p),
    FunctionTransformer(marked), SplineTransformer(knots=np.array([[0.], [1.]])), OneHotEncoder(categories=[WARDS]), OrdinalEncoder(categories=[WARDS]),
    SimpleImputer(strategy='constant', fill_value=0, keep_empty_features=True), MissingIndicator(features='all'), OwnPublic(), PublicScaler(), PublicEncoder(),
    FeatureUnion([('a', Normalizer()), ('b', Binarizer())]), make_pipeline(Normalizer(), Binarizer()),
    ColumnTransformer([('a', PublicScaler(), ['age'])], remainder='passthrough'),
    make_column_transformer((PublicScaler(), make_column_selector(dtype_include='number'))),
])
def test_public_steps__read_nothing_off_the_records(step):
    assert _steps.leaks_of('step', step) == []


@pytest.mark.parametrize('step, says', [
    (StandardScaler(), 'StandardScaler: means and deviations'), (MinMaxScaler(), 'MinMaxScaler: the least and the largest values'),
    (TargetEncoder(), 'TargetEncoder: labels of the records'), (OneHotEncoder(), 'the categories that occur'),
    (OneHotEncoder(categories=[WARDS], min_frequency=5), 'the categories that occur'), (OrdinalEncoder(), 'the categories that occur'),
    (SimpleImputer(), 'SimpleImputer: means'), (SimpleImputer(strategy='constant'), 'columns that are empty'),
    (SimpleImputer(strategy='constant', keep_empty_features=True, add_indicator=True), 'SimpleImputer'), (MissingIndicator(), 'MissingIndicator'),
    (KBinsDiscretizer(), 'edges of bins'), (SplineTransformer(), 'SplineTransformer'), (SplineTransformer(knots='quantile'), 'SplineTransformer'),
    (PCA(), 'means and covariances'), (SelectKBest(), 'SelectKBest: what it keeps'), (FunctionTransformer(halved), 'FunctionTransformer'),
    (Own(), 'Own: what it keeps of the records'), (make_pipeline(Normalizer(), MinMaxScaler()), r'step step\.minmaxscaler of'),
    (FeatureUnion([('a', Normalizer()), ('b', PCA())]), r'step step\.b of'),
    (ColumnTransformer([('a', PublicScaler(), ['age'])], remainder=MinMaxScaler()), r'step step\.remainder of'),
    (ColumnTransformer([('a', PublicScaler(), lambda X: list(X.columns))]), r'a function chooses in step step\.a'),
])
def test_other_steps__are_named(step, says):
    (leak,) = _steps.leaks_of('step', step)
    assert pd.Series([leak]).str.contains(says).all(), leak


# ---- What the model says -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('made', [
    lambda model: private_pipeline([('scale', MinMaxScaler()), ('model', model)]),
    lambda model: make_pipeline(MinMaxScaler(), model),
    lambda model: make_pipeline(MinMaxScaler(), make_pipeline(Normalizer(), model)),
    lambda model: make_pipeline(MinMaxScaler(), private_pipeline([('same', Normalizer()), ('model', model)])),
    lambda model: GridSearchCV(make_pipeline(MinMaxScaler(), model), {'hedgerowclassifier__epsilon': [1.0]}, cv=2, error_score='raise'),
])
def test_a_fitted_scaler__takes_the_guarantee_away(made):
    X, y = numbers()
    pipeline = made(classifier())
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='NOT PRIVATE.*MinMaxScaler: the least and the largest values'):
        pipeline.fit(X, y)
    while not hasattr(pipeline, 'guarantee_'):
        pipeline = pipeline.best_estimator_ if hasattr(pipeline, 'best_estimator_') else pipeline[-1]
    guarantee = pipeline.guarantee_
    assert not guarantee.is_private and math.isinf(guarantee.epsilon) and 'MinMaxScaler' in guarantee.statement


def test_a_ledger__pays_for_no_pipeline_that_reads_the_records(tmp_path):
    X, y = numbers()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', epsilon=3, delta=1e-5)
    with pytest.warns(hedgerow.PrivacyLeakWarning), pytest.raises(hedgerow.PolicyError, match='MinMaxScaler'):
        private_pipeline([('scale', MinMaxScaler()), ('model', classifier(ledger=ledger))]).fit(X, y)
    private_pipeline([('scale', PublicScaler(BOUNDS)), ('model', classifier(ledger=ledger))]).fit(X, y)
    assert len(list(ledger.entries)) == 1


@pytest.mark.parametrize('made', [private_pipeline, Pipeline])
def test_public_steps__leave_the_guarantee(made):
    X, y = numbers()
    X['ward'] = np.random.default_rng(1).choice(WARDS, len(X))
    steps = [('encode', PublicEncoder({'ward': WARDS})), ('scale', PublicScaler((0, 120))), ('model', classifier())]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        pipeline = made(steps).fit(X, y)
    assert pipeline[-1].guarantee_.is_private and pipeline.predict(X).shape == (len(X),)
    assert clone(pipeline).get_params()['scale__bounds'] == (0, 120)


def test_the_statement__says_which_table_it_is_of():
    X, y = numbers()
    statement = classifier(bounds=BOUNDS).fit(X, y).guarantee_.statement
    assert 'the table that was given to the fit. What a program computed from the records before' in statement


def test_a_scaled_label__takes_the_guarantee_away():
    X, y = numbers()
    model = HedgerowRegressor(bounds=BOUNDS, label_bounds=(-3, 3), **SMALL)
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='NOT PRIVATE.*StandardScaler'):
        TransformedTargetRegressor(model, transformer=StandardScaler()).fit(X, X.age)
    public = TransformedTargetRegressor(HedgerowRegressor(bounds=BOUNDS, label_bounds=(0, 5), **SMALL), func=np.log1p, inverse_func=np.expm1).fit(X, X.age)
    assert public.regressor_.guarantee_.is_private


def test_a_model_in_a_step__has_the_earlier_steps_alone():
    """A pipeline that is fitted beside it, or a later step, is none of its business."""
    X, y = numbers()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        make_pipeline(MinMaxScaler()).fit(X)
        assert classifier(bounds=BOUNDS).fit(X, y).guarantee_.is_private


@pytest.mark.parametrize('steps, says', [([], 'no steps'), ([('scale', MinMaxScaler())], 'it has MinMaxScaler')])
def test_a_private_pipeline__ends_with_a_model(steps, says):
    with pytest.raises(hedgerow.ArgumentError, match=says):
        private_pipeline(steps)


# ---- The game ------------------------------------------------------------------------------------------------------------

def features_of_others(scale, X):
    """What the model is given of all records but the last."""
    return np.asarray(scale.fit(X).transform(X))[:-1]


def test_one_record__moves_the_features_of_all_others_through_a_fitted_scaler():
    X, _ = numbers(100)
    neighbour = pd.concat([X[:-1], pd.DataFrame({'age': [119.], 'dose': [9.]})], ignore_index=True)
    moved = features_of_others(MinMaxScaler(), X) != features_of_others(MinMaxScaler(), neighbour)
    assert moved.any(axis=1).mean() > .95
    assert (features_of_others(PublicScaler(BOUNDS), X) == features_of_others(PublicScaler(BOUNDS), neighbour)).all()
    assert (features_of_others(private_pipeline([('scale', PublicScaler(BOUNDS)), ('model', classifier())])[:-1], X) ==
            features_of_others(private_pipeline([('scale', PublicScaler(BOUNDS)), ('model', classifier())])[:-1], neighbour)).all()


def test_a_label__is_read_off_a_target_encoder_and_not_off_a_public_one():
    """A ward of one record: its code gives the label away."""
    X = pd.DataFrame({'ward': ['internal', 'surgery'] * 50 + ['oncology']})
    codes, ones = [], []
    for label in (False, True):
        y = np.append(np.arange(100) % 3 == 0, label)
        codes.append(TargetEncoder(smooth=1e-9).fit(X, y).transform(X)[-1, 0])
        ones.append(PublicEncoder({'ward': WARDS}).fit(X, y).transform(X))
    assert codes[0] < .01 and codes[1] > .99
    assert (ones[0] == ones[1]).all()


# ---- Scaler and encoder --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('estimator', [PublicScaler(), PublicEncoder()], ids=str)
def test_scaler_and_encoder__pass_the_checks_of_scikit_learn(estimator):
    check_estimator(estimator)


def test_the_scaler__takes_bounds_by_name_and_by_position():
    X, _ = numbers(10)
    X.loc[0] = [np.nan, 99]
    frame = PublicScaler(BOUNDS).set_output(transform='pandas').fit_transform(X)
    assert list(frame.columns) == ['age', 'dose'] and frame.dose[0] == 1 and np.isnan(frame.age[0])
    assert np.array_equal(PublicScaler({0: (0, 120), 1: (0, 10)}).fit_transform(X.to_numpy()), frame.to_numpy(), equal_nan=True)
    assert np.allclose(frame.age[1:], X.age[1:] / 120)


@pytest.mark.parametrize('bounds, says', [
    ({'age': (0, 120)}, "no bounds of .'dose'"), ({**BOUNDS, 'aeg': (0, 1)}, "'aeg'"), ((3, 3), 'low < high'), ((0, math.inf), 'finite'), ('data', 'two numbers'),
])
def test_the_scaler__refuses_bad_bounds(bounds, says):
    with pytest.raises(hedgerow.ArgumentError, match=says):
        PublicScaler(bounds).fit(numbers(10)[0])


def test_the_encoder__has_a_column_for_each_value():
    X = pd.DataFrame({'age': [50., np.nan, 70.], 'ward': ['surgery', None, 'internal']})
    made = PublicEncoder({'ward': WARDS}).set_output(transform='pandas').fit_transform(X)
    assert list(made.columns) == ['age', 'ward_internal', 'ward_surgery', 'ward_oncology']
    assert made.iloc[:, 1:].to_numpy().tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    other = pd.DataFrame({'age': [1.], 'ward': ['psychiatry']})
    with pytest.raises(hedgerow.SchemaError, match="psychiatry.*'ward'"):
        PublicEncoder({'ward': WARDS}).fit(X).transform(other)
    assert PublicEncoder({'ward': WARDS}, unknown='zero').fit(X).transform(other).tolist() == [[1, 0, 0, 0]]


@pytest.mark.parametrize('made, says', [
    (PublicEncoder({'wrad': WARDS}), "'wrad'"), (PublicEncoder({'ward': []}), 'empty'), (PublicEncoder({'ward': 'internal'}), 'no list'),
    (PublicEncoder(WARDS), 'categories is'), (PublicEncoder({'ward': WARDS}, unknown='ignore'), 'unknown is'),
])
def test_the_encoder__refuses_bad_lists(made, says):
    with pytest.raises(hedgerow.ArgumentError, match=says):
        made.fit(pd.DataFrame({'ward': WARDS}))
