/* Proposals of schemas for small tables in memory; the label is called y. */
#ifndef HR_TESTS_SUPPORT_PROPOSAL_CHECKS_H
#define HR_TESTS_SUPPORT_PROPOSAL_CHECKS_H

#include "support/reader_checks.h"

#include <unistd.h>

/* Owner: the caller frees the result with hr_text_free. */
static char *must_propose(const char *table) {
    char path[] = "propose-XXXXXX", *yaml = NULL;
    hr_error err = {0};
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, table, strlen(table)) != (ssize_t)strlen(table)) abort();
    close(fd);
    if (hr_schema_infer(path, HR_FORMAT_AUTO, "y", &yaml, &err)) fail_msg("%s: %s", err.field, err.message);
    unlink(path);
    return yaml;
}

/* The proposal must parse, and read its table without a clipped or unknown cell. */
static void expect_fit(const char *yaml, const char *table) {
    hr_schema *schema = must_schema(yaml);
    hr_data *data = must_parse(schema, table, strlen(table), HR_FORMAT_CSV);
    for (size_t i = 0; i <= hr_schema_feature_count(schema); i++) {
        const hr_column_report *r = hr_data_report(data, i);
        if (r->out_of_range || r->not_integer || r->unknown) fail_msg("does not fit its table:\n%s", yaml);
    }
    hr_data_free(data);
    hr_schema_free(schema);
}

/* The proposal for a table must have the text, and fit. */
static inline void expect_proposal(const char *table, const char *text) {
    char *yaml = must_propose(table);
    if (!strstr(yaml, text)) fail_msg("no\n%s\nin\n%s", text, yaml);
    expect_fit(yaml, table);
    hr_text_free(yaml);
}

/* The proposal for a table must not have the text, and fit. */
static inline void expect_no_proposal(const char *table, const char *text) {
    char *yaml = must_propose(table);
    if (strstr(yaml, text)) fail_msg("'%s' in\n%s", text, yaml);
    expect_fit(yaml, table);
    hr_text_free(yaml);
}

enum { PROPOSAL_ROWS = 3000 };

/* A table of PROPOSAL_ROWS records with the columns x, z and y and the separator ';'. Record i of x is
 * `format` with i % modulo; every step-th one, from the first on, has the next of `words` instead
 * (NULL-ended; NULL: no words). z is `beside`, or 0 and 1. Owner: the caller. */
typedef struct proposal_recipe {
    const char *name, *format;
    int modulo, step;
    const char *const *words;
    const char *beside;
} proposal_recipe;

static inline char *make_table(const proposal_recipe *r) {
    char *table = must_alloc((size_t)PROPOSAL_ROWS * 80 + 100);
    size_t size = (size_t)sprintf(table, "%s;z;y\n", r->name), word = 0;
    for (int i = 0; i < PROPOSAL_ROWS; i++) {
        const bool odd = r->words && r->step && i % r->step == 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (odd)
            size += (size_t)sprintf(table + size, "%s", r->words[word]);
        else
            size += (size_t)sprintf(table + size, r->format, i % r->modulo, i % r->modulo, i % r->modulo);
#pragma GCC diagnostic pop
        if (odd && !r->words[++word]) word = 0;
        if (r->beside)
            size += (size_t)sprintf(table + size, ";%s;%s\n", r->beside, i * 7 % 3 ? "a" : "b");
        else
            size += (size_t)sprintf(table + size, ";%d;%s\n", i % 2, i * 7 % 3 ? "a" : "b");
    }
    return table;
}

/* As expect_proposal and expect_no_proposal, of a recipe. */
static inline void expect_recipe(const proposal_recipe *recipe, const char *text) {
    char *table = make_table(recipe);
    expect_proposal(table, text);
    free(table);
}

static inline void expect_no_recipe(const proposal_recipe *recipe, const char *text) {
    char *table = make_table(recipe);
    expect_no_proposal(table, text);
    free(table);
}

#endif
