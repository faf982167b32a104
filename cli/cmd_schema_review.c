/* hedgerow schema review: what awaits a person's decision in a schema, fact by fact, in a terminal or from a
 * pipe. One answer a line; nothing is written before the last one. */
#include "check.h"
#include "commands.h"
#include "input.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_SHOWN = 300, WORDS_MAX = 65535 };

typedef struct review_args {
    const char *schema, *output;
    table_args table;
    bool accept_proposed;
} review_args;

static const arg_option review_options[] = {
    {"SCHEMA", 0, ARG_OPERAND, true, offsetof(review_args, schema), NULL,
     "the schema's file, which is replaced when the review ends"},
    {"output", 'o', ARG_TEXT, false, offsetof(review_args, output), "FILE",
     "where the reviewed schema goes instead; an existing file is not overwritten"},
    {"data", 0, ARG_LIST, false, offsetof(review_args, table.data), "FILE",
     "the table: at the end it is compared with the schema, as 'schema check' does; may be repeated"},
    {"accept-proposed", 0, ARG_FLAG, false, offsetof(review_args, accept_proposed), NULL,
     "accept all that is open as it was read from the records: models are NOT PRIVATE, and no ledger pays"},
    TABLE_OPTIONS(review_args),
};

/* Where answers come from, and what they are about. */
typedef struct review_session {
    hr_schema_review *review;
    char *line;
    size_t size;
    uint64_t lines;
    bool terminal;
} review_session;

/* ---- What is shown ---- */

static void print_values(const char *const *values, size_t count) {
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        shown += strlen(values[i]) + 2;
        if (shown > TEXT_SHOWN) {
            printf(", ... (%zu in all)", count);
            break;
        }
        printf("%s%s", i > 0 ? ", " : " ", values[i]);
    }
}

static void print_day(int64_t second) {
    const time_t time = (time_t)second;
    struct tm parts;
    char text[40] = "?";
    if (gmtime_r(&time, &parts) != NULL) strftime(text, sizeof text, "%Y-%m-%d", &parts);
    fputs(text, stdout);
}

static void print_column(const hr_fact *fact) {
    const hr_column *column = fact->column;
    char low[HR_NUMBER_TEXT], high[HR_NUMBER_TEXT];
    if (fact->place == HR_FACT_UNUSED) {
        fputs("no feature", stdout);
    } else if (column->date != NULL) {
        fputs("date, ", stdout);
        print_day(column->date->from);
        fputs(" to ", stdout);
        print_day(column->date->to);
    } else if (column->event != NULL) {
        printf("time of %s, %zu intervals%s", column->event, column->interval_count,
               column->quantile_cuts ? " between quantiles" : "");
    } else if (column->kind == HR_KIND_NUMBER) {
        hr_number_text(column->low, low);
        hr_number_text(column->high, high);
        printf("%s, %s to %s", column->count ? "count" : column->integer ? "integer" : "number", low, high);
    } else if (column->boolean) {
        fputs("boolean", stdout);
    } else {
        printf("%zu %s:", column->value_count, fact->place == HR_FACT_LABEL ? "classes" : "values");
        print_values(column->values, column->value_count);
    }
}

static void print_fact(const review_session *s, const hr_fact *fact) {
    const char *unit = hr_schema_review_unit(s->review);
    size_t count = 0;
    const char *const *missing = hr_schema_review_missing(s->review, &count);
    printf("\n%s%s\n  proposed: ", fact->name, fact->place == HR_FACT_LABEL ? " (the label)" : "");
    if (fact->place == HR_FACT_MISSING) {
        fputs(count > 0 ? "these words mean that a value is missing:"
                        : "no word means that a value is missing",
              stdout);
        print_values(missing, count);
    } else if (fact->place == HR_FACT_UNIT) {
        printf("%s",
               unit == NULL ? "nothing; whose is a record?" : "records are of one person if they agree in ");
        if (unit != NULL) fputs(unit, stdout);
    } else {
        print_column(fact);
    }
    printf("\n  from:     %s\n", fact->from_name
                                     ? "common knowledge of such a name (a guess), and the records"
                                 : fact->from_records ? "the records"
                                                      : "no source is given");
}

