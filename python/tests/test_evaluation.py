"""Released evaluations: the figures of the records, what is charged and when, and what is refused before anything is spent."""
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, mean_absolute_error, roc_auc_score

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Ledger, Schema, evaluate

ROWS = 3000


@pytest.fixture(scope='module')
def table():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({'a': rng.uniform(size=ROWS), 'b': rng.uniform(size=ROWS)})
    X['sick'] = np.where(X.a + .3 * rng.normal(size=ROWS) > .5, 'yes', 'no')
    X['days'] = 10 * X.a + rng.uniform(size=ROWS)
    return X


def schema_of(label):
    return Schema.build(label, [Column('a', 0, 1), Column('b', 0, 1)])


@pytest.fixture(scope='module')
def classifier(table):
    return HedgerowClassifier(schema=schema_of(Column('sick', values=('no', 'yes'))), epsilon=4).fit(table, table.sick)


@pytest.fixture(scope='module')
def regressor(table):
    return HedgerowRegressor(schema=schema_of(Column('days', 0, 12)), epsilon=4).fit(table, table.days)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / 'year.db', epsilon=2, delta=1e-4)


# With an epsilon of 5,000 the noise is below the last digits; the auc is that of 16 bins of the probability.

def test_figures__of_classes_are_those_of_the_records(table, classifier):
    made = evaluate(classifier, table, table.sick, epsilon=5000)
    p = classifier.predict_proba(table)[:, 1]
    exact = {'records': ROWS, 'error': np.mean(classifier.predict(table) != table.sick), 'logloss': log_loss(table.sick, p),
             'auc': roc_auc_score(table.sick == 'yes', p)}
    assert set(made.figures) == set(exact)
    for name, value in exact.items():
        figure = made[name]
        assert abs(figure.value - value) < (.01 if name == 'auc' else 1e-3 * max(1, value)), name
        assert figure.low <= figure.value <= figure.high and figure.noise > 0


def test_figures__of_numbers_are_those_of_the_records(table, regressor):
    made = evaluate(regressor, table, table.days, epsilon=5000)
    predicted = regressor.predict(table)
    assert set(made.figures) == {'records', 'rmse', 'mae'}
    assert math.isclose(made['rmse'].value, math.sqrt(np.mean((predicted - table.days) ** 2)), rel_tol=.01)
    assert math.isclose(made['mae'].value, mean_absolute_error(table.days, predicted), rel_tol=.01)


def test_figures__of_a_small_epsilon_have_more_noise(table, classifier):
    noises = [evaluate(classifier, table, table.sick, epsilon=epsilon)['error'].noise for epsilon in (1, .1)]
    assert 5 < noises[1] / noises[0] < 20


def test_guarantee__is_that_of_the_figures(table, classifier):
    made = evaluate(classifier, table, table.sick, epsilon=.5, delta=1e-6)
    g = made.guarantee
    assert g.is_private and g.epsilon == .5 and 0 < g.delta <= 1e-6 and g.epsilon_replace > .5 and g.unit == 'one record'
    assert g.statement.startswith('The figures are (0.5, 1e-06)-differentially private')
    assert sum(release.cost for release in made.releases) > 0 and all(release.draws for release in made.releases)
    assert g.statement in str(made) and 'error' in str(made)


@pytest.mark.parametrize('kind', ['Model', 'estimator'])
@pytest.mark.parametrize('labels', ['series', 'texts', 'name', 'in the table'])
def test_labels__may_be_given_in_several_ways(table, classifier, kind, labels):
    y = {'series': table.sick, 'texts': list(table.sick), 'name': 'sick', 'in the table': None}[labels]
    made = evaluate(classifier.model_ if kind == 'Model' else classifier, table, y, epsilon=5000)
    assert abs(made['error'].value - np.mean(classifier.predict(table) != table.sick)) < 1e-3


def test_arrays__without_names_are_read_by_position(table):
    X, y = table[['a', 'b']].to_numpy(), (table.sick == 'yes').to_numpy()
    model = HedgerowClassifier(bounds=(0, 1), epsilon=4).fit(X, y)
    assert abs(evaluate(model, X, y, epsilon=5000)['error'].value - np.mean(model.predict(X) != y)) < 1e-3


