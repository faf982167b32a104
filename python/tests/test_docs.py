"""The examples of pages run as they are printed, and print what a text below them says."""
import pathlib
import re
import sys

import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'cli'))
import run  # noqa: E402: the rules of pages: numbers differ from run to run, words do not

PAGES = ['docs/how-to/python.md', 'docs/tutorial/python.md', 'README.md']
SCHEMA = '''hedgerow-schema: 1
unit: record
label: {name: readmitted, kind: classes, values: ["no", "yes"]}
features:
  - {name: age, kind: number, low: 18, high: 105, integer: true}
  - {name: ward, kind: category, values: [internal, surgery]}
'''


def patients(rows, seed):
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({'age': rng.integers(18, 105, rows), 'ward': rng.choice(['internal', 'surgery'], rows),
                         'hospital': rng.choice(['north', 'south'], rows)})
    return made.assign(readmitted=np.where(made.age > 70, 'yes', 'no'))


BROKER = re.compile(r'\b(Owner|coordinate)\(|hedgerow\.flower')  # what test_coordinator.py runs, and tests/flower/flower.py


def blocks(page):
    """(code, lines that it prints) in order; no lines: anything."""
    return [(code, text.splitlines()) for code, text in all_blocks(page) if not BROKER.search(code)]


def all_blocks(page):
    return re.findall(r'^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?', (ROOT / page).read_text(), flags=re.S | re.M)


def run_blocks(page, names, capsys):
    assert blocks(page)
    for code, expected in blocks(page):
        exec(code, names)
        printed = capsys.readouterr().out.splitlines()
        assert not expected or run.matches(expected, printed, run.words_match), '%s\nprints %s' % (code, printed)


def test_tutorial__runs_from_nothing(tmp_path, monkeypatch, capsys):
    """Every block that prints a number without noise has this number, too."""
    monkeypatch.chdir(tmp_path)
    names = {}
    run_blocks('docs/tutorial/python.md', names, capsys)
    assert names['plan']['rounds'] == 103 and round(names['plan']['prediction_noise'], 2) == .11
    assert names['ledger'].spent[0] == 1 and (names['epsilon'], round(names['delta'], 7)) == (5, 5e-6)
    assert (names['test']['readmitted'] == 'no').mean() == .8118
    assert names['model'].score(names['test'], names['test']['readmitted']) == pytest.approx(.8947, abs=8 * .0019)  # as tests/cli/figures.py
    assert pathlib.Path('model.json').exists() and pathlib.Path('report.html').exists()


def test_ten_minutes__has_the_numbers_of_its_program(capsys):
    """Its text has them rounded; here every digit that it prints is compared."""
    (code, expected), = blocks('docs/explanation/ten-minutes.md')
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == expected


def test_exports__are_served_as_printed(tmp_path, monkeypatch):
    from hedgerow import HedgerowClassifier
    monkeypatch.chdir(tmp_path)
    pathlib.Path('schema.yaml').write_text(SCHEMA)
    train = patients(3000, 1)
    model = HedgerowClassifier(epsilon=1, schema='schema.yaml').fit(train, train['readmitted'])
    model.model_.export('model.onnx')
    names = {'table': np.array([[80, 0], [30, 1]], dtype=np.float64)}
    (code, _), = blocks('docs/how-to/exports.md')
    exec(code, names)
    assert list(names['prediction']) == ['yes', 'no'] and [column['name'] for column in names['columns']] == ['age', 'ward']


@pytest.mark.parametrize('page', ['docs/how-to/python.md', 'README.md'])
def test_examples__run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    patients(3000, 1).to_csv('train.csv', index=False)
    patients(1000, 2).to_csv('test.csv', index=False)
    pathlib.Path('schema.yaml').write_text(SCHEMA)
    names = {'train': patients(3000, 1)}
    if page == 'README.md':
        from hedgerow import Ledger
        Ledger.create('budget.db', 3, 1e-5)
    run_blocks(page, names, capsys)
    assert names['model'].guarantee_.is_private
    assert names['model'].score(patients(1000, 3), patients(1000, 3).readmitted) > .9


@pytest.mark.parametrize('page', [*PAGES, *sorted(str(p.relative_to(ROOT)) for p in (ROOT / 'examples/python').glob('*.py'))])
def test_owners__are_not_told_apart_by_position(page):
    """Where a record stands depends on how many stand before it: one more record would move others to another owner."""
    text = (ROOT / page).read_text()
    assert not re.search(r'\[\s*:?\s*len\(.*?//', text) and 'array_split' not in text and '.iloc[:' not in text
