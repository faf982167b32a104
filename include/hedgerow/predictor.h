/* Predictions: of all records of a table, or of one record at a time, as a service asks for them.
 *
 * A model has one predictor, which is compiled when the model is read or trained: nothing is left to prepare,
 * and nothing changes from then on. Any number of threads may use it at once. Predictions of a record are the
 * same bytes whichever way they are asked for, with any number of threads and on any processor. */
#ifndef HEDGEROW_PREDICTOR_H
#define HEDGEROW_PREDICTOR_H

#include <hedgerow/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hr_predictor hr_predictor;

/* Values per record: 1 for regression (the predicted label within its bounds); for classes their number
 * (probabilities, whose sum is 1); for times of an event one an interval and three: the probability that no
 * event came until each cut, the median time (infinite if more than half survive the last cut), the mean time
 * up to the last cut, and the risk: the sum over the cuts of the cumulative hazards. */
HR_API size_t hr_predictor_output_count(const hr_predictor *predictor);

/* Values that hr_predict_row reads: the features of the model's schema. */
HR_API size_t hr_predictor_feature_count(const hr_predictor *predictor);

/* Predicts every record of `data`, which must have been read with the model's schema (hr_model_schema).
 * threads: 0: see hr_threads. out: rows x output_count doubles, row-major. Thread: any. Fails: SCHEMA
 * (another schema), MEMORY. */
HR_API HR_MUST_CHECK hr_status hr_predict_data(const hr_predictor *predictor, const hr_data *data,
                                               int threads, double *out, hr_error *err);

/* Predicts one record. values: feature_count doubles in the order of the schema's features; a number, which
 * is clipped to its bounds as in a table, or the code of a category (its place among the schema's values,
 * from 1); NaN is missing, and so is the code 0. Features that the model does not ask about are not looked
 * at. out: output_count doubles. Thread: any. Fails: SCHEMA (not a code; the field is the feature's name),
 * MEMORY (models that ask about thousands of features). */
HR_API HR_MUST_CHECK hr_status hr_predict_row(const hr_predictor *predictor, const double *values,
                                              double *out, hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
