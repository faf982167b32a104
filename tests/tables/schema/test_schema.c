/* The schema file format: what is read, what is refused and where the message points. */
#include "tables/schema/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char good[] = "# a remark\n"
                           "hedgerow-schema: 1\n"
                           "label:\n"
                           "  name: \"in come\"\n"
                           "  kind: classes\n"
                           "  values: [\"<=50K\", \">50K\"]\n"
                           "features:\n"
                           "  - name: age\n"
                           "    kind: number\n"
                           "    low: 0\n"
                           "    high: 1.5e2\n"
                           "    integer: true\n"
                           "  - name: \"sex\"\n"
                           "    kind: category\n"
                           "    values: [no, yes, \"a \\\"b\\\"\\n\\u00e9\\u2028\"]\n"
                           "missing: [\"?\", NA]\n";

static hr_schema *parse(const char *text) {
    hr_error err = {0};
    hr_schema *schema = NULL;
    if (hr_schema_parse(text, strlen(text), "s.yaml", &schema, &err)) {
        char message[1200];
        hr_error_format(&err, message, sizeof message);
        fail_msg("%s", message);
    }
    return schema;
}

static void test_parse__reads_every_fact(void **state) {
    (void)state;
    hr_schema *s = parse(good);
    assert_int_equal(hr_schema_task(s), HR_TASK_BINARY);
    const hr_column *label = hr_schema_label(s);
    assert_string_equal(label->name, "in come");
    assert_int_equal(label->kind, HR_KIND_CATEGORY);
    assert_int_equal(label->value_count, 2);
    assert_string_equal(label->values[1], ">50K");
    assert_int_equal(hr_schema_feature_count(s), 2);
    const hr_column *age = hr_schema_feature(s, 0);
    assert_string_equal(age->name, "age");
    assert_int_equal(age->kind, HR_KIND_NUMBER);
    assert_true(age->low == 0 && age->high == 150 && age->integer && !age->review);
    const hr_column *sex = hr_schema_feature(s, 1);
    assert_int_equal(sex->value_count, 3);
    assert_string_equal(sex->values[0], "no");
    assert_string_equal(sex->values[2], "a \"b\"\n\xc3\xa9\xe2\x80\xa8");
    assert_int_equal(hr_schema_missing_count(s), 2);
    assert_string_equal(hr_schema_missing(s, 1), "NA");
    hr_schema_free(s);
}

static void test_parse__knows_the_tasks(void **state) {
    (void)state;
    hr_schema *s = parse("hedgerow-schema: 1\nlabel: {name: y, kind: number, low: -1, high: 1}\nfeatures: "
                         "[{name: x, kind: number, low: 0, high: 1}]");
    assert_int_equal(hr_schema_task(s), HR_TASK_REGRESSION);
    hr_schema_free(s);
    s = parse("hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b, c]}\nfeatures: [{name: x, "
              "kind: number, low: 0, high: 1}]");
    assert_int_equal(hr_schema_task(s), HR_TASK_MULTICLASS);
    hr_schema_free(s);
}

static void test_render__reads_back_to_the_same(void **state) {
    (void)state;
    hr_schema *a = parse(good);
    char *text = NULL, *again = NULL;
    assert_int_equal(hr_schema_render(a, &text, NULL), HR_OK);
    hr_schema *b = parse(text);
    assert_true(hr_schema_same(a, b));
    assert_int_equal(hr_schema_render(b, &again, NULL), HR_OK);
    assert_string_equal(text, again);
    hr_text_free(text);
    hr_text_free(again);
    hr_schema_free(a);
    hr_schema_free(b);
}

