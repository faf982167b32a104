/* The words that stand for enumerators in a model file. Readers and writers share them. */
#ifndef HR_MODEL_MODEL_WORDS_H
#define HR_MODEL_MODEL_WORDS_H

#include "model/model.h"

/* In the order of hr_mode, hr_task, hr_link, hr_currency and hr_kind; and what a guarantee may be for. */
static const char *const HR_MODE_WORDS[] = {"sound", "paper"};
static const char *const HR_TASK_WORDS[] = {"regression", "binary", "multiclass"};
static const char *const HR_LINK_WORDS[] = {"number", "signed", "logistic"};
static const char *const HR_CURRENCY_WORDS[] = {"none", "pure", "zcdp", "gdp"};
static const char *const HR_RECORD_WORDS[] = {HR_ONE_RECORD, HR_RECORD_OF_OWNER, HR_RECORD_OF_FILE};
static const char *const HR_KIND_WORDS[] = {"number", "category"};

#endif
