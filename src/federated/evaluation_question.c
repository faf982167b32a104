#include "federated/evaluation_question.h"

#include "base/fail.h"
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

static hr_status check_question_size(size_t size, hr_error *err) {
    if (size <= HR_EVALUATION_QUESTION_MAX) return HR_OK;
    return hr_fail(err, HR_E_LIMIT, "evaluate a model with fewer or smaller trees",
                   "the model has %zu bytes as JSON; owners are sent %d at most", size,
                   (int)HR_EVALUATION_QUESTION_MAX);
}

hr_status hr_evaluation_question_pack(const hr_model *model, char fingerprint[HR_DIGEST_TEXT], hr_bytes *out,
                                      hr_error *err) {
    char *json = NULL;
    hr_status status = hr_model_render(model, &json, err);
    size_t size = status ? 0 : strlen(json);
    if (!status) status = check_question_size(size, err);
    uint8_t *at = status ? NULL : malloc(size + 1);
    if (!status && !at) status = hr_fail_memory(err);
    if (!status) {
        memcpy(at, json, size);
        hr_sha256_text(at, size, fingerprint);
        *out = (hr_bytes){at, size};
    }
    hr_text_free(json);
    return status;
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
    status = hr_model_parse((const char *)body->at, body->size, "the model of the evaluation", &model, err);
    if (!status && !hr_schema_same(hr_model_schema(model), schema))
        status = hr_fail(err, HR_E_SCHEMA, "evaluate a model that was trained with the owners' schema",
                         "the model of the evaluation has another schema than this owner's records");
    if (!status) {
        *out = model;
        model = NULL;
    }
    hr_model_free(model);
    return status;
}