static void test_render__keeps_every_bit_of_a_bound(void **state) {
    (void)state;
    static const double bounds[][2] = {
        {0.1, 0.30000000000000004}, {-1.7e308, 4.9e-324}, {1e15, 123456789012345680.0}, {-1e-7, 1.0 / 3}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        hr_column y = {.name = "y", .kind = HR_KIND_NUMBER, .low = bounds[i][0], .high = bounds[i][1]};
        hr_column x = {.name = "x", .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
        hr_schema *s = NULL;
        char *text = NULL;
        assert_int_equal(
            hr_schema_make(&(hr_schema_parts){.label = y, .features = &x, .feature_count = 1}, &s, NULL),
            HR_OK);
        assert_int_equal(hr_schema_render(s, &text, NULL), HR_OK);
        hr_schema *back = parse(text);
        assert_true(hr_schema_label(back)->low == bounds[i][0] &&
                    hr_schema_label(back)->high == bounds[i][1]);
        hr_schema_free(back);
        hr_schema_free(s);
        hr_text_free(text);
    }
}

#define HEAD "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\n"
#define FEATURE "features: [{name: x, kind: number, low: 0, high: 1}]\n"

typedef struct bad_case {
    const char *text;
    int status;
    uint64_t line, column;
    const char *field, *message; /* message: a part of it */
} bad_case;

static const bad_case bad[] = {
    {"", HR_E_FORMAT, 0, 0, "", "empty"},
    {"# only a remark\n", HR_E_FORMAT, 0, 0, "", "empty"},
    {"just text", HR_E_FORMAT, 1, 1, "", "must be a mapping"},
    {"[a, b]", HR_E_FORMAT, 1, 1, "", "must be a mapping"},
    {"label: [", HR_E_FORMAT, 2, 1, "", "not YAML"},
    {"a: b\n c: d\n", HR_E_FORMAT, 2, 3, "", "not YAML"},
    {"\t- x", HR_E_FORMAT, 1, 1, "", "not YAML"},
    {"hedgerow-schema: 1\n", HR_E_FORMAT, 1, 1, "", "'label' is missing"},
    {"label: {}\nfeatures: []\n", HR_E_FORMAT, 1, 1, "", "'hedgerow-schema' is missing"},
    {"hedgerow-schema: 2\nlabel: {}\n", HR_E_FORMAT, 1, 18, "", "unsupported version"},
    {"hedgerow-schema: \"1\"\nlabel: {}\n", HR_E_FORMAT, 1, 18, "", "unsupported version"},
    {HEAD, HR_E_FORMAT, 1, 1, "", "'features' is missing"},
    {HEAD "reviewed: \"true\"\n" FEATURE, HR_E_FORMAT, 3, 11, "", "reviewed"},
    {HEAD "reviewed: maybe\n" FEATURE, HR_E_FORMAT, 3, 11, "", "reviewed"},
    {HEAD "reviewed: true\nreviewed: true\n" FEATURE, HR_E_FORMAT, 4, 1, "", "reviewed"},
    {HEAD "features: []\n", HR_E_FORMAT, 3, 11, "", "no features"},
    {HEAD "features: x\n", HR_E_FORMAT, 3, 11, "", "must be a list"},
    {HEAD "features: [x]\n", HR_E_FORMAT, 3, 12, "", "must be a mapping"},
    {HEAD FEATURE "color: red\n", HR_E_FORMAT, 4, 1, "", "unknown key 'color'"},
    {HEAD FEATURE "label: {}\n", HR_E_FORMAT, 4, 1, "", "'label' is given twice"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, low: 0}]\n", HR_E_FORMAT, 3, 53, "",
     "'low' is given twice"},
    {HEAD "features: [{name: x, kind: number, low: 0, hihg: 1}]\n", HR_E_FORMAT, 3, 44, "",
     "unknown key 'hihg'"},
    {HEAD "features: [{name: x, kind: number, low: 0}]\n", HR_E_FORMAT, 3, 12, "x", "'high' is missing"},
    {HEAD "features: [{kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 12, "", "'name' is missing"},
    {HEAD "features: [{name: x}]\n", HR_E_FORMAT, 3, 12, "x", "'kind' is missing"},
    {HEAD "features: [{name: x, kind: float}]\n", HR_E_FORMAT, 3, 28, "x", "unknown kind 'float'"},
    {HEAD "features: [{name: x, kind: classes, values: [a]}]\n", HR_E_FORMAT, 3, 28, "x",
     "unknown kind 'classes'"},
    {HEAD "features: [{name: x, kind: category}]\n", HR_E_FORMAT, 3, 12, "x", "'values' is missing"},
    {HEAD "features: [{name: x, kind: category, values: []}]\n", HR_E_FORMAT, 3, 46, "x", "without values"},
    {HEAD "features: [{name: x, kind: category, values: a}]\n", HR_E_FORMAT, 3, 46, "x", "must be a list"},
    {HEAD "features: [{name: x, kind: category, values: [a, [b]]}]\n", HR_E_FORMAT, 3, 50, "x",
     "must be a text"},
    {HEAD "features: [{name: x, kind: category, values: [a, '']}]\n", HR_E_FORMAT, 3, 50, "x", "is empty"},
    {HEAD "features: [{name: x, kind: category, values: [a, b, a]}]\n", HR_E_FORMAT, 3, 53, "x",
     "listed twice"},
    {HEAD "features: [{name: x, kind: category, values: [a, ' b']}]\n", HR_E_FORMAT, 3, 50, "x", "blanks"},
    {HEAD "features: [{name: x, kind: category, values: [a], low: 1}]\n", HR_E_FORMAT, 3, 56, "x",
     "does not belong"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, values: [a]}]\n", HR_E_FORMAT, 3, 61, "x",
     "does not belong"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1.5x}]\n", HR_E_FORMAT, 3, 50, "x",
     "'1.5x' is not a number"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: '1'}]\n", HR_E_FORMAT, 3, 50, "x",
     "not a number"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: [1]}]\n", HR_E_FORMAT, 3, 50, "x",
     "must be a number"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1e999}]\n", HR_E_FORMAT, 3, 50, "x", "too large"},
    {HEAD "features: [{name: x, kind: number, low: nan, high: 1}]\n", HR_E_FORMAT, 3, 41, "x",
     "'nan' is not a number"},
    {HEAD "features: [{name: x, kind: number, low: -.inf, high: 1}]\n", HR_E_FORMAT, 3, 41, "x",
     "not a number"},
    {HEAD "features: [{name: x, kind: number, low: 0x1, high: 1}]\n", HR_E_FORMAT, 3, 41, "x",
     "not a number"},
    {HEAD "features: [{name: x, kind: number, low: 1_0, high: 1}]\n", HR_E_FORMAT, 3, 41, "x",
     "not a number"},
    {HEAD "features: [{name: x, kind: number, low: 1, high: 0}]\n", HR_E_FORMAT, 3, 50, "x", "is above high"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 1, high: 1}\nfeatures: []\n", HR_E_FORMAT, 2,
     46, "y", "(1) and high (1) are too near"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: number, low: 0, high: 1e-310}\nfeatures: []\n", HR_E_FORMAT,
     2, 46, "y", "(0) and high (1e-310) are too near"},
    {HEAD "features: [{name: x, kind: number, low: -1e308, high: 1e308}]\n", HR_E_FORMAT, 3, 55, "x",
     "too large"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, integer: yes}]\n", HR_E_FORMAT, 3, 62, "x",
     "true or false"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, integer: true, whole: true}]\n", HR_E_FORMAT,
     3, 75, "x", "another name of the key 'integer'"},
    {HEAD "features: [{name: x, kind: category, values: [a], whole: true}]\n", HR_E_FORMAT, 3, 58, "x",
     "'whole' does not belong"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1}, {name: x, kind: number, low: 0, high: 1}]\n",
     HR_E_FORMAT, 3, 61, "x", "used twice"},
    {HEAD "features: [{name: y, kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "y", "used twice"},
    {HEAD "features: [{name: '', kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "", "name is empty"},
    {HEAD "features: [{name: , kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "", "name is empty"},
    {HEAD "features: [{name: \"a\\0b\", kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "", "NUL"},
    {HEAD "features: [{name: &a x, kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "", "anchors"},
    {HEAD "features: [{name: !!str x, kind: number, low: 0, high: 1}]\n", HR_E_FORMAT, 3, 19, "", "tags"},
    {HEAD "features: *a\n", HR_E_FORMAT, 3, 11, "", "aliases"},
    {HEAD FEATURE "---\nmore: 1\n", HR_E_FORMAT, 4, 1, "", "second document"},
    {HEAD FEATURE "missing: '?'\n", HR_E_FORMAT, 4, 10, "", "must be a list"},
    {HEAD FEATURE "missing: ['?', '?']\n", HR_E_FORMAT, 4, 16, "missing", "listed twice"},
    {HEAD FEATURE "missing: ['?', '']\n", HR_E_FORMAT, 4, 16, "", "is empty"},
    {HEAD FEATURE "missing: [b]\n", HR_E_FORMAT, 2, 45, "y", "also a spelling of missing"},
    {HEAD FEATURE "{a: b}: c\n", HR_E_FORMAT, 4, 1, "", "key must be a single word"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a]}\n" FEATURE, HR_E_FORMAT, 2, 42, "y",
     "only one class"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [1, a, 1.0]}\n" FEATURE, HR_E_FORMAT, 2, 48,
     "y", "same number"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [0, -0.0]}\n" FEATURE, HR_E_FORMAT, 2, 45,
     "y", "same number"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: category, values: [a, b]}\n" FEATURE, HR_E_FORMAT, 2, 24,
     "y", "unknown kind"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, review: low}]\n", HR_E_FORMAT, 3, 61, "x",
     "review must be"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, review: []}]\n", HR_E_FORMAT, 3, 61, "x",
     "review must be"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, review: [values]}]\n", HR_E_FORMAT, 3, 62, "x",
     "no key 'values'"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, review: [low], source: law}]\n", HR_E_FORMAT,
     3, 76, "x", "read from the records have no source"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, source: ''}]\n", HR_E_FORMAT, 3, 61, "x",
     "source"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, source: \" \\t\\n\"}]\n", HR_E_FORMAT, 3, 61,
     "x", "source is blank"},
    {HEAD "features: [{name: x, kind: unused, low: 0}]\n", HR_E_FORMAT, 3, 41, "x", "an unused column"},
    {HEAD "features: [{name: x, kind: unused, review: [low]}]\n", HR_E_FORMAT, 3, 45, "x", "no key 'low'"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1}, {name: x, kind: unused}]\n", HR_E_FORMAT, 3,
     61, "x", "used twice"},
    {HEAD "features: [{name: x, kind: unused}]\n", HR_E_FORMAT, 3, 11, "", "no features"},
    {"hedgerow-schema: 1\nlabel: {name: y, kind: unused}\n" FEATURE, HR_E_FORMAT, 2, 24, "y", "unknown kind"},
    {HEAD FEATURE "review: [label]\n", HR_E_FORMAT, 4, 10, "", "no key 'label'"},
    {HEAD FEATURE "missing: ['?']\nreview: [missing]\nsource: law\n", HR_E_FORMAT, 6, 9, "", "no source"},
    {HEAD "features: [{name: x, kind: number, low: 0, high: 1, review: [missing]}]\n", HR_E_FORMAT, 3, 62,
     "x", "no key 'missing'"},
    {"[[[[[[[[[[[[", HR_E_FORMAT, 1, 9, "", "nested too deeply"},
    {"label: \xe9\n", HR_E_FORMAT, 0, 0, "", "UTF-8"},
    {"label: \x01\n", HR_E_FORMAT, 0, 0, "", "control characters"},
};

