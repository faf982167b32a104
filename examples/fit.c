/* Trains a private model on a table and predicts with it; a first program over the library.
 *
 *     cc -std=c11 fit.c $(pkg-config --cflags --libs hedgerow) -o fit
 *     ./fit train.csv schema.yaml test.csv
 */
#include <hedgerow/hedgerow.h>
#include <stdio.h>
#include <stdlib.h>

/* Trains with the default method at epsilon 1; all else is left at its defaults. */
static hr_status train(const hr_data *data, hr_model **model, hr_error *err) {
    hr_fit_options options;
    hr_status status = hr_fit_options_init(&options, NULL, HR_MODE_SOUND, err);
    if (status != HR_OK) return status;
    options.epsilon = 1;
    return hr_fit(data, &options, model, err);
}

/* Prints the first few predictions: the probability of every class, or the predicted number. */
static hr_status predict(const hr_model *model, const hr_data *data, hr_error *err) {
    const size_t rows = hr_data_rows(data), width = hr_model_output_count(model);
    double *out = calloc(rows * width + 1, sizeof *out);
    if (out == NULL) return err->status = HR_E_MEMORY;
    const hr_status status = hr_model_predict(model, data, 0, out, err);
    for (size_t row = 0; status == HR_OK && row < rows && row < 5; row++) {
        printf("record %zu:", row + 1);
        for (size_t k = 0; k < width; k++) printf(" %.3f", out[row * width + k]);
        putchar('\n');
    }
    free(out);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s TRAIN.csv SCHEMA.yaml TEST.csv\n", argv[0]);
        return 2;
    }
    hr_error err = {0};
    hr_schema *schema = NULL;
    hr_data *records = NULL, *others = NULL;
    hr_model *model = NULL;
    hr_status status = hr_schema_read(argv[2], &schema, &err);
    if (status == HR_OK) status = hr_data_read(schema, argv[1], NULL, &records, &err);
    if (status == HR_OK) status = train(records, &model, &err);
    if (status == HR_OK) status = hr_data_read(hr_model_schema(model), argv[3], NULL, &others, &err);
    if (status == HR_OK) status = predict(model, others, &err);
    if (status == HR_OK) puts(hr_model_guarantee(model)->statement);

    if (status != HR_OK) {
        char text[1024];
        hr_error_format(&err, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    hr_data_free(others);
    hr_model_free(model);
    hr_data_free(records);
    hr_schema_free(schema);
    return status == HR_OK ? 0 : 1;
}
