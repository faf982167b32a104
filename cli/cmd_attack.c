/* hedgerow attack: what others would learn of one's records in systems that do not protect them. */
#include "commands.h"
#include "input.h"
#include "output.h"

#include <hedgerow/attack.h>
#include <math.h>

typedef struct attack_args {
    const char *data, *schema;
    size_t format, scale;
    arg_integer records, tables, seed;
    arg_real width, range;
    bool as_json;
} attack_args;

#define AT(field) offsetof(attack_args, field)

static const arg_option simfl_options[] = {
    {"data", 0, ARG_TEXT, true, AT(data), "FILE", "your records; - is standard input"},
    {"schema", 0, ARG_TEXT, true, AT(schema), "FILE", "their schema"},
    {"records", 0, ARG_INTEGER, false, AT(records), "N",
     "use at most so many records, half of them the victim's; 6000 unless given"},
    {"tables", 0, ARG_INTEGER, false, AT(tables), "N",
     "hashes of a record; 0, the default: one less than dimensions, at most 40"},
    {"width", 0, ARG_REAL, false, AT(width), "R", "width of a hash's cells; 4 unless given"},
    {"range", 0, ARG_REAL, false, AT(range), "R",
     "scale values from their public bounds to -R ... R; 1 unless given"},
    {"scale", 0, ARG_CHOICE, false, AT(scale), "bounds|standard",
     "standard: scale by mean and deviation of the records"},
    {"seed", 0, ARG_INTEGER, false, AT(seed), "N", "of the division and of the public coins; 1 unless given"},
    {"json", 0, ARG_FLAG, false, AT(as_json), NULL, "one JSON object"},
    {"format", 0, ARG_CHOICE, false, AT(format), FORMAT_WORDS, "of the data; auto looks at the content"},
};

typedef struct attack_figure {
    const char *name, *meaning;
    double value;
} attack_figure;

enum { ATTACK_FIGURES = 7 };

static void list_attack_figures(const hr_attack_figures *figures, attack_figure list[ATTACK_FIGURES]) {
    const attack_figure all[ATTACK_FIGURES] = {
        {"r2", "of records estimated from their hashes; 1: exact, 0: a guess", figures->r2},
        {"median_r2", "of the median feature", figures->median_r2},
        {"distinct_hashes", "different hash vectors, for each record", figures->distinct_hashes},
        {"distinct_records", "different records, for each record", figures->distinct_records},
        {"reidentified", "share with hashes that no other record has", figures->reidentified},
        {"alone", "share whose gradients are sent as they are", figures->alone},
        {"label_known", "share whose label the first sums tell exactly", figures->label_known},
    };
    for (size_t i = 0; i < ATTACK_FIGURES; i++) list[i] = all[i];
}

static void print_attack_text(const hr_attack_figures *figures, const attack_figure *list) {
    printf("%zu of the victim's records, attacked with %zu of the attacker's\n", figures->victim,
           figures->attacker);
    printf("%zu dimensions, %zu hashes of each record\n\n", figures->dimensions, figures->tables);
    for (size_t i = 0; i < ATTACK_FIGURES; i++) {
        char value[32] = "-";
        const double rounded = round(1000 * list[i].value) / 1000 + 0.0; /* no -0 */
        if (!isnan(rounded)) snprintf(value, sizeof value, "%.3f", rounded);
        printf("%-16s  %6s  %s\n", list[i].name, value, list[i].meaning);
    }
    puts("\nDo not publish this: it tells about your records.");
}

static void print_attack_json(const hr_attack_figures *figures, const attack_figure *list) {
    json_writer json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_exact_rows(&json, "attacker", figures->attacker);
    json_exact_rows(&json, "victim", figures->victim);
    json_integer(&json, "dimensions", figures->dimensions);
    json_integer(&json, "tables", figures->tables);
    for (size_t i = 0; i < ATTACK_FIGURES; i++) json_number(&json, list[i].name, list[i].value);
    json_close(&json, '}');
    putchar('\n');
}

static void set_attack_count(uint64_t *target, arg_integer argument) {
    if (argument.given) *target = argument.value;
}

static hr_attack_options attack_options_of(const attack_args *args) {
    hr_attack_options options = HR_ATTACK_OPTIONS_INIT;
    set_attack_count(&options.records, args->records);
    set_attack_count(&options.tables, args->tables);
    set_attack_count(&options.seed, args->seed);
    if (args->width.given) options.width = args->width.value;
    if (args->range.given) options.range = args->range.value;
    options.scale = args->scale == 0 ? HR_ATTACK_SCALE_BOUNDS : HR_ATTACK_SCALE_STANDARD;
    return options;
}

static int run_attack_simfl(const command *self, int argc, char **argv) {
    attack_args args = {0};
    if (!args_parse(self, argc, argv, &args) || !input_only_once(self->name, args.schema, args.data))
        return EXIT_USAGE;
    if (args.scale != 0 && args.range.given)
        return usage_error(self->name, "--range is for --scale bounds; leave out one of them");
    const hr_attack_options options = attack_options_of(&args);
    hr_error err = {0};
    hr_schema *schema = NULL;
    hr_data *data = NULL;
    hr_attack_figures figures;
    hr_status status = input_schema(args.schema, &schema, &err);
    if (status == HR_OK) status = input_data(schema, args.data, args.format, true, &data, &err);
    if (status == HR_OK) status = hr_attack_simfl(data, &options, &figures, &err);
    if (status == HR_OK) {
        attack_figure list[ATTACK_FIGURES];
        list_attack_figures(&figures, list);
        (args.as_json ? print_attack_json : print_attack_text)(&figures, list);
    }
    hr_data_free(data);
    hr_schema_free(schema);
    return status == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command attack_simfl_command = {
    .name = "attack simfl",
    .summary = "what SimFL would tell another owner about your records",
    .details =
        "Reads your own records; its output tells about them; do not publish. Divides the records at random "
        "between an attacker and a victim, and prints what the attacker learns of the victim's records from "
        "what SimFL shows it: their hashes and their sums of gradients. Nothing is sent, and no budget is "
        "spent. Records need no labels; label_known is '-' without them, without two classes, or if all "
        "labels are equal. docs/explanation/simfl.md explains the figures.",
    .example = "  hedgerow attack simfl --data train.csv --schema schema.yaml",
    .options = simfl_options,
    .option_count = COUNT_OF(simfl_options),
    .run = run_attack_simfl,
};