static void test_parse__refuses_with_the_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_error err = {0};
        hr_schema *schema = (hr_schema *)&err;
        int status = hr_schema_parse(bad[i].text, strlen(bad[i].text), "s.yaml", &schema, &err);
        char text[1200];
        hr_error_format(&err, text, sizeof text);
        if (status != bad[i].status || err.line != bad[i].line || err.column != bad[i].column ||
            strcmp(err.field, bad[i].field) != 0 ||
            !(strstr(err.message, bad[i].message) || strstr(err.remedy, bad[i].message))) {
            fail_msg("case %zu: status %d: %s", i, status, text);
        }
        assert_string_equal(err.file, "s.yaml");
        assert_ptr_equal(schema, &err);
        assert_int_equal(hr_schema_parse(bad[i].text, strlen(bad[i].text), "s.yaml", &schema, NULL),
                         bad[i].status);
    }
}

static void test_parse__refuses_huge_files(void **state) {
    (void)state;
    size_t size = 16 * 1024 * 1024 + 1;
    char *text = malloc(size);
    hr_error err = {0};
    hr_schema *schema = NULL;
    assert_non_null(text);
    memset(text, '#', size);
    assert_int_equal(hr_schema_parse(text, size, "s.yaml", &schema, &err), HR_E_LIMIT);
    free(text);
}

