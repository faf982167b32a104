"""The examples run as they are, and say what their text says. Bounds are 10 standard deviations or more from what fits reach."""
import io
import math
import pathlib
import re
import runpy

import pandas as pd
import pytest

import hedgerow

EXAMPLES = pathlib.Path(__file__).parents[2] / 'examples' / 'python'


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def of(name):
        return runpy.run_path(str(EXAMPLES / name)), capsys.readouterr().out
    return of


def test_every_example_is_tested():
    text = pathlib.Path(__file__).read_text()
    assert [path.name for path in sorted(EXAMPLES.glob('*.py')) if "run('%s')" % path.name not in text] == []


def test_one_hospital__publishes_what_it_paid_for(run):
    names, printed = run('one_hospital.py')
    assert 'differentially private' in printed
    assert names['ledger'].spent[0] == pytest.approx(1)
    assert float(re.search(r'accuracy ([.\d]+)', printed)[1]) > .8
    assert pathlib.Path('model.json').exists() and pathlib.Path('report.html').exists()


def test_budget_over_a_year__adds_up_and_refuses_the_rest(run):
    names, printed = run('budget_over_a_year.py')
    left = [float(x) for x in re.findall(r'epsilon left ([.\d]+)', printed)]
    assert len(left) == 4 and left == sorted(left, reverse=True)
    assert printed.count('refused:') == 2
    assert names['before'] == names['ledger'].spent
    assert len(names['ledger'].entries) == 4


def test_three_hospitals__train_one_model(run):
    names, printed = run('three_hospitals.py')
    assert names['joint'].guarantee.epsilon == pytest.approx(1)
    assert len(re.findall(r'AUC [.\d]+', printed)) == 5
    assert names['joint_score'] > .85


def test_comparing_methods__puts_no_privacy_first_and_hedge_next(run):
    names, printed = run('comparing_methods.py')
    assert names['best'].method == 'hedge' and 'the best private method: hedge' in printed
    assert names['table'].iloc[0].method == 'gbdt' and math.isinf(names['table'].iloc[0].epsilon)


def test_serving_onnx__predicts_as_the_model(run):
    names, printed = run('serving_onnx.py')
    assert len(names['prediction']) == 1000 and names['difference'] < 1e-12
    assert 'differentially private' in printed


def test_generated_hospital__is_the_command_s(tmp_path):
    text, schema = hedgerow.generate_hospital(7, seed=3)
    again, _ = hedgerow.generate_hospital(7, seed=3)
    assert text == again and text.count('\n') == 8
    assert text.splitlines()[0].split(',')[-1] == schema.label.name == 'readmitted'
    visits, with_unit = hedgerow.generate_hospital(50, visits=5)
    assert with_unit.unit == 'patient_id' and visits.startswith('patient_id,')
    times, with_time = hedgerow.generate_hospital(50, times=True)
    assert with_time.label.name == 'followed' and times.splitlines()[0].endswith(',discharge,followed,readmitted')
    with pytest.raises(hedgerow.HedgerowError):
        hedgerow.generate_hospital(5, visits=10 ** 9)
    with pytest.raises(OverflowError):
        hedgerow.generate_hospital(-1)
    assert len(pd.read_csv(io.StringIO(text))) == 7
