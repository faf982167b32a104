#include "support/forest_checks.h"

table odd_table(size_t rows, size_t classes) {
    table t = table_open(rows, ODD_FEATURES);
    uint64_t random = 3 + rows;
    hr_column columns[ODD_FEATURES] = {
        [X] = number_column("x", -1, 1),          [AGE] = number_column("age", 0, 3),
        [FIXED] = number_column("fixed", 2, 2),   [NONE] = number_column("none", 0, 1),
        [TWO] = odd_category("two", 2),           [FEW] = odd_category("few", 6),
        [MANY] = odd_category("many", VALUES_MAX)};
    columns[AGE].integer = true;
    for (size_t i = 0; i < rows; i++) {
        for (size_t f = 0; f < ODD_FEATURES; f++) t.columns[f][i] = odd_value(&columns[f], &random);
        t.columns[AGE][i] = rint(t.columns[AGE][i]);
        t.columns[NONE][i] = NAN;
        if (i % 5 < 2) t.columns[X][i] = NAN;
        t.labels[i] = odd_label(classes, &random);
    }
    table_make(&t, classes ? odd_category("y", classes) : number_column("y", -1, 1), columns);
    return t;
}

hr_fit_options options_of_forest(const char *method, const forest_setting *s) {
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = s->epsilon;
    options.delta = s->delta;
    options.trees = s->trees;
    options.depth = s->depth;
    options.by_name[HR_OPTION_MAX_FEATURES] = (double)s->features;
    options.by_name[HR_OPTION_PART] = s->part;
    return options;
}

size_t outputs_of_forest(const forest_setting *s) {
    return s->classes > 2 ? s->classes : 1;
}

void each_forest(const char *method, const forest_setting *settings, size_t count, uint64_t seed,
                 check_model *check) {
    for (size_t i = 0; i < count; i++) {
        table t = odd_table(settings[i].rows, settings[i].classes);
        hr_fit_options options = options_of_forest(method, &settings[i]);
        options.reproducible_noise = seed != 0;
        options.seed = seed;
        hr_model *model = fit(t.data, &options);
        check(&settings[i], model);
        hr_model_free(model);
        table_close(&t);
    }
}

void check_outputs(const forest_setting *s, const hr_model *model) {
    size_t outputs = outputs_of_forest(s);
    hr_error err = {0};
    if (hr_model_check(model, &err) != HR_OK) fail_msg("%s: %s", err.field, err.message);
    assert_int_equal(model->forest.tree_count, (size_t)s->trees * outputs);
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t], *first = &model->forest.trees[t / outputs * outputs];
        assert_true(tree->output == t % outputs && tree->node_count == first->node_count);
        for (size_t n = 0; n < tree->node_count; n++) {
            hr_node one = tree->nodes[n], other = first->nodes[n];
            assert_true(one.left == other.left && one.feature == other.feature && one.cut == other.cut &&
                        one.branches == other.branches);
        }
    }
}

/* ---- The list of releases ---- */

hr_units budget_of_tree(const forest_setting *s) {
    hr_units all = s->delta > 0 ? hr_gdp_budget(s->epsilon, s->delta) : hr_units_down(s->epsilon);
    return all / (s->part ? 1 : (hr_units)s->trees);
}

const hr_release *next_line(reader *r, const char *what, int64_t level, hr_units cost, uint64_t sensitivity) {
    assert_true(r->at < r->model->release_count);
    const hr_release *line = &r->model->releases[r->at++];
    bool part = r->s->part, choice = level >= 0, pure = r->s->delta <= 0;
    assert_string_equal(line->what, what);
    assert_true(line->tree == (int64_t)r->tree && line->level == level);
    assert_true(line->group == (part ? 0 : r->tree) && line->part == (part ? r->tree : 0));
    assert_true(line->cost == cost && line->sensitivity == sensitivity);
    hr_mechanism chooses = pure ? HR_MECHANISM_PERMUTE_AND_FLIP : HR_MECHANISM_EXPONENTIAL,
                 adds = pure ? HR_MECHANISM_DISCRETE_LAPLACE : HR_MECHANISM_DISCRETE_GAUSSIAN;
    assert_int_equal(line->mechanism, choice ? chooses : adds);
    return line;
}