static void test_parse__takes_a_byte_order_mark_and_crlf(void **state) {
    (void)state;
    hr_schema *s = parse(
        "\xef\xbb\xbfhedgerow-schema: 1\r\nlabel: {name: y, kind: classes, values: [a, b]}\r\n" FEATURE);
    assert_string_equal(hr_schema_label(s)->name, "y");
    hr_schema_free(s);
}

static void test_reviewed__refuses_what_awaits_review(void **state) {
    (void)state;
    hr_error err = {0};
    hr_schema *s = parse(good);
    assert_int_equal(hr_schema_reviewed(s, &err), HR_OK);
    hr_schema_free(s);
    s = parse(HEAD "features: [{name: w, kind: category, values: [q]}, {name: x, kind: number, low: 0, high: "
                   "1, review: [low, high, missing]}]\n"
                   "missing: ['?']");
    assert_true(hr_schema_feature(s, 1)->review);
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "x");
    assert_non_null(strstr(err.remedy, "review"));
    char *text = NULL;
    assert_int_equal(hr_schema_render(s, &text, NULL), HR_OK);
    hr_schema *back = parse(text);
    assert_true(hr_schema_feature(back, 1)->review && !hr_schema_feature(back, 0)->review);
    hr_schema_free(back);
    hr_text_free(text);
    hr_schema_free(s);
    s = parse(
        "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b], review: [values]}\n" FEATURE);
    assert_int_equal(hr_schema_reviewed(s, &err), HR_E_POLICY);
    assert_string_equal(err.field, "y");
    hr_schema_free(s);
}

/* A schema whose feature has so many values. Owner: the caller frees the text. */
static char *schema_of_values(const char *head, int count) {
    char *text = malloc((size_t)count * 8 + 300);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "%s%sfeatures: [{name: w, kind: category, values: [", HEAD, head);
    for (int i = 0; i < count; i++) size += (size_t)sprintf(text + size, "%sv%d", i ? "," : "", i);
    sprintf(text + size, "]}]\n");
    return text;
}

