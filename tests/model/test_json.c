#include "parts.h"

static char *render(const hr_model *model) {
    char *json = NULL;
    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
    return json;
}

static hr_model *parse(const char *json) {
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_model_parse(json, strlen(json), "test.json", &model, &err);
    if (status) print_error("%s: %s\n", err.field, err.message);
    assert_int_equal(status, HR_OK);
    return model;
}

static void check_round_trip(hr_task task, hr_link link, size_t outputs, hr_currency currency) {
    parts p;
    parts_init(&p, task, link, outputs, 12, 4, currency);
    hr_model *model = make_model(&p);
    assert_int_equal(hr_model_check(model, NULL), HR_OK);
    char *json = render(model);
    hr_model *back = parse(json);
    char *again = render(back);
    assert_string_equal(again, json);

    enum { ROWS = 700 };
    hr_data *data = make_data(model, ROWS, false);
    double *first = calloc(ROWS * hr_model_output_count(model), sizeof *first),
           *second = calloc(ROWS * hr_model_output_count(back), sizeof *second);
    assert_int_equal(hr_model_predict(model, data, 1, first, NULL), HR_OK);
    assert_int_equal(hr_model_predict(back, data, 1, second, NULL), HR_OK);
    assert_memory_equal(first, second, ROWS * hr_model_output_count(model) * sizeof *first);

    const hr_guarantee *a = hr_model_guarantee(model), *b = hr_model_guarantee(back);
    assert_int_equal(a->is_private, b->is_private);
    assert_true(a->epsilon == b->epsilon && a->delta == b->delta);
    assert_true(a->epsilon_replace == b->epsilon_replace && a->delta_replace == b->delta_replace);
    assert_string_equal(a->statement, b->statement);
    free(first);
    free(second);
    hr_data_free(data);
    hr_text_free(json);
    hr_text_free(again);
    hr_model_free(back);
    hr_model_free(model);
    parts_done(&p);
}

static void test_round_trip__keeps_bytes_and_predictions(void **state) {
    (void)state;
    check_round_trip(HR_REGRESSION, HR_LINK_NUMBER, 1, HR_PURE);
    check_round_trip(HR_BINARY, HR_LINK_SIGNED, 1, HR_ZCDP);
    check_round_trip(HR_BINARY, HR_LINK_LOGISTIC, 2, HR_PURE);
    check_round_trip(HR_MULTICLASS, HR_LINK_SIGNED, 3, HR_NO_PRIVACY);
    check_round_trip(HR_MULTICLASS, HR_LINK_LOGISTIC, 3, HR_PURE);
}

static void test_round_trip__keeps_the_sign_of_zero(void **state) {
    (void)state;
    parts p;
    parts_init(&p, HR_REGRESSION, HR_LINK_NUMBER, 1, 1, 0, HR_PURE);
    p.model.forest.base[0] = -0.0;
    hr_model *model = make_model(&p);
    char *json = render(model);
    hr_model *back = parse(json);
    assert_true(signbit(back->forest.base[0]));
    hr_text_free(json);
    hr_model_free(back);
    hr_model_free(model);
    parts_done(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip__keeps_bytes_and_predictions),
        cmocka_unit_test(test_round_trip__keeps_the_sign_of_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
