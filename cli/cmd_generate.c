/* hedgerow generate: tables to try things on. */
#include "commands.h"
#include "generate_bins.h"
#include "output.h"
#include "places.h"

#include <hedgerow/generate.h>
#include <string.h>

typedef struct generate_args {
    arg_integer rows, seed, features, informative, classes, visits;
    arg_real noise;
    arg_integer bins;
    bool times;
    const char *output, *schema;
} generate_args;

#define AT(field) offsetof(generate_args, field)
#define ROWS_OPTION                                                                                          \
    { "rows", 0, ARG_INTEGER, false, AT(rows), "N", "how many records" }
#define SEED_OPTION                                                                                          \
    { "seed", 0, ARG_INTEGER, false, AT(seed), "N", "the same seed gives the same table" }
#define OUTPUT_OPTION                                                                                        \
    { "output", 'o', ARG_TEXT, false, AT(output), "FILE", "where the CSV goes; standard output unless given" }
#define BINS_OPTION                                                                                          \
    {                                                                                                        \
        "bins", 0, ARG_INTEGER, false, AT(bins), "N",                                                        \
            "write a binned cache with N public bins, 2 to 255, as 'hedgerow bin' does of the table"         \
    }
#define SCHEMA_OPTION                                                                                        \
    {                                                                                                        \
        "schema", 0, ARG_TEXT, false, AT(schema), "FILE",                                                    \
            "where to write the schema that belongs to the table"                                            \
    }
#define FEATURES_OPTION                                                                                      \
    { "features", 0, ARG_INTEGER, false, AT(features), "N", "how many features" }
#define INFORMATIVE_OPTION                                                                                   \
    { "informative", 0, ARG_INTEGER, false, AT(informative), "N", "how many features the label depends on" }

static bool write_stream(void *user, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, (FILE *)user) == size;
}

static hr_status write_generated_table(const hr_generate_options *options, const char *path, hr_error *err) {
    output_file file = {0};
    hr_status status = output_open_public(&file, path, OUTPUT_NEW, err);
    if (status == HR_OK) status = hr_generate(options, write_stream, file.stream, err);
    if (status == HR_OK) status = output_finish(&file, err);
    output_abandon(&file);
    return status;
}

static hr_status write_schema(const hr_generate_options *options, const char *path, hr_error *err) {
    if (path == NULL) return HR_OK;
    char *yaml = NULL;
    hr_status status = hr_generate_schema(options, &yaml, err);
    if (status == HR_OK) status = output_write(output_open_public, path, OUTPUT_NEW, yaml, strlen(yaml), err);
    hr_text_free(yaml);
    return status;
}

static void set_generate_count(uint64_t *target, arg_integer argument) {
    if (argument.given) *target = argument.value;
}

