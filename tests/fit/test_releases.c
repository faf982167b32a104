/* The list of releases that a model carries: what is in it, that it adds up to no more than the guarantee,
 * and that the guarantee is what was granted. And what models say that are not private. */
#include "privacy/noise.h"
#include "support/tables.h"
#include "trees/stats/split_candidates.h"

enum { FEATURES = 3, GRADIENT_BOUND = 4096 };

typedef struct setting {
    const char *method;
    double delta;
    int64_t trees, ensemble, depth;
    size_t classes; /* 0: regression */
    hr_edges edges;
    hr_bounding bounding;
    double epsilon;
} setting;

static const setting settings[] = {
    {"dpboost", 0, 10, 10, 3, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"dpboost", 1e-6, 10, 10, 3, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"dpboost", 0, 7, 3, 2, 4, HR_EDGES_PUBLIC, HR_BOUNDING_FILTER, .5},
    {"dpboost", 1e-6, 7, 3, 2, 4, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 2.5},
    {"dpboost", 0, 2, 10, 1, 0, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 8},
    {"dpboost", 1e-6, 9, 9, 6, 0, HR_EDGES_PUBLIC, HR_BOUNDING_FILTER, .1},
    {"dpboost", 0, 1, 1, 12, 2, HR_EDGES_PRIVATE, HR_BOUNDING_FILTER, 1e4},
    {"dpboost", 1e-6, 30, 7, 4, 3, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1e4},
    {"seq", 0, 5, 1, 3, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"seq", 1e-6, 5, 1, 3, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"seq", 0, 3, 1, 5, 5, HR_EDGES_PUBLIC, HR_BOUNDING_FILTER, 3},
    {"seq", 1e-6, 13, 1, 2, 0, HR_EDGES_PUBLIC, HR_BOUNDING_CLIP, .3},
    {"para", 0, 4, 1, 4, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"para", 1e-6, 4, 1, 4, 2, HR_EDGES_PRIVATE, HR_BOUNDING_CLIP, 1},
    {"para", 0, 1, 1, 2, 3, HR_EDGES_PUBLIC, HR_BOUNDING_CLIP, 1},
    {"para", 1e-6, 6, 1, 1, 0, HR_EDGES_PRIVATE, HR_BOUNDING_FILTER, 5},
};

static hr_model *fit_setting(const setting *s, const table *t) {
    hr_fit_options options = options_of(s->method, HR_MODE_SOUND);
    options.epsilon = s->epsilon;
    options.delta = s->delta;
    options.trees = s->trees;
    options.by_name[HR_OPTION_ENSEMBLE] = (double)s->ensemble;
    options.depth = s->depth;
    options.edges = s->edges;
    options.by_name[HR_OPTION_BOUNDING] = s->bounding;
    return fit(t->data, &options);
}

/* Calls check for every setting, on 300 records and on one: most trees have none then. */
static void each_setting(void (*check)(const setting *s, const hr_model *model)) {
    for (size_t i = 0; i < 2 * COUNT(settings); i++) {
        const setting *s = &settings[i / 2];
        table t = table_of_steps(i % 2 ? 1 : 300, FEATURES, s->classes, i);
        hr_model *model = fit_setting(s, &t);
        check(s, model);
        hr_model_free(model);
        table_close(&t);
    }
}

static void check_sum(const setting *s, const hr_model *model) {
    const hr_guarantee *g = hr_model_guarantee(model);
    hr_units total;
    assert_true(g->is_private);
    assert_int_equal(model->privacy_measure, s->delta > 0 ? HR_PRIVACY_ZCDP : HR_PRIVACY_PURE);
    assert_int_equal(hr_account(model->releases, model->release_count, &total, NULL), HR_OK);
    assert_int_equal(hr_account_check(model->releases, model->release_count, model->privacy_measure, NULL),
                     HR_OK);
    double granted = hr_units_value(hr_units_down(s->epsilon)), used;
    if (g->epsilon != granted)
        fail_msg("%s: epsilon %.17g of %g, delta %g", s->method, g->epsilon, s->epsilon, s->delta);
    assert_true(g->delta == ldexp(floor(ldexp(s->delta, 62)), -62) && g->delta_replace == g->delta);
    if (s->delta > 0) {
        hr_units rho = hr_zcdp_rho(granted, g->delta);
        used = hr_zcdp_epsilon(total, g->delta);
        assert_true(total <= rho && g->epsilon_replace == hr_zcdp_epsilon(4 * rho, g->delta));
    } else {
        used = hr_units_value(total);
        assert_true(g->epsilon_replace == 2 * granted);
    }
    if (used > granted || used < .999 * granted)
        fail_msg("%s: used %.17g of %.17g, delta %g", s->method, used, granted, s->delta);
    assert_null(strstr(g->statement, "NOT"));
    assert_non_null(strstr(g->statement, "-differentially private"));
}

