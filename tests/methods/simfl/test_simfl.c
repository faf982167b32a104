/* SimFL and what it is compared with, as methods of a fit: one owner trains as gbdt does; the division among
 * owners is the paper's; models are the same for every number of threads; and what cannot be divided is
 * refused. */
#include "methods/simfl/simfl_owner.h"
#include "support/tables.h"

#include <string.h>

static hr_fit_options small_options(const char *method) {
    hr_fit_options options = seeded_options_of(method, HR_MODE_SOUND, 7);
    options.trees = 12;
    options.depth = 4;
    return options;
}

static void set_option(hr_fit_options *options, const char *name, const char *value) {
    assert_int_equal(hr_fit_options_set(options, name, value, NULL), HR_OK);
}

/* ---- One owner ---- */

static void check_same_trees(const hr_model *a, const hr_model *b, double within) {
    assert_int_equal(a->forest.tree_count, b->forest.tree_count);
    assert_true(fabs(a->forest.base[0] - b->forest.base[0]) <= 0);
    for (size_t t = 0; t < a->forest.tree_count; t++) {
        const hr_tree *x = &a->forest.trees[t], *y = &b->forest.trees[t];
        assert_int_equal(x->node_count, y->node_count);
        for (size_t n = 0; n < x->node_count; n++) {
            assert_true(x->nodes[n].left == y->nodes[n].left && x->nodes[n].feature == y->nodes[n].feature);
            assert_true(fabs(x->nodes[n].threshold - y->nodes[n].threshold) <= 0);
            assert_true(fabs(x->nodes[n].value - y->nodes[n].value) <= within);
        }
    }
}

/* Square loss has another scale of gradients than in gbdt, which knows the largest residual. */
static void test_simfl__of_one_owner_is_gbdt(void **state) {
    (void)state;
    static const char *const methods[] = {"simfl", "tfl", "solo", "all-in"};
    static const char *const losses[] = {"logistic", "logistic", "square"};
    for (size_t k = 0; k < COUNT(losses); k++) {
        const size_t classes = k ? 2 : 0;
        const bool logistic = classes && strcmp(losses[k], "square") != 0;
        table t = table_of_steps(400, 3, classes, 31);
        hr_fit_options options = small_options("gbdt");
        set_option(&options, "loss", losses[k]);
        hr_model *gbdt = fit(t.data, &options);
        for (size_t i = 0; i < COUNT(methods); i++) {
            options = small_options(methods[i]);
            set_option(&options, "loss", losses[k]);
            if (strcmp(methods[i], "all-in") != 0) set_option(&options, "owners", "1");
            hr_model *model = fit(t.data, &options);
            assert_true(model->forest.link == gbdt->forest.link);
            check_same_trees(model, gbdt, logistic ? 0 : 1e-6);
            hr_model_free(model);
        }
        hr_model_free(gbdt);
        table_close(&t);
    }
}

/* ---- What a split must gain ---- */

/* 50 records below .5 and 50 above, of another label. */
static table table_of_halves(size_t classes) {
    table t = table_open(100, 1);
    hr_column feature = number_column("x", 0, 1);
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = (double)i / 100;
        t.labels[i] = i >= 50;
    }
    table_make(&t, classes ? category_column("y", 2) : number_column("y", 0, 1), &feature);
    return t;
}

static bool splits(const table *t, const char *method, const char *loss, double gamma) {
    hr_fit_options options = small_options(method);
    char text[40];
    options.trees = options.depth = 1;
    snprintf(text, sizeof text, "%.9g", gamma);
    set_option(&options, "loss", loss);
    set_option(&options, "gamma", text);
    if (strcmp(method, "all-in") != 0) set_option(&options, "owners", "1");
    hr_model *model = fit(t->data, &options);
    const bool made = model->forest.trees[0].node_count > 1;
    hr_model_free(model);
    return made;
}

/* Equation 3 by hand. G = 50 |g| and H = 50 h on either side, lambda = 1, and nothing undivided: the gain is
 * G^2 / (H
 * + 1). Square loss: g = 1/2 and h = 1 of classes 0 and 1; g = 1 and h = 1 of numbers scaled to -1 .. 1.
 * Logistic: g = 1/2, h = 1/4. */
