#include "federation/roles/terms_difference.h"

#include "tables/schema/schema_difference.h"

#include <stdio.h>
#include <string.h>

static bool is_same(ProtobufCBinaryData a, ProtobufCBinaryData b) {
    return a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len));
}

static int width_of(ProtobufCBinaryData text) {
    return text.len < 80 ? (int)text.len : 80;
}

static bool say(char *text, const char *key, ProtobufCBinaryData file, ProtobufCBinaryData running) {
    snprintf(text, HR_TERMS_DIFFERENCE, "the job file says %s: %.*s, the running job has %.*s", key,
             width_of(file), file.data, width_of(running), running.data);
    return true;
}

static bool differ_in_text(const char *key, ProtobufCBinaryData file, ProtobufCBinaryData running,
                           char *text) {
    return !is_same(file, running) && say(text, key, file, running);
}

static bool differ_in_number(const char *key, double file, double running, char *text) {
    if (file == running) return false;
    snprintf(text, HR_TERMS_DIFFERENCE, "the job file says %s: %.15g, the running job has %.15g", key, file,
             running);
    return true;
}

static bool differ_in_word(const char *key, const char *file, const char *running, char *text) {
    return differ_in_text(key, hr_text_of(file), hr_text_of(running), text);
}

static ProtobufCBinaryData value_of(const Hedgerow__Terms *terms, ProtobufCBinaryData name) {
    for (size_t i = 0; i < terms->n_settings; i++)
        if (is_same(terms->settings[i]->name, name)) return terms->settings[i]->value;
    return hr_text_of("no value");
}

static bool differ_in_settings(const Hedgerow__Terms *file, const Hedgerow__Terms *running, char *text) {
    const Hedgerow__Terms *both[] = {file, running};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < both[side]->n_settings; i++) {
            ProtobufCBinaryData name = both[side]->settings[i]->name;
            char key[80];
            snprintf(key, sizeof key, "options: %.*s", (int)(name.len < 60 ? name.len : 60), name.data);
            if (differ_in_text(key, value_of(file, name), value_of(running, name), text)) return true;
        }
    return false;
}

static bool differ_in_columns(const Hedgerow__Terms *file, const Hedgerow__Terms *running, char *text) {
    if (differ_in_number("a number of columns", (double)file->n_columns, (double)running->n_columns, text))
        return true;
    for (size_t i = 0; i < file->n_columns; i++)
        if (differ_in_text("a column", file->columns[i], running->columns[i], text)) return true;
    return false;
}

static bool differ_in_owners(const Hedgerow__Terms *file, const Hedgerow__Terms *running, char *text) {
    if (differ_in_number("a number of owners", (double)file->n_owners, (double)running->n_owners, text))
        return true;
    for (size_t i = 0; i < file->n_owners; i++)
        if (differ_in_text("an owner", file->owners[i], running->owners[i], text)) return true;
    return false;
}

/* Whether they differ; so does one that cannot be read. */
static bool compare_schemas(ProtobufCBinaryData file, ProtobufCBinaryData running,
                            char text[HR_SCHEMA_DIFFERENCE]) {
    static const hr_schema_sides sides = {"in the job file", "in the running job"};
    hr_schema *one = NULL, *other = NULL;
    hr_status status = hr_schema_parse((const char *)file.data, file.len, "job file", &one, NULL);
    if (!status)
        status = hr_schema_parse((const char *)running.data, running.len, "running job", &other, NULL);
    bool differ = status || hr_schema_difference(one, other, &sides, text);
    hr_schema_free(one);
    hr_schema_free(other);
    return differ;
}

static bool differ_in_schema(ProtobufCBinaryData file, ProtobufCBinaryData running, char *text) {
    char difference[HR_SCHEMA_DIFFERENCE] = "one of the two cannot be read";
    if (is_same(file, running) || !compare_schemas(file, running, difference)) return false;
    snprintf(text, HR_TERMS_DIFFERENCE, "the schema differs: %s", difference);
    return true;
}

bool hr_terms_difference(const Hedgerow__Terms *file, const Hedgerow__Terms *running,
                         char text[HR_TERMS_DIFFERENCE]) {
    static const char *const modes[] = {"sound", "paper"}, *const orders[] = {"chain", "broadcast"};
    return differ_in_text("method", file->method, running->method, text) ||
           differ_in_text("train", file->train, running->train, text) ||
           differ_in_text("model", file->model, running->model, text) ||
           differ_in_word("mode", modes[file->paper != 0], modes[running->paper != 0], text) ||
           differ_in_number("epsilon", file->epsilon, running->epsilon, text) ||
           differ_in_number("delta", file->delta, running->delta, text) ||
           differ_in_number("rounds", file->rounds, running->rounds, text) ||
           differ_in_word("order", orders[file->broadcast != 0], orders[running->broadcast != 0], text) ||
           differ_in_number("vote-last", file->last_slots, running->last_slots, text) ||
           differ_in_number("vote-share", file->vote_share, running->vote_share, text) ||
           differ_in_number("coalition", file->coalition, running->coalition, text) ||
           differ_in_settings(file, running, text) || differ_in_columns(file, running, text) ||
           differ_in_owners(file, running, text) || differ_in_schema(file->schema, running->schema, text);
}
