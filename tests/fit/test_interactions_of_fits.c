/* Interactions of fits: models obey and state them, what cannot be is refused before anything is spent, and
 * starts are bound by them, too. */
#include "support/model_text.h"
#include "support/tables.h"
#include "trees/tree/interactions.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000 };

static void set(hr_fit_options *options, const char *interactions) {
    hr_error err = {0};
    if (hr_fit_options_set(options, "interactions", interactions, &err)) fail_msg("%s", err.message);
}

static hr_fit_options limited(const char *interactions, uint64_t seed) {
    hr_fit_options options = seeded_options_of("hedge", HR_MODE_SOUND, seed);
    options.epsilon = 20;
    set(&options, interactions);
    return options;
}

static size_t obey(const hr_model *model, const char *interactions) {
    hr_arena *arena = hr_arena_new();
    hr_interactions made;
    assert_int_equal(hr_interactions_read(interactions, model->schema, arena, &made, NULL), HR_OK);
    const size_t trees = hr_forest_obeys(&model->forest, &made);
    hr_arena_free(arena);
    return trees;
}

/* ---- Models ---- */

static void test_models__obey_and_state_what_the_fit_was_told(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"none", "none"},
        {"pairs", "pairs"},
        {"[[x0, x2], [x2, x1, x3]]", "[[\"x0\", \"x2\"], [\"x2\", \"x1\", \"x3\"]]"}};
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        table t = table_of_steps(ROWS, 5, classes, 3);
        for (size_t i = 0; i < COUNT(texts); i++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                hr_fit_options options = limited(texts[i][0], seed);
                hr_model *model = fit(t.data, &options);
                assert_string_equal(hr_model_interactions(model), texts[i][1]);
                assert_int_equal(obey(model, texts[i][0]), hr_model_tree_count(model));
                assert_int_equal(hr_model_is_additive(model), i == 0);
                hr_model_free(model);
            }
        table_close(&t);
    }
}

/* What is new changes nothing of a fit that does not use it. */
static void test_all__is_what_no_interactions_are(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 5, 2, 4);
    hr_fit_options plain = seeded_options_of("hedge", HR_MODE_SOUND, 7), all = plain;
    set(&all, "pairs");
    set(&all, "all");
    char *texts[] = {fit_text(t.data, &plain), fit_text(t.data, &all)};
    assert_string_equal(texts[0], texts[1]);
    assert_null(strstr(texts[0], "interactions"));
    hr_text_free(texts[0]);
    hr_text_free(texts[1]);
    table_close(&t);
}

/* The scores of an additive model are sums of one number for each feature: what two features change together
 * is what they change alone, by the published forest alone. */
static void test_additive_models__add_up(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 3, 0, 5);
    hr_fit_options options = limited("none", 1);
    hr_model *model = fit(t.data, &options);
    double corners[4];
    for (size_t i = 0; i + 3 < 40; i += 4) {
        table four = table_open(4, 3);
        for (size_t j = 0; j < 4; j++)
            for (size_t f = 0; f < 3; f++)
                four.columns[f][j] = t.columns[f][i + (f == 0 ? j % 2 : f == 1 ? j / 2 : 0)];
        table_make_plain(&four, 0);
        assert_int_equal(hr_model_scores(model, four.data, 1, corners, NULL), HR_OK);
        assert_true(fabs(corners[3] - corners[1] - corners[2] + corners[0]) < 1e-12);
        table_close(&four);
    }
    hr_model_free(model);
    table_close(&t);
}

/* A model whose trees go beyond what it states was not written by a fit. */
static void test_models__that_do_not_obey_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *stated, *field, *message;
    } cases[] = {{"none", "trees[", "the setting 'interactions' keeps apart"},
                 {"[[\\\"x0\\\", \\\"x1\\\"]]", "trees[", "the setting 'interactions' keeps apart"},
                 {"[[\\\"x0\\\", \\\"z\\\"]]", "settings.interactions", "no lists of features"},
                 {"some", "settings.interactions", "no lists of features"},
                 {"[[\\\"x0\\\"]]", "settings.interactions", "no lists of features"}};
    table t = table_of_steps(ROWS, 4, 2, 6);
    hr_fit_options options = limited("all", 2);
    char *text = fit_text(t.data, &options);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char added[100];
        snprintf(added, sizeof added, "\"settings\": {\"interactions\": \"%s\",", cases[i].stated);
        char *forged = text_with(text, "\"settings\": {", added);
        hr_model *model = NULL;
        hr_error err = {0};
        assert_int_equal(hr_model_parse(forged, strlen(forged), "forged", &model, &err), HR_E_FORMAT);
        if (!strstr(err.message, cases[i].message)) fail_msg("%s", err.message);
        assert_int_equal(strncmp(err.field, cases[i].field, strlen(cases[i].field)), 0);
        assert_null(model);
        free(forged);
    }
    hr_text_free(text);
    table_close(&t);
}

