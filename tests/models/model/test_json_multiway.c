/* Splits with a child for every bin, in model files: what they mean, and what must not pass for one. */
#include "support/model_files.h"

/* Cells that no schema lists, missing ones and edges among them. */
static void test_golden__version_2_multiway_predicts(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2-multiway.json");
    static const char csv[] =
        "age,size,ward\n,1,a\n18,1,zz\n18,1,a\n1,1,\n17,1,c\n18.5,1,c\n37.5,1,b\n30,1,zz\n38,NA,a\n90,2,b\n";
    static const double expected[] = {-.4375, .1875, .3125, .1875, .5625, -.125, -.25, -.25, -.375, .75};
    const hr_read_options options = {.size = sizeof options, .format = HR_FORMAT_CSV, .label_optional = true};
    hr_data *data = NULL;
    hr_error err = {0};
    double out[COUNT(expected)];
    if (hr_data_parse(hr_model_schema(model), csv, strlen(csv), &options, &data, &err))
        fail_msg("%s", err.message);
    assert_int_equal(hr_model_predict(model, data, 1, out, NULL), HR_OK);
    for (size_t i = 0; i < COUNT(expected); i++)
        if (out[i] != expected[i] + 1. / 64)
            fail_msg("record %zu: %g, wanted %g", i, out[i], expected[i] + 1. / 64);
    hr_data_free(data);
    hr_model_free(model);
}

static void test_golden__version_2_multiway_keeps_its_bytes(void **state) {
    (void)state;
    char *text = read_golden("model-2-multiway.json");
    hr_model *model = parse_model(text);
    char *again = render(model);
    assert_string_equal(strstr(again, "\"method\""),
                        strstr(text, "\"method\"")); /* what comes before names the library */
    hr_text_free(again);
    hr_model_free(model);
    free(text);
}

/* Nodes 0 (bins of age: children 1..4), 2 (of ward: 5..8), 3 (two-way: 9, 10) and 4 (of size: 11, 12) split;
 * there are 13. */
static void test_parse__refuses_bad_multiway_splits(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"[[1,0,[", "[[0,0,[", "trees[0].nodes[0][0]", "after their parent"},
        {"[5,2]", "[2,2]", "trees[0].nodes[2][0]", "after their parent"},
        {"[5,2]", "[3,2]", "trees[0].nodes[2][0]", "two parents"},
        {"[5,2]", "[6,2]", "trees[0].nodes[3][0]", "two parents"},
        {"[9,2,0]", "[8,2,0]", "trees[0].nodes[3][0]", "two parents"},
        {"[9,2,0]", "[9,2]", "trees[0].nodes[4][0]", "two parents"},
        {"[11,1,[]]", "[10,1,[]]", "trees[0].nodes[4][0]", "two parents"},
        {"[11,1,[]]", "[12,1,[]]", "trees[0].nodes[4][0]", "a child is missing"},
        {"[5,2]", "[10,2]", "trees[0].nodes[2][0]", "a child is missing"},
        {"[5,2]", "[4294967295,2]", "trees[0].nodes[2][0]", "a child is missing"},
        {"[5,2]", "[4294967292,2]", "trees[0].nodes[2][0]", "a child is missing"},
        {"[5,2]", "[4294967296,2]", "trees[0].nodes[2][0]", "not between"},
        {"[5,2]", "[-5,2]", "trees[0].nodes[2][0]", "not between"},
        {"[5,2]", "[5,3]", "trees[0].nodes[2][1]", "not between 0 and 2"},
        {"[5,2]", "[5,-1]", "trees[0].nodes[2][1]", "not between 0 and 2"},
        {"[5,2]", "[5.0,2]", "trees[0].nodes[2][0]", "must be an integer"},
        {"[5,2]", "[5,null]", "trees[0].nodes[2][1]", "must be an integer"},
        {"[5,2]", "[5,1,[]]", "trees[0].nodes[7]", "no parent"},
        {"[5,2]", "[5]", "trees[0].nodes[5]", "no parent"},
        {"[5,2]", "[5,2,0,1]", "trees[0].nodes[2]", "has 3 entries, or 2"},
        {"[11,1,[]]", "[11,1,0]", "trees[0].nodes[4]", "has 4 entries, or 3 with a list"},
        {"\"b\", \"c\"", "\"b\", \"c\", \"d\"", "trees[0].nodes[3][0]", "two parents"},
        {"[18,37.5]", "[18]", "trees[0].nodes[4]", "no parent"},
        {"[18,37.5]", "[18,37.5,40]", "trees[0].nodes[2][0]", "two parents"},
        {"[18,37.5]", "[37.5,18]", "trees[0].nodes[0][2]", "must ascend"},
        {"[18,37.5]", "[18,18]", "trees[0].nodes[0][2]", "must ascend"},
        {"[18,37.5]", "[18,\"inf\"]", "trees[0].nodes[0][2][1]", "must be a number"},
        {"[18,37.5]", "[18,null]", "trees[0].nodes[0][2][1]", "must be a number"},
        {"[18,37.5]", "{}", "trees[0].nodes[0]", "has 4 entries, or 3 with a list"},
        {",[0.75]]", "]", "trees[0].nodes[4][0]", "a child is missing"},
        {"[0.75]]", "[0.75],[0.5]]", "trees[0].nodes[13]", "no parent"},
    };
    assert_refused("model-2-multiway.json", forgeries, COUNT(forgeries));
}