static void test_gamma__is_what_a_split_must_gain(void **state) {
    (void)state;
    static const char *const methods[] = {"simfl", "tfl", "solo", "all-in"};
    static const struct {
        size_t classes;
        const char *loss;
        double gain;
    } cases[] = {{2, "square", 625 / 51.}, {0, "square", 2500 / 51.}, {2, "logistic", 625 / 13.5}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        table t = table_of_halves(cases[k].classes);
        for (size_t i = 0; i < COUNT(methods); i++) {
            assert_true(splits(&t, methods[i], cases[k].loss, cases[k].gain * .999));
            assert_false(splits(&t, methods[i], cases[k].loss, cases[k].gain * 1.001));
        }
        table_close(&t);
    }
}

/* ---- Who trains ---- */

static void check_order(const char *order, size_t trees, const uint32_t *rows, size_t owners,
                        const char *who) {
    hr_fit_options options = small_options("simfl");
    set_option(&options, "order", order);
    options.trees = (int64_t)trees;
    const hr_simfl_order shared = hr_simfl_order_of(&options);
    for (size_t t = 0; t < trees; t++)
        assert_int_equal(hr_simfl_owner_of_tree(&shared, rows, owners, t), who[t] - '0');
}

static void test_order__gives_owners_turns_or_blocks_by_their_records(void **state) {
    (void)state;
    static const uint32_t rows[] = {60, 30, 10}, equal[] = {5, 5};
    check_order("turns", 10, rows, 3, "0120120120");
    check_order("blocks", 10, rows, 3, "0000001112");
    check_order("blocks", 7, rows, 3, "0000112"); /* begins at 0, 4.2 and 6.3 */
    check_order("blocks", 5, equal, 2, "00111");
    check_order("blocks", 1, equal, 2, "1");
    check_order("blocks", 3, rows, 1, "000");
}

/* In both orders the first owner trains the first tree; the second is another owner's only in turns. */
static void test_order__decides_whose_trees_follow(void **state) {
    (void)state;
    static const char *const methods[] = {"simfl", "tfl"};
    table t = table_of_steps(500, 3, 2, 38);
    for (size_t i = 0; i < COUNT(methods); i++) {
        hr_model *models[2];
        for (size_t k = 0; k < 2; k++) {
            hr_fit_options options = small_options(methods[i]);
            set_option(&options, "order", k ? "blocks" : "turns");
            options.trees = 4;
            models[k] = fit(t.data, &options);
        }
        const hr_tree *turns = models[0]->forest.trees, *blocks = models[1]->forest.trees;
        assert_true(turns[0].node_count == blocks[0].node_count && turns[0].node_count > 1);
        assert_true(fabs(turns[0].nodes[0].threshold - blocks[0].nodes[0].threshold) <= 0);
        assert_false(turns[1].node_count == blocks[1].node_count &&
                     !memcmp(turns[1].nodes, blocks[1].nodes, turns[1].node_count * sizeof(hr_node)));
        for (size_t k = 0; k < 2; k++) hr_model_free(models[k]);
    }
    table_close(&t);
}

/* ---- The division ---- */

/* Feature 0 of record i is i. */
static table numbered_table(size_t rows, size_t second_class) {
    table t = table_open(rows, 1);
    hr_column feature = number_column("x", 0, 1000);
    for (size_t i = 0; i < rows; i++) {
        t.columns[0][i] = (double)i;
        t.labels[i] = i < second_class;
    }
    table_make(&t, category_column("y", 2), &feature);
    return t;
}

static void split_seeded(const table *t, size_t owners, double theta, hr_data **out) {
    hr_csprng *csprng;
    assert_int_equal(hr_csprng_open_seeded(3, &csprng, NULL), HR_OK);
    assert_int_equal(hr_simfl_split(t->data, owners, theta, csprng, out, NULL), HR_OK);
    hr_csprng_close(csprng);
}

/* Every record is at one owner, in the order of the table. counts[owner][class]. */
static void check_division(const table *t, size_t owners, double theta, const size_t (*counts)[2]) {
    hr_data *parts[5];
    size_t seen[1000] = {0};
    split_seeded(t, owners, theta, parts);
    for (size_t m = 0; m < owners; m++) {
        size_t found[2] = {0};
        double last = -1;
        for (size_t i = 0; i < hr_data_rows(parts[m]); i++) {
            double x = hr_data_numbers(parts[m], 0)[i];
            assert_true(x > last);
            last = x;
            seen[(size_t)x]++;
            found[(size_t)hr_data_labels(parts[m])[i]]++;
        }
        assert_true(found[0] == counts[m][0] && found[1] == counts[m][1]);
        hr_data_free(parts[m]);
    }
    for (size_t i = 0; i < t->rows; i++) assert_int_equal(seen[i], 1);
}

