# %% [markdown]
# # Serving a model in ONNX Runtime
#
# The service that answers a hospital's questions need not have Hedgerow: a model is exported to ONNX, with its link and its calibration
# inside the graph. The file holds released values and public facts only, as the model does.

# %%
import io
import json

import numpy as np
import onnxruntime
import pandas as pd

import hedgerow

text, schema = hedgerow.generate_hospital(20000, seed=1)
train = pd.read_csv(io.StringIO(text))
patients = pd.read_csv(io.StringIO(hedgerow.generate_hospital(1000, seed=2)[0]))
model = hedgerow.HedgerowClassifier(epsilon=1, schema=schema).fit(train, train['readmitted'])
model.model_.export('model.onnx', format='onnx')

# %% [markdown]
# From here on the file is all that is needed. Its metadata say what a record has: names of numbers, and lists of values of categories, whose
# indices are the inputs. NaN is missing.

# %%
session = onnxruntime.InferenceSession('model.onnx', providers=['CPUExecutionProvider'])
metadata = session.get_modelmeta().custom_metadata_map
features = json.loads(metadata['features'])
print(metadata['guarantee'])
print(features[:3])

# %%
def inputs_of(table):
    """Records x features, as the graph takes them."""
    columns = [table[f['name']] if not f.get('values') else pd.Categorical(table[f['name']].astype(str), categories=f['values']).codes for f in features]
    array = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    listed = np.array([bool(f.get('values')) for f in features])
    return np.where(listed & (array < 0), np.nan, array)


prediction, probabilities, scores = session.run(None, {'features': inputs_of(patients)})
print(prediction[:5], probabilities[:5, 1].round(3))

# %% [markdown]
# They are the model's own predictions.

# %%
difference = np.abs(probabilities - model.predict_proba(patients)).max()
print('largest difference', difference)
assert difference < 1e-12