static void test_releases__add_up_to_what_was_asked_for(void **state) {
    (void)state;
    each_setting(check_sum);
}

/* Its choices count on all that is left of the budget: the first has nearly e^2 = 4 cost, where 8/pi cost
 * would be allowed by itself. */
static void test_releases__of_hedge_cost_the_whole_budget(void **state) {
    (void)state;
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    table t = table_of_steps(300, FEATURES, 2, 1);
    hr_model *model = fit(t.data, &options);
    const hr_guarantee *g = hr_model_guarantee(model);
    hr_units total;
    assert_int_equal(hr_account(model->releases, model->release_count, &total, NULL), HR_OK);
    assert_true(total == hr_gdp_budget(g->epsilon, g->delta));
    assert_int_equal(hr_account_check(model->releases, model->release_count, HR_PRIVACY_GDP, NULL), HR_OK);
    size_t first = 0;
    while (model->releases[first].mechanism != HR_MECHANISM_EXPONENTIAL) first++;
    const hr_release *choice = &model->releases[first];
    double e = (double)choice->sensitivity * (double)choice->scale_num / (double)choice->scale_den,
           cost = hr_units_value(choice->cost);
    assert_true(e * e < 4 * cost && e * e > 3.9 * cost);
    hr_model_free(model);
    table_close(&t);
}

/* How many rounds there are follows from a noisy count, and so does what their rounded costs leave of the
 * budget. What the model promises does not. */
static void test_guarantee__does_not_tell_the_rounds(void **state) {
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        hr_model *models[2];
        hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
        options.epsilon = 4;
        if (pure) options.delta = 0;
        for (size_t i = 0; i < COUNT(models); i++) {
            table t = table_of_steps(i ? 6000 : 300, FEATURES, 2, i);
            models[i] = fit(t.data, &options);
            const hr_guarantee *g = hr_model_guarantee(models[i]), *first = hr_model_guarantee(models[0]);
            char *json = render(models[i]);
            assert_true(g->epsilon == 4 && g->epsilon_replace == first->epsilon_replace);
            assert_true(!pure || g->epsilon_replace == 8);
            assert_string_equal(g->statement, first->statement);
            assert_memory_equal(g->statement, pure ? "(4, 0)-diff" : "(4, 1e-06)-diff", pure ? 11 : 15);
            assert_non_null(strstr(json, "\"epsilon\": 4,\n"));
            if (i) assert_true(hr_model_tree_count(models[i]) > hr_model_tree_count(models[0]));
            hr_text_free(json);
            table_close(&t);
        }
        for (size_t i = 0; i < COUNT(models); i++) hr_model_free(models[i]);
    }
}

static size_t outputs_of(const setting *s) {
    return s->classes > 2 ? s->classes : 1;
}

/* One line of a tree, as the structure wants it. */
static void check_line(const setting *s, const hr_release *line, const char *what, int64_t tree,
                       int64_t level, uint64_t first_group) {
    bool dpboost = strcmp(s->method, "dpboost") == 0, seq = strcmp(s->method, "seq") == 0, split = level >= 0;
    assert_string_equal(line->what, what);
    assert_true(line->tree == tree && line->level == level);
    assert_true(line->group == first_group + (uint64_t)(dpboost ? tree / s->ensemble : seq ? tree : 0));
    assert_true(line->part == (uint64_t)(dpboost ? tree % s->ensemble : seq ? 0 : tree));
    assert_true(line->draws == (uint64_t)1 << (split ? level : s->depth));
    assert_true(line->sensitivity == (split                           ? HR_GAIN_WIDTH
                                      : strcmp(what, "leaf sum") == 0 ? GRADIENT_BOUND
                                                                      : 1));
    hr_mechanism choice = s->delta > 0 ? HR_MECHANISM_EXPONENTIAL : HR_MECHANISM_PERMUTE_AND_FLIP;
    assert_int_equal(line->mechanism, split          ? choice
                                      : s->delta > 0 ? HR_MECHANISM_DISCRETE_GAUSSIAN
                                                     : HR_MECHANISM_DISCRETE_LAPLACE);
    assert_true(line->cost > 0);
}

/* Bin edges: in one level of one feature every record is in one interval, of which there are at most 2^level.
 */
