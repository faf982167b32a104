"""The examples of docs/how-to/python.md and README run as they are printed."""
import pathlib
import re

import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = '''hedgerow-schema: 1
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


def blocks(page):
    return re.findall(r'^```python\n(.*?)^```', (ROOT / page).read_text(), flags=re.S | re.M)


@pytest.mark.parametrize('page', ['docs/how-to/python.md', 'README.md'])
def test_examples__run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(3000, 1).to_csv('train.csv', index=False)
    patients(1000, 2).to_csv('test.csv', index=False)
    pathlib.Path('schema.yaml').write_text(SCHEMA)
    names = {'train': patients(3000, 1)}
    if page == 'README.md':
        from hedgerow import Ledger
        Ledger.create('budget.db', 3, 1e-5)
    assert blocks(page)
    for block in blocks(page):
        exec(block, names)
    assert names['model'].guarantee_.is_private
    assert names['model'].score(patients(1000, 3), patients(1000, 3).readmitted) > .9


@pytest.mark.parametrize('page', ['docs/how-to/python.md', 'README.md', *sorted(str(p.relative_to(ROOT)) for p in (ROOT / 'examples/python').glob('*.py'))])
def test_owners__are_not_told_apart_by_position(page):
    """Where a record stands depends on how many stand before it: one more record would move others to another owner."""
    text = (ROOT / page).read_text()
    assert not re.search(r'\[\s*:?\s*len\(.*?//', text) and 'array_split' not in text and '.iloc[:' not in text
