"""Children of os.fork and of multiprocessing predict, explain and fit after their parent has used threads."""
import functools
import multiprocessing
import os
import signal
import warnings

import numpy as np
import pytest

from hedgerow import HedgerowClassifier
from hedgerow.errors import PrivacyLeakWarning

ROWS, DEADLINE = 20000, 60

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='this system has no fork')


def table():
    return np.random.default_rng(1).uniform(size=(ROWS, 4))


def fit():
    X = table()
    model = HedgerowClassifier(epsilon=8, delta=1e-6, bounds=(0, 1), classes=[False, True], n_jobs=2, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyLeakWarning)
        return model.fit(X, X[:, 0] > .5)


@functools.cache
def used():
    """A model whose process has used threads for it, and what it said."""
    model = fit()
    return model, answers(model)


def answers(model):
    X = table()
    return model.predict_proba(X).tobytes() + model.model_.shap(X[:3000], threads=2).values.tobytes() + model.model_.to_json().encode()


def answers_again(model):
    """The same from the model, and from one that is trained anew."""
    return [answers(model) == used()[1], answers(fit()) == used()[1]]


def answers_of_a_job(_job):
    signal.alarm(DEADLINE)
    return answers_again(used()[0])


def check_in_child(check):
    """A child that hangs is ended by its alarm."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(DEADLINE)
        failed = 1
        try:
            check()
            failed = 0
        finally:
            os._exit(failed)
    assert os.waitpid(child, 0)[1] == 0


def check_answers():
    assert all(answers_again(used()[0]))


def test_fork__leaves_predictions_shap_and_fits_as_they_are():
    used()
    check_in_child(check_answers)
    check_answers()


def test_fork__of_a_child_of_a_fork():
    used()
    check_in_child(lambda: (check_answers(), check_in_child(check_answers), check_answers()))


def test_fork__by_multiprocessing():
    used()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        with multiprocessing.get_context('fork').Pool(2) as pool:
            found = pool.map_async(answers_of_a_job, range(4)).get(4 * DEADLINE)
    assert found == [[True, True]] * 4
