/* The versions of a model file, and the words in it that stand for enumerators. Readers and writers share
 * them. */
#ifndef HR_MODELS_MODEL_MODEL_WORDS_H
#define HR_MODELS_MODEL_MODEL_WORDS_H

#include "models/model/model.h"

/* Versions of the format: written, and the oldest that is read; and the first with groups of releases, with
 * counts, with times of events, with quantiles, with monotone features, with exposures and with corrected
 * intervals. */
enum {
    HR_MODEL_VERSION = 4,
    HR_MODEL_VERSION_FIRST = 2,
    HR_MODEL_VERSION_GROUPS = 3,
    HR_MODEL_VERSION_COUNTS = 3,
    HR_MODEL_VERSION_TIMES = 4,
    HR_MODEL_VERSION_QUANTILES = 4,
    HR_MODEL_VERSION_MONOTONE = 4,
    HR_MODEL_VERSION_EXPOSURES = 4,
    HR_MODEL_VERSION_CONFORMAL = 4
};

static const char *const HR_MODE_NAMES[] = {[HR_MODE_SOUND] = "sound", [HR_MODE_PAPER] = "paper"};
static const char *const HR_TASK_NAMES[] = {
    [HR_TASK_REGRESSION] = "regression", [HR_TASK_BINARY] = "binary",     [HR_TASK_MULTICLASS] = "multiclass",
    [HR_TASK_COUNT] = "count",           [HR_TASK_SURVIVAL] = "survival", [HR_TASK_QUANTILES] = "quantiles"};
static const char *const HR_LINK_NAMES[] = {[HR_LINK_NUMBER] = "number",
                                            [HR_LINK_SIGNED] = "signed",
                                            [HR_LINK_LOGISTIC] = "logistic",
                                            [HR_LINK_HAZARD] = "hazard",
                                            [HR_LINK_LOG] = "log"};
static const char *const HR_PRIVACY_MEASURE_NAMES[] = {[HR_PRIVACY_NONE] = "none",
                                                       [HR_PRIVACY_PURE] = "pure",
                                                       [HR_PRIVACY_ZCDP] = "zcdp",
                                                       [HR_PRIVACY_GDP] = "gdp"};
/* Of a column; the last is the time of an event, whose hr_kind is that of a number. */
static const char *const HR_KIND_NAMES[] = {
    [HR_KIND_NUMBER] = "number", [HR_KIND_CATEGORY] = "category", [HR_KIND_CATEGORY + 1] = "time"};
/* What a guarantee may be for. */
static const char *const HR_RECORD_NAMES[] = {HR_ONE_RECORD, HR_RECORD_OF_OWNER, HR_RECORD_OF_FILE,
                                              HR_ONE_PERSON, HR_PERSON_OF_OWNER, HR_PERSON_OF_FILE};

#endif
