/* Released figures as JSON, on a line of its own. */
#include "base/buffer.h"
#include "base/number.h"

#include <hedgerow/evaluation.h>
#include <inttypes.h>
#include <math.h>

/* JSON has no NaN: null stands for it. */
static void add_member(hr_buffer *b, const char *name, double value) {
    char text[HR_NUMBER_TEXT] = "null";
    if (isfinite(value)) hr_number_render(value, text);
    hr_buffer_format(b, "\"%s\": %s", name, text);
}

static void add_figure(hr_buffer *b, const hr_figure *figure) {
    hr_buffer_format(b, "\"%s\": {", figure->name);
    add_member(b, "value", figure->value);
    hr_buffer_text(b, ", ");
    add_member(b, "noise", figure->noise);
    hr_buffer_text(b, ", ");
    add_member(b, "low", figure->low);
    hr_buffer_text(b, ", ");
    add_member(b, "high", figure->high);
    hr_buffer_text(b, "}");
}

static void add_budget(hr_buffer *b, const hr_evaluation *e) {
    add_member(b, "epsilon", e->epsilon);
    hr_buffer_text(b, ", ");
    add_member(b, "delta", e->delta);
    hr_buffer_text(b, ", ");
    add_member(b, "epsilon_replace", e->epsilon_replace);
    hr_buffer_text(b, ", ");
    add_member(b, "delta_replace", e->delta_replace);
}

static void add_release(hr_buffer *b, const hr_release_info *release) {
    hr_buffer_format(b, "{\"what\": \"%s\", \"mechanism\": \"%s\", \"sensitivity\": %" PRIu64 ", ",
                     release->what, release->mechanism, release->sensitivity);
    add_member(b, "scale", release->scale);
    hr_buffer_text(b, ", ");
    add_member(b, "cost", release->cost);
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