static size_t check_edges(const setting *s, const hr_model *model, uint64_t *groups) {
    size_t lines = 0;
    *groups = s->edges == HR_EDGES_PRIVATE ? 1 : 0;
    for (; lines < model->release_count && strcmp(model->releases[lines].what, "bin edges") == 0; lines++) {
        const hr_release *line = &model->releases[lines];
        assert_true(line->group == 0 && line->tree == -1);
        assert_true(line->draws <= (uint64_t)1 << 16);
        assert_int_equal(line->mechanism,
                         s->delta > 0 ? HR_MECHANISM_DISCRETE_GAUSSIAN : HR_MECHANISM_PERMUTE_AND_FLIP);
    }
    assert_true((lines > 0) == (s->edges == HR_EDGES_PRIVATE));
    return lines;
}

static void check_structure(const setting *s, const hr_model *model) {
    uint64_t first_group;
    size_t at = check_edges(s, model, &first_group);
    assert_int_equal(model->release_count, at + (size_t)s->trees * outputs_of(s) * ((size_t)s->depth + 2));
    for (int64_t tree = 0; tree < s->trees; tree++)
        for (size_t k = 0; k < outputs_of(s); k++) {
            for (int64_t level = 0; level < s->depth; level++)
                check_line(s, &model->releases[at++], "split", tree, level, first_group);
            check_line(s, &model->releases[at++], "leaf sum", tree, -1, first_group);
            check_line(s, &model->releases[at++], "leaf count", tree, -1, first_group);
        }
    assert_int_equal(hr_model_tree_count(model), (size_t)s->trees * outputs_of(s));
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        assert_int_equal(model->forest.trees[t].node_count,
                         ((size_t)2 << s->depth) - 1); /* full: its shape tells nothing */
        assert_int_equal(model->forest.trees[t].output, t % outputs_of(s));
    }
}

static void test_releases__are_what_the_trees_are_made_of(void **state) {
    (void)state;
    each_setting(check_structure);
}

/* ---- What trees say of their noise ---- */

static const hr_release *leaf_line(const hr_model *model, size_t tree) {
    size_t seen = 0;
    for (size_t i = 0; i < model->release_count; i++)
        if (strcmp(model->releases[i].what, "leaf sum") == 0 && seen++ == tree) return &model->releases[i];
    fail_msg("no leaf sum of tree %zu", tree);
    return NULL;
}

/* The value of a leaf is a sum by the records, lambda and the noise of the sum in records, times the learning
 * rate. */
static double noise_by_hand(const setting *s, const hr_tree *tree, size_t n) {
    hr_fit_options options = options_of(s->method, HR_MODE_SOUND);
    double records = tree->counts[n] + options.lambda + tree->deviation / options.gradient_bound;
    return tree->nodes[n].left ? 0 : options.learning_rate * tree->deviation / records;
}

/* The deviation is that of the line, in the unit of gradients; a split has the records of its children. */
static void check_noise(const setting *s, const hr_model *model) {
    double unit = GRADIENT_BOUND / options_of(s->method, HR_MODE_SOUND).gradient_bound;
    for (size_t t = 0; t < model->forest.tree_count; t++) {
        const hr_tree *tree = &model->forest.trees[t];
        double deviation =
            hr_noise_deviation(model->privacy_measure, leaf_line(model, t)->cost, GRADIENT_BOUND) / unit;
        assert_true(fabs(tree->deviation - deviation) < 1e-9 * deviation);
        assert_non_null(tree->counts);
        for (size_t n = 0; n < tree->node_count; n++) {
            size_t left = tree->nodes[n].left;
            assert_true(tree->counts[n] >= 0 && tree->counts[n] == floor(tree->counts[n]));
            if (left) assert_true(tree->counts[n] == tree->counts[left] + tree->counts[left + 1]);
            assert_true(fabs(tree->noise[n] - noise_by_hand(s, tree, n)) <= 1e-9 * tree->noise[n]);
        }
    }
}

static void test_trees__tell_the_noise_of_their_leaves(void **state) {
    (void)state;
    each_setting(check_noise);
}

/* At an epsilon of 10,000: every record is in one of the first ensemble's trees. */
static void test_trees__tell_how_many_records_they_have(void **state) {
    (void)state;
    const setting *s = &settings[7];
    table t = table_of_steps(300, FEATURES, s->classes, 1);
    hr_model *model = fit_setting(s, &t);
    double records = 0;
    for (size_t tree = 0; tree < (size_t)s->ensemble * s->classes; tree += s->classes)
        records += model->forest.trees[tree].counts[0];
    assert_true(records == 300);
    hr_model_free(model);
    table_close(&t);
}

