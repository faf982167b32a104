/* Settings while they are listed, for a model or for the terms of a job. */
#ifndef HR_FIT_SETTINGS_H
#define HR_FIT_SETTINGS_H

#include "methods/method.h"
#include "models/model/model.h"

enum { HR_SETTINGS_MAX = 120 };

/* Begins with an arena, for the values, and {0}. */
typedef struct hr_settings {
    hr_arena *arena;
    hr_setting items[HR_SETTINGS_MAX];
    size_t count;
    bool incomplete; /* at least one setting is missing, for want of memory or of room */
} hr_settings;

/* Names are borrowed. */
void hr_settings_add(hr_settings *settings, const char *name, const char *value);

void hr_settings_add_count(hr_settings *settings, const char *name, size_t count);

/* Every option that the method takes in the options' mode. */
void hr_settings_add_options(hr_settings *settings, const hr_method *method, const hr_fit_options *options);

#endif
