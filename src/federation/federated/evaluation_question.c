#include "federation/federated/evaluation_question.h"

#include "base/fail.h"
#include "models/model/model.h"
#include "tables/schema/schema.h"

#include <string.h>

static hr_status check_question_size(size_t size, hr_error *err) {
    if (size <= HR_EVALUATION_QUESTION_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "evaluate a model with fewer or smaller trees",
                   "the model file has %zu bytes; owners are sent %d at most", size,
                   (int)HR_EVALUATION_QUESTION_MAX);
}

/* The fingerprint first: no other bytes are parsed than those that the owner agreed to. */
hr_status hr_evaluation_question_read(const hr_bytes *body, const char *fingerprint, const hr_schema *schema,
                                      hr_model **out, hr_error *err) {
    char found[HR_DIGEST_TEXT];
    hr_model *model = NULL;
    hr_status status = check_question_size(body->size, err);
    if (status) return status;
    hr_sha256_text(body->at, body->size, found);
    if (strcmp(found, fingerprint) != 0)
        return hr_fail(err, HR_E_POLICY,
                       "ask the coordinator for a job whose terms name the model that it sends",
                       "the model that was sent is %s, that of the terms %s", found, fingerprint);
    status =
        hr_model_parse_json((const char *)body->at, body->size, "the model of the evaluation", &model, err);
    if (!status && !hr_schema_same(hr_model_schema(model), schema))
        status = hr_fail(err, HR_E_SCHEMA, "evaluate a model that was trained with the job's schema",
                         "the model has another schema than the job");
    if (!status) {
        *out = model;
        model = NULL;
    }
    hr_model_free(model);
    return status;
}
