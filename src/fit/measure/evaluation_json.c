/* Released figures as JSON, on a line of its own. */
#include "base/buffer.h"
#include "base/text/number.h"

#include <hedgerow/evaluation.h>
#include <inttypes.h>
#include <math.h>

typedef struct json_member {
    const char *name;
    double value;
} json_member;

/* JSON has no NaN: null stands for it. */
static void add_members(hr_buffer *b, const json_member *members, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[HR_NUMBER_TEXT] = "null";
        if (isfinite(members[i].value)) hr_number_text(members[i].value, text);
        hr_buffer_format(b, "%s\"%s\": %s", i ? ", " : "", members[i].name, text);
    }
}

static void add_figure(hr_buffer *b, const hr_figure *figure) {
    const json_member members[] = {
        {"value", figure->value}, {"noise", figure->noise}, {"low", figure->low}, {"high", figure->high}};
    hr_buffer_format(b, "\"%s\": {", figure->name);
    add_members(b, members, 4);
    hr_buffer_text(b, "}");
}

static void add_budget(hr_buffer *b, const hr_evaluation *e) {
    const json_member members[] = {{"epsilon", e->epsilon},
                                   {"delta", e->delta},
                                   {"epsilon_replace", e->epsilon_replace},
                                   {"delta_replace", e->delta_replace}};
    add_members(b, members, 4);
}

static void add_release(hr_buffer *b, const hr_release_info *release) {
    hr_buffer_format(b, "{\"what\": \"%s\", \"mechanism\": \"%s\", \"sensitivity\": %" PRIu64 ", ",
                     release->what, release->mechanism, release->sensitivity);
    add_members(b, (json_member[]){{"scale", release->scale}, {"cost", release->cost}}, 2);
    hr_buffer_format(b, ", \"draws\": %" PRIu64 "}", release->draws);
}

/* Names, what was released and the statement are texts of this program: nothing in them needs escaping. */
hr_status hr_evaluation_render(const hr_evaluation *e, char **text, hr_error *err) {
    hr_buffer b = {0};
    hr_buffer_text(&b, "{\"exact\": false, \"figures\": {");
    for (size_t i = 0; i < e->figure_count; i++) {
        if (i) hr_buffer_text(&b, ", ");
        add_figure(&b, &e->figures[i]);
    }
    hr_buffer_text(&b, "}, ");
    add_budget(&b, e);
    hr_buffer_format(&b, ", \"statement\": \"%s\", \"releases\": [", e->statement);
    for (size_t i = 0; i < e->release_count; i++) {
        if (i) hr_buffer_text(&b, ", ");
        add_release(&b, &e->releases[i]);
    }
    hr_buffer_text(&b, "]}\n");
    return hr_buffer_take(&b, text, err);
}
