"""The command of the wheel: messages of the package tell people to run it, so it is there, and reads what the package writes."""
import pathlib
import subprocess
import sys

import pytest

import hedgerow

COMMAND = pathlib.Path(sys.executable).parent / 'hedgerow'
pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason='the package is not installed, only on the path')
BROKER_ABSENT = 'this build of Hedgerow cannot connect to a broker; install libnats-dev and libssl-dev, and build Hedgerow with -Dnats=enabled'


def run(folder, *words):
    return subprocess.run([COMMAND, *words], cwd=folder, text=True, capture_output=True)


@pytest.fixture
def table(tmp_path):
    assert run(tmp_path, 'generate', 'hospital', '--rows', '3000', '-o', 'train.csv', '--schema', 'schema.yaml').returncode == 0
    return tmp_path


def test_command__has_the_version_of_the_package():
    told = subprocess.run([COMMAND, '--version'], text=True, capture_output=True, check=True).stdout
    assert told.split()[:2] == ['hedgerow', hedgerow.__version__]


def test_command__trains_what_the_package_reads(table):
    assert run(table, 'train', '--data', 'train.csv', '--schema', 'schema.yaml', '--epsilon', '1', '--model', 'model.json').returncode == 0
    shown = run(table, 'show', 'model.json')
    model = hedgerow.Model.read(str(table / 'model.json'))
    assert (shown.returncode, shown.stdout) == (0, model.summary())
    assert model.guarantee.epsilon == 1


def test_command__shows_what_the_package_writes(table):
    import pandas as pd
    train = pd.read_csv(table / 'train.csv')
    model = hedgerow.HedgerowClassifier(epsilon=1, schema=str(table / 'schema.yaml')).fit(train, train['readmitted']).model_
    model.write(str(table / 'model.json'))
    assert run(table, 'show', 'model.json').stdout == model.summary()


def test_command__passes_on_exit_codes_and_what_the_build_lacks(table):
    refused = run(table, 'serve', 'owner.yaml')
    assert (refused.returncode, refused.stderr) == (4, 'hedgerow serve: %s\n' % BROKER_ABSENT)
    assert run(table, 'train').returncode == 2
