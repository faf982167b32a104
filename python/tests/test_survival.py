"""Times to an event, some of them censored."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import hedgerow
from hedgerow import Column, HedgerowSurvival, Schema
from hedgerow._report import render
from hedgerow.survival import Followed

CUTS = (30, 90, 365)


def times(rows=4000, seed=1):
    """x, labels as scikit-survival has them, and the rates."""
    dice = np.random.default_rng(seed)
    x = dice.random((rows, 2))
    rate = np.exp(2 * x[:, 0]) / 1000
    event, end = dice.exponential(1 / rate), dice.exponential(500, rows)
    y = np.empty(rows, dtype=[('died', bool), ('days', float)])
    y['died'], y['days'] = event <= end, np.minimum(event, end)
    return x, y, rate


def fitted(**changes):
    x, y, rate = times()
    return HedgerowSurvival(**{'epsilon': 8, 'bounds': (0, 1), 'intervals': CUTS, **changes}).fit(x, y), x, y, rate


def test_survival__is_learned():
    model, x, y, rate = fitted()
    survival = model.predict_survival_function(x)
    assert model.times_.tolist() == list(CUTS) and survival.shape == (4000, 3)
    assert np.abs(survival - np.exp(-rate[:, None] * model.times_)).mean() < .05
    assert (np.diff(survival, axis=1) <= 0).all() and survival.max() <= 1
    assert model.model_.schema.task == 'survival' and model.model_.schema.label.intervals == CUTS
    assert .6 < model.score(x, y) < .75
    assert np.allclose(model.predict(x), model.predict_cumulative_hazard_function(x).sum(axis=1))


def test_times__follow_from_survival():
    model, x, *_ = fitted()
    survival, median, mean = model.predict_survival_function(x), model.predict_median(x), model.predict_mean(x)
    assert (np.isinf(median) == (survival[:, -1] > .5)).all()
    row = int(np.flatnonzero(~np.isinf(median))[0])
    assert np.interp(median[row], (0, *CUTS), (1, *survival[row])) == pytest.approx(.5)
    assert mean[row] == pytest.approx(np.trapezoid((1, *survival[row]), (0, *CUTS)) if hasattr(np, 'trapezoid') else np.trapz((1, *survival[row]), (0, *CUTS)))


def test_labels__come_in_several_forms():
    pandas = pytest.importorskip('pandas')
    x, y, _ = times(500)
    frame = pandas.DataFrame({'died': y['died'], 'days': y['days']})
    two = np.column_stack([y['died'], y['days']])
    models = [HedgerowSurvival(intervals=CUTS, bounds=(0, 1), random_state=3) for _ in range(3)]
    with pytest.warns(hedgerow.PrivacyLeakWarning):
        risks = [model.fit(x, labels).predict(x) for model, labels in zip(models, (y, frame, two))]
    assert (risks[0] == risks[1]).all() and (risks[0] == risks[2]).all()


@pytest.mark.parametrize('labels, message', [
    (None, 'requires y'), (np.zeros(3), 'two columns'), (np.zeros((3, 3)), 'two columns'), (np.array([[0, 1.]]), 'inconsistent'),
    (np.array([[2, 1.], [0, 1], [0, 1]]), 'False or True'), (np.array([[1, -1.], [0, 1], [0, 1]]), 'finite numbers from 0'),
    (np.array([[1, np.nan], [0, 1], [0, 1]]), 'finite numbers from 0'), (np.zeros(3, dtype=[('a', bool), ('b', float), ('c', float)]), 'fields')])
def test_labels__that_are_none_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        HedgerowSurvival(intervals=CUTS, bounds=(0, 1)).fit(np.zeros((3, 2)), labels)


def test_estimator__refuses_by_name():
    x, y, _ = times(50)
    with pytest.raises(hedgerow.ArgumentError, match='give intervals'):
        HedgerowSurvival(bounds=(0, 1)).fit(x, y)
    with pytest.raises(hedgerow.FormatError, match='ascend'):
        HedgerowSurvival(bounds=(0, 1), intervals=(30, 30)).fit(x, y)
    with pytest.raises(hedgerow.ArgumentError, match='does not learn times'):
        HedgerowSurvival('dpboost', bounds=(0, 1), intervals=CUTS).fit(x, y)
    with pytest.raises(hedgerow.SchemaError, match='no time'):
        HedgerowSurvival(schema=Schema.build(Column('y', 0, 1), [Column('a', 0, 1), Column('b', 0, 1)])).fit(x, y)
    schema = Schema.build(Column('days', event='died', intervals=CUTS), [Column('a', 0, 1), Column('b', 0, 1)])
    with pytest.raises(hedgerow.ArgumentError, match='leave intervals out'):
        HedgerowSurvival(schema=schema, intervals=CUTS).fit(x, y)
    assert HedgerowSurvival(schema=schema).fit(x, y).times_.tolist() == list(CUTS)


def test_cuts__are_found_by_the_fit():
    model, x, y, _ = fitted(intervals={'quantiles': 4, 'high': 365})
    assert len(model.times_) == 4 and model.times_[-1] == 365 and model.predict_survival_function(x).shape == (4000, 4)
    early = y['days'][y['died'] & (y['days'] <= 365)]
    assert [np.mean(early <= cut) for cut in model.times_] == pytest.approx([.25, .5, .75, 1], abs=.1)
    assert any(release.what == 'cuts of times' for release in model.model_.releases)
    assert clone(model).intervals == {'quantiles': 4, 'high': 365}
    schema = Schema.build(Column('days', event='died', intervals={'quantiles': 4, 'high': 365}), [Column('a', 0, 1), Column('b', 0, 1)])
    assert Schema.parse(schema.to_yaml()).label == schema.label and 'quantiles: 4' in schema.to_yaml()
    assert '4 intervals of about equal numbers of events up to 365' in schema.facts[0].proposed
    assert len(HedgerowSurvival(schema=schema, epsilon=8).fit(x, y).times_) == 4
    with pytest.raises(hedgerow.ArgumentError, match='intervals are cuts such as'):
        fitted(intervals={'quantiles': 4})


@pytest.mark.parametrize('intervals, message', [
    (6, 'intervals are cuts such as'), ('x', 'intervals are cuts such as'), ((30, None), 'intervals are cuts such as'),
    ({'quantiles': 6, 'high': 'x'}, 'intervals are cuts such as'), ({'quantiles': 2.5, 'high': 9}, 'intervals are cuts such as'),
    ({'quantiles': 1, 'high': 9}, 'from 2 to 64'), ({'quantiles': -1, 'high': 9}, 'from 2 to 64'), ({'quantiles': 6, 'high': -1}, 'give the last cut, above 0')])
def test_intervals__that_are_none_are_refused(intervals, message):
    x, y, _ = times(50)
    with pytest.raises(hedgerow.ArgumentError, match=message):
        HedgerowSurvival(bounds=(0, 1), intervals=intervals).fit(x, y)
    with pytest.raises(hedgerow.ArgumentError, match=message):
        Schema.build(Column('days', event='died', intervals=intervals), [Column('a', 0, 1)])


def test_schema__has_a_time():
    schema = Schema.build(Column('days', event='died', intervals=CUTS), [Column('x', 0, 1)])
    assert schema.task == 'survival' and 'kind: time' in schema.to_yaml()
    assert Schema.parse(schema.to_yaml()).label == schema.label
    assert schema.facts[0].proposed == 'time of died, intervals end at 30, 90, 365'


def test_estimator__goes_through_scikit_learn():
    x, y, _ = times(1500)
    model = clone(HedgerowSurvival(epsilon=4, bounds=(0, 1), intervals=CUTS))
    scores = cross_val_score(model, x, y, cv=2)
    assert scores.shape == (2,) and (scores > .4).all()
    model.fit(x, y, sample_weight=np.full(len(x), .5))
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(x) == model.predict(x)).all()


def test_concordance__counts_pairs():
    followed = Followed(np.array([True, True, False, True]), np.array([1., 2., 2., 3.]))
    assert followed.concordance(np.array([4., 3., 2., 1.])) == 1
    assert followed.concordance(np.array([1., 2., 3., 4.])) == 0
    assert followed.concordance(np.ones(4)) == .5
    assert np.isnan(Followed(np.zeros(4, bool), np.ones(4)).concordance(np.ones(4)))


def test_score__weighs_pairs():
    model, x, y, _ = fitted()
    risk, half = model.predict(x[:300]), np.arange(300) % 2
    weighted, kept = model.score(x[:300], y[:300], half), np.flatnonzero(half)
    assert weighted == pytest.approx(model.score(x[kept], y[kept]), abs=1e-12)
    assert weighted != model.score(x[:300], y[:300]) and len(risk) == 300


def brier_at(cut, survival, y, weight):
    """By its definition: each over Kaplan and Meier's estimate for ends of follow-ups just before."""
    def free(time):
        left = 1.
        for end in np.unique(y['days'][~y['died']]):
            if end >= time:
                break
            at_risk = weight[(y['days'] > end) | ((y['days'] == end) & ~y['died'])].sum()
            left *= 1 - weight[(y['days'] == end) & ~y['died']].sum() / at_risk if at_risk else 1
        return left
    died, lived = y['died'] & (y['days'] <= cut), y['days'] >= cut
    terms = [weight[i] * survival[i] ** 2 / free(y['days'][i]) if died[i] else weight[i] * (1 - survival[i]) ** 2 / free(cut) if lived[i] else 0 for i in range(len(y))]
    return sum(terms) / weight.sum()


