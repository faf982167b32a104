#include "product.h"

#include "args.h"
#include "commands.h"
#include "keep.h"

#include <stdio.h>
#include <string.h>

/* One kind of result, in the order of hr_job_product. */
typedef struct product_kind {
    const char *option, *what, *job;
} product_kind;

static const product_kind kinds[] = {{"--model", "model", "trains a model"},
                                     {"--figures", "figures", "evaluates a model, and trains none"},
                                     {"--schema", "schema", "releases bounds, and trains no model"}};

static const char *path_of(const product_args *product, size_t kind) {
    const char *const paths[] = {product->model, product->figures, product->schema};
    return paths[kind];
}

/* The first that was given; the model, if none was. */
static size_t kind_of(const product_args *product) {
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (path_of(product, i) != NULL) return i;
    return HR_JOB_MODEL;
}

bool product_file(const char *name, const product_args *product, bool as_json, named_file *out) {
    const size_t kind = kind_of(product);
    *out = (named_file){kinds[kind].option, path_of(product, kind)};
    for (size_t i = kind + 1; i < COUNT_OF(kinds); i++) {
        if (path_of(product, i) == NULL) continue;
        usage_error(name, "%s and %s do not go together: a job makes one of the two", kinds[kind].option,
                    kinds[i].option);
        return false;
    }
    if (out->path == NULL)
        usage_error(name,
                    "--model FILE is required; a job of method evaluation takes --figures FILE instead, one "
                    "of method bounds --schema FILE");
    else if (as_json && is_standard_output(out->path))
        usage_error(name, "--json and %s - both write to standard output; name a file for the %s",
                    out->option, kinds[kind].what);
    else
        return true;
    return false;
}

/* What is wrong with the file itself, or with this build, the job's own work says. */
static hr_status check_product_kind(const product_args *product, const char *job, hr_error *err) {
    hr_job_product makes;
    if (hr_job_makes(job, &makes, NULL) != HR_OK || (size_t)makes == kind_of(product)) return HR_OK;
    *err = (hr_error){.status = HR_E_ARGUMENT};
    snprintf(err->file, sizeof err->file, "%s", job);
    snprintf(err->message, sizeof err->message, "the job %s", kinds[makes].job);
    snprintf(err->remedy, sizeof err->remedy, "name the file of the %s with %s", kinds[makes].what,
             kinds[makes].option);
    return HR_E_ARGUMENT;
}

/* By how a file of figures begins. */
static bool holds_figures(const char *path) {
    static const char begin[] = "{\"exact\": false, \"figures\": ";
    char found[sizeof begin] = "";
    FILE *file = fopen(path, "rb");
    const bool same = file != NULL && fread(found, 1, sizeof begin - 1, file) == sizeof begin - 1 &&
                      strcmp(found, begin) == 0;
    if (file != NULL) fclose(file);
    return same;
}

static bool holds_schema(const char *path) {
    hr_schema *schema = NULL;
    const bool read = hr_schema_read(path, &schema, NULL) == HR_OK;
    hr_schema_free(schema);
    return read;
}

static hr_status probe_product(const product_args *product, output_rule rule, hr_error *err) {
    if (product->model != NULL) return model_probe(product->model, rule, err);
    if (product->schema != NULL)
        return own_output_probe(product->schema, rule, holds_schema, "a schema", err);
    return own_output_probe(product->figures, rule, holds_figures, "a file of figures", err);
}

hr_status product_check(const product_args *product, const char *job, output_rule rule, hr_error *err) {
    hr_status status = probe_product(product, rule, err);
    return status == HR_OK ? check_product_kind(product, job, err) : status;
}

hr_status product_write(const hr_job_result *result, const char *path, output_rule rule, hr_error *err) {
    char *text = NULL;
    if (result->model != NULL) return model_write(result->model, path, rule, err);
    hr_status status = hr_job_result_render(result, &text, err);
    if (status == HR_OK) status = output_write(output_open_public, path, rule, text, strlen(text), err);
    hr_text_free(text);
    return status;
}