/* ---- Answers ---- */

typedef enum decision { DECIDED, LATER, STOPPED, REFUSED } decision;

/* The next line without outer blanks; NULL: there is none. */
static char *next_answer(review_session *s, const char *prompt) {
    printf("%s", prompt);
    fflush(stdout);
    if (getline(&s->line, &s->size, stdin) < 0) {
        putchar('\n');
        return NULL;
    }
    s->lines++;
    char *text = s->line + strspn(s->line, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL) text[--length] = '\0';
    if (!s->terminal) printf("%s\n", text);
    return text;
}

/* A copy of the next answer; NULL: there is none. Owner: the caller. */
static char *next_text(review_session *s, const char *prompt) {
    const char *text = next_answer(s, prompt);
    return text == NULL ? NULL : strdup(text);
}

static hr_status take_bounds(review_session *s, size_t i, hr_error *err) {
    static const char *const prompts[] = {"  low: ", "  high: "};
    double bounds[2];
    for (size_t k = 0; k < 2; k++) {
        char *end = NULL;
        const char *text = next_answer(s, prompts[k]);
        bounds[k] = text == NULL ? (double)NAN : strtod(text, &end);
        if (text == NULL || *text == '\0' || *end != '\0' || !isfinite(bounds[k]))
            return fail_argument(err, "a bound is a number", "write a number such as 0, -1.5 or 2e6");
    }
    const char *source = next_answer(s, "  source: ");
    return hr_schema_review_bounds(s->review, i, bounds, source, err);
}

static hr_status take_range(review_session *s, size_t i, hr_error *err) {
    char *from = next_text(s, "  first day: "), *to = next_text(s, "  last day: ");
    hr_status status = fail_argument(err, "the range needs two days", "write two days such as 2024-01-31");
    if (from != NULL && to != NULL) {
        const char *source = next_answer(s, "  source: ");
        status = hr_schema_review_range(s->review, i, (const char *const[]){from, to}, source, err);
    }
    free(from);
    free(to);
    return status;
}

/* Words between bars. */
static hr_status take_words(review_session *s, size_t i, hr_error *err) {
    const char **words = calloc(WORDS_MAX + 1, sizeof *words);
    char *text = next_text(s, "  all of them, with | between: ");
    size_t count = 0;
    hr_status status = fail_argument(err, "there are no words", "write them in one line, such as no|yes");
    char *rest = text;
    while (words != NULL && rest != NULL && *rest != '\0' && count < WORDS_MAX) {
        char *const bar = strchr(rest, '|'), *word = rest + strspn(rest, " ");
        if (bar != NULL) *bar = '\0';
        size_t length = strlen(word);
        while (length > 0 && word[length - 1] == ' ') word[--length] = '\0';
        words[count++] = word;
        rest = bar == NULL ? NULL : bar + 1;
    }
    if (words != NULL && text != NULL) {
        const char *source = next_answer(s, "  source: ");
        status = hr_schema_review_values(s->review, i, words, count, source, err);
    }
    free(words);
    free(text);
    return status;
}

static hr_status take_unit(review_session *s, size_t i, hr_error *err) {
    const char *text = next_answer(s, "  the column of persons, or record (each person has one): ");
    if (text == NULL || *text == '\0')
        return fail_argument(err, "the unit is missing", "write the name of a column, or: record");
    return hr_schema_review_set_unit(s->review, i, strcmp(text, "record") == 0 ? NULL : text, err);
}