@pytest.mark.parametrize('weight', [None, np.linspace(0, 1, 300)])
def test_brier_scores__are_those_of_their_definition(weight):
    model, x, y, _ = fitted()
    survival = model.predict_survival_function(x[:300])
    expected = [brier_at(cut, survival[:, k], y[:300], np.ones(300) if weight is None else weight) for k, cut in enumerate(CUTS)]
    assert model.brier_scores(x[:300], y[:300], weight) == pytest.approx(expected, rel=1e-9)


def test_calibration__compares_groups_with_what_happened():
    model, x, y, rate = fitted()
    groups = model.calibration(x, y)
    predicted = np.array([group.predicted for group in groups])
    assert len(groups) <= 10 and sum(group.count for group in groups) == sum(group.weight for group in groups) == len(x)
    assert (np.diff(predicted) > 0).all() and np.abs(predicted - [group.observed for group in groups]).max() < .15
    early = model.calibration(x, y, 30, groups=1, sample_weight=np.full(len(x), .5))
    assert len(early) == 1 and early[0].weight == len(x) / 2
    assert early[0].predicted == pytest.approx(model.predict_survival_function(x)[:, 0].mean())
    assert early[0].observed == pytest.approx(np.exp(-rate * 30).mean(), abs=.02)


def test_evaluate__releases_figures():
    model, x, y, _ = fitted()
    made = hedgerow.evaluate(model, x, y, epsilon=1000)
    assert len(made.edges) == 7 and sorted(made.edges) == list(made.edges) and made['predicted_1'].low < made.edges[0] < made['predicted_2'].high
    assert made['records'].value == pytest.approx(len(x), abs=1) and model.score(x, y) - .02 < made['interval_concordance'].value < 1
    assert made['predicted'].value == pytest.approx(model.predict_survival_function(x)[:, -1].mean(), abs=.001)
    assert abs(made['observed'].value - made['predicted'].value) < .05 and 'observed_8' in made.figures
    with pytest.raises(hedgerow.ArgumentError, match='no column'):
        hedgerow.evaluate(model, x, epsilon=1)


