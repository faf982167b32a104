/* Models to JSON and back. */
#ifndef HR_TESTS_SUPPORT_MODEL_TEXT_H
#define HR_TESTS_SUPPORT_MODEL_TEXT_H

#include <hedgerow/model.h>

/* Owner: the caller, by hr_text_free. */
char *render(const hr_model *model);

/* Fails the test if `json` is no model. Owner: the caller, by hr_model_free. */
hr_model *parse_model(const char *json);

/* The text with the first `from` replaced. Owner: the caller, by free. */
char *text_with(const char *text, const char *from, const char *to);

#endif