static void check_shares(const setting *s, const hr_model *model) {
    double leaves = 0, counts = 0, all = 0, edges = 0;
    for (size_t i = 0; i < model->release_count; i++) {
        const hr_release *line = &model->releases[i];
        double cost = hr_units_value(line->cost);
        if (line->tree == -1) edges += cost;
        if (line->tree != 0) continue;
        all += cost;
        if (line->level == -1) leaves += cost;
        if (strcmp(line->what, "leaf count") == 0) counts += cost;
    }
    double total = s->delta > 0 ? hr_units_value(hr_zcdp_rho(s->epsilon, s->delta)) : s->epsilon;
    assert_true(fabs(leaves / all - .3) < 1e-4 && fabs(counts / leaves - .3) < 1e-4);
    assert_true(fabs(edges / total - (s->edges == HR_EDGES_PRIVATE ? .1 : 0)) < 1e-4);
}

static void test_releases__share_the_budget_as_the_options_say(void **state) {
    (void)state;
    each_setting(check_shares);
}

/* A reader of a model re-adds its list; it must find what the fit said, also where it said that nothing is
 * private. */
static void check_round_trip(const hr_model *model) {
    char *text = render(model), *again = NULL;
    hr_model *parsed = NULL;
    hr_error err = {0};
    if (hr_model_parse(text, strlen(text), "model", &parsed, &err) != HR_OK)
        fail_msg("%s: %s", err.field, err.message);
    again = render(parsed);
    assert_string_equal(text, again);
    hr_model_free(parsed);
    hr_text_free(text);
    hr_text_free(again);
}

static void check_read_back(const setting *s, const hr_model *model) {
    (void)s;
    check_round_trip(model);
}

static void test_models__can_be_read_back(void **state) {
    (void)state;
    each_setting(check_read_back);
}

static void assert_not_private(const hr_model *model, const char *says) {
    const hr_guarantee *g = hr_model_guarantee(model);
    assert_false(g->is_private);
    assert_true(isinf(g->epsilon) && g->epsilon > 0 && isinf(g->epsilon_replace) && g->epsilon_replace > 0);
    assert_non_null(strstr(g->statement, "NOT DIFFERENTIALLY PRIVATE"));
    if (!strstr(g->statement, says)) fail_msg("'%s' does not say '%s'", g->statement, says);
    check_round_trip(model);
}

static void test_gbdt__releases_everything_as_it_is(void **state) {
    (void)state;
    static const size_t classes[] = {0, 2, 3};
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int mode = HR_MODE_SOUND; mode <= HR_MODE_PAPER; mode++) {
            table t = table_of_steps(200, 2, classes[c], c);
            hr_fit_options options = options_of("gbdt", (hr_mode)mode);
            options.trees = 3;
            hr_model *model = fit(t.data, &options);
            assert_true(model->release_count > 0);
            assert_int_equal(model->privacy_measure, HR_PRIVACY_NONE);
            for (size_t i = 0; i < model->release_count; i++)
                assert_int_equal(model->releases[i].mechanism, HR_MECHANISM_IDENTITY);
            assert_not_private(model, hr_method_find("gbdt")->flaws);
            hr_model_free(model);
            table_close(&t);
        }
}

static void test_paper_modes__never_claim_privacy(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para"};
    table t = table_of_steps(200, 2, 2, 1);
    for (size_t m = 0; m < COUNT(methods); m++)
        for (int reproducible = 0; reproducible < 2; reproducible++) {
            hr_fit_options options = options_of(methods[m], HR_MODE_PAPER);
            options.trees = 3;
            options.reproducible_noise = reproducible;
            hr_model *model = fit(t.data, &options);
            assert_not_private(model, hr_method_find(methods[m])->flaws);
            assert_non_null(strstr(hr_model_guarantee(model)->statement, "authors claim"));
            size_t splits = 0;
            for (size_t i = 0; i < model->release_count; i++) {
                if (strcmp(model->releases[i].what, "split") != 0) continue;
                assert_int_equal(model->releases[i].mechanism, HR_MECHANISM_EXPONENTIAL); /* as published */
                splits++;
            }
            assert_true(splits > 0);
            hr_model_free(model);
        }
    table_close(&t);
    assert_non_null(strstr(hr_method_find("dpboost")->flaws, "Lemma 1"));
    assert_non_null(strstr(hr_method_find("dpboost")->flaws, "fixed size"));
    for (size_t m = 0; m < COUNT(methods); m++)
        assert_non_null(
            strstr(hr_method_find(methods[m])->flaws,
                   "bin edges, and with gdf=off the largest gradients, are exact statistics of the records"));
}