static hr_status reviewed_values(const char *head, int count, hr_error *err) {
    char *text = schema_of_values(head, count), *rendered = NULL;
    hr_schema *s = parse(text);
    hr_status status = hr_schema_reviewed(s, err);
    assert_int_equal(hr_schema_render(s, &rendered, NULL), HR_OK);
    hr_schema *back = parse(rendered);
    assert_int_equal(hr_schema_reviewed(back, NULL), status);
    assert_true(hr_schema_same(s, back));
    hr_schema_free(back);
    hr_schema_free(s);
    hr_text_free(rendered);
    free(text);
    return status;
}

static void test_reviewed__refuses_long_lists(void **state) {
    (void)state;
    hr_error err = {0};
    assert_int_equal(reviewed_values("", 254, NULL), HR_OK);
    assert_int_equal(reviewed_values("", 255, &err), HR_E_POLICY);
    assert_string_equal(err.field, "w");
    assert_non_null(strstr(err.message, "255 values"));
    assert_non_null(strstr(err.remedy, "source"));
    assert_int_equal(reviewed_values("reviewed: false\n", 255, NULL), HR_E_POLICY);
    assert_int_equal(reviewed_values("reviewed: true\n", 255, NULL), HR_OK);
}

/* Parses, renders and parses again: all three must say the same of what is reviewed and public. */
static hr_schema *parse_through(const char *text) {
    hr_schema *first = parse(text), *copy = NULL;
    char *rendered = NULL;
    assert_int_equal(hr_schema_render(first, &rendered, NULL), HR_OK);
    hr_schema *back = parse(rendered);
    assert_int_equal(hr_schema_copy(first, &copy, NULL), HR_OK);
    for (size_t i = 0; i < 2; i++) {
        const hr_schema *other = i ? copy : back;
        hr_error one = {0}, two = {0};
        assert_int_equal(hr_schema_reviewed(first, &one), hr_schema_reviewed(other, &two));
        assert_string_equal(one.field, two.field);
        assert_int_equal(hr_schema_public(first, &one), hr_schema_public(other, &two));
        assert_string_equal(one.message, two.message);
    }
    hr_schema_free(first);
    hr_schema_free(copy);
    hr_text_free(rendered);
    return back;
}

#define MARKED                                                                                               \
    "features: [{name: x, kind: number, low: 0, high: 1, review: [low]}, {name: w, kind: category, values: " \
    "[q]}]\n"
#define SOURCED                                                                                              \
    "features: [{name: x, kind: number, low: 0, high: 1, source: law}, {name: w, kind: category, values: "   \
    "[q], source: manual}]\n"
#define PROPOSED                                                                                             \
    "hedgerow-schema: 1\nreviewed: false\nlabel: {name: y, kind: classes, values: [a, b], source: law}\n"

