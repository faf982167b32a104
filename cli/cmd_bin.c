/* hedgerow bin: a table as a binned cache, which training maps instead of reading. Files are read one after
 * the other, so that memory is needed for the largest of them. */
#include "bins_file.h"
#include "commands.h"
#include "input.h"
#include "misfit.h"
#include "output.h"
#include "places.h"

#include <limits.h>

typedef struct bin_args {
    const char *schema, *output;
    table_args table;
    arg_integer bins, threads;
    bool force, strict;
} bin_args;

#define AT(field) offsetof(bin_args, field)

static const arg_option bin_options[] = {
    {"data", 0, ARG_LIST, true, AT(table.data), "FILE", "the records; - is standard input; may be repeated"},
    {"schema", 0, ARG_TEXT, true, AT(schema), "FILE", "the public facts about them"},
    {"output", 'o', ARG_TEXT, true, AT(output), "FILE", "where the cache goes, readable by its owner alone"},
    {"bins", 0, ARG_INTEGER, false, AT(bins), "N",
     "public bins of a numeric feature, 2 to 255; 255 unless given. Training must have as many"},
    {"threads", 0, ARG_INTEGER, false, AT(threads), "N", "0: as many processors as it may use"},
    {"force", 0, ARG_FLAG, false, AT(force), NULL, "replace the file that is there"},
    TABLE_OPTIONS(bin_args),
    SKIP_OPTION(bin_args),
    {"strict", 0, ARG_FLAG, false, AT(strict), NULL, STRICT_HELP},
};

static bool bin_args_usable(const command *self, const bin_args *args) {
    const named_file output = {"--output", args->output};
    named_file others[TABLE_FILES_MAX + 1] = {{"--schema", args->schema}};
    if (is_standard_output(args->output)) {
        usage_error(self->name, "--output: a cache is mapped: name a file");
        return false;
    }
    if (args->bins.given && (args->bins.value < 2 || args->bins.value > 255)) {
        usage_error(self->name, "--bins: give 2 to 255");
        return false;
    }
    return input_table_usable(self, &args->table, args->schema) &&
           output_apart(self->name, &output, others, 1 + input_table_files(&args->table, others + 1));
}

static hr_status add_bin_file(const command *self, const bin_args *args, const hr_schema *schema, size_t file,
                              hr_binner *binner, hr_error *err) {
    table_args one = args->table;
    hr_data *data = NULL;
    one.data = (arg_list){.count = 1, .items = {args->table.data.items[file]}};
    misfit_rule rule = {self->name, input_table_name(&one), args->strict, false, 0};
    hr_status status = input_table(schema, &one, false, &data, err);
    if (status == HR_OK) input_warn_skipped(self, data);
    if (status == HR_OK) status = print_remarks(&rule, HR_REMARKS_TRAIN, data, err);
    if (status == HR_OK) status = hr_binner_add(binner, data, err);
    hr_data_free(data);
    return status;
}

static hr_status write_bins(const command *self, const bin_args *args, const hr_schema *schema,
                            hr_error *err) {
    hr_bin_options options = HR_BIN_OPTIONS_INIT;
    bins_file file = {0};
    if (args->bins.given) options.bins = (uint32_t)args->bins.value;
    options.threads = input_threads(args->threads);
    options.replace = args->force;
    hr_status status = output_probe(args->output, args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED, err);
    if (status == HR_OK) status = bins_file_open(&file, schema, args->output, &options, err);
    for (size_t i = 0; status == HR_OK && i < args->table.data.count; i++)
        status = add_bin_file(self, args, schema, i, file.binner, err);
    if (status == HR_OK) status = hr_binner_finish(file.binner, err);
    bins_file_close(&file);
    return status;
}

static int run_bin(const command *self, int argc, char **argv) {
    bin_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !bin_args_usable(self, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_schema *schema = NULL;
    hr_status status = input_schema(args.schema, &schema, &err);
    if (status == HR_OK) status = input_drop(&schema, &args.table, &err);
    if (status == HR_OK) status = write_bins(self, &args, schema, &err);
    hr_schema_free(schema);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command bin_command = {
    .name = "bin",
    .summary = "write a table as a binned cache, which train maps instead of reading",
    .details =
        "The cache holds the labels, and for each feature the numbers of even bins between the schema's "
        "bounds: it is as private as the table. hedge, gbdt and dpboost train on it, with the options "
        "edges=public and as many bins; the model is that of the table itself. More records than "
        "memory has room for can be given in several files, which are read one at a time.",
    .example = "  hedgerow bin --data train.csv --schema schema.yaml --bins 64 -o train.bins\n"
               "  hedgerow train --data train.bins --schema schema.yaml --bins 64 --option edges=public "
               "--model model.json",
    .options = bin_options,
    .option_count = COUNT_OF(bin_options),
    .run = run_bin,
};
