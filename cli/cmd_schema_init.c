/* hedgerow schema init: a proposal of the public facts about a table, which a person must review. */
#include "commands.h"
#include "input.h"
#include "output.h"
#include "places.h"

#include <string.h>

typedef struct schema_init_args {
    const char *label, *output, *dictionary;
    table_args table;
} schema_init_args;

static const arg_option init_options[] = {
    {"data", 0, ARG_LIST, true, offsetof(schema_init_args, table.data), "FILE",
     "the table to look at; - is standard input; may be repeated"},
    {"label", 0, ARG_TEXT, true, offsetof(schema_init_args, label), "NAME", "the column to be predicted"},
    {"output", 'o', ARG_TEXT, false, offsetof(schema_init_args, output), "FILE",
     "where the schema goes; standard output unless given"},
    {"dictionary", 0, ARG_TEXT, false, offsetof(schema_init_args, dictionary), "FILE",
     "public facts about columns: CSV with name,low,high,integer,values,missing,source; values are separated "
     "by | "
     "or ;"},
    TABLE_OPTIONS(schema_init_args),
    EQUAL_OPTION(schema_init_args),
};

static hr_status init_schema(const schema_init_args *args, hr_error *err) {
    const hr_read_options reading = input_table_options(&args->table);
    char *yaml = NULL, *notes = NULL;
    hr_infer_options options = HR_INFER_OPTIONS_INIT;
    options.reading = &reading;
    options.label = args->label;
    options.dictionary = args->dictionary;
    options.notes = &notes;
    hr_status status = output_probe(args->output, OUTPUT_NEW, err);
    if (status == HR_OK)
        status = hr_schema_infer_all((const char *const *)args->table.data.items, args->table.data.count,
                                     &options, &yaml, err);
    if (status == HR_OK)
        status = output_write(output_open, args->output, OUTPUT_NEW, yaml, strlen(yaml), err);
    if (status == HR_OK && *notes != '\0')
        fprintf(stderr, "Columns that may say whose a record is (exact counts, for the owner's eyes):\n%s",
                notes);
    hr_text_free(notes);
    hr_text_free(yaml);
    return status;
}

static int run_schema_init(const command *self, int argc, char **argv) {
    schema_init_args args = {.output = "-"};
    if (!args_parse(self, argc, argv, &args) || !input_table_usable(self, &args.table, args.dictionary))
        return EXIT_USAGE;
    const named_file output = {"--output", args.output};
    named_file inputs[TABLE_FILES_MAX + 1] = {{"--dictionary", args.dictionary}};
    if (!output_apart(self->name, &output, inputs, 1 + input_table_files(&args.table, inputs + 1)))
        return EXIT_USAGE;
    hr_error err = {0};
    if (init_schema(&args, &err) != HR_OK) return report_error(self->name, &err);
    fputs("What the lines marked REVIEW name was read from the records, or guessed from a name. Replace it "
          "by what is publicly known, and each of\n"
          "these lines by its source, or let 'hedgerow schema review' ask you; training refuses a schema in "
          "which a mark is left. A data dictionary\n(--dictionary) states public facts at once.\n",
          stderr);
    return EXIT_DONE;
}

const command schema_init_command = {
    .name = "schema init",
    .summary = "propose a schema for a table",
    .details =
        "Infers the kind of every column. Kinds, bounds and lists of values are read from the data and "
        "marked REVIEW: they are private until a person has replaced them by public facts with their "
        "source, such as those of a data dictionary. Bounds of columns such as age, hour or percent are "
        "common knowledge, as a guess. Words between numbers or dates, and codes for missing such as -9, are "
        "listed as missing, with their number of cells. Columns that seem to identify persons or records, "
        "free text and constants are proposed as unused, with the reason. A column that seems to say whose a "
        "record is, by its name or its values, is proposed as the unit; 'schema review' asks for it. An "
        "existing file is not overwritten.",
    .example = "  hedgerow schema init --data train.csv --label readmitted -o schema.yaml",
    .options = init_options,
    .option_count = COUNT_OF(init_options),
    .run = run_schema_init,
};
