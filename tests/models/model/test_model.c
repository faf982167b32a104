#include "support/model_parts.h"

static void test_make__takes_the_arena_and_copies_the_rest(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 3, 3, HR_PRIVACY_PURE);
    char method[] = "hedge", name[] = "trees", value[] = "3", what[] = "split", statement[] = "Proved.";
    hr_setting setting = {name, value};
    hr_release release = p.model.releases[0];
    release.what = what;
    p.model.method = method;
    p.model.settings = &setting;
    p.model.setting_count = 1;
    p.model.releases = &release;
    p.model.release_count = 1;
    p.model.guarantee.statement = statement;
    hr_model *model = make_model(&p);
    const size_t nodes = p.model.forest.trees[0].node_count;
    const double leaf = p.model.forest.trees[0].nodes[nodes - 1].value;
    method[0] = name[0] = value[0] = what[0] = statement[0] = '?';
    assert_null(p.model.arena);
    parts_done(&p);

    assert_string_equal(hr_model_method(model), "hedge");
    assert_int_equal(hr_model_mode(model), HR_MODE_SOUND);
    assert_int_equal(hr_model_tree_count(model), 3);
    assert_int_equal(hr_schema_feature_count(hr_model_schema(model)), FEATURES);
    assert_string_equal(model->settings[0].name, "trees");
    assert_string_equal(model->settings[0].value, "3");
    assert_string_equal(model->releases[0].what, "split");
    assert_string_equal(hr_model_guarantee(model)->statement, "Proved.");
    assert_true(model->forest.trees[0].nodes[nodes - 1].value == leaf);
    assert_true(model->forest.base[0] < 1);
    hr_model_free(model);
}

static void test_make__takes_a_model_without_trees_or_releases(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_REGRESSION, HR_LINK_NUMBER, 1}, 0, 0, HR_PRIVACY_NONE);
    p.model.release_count = p.model.setting_count = 0;
    p.model.releases = NULL;
    p.model.settings = NULL;
    p.model.guarantee.statement = NULL;
    hr_model *model = make_model(&p);
    assert_int_equal(hr_model_check(model, NULL), HR_OK);
    assert_string_equal(hr_model_guarantee(model)->statement, "");
    hr_model_free(model);
    parts_done(&p);
    hr_model_free(NULL);
}

static double records_of(const char *name, const char *value) {
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_PURE);
    hr_setting settings[] = {{"trees", "7"}, {name, value}};
    p.model.settings = settings;
    p.model.setting_count = COUNT(settings);
    hr_model *model = make_model(&p);
    double records = hr_model_records(model);
    hr_model_free(model);
    parts_done(&p);
    return records;
}

static void test_records__are_what_was_released(void **state) {
    (void)state;
    assert_true(records_of("records", "1234.015625") == 1234.015625);
    assert_true(records_of("bins", "1234") == 0);
    assert_true(records_of("records", "many") == 0);
    assert_true(records_of("records", "-3") == 0);
}

static void test_release__tells_what_was_published(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_PURE);
    hr_model *model = make_model(&p);
    hr_release_info info = {0};
    assert_int_equal(hr_model_release_count(model), 5);
    assert_true(hr_model_release_at(model, 1, &info));
    assert_string_equal(info.what, "leaf sum");
    assert_string_equal(info.mechanism, "discrete laplace");
    assert_true(info.tree == 0 && info.level == -1 && info.group == 0 && info.part == 0);
    assert_true(info.sensitivity == 7 && info.draws == 2);
    assert_true(fabs(info.cost - 1.0 / 3) < 1e-11);
    assert_true(fabs(info.scale - 21) < 1e-9);
    assert_false(hr_model_release_at(model, 5, &info));
    hr_model_free(model);
    parts_done(&p);
}

static void test_account__adds_groups_of_their_costliest_part(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_PURE);
    const hr_units total = HR_UNIT / 8 + HR_UNIT / 3 + 1 + HR_UNIT / 16;
    assert_true(p.model.guarantee.is_private);
    assert_true(p.model.guarantee.epsilon == hr_units_value(total));
    assert_true(p.model.guarantee.epsilon_replace == 2 * hr_units_value(total));
    assert_true(p.model.guarantee.delta == 0 && p.model.guarantee.delta_replace == 0);
    parts_done(&p);
}

static void test_account__converts_zcdp(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_ZCDP);
    const hr_guarantee *g = &p.model.guarantee;
    const hr_units total = HR_UNIT / 8 + HR_UNIT / 3 + 1 + HR_UNIT / 16;
    assert_true(g->is_private && g->delta == 1e-6 && g->delta_replace == 1e-6);
    assert_true(g->epsilon == hr_zcdp_epsilon(total, 1e-6));
    assert_true(g->epsilon_replace == hr_zcdp_epsilon(4 * total, 1e-6));
    parts_done(&p);
}

