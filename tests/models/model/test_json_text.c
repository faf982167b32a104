#include "models/model/json.h"

#include "support/model_parts.h"

static hr_status parse(hr_arena *arena, const char *text, const hr_json **out, hr_error *err) {
    return hr_json_parse(arena, text, strlen(text), out, err);
}

static void test_value__is_what_stands_there(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    const hr_json *v = NULL;
    assert_int_equal(
        parse(arena, " {\"a\": [1, -2.5e1, true],\r\n\t\"b\": {}, \"c\": [ ], \"d\": null, \"e\": false} \n",
              &v, NULL),
        HR_OK);
    assert_int_equal(v->kind, HR_JSON_OBJECT);
    assert_int_equal(v->count, 5);
    assert_int_equal(v->at, 1);
    const hr_json *a = hr_json_get(v, "a");
    assert_true(a->kind == HR_JSON_ARRAY && a->count == 3 && a->at == 7);
    assert_true(a->items[0].kind == HR_JSON_INTEGER && a->items[0].integer == 1 && a->items[0].number == 1);
    assert_true(a->items[1].kind == HR_JSON_NUMBER && a->items[1].number == -25);
    assert_int_equal(a->items[2].kind, HR_JSON_TRUE);
    assert_true(hr_json_get(v, "b")->kind == HR_JSON_OBJECT && hr_json_get(v, "b")->count == 0);
    assert_true(hr_json_get(v, "c")->kind == HR_JSON_ARRAY && hr_json_get(v, "c")->count == 0);
    assert_int_equal(hr_json_get(v, "d")->kind, HR_JSON_NULL);
    assert_int_equal(hr_json_get(v, "e")->kind, HR_JSON_FALSE);
    assert_null(hr_json_get(v, "f"));
    assert_null(hr_json_get(a, "a"));
    assert_null(hr_json_get(NULL, "a"));
    hr_arena_free(arena);
}

static void test_text__takes_every_escape(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    const hr_json *v = NULL;
    assert_int_equal(
        parse(arena, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\\u20AC\\ud83d\\ude00 \xc3\xa4\"", &v, NULL),
        HR_OK);
    assert_int_equal(v->kind, HR_JSON_TEXT);
    assert_string_equal(v->text, "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xc3\xa4");
    hr_arena_free(arena);
}

static void test_number__is_an_integer_within_64_bits(void **state) {
    (void)state;
    const struct {
        const char *text;
        hr_json_kind kind;
        int64_t integer;
        double number;
    } cases[] = {{"0", HR_JSON_INTEGER, 0, 0},
                 {"-7", HR_JSON_INTEGER, -7, -7},
                 {"9223372036854775807", HR_JSON_INTEGER, INT64_MAX, 0x1p63},
                 {"9223372036854775808", HR_JSON_NUMBER, 0, 0x1p63},
                 {"1.0", HR_JSON_NUMBER, 0, 1},
                 {"1e2", HR_JSON_NUMBER, 0, 100},
                 {"1E-2", HR_JSON_NUMBER, 0, 0.01},
                 {"4.9406564584124654e-324", HR_JSON_NUMBER, 0, 0x1p-1074}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        hr_arena *arena = hr_arena_new();
        const hr_json *v = NULL;
        assert_int_equal(parse(arena, cases[i].text, &v, NULL), HR_OK);
        assert_int_equal(v->kind, cases[i].kind);
        if (v->kind == HR_JSON_INTEGER) assert_true(v->integer == cases[i].integer);
        assert_true(v->number == cases[i].number);
        hr_arena_free(arena);
    }
    hr_arena *arena = hr_arena_new();
    const hr_json *zero = NULL;
    assert_int_equal(parse(arena, "-0", &zero, NULL), HR_OK);
    assert_true(zero->kind == HR_JSON_INTEGER && signbit(zero->number));
    hr_arena_free(arena);
}

