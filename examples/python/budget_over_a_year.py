# %% [markdown]
# # A budget over a year
#
# One ledger, four quarters. Each quarter the records grow and a new model is trained on all of them, so what the fits cost adds up: a patient
# of the first quarter is in all four. The ledger keeps the sum, and refuses what does not fit.

# %%
import io

import pandas as pd
from sklearn.model_selection import GridSearchCV

import hedgerow
from hedgerow import BudgetError, HedgerowClassifier, Ledger

text, schema = hedgerow.generate_hospital(20000, seed=1)
year = pd.read_csv(io.StringIO(text))
test = pd.read_csv(io.StringIO(hedgerow.generate_hospital(5000, seed=2)[0]))
ledger = Ledger.create('year.db', epsilon=2, delta=1e-5)

# %%
for quarter in range(1, 5):
    records = year.head(5000 * quarter)
    model = HedgerowClassifier(epsilon=0.5, delta=1e-6, schema=schema, ledger='year.db').fit(records, records['readmitted'])
    print(f'quarter {quarter}: accuracy {model.score(test, test["readmitted"]):.3f}, epsilon left {ledger.left[0]:.3f}')

# %% [markdown]
# Epsilon and delta add up, entry by entry. The fourth quarter takes the last of it.

# %%
for entry in ledger.entries:
    print(entry.when, entry.purpose, round(entry.epsilon, 4), entry.state)

# %% [markdown]
# A grid search fits again and again on overlapping records. What it would cost is told before it runs, and it is refused where the budget
# does not cover it: nothing is spent by a refusal.

# %%
model = HedgerowClassifier(epsilon=0.5, delta=1e-6, schema=schema, ledger='year.db')
search = GridSearchCV(model, {'method': ['hedge', 'dpboost', 'dp-ert']}, cv=5, error_score='raise')
print('5 folds of 3 settings and the refit cost epsilon', hedgerow.search_cost(search)[0])
before = ledger.spent
try:
    hedgerow.check_search(search)
    search.fit(year, year['readmitted'])
except BudgetError as error:
    print('refused:', error)
print('spent', before, 'before and', ledger.spent, 'after')

# %% [markdown]
# At the end of the year the budget is closed. A frozen ledger never opens again.

# %%
ledger.freeze()
try:
    HedgerowClassifier(epsilon=0.01, schema=schema, ledger='year.db').fit(year, year['readmitted'])
except hedgerow.PolicyError as error:
    print('refused:', error)