static void test_reviewed__needs_every_fact_of_a_proposal_to_have_a_source(void **state) {
    (void)state;
    static const struct {
        const char *text, *field; /* that awaits a person; NULL: none */
    } cases[] = {
        {PROPOSED SOURCED, NULL},
        {PROPOSED MARKED, "x"},
        {PROPOSED FEATURE, "x"},
        {PROPOSED SOURCED "missing: ['?']\n", "missing"},
        {PROPOSED SOURCED "missing: ['?']\nsource: manual\n", NULL},
        {PROPOSED SOURCED "missing: ['?']\nreview: [missing]\n", "missing"},
        {PROPOSED SOURCED "missing: []\nreview: [missing]\n", "missing"},
        {PROPOSED SOURCED "missing: []\n", NULL},
        {PROPOSED
         "features: [{name: x, kind: number, low: 0, high: 1, source: law}, {name: id, kind: unused}]\n",
         "id"},
        {PROPOSED
         "features: [{name: x, kind: number, low: 0, high: 1, source: law}, {name: id, kind: unused, "
         "review: [kind]}]\n",
         "id"},
        {PROPOSED
         "features: [{name: id, kind: unused, source: law}, {name: x, kind: number, low: 0, high: 1, "
         "source: law}]\n",
         NULL},
        {"hedgerow-schema: 1\nreviewed: false\nlabel: {name: y, kind: classes, values: [a, b]}\n" SOURCED,
         "y"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_error err = {0};
        hr_schema *s = parse_through(cases[i].text);
        const hr_status wanted = cases[i].field ? HR_E_POLICY : HR_OK;
        if (hr_schema_reviewed(s, &err) != wanted || (wanted && strcmp(err.field, cases[i].field) != 0))
            fail_msg("case %zu: '%s': %s", i, err.field, err.message);
        assert_int_equal(hr_schema_public(s, NULL), wanted);
        hr_schema_free(s);
    }
}

static void test_public__names_all_that_was_accepted(void **state) {
    (void)state;
    hr_error err = {0};
    hr_schema *s =
        parse_through("hedgerow-schema: 1\nreviewed: true\nlabel: {name: y, kind: classes, values: [a, b], "
                      "review: [values]}\n"
                      "features: [{name: t, kind: date, from: 2023-12-30, to: 2024-02-29, parts: [hour, "
                      "day], review: [from]}, "
                      "{name: x, kind: number, low: 0, high: 1}, {name: id, kind: unused, review: [kind]}, "
                      "{name: z, kind: number, low: 0, high: 1, review: [integer, kind], integer: true}]\n"
                      "missing: ['?']\nreview: [missing]\n");
    assert_int_equal(hr_schema_reviewed(s, NULL), HR_OK);
    assert_int_equal(hr_schema_public(s, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": y, t, z, id, the spellings of missing"));
    hr_schema *less = NULL;
    assert_int_equal(hr_schema_without(s, (const char *const[]){"t", "id"}, 2, &less, NULL), HR_OK);
    assert_int_equal(hr_schema_public(less, &err), HR_E_POLICY);
    assert_non_null(strstr(err.message, ": y, z, the spellings of missing"));
    hr_schema_free(less);
    hr_schema_free(s);
}

static void test_unused__may_be_the_unit_and_has_a_name_of_its_own(void **state) {
    (void)state;
    hr_schema *s =
        parse_through(HEAD "features: [{name: x, kind: number, low: 0, high: 1}, {name: id, kind: unused}]\n"
                           "unit: id\n");
    assert_string_equal(hr_schema_unit(s), "id");
    assert_int_equal(hr_schema_feature_count(s), 1);
    hr_schema_free(s);
}

static void test_reviewed__is_decided_at_once_for_all_columns(void **state) {
    (void)state;
    static const char marked[] = "features: [{name: x, kind: number, low: 0, high: 1, review: [low]},"
                                 " {name: w, kind: category, values: [q], review: [values]}]\n";
    char text[500];
    snprintf(text, sizeof text, HEAD "reviewed: true\n%s", marked);
    hr_schema *decided = parse(text);
    snprintf(text, sizeof text, HEAD "reviewed: false\n%s", marked);
    hr_schema *open = parse(text);
    assert_int_equal(hr_schema_reviewed(decided, NULL), HR_OK);
    assert_int_equal(hr_schema_reviewed(open, NULL), HR_E_POLICY);
    assert_true(hr_schema_feature(decided, 0)->review && hr_schema_feature(decided, 1)->review);
    assert_true(hr_schema_same(decided, open));
    hr_schema_free(decided);
    hr_schema_free(open);
}

static void test_parse__whole_is_another_name_of_integer(void **state) {
    (void)state;
    hr_schema *a = parse(HEAD "features: [{name: x, kind: number, low: 0, high: 9, integer: true}]\n");
    hr_schema *b = parse(HEAD "features: [{name: x, kind: number, low: 0, high: 9, whole: true}]\n");
    assert_true(hr_schema_feature(b, 0)->integer);
    assert_true(hr_schema_same(a, b));
    hr_schema_free(a);
    hr_schema_free(b);
}

static void test_same__sees_every_difference(void **state) {
    (void)state;
    static const char *const others[] = {
        "hedgerow-schema: 1\nlabel: {name: z, kind: classes, values: [a, b]}\n" FEATURE,
        "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [b, a]}\n" FEATURE,
        "hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b, c]}\n" FEATURE,
        HEAD "features: [{name: x2, kind: number, low: 0, high: 1}]\n",
        HEAD "features: [{name: x, kind: number, low: -1, high: 1}]\n",
        HEAD "features: [{name: x, kind: number, low: 0, high: 2}]\n",
        HEAD "features: [{name: x, kind: number, low: 0, high: 1, integer: true}]\n",
        HEAD "features: [{name: x, kind: category, values: [a]}]\n",
        HEAD
        "features: [{name: x, kind: number, low: 0, high: 1}, {name: z, kind: number, low: 0, high: 1}]\n",
        HEAD FEATURE "missing: ['?']\n",
    };
    hr_schema *a = parse(HEAD FEATURE), *copy = NULL;
    assert_int_equal(hr_schema_copy(a, &copy, NULL), HR_OK);
    assert_true(hr_schema_same(a, copy));
    hr_schema_free(copy);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        hr_schema *b = parse(others[i]);
        assert_false(hr_schema_same(a, b));
        assert_false(hr_schema_same(b, a));
        hr_schema_free(b);
    }
    hr_schema_free(a);
}

