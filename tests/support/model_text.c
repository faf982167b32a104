#include "support/model_text.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *render(const hr_model *model) {
    char *json = NULL;
    assert_int_equal(hr_model_render(model, &json, NULL), HR_OK);
    return json;
}

hr_model *parse_model(const char *json) {
    hr_model *model = NULL;
    hr_error err = {0};
    hr_status status = hr_model_parse(json, strlen(json), "test.json", &model, &err);
    if (status) print_error("%s: %s\n", err.field, err.message);
    assert_int_equal(status, HR_OK);
    return model;
}

char *written_again(const hr_model *model) {
    char *json = render(model);
    hr_model *again = parse_model(json);
    char *twice = render(again);
    assert_string_equal(json, twice);
    hr_text_free(twice);
    hr_model_free(again);
    return json;
}

void refuse_forged(const char *json, const forged_model *forged, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hr_model *model = NULL;
        hr_error err = {0};
        char *wrong = text_with(json, forged[i].from, forged[i].to);
        assert_int_equal(hr_model_parse(wrong, strlen(wrong), "m", &model, &err),
                         forged[i].status ? forged[i].status : HR_E_FORMAT);
        assert_null(model);
        if (forged[i].field) assert_string_equal(err.field, forged[i].field);
        if (forged[i].message && !strstr(err.message, forged[i].message)) fail_msg("%s", err.message);
        free(wrong);
    }
}

char *text_with(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("the text lacks %s", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(out);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}
