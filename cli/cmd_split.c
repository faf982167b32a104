/* hedgerow split: one table as a part for training and one for tests. */
#include "commands.h"
#include "input.h"
#include "output.h"
#include "places.h"

typedef struct split_args {
    const char *train, *test, *unit;
    table_args table;
    arg_real share;
    arg_integer seed;
    bool force;
} split_args;

#define AT(field) offsetof(split_args, field)

static const arg_option split_options[] = {
    {"data", 0, ARG_LIST, true, AT(table.data), "FILE", "the table; - is standard input"},
    {"train", 0, ARG_TEXT, true, AT(train), "FILE",
     "where the part for training goes, readable by its owner alone"},
    {"test", 0, ARG_TEXT, true, AT(test), "FILE", "where the part for tests goes, likewise"},
    {"share", 0, ARG_REAL, false, AT(share), "X",
     "about how much of the records, or units, goes to the part for tests, above 0 and below 1; 0.2 unless "
     "given"},
    {"unit", 0, ARG_TEXT, false, AT(unit), "COLUMN",
     "the column that says whose a record is: all records of one person are in one part"},
    {"seed", 0, ARG_INTEGER, false, AT(seed), "N",
     "split so again, or other tables of these units alike; secret coins unless given"},
    {"force", 0, ARG_FLAG, false, AT(force), NULL, "replace the files that are there"},
    {"format", 0, ARG_CHOICE, false, AT(table.format), FORMAT_WORDS,
     "of the table; auto looks at the content"},
    CELL_OPTIONS(split_args),
};

static bool split_args_usable(const command *self, const split_args *args) {
    const named_file train = {"--train", args->train}, test = {"--test", args->test};
    named_file others[TABLE_FILES_MAX + 1] = {{"--train", args->train}};
    const size_t count = input_table_files(&args->table, others + 1);
    if (args->table.data.count > 1) {
        usage_error(self->name, "--data: give one table; with one --seed and --unit others are split alike");
        return false;
    }
    if (args->share.given && !(args->share.value > 0 && args->share.value < 1)) {
        usage_error(self->name, "--share: give a number above 0 and below 1, such as 0.2");
        return false;
    }
    if (is_standard_output(args->train) && is_standard_output(args->test)) {
        usage_error(self->name, "--train and --test both write to standard output; name a file for one");
        return false;
    }
    return input_table_usable(self, &args->table, NULL) &&
           output_apart(self->name, &train, others + 1, count) &&
           output_apart(self->name, &test, others, 1 + count);
}

/* `user`: the files of both parts, that for training first. */
static hr_status write_part(void *user, bool test, const char *bytes, size_t size, hr_error *err) {
    const output_file *file = (output_file *)user + test;
    if (fwrite(bytes, 1, size, file->stream) == size) return HR_OK;
    return fail_io(err, file->path, "cannot be written", "choose another place, or free some space");
}

static hr_status open_parts(const split_args *args, output_file parts[2], hr_error *err) {
    const output_rule rule = args->force ? OUTPUT_FORCED : OUTPUT_UNFORCED;
    hr_status status = output_probe(args->train, rule, err);
    if (status == HR_OK) status = output_probe(args->test, rule, err);
    if (status == HR_OK) status = output_open(&parts[0], args->train, rule, err);
    if (status == HR_OK) status = output_open(&parts[1], args->test, rule, err);
    return status;
}

static hr_status split_table(const split_args *args, hr_split_counts *counts, hr_error *err) {
    output_file parts[2] = {{0}, {0}};
    const hr_read_options reading = input_table_options(&args->table);
    hr_split_options options = HR_SPLIT_OPTIONS_INIT;
    options.reading = &reading;
    options.unit = args->unit;
    options.write = write_part;
    options.user = parts;
    if (args->share.given) options.share = args->share.value;
    if (args->seed.given) options.seed = &args->seed.value;
    hr_status status = open_parts(args, parts, err);
    if (status == HR_OK) status = hr_table_split(args->table.data.items[0], &options, counts, err);
    for (size_t i = 0; status == HR_OK && i < 2; i++) status = output_finish(&parts[i], err);
    output_abandon(&parts[0]);
    output_abandon(&parts[1]);
    return status;
}

static int run_split(const command *self, int argc, char **argv) {
    split_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !split_args_usable(self, &args)) return EXIT_USAGE;
    hr_error err = {0};
    hr_split_counts counts;
    if (split_table(&args, &counts, &err) != HR_OK) return report_error(self->name, &err);
    fprintf(stderr, "hedgerow split: records for training (" EXACT_ROWS "): %llu, for tests: %llu\n",
            (unsigned long long)counts.train, (unsigned long long)counts.test);
    return EXIT_DONE;
}

const command split_command = {
    .name = "split",
    .summary = "divide a table into a part for training and a part for tests",
    .details =
        "Each record goes to one part, byte for byte; the header, and what stands before it, to both, so "
        "that the parts are read with the options of the table. With --unit all records of a person are in "
        "one "
        "part: in a test on people whose other records were trained on, a model looks better than it is. The "
        "side of a person is a keyed hash of the cell.",
    .example = "  hedgerow split --data stays.csv --unit patient --train train.csv --test test.csv",
    .options = split_options,
    .option_count = COUNT_OF(split_options),
    .run = run_split,
    .once = true,
};