static void test_make__checks_and_copies(void **state) {
    (void)state;
    char name[] = "x";
    const char *values[] = {"a", "b"};
    hr_column label = {.name = "y", .kind = HR_KIND_CATEGORY, .value_count = 2, .values = values};
    hr_column feature = {.name = name, .kind = HR_KIND_NUMBER, .low = 0, .high = 1};
    hr_schema *s = NULL;
    hr_error err = {0};
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &s,
                       &err),
        HR_OK);
    name[0] = '!';
    values[0] = "!";
    assert_string_equal(hr_schema_feature(s, 0)->name, "x");
    assert_string_equal(hr_schema_label(s)->values[0], "a");
    hr_schema_free(s);
    s = NULL;
    static const char *const not_utf8[] = {
        "\xc0\x80", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
        "\x80",     "\xc3("};
    for (size_t i = 0; i < sizeof not_utf8 / sizeof *not_utf8; i++) {
        values[0] = not_utf8[i];
        assert_int_equal(
            hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &s,
                           &err),
            HR_E_FORMAT);
        assert_string_equal(err.field, "y");
        assert_non_null(strstr(err.message, "UTF-8"));
    }
    values[0] = "a";
    feature.name = NULL;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &s,
                       &err),
        HR_E_FORMAT);
    feature.name = "x";
    feature.high = -1;
    assert_int_equal(
        hr_schema_make(&(hr_schema_parts){.label = label, .features = &feature, .feature_count = 1}, &s,
                       &err),
        HR_E_FORMAT);
    assert_string_equal(err.field, "x");
    assert_int_equal(hr_schema_make(&(hr_schema_parts){.label = label}, &s, &err), HR_E_FORMAT);
    assert_null(s);
}

#define WORDS(...)                                                                                           \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static hr_schema_builder *builder_of_good(void) {
    hr_schema_builder *b = NULL;
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "age", 0, 150, true, NULL), HR_OK);
    assert_int_equal(hr_schema_label_classes(b, "in come", WORDS("<=50K", ">50K"), NULL), HR_OK);
    assert_int_equal(
        hr_schema_add_category(b, "sex", WORDS("no", "yes", "a \"b\"\n\xc3\xa9\xe2\x80\xa8"), NULL), HR_OK);
    assert_int_equal(hr_schema_add_missing(b, "?", NULL), HR_OK);
    assert_int_equal(hr_schema_add_missing(b, "NA", NULL), HR_OK);
    return b;
}

static void test_build__makes_what_the_file_says(void **state) {
    (void)state;
    hr_schema_builder *b = builder_of_good();
    hr_schema *built = NULL, *more = NULL, *read = parse(good);
    assert_int_equal(hr_schema_build(b, &built, NULL), HR_OK);
    assert_true(hr_schema_same(built, read) && !hr_schema_feature(built, 0)->review);
    hr_error err = {0};
    assert_int_equal(hr_schema_label_number(b, "second", 0, 1, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "in come"));
    for (int i = 0; i < 100; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(hr_schema_add_number(b, name, -i, i, false, NULL), HR_OK);
    }
    assert_int_equal(hr_schema_build(b, &more, NULL), HR_OK);
    hr_schema_builder_free(b);
    assert_int_equal(hr_schema_feature_count(built), 2);
    assert_int_equal(hr_schema_feature_count(more), 102);
    assert_string_equal(hr_schema_feature(more, 101)->name, "x99");
    assert_true(hr_schema_feature(more, 101)->low == -99 && !hr_schema_feature(more, 101)->integer);
    hr_schema_free(built);
    hr_schema_free(more);
    hr_schema_free(read);
    hr_schema_builder_free(NULL);
}

/* Says what the reader says of the same columns in a file. */
static void assert_build_refuses(hr_schema_builder *b, const char *features, const char *missing) {
    char text[400];
    hr_error said = {0}, wanted = {0};
    hr_schema *schema = NULL;
    snprintf(text, sizeof text, HEAD "features: [%s]\nmissing: [%s]\n", features, missing);
    assert_int_equal(hr_schema_label_classes(b, "y", WORDS("a", "b"), NULL), HR_OK);
    assert_int_equal(hr_schema_parse(text, strlen(text), "s.yaml", &schema, &wanted), HR_E_FORMAT);
    assert_int_equal(hr_schema_build(b, &schema, &said), HR_E_FORMAT);
    assert_null(schema);
    assert_string_equal(said.message, wanted.message);
    assert_string_equal(said.remedy, wanted.remedy);
    assert_string_equal(said.field, wanted.field);
    hr_schema_builder_free(b);
}

