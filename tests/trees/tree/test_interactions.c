/* Which features may meet in a tree: how it is written and read, and which trees obey. */
#include "support/tables.h"
#include "trees/tree/interactions.h"

#include <stdlib.h>
#include <string.h>

/* Features a, "b, c", é, d (a category) and none; label y, unit u, weight w. */
static hr_schema *schema_of_names(void) {
    static const char text[] = "hedgerow-schema: 1\n"
                               "unit: u\n"
                               "weight: {column: w, high: 2}\n"
                               "label: {name: y, kind: classes, values: [n, p]}\n"
                               "features:\n"
                               "  - {name: a, kind: number, low: 0, high: 1}\n"
                               "  - {name: 'b, c', kind: number, low: 0, high: 1}\n"
                               "  - {name: \"\\u00e9\", kind: number, low: 0, high: 1}\n"
                               "  - {name: d, kind: category, values: [k, l]}\n"
                               "  - {name: none, kind: number, low: 0, high: 1}\n";
    hr_schema *schema = NULL;
    hr_error err = {0};
    if (hr_schema_parse(text, sizeof text - 1, "schema", &schema, &err)) fail_msg("%s", err.message);
    return schema;
}

/* ---- Texts ---- */

static void test_interactions__are_written_in_one_way(void **state) {
    (void)state;
    static const char *const texts[][2] = {{"all", ""},
                                           {"", ""},
                                           {"none", "none"},
                                           {"pairs", "pairs"},
                                           {"[[a,'b, c']]", "[[\"a\", \"b, c\"]]"},
                                           {"[[a, b], [c, d, e]]", "[[\"a\", \"b\"], [\"c\", \"d\", \"e\"]]"},
                                           {"- [a, 1]\n- [b, null]\n", "[[\"a\", \"1\"], [\"b\", \"null\"]]"},
                                           {"[[\"q\\\"\", \"\\\\\"]]", "[[\"q\\\"\", \"\\\\\"]]"}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        char out[HR_INTERACTIONS_TEXT], again[HR_INTERACTIONS_TEXT];
        assert_int_equal(hr_interactions_write(texts[i][0], out, NULL), HR_OK);
        assert_string_equal(out, texts[i][1]);
        assert_int_equal(hr_interactions_write(out, again, NULL), HR_OK);
        assert_string_equal(again, out);
        assert_int_equal(hr_interactions_write(again, again, NULL), HR_OK); /* in place */
        assert_string_equal(again, out);
    }
}

typedef struct wrong_text {
    const char *text, *message;
} wrong_text;

static const wrong_text wrong_texts[] = {{"some", "'some' is none of"},
                                         {"None", "'None' is none of"},
                                         {"[", "'[' is none of"},
                                         {"{a: b}", "'{a: b}' is none of"},
                                         {"[]", "no list in the list"},
                                         {"[a, b]", "an item is no list"},
                                         {"[[a, b], c]", "an item is no list"},
                                         {"[[a, b], {c: d}]", "an item is no list"},
                                         {"[[a, b], []]", "a list has no feature"},
                                         {"[[a, b], [c]]", "a list has one feature alone, 'c'"},
                                         {"[[a, [b, c]]]", "an item that is no name"},
                                         {"[[a, {b: c}]]", "an item that is no name"},
                                         {"[[a, '']]", "an item that is no name"},
                                         {"[[a, b, a]]", "has the feature 'a' twice"}};

static void test_interactions__that_are_none_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(wrong_texts); i++) {
        char out[HR_INTERACTIONS_TEXT] = "unchanged";
        hr_error err = {0};
        assert_int_equal(hr_interactions_write(wrong_texts[i].text, out, &err), HR_E_ARGUMENT);
        if (!strstr(err.message, wrong_texts[i].message)) fail_msg("%s", err.message);
        assert_string_equal(err.field, "interactions");
        assert_true(*err.remedy);
        assert_string_equal(out, "unchanged");
    }
}

static void test_interactions__are_no_longer_than_their_room(void **state) {
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        char text[HR_INTERACTIONS_TEXT + 10] = "[[a, ", out[HR_INTERACTIONS_TEXT];
        size_t size = HR_INTERACTIONS_TEXT - 1 - strlen("[[\"a\", \"\"]]") + extra;
        hr_error err = {0};
        memset(text + 5, 'x', size);
        strcpy(text + 5 + size, "]]");
        hr_status status = hr_interactions_write(text, out, &err);
        assert_int_equal(status, extra ? HR_E_ARGUMENT : HR_OK);
        if (extra) assert_non_null(strstr(err.message, "longer than 4095 bytes"));
        if (!extra) assert_int_equal(strlen(out), HR_INTERACTIONS_TEXT - 1);
    }
}

/* ---- Features ---- */

