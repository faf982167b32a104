#!/usr/bin/env python3
"""An installed wheel, from import to a model that its command reads: trains, predicts, pays from a ledger, and sees the command predict the same.
It takes a minute under an emulator. The last line says what a seed gives, which is to be equal on every machine.
usage: smoke.py COMMAND...    the words that run `hedgerow` here"""
import hashlib
import io
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import hedgerow
from hedgerow import HedgerowClassifier, Ledger


def command(*words):
    return subprocess.run([*sys.argv[1:], *words], text=True, stdout=subprocess.PIPE, check=True).stdout


def table(rows, seed):
    text, schema = hedgerow.generate_hospital(rows, seed=seed)
    return pd.read_csv(io.StringIO(text)), schema


def fit_and_predict(train, test, **options):
    model = HedgerowClassifier(n_jobs=1, **options).fit(train, train['readmitted'])
    return model.model_, model.predict_proba(test)


def main():
    (train, schema), (test, _) = table(5000, 1), table(1000, 2)
    with tempfile.TemporaryDirectory() as folder:
        ledger, path, data, predicted = (os.path.join(folder, name) for name in ('budget.db', 'model.json', 'test.csv', 'predicted.csv'))
        Ledger.create(ledger, epsilon=2, delta=1e-5)
        model, scores = fit_and_predict(train, test, epsilon=1, schema=schema, ledger=ledger)
        auc = roc_auc_score(test['readmitted'] == 'yes', scores[:, 1])
        assert auc > .7 and model.guarantee.is_private and Ledger(ledger).spent[0] == 1, (auc, model.guarantee)
        model.write(path)
        test.to_csv(data, index=False)
        assert command('show', path) == model.summary()
        command('predict', '--model', path, '--data', data, '--output', predicted)
        by_command = pd.read_csv(predicted)
        assert np.allclose(by_command.iloc[:, -1], scores[:, 1], rtol=0, atol=1e-9), by_command.head()
    seeded = [fit_and_predict(train, test, schema=schema, method=method, random_state=1)[1] for method in ('hedge', 'dpboost', 'gbdt')]
    digest = hashlib.sha256(np.round(seeded, 9).tobytes()).hexdigest()[:16]
    print('hedgerow %s on %s: AUC %.3f; seeded predictions %s' % (hedgerow.__version__, platform.machine(), auc, digest))


main()
