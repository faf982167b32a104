#include "fit/settings.h"

#include <stdio.h>
#include <string.h>

void hr_settings_add(hr_settings *s, const char *name, const char *value) {
    const char *kept = s->count < HR_SETTINGS_MAX ? hr_arena_text(s->arena, value, strlen(value)) : NULL;
    if (kept)
        s->items[s->count++] = (hr_setting){name, kept};
    else
        s->incomplete = true;
}

void hr_settings_add_count(hr_settings *s, const char *name, size_t count) {
    char text[24];
    snprintf(text, sizeof text, "%zu", count);
    hr_settings_add(s, name, text);
}

static void add_fit_setting(void *user, const char *name, const char *value) {
    hr_settings_add(user, name, value);
}

void hr_settings_add_options(hr_settings *s, const hr_method *method, const hr_fit_options *options) {
    hr_options_each(method, options, add_fit_setting, s);
}