static void test_groups__are_features_of_the_schema(void **state) {
    (void)state;
    hr_schema *schema = schema_of_names();
    hr_arena *arena = hr_arena_new();
    hr_interactions made;
    assert_int_equal(
        hr_interactions_read("[[none, a, d], ['b, c', \"\\u00e9\"]]", schema, arena, &made, NULL), HR_OK);
    static const uint32_t first[] = {0, 3, 4}, second[] = {1, 2};
    assert_true(made.rule == HR_INTERACTIONS_GROUPS && made.group_count == 2);
    assert_true(made.groups[0].count == 3 && !memcmp(made.groups[0].features, first, sizeof first));
    assert_true(made.groups[1].count == 2 && !memcmp(made.groups[1].features, second, sizeof second));
    static const char *const words[] = {"", "all", "none", "pairs"};
    static const hr_interaction_rule rules[] = {HR_INTERACTIONS_ALL, HR_INTERACTIONS_ALL,
                                                HR_INTERACTIONS_NONE, HR_INTERACTIONS_PAIRS};
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_int_equal(hr_interactions_read(words[i], schema, arena, &made, NULL), HR_OK);
        assert_true(made.rule == rules[i] && !made.group_count);
    }
    hr_arena_free(arena);
    hr_schema_free(schema);
}

static void test_names__that_are_no_features_are_refused(void **state) {
    (void)state;
    static const wrong_text wrong[] = {
        {"[[a, b]]", "the schema has no feature 'b'"},
        {"[[a, A]]", "the schema has no feature 'A'"},
        {"[[a, y]]", "'y' is the label, and no feature"},
        {"[[u, a]]", "'u' is the unit, and no feature"},
        {"[[a, d], [w, d]]", "'w' is the weight of the records, and no feature"}};
    hr_schema *schema = schema_of_names();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        hr_error err = {0};
        assert_int_equal(hr_interactions_check(wrong[i].text, schema, &err), HR_E_ARGUMENT);
        if (!strstr(err.message, wrong[i].message)) fail_msg("%s", err.message);
        assert_string_equal(err.field, "interactions");
        assert_true(*err.remedy);
    }
    hr_schema_free(schema);
}

/* ---- Trees ---- */

/* A chain of splits by these features; leaves beside them name other features, which do not count. */
static hr_tree chain(hr_node *nodes, const uint32_t *features, size_t count) {
    for (size_t i = 0; i < 2 * count + 1; i++)
        nodes[i] = (hr_node){.left = i % 2 || i == 2 * count ? 0 : (uint32_t)i + 1,
                             .feature = i % 2 ? 4 : features[i / 2 < count ? i / 2 : 0]};
    return (hr_tree){.nodes = nodes, .node_count = 2 * count + 1};
}

static void test_trees__obey_if_their_features_may_meet(void **state) {
    (void)state;
    static uint32_t two[] = {0, 3}, three[] = {1, 2, 3};
    static hr_feature_group groups[] = {{two, 2}, {three, 3}};
    static const hr_interactions rules[] = {{.rule = HR_INTERACTIONS_ALL},
                                            {.rule = HR_INTERACTIONS_NONE},
                                            {.rule = HR_INTERACTIONS_PAIRS},
                                            {HR_INTERACTIONS_GROUPS, groups, 2}};
    static const struct {
        uint32_t features[4];
        size_t count;
        bool obeys[4]; /* all, none, pairs, groups */
    } cases[] = {{{0}, 0, {true, true, true, true}},           {{4}, 1, {true, true, true, true}},
                 {{4, 4, 4}, 3, {true, true, true, true}},     {{3, 0, 3, 0}, 4, {true, false, true, true}},
                 {{0, 1}, 2, {true, false, true, false}},      {{1, 2, 3, 1}, 4, {true, false, false, true}},
                 {{0, 3, 1}, 3, {true, false, false, false}},  {{1, 2, 2, 4}, 4, {true, false, false, false}},
                 {{3, 3, 3, 4}, 4, {true, false, true, false}}};
    hr_node nodes[COUNT(cases)][9];
    hr_tree trees[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++) {
        trees[i] = chain(nodes[i], cases[i].features, cases[i].count);
        for (size_t r = 0; r < COUNT(rules); r++)
            assert_int_equal(hr_tree_obeys(&trees[i], &rules[r]), cases[i].obeys[r]);
    }
    const hr_forest forest = {.trees = trees, .tree_count = COUNT(cases)};
    static const size_t obey[] = {COUNT(cases), 3, 5, 4};
    for (size_t r = 0; r < COUNT(rules); r++) assert_int_equal(hr_forest_obeys(&forest, &rules[r]), obey[r]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interactions__are_written_in_one_way),
        cmocka_unit_test(test_interactions__that_are_none_are_refused),
        cmocka_unit_test(test_interactions__are_no_longer_than_their_room),
        cmocka_unit_test(test_groups__are_features_of_the_schema),
        cmocka_unit_test(test_names__that_are_no_features_are_refused),
        cmocka_unit_test(test_trees__obey_if_their_features_may_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