static void test_build__refuses_what_the_reader_refuses(void **state) {
    (void)state;
    static const struct {
        const char *name, *features;
        double low, high;
    } numbers[] = {{"x", "{name: x, kind: number, low: 1, high: 0}", 1, 0},
                   {"y", "{name: y, kind: number, low: 0, high: 1}", 0, 1},
                   {" x", "{name: ' x', kind: number, low: 0, high: 1}", 0, 1},
                   {"x", "{name: x, kind: number, low: -1e308, high: 1e308}", -1e308, 1e308}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hr_schema_builder *b = NULL;
        assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
        assert_int_equal(
            hr_schema_add_number(b, numbers[i].name, numbers[i].low, numbers[i].high, false, NULL), HR_OK);
        assert_build_refuses(b, numbers[i].features, "");
    }
    hr_schema_builder *b[4] = {NULL};
    for (size_t i = 0; i < 4; i++) assert_int_equal(hr_schema_builder_new(&b[i], NULL), HR_OK);
    assert_build_refuses(b[0], "", "");
    assert_int_equal(hr_schema_add_category(b[1], "x", WORDS("a", "b", "a"), NULL), HR_OK);
    assert_build_refuses(b[1], "{name: x, kind: category, values: [a, b, a]}", "");
    assert_int_equal(hr_schema_add_category(b[2], "x", NULL, 0, NULL), HR_OK);
    assert_build_refuses(b[2], "{name: x, kind: category, values: []}", "");
    assert_int_equal(hr_schema_add_category(b[3], "x", WORDS("a", "NA"), NULL), HR_OK);
    assert_int_equal(hr_schema_add_missing(b[3], "NA", NULL), HR_OK);
    assert_build_refuses(b[3], "{name: x, kind: category, values: [a, NA]}", "NA");
}

static void test_build__needs_names(void **state) {
    (void)state;
    static const char *const names[] = {"", NULL};
    for (size_t i = 0; i < 2; i++) {
        hr_schema_builder *b = NULL;
        hr_schema *schema = NULL;
        hr_error err = {0};
        assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
        assert_int_equal(hr_schema_label_number(b, names[i], 0, 1, NULL), HR_OK);
        assert_int_equal(hr_schema_build(b, &schema, &err), HR_E_FORMAT);
        assert_string_equal(err.message, "the name of a column is empty");
        hr_schema_builder_free(b);
    }
}

static void test_build__needs_a_label(void **state) {
    (void)state;
    hr_schema_builder *b = NULL;
    hr_schema *schema = NULL;
    hr_error err = {0};
    assert_int_equal(hr_schema_builder_new(&b, NULL), HR_OK);
    assert_int_equal(hr_schema_add_number(b, "x", 0, 1, false, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &schema, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "label is missing"));
    assert_int_equal(hr_schema_label_number(b, "y", 1, 1, NULL), HR_OK);
    assert_int_equal(hr_schema_build(b, &schema, &err), HR_E_FORMAT);
    assert_non_null(strstr(err.message, "too near"));
    assert_null(schema);
    hr_schema_builder_free(b);
}

static void test_read__names_the_file(void **state) {
    (void)state;
    char path[] = "schema-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, good, strlen(good)), strlen(good));
    close(fd);
    hr_schema *s = NULL;
    hr_error err = {0};
    assert_int_equal(hr_schema_read(path, &s, &err), HR_OK);
    assert_int_equal(hr_schema_feature_count(s), 2);
    hr_schema_free(s);
    assert_int_equal(truncate(path, 40), 0);
    assert_int_equal(hr_schema_read(path, &s, &err), HR_E_FORMAT);
    assert_string_equal(err.file, path);
    unlink(path);
    assert_int_equal(hr_schema_read(path, &s, &err), HR_E_IO);
    assert_string_equal(err.file, path);
    assert_int_equal(hr_schema_read("/", &s, &err), HR_E_IO);
    hr_schema_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__reads_every_fact),
        cmocka_unit_test(test_parse__knows_the_tasks),
        cmocka_unit_test(test_render__reads_back_to_the_same),
        cmocka_unit_test(test_render__keeps_every_bit_of_a_bound),
        cmocka_unit_test(test_parse__refuses_with_the_place),
        cmocka_unit_test(test_parse__refuses_huge_files),
        cmocka_unit_test(test_parse__takes_a_byte_order_mark_and_crlf),
        cmocka_unit_test(test_reviewed__refuses_what_awaits_review),
        cmocka_unit_test(test_reviewed__refuses_long_lists),
        cmocka_unit_test(test_reviewed__is_decided_at_once_for_all_columns),
        cmocka_unit_test(test_reviewed__needs_every_fact_of_a_proposal_to_have_a_source),
        cmocka_unit_test(test_public__names_all_that_was_accepted),
        cmocka_unit_test(test_unused__may_be_the_unit_and_has_a_name_of_its_own),
        cmocka_unit_test(test_parse__whole_is_another_name_of_integer),
        cmocka_unit_test(test_same__sees_every_difference),
        cmocka_unit_test(test_make__checks_and_copies),
        cmocka_unit_test(test_build__makes_what_the_file_says),
        cmocka_unit_test(test_build__refuses_what_the_reader_refuses),
        cmocka_unit_test(test_build__needs_names),
        cmocka_unit_test(test_build__needs_a_label),
        cmocka_unit_test(test_read__names_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