static void test_account__converts_gdp(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_GDP);
    const hr_guarantee *g = &p.model.guarantee;
    const hr_units total = HR_UNIT / 8 + HR_UNIT / 3 + 1 + HR_UNIT / 16;
    assert_true(g->is_private && g->delta == 1e-6 && g->delta_replace == 1e-6);
    assert_true(g->epsilon == hr_gdp_epsilon(total, 1e-6) && g->epsilon < hr_zcdp_epsilon(total / 2, 1e-6));
    assert_true(g->epsilon_replace == hr_gdp_epsilon(4 * total, 1e-6));
    parts_done(&p);
}

/* What another machine's erfc may fall short by passes, and is proved; more does not. */
static void test_check__allows_gdp_the_last_bits_of_epsilon(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_GDP);
    hr_guarantee *g = &p.model.guarantee;
    const double epsilon = g->epsilon;
    hr_error err = {0};
    g->epsilon = epsilon - 0x1p-35;
    assert_int_equal(hr_model_check(&p.model, &err), HR_OK);
    g->epsilon = epsilon - 0x1p-33;
    assert_int_equal(hr_model_check(&p.model, &err), HR_E_FORMAT);
    assert_string_equal(err.field, "guarantee.epsilon");
    g->epsilon = epsilon;
    p.model.releases[1].cost -= HR_UNIT >> 20; /* of a leaf sum: its noise no longer justifies it */
    assert_int_equal(hr_model_check(&p.model, &err), HR_E_POLICY);
    parts_done(&p);
}

/* A guarantee may promise less than the releases prove, in every privacy measure; none that is below them,
 * and no infinite one. */
static void test_check__wants_a_guarantee_that_covers_the_releases(void **state) {
    (void)state;
    static const hr_privacy_measure privacy_measures[] = {HR_PRIVACY_PURE, HR_PRIVACY_ZCDP, HR_PRIVACY_GDP};
    for (size_t i = 0; i < COUNT(privacy_measures); i++) {
        parts p;
        parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, privacy_measures[i]);
        double *const amounts[] = {&p.model.guarantee.epsilon, &p.model.guarantee.epsilon_replace};
        static const char *const fields[] = {"guarantee.epsilon", "guarantee.epsilon_replace"};
        for (size_t a = 0; a < COUNT(amounts); a++) {
            const double exact = *amounts[a];
            const struct {
                double said;
                hr_status status;
            } cases[] = {{nextafter(exact, 1e9), HR_OK},
                         {exact + .5, HR_OK},
                         {exact - 1e-9, HR_E_FORMAT},
                         {HUGE_VAL, HR_E_FORMAT}};
            for (size_t c = 0; c < COUNT(cases); c++) {
                hr_error err = {0};
                *amounts[a] = cases[c].said;
                assert_int_equal(hr_model_check(&p.model, &err), cases[c].status);
                if (cases[c].status) assert_string_equal(err.field, fields[a]);
            }
            *amounts[a] = exact;
        }
        parts_done(&p);
    }
}

static void test_account__calls_exact_answers_not_private(void **state) {
    (void)state;
    parts p;
    parts_init(&p, (model_kind){HR_TASK_BINARY, HR_LINK_SIGNED, 1}, 1, 1, HR_PRIVACY_PURE);
    hr_guarantee g;
    hr_release identity = p.model.releases[0];
    identity.mechanism = HR_MECHANISM_IDENTITY;
    assert_int_equal(hr_model_account(&identity, 1, HR_PRIVACY_PURE, 0, &g, NULL), HR_OK);
    assert_true(!g.is_private && isinf(g.epsilon) && isinf(g.epsilon_replace));
    assert_int_equal(hr_model_account(p.model.releases, 5, HR_PRIVACY_NONE, 0, &g, NULL), HR_OK);
    assert_true(!g.is_private && isinf(g.epsilon));
    hr_release huge = p.model.releases[0];
    huge.cost = HR_UNITS_MAX;
    assert_int_equal(hr_model_account(&huge, 1, HR_PRIVACY_ZCDP, 1e-6, &g, NULL), HR_OK);
    assert_false(g.is_private);
    parts_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make__takes_the_arena_and_copies_the_rest),
        cmocka_unit_test(test_make__takes_a_model_without_trees_or_releases),
        cmocka_unit_test(test_records__are_what_was_released),
        cmocka_unit_test(test_release__tells_what_was_published),
        cmocka_unit_test(test_account__adds_groups_of_their_costliest_part),
        cmocka_unit_test(test_account__converts_zcdp),
        cmocka_unit_test(test_account__converts_gdp),
        cmocka_unit_test(test_check__allows_gdp_the_last_bits_of_epsilon),
        cmocka_unit_test(test_check__wants_a_guarantee_that_covers_the_releases),
        cmocka_unit_test(test_account__calls_exact_answers_not_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
