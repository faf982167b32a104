/* The question of an evaluation over owners: the model arrives as it was sent, and no other is read. */
#include "federation/federated/evaluation_question.h"
#include "support/tables.h"

#include <stdlib.h>
#include <string.h>

typedef struct question_world {
    table table;
    hr_model *model;
    char fingerprint[HR_DIGEST_TEXT];
    hr_bytes body;
} question_world;

static int open_world(void **state) {
    question_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->table = table_of_steps(200, 2, 2, 3);
    hr_fit_options options = options_of("gbdt", HR_MODE_SOUND);
    options.trees = 3;
    w->model = fit(w->table.data, &options);
    char *json = NULL;
    assert_int_equal(hr_model_render(w->model, &json, NULL), HR_OK);
    w->body = (hr_bytes){(uint8_t *)json, strlen(json)};
    hr_sha256_text(json, w->body.size, w->fingerprint);
    *state = w;
    return 0;
}

static int close_world(void **state) {
    question_world *w = *state;
    hr_text_free((char *)w->body.at);
    hr_model_free(w->model);
    table_close(&w->table);
    free(w);
    return 0;
}

static void test_evaluation_question__brings_the_model_as_it_is(void **state) {
    const question_world *w = *state;
    hr_model *read = NULL;
    char *sent = NULL, *received = NULL;
    assert_int_equal(hr_evaluation_question_read(&w->body, w->fingerprint, w->table.schema, &read, NULL),
                     HR_OK);
    assert_int_equal(hr_model_render(w->model, &sent, NULL), HR_OK);
    assert_int_equal(hr_model_render(read, &received, NULL), HR_OK);
    assert_string_equal(sent, received);
    assert_memory_equal(sent, w->body.at, w->body.size);
    hr_text_free(sent);
    hr_text_free(received);
    hr_model_free(read);
}

static void assert_not_read(hr_bytes body, const char *fingerprint, const hr_schema *schema, hr_status status,
                            const char *says) {
    hr_model *read = NULL;
    hr_error err = {0};
    assert_int_equal(hr_evaluation_question_read(&body, fingerprint, schema, &read, &err), status);
    if (!strstr(err.message, says)) fail_msg("%s", err.message);
    assert_null(read);
}

static void test_evaluation_question__refuses_another_model_by_name(void **state) {
    const question_world *w = *state;
    uint8_t *other = malloc(w->body.size);
    assert_non_null(other);
    memcpy(other, w->body.at, w->body.size);
    for (size_t at = 0; at < w->body.size; at += w->body.size / 50) {
        other[at] ^= 1;
        assert_not_read((hr_bytes){other, w->body.size}, w->fingerprint, w->table.schema, HR_E_POLICY,
                        w->fingerprint);
        other[at] ^= 1;
    }
    assert_not_read((hr_bytes){other, w->body.size - 1}, w->fingerprint, w->table.schema, HR_E_POLICY,
                    w->fingerprint);
    assert_not_read((hr_bytes){NULL, 0}, w->fingerprint, w->table.schema, HR_E_POLICY, w->fingerprint);
    free(other);
}

/* Terms may name the fingerprint of anything. */
static void test_evaluation_question__refuses_what_is_no_model_of_the_owner(void **state) {
    const question_world *w = *state;
    char fingerprint[HR_DIGEST_TEXT];
    uint8_t text[] = "{\"format\": \"none\"}";
    hr_sha256_text(text, sizeof text - 1, fingerprint);
    assert_not_read((hr_bytes){text, sizeof text - 1}, fingerprint, w->table.schema, HR_E_FORMAT, "");
    table other = table_of_steps(20, 3, 2, 3);
    assert_not_read(w->body, w->fingerprint, other.schema, HR_E_SCHEMA, "another schema");
    table_close(&other);
    char *compressed = NULL;
    size_t size = 0;
    assert_int_equal(hr_model_pack(w->model, "m.json.gz", &compressed, &size, NULL), HR_OK);
    hr_sha256_text(compressed, size, fingerprint);
    assert_not_read((hr_bytes){(uint8_t *)compressed, size}, fingerprint, w->table.schema, HR_E_FORMAT, "");
    hr_text_free(compressed);
    const size_t large = HR_EVALUATION_QUESTION_MAX + 1;
    uint8_t *bytes = calloc(large, 1);
    assert_non_null(bytes);
    assert_not_read((hr_bytes){bytes, large}, w->fingerprint, w->table.schema, HR_E_LIMIT, "at most");
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_evaluation_question__brings_the_model_as_it_is, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(test_evaluation_question__refuses_another_model_by_name, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(test_evaluation_question__refuses_what_is_no_model_of_the_owner,
                                        open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
