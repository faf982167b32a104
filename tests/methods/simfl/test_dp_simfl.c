/* dp-simfl: its list of releases, what a record loses under it, and what weights are made of. */
#include "support/tables.h"

enum { FEATURES = 3, REGIONS = 64, BOUND = 4096 };

typedef struct setting {
    int64_t owners, trees, depth, tables, weight_max;
    size_t classes; /* 0: regression */
    double epsilon, delta;
    hr_edges edges;
} setting;

static const setting settings[] = {
    {2, 10, 4, 4, 2, 2, 1, 0, HR_EDGES_PRIVATE},    {2, 10, 4, 4, 2, 2, 1, 1e-6, HR_EDGES_PRIVATE},
    {3, 7, 2, 1, 8, 0, 4, 0, HR_EDGES_PUBLIC},      {3, 8, 3, 64, 3, 4, 2, 1e-6, HR_EDGES_PUBLIC},
    {5, 3, 1, 2, 2, 2, 1, 0, HR_EDGES_PUBLIC},      {1, 2, 3, 3, 4, 2, 8, 0, HR_EDGES_PRIVATE},
    {2, 6, 3, 4, 1, 2, 1, 0, HR_EDGES_PRIVATE},     {4, 9, 2, 5, 7, 3, 1e4, 0, HR_EDGES_PUBLIC},
    {4, 9, 2, 5, 7, 3, 1e3, 1e-6, HR_EDGES_PUBLIC},
};

static hr_fit_options options_of_setting(const setting *s) {
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    options.epsilon = s->epsilon;
    options.delta = s->delta;
    options.trees = s->trees;
    options.depth = s->depth;
    options.edges = s->edges;
    options.by_name[HR_OPTION_OWNERS] = (double)s->owners;
    options.by_name[HR_OPTION_LSH_TABLES] = (double)s->tables;
    options.by_name[HR_OPTION_WEIGHT_MAX] = (double)s->weight_max;
    return options;
}

/* Calls check for every setting, on 300 records and on one: most owners have none then. */
static void each_setting(void (*check)(const setting *s, const hr_model *model)) {
    for (size_t i = 0; i < 2 * COUNT(settings); i++) {
        const setting *s = &settings[i / 2];
        table t = table_of_steps(i % 2 ? 1 : 300, FEATURES, s->classes, i);
        hr_fit_options options = options_of_setting(s);
        hr_model *model = fit(t.data, &options);
        check(s, model);
        hr_model_free(model);
        table_close(&t);
    }
}

static size_t outputs_of(const setting *s) {
    return s->classes > 2 ? s->classes : 1;
}

/* The largest integer weight, and the largest integer gradient of a record that has it. */
static uint64_t weight_bound(const setting *s) {
    return s->weight_max > 1 ? 16 * (uint64_t)s->weight_max : 1;
}

static uint64_t sum_bound(const setting *s) {
    return BOUND / weight_bound(s) * weight_bound(s);
}

static const hr_release *expect_line(const hr_model *model, size_t *at, const char *what, uint64_t owner,
                                     uint64_t draws) {
    assert_true(*at < model->release_count);
    const hr_release *line = &model->releases[(*at)++];
    assert_string_equal(line->what, what);
    assert_true(line->part == owner && line->draws == draws && line->cost > 0);
    return line;
}

static size_t check_counts(const setting *s, const hr_model *model, size_t at, uint64_t group) {
    for (int64_t owner = 0; s->weight_max > 1 && owner < s->owners; owner++)
        for (int64_t t = 0; t < s->tables; t++) {
            const hr_release *line = expect_line(model, &at, "region counts", (uint64_t)owner, REGIONS);
            assert_true(line->group == group && line->tree == -1 && line->sensitivity == 1);
        }
    return at;
}

