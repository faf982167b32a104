/* Marks that a person accepted in a schema go with the model: its schema is as little public when it is read
 * back. */
#include "support/model_files.h"

#include <hedgerow/hedgerow.h>

static const char golden[] = "model-4-dates.json";

typedef struct mark {
    const char *from, *to; /* marks the golden file */
    const char *named;     /* in the refusal */
} mark;

static const mark marks[] = {
    {"\"high\": 60, \"integer\": false", "\"high\": 60, \"integer\": false, \"review\": true", ": load"},
    {"\"high\": 23, \"integer\": true", "\"high\": 23, \"integer\": true, \"review\": true", ": when"},
    {"\"boolean\": true", "\"boolean\": true, \"review\": true", ": smoker"},
    {"[\"?\"]", "[\"?\"],\n    \"missing_review\": true", ": the spellings of missing"},
    {"[\"?\"]", "[\"?\"],\n    \"unused\": [\"k\", \"patient\"]", ": k, patient"},
    {"[\"?\"]", "[\"?\"],\n    \"missing_review\": true,\n    \"unused\": [\"k\"]",
     ": k, the spellings of missing"},
};

static char *marked(const char *text, const mark *m) {
    return forge_model(text, &(forgery){m->from, m->to, NULL, NULL});
}

static void test_schema_of_a_file__is_not_public_where_marks_were_accepted(void **state) {
    (void)state;
    char *text = written_golden(golden);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        hr_error err = {0};
        char *marked_text = marked(text, &marks[i]);
        hr_model *model = parse_model(marked_text);
        assert_int_equal(hr_schema_reviewed(hr_model_schema(model), NULL), HR_OK);
        assert_int_equal(hr_schema_public(hr_model_schema(model), &err), HR_E_POLICY);
        if (!strstr(err.message, marks[i].named)) fail_msg("mark %zu: %s", i, err.message);
        char *again = render(model);
        assert_string_equal(again, marked_text);
        hr_text_free(again);
        hr_model_free(model);
        free(marked_text);
    }
    free(text);
}

static void test_schema_of_a_file__is_public_without_marks(void **state) {
    (void)state;
    hr_model *model = parse_golden(golden);
    assert_int_equal(hr_schema_public(hr_model_schema(model), NULL), HR_OK);
    hr_model_free(model);
}

static void test_forged__marks_are_refused(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"boolean\": true", "\"boolean\": true, \"review\": 1", "schema.features[4].review",
         "true or false"},
        {"[\"?\"]", "[\"?\"], \"missing_review\": \"yes\"", "schema.missing_review", "true or false"},
        {"[\"?\"]", "[\"?\"], \"unused\": [1]", "schema.unused[0]", "text"},
        {"[\"?\"]", "[\"?\"], \"unused\": [\"load\"]", "schema.unused[0]", "load"},
    };
    assert_refused(golden, forgeries, sizeof forgeries / sizeof *forgeries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema_of_a_file__is_not_public_where_marks_were_accepted),
        cmocka_unit_test(test_schema_of_a_file__is_public_without_marks),
        cmocka_unit_test(test_forged__marks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
