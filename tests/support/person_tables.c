#include "support/person_tables.h"

#include "base/buffer.h"
#include "support/random_numbers.h"

#include <stdio.h>

enum { PERSONS = 40, MOST_RECORDS = 6, DECIMALS = 1000 };

hr_schema *schema_of_text(const char *text) {
    hr_schema *schema = NULL;
    hr_error err = {0};
    if (hr_schema_parse(text, strlen(text), "schema", &schema, &err)) fail_msg("%s", err.message);
    return schema;
}

hr_data *data_of_text(const hr_schema *schema, const char *text) {
    hr_data *data = NULL;
    hr_error err = {0};
    if (hr_data_parse(schema, text, strlen(text), NULL, &data, &err)) fail_msg("%s", err.message);
    return data;
}

static hr_schema *schema_of_classes(size_t classes) {
    static const char *const labels[] = {"kind: number, low: -1, high: 1", NULL,
                                         "kind: classes, values: [a, b]", "kind: classes, values: [a, b, c]"};
    char text[600];
    snprintf(text, sizeof text,
             "hedgerow-schema: 1\nlabel: {name: y, %s}\nfeatures:\n"
             "  - {name: x, kind: number, low: 0, high: 1}\n  - {name: z, kind: number, low: 0, high: 1}\n"
             "  - {name: c, kind: category, values: [u, v, w]}\nunit: who\n",
             labels[classes]);
    return schema_of_text(text);
}

static double unit_number(uint64_t *random) {
    return (double)(next_random(random) % DECIMALS) / DECIMALS;
}

static void add_record(hr_buffer *b, const char *who, size_t classes, bool extreme, uint64_t *random) {
    double x = unit_number(random), z = unit_number(random), y = 2 * unit_number(random) - 1;
    size_t c = next_random(random) % 3, k = classes ? next_random(random) % classes : 0;
    if (extreme) x = z = .999, c = 2, y = 1, k = classes - 1;
    hr_buffer_format(b, "%s,%g,%g,%c,", who, x, z, "uvw"[c]);
    if (classes)
        hr_buffer_format(b, "%c\n", "abc"[k]);
    else
        hr_buffer_format(b, "%g\n", y);
}

static void add_records(hr_buffer *b, const char *who, size_t count, size_t classes, bool extreme,
                        uint64_t *random) {
    for (size_t i = 0; i < count; i++) add_record(b, who, classes, extreme, random);
}

/* The canary's records stand in two places, and it is the last person to be seen. */
static hr_data *table_of(const person_tables *t, size_t classes, const person_canary *canary, uint64_t seed) {
    hr_buffer b = {0};
    uint64_t random = seed, own = seed + 1;
    char who[24], *text = NULL;
    size_t early = canary ? canary->records / 2 : 0;
    hr_buffer_text(&b, "who,x,z,c,y\n");
    for (size_t p = 0; p < PERSONS; p++) {
        snprintf(who, sizeof who, "person %zu", p);
        size_t count = next_random(&random) % MOST_RECORDS;
        add_records(&b, who, 1, classes, false, &random);
        if (canary && p == PERSONS - 1) add_records(&b, "canary", early, classes, canary->extreme, &own);
        add_records(&b, who, count, classes, false, &random);
    }
    if (canary) add_records(&b, "canary", canary->records - early, classes, canary->extreme, &own);
    assert_int_equal(hr_buffer_take(&b, &text, NULL), HR_OK);
    hr_data *data = data_of_text(t->schema, text);
    hr_text_free(text);
    return data;
}

void person_tables_open(person_tables *t, size_t classes, const person_canary *canary, uint64_t seed) {
    t->schema = schema_of_classes(classes);
    t->without = table_of(t, classes, NULL, seed);
    t->with = table_of(t, classes, canary, seed);
}

void person_tables_close(person_tables *t) {
    hr_data_free(t->without);
    hr_data_free(t->with);
    hr_schema_free(t->schema);
}