static void check_structure(const setting *s, const hr_model *model) {
    size_t at = 0;
    while (strcmp(model->releases[at].what, "bin edges") == 0) at++;
    assert_true((at > 0) == (s->edges == HR_EDGES_PRIVATE));
    uint64_t group = at > 0, w = weight_bound(s), leaves = (uint64_t)1 << s->depth;
    at = check_counts(s, model, at, group);
    for (int64_t tree = 0; tree < s->trees; tree++)
        for (size_t k = 0; k < outputs_of(s); k++) {
            uint64_t owner = (uint64_t)(tree % s->owners);
            for (int64_t level = 0; level < s->depth; level++) {
                const hr_release *split = expect_line(model, &at, "split", owner, (uint64_t)1 << level);
                assert_true(split->sensitivity == 4 * (w << 16) + 6 && split->level == level);
                assert_true(split->group == group && split->tree == tree);
            }
            assert_true(expect_line(model, &at, "leaf sum", owner, leaves)->sensitivity == sum_bound(s));
            assert_true(expect_line(model, &at, "leaf count", owner, leaves)->sensitivity == w);
        }
    assert_int_equal(at, model->release_count);
    assert_int_equal(hr_model_tree_count(model), (size_t)s->trees * outputs_of(s));
}

static void test_releases__are_counts_of_every_owner_and_trees_in_turn(void **state) {
    (void)state;
    each_setting(check_structure);
}

/* ---- The loss of a record ---- */

/* What a line loses to a record of owner `part` that has the largest weight and gradient and moves each sum
 * as far as it can, in the unit of the privacy measure: of noise, from the line's scale; of choices, from the
 * true width and the line's. */
static double loss_of_line(const setting *s, const hr_release *line) {
    double scale = (double)line->scale_num / (double)line->scale_den, w = (double)weight_bound(s), moved = 1;
    if (line->level >= 0) {
        double ratio = (4 * w * 65536 + 6) / (double)line->sensitivity, cost = hr_units_value(line->cost);
        return cost * (s->delta > 0 ? ratio * ratio : ratio);
    }
    if (strcmp(line->what, "leaf sum") == 0) moved = (double)sum_bound(s);
    if (strcmp(line->what, "leaf count") == 0) moved = w;
    return s->delta > 0 ? moved * moved / (2 * scale) : moved / scale;
}

/* The owner whose records lose most loses nearly all of the budget, and never more. */
static void check_loss(const setting *s, const hr_model *model) {
    double budget = s->delta > 0 ? hr_units_value(hr_zcdp_rho(s->epsilon, s->delta)) : s->epsilon, most = 0,
           edges = s->edges == HR_EDGES_PRIVATE ? .1 * budget : 0;
    for (int64_t owner = 0; owner < s->owners; owner++) {
        double loss = edges;
        for (size_t i = 0; i < model->release_count; i++) {
            const hr_release *line = &model->releases[i];
            if (strcmp(line->what, "bin edges") != 0 && line->part == (uint64_t)owner)
                loss += loss_of_line(s, line);
        }
        most = fmax(most, loss);
    }
    if (!(most <= budget * (1 + 1e-9) && most > .97 * budget))
        fail_msg("%d owners, w_max %d: a record loses %.9g of %.9g", (int)s->owners, (int)s->weight_max, most,
                 budget);
}

static void test_loss__of_a_record_of_largest_weight_is_the_budget(void **state) {
    (void)state;
    each_setting(check_loss);
}

/* The same list, added up again by the accountant. */
static void check_account(const setting *s, const hr_model *model) {
    hr_units total, granted = s->delta > 0 ? hr_zcdp_rho(s->epsilon, s->delta) : hr_units_down(s->epsilon);
    assert_int_equal(hr_account(model->releases, model->release_count, &total, NULL), HR_OK);
    assert_true(total <= granted && (double)total > .999 * (double)granted);
    assert_true(hr_model_guarantee(model)->is_private);
}

static void test_releases__cost_what_was_asked_for(void **state) {
    (void)state;
    each_setting(check_account);
}

/* ---- Weights ---- */

/* Ten records of each owner in one place: an owner's weights are all of one value, and its first tree has
 * that times ten records, as far as the leaves' noise of 1e-3 of a record tells at this epsilon. */
static double weight_of_first(const table *t, double weight_share, uint64_t seed) {
    hr_fit_options options = seeded_options_of("dp-simfl", HR_MODE_SOUND, seed);
    options.epsilon = 1e4;
    options.edges = HR_EDGES_PUBLIC;
    options.trees = 2;
    options.depth = 1;
    options.by_name[HR_OPTION_WEIGHT_MAX] = 4;
    options.by_name[HR_OPTION_WEIGHT_SHARE] = weight_share;
    hr_model *model = fit(t->data, &options);
    double records = model->forest.trees[0].counts[0] + model->forest.trees[1].counts[0];
    hr_model_free(model);
    return records / (double)t->rows;
}