static hr_status take_typed(review_session *s, size_t i, const hr_fact *fact, hr_error *err) {
    const hr_column *column = fact->column;
    if (fact->place == HR_FACT_UNIT) return take_unit(s, i, err);
    if (fact->place == HR_FACT_MISSING) return take_words(s, i, err);
    if (fact->place == HR_FACT_UNUSED || column->boolean)
        return fail_argument(err, "there is nothing to type for this column",
                             "answer public, accept or leave; to use it otherwise, edit the file");
    if (column->date != NULL) return take_range(s, i, err);
    return column->kind == HR_KIND_NUMBER ? take_bounds(s, i, err) : take_words(s, i, err);
}

/* What follows the word of an answer: "public admission form". */
static hr_status take_public(review_session *s, size_t i, const hr_fact *fact, const char *rest,
                             hr_error *err) {
    if (fact->place == HR_FACT_UNIT) return hr_schema_review_public(s->review, i, NULL, err);
    const char *source = rest;
    if (*source == '\0')
        source = next_answer(s, fact->from_name ? "  source (empty: common knowledge): " : "  source: ");
    if (source != NULL && *source == '\0' && fact->from_name) source = "common knowledge";
    return hr_schema_review_public(s->review, i, source, err);
}

static decision take_answer(review_session *s, size_t i, const hr_fact *fact, hr_error *err) {
    static const char *const words[] = {"public", "type", "accept", "leave", "skip", "quit"};
    const char *text = next_answer(s, "  public, type, accept, leave, skip or quit? ");
    size_t word = 0;
    if (text == NULL) return STOPPED;
    const size_t length = strcspn(text, " \t");
    while (word < COUNT_OF(words) && (length == 0 || strncmp(words[word], text, length) != 0)) word++;
    const char *rest = text + length + strspn(text + length, " \t");
    hr_status status = HR_OK;
    switch (word) {
    case 0: status = take_public(s, i, fact, rest, err); break;
    case 1: status = take_typed(s, i, fact, err); break;
    case 2: status = hr_schema_review_accept(s->review, i, err); break;
    case 3: status = hr_schema_review_leave_out(s->review, i, err); break;
    case 4: return LATER;
    case 5: return STOPPED;
    default:
        status = fail_argument(err, "this is no answer",
                               "write public SOURCE, type, accept, leave, skip or quit, or the first letter");
    }
    return status == HR_OK ? DECIDED : REFUSED;
}

/* Asks about every fact that is open. In a terminal an answer that cannot be taken is asked for again; from a
 * pipe it ends the review. */
static hr_status ask_all(review_session *s, hr_error *err) {
    hr_fact fact;
    for (size_t i = 0; hr_schema_review_at(s->review, i, &fact);) {
        if (!fact.open) {
            i++;
            continue;
        }
        print_fact(s, &fact);
        const decision taken = take_answer(s, i, &fact, err);
        if (taken == STOPPED) return HR_OK;
        if (taken == REFUSED && !s->terminal) {
            snprintf(err->file, sizeof err->file, "standard input");
            snprintf(err->field, sizeof err->field, "%s", fact.name);
            err->line = s->lines;
            return err->status = HR_E_FORMAT;
        }
        if (taken == REFUSED)
            printf("  ! %s; %s\n", err->message, err->remedy);
        else
            i++;
    }
    return HR_OK;
}

static hr_status accept_all(review_session *s, hr_error *err) {
    hr_fact fact;
    for (size_t i = 0; hr_schema_review_at(s->review, i, &fact); i++) {
        const bool nothing = fact.place == HR_FACT_UNIT && hr_schema_review_unit(s->review) == NULL;
        if (!fact.open || nothing) continue;
        const hr_status status = hr_schema_review_accept(s->review, i, err);
        if (status != HR_OK) return status;
    }
    return HR_OK;
}

/* ---- The end ---- */