def test_decisions__change_the_error_alone(table, classifier):
    never = evaluate(classifier, table, epsilon=5000, threshold=1.0)
    always = evaluate(classifier, table, epsilon=5000, costs=[[0, 1], [1e6, 0]])
    yes = np.mean(table.sick == 'yes')
    assert abs(never['error'].value - yes) < 1e-3 and abs(always['error'].value - (1 - yes)) < .1
    assert abs(never['auc'].value - always['auc'].value) < .01


def test_ledger__is_charged_once_as_an_object_and_as_a_path(table, classifier, ledger):
    evaluate(classifier, table, epsilon=.5, ledger=ledger)
    evaluate(classifier, table, epsilon=.25, delta=1e-6, ledger=ledger.path)
    assert ledger.spent[0] == .75 and [(e.epsilon, e.state) for e in ledger.entries] == [(.5, 'committed'), (.25, 'committed')]
    assert ledger.entries[0].purpose == 'evaluate hedge for sick'


def test_refusals__spend_nothing(table, classifier, regressor, ledger):
    def refused(error, words, *args, model=classifier, **given):
        with pytest.raises(error, match=words):
            evaluate(model, *(args or (table,)), **{'epsilon': .5, 'ledger': ledger, **given})

    refused(hedgerow.ArgumentError, 'epsilon', epsilon=0)
    refused(hedgerow.ArgumentError, 'delta', delta=1)
    refused(hedgerow.PolicyError, 'one over the number of records', delta=1e-2)
    refused(hedgerow.BudgetError, 'asked 2.5', epsilon=2.5)
    refused(hedgerow.ArgumentError, "unit is 'record'", unit='patient')
    refused(hedgerow.ArgumentError, "no column 'outcome'", table, 'outcome')
    refused(hedgerow.ArgumentError, "no column 'sick'", table[['a', 'b']])
    refused(hedgerow.SchemaError, "does not describe: 'perhaps'", table, ['perhaps'] * ROWS)
    refused(ValueError, 'inconsistent', table, ['yes'])
    refused(hedgerow.SchemaError, "does not describe: 'no'", table, table.sick, model=regressor)
    refused(ValueError, 'NaN', table, [math.nan] * ROWS, model=regressor)
    refused(hedgerow.ArgumentError, 'there is no class', model=regressor, threshold=.5)
    refused(hedgerow.ArgumentError, 'not both', threshold=.5, costs=[[0, 1], [1, 0]])
    refused(hedgerow.ArgumentError, r'\(3, 3\)', costs=np.zeros((3, 3)))
    refused(hedgerow.ArgumentError, 'threshold', threshold=1.5)
    refused(hedgerow.SchemaError, "no column 'b'", table[['a', 'sick']])
    refused(hedgerow.ArgumentError, 'fitted estimator', model=table)
    with pytest.raises(hedgerow.FileError):
        evaluate(classifier, table, epsilon=.5, ledger=ledger.path + '.absent')
    with pytest.raises(ValueError, match='not fitted'):
        evaluate(HedgerowClassifier(), table, table.sick, epsilon=1)
    assert ledger.spent == (0, 0) and not ledger.entries


def test_persons__are_not_single_records(table, ledger):
    X = table.assign(who=np.arange(ROWS) // 3)
    model = HedgerowClassifier(bounds=(0, 1), classes=['no', 'yes'], unit='who', epsilon=4).fit(X[['a', 'b', 'who']], X.sick)
    with pytest.raises(hedgerow.PolicyError, match='protects persons'):
        evaluate(model, X, X.sick, epsilon=.5, ledger=ledger, unit='record')
    assert not ledger.entries


def test_unit__must_be_said_where_a_ledger_pays(table, classifier, ledger):
    text = classifier.model_.schema.to_yaml()
    assert 'unit: record' in text
    model = HedgerowClassifier(schema=Schema.parse(text.replace('unit: record\n', '')), epsilon=4).fit(table, table.sick)
    with pytest.raises(hedgerow.PolicyError, match='one record or several'):
        evaluate(model, table, epsilon=.5, ledger=ledger)
    assert not ledger.entries
    evaluate(model, table, epsilon=.5, ledger=ledger, unit='record')
    assert ledger.spent[0] == .5
