/* Models of tables with dates, formatted numbers and booleans: the file, what it must not say, and
 * predictions of a raw table from the model alone. */
#include "support/model_files.h"

#include <hedgerow/hedgerow.h>

static const char golden[] = "model-4-dates.json";

static void test_golden__is_read_and_written_alike(void **state) {
    (void)state;
    char *text = written_golden(golden);
    hr_model *model = parse_golden(golden);
    char *again = render(model);
    assert_string_equal(again, text);
    const hr_schema *schema = hr_model_schema(model);
    assert_int_equal(hr_schema_feature_count(schema), 5);
    assert_string_equal(hr_schema_feature(schema, 2)->date->format, "%d.%m.%Y %H:%M");
    assert_ptr_equal(hr_schema_feature(schema, 0)->date, hr_schema_feature(schema, 2)->date);
    assert_int_equal(hr_schema_feature(schema, 0)->part, HR_DATE_PART_HOUR);
    hr_text_free(again);
    free(text);
    hr_model_free(model);
}

/* The raw table has one column for three features. */
static void test_predict__reads_a_raw_table_by_the_model_alone(void **state) {
    (void)state;
    static const char table[] = "smoker,amount,when\nyes,\"2.000,00 \xe2\x82\xac\",06.01.2024 12:00\n"
                                "no,\"10,00 \xe2\x82\xac\",06.01.2024 02:30\nF,10,06.01.2024 24:00\n,?,\n";
    hr_model *model = parse_golden(golden);
    hr_read_options options = HR_READ_OPTIONS_INIT;
    hr_data *data = NULL;
    hr_error err = {0};
    double said[4];
    options.label_optional = true;
    if (hr_data_parse(hr_model_schema(model), table, sizeof table - 1, &options, &data, &err))
        fail_msg("%s", err.message);
    assert_true(hr_data_numbers(data, 0)[0] == 12 && hr_data_numbers(data, 1)[0] == 6);
    assert_true(hr_data_numbers(data, 2)[0] == 7.5 && hr_data_numbers(data, 3)[0] == 2000);
    assert_int_equal(hr_model_predict(model, data, 1, said, NULL), HR_OK);
    assert_true(said[0] > said[1] + 5); /* noon of a smoker; night */
    assert_true(said[1] == said[2]);
    hr_data_free(data);
    hr_model_free(model);
}

static void test_forged__models_are_refused(void **state) {
    (void)state;
    static const forgery forgeries[] = {
        {"\"name\": \"when.hour\"", "\"name\": \"when.hours\"", "schema.features[0].name",
         "not the hour of 'when'"},
        {"\"high\": 23", "\"high\": 24", "schema.features[0].name", "not the hour of 'when'"},
        {"\"high\": 62", "\"high\": 63", "schema.features[2].name", "not the trend of 'when'"},
        {"\"part\": \"hour\"", "\"part\": \"minute\"", "schema.features[0].name", "not the minute of 'when'"},
        {"\"part\": \"hour\"", "\"part\": \"hours\"", "schema.features[0].part", "'hours' is unknown"},
        {", \"part\": \"hour\"", "", "schema.features[0].part", "the key is missing"},
        {"\"date\": \"when\"", "\"date\": \"then\"", "schema.features[0].date", "no 'then' among the dates"},
        {"\"offset\": \"refused\"", "\"offset\": \"cet\"", "schema.dates[0].offset", "'cet' is unknown"},
        {"\"from\": \"2023-12-30\"", "\"from\": \"2024-03-01\"", "schema.features[0].to", "not before"},
        {"\"from\": \"2023-12-30\"", "\"from\": \"30.12.2023\"", "schema.dates[0]", "must be days"},
        {"%d.%m.%Y %H:%M", "%d.%m.%Y %M", "schema.features[0].format", "is not usable"},
        {"\"decimal\": \",\"", "\"decimal\": \",,\"", "schema.features[3].decimal", "one character"},
        {"\"decimal\": \",\"", "\"decimal\": \";\"", "schema.features[3].decimal", "decimal mark"},
        {"\"thousands\": \".\"", "\"thousands\": \",\"", "schema.features[3].thousands", "decimal mark too"},
        {"\"symbol\": \"", "\"symbol\": \"5", "schema.features[3].symbol", "digit or a sign"},
        {"[\"false\", \"true\"]", "[\"true\", \"false\"]", "schema.features[4].values[1]", "false and true"},
        {"\"boolean\": true", "\"boolean\": 1", "schema.features[4].boolean", "true or false"},
        {"\"integer\": false}", "\"integer\": false, \"date\": \"when\", \"part\": \"hour\"}",
         "schema.label.date", "no 'when' among the dates"},
    };
    assert_refused(golden, forgeries, sizeof forgeries / sizeof *forgeries);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden__is_read_and_written_alike),
        cmocka_unit_test(test_predict__reads_a_raw_table_by_the_model_alone),
        cmocka_unit_test(test_forged__models_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