/* What no file can say, but a method might. */
static void test_check__refuses_a_multiway_split_of_other_bins(void **state) {
    (void)state;
    hr_model *model = parse_golden("model-2-multiway.json");
    hr_node *node = &model->forest.trees[0].nodes[2];
    for (uint16_t branches = 1; branches <= 5; branches++) {
        hr_error err = {0};
        node->branches = branches;
        assert_int_equal(hr_model_check(model, &err), branches == 4 ? HR_OK : HR_E_FORMAT);
        if (branches == 4) continue;
        assert_string_equal(err.field, "trees[0].nodes[2]");
        assert_non_null(strstr(err.message, "one child for every bin"));
    }
    hr_model_free(model);
}

/* A multiway split is one level, whatever its number of bins (three here). */
static void test_parse__refuses_multiway_splits_deeper_than_64_levels(void **state) {
    (void)state;
    for (unsigned depth = 64; depth <= 65; depth++) {
        char nodes[4000];
        size_t at = (size_t)snprintf(nodes, sizeof nodes, "[1,0,[0.5]]");
        for (unsigned d = 1; d < depth; d++)
            at += (size_t)snprintf(nodes + at, sizeof nodes - at, ",[0],[0],[%u,0,[0.5]]", 3 * d + 1);
        snprintf(nodes + at, sizeof nodes - at, ",[0],[0],[0]");
        char *text = read_golden("model-2-open.json");
        char *forged = forge_model(text, &(forgery){"[1, 0, 0.5, 0], [-0.5], [1]", nodes, "", ""});
        hr_model *model = NULL;
        hr_error err = {0};
        hr_status status = hr_model_parse(forged, strlen(forged), "deep.json", &model, &err);
        assert_int_equal(status, depth == 64 ? HR_OK : HR_E_FORMAT);
        if (status) assert_string_equal(err.field, "trees[0].nodes[192]");
        hr_model_free(model);
        free(text);
        free(forged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__version_2_multiway_predicts),
        cmocka_unit_test(test_golden__version_2_multiway_keeps_its_bytes),
        cmocka_unit_test(test_parse__refuses_bad_multiway_splits),
        cmocka_unit_test(test_check__refuses_a_multiway_split_of_other_bins),
        cmocka_unit_test(test_parse__refuses_multiway_splits_deeper_than_64_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
