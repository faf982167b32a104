#include "product.h"

#include "args.h"
#include "commands.h"
#include "figures.h"
#include "keep.h"

#include <stdio.h>
#include <string.h>

bool product_file(const char *name, const product_args *product, bool as_json, named_file *out) {
    const char *wrong = NULL;
    *out = product->model != NULL ? (named_file){"--model", product->model}
                                  : (named_file){"--figures", product->figures};
    if (out->path == NULL)
        wrong = "--model FILE is required; a job of method evaluation takes --figures FILE instead";
    else if (product->model != NULL && product->figures != NULL)
        wrong = "--model and --figures do not go together: a job makes one of the two";
    else if (as_json && is_standard_output(out->path))
        wrong = product->model != NULL
                    ? "--json and --model - both write to standard output; name a file for the model"
                    : "--json and --figures - both write to standard output; name a file for the figures";
    if (wrong != NULL) usage_error(name, "%s", wrong);
    return wrong == NULL;
}

static hr_status check_product_kind(const product_args *product, const char *job, hr_error *err) {
    hr_job_product makes;
    hr_status status = hr_job_makes(job, &makes, err);
    if (status != HR_OK || (makes == HR_JOB_FIGURES) == (product->figures != NULL)) return status;
    *err = (hr_error){.status = HR_E_ARGUMENT};
    snprintf(err->file, sizeof err->file, "%s", job);
    snprintf(err->message, sizeof err->message, "the job %s",
             makes == HR_JOB_FIGURES ? "evaluates a model, and trains none" : "trains a model");
    snprintf(err->remedy, sizeof err->remedy, "name the file of %s with %s",
             makes == HR_JOB_FIGURES ? "the figures" : "the model",
             makes == HR_JOB_FIGURES ? "--figures" : "--model");
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

hr_status product_check(const product_args *product, const char *job, output_rule rule, hr_error *err) {
    hr_status status = product->model != NULL ? model_probe(product->model, rule, err)
                                              : own_output_probe(product->figures, rule, holds_figures,
                                                                 "a file of figures", err);
    return status == HR_OK ? check_product_kind(product, job, err) : status;
}

static hr_status write_figures(const hr_evaluation *evaluation, const char *path, output_rule rule,
                               hr_error *err) {
    output_file file = {0};
    hr_status status = output_open(&file, path, rule, err);
    if (status != HR_OK) return status;
    print_evaluation_json(file.stream, evaluation, NULL);
    return output_finish(&file, err);
}

hr_status product_write(const hr_job_result *result, const char *path, output_rule rule, hr_error *err) {
    return result->model != NULL ? model_write(result->model, path, rule, err)
                                 : write_figures(result->evaluation, path, rule, err);
}
