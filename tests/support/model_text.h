/* Models to JSON and back. */
#ifndef HR_TESTS_SUPPORT_MODEL_TEXT_H
#define HR_TESTS_SUPPORT_MODEL_TEXT_H

#include <hedgerow/model.h>

/* Owner: the caller, by hr_text_free. */
char *render(const hr_model *model);

/* Fails the test if `json` is no model. Owner: the caller, by hr_model_free. */
hr_model *parse_model(const char *json);

#endif
