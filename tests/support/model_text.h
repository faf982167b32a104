/* Models to JSON and back. */
#ifndef HR_TESTS_SUPPORT_MODEL_TEXT_H
#define HR_TESTS_SUPPORT_MODEL_TEXT_H

#include <hedgerow/model.h>

/* Owner: the caller, by hr_text_free. */
char *render(const hr_model *model);

/* Fails the test if `json` is no model. Owner: the caller, by hr_model_free. */
hr_model *parse_model(const char *json);

/* The model as JSON, which gives the same text once it was read. Owner: the caller, by hr_text_free. */
char *written_again(const hr_model *model);

/* A model's text with the first `from` replaced is refused at `field`, in such words; NULL: in any. A status
 * of 0 stands for FORMAT. */
typedef struct forged_model {
    const char *from, *to, *field, *message;
    hr_status status;
} forged_model;

void refuse_forged(const char *json, const forged_model *forged, size_t count);

/* The text with the first `from` replaced. Owner: the caller, by free. */
char *text_with(const char *text, const char *from, const char *to);

#endif