static const struct {
    const char *text;
    uint64_t column;
    const char *message;
} refused[] = {
    {"", 1, "a value is expected"},
    {"  ", 3, "a value is expected"},
    {"nul", 1, "a value is expected"},
    {"NaN", 1, "a value is expected"},
    {"Infinity", 1, "a value is expected"},
    {"01", 1, "a value is expected"},
    {"+1", 1, "a value is expected"},
    {".5", 1, "a value is expected"},
    {"1.", 1, "a value is expected"},
    {"1e", 1, "a value is expected"},
    {"-", 1, "a value is expected"},
    {"0x10", 2, "unexpected text"},
    {"1 2", 3, "unexpected text"},
    {"1e999", 1, "too large"},
    {"[1,]", 4, "a value is expected"},
    {"[1 2]", 4, "a comma or ']'"},
    {"[1", 3, "a comma or ']'"},
    {"[1}", 3, "a comma or ']'"},
    {"{\"a\" 1}", 6, "a colon"},
    {"{\"a\":1,}", 8, "a key"},
    {"{a:1}", 2, "a key"},
    {"{\"a\":1", 7, "a comma or '}'"},
    {"{\"a\":1,\"a\":1}", 8, "occurs twice"},
    {"\"a", 3, "does not end"},
    {"\"a\\", 3, "escape"},
    {"\"a\nb\"", 3, "control character"},
    {"\"\\x\"", 2, "escape"},
    {"\"\\u12g4\"", 2, "escape"},
    {"\"\\u0000\"", 2, "escape"},
    {"\"\\ud800\"", 2, "escape"},
    {"\"\\ud800\\u0041\"", 2, "escape"},
    {"\"\\udc00\"", 2, "escape"},
    {"\"\\udc00\\udc00\"", 2, "escape"},
    {"\"\xc0\x80\"", 1, "UTF-8"},
    {"\"\xff\"", 1, "UTF-8"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 33, "nested"},
};

static void test_parse__refuses_what_is_no_json(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        hr_arena *arena = hr_arena_new();
        const hr_json *v = NULL;
        hr_error err = {0};
        assert_int_equal(parse(arena, refused[i].text, &v, &err), HR_E_FORMAT);
        if (err.line != 1 + (refused[i].text[0] == '\n') || err.column != refused[i].column ||
            !strstr(err.message, refused[i].message))
            fail_msg("%s: column %d: %s", refused[i].text, (int)err.column, err.message);
        assert_null(v);
        hr_arena_free(arena);
    }
}

static void test_parse__refuses_a_zero_byte(void **state) {
    (void)state;
    hr_arena *arena = hr_arena_new();
    const hr_json *v = NULL;
    assert_int_equal(hr_json_parse(arena, "1\0", 2, &v, NULL), HR_E_FORMAT);
    assert_int_equal(hr_json_parse(arena, "\"a\0b\"", 5, &v, NULL), HR_E_FORMAT);
    assert_int_equal(hr_json_parse(arena, "\0", 1, &v, NULL), HR_E_FORMAT);
    assert_null(v);
    hr_arena_free(arena);
}

static void test_parse__refuses_more_than_1000_keys(void **state) {
    (void)state;
    for (int count = 1000; count <= 1001; count++) {
        char *text = malloc(20000);
        size_t at = 0;
        assert_non_null(text);
        for (int i = 0; i < count; i++)
            at += (size_t)snprintf(text + at, 20000 - at, "%s\"%d\":0", i ? "," : "{", i);
        strcpy(text + at, "}");
        hr_arena *arena = hr_arena_new();
        const hr_json *v = NULL;
        assert_int_equal(parse(arena, text, &v, NULL), count == 1000 ? HR_OK : HR_E_FORMAT);
        hr_arena_free(arena);
        free(text);
    }
}

static void test_locate__counts_from_one(void **state) {
    (void)state;
    uint64_t line, column;
    hr_json_locate("ab\n\ncd", 0, &line, &column);
    assert_true(line == 1 && column == 1);
    hr_json_locate("ab\n\ncd", 2, &line, &column);
    assert_true(line == 1 && column == 3);
    hr_json_locate("ab\n\ncd", 5, &line, &column);
    assert_true(line == 3 && column == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value__is_what_stands_there),
        cmocka_unit_test(test_text__takes_every_escape),
        cmocka_unit_test(test_number__is_an_integer_within_64_bits),
        cmocka_unit_test(test_parse__refuses_what_is_no_json),
        cmocka_unit_test(test_parse__refuses_a_zero_byte),
        cmocka_unit_test(test_parse__refuses_more_than_1000_keys),
        cmocka_unit_test(test_locate__counts_from_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
