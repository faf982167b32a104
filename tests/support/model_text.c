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

char *text_with(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("the text lacks %s", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(out);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}
