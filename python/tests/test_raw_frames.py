"""The scripts that bench/raw_frames.py writes for a raw table run, and it counts what they need."""
import pathlib
import sys

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'bench'))
import raw_frames  # noqa: E402

from hedgerow import Schema  # noqa: E402

ROWS = 3000


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """A table with a date, a list, notes that all differ, a number with a word for missing, and a label that is missing once."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 1000, ROWS), 'D')
    ward = rng.choice(['north', 'south', 'west'], ROWS)
    dose = rng.integers(0, 900, ROWS)
    table = pd.DataFrame({'day': days.strftime('%Y-%m-%d'), 'ward': ward, 'note': ['seen by %d' % i for i in range(ROWS)],
                          'dose': np.where(rng.random(ROWS) < .1, 'N', dose.astype(str)), 'cost': dose + 100 * (ward == 'west')})
    table.loc[0, 'cost'] = None
    table.to_csv(tmp_path / 'visits.csv', index=False)
    monkeypatch.setitem(raw_frames.SETS, 'visits', (raw_frames.shared('visits.csv'), 'cost', True, [], ['day']))
    return tmp_path


@pytest.mark.parametrize('library, edits', [('hedgerow', 0), ('typed', 4), ('boosting', 4)])
def test_scripts__run_and_are_counted(library, edits, visits):
    """typed and boosting: the day and the dose converted, the notes left out, the wards listed."""
    found = raw_frames.measure(library, 'visits', str(visits), 1)
    assert 'failed' not in found, found['failed']
    assert (found['as_it_is'], found['rows'], found['columns'], found['edits']) == ('refused', ROWS - 1, 4, edits)
    assert found['lines'] == len(found['script']) and found['scores'][0] > .8
    assert raw_frames.cell_of(found).startswith('refused, %d / %d' % (found['lines'], edits))


def test_an_accuracy_below_0__is_said_so():
    cell = raw_frames.cell_of({'as_it_is': 'LEAKS', 'lines': 2, 'edits': 1, 'scores': [-1e17, -3.], 'seconds': [1., 2.]})
    assert cell == 'LEAKS, 2 / 1, 1.5 s, **below 0**'