static void test_reproducible_noise__is_said_to_be_no_privacy(void **state) {
    (void)state;
    static const char *const methods[] = {"dpboost", "seq", "para"};
    table t = table_of_steps(200, 2, 2, 1);
    for (size_t m = 0; m < COUNT(methods); m++) {
        hr_fit_options options = seeded_options_of(methods[m], HR_MODE_SOUND, 5);
        options.delta = m ? 1e-6 : 0;
        hr_model *model = fit(t.data, &options);
        assert_not_private(model, "seed");
        hr_model_free(model);
    }
    table_close(&t);
}

static void test_a_leak__is_said_to_be_no_privacy(void **state) {
    (void)state;
    table t = table_of_steps(200, 2, 2, 1);
    hr_fit_options options = options_of("hedge", HR_MODE_SOUND);
    options.leak = "the bounds of x";
    hr_model *model = fit(t.data, &options);
    assert_not_private(model, "Read off the records, and not paid for: the bounds of x.");
    hr_model_free(model);
    table_close(&t);
}

/* Features whose values are few are binned one by one: nothing is spent on edges, and trees get all of the
 * budget. */
static void test_releases__spend_on_edges_only_where_there_are_any_to_find(void **state) {
    (void)state;
    table t = table_open(50, 2);
    hr_column features[2] = {number_column("age", 0, 20), category_column("ward", 5)};
    features[0].integer = true;
    for (size_t i = 0; i < t.rows; i++) {
        t.columns[0][i] = (double)(i % 21);
        t.columns[1][i] = (double)(i % 6);
        t.labels[i] = (double)(i % 2);
    }
    table_make(&t, category_column("y", 2), features);
    hr_fit_options options = options_of("dpboost", HR_MODE_SOUND);
    hr_model *model = fit(t.data, &options);
    for (size_t i = 0; i < model->release_count; i++) assert_true(model->releases[i].tree >= 0);
    assert_true(hr_model_guarantee(model)->epsilon > .999);
    hr_model_free(model);
    table_close(&t);
}

/* Private edges are cuts of a public grid, of 2^16 cells (pure) or 2^14; edges of the records would lie
 * anywhere. */
static void check_grid(const char *method, double delta) {
    const double cells = delta > 0 ? 1 << 14 : 1 << 16;
    table t = table_of_steps(500, FEATURES, 2, 8);
    hr_fit_options options = options_of(method, HR_MODE_SOUND);
    options.epsilon = 8;
    options.delta = delta;
    options.edges = HR_EDGES_PRIVATE;
    hr_model *model = fit(t.data, &options);
    size_t edges = 0;
    for (size_t c = 0; c < model->predictor.column_count; c++)
        for (uint32_t e = 0; e + 2 < model->predictor.columns[c].bins.bin_count; e++, edges++) {
            double cell = model->predictor.columns[c].bins.edges[e] * cells; /* bounds are 0 and 1 */
            if (cell != rint(cell)) fail_msg("%s, delta %g: an edge is off the grid", method, delta);
        }
    assert_true(edges > 10);
    hr_model_free(model);
    table_close(&t);
}

static void test_edges__are_cuts_of_the_public_grid(void **state) {
    (void)state;
    static const char *const methods[] = {"hedge", "dpboost", "seq", "para", "inprivate"};
    for (size_t m = 0; m < COUNT(methods); m++) {
        check_grid(methods[m], 0);
        check_grid(methods[m], 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases__add_up_to_what_was_asked_for),
        cmocka_unit_test(test_releases__of_hedge_cost_the_whole_budget),
        cmocka_unit_test(test_guarantee__does_not_tell_the_rounds),
        cmocka_unit_test(test_releases__are_what_the_trees_are_made_of),
        cmocka_unit_test(test_trees__tell_the_noise_of_their_leaves),
        cmocka_unit_test(test_trees__tell_how_many_records_they_have),
        cmocka_unit_test(test_releases__share_the_budget_as_the_options_say),
        cmocka_unit_test(test_models__can_be_read_back),
        cmocka_unit_test(test_gbdt__releases_everything_as_it_is),
        cmocka_unit_test(test_paper_modes__never_claim_privacy),
        cmocka_unit_test(test_reproducible_noise__is_said_to_be_no_privacy),
        cmocka_unit_test(test_a_leak__is_said_to_be_no_privacy),
        cmocka_unit_test(test_releases__spend_on_edges_only_where_there_are_any_to_find),
        cmocka_unit_test(test_edges__are_cuts_of_the_public_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