/* ---- What is refused ---- */

static void test_groups__of_no_features_are_refused_before_anything_is_spent(void **state) {
    (void)state;
    table t = table_of_steps(200, 3, 2, 7);
    hr_fit_options options = limited("[[x0, x9]]", 1);
    hr_model *model = NULL;
    hr_plan_info plan;
    hr_error err = {0}, planned = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_non_null(strstr(err.message, "the schema has no feature 'x9'"));
    assert_string_equal(err.field, "interactions");
    assert_null(model);
    assert_int_equal(hr_fit_plan(&options, 200, t.schema, &plan, &planned), HR_E_ARGUMENT);
    assert_string_equal(planned.message, err.message);
    assert_int_equal(hr_fit_plan(&options, 200, NULL, &plan, NULL), HR_OK); /* no names are known */
    assert_true(plan.lists);
    table_close(&t);
}

static void test_other_methods__have_no_interactions(void **state) {
    (void)state;
    for (size_t i = 0; i < hr_method_count(); i++) {
        const hr_method_info *method = hr_method_at(i);
        hr_fit_options options = options_of(method->name, HR_MODE_SOUND);
        hr_error err = {0};
        hr_status status = hr_fit_options_set(&options, "interactions", "none", &err);
        assert_int_equal(status, strcmp(method->name, "hedge") ? HR_E_ARGUMENT : HR_OK);
        if (status) assert_non_null(strstr(err.message, "has no option 'interactions'"));
    }
}

/* A program may write to the field itself. */
static void test_options__that_were_not_set_by_name_are_checked(void **state) {
    (void)state;
    table t = table_of_steps(200, 3, 2, 8);
    hr_fit_options options = limited("none", 1);
    memset(options.interactions, 'x', sizeof options.interactions);
    hr_model *model = NULL;
    hr_error err = {0};
    assert_int_equal(hr_fit(t.data, &options, &model, &err), HR_E_ARGUMENT);
    assert_string_equal(err.field, "interactions");
    table_close(&t);
}

/* ---- Starts ---- */

static void test_starts__must_obey(void **state) {
    (void)state;
    table t = table_of_steps(ROWS, 4, 2, 9);
    hr_fit_options all = limited("all", 1), none = limited("none", 2), pairs = limited("pairs", 3);
    hr_model *any = fit(t.data, &all), *additive = fit(t.data, &none), *model = NULL;
    hr_error err = {0};
    none.start = any;
    none.start_is_public = pairs.start_is_public = true; /* noise of a seed is not private */
    assert_int_equal(hr_fit(t.data, &none, &model, &err), HR_E_ARGUMENT);
    assert_non_null(
        strstr(err.message, "a tree of the start splits by features that the interactions of this fit"));
    assert_string_equal(err.field, "start");
    none.start = additive;
    model = fit(t.data, &none);
    assert_true(hr_model_is_additive(model));
    hr_model_free(model);
    pairs.start = additive;
    model = fit(t.data, &pairs);
    assert_int_equal(obey(model, "pairs"), hr_model_tree_count(model));
    hr_model_free(model);
    hr_model_free(any);
    hr_model_free(additive);
    table_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models__obey_and_state_what_the_fit_was_told),
        cmocka_unit_test(test_all__is_what_no_interactions_are),
        cmocka_unit_test(test_additive_models__add_up),
        cmocka_unit_test(test_models__that_do_not_obey_are_refused),
        cmocka_unit_test(test_groups__of_no_features_are_refused_before_anything_is_spent),
        cmocka_unit_test(test_other_methods__have_no_interactions),
        cmocka_unit_test(test_options__that_were_not_set_by_name_are_checked),
        cmocka_unit_test(test_starts__must_obey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
