#!/usr/bin/env python3
"""Microseconds that one record takes from Python: in a table of one row (Model.predict, one thread), and
alone (Predictor); the fastest of several runs. Then alone, from several threads at once.

Models have 100 trees of depth 6, over 28 numbers, or over the 17 features of a hospital, with categories.
Runs in an environment that has the package and pandas (tools/python.sh). usage: python_rows.py"""
import io
import threading
import time

import numpy as np
import pandas as pd

import hedgerow

RECORDS, RUNS = 2000, 7
TREES = dict(method='gbdt', options={'trees': 100, 'depth': 6})
THREADS = (1, 2, 4)
LONG = 10  # times all records: threads run long enough for the interpreter to switch among them


def microseconds(predict, records):
    """Of each record, in the fastest run."""
    best = float('inf')
    for _ in range(RUNS):
        begin = time.perf_counter()
        for record in records:
            predict(record)
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / len(records)


def model_of_numbers():
    rng = np.random.default_rng(1)
    X = rng.random((20000, 28))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) * .3 > 1).astype(int)
    return hedgerow.HedgerowClassifier(bounds=(0, 1), classes=[0, 1], **TREES).fit(X, y).model_, X[:RECORDS]


def model_of_a_hospital():
    text, schema = hedgerow.generate_hospital(20000, seed=1)
    table = pd.read_csv(io.StringIO(text))
    model = hedgerow.HedgerowClassifier(schema=schema, **TREES).fit(table, table['readmitted']).model_
    return model, table[[column.name for column in model.schema.features]][:RECORDS]


def show(what, model, in_table, records):
    """in_table: makes a table of a record, as who has no predictor must."""
    predict_row = model.predictor().predict_proba_row
    assert np.array_equal(predict_row(records[0]), model.predict(in_table(records[0]))[0])
    whole = microseconds(lambda record: model.predict(in_table(record), 1), records[:RECORDS // 10])
    print('| %s | %.0f | %.1f |' % (what, whole, microseconds(predict_row, records)), flush=True)


def from_threads(predictor, records, count):
    """Microseconds from one record to the next, of all threads together."""
    def work():
        for record in records:
            predictor.predict_proba_row(record)

    best = float('inf')
    for _ in range(RUNS):
        threads = [threading.Thread(target=work) for _ in range(count)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / (count * len(records))


def main():
    print('| record | in a table of one row, us | alone, us |\n|---|---|---|')
    numbers, X = model_of_numbers()
    show('28 numbers, a row of a numpy array', numbers, lambda row: row[None], list(X))
    show('28 numbers, a list', numbers, lambda row: [row], X.tolist())
    hospital, table = model_of_a_hospital()
    named = table.to_dict('records')
    show('17 features, a dict', hospital, lambda record: pd.DataFrame([record]), named)
    show('17 features, a row of pandas', hospital, lambda row: row.to_frame().T.infer_objects(),
         [row for _, row in table.iterrows()])
    for count in THREADS:
        each = from_threads(hospital.predictor(), named * LONG, count)
        print('dicts from %d thread(s): a record every %.1f us' % (count, each), flush=True)


main()
