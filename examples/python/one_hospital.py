# %% [markdown]
# # One hospital
#
# A hospital wants to know which patients will come back, and to publish the model. The patients here are invented; with real ones, read
# your own table and write its schema with `hedgerow schema init`.

# %%
import io

import pandas as pd

import hedgerow

text, schema = hedgerow.generate_hospital(20000, seed=1)
train = pd.read_csv(io.StringIO(text))
test = pd.read_csv(io.StringIO(hedgerow.generate_hospital(5000, seed=2)[0]))
print(train[['age', 'ward', 'days', 'readmitted']].head())

# %% [markdown]
# The schema is public: bounds of numbers, lists of categories. The model repeats it, so nothing in it may be read off the records.

# %%
for column in schema.features[:4]:
    print(column.name, column.values if column.is_category else (column.low, column.high))

# %% [markdown]
# The person who is responsible for the records sets the budget, once. Every fit is charged to it before noise is drawn.

# %%
ledger = hedgerow.Ledger.create('budget.db', epsilon=3, delta=1e-5)

# %% [markdown]
# What would a fit on about 20,000 records do? A plan reads and spends nothing.

# %%
model = hedgerow.HedgerowClassifier(epsilon=1, schema=schema, ledger='budget.db')
for name, value in model.plan(20000).items():
    print(f'{name:24} {value if isinstance(value, str) else format(value, ".4g")}')

# %%
model.fit(train, train['readmitted'])
print('accuracy', round(model.score(test, test['readmitted']), 3))
print('spent', ledger.spent, 'of', ledger.limit)
print(model.guarantee_.statement)

# %% [markdown]
# What the model says of its features, from released values alone: it costs nothing. The noise that privacy added is known, too.

# %%
importance = pd.Series(model.feature_importances_, index=model.feature_names_in_)
print(importance.sort_values(ascending=False).head(5).round(3))
shapes = model.model_.shapes()
largest = max((shape for shape in shapes.shapes if len(shape.axes) == 1), key=lambda shape: shape.share)
print(largest.axes[0].feature, 'accounts for', round(largest.share, 3), 'of the spread')

# %% [markdown]
# The file is what `hedgerow show` and `hedgerow predict` read, and what may be published.

# %%
model.model_.write('model.json')
hedgerow.report(model, 'report.html')   # the same for people: open it in a browser
again = hedgerow.Model.read('model.json')
assert (again.predict(test) == model.model_.predict(test)).all()
