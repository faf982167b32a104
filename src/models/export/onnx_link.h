/* From scores to predictions, as a graph: docs/reference/formats.md, Predictions, once more. */
#ifndef HR_MODELS_EXPORT_ONNX_LINK_H
#define HR_MODELS_EXPORT_ONNX_LINK_H

#include "models/export/onnx_write.h"
#include "models/model/model.h"

/* The label within its bounds, one column. */
hr_onnx_value hr_onnx_label(hr_onnx_graph *graph, const hr_column *label, hr_onnx_value scores);

/* A column of the label for each quantile, in their order. */
hr_onnx_value hr_onnx_quantiles(hr_onnx_graph *graph, const hr_column *label, hr_onnx_value scores);

/* The mean of a count, one column. */
hr_onnx_value hr_onnx_count(hr_onnx_graph *graph, const hr_column *label, hr_onnx_value scores);

/* The probabilities of all classes, a column each. */
hr_onnx_value hr_onnx_classes(hr_onnx_graph *graph, const hr_forest *forest, hr_onnx_value scores);

#endif