static void test_simfl_split__gives_theta_of_one_class_to_the_first_half(void **state) {
    (void)state;
    table t = numbered_table(300, 100);
    check_division(&t, 2, .8, (const size_t[][2]){{160, 20}, {40, 80}});
    check_division(&t, 2, .25, (const size_t[][2]){{50, 75}, {150, 25}});
    table_close(&t);
}

/* Five owners: three share the first half, two the second. */
static void test_simfl_split__divides_each_half_equally(void **state) {
    (void)state;
    static const size_t rows[2][5] = {{60, 60, 60, 60, 60}, {57, 57, 56, 65, 65}};
    table t = numbered_table(300, 100);
    for (size_t k = 0; k < 2; k++) {
        hr_data *parts[5];
        double first_class = 0;
        split_seeded(&t, 5, k ? .7 : .8, parts);
        for (size_t m = 0; m < 5; m++) {
            assert_int_equal(hr_data_rows(parts[m]), k ? rows[1][m] : rows[0][m]);
            for (size_t i = 0; m < 3 && i < hr_data_rows(parts[m]); i++)
                first_class += hr_data_labels(parts[m])[i] <= 0;
            hr_data_free(parts[m]);
        }
        assert_true(fabs(first_class - (k ? 140 : 160)) < .5);
    }
    table_close(&t);
}

static void test_simfl_split__draws_an_even_division(void **state) {
    (void)state;
    table t = numbered_table(302, 100);
    hr_data *parts[4], *again[4];
    double in_order = 0;
    split_seeded(&t, 4, 0, parts);
    split_seeded(&t, 4, 0, again);
    for (size_t m = 0; m < 4; m++) {
        assert_int_equal(hr_data_rows(parts[m]), m < 2 ? 76 : 75);
        assert_int_equal(hr_data_rows(again[m]), m < 2 ? 76 : 75);
        for (size_t i = 0; i < hr_data_rows(parts[m]); i++) {
            double x = hr_data_numbers(parts[m], 0)[i];
            assert_true(fabs(x - hr_data_numbers(again[m], 0)[i]) < .5);
            in_order += fabs(x - (double)(4 * i + m)) < .5;
        }
        hr_data_free(parts[m]);
        hr_data_free(again[m]);
    }
    assert_true(in_order < 100);
    table_close(&t);
}

/* ---- Models ---- */

static void test_simfl__gives_the_same_model_on_any_threads(void **state) {
    (void)state;
    table t = table_of_steps(500, 3, 2, 32);
    hr_fit_options options = small_options("simfl");
    set_option(&options, "owners", "3");
    set_option(&options, "theta", "0.7");
    char *one = fit_text(t.data, &options);
    options.threads = 4;
    char *four = fit_text(t.data, &options);
    options.seed++;
    char *other = fit_text(t.data, &options);
    assert_string_equal(one, four);
    assert_string_not_equal(one, other);
    hr_text_free(one);
    hr_text_free(four);
    hr_text_free(other);
    table_close(&t);
}

/* Steps in a square of 2 features, where records that are near are alike. One owner has nearly all records of
 * one class, so that alone it is wrong about the other. */
static double error_of_method(const table *t, const table *fresh, const char *method) {
    hr_fit_options options = small_options(method);
    options.trees = 40;
    set_option(&options, "theta", "0.9");
    if (!strcmp(method, "simfl")) {
        set_option(&options, "lsh-tables", "40");
        set_option(&options, "lsh-width", "0.2");
    }
    hr_model *model = fit(t->data, &options);
    double error = metrics_of(model, fresh->data).error;
    hr_model_free(model);
    return error;
}

static table table_with_noise(uint64_t seed) {
    table t = table_open(2000, 2);
    uint64_t random = seed;
    for (size_t i = 0; i < t.rows; i++) {
        double x = next_unit(&random), y = next_unit(&random);
        t.columns[0][i] = x;
        t.columns[1][i] = y;
        t.labels[i] = ((x > .5) != (y > .5)) != (next_unit(&random) < .25);
    }
    table_make_plain(&t, 2);
    return t;
}