/* With counts released at next to no budget the weights carry their noise; with much, all are 1. Seeds are
 * fixed. */
static void test_weights__follow_from_noisy_counts(void **state) {
    (void)state;
    enum { SEEDS = 60 };
    table t = table_open(2000, 1);
    size_t off = 0;
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = .5, t.labels[i] = (double)(i % 2);
    table_make_plain(&t, 2);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double weight = weight_of_first(&t, 1e-6, seed);
        off += fabs(weight - 1) > .02;
        assert_true(weight >= .25 && weight <= 4);
        assert_true(fabs(weight_of_first(&t, .5, seed) - 1) < .01);
    }
    print_message("%zu of %d with weights that noise moved\n", off, SEEDS);
    assert_true(off > SEEDS / 4);
    table_close(&t);
}

/* Two regions of one feature; the first half of the owners has 9 of 10 of the lower one. Trees by owner 0
 * weigh its few upper records up: as many upper as lower ones, instead of one in ten. */
static void test_weights__even_out_what_an_owner_lacks(void **state) {
    (void)state;
    table t = table_open(4000, 1);
    for (size_t i = 0; i < t.rows; i++) t.columns[0][i] = (double)(i % 2), t.labels[i] = (double)(i % 2);
    table_make_plain(&t, 2);
    double parts[2];
    for (size_t weighted = 0; weighted < 2; weighted++) {
        hr_fit_options options = seeded_options_of("dp-simfl", HR_MODE_SOUND, 9);
        options.epsilon = 1e4;
        options.edges = HR_EDGES_PUBLIC;
        options.bins = 2;
        options.trees = 1;
        options.depth = 1;
        options.by_name[HR_OPTION_SKEW] = 1;
        options.by_name[HR_OPTION_THETA] = .9;
        options.by_name[HR_OPTION_LSH_WIDTH] = .1;
        options.by_name[HR_OPTION_WEIGHT_MAX] = weighted ? 8 : 1;
        hr_model *model = fit(t.data, &options);
        const hr_tree *tree = &model->forest.trees[0];
        const hr_node *root = tree->nodes;
        assert_true(root->left);
        parts[weighted] = tree->counts[root->left + 1] / tree->counts[0];
        hr_model_free(model);
    }
    print_message("upper records: %.3f of all, weighted %.3f\n", parts[0], parts[1]);
    assert_true(fabs(parts[0] - .1) < .03 && fabs(parts[1] - .5) < .1);
    table_close(&t);
}

/* ---- Use, threads, and what is refused ---- */

static void test_dp_simfl__learns_at_huge_epsilon_from_owners_that_differ(void **state) {
    (void)state;
    table t = table_of_steps(6000, 2, 2, 22);
    for (int64_t skew = 0; skew <= 2; skew++) {
        hr_fit_options options = seeded_options_of("dp-simfl", HR_MODE_SOUND, 3);
        options.epsilon = 1e4;
        options.edges = HR_EDGES_PUBLIC;
        options.by_name[HR_OPTION_THETA] = .8;
        options.by_name[HR_OPTION_SKEW] = (double)skew;
        double error = fit_metrics(t.data, &options).error;
        if (error > .1) fail_msg("skew %d: error %g", (int)skew, error);
    }
    table_close(&t);
}

static void test_dp_simfl__does_not_depend_on_threads(void **state) {
    (void)state;
    table t = table_of_steps(1200, 3, 3, 24);
    char *texts[2];
    for (int i = 0; i < 2; i++) {
        hr_fit_options options = seeded_options_of("dp-simfl", HR_MODE_SOUND, 77);
        options.threads = 1 + 2 * i;
        options.by_name[HR_OPTION_THETA] = .7;
        texts[i] = fit_text(t.data, &options);
    }
    assert_string_equal(texts[0], texts[1]);
    for (int i = 0; i < 2; i++) hr_text_free(texts[i]);
    table_close(&t);
}

