/* SHAP values of a model, and predictions beside them. usage: bench_shap MODEL TABLE [THREADS] */
#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hr_status measure(const hr_model *model, const hr_data *data, int threads, hr_error *err) {
    size_t rows = hr_data_rows(data), features = hr_schema_feature_count(hr_model_schema(model));
    hr_shap_options options = HR_SHAP_OPTIONS_INIT;
    hr_shap *shap = NULL;
    options.threads = threads;
    double start = now();
    hr_status status = hr_shap_new(model, &options, &shap, err);
    if (status) return status;
    double prepared = now();
    double *values = malloc(rows * hr_shap_output_count(shap) * features * sizeof *values),
           *predictions = malloc(rows * hr_model_output_count(model) * sizeof *predictions);
    if (values && predictions) status = hr_shap_values(shap, data, values, err);
    double done = now();
    if (values && predictions && !status) status = hr_model_predict(model, data, threads, predictions, err);
    if (!status)
        printf("%zu records, %zu trees, %zu with counts: prepared in %.3f s, values in %.3f s, predictions "
               "in %.3f s\n",
               rows, hr_model_tree_count(model), hr_shap_counted_trees(shap), prepared - start,
               done - prepared, now() - done);
    free(values);
    free(predictions);
    hr_shap_free(shap);
    return status;
}

int main(int argc, char **argv) {
    hr_error err = {0};
    hr_model *model = NULL;
    hr_data *data = NULL;
    hr_read_options reading = HR_READ_OPTIONS_INIT;
    if (argc < 3) return 2;
    reading.label_optional = true;
    hr_status status = hr_model_read(argv[1], &model, &err);
    if (!status) status = hr_data_read(hr_model_schema(model), argv[2], &reading, &data, &err);
    if (!status) status = measure(model, data, argc > 3 ? atoi(argv[3]) : 1, &err);
    if (status) fprintf(stderr, "bench_shap: %s\n", err.message);
    hr_data_free(data);
    hr_model_free(model);
    return status != HR_OK;
}