def test_figures__refuse_what_they_cannot_use():
    model, x, y, _ = fitted()
    with pytest.raises(hedgerow.ArgumentError, match='nothing of survival until 31'):
        model.calibration(x, y, 31)
    with pytest.raises(hedgerow.ArgumentError, match='from 1 on'):
        model.calibration(x, y, groups=0)
    with pytest.raises(ValueError, match='one number for each of the 4000 records'):
        model.score(x, y, np.ones(3))
    with pytest.raises(hedgerow.ArgumentError, match='weight cannot be used'):
        model.brier_scores(x, y, np.full(len(x), -1.))


def test_report__is_of_log_odds_by_interval(tmp_path):
    pytest.importorskip('jinja2')
    pytest.importorskip('matplotlib')
    model, *_ = fitted()
    hedgerow.report(model.model_, tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert 'It predicts when event comes, by time, in intervals that end at 30, 90, 365' in page
    assert 'log-odds of event in each interval' in page and 'up to 90' in page


def test_predictor__has_the_risk_of_one_record():
    model, x, *_ = fitted()
    assert model.predictor().predict_row(x[3].tolist()) == model.predict(x[3:4])[0]
    named = HedgerowSurvival(epsilon=8, bounds=(0, 1), intervals=CUTS)
    frame = pytest.importorskip('pandas').DataFrame(x, columns=['a', 'b'])
    named.fit(frame, times()[1])
    record = {'a': x[3, 0], 'b': x[3, 1], 'time': 5., 'event': True}
    assert named.predictor().predict_row(record) == named.predict(frame[3:4])[0]


def test_explanations__add_up_to_log_odds():
    model, x, *_ = fitted()
    found = model.model_.shap(x[:50])
    odds = np.exp(found.values.sum(axis=2) + found.expected)
    assert np.allclose(np.cumprod(1 / (1 + odds), axis=1), model.predict_survival_function(x[:50]), atol=1e-9)
    assert model.model_.shapes().base.shape == (3,)


def test_report__of_an_additive_model_names_its_intervals(tmp_path):
    pytest.importorskip('jinja2')
    pytest.importorskip('matplotlib')
    model, *_ = fitted(interactions='none')
    assert model.model_.is_additive and model.model_.interactions == 'none'
    hedgerow.report(model.model_, tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert 'These charts are the whole model' in page and 'up to 30: ' in page and 'up to 365: ' in page


def test_curves__are_those_of_groups_with_bands():
    pandas = pytest.importorskip('pandas')
    x, y, _ = times()
    frame = pandas.DataFrame({'x': x[:, 0], 'side': np.where(x[:, 0] > .5, 'high', 'low')})
    grouped = HedgerowSurvival('survival-curve', intervals=CUTS, epsilon=4, bounds={'x': (0, 1)}, categories={'side': ['high', 'low']}, options={'group': 'side'}).fit(frame, y)
    everyone, missing, high, low = grouped.curves_
    assert [curve.group for curve in grouped.curves_] == ['', 'side is missing', 'side=high', 'side=low']
    assert everyone.times.tolist() == list(CUTS) and not len(missing.times)
    for curve, rows in ((high, x[:, 0] > .5), (low, x[:, 0] <= .5)):
        assert (curve.low <= curve.survival).all() and (curve.survival <= curve.high).all()
        assert grouped.predict_survival_function(frame[rows])[0] == pytest.approx(curve.survival, abs=1e-4)
    assert fitted()[0].curves_ == []
    page = render(grouped)
    assert 'Survival curves with their bands' in page and 'side=high' in page and 'too few records to tell' in page