static void refuses(const table *t, const char *option, const char *value, double epsilon,
                    const char *field) {
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit_options_set(&options, option, value, NULL), HR_OK);
    options.epsilon = epsilon;
    assert_true(hr_fit(t->data, &options, &model, &err) != HR_OK);
    assert_null(model);
    assert_string_equal(err.field, field);
}

/* Whether set by name or by number: the other methods that have the option count 0 as a default. */
static void test_dp_simfl__refuses_no_tables(void **state) {
    (void)state;
    table t = table_of_steps(100, 2, 2, 25);
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    hr_model *model = NULL;
    hr_error by_name = {0}, by_number = {0};
    assert_int_equal(hr_fit_options_set(&options, "lsh-tables", "0", &by_name), HR_E_ARGUMENT);
    options.by_name[HR_OPTION_LSH_TABLES] = 0;
    assert_int_equal(hr_fit(t.data, &options, &model, &by_number), HR_E_ARGUMENT);
    assert_string_equal(by_name.field, "lsh-tables");
    assert_string_equal(by_number.field, "lsh-tables");
    assert_non_null(strstr(by_name.remedy, "1..64"));
    assert_null(model);
    table_close(&t);
}

/* What narrow hashes are refused with names options that the method has. */
static void test_dp_simfl__has_the_options_that_its_remedies_name(void **state) {
    (void)state;
    table t = table_of_steps(100, 2, 2, 25);
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    hr_model *model = NULL;
    hr_error err = {0};
    options.by_name[HR_OPTION_LSH_WIDTH] = 1e-9;
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "lsh-width");
    assert_string_equal(err.remedy, "give a larger width");
    table_close(&t);
}

static const char *help_of(const char *name) {
    const hr_method_info *info = &hr_method_named("dp-simfl")->info;
    hr_option_info option;
    for (size_t i = 0; hr_method_option(info, i, &option); i++)
        if (strcmp(option.name, name) == 0) return option.help;
    fail_msg("there is no option %s", name);
    return "";
}

/* theta and lsh-tables mean other things in simfl. */
static void test_help__is_of_dp_simfl(void **state) {
    (void)state;
    assert_non_null(strstr(help_of("theta"), "skew"));
    assert_non_null(strstr(help_of("lsh-tables"), "regions"));
}

/* Exact and released counts of 999 owners more, 64 tables each: 8 bytes a count. */
static void test_memory__has_room_for_the_counts(void **state) {
    (void)state;
    table t = table_of_steps(100, 2, 2, 25);
    hr_fit_options options = options_of("dp-simfl", HR_MODE_SOUND);
    const hr_fit_facts facts = {.options = &options, .schema = t.schema, .rows = t.rows, .threads = 1};
    options.by_name[HR_OPTION_LSH_TABLES] = 64;
    options.by_name[HR_OPTION_OWNERS] = 1;
    const double one = hr_method_named("dp-simfl")->memory(&facts);
    options.by_name[HR_OPTION_OWNERS] = 1000;
    assert_true(hr_method_named("dp-simfl")->memory(&facts) - one >= 999 * 64 * REGIONS * 2 * 8);
    table_close(&t);
}

static void test_dp_simfl__refuses_what_it_cannot_do(void **state) {
    (void)state;
    table t = table_of_steps(100, 2, 2, 25);
    refuses(&t, "skew", "3", 1, "skew");
    refuses(&t, "weight-share", "1e-12", .01, "epsilon");
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases__are_counts_of_every_owner_and_trees_in_turn),
        cmocka_unit_test(test_loss__of_a_record_of_largest_weight_is_the_budget),
        cmocka_unit_test(test_releases__cost_what_was_asked_for),
        cmocka_unit_test(test_weights__follow_from_noisy_counts),
        cmocka_unit_test(test_weights__even_out_what_an_owner_lacks),
        cmocka_unit_test(test_dp_simfl__learns_at_huge_epsilon_from_owners_that_differ),
        cmocka_unit_test(test_dp_simfl__does_not_depend_on_threads),
        cmocka_unit_test(test_dp_simfl__refuses_no_tables),
        cmocka_unit_test(test_dp_simfl__has_the_options_that_its_remedies_name),
        cmocka_unit_test(test_help__is_of_dp_simfl),
        cmocka_unit_test(test_memory__has_room_for_the_counts),
        cmocka_unit_test(test_dp_simfl__refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