void check_leaf_lines(reader *r, hr_units budget) {
    const hr_tree *tree = &r->model->forest.trees[r->tree * outputs_of_forest(r->s)];
    size_t leaves = 0;
    for (size_t n = 0; n < tree->node_count; n++) leaves += !tree->nodes[n].left;
    if (r->s->classes) {
        assert_true(next_line(r, "leaf class count", -1, budget, 64)->draws == leaves * r->s->classes);
        return;
    }
    hr_units counts = hr_units_share(budget, .3);
    assert_true(next_line(r, "leaf sum", -1, budget - counts, 4096)->draws == leaves);
    assert_true(next_line(r, "leaf count", -1, counts, 64)->draws == leaves);
}

void check_costs(const forest_setting *s, const hr_model *model) {
    const hr_guarantee *g = hr_model_guarantee(model);
    hr_units total, budget = budget_of_tree(s) * (s->part ? 1 : (hr_units)s->trees);
    assert_int_equal(hr_account(model->releases, model->release_count, &total, NULL), HR_OK);
    assert_true(total <= budget && (double)total > .99999 * (double)budget);
    assert_true(g->is_private && g->epsilon <= s->epsilon && g->epsilon > .999 * s->epsilon &&
                g->delta <= s->delta);
    assert_int_equal(hr_account_check(model->releases, model->release_count, model->privacy_measure, NULL),
                     HR_OK);
    char *text = render(model);
    hr_model *parsed = NULL;
    assert_int_equal(hr_model_parse(text, strlen(text), "model", &parsed, NULL), HR_OK);
    hr_model_free(parsed);
    hr_text_free(text);
}

/* ---- Leaves at an epsilon so huge that noise does not matter ---- */

/* Every leaf of `tree` says the mean of the labels of its records; those without, whatever their ancestors
 * do. */
static void check_means(const hr_model *model, size_t tree, const hr_data *data, const double *labels) {
    const hr_tree *t = &model->forest.trees[tree];
    double *sums = calloc(t->node_count, sizeof *sums), *counts = calloc(t->node_count, sizeof *counts);
    assert_true(sums && counts);
    for (size_t i = 0; i < hr_data_rows(data); i++) {
        size_t n = hr_tree_leaf(t, data, i);
        sums[n] += labels[i];
        counts[n]++;
    }
    for (size_t n = 0; n < t->node_count; n++) {
        double said = t->nodes[n].value * (double)model->forest.tree_count;
        if (counts[n] > 0 && fabs(said - sums[n] / counts[n]) > .05)
            fail_msg("node %zu: %g, not %g", n, said, sums[n] / counts[n]);
    }
    free(counts);
    free(sums);
}

void check_leaves_at_huge_epsilon(const char *method, size_t classes) {
    forest_setting s = {false, 3, 4, 0, 400, classes, 1e4, 0};
    table t = odd_table(s.rows, classes);
    hr_fit_options options = options_of_forest(method, &s);
    hr_model *model = fit(t.data, &options);
    for (size_t i = 0; classes && i < t.rows; i++) t.labels[i] = 2 * t.labels[i] - 1;
    for (size_t k = 0; k < model->forest.tree_count; k++) check_means(model, k, t.data, t.labels);
    hr_model_free(model);
    table_close(&t);
}