static int generate(const command *self, hr_generator generator, int argc, char **argv) {
    generate_args args = {.output = "-"};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    const named_file schema = {"--schema", args.schema}, table = {"--output", args.output};
    if (!output_apart(self->name, &schema, &table, 1)) return EXIT_USAGE;
    if (args.schema != NULL && is_standard_output(args.schema) && is_standard_output(args.output)) {
        return usage_error(self->name,
                           "table and schema cannot both go to standard output; name a file for one of them");
    }
    if (args.bins.given && (args.bins.value < 2 || args.bins.value > 255 || is_standard_output(args.output)))
        return usage_error(self->name, "--bins: give 2 to 255, and name a file with --output");
    if (args.visits.given && args.visits.value == 0)
        return usage_error(self->name, "--visits: give 1 or more");
    hr_generate_options options;
    hr_generate_options_init(&options, generator);
    set_generate_count(&options.rows, args.rows);
    set_generate_count(&options.seed, args.seed);
    set_generate_count(&options.features, args.features);
    set_generate_count(&options.informative, args.informative);
    set_generate_count(&options.classes, args.classes);
    set_generate_count(&options.visits, args.visits);
    options.times = args.times;
    if (args.noise.given) options.noise = args.noise.value;
    hr_error err = {0};
    hr_status status = output_probe(args.output, OUTPUT_NEW, &err);
    if (status == HR_OK && args.schema != NULL) status = output_probe(args.schema, OUTPUT_NEW, &err);
    if (status == HR_OK) status = write_schema(&options, args.schema, &err);
    if (status == HR_OK)
        status = args.bins.given
                     ? write_generated_bins(&options, (uint32_t)args.bins.value, args.output, &err)
                     : write_generated_table(&options, args.output, &err);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

/* ---- hospital ---- */

static const arg_option hospital_options[] = {
    ROWS_OPTION,
    SEED_OPTION,
    {"visits", 0, ARG_INTEGER, false, AT(visits), "N",
     "1 to N visits of each patient, N up to 1000: a column patient_id says whose, and is the schema's unit"},
    {"times", 0, ARG_FLAG, false, AT(times), NULL,
     "days until the readmission, or until a patient was not followed any more, in place of yes and no"},
    OUTPUT_OPTION,
    BINS_OPTION,
    SCHEMA_OPTION};

static int run_hospital(const command *self, int argc, char **argv) {
    return generate(self, HR_GENERATE_HOSPITAL, argc, argv);
}

const command generate_hospital_command = {
    .name = "generate hospital",
    .summary = "invent patients, and whether they were readmitted",
    .details = "Numbers, integers and categories, some of them missing, and a true model that is not linear.",
    .example = "  hedgerow generate hospital --rows 20000 --seed 1 -o train.csv --schema schema.yaml",
    .options = hospital_options,
    .option_count = COUNT_OF(hospital_options),
    .run = run_hospital,
};

/* ---- classification ---- */

static const arg_option classification_options[] = {
    ROWS_OPTION,
    SEED_OPTION,
    OUTPUT_OPTION,
    BINS_OPTION,
    SCHEMA_OPTION,
    FEATURES_OPTION,
    INFORMATIVE_OPTION,
    {"classes", 0, ARG_INTEGER, false, AT(classes), "N", "how many classes"},
    {"noise", 0, ARG_REAL, false, AT(noise), "P", "the part of labels that is flipped"},
};

static int run_classification(const command *self, int argc, char **argv) {
    return generate(self, HR_GENERATE_CLASSIFICATION, argc, argv);
}

const command generate_classification_command = {
    .name = "generate classification",
    .summary = "clusters of classes on the corners of a hypercube",
    .details = "",
    .example = "  hedgerow generate classification --rows 1000 --seed 1 --classes 3 -o train.csv --schema "
               "schema.yaml",
    .options = classification_options,
    .option_count = COUNT_OF(classification_options),
    .run = run_classification,
};

/* ---- regression ---- */

static const arg_option regression_options[] = {
    ROWS_OPTION,
    SEED_OPTION,
    OUTPUT_OPTION,
    BINS_OPTION,
    SCHEMA_OPTION,
    FEATURES_OPTION,
    INFORMATIVE_OPTION,
    {"noise", 0, ARG_REAL, false, AT(noise), "SIGMA", "standard deviation of the label's noise"},
};

static int run_regression(const command *self, int argc, char **argv) {
    return generate(self, HR_GENERATE_REGRESSION, argc, argv);
}

const command generate_regression_command = {
    .name = "generate regression",
    .summary = "labels that are linear in few of the features",
    .details = "",
    .example = "  hedgerow generate regression --rows 1000 --seed 1 -o train.csv --schema schema.yaml",
    .options = regression_options,
    .option_count = COUNT_OF(regression_options),
    .run = run_regression,
};

/* ---- friedman1 ---- */

static const arg_option friedman1_options[] = {
    ROWS_OPTION,
    SEED_OPTION,
    OUTPUT_OPTION,
    BINS_OPTION,
    SCHEMA_OPTION,
    FEATURES_OPTION,
    {"noise", 0, ARG_REAL, false, AT(noise), "SIGMA", "standard deviation of the label's noise"},
};

static int run_friedman1(const command *self, int argc, char **argv) {
    return generate(self, HR_GENERATE_FRIEDMAN1, argc, argv);
}

const command generate_friedman1_command = {
    .name = "generate friedman1",
    .summary = "Friedman's regression problem: the label depends on five features, not linearly",
    .details = "",
    .example = "  hedgerow generate friedman1 --rows 1000 --seed 1 -o train.csv --schema schema.yaml",
    .options = friedman1_options,
    .option_count = COUNT_OF(friedman1_options),
    .run = run_friedman1,
};
