# %% [markdown]
# # Three hospitals
#
# Three hospitals of different sizes may not share their records. What would they gain by a model that they train together? `hedgerow.simulate`
# runs the whole federation in one process, for one who has all the records to try it with; in earnest each hospital runs `hedgerow serve` beside
# its own records, ledger and key (docs/how-to/runbook.md).

# %%
import io

import pandas as pd
from sklearn.metrics import roc_auc_score

import hedgerow

text, schema = hedgerow.generate_hospital(21000, seed=1)
everybody = pd.read_csv(io.StringIO(text))
test = pd.read_csv(io.StringIO(hedgerow.generate_hospital(5000, seed=2)[0]))
hospitals = {'small': everybody[:2000], 'middle': everybody[2000:8000], 'large': everybody[8000:]}

# %% [markdown]
# Each alone, at epsilon 1:

# %%
for name, records in hospitals.items():
    alone = hedgerow.HedgerowClassifier(epsilon=1, delta=1e-6, schema=schema).fit(records, records['readmitted'])
    score = roc_auc_score(test['readmitted'] == 'yes', alone.predict_proba(test)[:, 1])
    print(f'{name:8} {len(records):6} records  AUC {score:.3f}')

# %% [markdown]
# All together: every sum is added up under masks, so that nobody sees a sum of one hospital; each adds its part of the noise, and each pays
# from its own budget.

# %%
owners = [(records, records['readmitted']) for records in hospitals.values()]
joint = hedgerow.simulate(owners, schema=schema, epsilon=1, delta=1e-6)
joint_score = roc_auc_score(test['readmitted'] == 'yes', joint.predict(test)[:, 1])
print(f'together {sum(map(len, hospitals.values())):6} records  AUC {joint_score:.3f}')
print(joint.guarantee.statement)

# %% [markdown]
# For comparison, the same records in one place:

# %%
pooled = hedgerow.HedgerowClassifier(epsilon=1, delta=1e-6, schema=schema).fit(everybody, everybody['readmitted'])
print('pooled   %6d records  AUC %.3f' % (len(everybody), roc_auc_score(test['readmitted'] == 'yes', pooled.predict_proba(test)[:, 1])))