void check_parts_at_huge_epsilon(const char *method) {
    forest_setting s = {true, 5, 1, 0, 400, 2, 1e4, 0};
    table t = table_open(s.rows, 1);
    uint64_t random = 8;
    for (size_t i = 0; i < t.rows; i++) {
        t.labels[i] = (double)(next_random(&random) % 2);
        t.columns[0][i] = 1 + t.labels[i];
    }
    const hr_column feature = category_column("x", 2);
    table_make(&t, category_column("y", 2), &feature);
    hr_fit_options options = options_of_forest(method, &s);
    hr_model *model = fit(t.data, &options);
    for (size_t k = 0; k < model->forest.tree_count; k++) {
        const hr_tree *tree = &model->forest.trees[k];
        for (uint8_t value = 1; value <= 2; value++) {
            double said = tree->nodes[hr_node_child(tree, tree->nodes, HR_KIND_CATEGORY, value)].value *
                          (double)s.trees;
            assert_true(tree->nodes[0].left && fabs(said - (value == 1 ? -1 : 1)) < .01);
        }
    }
    hr_model_free(model);
    table_close(&t);
}

/* ---- Odd fits ---- */

void check_seeds(const char *method, const forest_setting *s) {
    table t = odd_table(s->rows, s->classes);
    hr_fit_options options = options_of_forest(method, s);
    options.reproducible_noise = true;
    options.seed = 5;
    char *wanted = fit_text(t.data, &options);
    options.threads = 3;
    char *got = fit_text(t.data, &options);
    assert_string_equal(got, wanted);
    options.seed++;
    char *other = fit_text(t.data, &options);
    assert_string_not_equal(other, wanted);
    hr_text_free(other);
    hr_text_free(got);
    hr_text_free(wanted);
    table_close(&t);
}

void check_hardly_any_records(const char *method) {
    for (size_t rows = 1; rows <= 3; rows++)
        for (size_t classes = 0; classes <= 4; classes += 2) {
            forest_setting s = {true, 10, 3, 0, rows, classes, .1, classes ? 1e-6 : 0};
            table t = odd_table(rows, classes);
            hr_fit_options options = options_of_forest(method, &s);
            hr_model *model = fit(t.data, &options);
            double *p = predictions_of(model, t.data);
            for (size_t i = 0; i < rows * hr_model_output_count(model); i++)
                assert_true(p[i] >= (classes ? 0 : -1) && p[i] <= 1);
            free(p);
            hr_model_free(model);
            table_close(&t);
        }
}

/* ---- Games ---- */

/* What all trees say of a record with the second value of every category. */
static double score_of_second_values(const hr_model *model) {
    double score = 0;
    for (size_t k = 0; k < model->forest.tree_count; k++) {
        const hr_tree *tree = &model->forest.trees[k];
        const hr_node *node = tree->nodes;
        while (node->left) node = &tree->nodes[hr_node_child(tree, node, HR_KIND_CATEGORY, 2)];
        score += node->value;
    }
    return score;
}

game isolated_canary(const char *method, size_t features, size_t which, size_t runs) {
    static const forest_setting settings[ISOLATED] = {
        {false, 1, 1, 0, 0, 2, 2, 0},
        {false, 3, 2, 0, 0, 0, 2, 0},
        {true, 2, 1, 0, 0, 2, 2, 1e-9}, /* so small a delta does not show in thousands of runs */
        {true, 1, 1, 0, 0, 0, 2, 0}};
    forest_setting s = settings[which];
    s.features = (int64_t)features;
    game g = {.name = "isolated canary",
              .options = options_of_forest(method, &s),
              .claimed = s.epsilon,
              .runs = runs,
              .look = score_of_second_values};
    table t = table_open(11, features);
    for (size_t i = 0; i < t.rows; i++) {
        bool canary = i + 1 == t.rows;
        for (size_t f = 0; f < features; f++) t.columns[f][i] = canary ? 2 : 1;
        t.labels[i] = canary ? 1 : s.classes ? 0 : -1;
    }
    const hr_column columns[] = {category_column("x", 2), category_column("z", 2)};
    game_make(&g, &t, s.classes ? category_column("y", s.classes) : number_column("y", -1, 1), columns);
    return g;
}

void check_that_excess_is_caught(const char *method, size_t features) {
    for (size_t i = 0; i < ISOLATED; i++) {
        game g = isolated_canary(method, features, i, 3000);
        g.options.epsilon = 10 * g.claimed;
        assert_caught(&g, statistic_bound(&g));
        game_close(&g);
    }
}
