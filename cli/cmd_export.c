/* hedgerow export: a model for other engines. */
#include "commands.h"
#include "input.h"
#include "keep.h"

#include <hedgerow/export.h>

typedef struct export_args {
    const char *model, *out;
    size_t format;
} export_args;

static const arg_option export_options[] = {
    {"MODEL", 0, ARG_OPERAND, true, offsetof(export_args, model), NULL,
     "the model's file; - is standard input"},
    {"to", 0, ARG_CHOICE, true, offsetof(export_args, format), "xgboost|lightgbm|onnx|onnx-float32",
     "XGBoost's JSON or LightGBM's text, which give numbers, probabilities where their link is the "
     "model's, else scores; ONNX, for records of 64 or of 32 bits, gives predictions and probabilities of "
     "every model"},
    {"output", 'o', ARG_TEXT, true, offsetof(export_args, out), "FILE",
     "where to write it; - is standard output"},
};

/* A file that is there is replaced. */
static hr_status write_export(const hr_model *model, hr_export_format format, const char *path,
                              hr_error *err) {
    char *bytes = NULL;
    size_t size;
    hr_status status = hr_model_export_render(model, format, &bytes, &size, err);
    if (status == HR_OK) status = output_write(model_opener(model), path, OUTPUT_FORCED, bytes, size, err);
    hr_text_free(bytes);
    return status;
}

static int run_export(const command *self, int argc, char **argv) {
    static const hr_export_format formats[] = {HR_EXPORT_XGBOOST, HR_EXPORT_LIGHTGBM, HR_EXPORT_ONNX,
                                               HR_EXPORT_ONNX_FLOAT32};
    export_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_model *model = NULL;
    hr_status status = input_predictor(args.model, NULL, &model, &err);
    if (status == HR_OK) status = write_export(model, formats[args.format], args.out, &err);
    hr_model_free(model);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command export_command = {
    .name = "export",
    .summary = "a model in the format of another engine",
    .details =
        "The file holds what the model holds, and no more: of a private model, released values and public "
        "facts only. It gives every record the leaves that the model gives it. What a format cannot say is "
        "refused.",
    .example = "  hedgerow export model.json --to onnx -o model.onnx",
    .options = export_options,
    .option_count = COUNT_OF(export_options),
    .run = run_export,
};