static void test_simfl__learns_from_other_owners(void **state) {
    (void)state;
    table t = table_with_noise(33), fresh = table_with_noise(34);
    double solo = error_of_method(&t, &fresh, "solo"), tfl = error_of_method(&t, &fresh, "tfl"),
           simfl = error_of_method(&t, &fresh, "simfl");
    assert_true(simfl < .3 && solo > .4 && tfl > simfl + .05);
    table_close(&t);
    table_close(&fresh);
}

static void test_simfl__claims_no_privacy(void **state) {
    (void)state;
    static const char *const methods[] = {"simfl", "tfl", "solo", "all-in"};
    table t = table_of_steps(200, 3, 2, 35);
    for (size_t i = 0; i < COUNT(methods); i++) {
        hr_fit_options options = small_options(methods[i]);
        char *text = fit_text(t.data, &options);
        assert_non_null(strstr(text, "NOT DIFFERENTIALLY PRIVATE. It has no privacy at all"));
        assert_non_null(strstr(text, "leaf sums"));
        assert_true(!strstr(text, "record hashes") == (i > 0));
        assert_true(!strstr(text, "gradients of similar records") == (i > 0));
        hr_text_free(text);
    }
    table_close(&t);
}

/* ---- What is refused ---- */

static void refuse_fit(const table *t, const hr_fit_options *options, const char *says) {
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t->data, options, &model, &err), HR_E_ARGUMENT);
    assert_null(model);
    assert_string_equal(err.message, says);
    assert_true(err.remedy[0] != '\0');
}

static void test_simfl__refuses_what_cannot_be_divided(void **state) {
    (void)state;
    table two = table_of_steps(20, 2, 2, 36), three = table_of_steps(20, 2, 3, 36),
          number = table_of_steps(20, 2, 0, 36);
    hr_fit_options options = small_options("simfl");
    refuse_fit(&three, &options,
               "simfl supports labels that are numbers or two classes; this label has 3 classes");
    set_option(&options, "owners", "21");
    refuse_fit(&two, &options, "20 records cannot be divided among 21 owners");
    set_option(&options, "theta", "0.8");
    set_option(&options, "owners", "2");
    refuse_fit(&number, &options, "theta divides records by their class; this label is a number");
    set_option(&options, "owners", "1");
    refuse_fit(&two, &options, "theta divides records among owners; there is only 1 owner");
    options = small_options("solo");
    set_option(&options, "owner", "3");
    refuse_fit(&two, &options, "there is no owner 3 of 2 owners");
    table_close(&two);
    table_close(&three);
    table_close(&number);
}

static void test_simfl__refuses_an_owner_without_records(void **state) {
    (void)state;
    table t = numbered_table(20, 20); /* all of the second class, of which the first owner gets 1 % */
    hr_fit_options options = small_options("tfl");
    set_option(&options, "theta", "0.99");
    refuse_fit(&t, &options, "owner 1 of 2 would have no record");
    table_close(&t);
}

/* As many owners as records: each has one. */
static void test_simfl__trains_with_one_record_an_owner(void **state) {
    (void)state;
    table t = table_of_steps(12, 2, 2, 37);
    hr_fit_options options = small_options("simfl");
    set_option(&options, "owners", "12");
    hr_model *model = fit(t.data, &options);
    assert_int_equal(model->forest.tree_count, 12);
    hr_model_free(model);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simfl__of_one_owner_is_gbdt),
        cmocka_unit_test(test_gamma__is_what_a_split_must_gain),
        cmocka_unit_test(test_order__gives_owners_turns_or_blocks_by_their_records),
        cmocka_unit_test(test_order__decides_whose_trees_follow),
        cmocka_unit_test(test_simfl_split__gives_theta_of_one_class_to_the_first_half),
        cmocka_unit_test(test_simfl_split__divides_each_half_equally),
        cmocka_unit_test(test_simfl_split__draws_an_even_division),
        cmocka_unit_test(test_simfl__gives_the_same_model_on_any_threads),
        cmocka_unit_test(test_simfl__learns_from_other_owners),
        cmocka_unit_test(test_simfl__claims_no_privacy),
        cmocka_unit_test(test_simfl__refuses_what_cannot_be_divided),
        cmocka_unit_test(test_simfl__refuses_an_owner_without_records),
        cmocka_unit_test(test_simfl__trains_with_one_record_an_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
