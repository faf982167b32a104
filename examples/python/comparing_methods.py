# %% [markdown]
# # Comparing methods
#
# The published methods and hedge, on the same table at the same price, several times: noise differs from fit to fit, so a comparison
# needs a mean and its error.

# %%
import io
import statistics
import time

import pandas as pd
from sklearn.metrics import roc_auc_score

import hedgerow

RUNS = 3
text, schema = hedgerow.generate_hospital(20000, seed=1)
train = pd.read_csv(io.StringIO(text))
test = pd.read_csv(io.StringIO(hedgerow.generate_hospital(5000, seed=2)[0]))

# %%
rows = []
for method in ['hedge', 'dpboost', 'inprivate', 'diprime', 'dp-ert', 'dp-df', 'gbdt']:
    scores, started = [], time.perf_counter()
    for _ in range(RUNS):
        model = hedgerow.HedgerowClassifier(method, epsilon=1, schema=schema).fit(train, train['readmitted'])
        scores.append(roc_auc_score(test['readmitted'] == 'yes', model.predict_proba(test)[:, 1]))
    rows.append({'method': method, 'AUC': statistics.mean(scores), 'error': statistics.stdev(scores) / RUNS ** .5,
                 'seconds': (time.perf_counter() - started) / RUNS, 'epsilon': model.guarantee_.epsilon})

# %% [markdown]
# gbdt has no privacy: its epsilon is infinite, and it shows what there is to reach.

# %%
table = pd.DataFrame(rows).sort_values('AUC', ascending=False).round(3)
print(table.to_string(index=False))
best = table[table.epsilon < float('inf')].iloc[0]
print('the best private method:', best.method)