static void print_names(const review_session *s, bool open, const char *title) {
    hr_fact fact;
    size_t count = 0;
    for (size_t i = 0; hr_schema_review_at(s->review, i, &fact); i++) {
        const bool accepted = fact.from_records && !fact.open;
        if (fact.name == NULL || (open ? !fact.open : !accepted)) continue;
        printf("%s%s", count++ > 0 ? ", " : title, fact.name);
    }
    if (count > 0) putchar('\n');
    if (count == 0 && open) puts("nothing is open");
}

static hr_status write_schema(const review_args *args, const hr_schema *schema, hr_error *err) {
    char *yaml = NULL;
    const bool is_new = args->output != NULL;
    hr_status status = hr_schema_render(schema, &yaml, err);
    if (status == HR_OK)
        status = output_write(output_open, is_new ? args->output : args->schema,
                              is_new ? OUTPUT_NEW : OUTPUT_FORCED, yaml, strlen(yaml), err);
    hr_text_free(yaml);
    return status;
}

static hr_status check_table(const review_args *args, const hr_schema *schema, hr_error *err) {
    hr_data *data = NULL;
    if (args->table.data.count == 0) return HR_OK;
    hr_status status = input_table(schema, &args->table, false, &data, err);
    if (status == HR_OK) {
        putchar('\n');
        status = print_check(data, err);
    }
    hr_data_free(data);
    return status;
}

static hr_status review_schema(const review_args *args, hr_error *err) {
    review_session s = {.terminal = isatty(STDIN_FILENO)};
    hr_schema *before = NULL, *after = NULL;
    hr_status status = input_schema(args->schema, &before, err);
    if (status == HR_OK && args->output != NULL) status = output_probe(args->output, OUTPUT_NEW, err);
    if (status == HR_OK) status = hr_schema_review_open(before, &s.review, err);
    if (status == HR_OK) status = args->accept_proposed ? accept_all(&s, err) : ask_all(&s, err);
    if (status == HR_OK) status = hr_schema_review_make(s.review, &after, err);
    if (status == HR_OK) status = write_schema(args, after, err);
    if (status == HR_OK) {
        putchar('\n');
        print_names(&s, false, "accepted as read from the records, so that models are NOT PRIVATE: ");
        print_names(&s, true, "still open: ");
        status = check_table(args, after, err);
    }
    hr_schema_review_free(s.review);
    hr_schema_free(before);
    hr_schema_free(after);
    free(s.line);
    return status;
}

static int run_schema_review(const command *self, int argc, char **argv) {
    review_args args = {0};
    if (!args_parse(self, argc, argv, &args)) return EXIT_USAGE;
    if (strcmp(args.schema, "-") == 0)
        return usage_error(self->name, "standard input has the answers: name a file for the schema");
    for (size_t i = 0; i < args.table.data.count; i++)
        if (strcmp(args.table.data.items[i], "-") == 0)
            return usage_error(self->name, "standard input has the answers: name a file for the table");
    if (!input_table_usable(self, &args.table, NULL)) return EXIT_USAGE;
    hr_error err = {0};
    return review_schema(&args, &err) == HR_OK ? EXIT_DONE : report_error(self->name, &err);
}

const command schema_review_command = {
    .name = "schema review",
    .summary = "decide about what a schema leaves open",
    .details =
        "Shows every fact that awaits a person, and where it is from. Answers, one a line, from a terminal "
        "or a pipe: 'public SOURCE' (it is publicly known as it stands, and published there), 'type' (the "
        "public "
        "fact follows, one line each, then its source), 'accept' (it stays as it was read from the records: "
        "models are NOT PRIVATE), 'leave' (the column is left out), 'skip', 'quit'; first letters will do. "
        "The file is replaced as a whole at the end, without its comments, also when answers end early; an "
        "answer that cannot be taken is asked for again in a terminal, and from a pipe ends the command with "
        "nothing written. The last "
        "lines name what is still open.",
    .example = "  hedgerow schema review schema.yaml --data train.csv",
    .options = review_options,
    .option_count = COUNT_OF(review_options),
    .run = run_schema_review,
};
