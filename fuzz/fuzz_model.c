/* Model files are untrusted. Whatever bytes come in, parsing refuses them or makes a model that
 *   - renders to a text that parses again and renders to the same bytes, compressed or not,
 *   - predicts records of its schema without fault, within the label's bounds or as probabilities that sum to
 * 1,
 *   - can be shown in every form. */
#include <hedgerow/hedgerow.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 9, FEATURES_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool held) {
    if (!held) abort();
}

/* Rows at, between and beyond what the schema bounds, and missing. */
static double cell(const hr_column *column, size_t row) {
    if (row == 0) return (double)NAN;
    double part = (double)(row - 1) / (ROWS - 2);
    if (column->kind == HR_KIND_CATEGORY) return floor(part * (double)column->value_count);
    return column->low + part * (column->high - column->low);
}

static hr_data *make_data(const hr_schema *schema) {
    static double cells[FEATURES_MAX][ROWS];
    const double *columns[FEATURES_MAX];
    for (size_t f = 0; f < hr_schema_feature_count(schema); f++) {
        for (size_t i = 0; i < ROWS; i++) cells[f][i] = cell(hr_schema_feature(schema, f), i);
        columns[f] = cells[f];
    }
    hr_data *data = NULL;
    hr_error err;
    must(hr_data_from_arrays(schema, ROWS, columns, NULL, &data, &err) == HR_OK);
    return data;
}

static void check_predictions(const hr_model *model) {
    const hr_schema *schema = hr_model_schema(model);
    if (hr_schema_feature_count(schema) > FEATURES_MAX) return;
    size_t width = hr_model_output_count(model);
    const hr_column *label = hr_schema_label(schema);
    hr_data *data = make_data(schema);
    double *out = malloc(ROWS * width * sizeof *out);
    must(out && hr_model_predict(model, data, 2, out, NULL) == HR_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t k = 0; k < width; k++) sum += out[i * width + k];
        if (hr_schema_task(schema) == HR_TASK_REGRESSION) {
            must(sum >= label->low && sum <= label->high);
        } else {
            must(fabs(sum - 1) < 1e-9 && hr_predicted_class(out + i * width, width) < width);
        }
    }
    free(out);
    hr_data_free(data);
}

static void check_texts(const hr_model *model) {
    char *text = NULL;
    must(hr_model_summary(model, &text, NULL) == HR_OK);
    hr_text_free(text);
    for (size_t t = 0; t < hr_model_tree_count(model); t++) {
        must(hr_model_tree_text(model, t, &text, NULL) == HR_OK);
        hr_text_free(text);
        must(hr_model_tree_dot(model, t, &text, NULL) == HR_OK);
        hr_text_free(text);
    }
}

/* A compressed file is that of the text, in builds that have gzip. */
static void check_packed(const hr_model *model, const char *text) {
    char *packed = NULL, *again = NULL;
    size_t size = 0;
    hr_model *back = NULL;
    const hr_status status = hr_model_pack(model, "model.json.gz", &packed, &size, NULL);
    must(status == HR_OK || status == HR_E_ABSENT);
    if (status) return;
    must(hr_model_parse(packed, size, "again", &back, NULL) == HR_OK);
    must(hr_model_render(back, &again, NULL) == HR_OK);
    must(!strcmp(text, again));
    hr_model_free(back);
    hr_text_free(packed);
    hr_text_free(again);
}

static void check_round_trip(const hr_model *model) {
    char *first = NULL, *second = NULL;
    hr_model *back = NULL;
    hr_error err;
    must(hr_model_render(model, &first, NULL) == HR_OK);
    must(hr_model_parse(first, strlen(first), "again", &back, &err) == HR_OK);
    must(hr_model_render(back, &second, NULL) == HR_OK);
    must(!strcmp(first, second));
    hr_model_free(back);
    hr_text_free(second);
    check_packed(model, first);
    hr_text_free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_model_parse((const char *)bytes, size, "input", &model, &err);
    if (status) {
        must(!model && err.status == status && err.message[0]);
        return 0;
    }
    check_round_trip(model);
    check_predictions(model);
    check_texts(model);
    hr_model_free(model);
    return 0;
}
